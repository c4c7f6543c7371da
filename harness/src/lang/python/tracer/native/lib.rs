//! The native recorder: what `_lacuna_pure.py` does, at a fraction of its cost.
//!
//! A Python extension module without a libc, a standard library or Python headers: `build.rs` compiles
//! it with the compiler that compiles Lacuna, and every symbol of CPython is looked up when the module
//! is loaded. So one file serves all supported versions, and users need no compiler.
//!
//! Every function runs while the thread holds the interpreter's global lock. That is the reason why
//! the shared state in [`recorder::RECORDER`] needs no lock of its own.

#![no_std]

mod events;
mod frame;
mod module;
mod output;
mod python;
mod recorder;
mod system;
mod table;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: `abort` has no preconditions.
    unsafe { system::abort() }
}
