//! `lacuna`: carve features out of real repositories, from the command line.

fn main() {}
