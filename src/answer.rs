//! What is printed: answers on standard output, for a person or as one JSON document, and messages.

use std::io::{self, Write};

pub use harness::words::count;
use serde::Serialize;

use crate::cli::Format;

/// What a command found out.
pub trait Answer: Serialize {
    /// Writes it for a person.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Prints an answer on standard output, as JSON or for a person. A reader that has gone away is no
/// fault.
///
/// # Errors
/// Those of standard output, other than a closed pipe.
pub fn print(answer: &impl Answer, format: Format) -> io::Result<()> {
    match format {
        Format::Json => print_json(answer),
        _ => write(|out| answer.write_human(out)),
    }
}

/// Prints a text on standard output. A reader that has gone away is no fault.
///
/// # Errors
/// Those of standard output, other than a closed pipe.
pub fn print_text(text: &str) -> io::Result<()> {
    write(|out| out.write_all(text.as_bytes()))
}

/// Prints a JSON document on standard output. A reader that has gone away is no fault.
///
/// # Errors
/// Those of standard output, other than a closed pipe.
pub fn print_json(document: &impl Serialize) -> io::Result<()> {
    write(|out| {
        serde_json::to_writer_pretty(&mut *out, document)?;
        writeln!(out)
    })
}

/// Prints a line on standard error. A reader that has gone away is no fault.
pub fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "lacuna: {message}");
}

fn write(content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match content(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes rows as columns: every cell padded to its column's width, numbers to the right.
///
/// # Errors
/// Those of the writer.
pub fn table(out: &mut dyn Write, header: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells
            .chain(header.get(column).map(|name| name.chars().count()))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let names: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    for row in std::iter::once(&names).chain(rows) {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| pad(cell, width))
            .collect();
        writeln!(out, "{}", line.join("  ").trim_end())?;
    }
    Ok(())
}

fn pad(cell: &str, width: usize) -> String {
    let is_number = cell.starts_with(|first: char| first.is_ascii_digit());
    if is_number {
        format!("{cell:>width$}")
    } else {
        format!("{cell:<width$}")
    }
}
