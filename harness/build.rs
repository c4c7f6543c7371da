//! Compiles the native part of the Python tracer, a library of its own that is embedded in this crate.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

const SOURCES: &str = "src/lang/python/tracer/native";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={SOURCES}");
    let output = Path::new(&variable("OUT_DIR")).join("python-tracer.so");
    // Elsewhere the pure Python tracer serves; an empty file says so.
    let done = if variable("CARGO_CFG_TARGET_OS") == "linux"
        && variable("CARGO_CFG_TARGET_POINTER_WIDTH") == "64"
    {
        compile(&output)
    } else {
        fs::write(&output, []).map_err(|e| e.to_string())
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("cargo::error=cannot build the native Python tracer: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Builds without a C library: the symbols come from the process that loads the result, so it does not
/// depend on the version of one.
fn compile(output: &Path) -> Result<(), String> {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args([
            "--edition=2024",
            "--crate-name=lacuna_native",
            "--crate-type=cdylib",
        ])
        .args([
            "-Copt-level=3",
            "-Cpanic=abort",
            "-Clto=fat",
            "-Ccodegen-units=1",
            "-Cstrip=symbols",
        ])
        .args([
            "-Clink-arg=-nostdlib",
            "-Clink-arg=-nostartfiles",
            "-Cdefault-linker-libraries=no",
        ])
        .arg(format!("--target={}", variable("TARGET")));
    if variable("CARGO_CFG_TARGET_ENV") == "musl" {
        rustc.arg("-Ctarget-feature=-crt-static");
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc
        .arg("-o")
        .arg(output)
        .arg(Path::new(SOURCES).join("lib.rs"));
    match rustc.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{rustc:?}: {status}")),
        Err(error) => Err(format!("{rustc:?}: {error}")),
    }
}

/// A variable that cargo sets for every build script.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
