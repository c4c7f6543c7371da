//! Traces: the record of one test run — what each test did, which functions ran and who called them.
//!
//! This is plain data. The harness produces it; the database takes it as an input.

use serde::{Deserialize, Serialize};

use crate::symbol::SymbolId;

/// The version of this record; a stored trace of another version is not read.
pub const TRACE_VERSION: u32 = 3;

/// One traced run of a test suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The code seen at run time, indexed by `Edge::caller` and `Edge::callee`.
    pub codes: Vec<Code>,
    /// Distinct call edges, indexed by `Context::edges`.
    pub edges: Vec<Edge>,
    /// Where edges were seen, indexed by `TestResult::contexts`.
    pub contexts: Vec<Context>,
    /// Every test of the run, in the runner's order.
    pub tests: Vec<TestResult>,
    /// Files that could not be collected, with the error text.
    pub collection_errors: Vec<CollectionError>,
    /// How many processes wrote records.
    pub processes: u32,
    /// What the tracer could not follow, in words for a person.
    pub losses: Vec<String>,
}

/// A piece of the project's code that was executed (or a class that was instantiated).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Code {
    /// Project-relative path with `/`.
    pub path: String,
    /// First line, counted from 1 (the first decorator's); 0 where the run time does not tell (a class).
    pub line: u32,
    /// The run time's qualified name, such as `Box.area` or `f.<locals>.<lambda>`; a bare name before 3.11.
    pub name: String,
    /// What it is.
    pub kind: CodeKind,
}

/// What a piece of executed code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeKind {
    /// A module body.
    Module,
    /// The body of a class statement.
    ClassBody,
    /// A function, method, lambda, comprehension or generator expression.
    Function,
    /// A class that was called (instantiated), seen without any frame of its own.
    Class,
}

/// `caller` ran `callee`; the caller is the nearest frame of the project, `None` if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// Index of the calling code.
    pub caller: Option<u32>,
    /// Index of the code that ran.
    pub callee: u32,
    /// How.
    pub kind: EdgeKind,
}

/// How one piece of code made another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// A call, with nothing between the two.
    Call,
    /// A call that went through foreign code (`sorted(key=f)`, a decorator of a library).
    Through,
    /// The caller created the generator or coroutine that `callee` is.
    Create,
    /// A generator or coroutine of the callee was resumed.
    Resume,
    /// The caller instantiated the class that `callee` is.
    Instantiate,
    /// The callee ran; the record does not tell who made it run, and `caller` is `None`.
    Entered,
}

/// A part of the run with the edges seen in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Which part.
    pub kind: ContextKind,
    /// Indices into `Trace::edges`, ascending, each once.
    pub edges: Vec<u32>,
}

/// Which part of the run a context is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextKind {
    /// Outside everything below: start-up, plugins, hooks, the end of the run.
    Session,
    /// A module body of the project was running: the innermost one on the stack, at any depth below it.
    Import {
        /// The file whose body ran.
        path: String,
    },
    /// The runner collected a file, outside that file's own module body.
    Collect {
        /// The file collected.
        path: String,
    },
    /// A fixture of wider than function scope was set up or torn down.
    Fixture {
        /// A name for a person, such as `tests/conftest.py::client[session]`.
        name: String,
    },
    /// A phase of one test, function-scoped fixtures included.
    Test {
        /// The test id.
        test: String,
        /// The phase.
        phase: Phase,
    },
}

/// The phases of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Fixtures are set up.
    Setup,
    /// The test itself.
    Call,
    /// Fixtures are torn down.
    Teardown,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It passed.
    Passed,
    /// Its call phase failed, or it passed although strictly expected to fail.
    Failed,
    /// Its set-up or tear-down failed, or its process died.
    Error,
    /// It was skipped.
    Skipped,
    /// It failed as expected.
    #[serde(rename = "xfailed")]
    XFailed,
    /// It passed although expected to fail (not strictly).
    #[serde(rename = "xpassed")]
    XPassed,
}

impl Outcome {
    /// Whether a run with this outcome counts as good: passed, or failed as expected.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::XFailed | Self::XPassed)
    }

    /// Whether a run with this outcome counts as bad.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Error)
    }
}

/// One test and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The runner's exact id.
    pub id: String,
    /// Project-relative path of the file that defines it.
    pub path: String,
    /// The test function in that file with the containers that it is collected in
    /// (`TestBox.test_area`), without parameters; empty where it is not a function of that file (a
    /// doctest, a text file).
    pub function: String,
    /// The function's own definition, if its container has it from elsewhere: a test class that
    /// inherits its tests, say.
    pub origin: Option<SymbolId>,
    /// What became of it.
    pub outcome: Outcome,
    /// CPU-independent duration of all phases in seconds, as the runner says.
    pub seconds: f64,
    /// What was seen while it ran: indices into `Trace::contexts`, its own phases and all wider
    /// fixtures it used. Empty in an untraced run.
    pub contexts: Vec<u32>,
    /// Why it failed, was skipped or expected to fail.
    pub detail: Option<FailureDetail>,
}

/// Why a test did not simply pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureDetail {
    /// Type of the exception, such as `AttributeError`; empty if none.
    pub exception: String,
    /// The message, cut at 2,000 characters.
    pub message: String,
    /// The frames of the traceback that lie in the project, outermost first: path, line, function.
    pub frames: Vec<(String, u32, String)>,
}

/// A file that the runner could not collect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionError {
    /// Project-relative path (or what the runner calls the collector, if it is no file).
    pub path: String,
    /// Why.
    pub detail: FailureDetail,
}
