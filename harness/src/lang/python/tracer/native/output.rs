//! Writes the trace file of this process. See `_lacuna_output.py`, which does the same, and the format
//! in `format.rs`.

use core::cell::{Cell, UnsafeCell};
use core::ffi::c_int;
use core::ptr::null_mut;
use core::sync::atomic::{Ordering, compiler_fence};

use crate::system;

const WINDOW: usize = 1 << 18;
const WORDS: usize = WINDOW / 4;
const LONGEST_TEXT: usize = 1 << 16;
const LONGEST_PATH: usize = 4096;
const VERSION: u32 = 1;

#[derive(Clone, Copy)]
pub enum Tag {
    Header = 1,
    Code = 2,
    Edge = 3,
    Context = 4,
    Loss = 5,
    Hit = 6,
    Full = 7,
}

/// The trace file. After a fork the child goes on in a file of its own.
pub struct Output {
    path: UnsafeCell<[u8; LONGEST_PATH]>,
    /// Length of the folder in `path`, and of the whole path.
    folder: Cell<usize>,
    length: Cell<usize>,
    process: Cell<c_int>,
    /// The mapped part of the file, null while there is none; its offset; the next free word in it.
    window: Cell<*mut u32>,
    offset: Cell<u64>,
    position: Cell<usize>,
}

impl Output {
    pub const fn new() -> Self {
        Self {
            path: UnsafeCell::new([0; LONGEST_PATH]),
            folder: Cell::new(0),
            length: Cell::new(0),
            process: Cell::new(0),
            window: Cell::new(null_mut()),
            offset: Cell::new(0),
            position: Cell::new(0),
        }
    }

    /// Begins the file of this process in `folder`; false if the name is too long.
    pub fn start(&self, folder: &[u8]) -> bool {
        if folder.len() + 64 > LONGEST_PATH {
            return false;
        }
        self.path_bytes()[..folder.len()].copy_from_slice(folder);
        self.folder.set(folder.len());
        self.begin(&[], 0);
        true
    }

    /// An edge was seen in a context.
    #[inline]
    pub fn hit(&self, edge: u32, context: u32) {
        self.follow_fork();
        self.write((Tag::Hit as u32) << 24 | edge, &[context], None);
    }

    /// Any other record: numbers, then a text given in parts.
    pub fn put(&self, tag: Tag, numbers: &[u32], text: Option<&[&[u8]]>) {
        self.follow_fork();
        self.record(tag, numbers, text);
    }

    fn record(&self, tag: Tag, numbers: &[u32], text: Option<&[&[u8]]>) {
        let words = 1 + numbers.len() + text.map_or(0, |parts| 1 + length(parts).div_ceil(4));
        self.write((tag as u32) << 24 | words as u32, numbers, text);
    }

    /// A child begins a file, and says where the definitions up to now stand: in its parent's.
    #[inline(always)]
    fn follow_fork(&self) {
        // SAFETY: `getpid` has no preconditions.
        if unsafe { system::getpid() } != self.process.get() {
            let (mut parent, length) = ([0; 64], self.length.get() - self.folder.get() - 1);
            let length = length.min(parent.len());
            let start = self.folder.get() + 1;
            parent[..length].copy_from_slice(&self.path_bytes()[start..start + length]);
            self.begin(
                &parent[..length],
                self.offset.get() + 4 * self.position.get() as u64,
            );
        }
    }

    fn write(&self, head: u32, numbers: &[u32], text: Option<&[&[u8]]>) {
        let words = 1 + numbers.len() + text.map_or(0, |parts| 1 + length(parts).div_ceil(4));
        if !self.window.get().is_null() && self.position.get() + words >= WORDS {
            self.next_window();
        }
        if self.window.get().is_null() {
            return;
        }
        // SAFETY: `position + words < WORDS`, so everything stays in the window. Volatile, because
        // the process may be killed anywhere: the first word makes the record valid and comes last.
        unsafe {
            let start = self.window.get().add(self.position.get());
            let mut at = start.add(1);
            for number in numbers {
                at.write_volatile(*number);
                at = at.add(1);
            }
            if let Some(parts) = text {
                at.write_volatile(length(parts) as u32);
                copy(parts, at.add(1).cast());
            }
            compiler_fence(Ordering::Release);
            start.write_volatile(head);
        }
        self.position.set(self.position.get() + words);
    }

