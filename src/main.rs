//! `lacuna`: carve features out of real repositories, from the command line.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the demonstration is not there yet")
)]
mod demo_sample;

fn main() {}
