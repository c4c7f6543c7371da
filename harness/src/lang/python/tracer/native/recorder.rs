//! Turns events of the interpreter into records. `_lacuna_pure.py` says what they mean.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::null_mut;

use crate::frame::Frame;
use crate::output::{Output, Tag};
use crate::python::{self, Object, Owned, api};
use crate::table::Table;

const CO_OPTIMIZED: u32 = 0x1;
const CO_GENERATOR_COROUTINE_ASYNC: u32 = 0x20 | 0x80 | 0x200;
/// Marks a context that is the import of the module body with this code number.
const IMPORT: u32 = 1 << 31;
/// No context: an edge that was not seen yet.
const NOWHERE: u32 = u32::MAX;
/// A hit keeps the number of its edge in 24 bits.
const MOST_EDGES: u32 = 1 << 24;

#[derive(Clone, Copy, PartialEq)]
pub enum CodeKind {
    Module = 0,
    ClassBody = 1,
    Function = 2,
    Class = 3,
}

#[derive(Clone, Copy)]
pub enum EdgeKind {
    Call = 0,
    Through = 1,
    Create = 2,
    Resume = 3,
    Instantiate = 4,
}

/// What is known of a code object. Number 0 is foreign.
#[derive(Clone, Copy)]
pub struct Code {
    pub number: u32,
    is_module: bool,
    is_generator: bool,
}

const FOREIGN: Code = Code {
    number: 0,
    is_module: false,
    is_generator: false,
};

#[derive(Clone, Copy)]
struct Edge {
    number: u32,
    /// The last context that it was seen in.
    context: u32,
}

#[derive(Clone, Copy)]
struct Class {
    reference: Object,
    number: u32,
}

/// The state of this process.
pub struct Recorder {
    pub output: Output,
    /// Keyed by the object's address; the objects are kept alive.
    codes: Table<Code>,
    /// Keyed by caller, callee and kind.
    edges: Table<Edge>,
    /// Keyed by the address; the classes are not kept alive, see `class`.
    classes: Table<Class>,
    code_count: Cell<u32>,
    edge_count: Cell<u32>,
    pub context_count: Cell<u32>,
    pub context: Cell<u32>,
    importing: Importing,
    helpers: Cell<Helpers>,
}

// SAFETY: all functions run under the global lock.
unsafe impl Sync for Recorder {}

pub static RECORDER: Recorder = Recorder {
    output: Output::new(),
    codes: Table::new(),
    edges: Table::new(),
    classes: Table::new(),
    code_count: Cell::new(0),
    edge_count: Cell::new(0),
    context_count: Cell::new(0),
    context: Cell::new(0),
    importing: Importing::new(),
    helpers: Cell::new(Helpers {
        paths: null_mut(),
        locate: null_mut(),
        describe_class: null_mut(),
        watch_calls: null_mut(),
    }),
};

/// The Python functions that know the repository; owned references.
#[derive(Clone, Copy)]
pub struct Helpers {
    /// The dictionary that remembers the answers of `locate`.
    pub paths: Object,
    pub locate: Object,
    pub describe_class: Object,
    pub watch_calls: Object,
}

impl Recorder {
    /// Begins to record; false if the trace file's name is too long.
    pub fn start(&self, folder: &[u8], helpers: Helpers) -> bool {
        self.helpers.set(helpers);
        self.output.start(folder)
    }

    /// A frame of repository code `callee` starts or goes on.
    #[inline(always)]
    pub fn entered(&self, callee: Code, frame: &Frame) {
        let (caller, kind) = self.caller(frame);
        if callee.is_module {
            self.importing.begin(thread());
        }
        let kind = if callee.is_generator {
            EdgeKind::Resume
        } else {
            kind
        };
        self.seen(caller, callee.number, kind, frame);
    }

    /// Repository code `caller` calls an object: whether it made a generator or an object of a
    /// repository class, so that the call site is worth watching on.
    #[inline(always)]
    pub fn called(&self, caller: Code, callee: Object) -> bool {
        let (kind, number) = self.created(callee);
        if number == 0 {
            return false;
        }
        self.seen(caller.number, number, kind, &Frame::current());
        true
    }

    /// What is known of a code object.
    #[inline(always)]
    pub fn code(&self, code: Object) -> Code {
        match self.codes.get(code as u64) {
            Some(known) => known,
            None => self.new_code(code),
        }
    }