    #[cold]
    fn begin(&self, parent: &[u8], offset: u64) {
        // SAFETY: `getpid` has no preconditions.
        self.process.set(unsafe { system::getpid() });
        self.leave_window();
        self.offset.set(0);
        if self.create() && self.map(0) {
            let process = self.process.get() as u32;
            let numbers = [process, VERSION, offset as u32];
            self.record(Tag::Header, &numbers, Some(&[parent]));
        }
    }

    /// Creates the first free of `PID-1.trace`, `PID-2.trace`, …: a process that executes another
    /// program, or a later one with the same number, finds names in use.
    fn create(&self) -> bool {
        for sequence in 1.. {
            self.name(sequence);
            let file = self.open(system::O_CREAT | system::O_EXCL);
            if file >= 0 {
                // SAFETY: `file` was just opened.
                unsafe { system::close(file) };
                return true;
            }
            // SAFETY: the location of the thread's `errno` is always readable.
            if unsafe { *system::__errno_location() } != system::EEXIST {
                break;
            }
        }
        false
    }

    fn name(&self, sequence: u32) {
        let path = self.path_bytes();
        let mut at = self.folder.get();
        let mut push = |bytes: &[u8]| {
            path[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        let mut digits = [0; 10];
        push(b"/");
        push(decimal(self.process.get() as u32, &mut digits));
        push(b"-");
        push(decimal(sequence, &mut digits));
        push(b".trace");
        path[at] = 0;
        self.length.set(at);
    }

    /// Goes to the next part of the file; the last word of a window is kept for saying that there is none.
    #[cold]
    fn next_window(&self) {
        let full = self.window.get();
        let position = self.position.get();
        if self.map(self.offset.get() + WINDOW as u64) {
            // SAFETY: `full` was mapped with this length and is not used any more.
            unsafe { system::munmap(full.cast(), WINDOW) };
        } else {
            // SAFETY: `position < WORDS`: `write` keeps one word free.
            unsafe {
                full.add(position)
                    .write_volatile((Tag::Full as u32) << 24 | 1)
            };
            self.leave_window();
        }
    }

    /// Maps a window whose blocks are reserved first: a full disk must not become a bus error in
    /// somebody's test.
    fn map(&self, offset: u64) -> bool {
        let file = self.open(0);
        if file < 0 {
            return false;
        }
        // SAFETY: plain system calls on a file of our own; the mapping outlives the descriptor.
        let window = unsafe {
            let reserved = system::posix_fallocate(file, offset as i64, WINDOW as i64) == 0;
            let window = if reserved {
                system::mmap(
                    null_mut(),
                    WINDOW,
                    system::PROT_READ_WRITE,
                    system::MAP_SHARED,
                    file,
                    offset as i64,
                )
            } else {
                system::MAP_FAILED
            };
            system::close(file);
            window
        };
        if window == system::MAP_FAILED {
            return false;
        }
        self.window.set(window.cast());
        self.offset.set(offset);
        self.position.set(0);
        true
    }

    fn leave_window(&self) {
        let window = self.window.replace(null_mut());
        if !window.is_null() {
            // SAFETY: it was mapped with this length; the pointer is gone from `self`.
            unsafe { system::munmap(window.cast(), WINDOW) };
        }
    }

    fn open(&self, flags: c_int) -> c_int {
        let flags = flags | system::O_RDWR | system::O_CLOEXEC;
        // SAFETY: `name` ends the path with a zero byte.
        unsafe { system::open(self.path.get().cast(), flags, 0o600 as c_int) }
    }

    #[expect(
        clippy::mut_from_ref,
        reason = "one user at a time, under the global lock"
    )]
    fn path_bytes(&self) -> &mut [u8; LONGEST_PATH] {
        // SAFETY: every caller is done with the reference before another asks for it.
        unsafe { &mut *self.path.get() }
    }
}

/// Length in bytes of a text in parts, as far as it is kept.
fn length(parts: &[&[u8]]) -> usize {
    let mut total = 0;
    for part in parts {
        total += part.len();
    }
    total.min(LONGEST_TEXT)
}

/// Copies a text, cut at [`LONGEST_TEXT`].
///
/// # Safety
/// `to` has room for `length(parts)` bytes.
unsafe fn copy(parts: &[&[u8]], mut to: *mut u8) {
    let mut left = length(parts);
    for part in parts {
        for byte in &part[..part.len().min(left)] {
            // SAFETY: the caller's promise; `left` bytes remain.
            unsafe {
                to.write_volatile(*byte);
                to = to.add(1);
            }
        }
        left -= part.len().min(left);
    }
}

fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[start..];
        }
    }
}
