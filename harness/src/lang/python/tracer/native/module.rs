//! The Python module `_lacuna_native`. It offers what `_lacuna_pure.Recorder` does, as functions:
//! there is one recorder in a process.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr::{null, null_mut};

use crate::events::{self, OBJECTS};
use crate::frame;
use crate::output::Tag;
use crate::python::{self, Object, api};
use crate::recorder::{self, Helpers, RECORDER};

const PYTHON_API_VERSION: c_int = 1013;
const METH_O: c_int = 0x8;
const METH_FASTCALL: c_int = 0x80;

/// `Recorder(folder, repository, watch_calls)`: begins to record and returns the module.
unsafe extern "C" fn start(module: Object, arguments: *const Object, count: isize) -> Object {
    if count != 3 {
        return error(c"Recorder() takes three arguments");
    }
    // SAFETY: the interpreter passes `count` live objects.
    let (folder, repository, watch_calls) =
        unsafe { (*arguments, *arguments.add(1), *arguments.add(2)) };
    let keep = |name| python::attribute(repository, name).map(|o| python::new_reference(o.get()));
    let (Some(paths), Some(locate), Some(describe_class), Some(hook)) = (
        keep(c"paths"),
        keep(c"locate"),
        keep(c"describe_class"),
        python::attribute(module, c"hook").map(|o| python::new_reference(o.get())),
    ) else {
        return error(c"the repository lacks an attribute");
    };
    let helpers = Helpers {
        paths,
        locate,
        describe_class,
        watch_calls: python::new_reference(watch_calls),
    };
    OBJECTS.hook.set(hook);
    OBJECTS.disable.set(find_disable());
    // SAFETY: `folder` is alive during the call.
    match unsafe { python::text(folder) } {
        Some(folder) if RECORDER.start(folder, helpers) => python::new_reference(module),
        _ => error(c"the trace folder's path is too long"),
    }
}

/// `sys.monitoring.DISABLE`; null before Python 3.12.
fn find_disable() -> Object {
    // SAFETY: the result is null or borrowed from the module `sys`.
    let monitoring = unsafe { (api().PySys_GetObject)(c"monitoring".as_ptr()) };
    if monitoring.is_null() {
        return null_mut();
    }
    python::attribute(monitoring, c"DISABLE").map_or(null_mut(), |o| python::new_reference(o.get()))
}

/// `open_context(description)` returns the new context's number.
unsafe extern "C" fn open_context(_: Object, description: Object) -> Object {
    let number = recorder::next(&RECORDER.context_count);
    // SAFETY: the argument is alive during the call; the result is a new reference.
    unsafe {
        let text = python::text(description).unwrap_or_default();
        RECORDER.output.put(Tag::Context, &[number], Some(&[text]));
        (api().PyLong_FromLong)(c_long::from(number))
    }
}

/// `switch_context(number)` returns the number of the context before.
unsafe extern "C" fn switch_context(_: Object, number: Object) -> Object {
    // SAFETY: the argument is alive; the result is a new reference.
    unsafe {
        let number = (api().PyLong_AsLong)(number) as u32;
        (api().PyLong_FromLong)(c_long::from(RECORDER.context.replace(number)))
    }
}

/// `note(loss)` records that something could not be followed.
unsafe extern "C" fn note(_: Object, loss: Object) -> Object {
    // SAFETY: the argument is alive during the call.
    let text = unsafe { python::text(loss) }.unwrap_or_default();
    RECORDER.output.put(Tag::Loss, &[], Some(&[text]));
    python::none()
}

fn error(message: &CStr) -> Object {
    // SAFETY: a static exception class and a C string.
    unsafe { (api().PyErr_SetString)(*api().PyExc_RuntimeError, message.as_ptr()) };
    null_mut()
}

/// A `PyMethodDef`.
#[repr(C)]
struct Method {
    name: *const c_char,
    function: *const c_void,
    flags: c_int,
    documentation: *const c_char,
}

const fn method(name: &'static CStr, function: *const c_void, flags: c_int) -> Method {
    Method {
        name: name.as_ptr(),
        function,
        flags,
        documentation: null(),
    }
}

/// A `PyModuleDef`.
#[repr(C)]
struct Definition {
    reference_count: usize,
    kind: Object,
    initialise: *const c_void,
    index: isize,
    copy: Object,
    name: *const c_char,
    documentation: *const c_char,
    size: isize,
    methods: *const Method,
    slots: *const c_void,
    traverse: *const c_void,
    clear: *const c_void,
    free: *const c_void,
}

/// Memory that the interpreter writes to.
struct Shared<T>(UnsafeCell<T>);

// SAFETY: only the interpreter touches it, under the global lock.
unsafe impl<T> Sync for Shared<T> {}

static METHODS: Shared<[Method; 10]> = Shared(UnsafeCell::new([
    method(c"Recorder", start as *const c_void, METH_FASTCALL),
    method(c"open_context", open_context as *const c_void, METH_O),
    method(c"switch_context", switch_context as *const c_void, METH_O),
    method(c"note", note as *const c_void, METH_O),
    method(c"hook", events::hook as *const c_void, METH_FASTCALL),
    method(
        c"on_start",
        events::on_start as *const c_void,
        METH_FASTCALL,
    ),
    method(
        c"on_resume",
        events::on_start as *const c_void,
        METH_FASTCALL,
    ),
    method(
        c"on_throw",
        events::on_throw as *const c_void,
        METH_FASTCALL,
    ),
    method(c"on_call", events::on_call as *const c_void, METH_FASTCALL),
    Method {
        name: null(),
        function: null(),
        flags: 0,
        documentation: null(),
    },
]));

static DEFINITION: Shared<Definition> = Shared(UnsafeCell::new(Definition {
    reference_count: 1,
    kind: null_mut(),
    initialise: null(),
    index: 0,
    copy: null_mut(),
    name: c"_lacuna_native".as_ptr(),
    documentation: null(),
    size: -1,
    methods: METHODS.0.get().cast(),
    slots: null(),
    traverse: null(),
    clear: null(),
    free: null(),
}));

/// The entry point of the extension module; null, which Python reports, where it is not supported.
#[unsafe(no_mangle)]
pub extern "C" fn PyInit__lacuna_native() -> Object {
    if !python::load() || !frame::prepare() {
        return null_mut();
    }
    // SAFETY: the definition is static and has CPython's layout.
    unsafe { (api().PyModule_Create2)(DEFINITION.0.get().cast(), PYTHON_API_VERSION) }
}
