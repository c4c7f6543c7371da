//! The functions that the interpreter calls.

use core::cell::Cell;
use core::ffi::c_int;
use core::ptr::null_mut;

use crate::frame::Frame;
use crate::python::{self, Object, api};
use crate::recorder::RECORDER;

const PYTRACE_CALL: c_int = 0;

/// Objects that the callbacks need; set when recording starts, owned for ever.
pub struct Objects {
    /// `sys.monitoring.DISABLE`, null before Python 3.12.
    pub disable: Cell<Object>,
    /// The module's function `hook`, which stands for the native profile function in Python's eyes.
    pub hook: Cell<Object>,
}

// SAFETY: all functions run under the global lock.
unsafe impl Sync for Objects {}

pub static OBJECTS: Objects = Objects {
    disable: Cell::new(null_mut()),
    hook: Cell::new(null_mut()),
};

/// A `Py_tracefunc`: the profile function before Python 3.12.
unsafe extern "C" fn profile(_: Object, frame: Object, event: c_int, _: Object) -> c_int {
    if event == PYTRACE_CALL {
        entered(&Frame::borrowed(frame));
    }
    0
}

#[inline(always)]
fn entered(frame: &Frame) {
    let code = RECORDER.code(frame.code());
    if code.number != 0 {
        RECORDER.entered(code, frame);
    }
}

/// `hook(frame, event, argument)`: given to `sys.setprofile` and `threading.setprofile`, it puts the
/// native function in its own place at the first event of a thread.
pub unsafe extern "C" fn hook(_: Object, arguments: *const Object, count: isize) -> Object {
    // SAFETY: the interpreter passes `count` live objects.
    unsafe {
        (api().PyEval_SetProfile)(Some(profile), OBJECTS.hook.get());
        if count == 3 && python::text(*arguments.add(1)) == Some(b"call") {
            entered(&Frame::borrowed(*arguments));
        }
    }
    python::none()
}

/// `on_start(code, offset)` and `on_resume(code, offset)`.
pub unsafe extern "C" fn on_start(_: Object, arguments: *const Object, _: isize) -> Object {
    // SAFETY: `sys.monitoring` passes two arguments, the first a code object.
    let code = RECORDER.code(unsafe { *arguments });
    if code.number == 0 {
        return disable();
    }
    RECORDER.entered(code, &Frame::current());
    python::none()
}

/// `on_throw(code, offset, exception)`; this event cannot be disabled.
pub unsafe extern "C" fn on_throw(_: Object, arguments: *const Object, _: isize) -> Object {
    // SAFETY: `sys.monitoring` passes three arguments, the first a code object.
    let code = RECORDER.code(unsafe { *arguments });
    if code.number != 0 {
        RECORDER.entered(code, &Frame::current());
    }
    python::none()
}

/// `on_call(code, offset, callee, argument)`.
pub unsafe extern "C" fn on_call(_: Object, arguments: *const Object, _: isize) -> Object {
    // SAFETY: `sys.monitoring` passes four arguments, the first a code object.
    let (code, callee) = unsafe { (RECORDER.code(*arguments), *arguments.add(2)) };
    if code.number != 0 && RECORDER.called(code, callee) {
        return python::none();
    }
    disable()
}

#[inline(always)]
fn disable() -> Object {
    python::new_reference(OBJECTS.disable.get())
}