    /// The nearest repository frame above `frame`; `Through` if it is not directly above.
    #[inline(always)]
    fn caller(&self, frame: &Frame) -> (u32, EdgeKind) {
        let mut kind = EdgeKind::Call;
        let mut above = frame.back();
        while let Some(frame) = above {
            let code = self.code(frame.code());
            if code.number != 0 {
                return (code.number, kind);
            }
            kind = EdgeKind::Through;
            above = frame.back();
        }
        (0, EdgeKind::Through)
    }

    #[inline(always)]
    fn seen(&self, caller: u32, callee: u32, kind: EdgeKind, frame: &Frame) {
        let context = if self.importing.nobody() {
            self.context.get()
        } else {
            self.context_during_import(frame)
        };
        // Code numbers stay far below 2^30: each stands for an object in memory.
        let key = u64::from(caller) << 34 | u64::from(callee) << 3 | kind as u64;
        let edge = match self.edges.get(key) {
            Some(edge) if edge.context == context => return,
            Some(edge) => edge,
            None => self.new_edge(caller, callee, kind),
        };
        if edge.number < MOST_EDGES {
            self.edges.set(key, Edge { context, ..edge });
            self.output.hit(edge.number, context);
        }
    }

    #[cold]
    fn new_edge(&self, caller: u32, callee: u32, kind: EdgeKind) -> Edge {
        let number = next(&self.edge_count);
        if number < MOST_EDGES {
            let numbers = [number, caller, callee, kind as u32];
            self.output.put(Tag::Edge, &numbers, None);
        } else if number == MOST_EDGES {
            let loss: &[u8] = b"more than 16 million call edges: the later ones were dropped";
            self.output.put(Tag::Loss, &[], Some(&[loss]));
        }
        Edge {
            number,
            context: NOWHERE,
        }
    }

    /// The import of the innermost module body on this thread's stack, else the current context.
    #[cold]
    fn context_during_import(&self, frame: &Frame) -> u32 {
        let mut code = self.code(frame.code());
        let mut above = frame.back();
        loop {
            if code.is_module {
                return IMPORT | code.number;
            }
            let Some(frame) = above else { break };
            code = self.code(frame.code());
            above = frame.back();
        }
        self.importing.end(thread());
        self.context.get()
    }

    #[cold]
    fn new_code(&self, code: Object) -> Code {
        let known = match self.locate(code) {
            // Without an answer (an exception, say at a limit) the next event asks again.
            None => return FOREIGN,
            Some(None) => FOREIGN,
            Some(Some(path)) => {
                // SAFETY: `path` lives to the end of this function.
                let path = unsafe { python::text(path.get()) }.unwrap_or_default();
                self.define(code, path)
            }
        };
        // `locate` runs Python code: another thread may have been here in the meantime.
        if let Some(known) = self.codes.get(code as u64) {
            return known;
        }
        self.codes.set(python::new_reference(code) as u64, known);
        if known.number != 0 {
            python::call(self.helpers.get().watch_calls, code);
        }
        known
    }

    /// The path of a code object: `Some(None)` if it is foreign, `None` if there is no answer.
    fn locate(&self, code: Object) -> Option<Option<Owned>> {
        let helpers = self.helpers.get();
        let filename = python::attribute(code, c"co_filename")?;
        let known = || {
            // SAFETY: both objects are alive; the result is borrowed from the dictionary.
            let path = unsafe { (api().PyDict_GetItem)(helpers.paths, filename.get()) };
            (!path.is_null()).then_some(path)
        };
        if known().is_none() {
            python::call(helpers.locate, filename.get());
        }
        let path = known()?;
        if path == api()._Py_NoneStruct {
            return Some(None);
        }
        // SAFETY: the new reference is ours.
        Some(unsafe { Owned::new(python::new_reference(path)) })
    }

    fn define(&self, code: Object, path: &[u8]) -> Code {
        let flags = python::number(code, c"co_flags");
        let name =
            python::attribute(code, c"co_qualname").or_else(|| python::attribute(code, c"co_name"));
        // SAFETY: `name` lives to the end of this function.
        let name = name
            .as_ref()
            .and_then(|name| unsafe { python::text(name.get()) });
        let name = name.unwrap_or_default();
        let kind = match (flags & CO_OPTIMIZED != 0, name) {
            (true, _) => CodeKind::Function,
            (false, b"<module>") => CodeKind::Module,
            (false, _) => CodeKind::ClassBody,
        };
        let number = next(&self.code_count);
        let line = python::number(code, c"co_firstlineno");
        let numbers = [number, line, kind as u32];
        self.output
            .put(Tag::Code, &numbers, Some(&[path, b"\0", name]));
        Code {
            number,
            is_module: kind == CodeKind::Module,
            is_generator: flags & CO_GENERATOR_COROUTINE_ASYNC != 0,
        }
    }

