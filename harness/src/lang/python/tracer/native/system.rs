//! The functions of the C library in use. Every process that runs CPython has them loaded.

use core::ffi::{c_char, c_int, c_void};

pub const O_RDWR: c_int = 0o2;
pub const O_CREAT: c_int = 0o100;
pub const O_EXCL: c_int = 0o200;
pub const O_CLOEXEC: c_int = 0o2_000_000;
pub const PROT_READ_WRITE: c_int = 3;
pub const MAP_SHARED: c_int = 1;
pub const MAP_FAILED: *mut c_void = usize::MAX as *mut c_void;
pub const EEXIST: c_int = 17;

unsafe extern "C" {
    pub fn abort() -> !;
    pub fn calloc(count: usize, size: usize) -> *mut c_void;
    pub fn free(memory: *mut c_void);
    pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn getpid() -> c_int;
    pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub fn close(file: c_int) -> c_int;
    pub fn posix_fallocate(file: c_int, offset: i64, length: i64) -> c_int;
    pub fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub fn munmap(address: *mut c_void, length: usize) -> c_int;
    pub fn __errno_location() -> *mut c_int;
}
