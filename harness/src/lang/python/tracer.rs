//! The tracer for Python: the files that a traced interpreter loads, and what it leaves behind.
//!
//! `site/` is what Python sees, `native/` the fast recorder, [`format`] the file that both write.

mod format;
mod merge;

use std::path::Path;
use std::{fs, io};

use analyzer::trace::Trace;

/// The fast recorder as a shared library; empty on platforms without one.
const NATIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/python-tracer.so"));

/// What the pytest plugin needs, traced or not.
const PLUGIN: [(&str, &str); 2] = [
    (
        "_lacuna_pytest.py",
        include_str!("tracer/site/_lacuna_pytest.py"),
    ),
    (
        "_lacuna_repository.py",
        include_str!("tracer/site/_lacuna_repository.py"),
    ),
];

const TRACER: [(&str, &str); 4] = [
    (
        "sitecustomize.py",
        include_str!("tracer/site/sitecustomize.py"),
    ),
    (
        "_lacuna_tracer.py",
        include_str!("tracer/site/_lacuna_tracer.py"),
    ),
    (
        "_lacuna_pure.py",
        include_str!("tracer/site/_lacuna_pure.py"),
    ),
    (
        "_lacuna_output.py",
        include_str!("tracer/site/_lacuna_output.py"),
    ),
];

/// Which recorder to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorder {
    /// The native one where it works, else the pure one.
    Native,
    /// The one in Python, which defines what a trace means.
    Pure,
}

/// Writes the pytest plugin into `site`, a folder for `PYTHONPATH`.
pub fn install_plugin(site: &Path) -> io::Result<()> {
    write_all(site, &PLUGIN)
}

/// Writes the tracer into `site`: every interpreter that starts with it on its path traces the code
/// of `tree` into `output`, a folder.
pub fn install_tracer(site: &Path, tree: &str, output: &str, recorder: Recorder) -> io::Result<()> {
    write_all(site, &TRACER)?;
    if !NATIVE.is_empty() {
        fs::write(site.join("_lacuna_native.so"), NATIVE)?;
    }
    let recorder = match recorder {
        Recorder::Native => "native",
        Recorder::Pure => "pure",
    };
    fs::write(site.join("settings"), [tree, output, recorder].join("\0"))
}

fn write_all(site: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    let mut files = files.iter();
    files.try_for_each(|(name, text)| fs::write(site.join(name), text))
}

/// Puts together what all processes left in `output`: a trace without tests. `site` holds the
/// complaints of tracers that could not start.
pub fn collect(site: &Path, output: &Path) -> io::Result<Trace> {
    let mut trace = merge::merge(&format::read_folder(output)?);
    for entry in fs::read_dir(site)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("failed-") {
            let reason = fs::read_to_string(entry.path()).unwrap_or_default();
            trace
                .losses
                .push(format!("a process could not be traced: {reason}"));
        }
    }
    if trace.processes == 0 {
        trace.losses.push("no process was traced".to_owned());
    }
    trace.losses.sort();
    trace.losses.dedup();
    Ok(trace)
}
