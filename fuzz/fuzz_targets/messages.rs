//! Any bytes as a session with the language server. A panic or a hang is a finding.
#![no_main]

#[path = "../../lsp/tests/protocol/wire.rs"]
mod wire;

libfuzzer_sys::fuzz_target!(|data: &[u8]| wire::session(data));
