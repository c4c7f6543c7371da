//! Embeds the sample projects, so that the demonstration works wherever the program is installed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const TREES: &str = "fixtures/trees";
const SAMPLES: [&str; 3] = ["recipes", "tally", "timetable"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    SAMPLES.iter().try_for_each(|sample| embed(sample))
}

fn embed(sample: &str) -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={TREES}/{sample}");
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?)
        .join(TREES)
        .join(sample);
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root)?.to_string_lossy();
        let name = name.replace(std::path::MAIN_SEPARATOR, "/");
        writeln!(table, "({name:?}, include_bytes!({file:?})),")?;
    }
    table.push_str("]\n");
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join(format!("{sample}.rs")),
        table,
    )?;
    Ok(())
}

/// Adds all files under `folder`, except what running the sample's tests leaves behind.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.')
            || name.starts_with("__pycache__")
            || name.ends_with(".egg-info")
            || name == "target"
        {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
