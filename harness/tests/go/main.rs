//! Running Go projects from end to end: environments, results, traces, diagnostics. Needs Go; the
//! packages of others need the module proxy.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod checking;
mod environments;
mod packages;
mod results;
#[path = "../shared/mod.rs"]
mod shared;
mod support;
mod traces;
