//! Frames of the running program.

use core::cell::Cell;

use crate::python::{self, Object, Owned, api};

/// Offsets of `f_back` and `f_code` in a frame object up to Python 3.10 (64 bits, no debug build).
const BACK_OFFSET: usize = 24;
const CODE_OFFSET: usize = 32;

/// Whether the offsets hold. Public functions exist from 3.9 on, but cost more.
struct Layout(Cell<bool>);

// SAFETY: written when the module is loaded, read under the global lock.
unsafe impl Sync for Layout {}

static LAYOUT: Layout = Layout(Cell::new(false));

/// Finds out how to read frames; false if there is no way.
pub fn prepare() -> bool {
    LAYOUT
        .0
        .set(python::minor_version() <= 10 && layout_holds());
    LAYOUT.0.get() || (api().PyFrame_GetBack.is_some() && api().PyFrame_GetCode.is_some())
}

/// Compares what the offsets give for the frames that run now with what their attributes say.
fn layout_holds() -> bool {
    // SAFETY: reading two words of a live frame object, which is far larger, whatever they hold.
    unsafe {
        let frame = (api().PyEval_GetFrame)();
        if frame.is_null() {
            return false;
        }
        let same = |offset, name| {
            python::attribute(frame, name).is_some_and(|value| value.get() == read(frame, offset))
        };
        same(BACK_OFFSET, c"f_back") && same(CODE_OFFSET, c"f_code")
    }
}

/// # Safety
/// `object` is alive and at least `offset + 8` bytes long.
#[inline(always)]
unsafe fn read(object: Object, offset: usize) -> Object {
    // SAFETY: the caller's promise.
    unsafe { *object.byte_add(offset).cast::<Object>() }
}

/// A frame, borrowed from the interpreter or owned, and alive either way.
pub struct Frame {
    object: Object,
    _owned: Option<Owned>,
}

impl Frame {
    /// The frame that an event is about.
    #[inline(always)]
    pub fn borrowed(object: Object) -> Self {
        Self {
            object,
            _owned: None,
        }
    }

    /// The frame that runs now.
    #[inline(always)]
    pub fn current() -> Self {
        // SAFETY: Python code is running: there is a frame, and it stays alive during the event.
        Self::borrowed(unsafe { (api().PyEval_GetFrame)() })
    }

    /// The code that runs in it; the frame keeps it alive.
    #[inline(always)]
    pub fn code(&self) -> Object {
        match api().PyFrame_GetCode {
            // SAFETY: the frame is alive and keeps its code alive after the new reference is given back.
            Some(get_code) if !LAYOUT.0.get() => unsafe {
                let code = get_code(self.object);
                (api().Py_DecRef)(code);
                code
            },
            // SAFETY: `prepare` has checked the layout.
            _ => unsafe { read(self.object, CODE_OFFSET) },
        }
    }

    /// The frame that called it.
    #[inline(always)]
    pub fn back(&self) -> Option<Self> {
        match api().PyFrame_GetBack {
            // SAFETY: the frame is alive; a null result means that there is no caller, without exception.
            Some(get_back) if !LAYOUT.0.get() => unsafe {
                let back = get_back(self.object);
                (!back.is_null()).then(|| Self {
                    object: back,
                    _owned: Owned::new(back),
                })
            },
            // SAFETY: `prepare` has checked the layout; this frame keeps its caller alive.
            _ => unsafe {
                let back = read(self.object, BACK_OFFSET);
                (!back.is_null()).then(|| Self::borrowed(back))
            },
        }
    }
}