    /// What a call of `callee` creates; number 0 for nothing of interest.
    #[inline(always)]
    fn created(&self, mut callee: Object) -> (EdgeKind, u32) {
        // SAFETY: the interpreter is about to call `callee`, which keeps it and its parts alive.
        unsafe {
            let mut kind = python::type_of(callee);
            if kind == api().PyMethod_Type {
                callee = (api().PyMethod_Function)(callee);
                kind = python::type_of(callee);
            }
            if kind == api().PyFunction_Type {
                let code = self.code((api().PyFunction_GetCode)(callee));
                return (
                    EdgeKind::Create,
                    if code.is_generator { code.number } else { 0 },
                );
            }
            if python::is_metaclass(kind) {
                return (EdgeKind::Instantiate, self.class(callee));
            }
        }
        (EdgeKind::Create, 0)
    }

    /// The number of a class. Classes are not kept alive, because a test may wait for one to go; a weak
    /// reference tells whether the object at this address is still the same.
    fn class(&self, class: Object) -> u32 {
        if let Some(known) = self.classes.get(class as u64) {
            // SAFETY: the weak reference is owned by the table.
            if unsafe { (api().PyWeakref_GetObject)(known.reference) } == class {
                return known.number;
            }
            // SAFETY: the entry is replaced below.
            unsafe { (api().Py_DecRef)(known.reference) };
        }
        let number = self.describe_class(class);
        // SAFETY: `class` is alive; the new reference goes into the table.
        let reference = unsafe { (api().PyWeakref_NewRef)(class, null_mut()) };
        if reference.is_null() {
            // SAFETY: a call into the interface.
            unsafe { (api().PyErr_Clear)() };
            return 0;
        }
        self.classes.set(class as u64, Class { reference, number });
        number
    }

    #[cold]
    fn describe_class(&self, class: Object) -> u32 {
        let Some(place) = python::call(self.helpers.get().describe_class, class) else {
            return 0;
        };
        // SAFETY: the helper returns a pair of strings, which lives to the end of this function.
        let (path, name) = unsafe {
            let part = |index| python::text((api().PyTuple_GetItem)(place.get(), index));
            (part(0).unwrap_or_default(), part(1).unwrap_or_default())
        };
        let number = next(&self.code_count);
        let numbers = [number, 0, CodeKind::Class as u32];
        self.output
            .put(Tag::Code, &numbers, Some(&[path, b"\0", name]));
        number
    }
}

/// Adds one and gives the result.
pub fn next(counter: &Cell<u32>) -> u32 {
    counter.set(counter.get() + 1);
    counter.get()
}

fn thread() -> *mut c_void {
    // SAFETY: the caller holds the global lock, so this thread has a state.
    unsafe { (api().PyThreadState_Get)() }
}

/// Threads that may have a module body on their stack. More than there is room for means "any".
struct Importing {
    threads: [Cell<*mut c_void>; 8],
    count: Cell<usize>,
}

impl Importing {
    const fn new() -> Self {
        Self {
            threads: [const { Cell::new(null_mut()) }; 8],
            count: Cell::new(0),
        }
    }

    #[inline(always)]
    fn nobody(&self) -> bool {
        self.count.get() == 0
    }

    fn begin(&self, thread: *mut c_void) {
        let count = self.count.get();
        if self.position(thread).is_none() && count <= self.threads.len() {
            if let Some(free) = self.threads.get(count) {
                free.set(thread);
            }
            self.count.set(count + 1);
        }
    }

    /// Past overflow nothing is ever removed: looking at every stack is slower, but right.
    fn end(&self, thread: *mut c_void) {
        if self.count.get() > self.threads.len() {
            return;
        }
        if let Some(position) = self.position(thread) {
            let last = self.count.get() - 1;
            self.threads[position].set(self.threads[last].get());
            self.count.set(last);
        }
    }

    fn position(&self, thread: *mut c_void) -> Option<usize> {
        let known = self.count.get().min(self.threads.len());
        self.threads[..known]
            .iter()
            .position(|cell| cell.get() == thread)
    }
}
