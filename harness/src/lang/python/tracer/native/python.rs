//! The parts of CPython's C interface in use, looked up by name when the module is loaded.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use core::mem::MaybeUninit;
use core::ptr::null_mut;

use crate::system;

/// A `PyObject *`.
pub type Object = *mut c_void;
/// A `Py_tracefunc`.
pub type TraceFunction = unsafe extern "C" fn(Object, Object, c_int, Object) -> c_int;

/// Offset of `ob_type`; this is the layout of builds with the global lock.
const TYPE_OFFSET: usize = 8;
const TYPE_SUBCLASS: c_ulong = 1 << 31;
/// How much deeper a helper may go than the program's recursion limit allows.
const HEADROOM: c_int = 200;

macro_rules! interface {
    (required { $($name:ident: $kind:ty,)* } optional { $($option:ident: $option_kind:ty,)* }) => {
        /// Functions and objects of the running interpreter.
        #[allow(non_snake_case, reason = "CPython's names")]
        pub struct Interface { $(pub $name: $kind,)* $(pub $option: Option<$option_kind>,)* }

        impl Interface {
            /// None if the interpreter lacks a required symbol.
            fn load() -> Option<Self> {
                // SAFETY: the types below are those of CPython's documentation; function and object
                // pointers have the same size as the pointer that `dlsym` gives.
                unsafe {
                    Some(Self {
                        $($name: core::mem::transmute::<Object, $kind>(
                            symbol(concat!(stringify!($name), "\0"))?,
                        ),)*
                        $($option: symbol(concat!(stringify!($option), "\0"))
                            .map(|found| core::mem::transmute::<Object, $option_kind>(found)),)*
                    })
                }
            }
        }
    };
}

interface! {
    required {
        Py_GetVersion: unsafe extern "C" fn() -> *const c_char,
        Py_IncRef: unsafe extern "C" fn(Object),
        Py_DecRef: unsafe extern "C" fn(Object),
        Py_GetRecursionLimit: unsafe extern "C" fn() -> c_int,
        Py_SetRecursionLimit: unsafe extern "C" fn(c_int),
        PyDict_GetItem: unsafe extern "C" fn(Object, Object) -> Object,
        PyErr_Clear: unsafe extern "C" fn(),
        PyErr_SetString: unsafe extern "C" fn(Object, *const c_char),
        PyEval_GetFrame: unsafe extern "C" fn() -> Object,
        PyEval_SetProfile: unsafe extern "C" fn(Option<TraceFunction>, Object),
        PyExc_RuntimeError: *const Object,
        PyFunction_GetCode: unsafe extern "C" fn(Object) -> Object,
        PyFunction_Type: Object,
        PyLong_AsLong: unsafe extern "C" fn(Object) -> c_long,
        PyLong_FromLong: unsafe extern "C" fn(c_long) -> Object,
        PyMethod_Function: unsafe extern "C" fn(Object) -> Object,
        PyMethod_Type: Object,
        PyModule_Create2: unsafe extern "C" fn(*mut c_void, c_int) -> Object,
        PyObject_CallFunctionObjArgs: unsafe extern "C" fn(Object, ...) -> Object,
        PyObject_GetAttrString: unsafe extern "C" fn(Object, *const c_char) -> Object,
        PySys_GetObject: unsafe extern "C" fn(*const c_char) -> Object,
        PyThreadState_Get: unsafe extern "C" fn() -> *mut c_void,
        PyTuple_GetItem: unsafe extern "C" fn(Object, isize) -> Object,
        PyType_GetFlags: unsafe extern "C" fn(Object) -> c_ulong,
        PyUnicode_AsUTF8AndSize: unsafe extern "C" fn(Object, *mut isize) -> *const u8,
        PyWeakref_NewRef: unsafe extern "C" fn(Object, Object) -> Object,
        PyWeakref_GetObject: unsafe extern "C" fn(Object) -> Object,
        _Py_NoneStruct: Object,
    }
    optional {
        PyFrame_GetBack: unsafe extern "C" fn(Object) -> Object,
        PyFrame_GetCode: unsafe extern "C" fn(Object) -> Object,
    }
}

fn symbol(name: &str) -> Option<Object> {
    // SAFETY: the macro ends every name with a zero byte; a null handle searches the whole process.
    let found = unsafe { system::dlsym(null_mut(), name.as_ptr().cast()) };
    (!found.is_null()).then_some(found)
}

struct Loaded(UnsafeCell<MaybeUninit<Interface>>);

// SAFETY: written once, by `load`, before the module's functions exist; only read afterwards.
unsafe impl Sync for Loaded {}

