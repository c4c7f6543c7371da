//! The supervisor as a binary of its own, for tests; `lacuna` contains it as well.

fn main() -> std::process::ExitCode {
    harness::process::supervisor::enter().unwrap_or(std::process::ExitCode::FAILURE)
}
