//! Reads the headers of whole source trees back, and counts the definitions.
//!
//! ```sh
//! cargo run --release -p lacuna-extractors --example headers -- PYTHON FOLDER ...
//! ```
//!
//! PYTHON is an interpreter that can parse the files of the folders.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool for developers"
)]

mod read_back;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let python = arguments.next().unwrap_or_default();
    let mut status = ExitCode::SUCCESS;
    for folder in arguments {
        let started = Instant::now();
        match read_back::read_back(&python, Path::new(&folder)) {
            Ok(count) => println!(
                "{folder}: {count} definitions, {:.1} s",
                started.elapsed().as_secs_f64()
            ),
            Err(difference) => {
                println!("{folder}: {difference}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