static INTERFACE: Loaded = Loaded(UnsafeCell::new(MaybeUninit::uninit()));

/// Looks everything up; false if this interpreter is not supported.
pub fn load() -> bool {
    let Some(interface) = Interface::load() else {
        return false;
    };
    // SAFETY: nobody reads yet.
    unsafe { (*INTERFACE.0.get()).write(interface) };
    true
}

/// The interface; `load` has succeeded before any other function of this module is called.
#[inline(always)]
pub fn api() -> &'static Interface {
    // SAFETY: see above: the module cannot be imported otherwise.
    unsafe { (*INTERFACE.0.get()).assume_init_ref() }
}

/// The minor version of the running Python 3.
pub fn minor_version() -> u32 {
    // SAFETY: a static C string that begins with `3.`.
    let version = unsafe { CStr::from_ptr((api().Py_GetVersion)()) }.to_bytes();
    let digits = version
        .iter()
        .skip(2)
        .take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| 10 * number + u32::from(digit - b'0'))
}

/// An owned reference.
pub struct Owned(Object);

impl Owned {
    /// Takes over a new reference; None (and no exception) if it is null.
    ///
    /// # Safety
    /// `object` is null, or a reference that nobody else gives back.
    pub unsafe fn new(object: Object) -> Option<Self> {
        if object.is_null() {
            // SAFETY: a call into the interface, under the global lock.
            unsafe { (api().PyErr_Clear)() };
            return None;
        }
        Some(Self(object))
    }

    pub fn get(&self) -> Object {
        self.0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the reference is owned.
        unsafe { (api().Py_DecRef)(self.0) }
    }
}

/// A new reference to `None`, for returning.
#[inline(always)]
pub fn none() -> Object {
    new_reference(api()._Py_NoneStruct)
}

#[inline(always)]
pub fn new_reference(object: Object) -> Object {
    // SAFETY: callers pass live objects.
    unsafe { (api().Py_IncRef)(object) };
    object
}

/// The type of an object.
///
/// # Safety
/// `object` is alive.
#[inline(always)]
pub unsafe fn type_of(object: Object) -> Object {
    // SAFETY: every object begins with its reference count and its type.
    unsafe { *object.byte_add(TYPE_OFFSET).cast::<Object>() }
}

/// Whether an object whose type is `kind` is a class.
///
/// # Safety
/// `kind` is a type that is alive.
pub unsafe fn is_metaclass(kind: Object) -> bool {
    // SAFETY: the caller's promise.
    unsafe { (api().PyType_GetFlags)(kind) & TYPE_SUBCLASS != 0 }
}

/// An attribute; None if there is none.
pub fn attribute(object: Object, name: &CStr) -> Option<Owned> {
    // SAFETY: `object` is alive, the result is a new reference.
    unsafe { Owned::new((api().PyObject_GetAttrString)(object, name.as_ptr())) }
}

/// An integer attribute, cut to 32 bits; 0 if there is none.
pub fn number(object: Object, name: &CStr) -> u32 {
    // SAFETY: `value` is alive; an error leaves an exception, which is cleared.
    attribute(object, name).map_or(0, |value| unsafe {
        let number = (api().PyLong_AsLong)(value.get());
        if number == -1 {
            (api().PyErr_Clear)();
        }
        number as u32
    })
}

/// The UTF-8 form of a string, cached in the string; None for other objects and lone surrogates.
///
/// # Safety
/// The result is used only while `string` is alive.
pub unsafe fn text<'a>(string: Object) -> Option<&'a [u8]> {
    let mut length = 0;
    // SAFETY: `string` is alive; CPython keeps the buffer as long as the string.
    unsafe {
        let bytes = (api().PyUnicode_AsUTF8AndSize)(string, &mut length);
        if bytes.is_null() {
            (api().PyErr_Clear)();
            return None;
        }
        Some(core::slice::from_raw_parts(bytes, length as usize))
    }
}

/// Calls one of the tracer's Python helpers; None if it fails or returns `None`.
///
/// The traced program may be at its recursion limit, and before Python 3.10 a second overflow is
/// fatal: the helper gets some room of its own.
pub fn call(function: Object, argument: Object) -> Option<Owned> {
    let end: Object = null_mut();
    // SAFETY: all objects are alive, the argument list ends with a null pointer.
    let result = unsafe {
        let limit = (api().Py_GetRecursionLimit)();
        (api().Py_SetRecursionLimit)(limit + HEADROOM);
        let result = (api().PyObject_CallFunctionObjArgs)(function, argument, end);
        (api().Py_SetRecursionLimit)(limit);
        Owned::new(result)
    };
    result.filter(|value| value.get() != api()._Py_NoneStruct)
}
