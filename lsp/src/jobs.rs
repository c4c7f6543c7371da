//! Jobs: long work that runs tests, each in a thread of its own, with progress and an end at any time.

use std::path::{Path, PathBuf};
use std::thread;

use crossbeam_channel::Sender;
use harness::carve::evidence::Evidence;
use harness::carve::{self, CarveRequest, Event};
use harness::lang::{self, Language};
use harness::process::{Interrupt, Launcher};
use harness::session::{self, Session};
use harness::study;
use harness::words::count;
use harness::{check, task_dir};
use lsp_server::{ErrorCode, RequestId, ResponseError};
use serde_json::{Value, json};

use crate::contained::{Caught, contained};
use crate::curator::STACK;
use crate::progress;
use crate::server::Task;
use crate::settings::Settings;

/// Makes what starts foreign programs and watches an interruption.
pub type Launch = Box<dyn Fn(Interrupt) -> Launcher + Send>;

/// Where tasks are written, in the project's folder, unless a person says otherwise.
const OUT: &str = "lacuna.out";

/// A long work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Run the tests once and record what each executes: the whole suite, or a part of it.
    Trace(Option<String>),
    /// Carve the feature of a target and write a task directory.
    Extract(Vec<String>),
    /// Validate a task directory again.
    Check(PathBuf),
}

impl Job {
    /// What it is called while it runs.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Trace(_) => "Lacuna: trace",
            Self::Extract(_) => "Lacuna: extract",
            Self::Check(_) => "Lacuna: check",
        }
    }
}

/// A job with what it needs.
pub struct Order {
    /// What to do.
    pub job: Job,
    /// In which folder.
    pub root: PathBuf,
    /// What the client sets.
    pub settings: Settings,
    /// Of the progress, if the client shows it.
    pub token: Option<Value>,
    /// The request that is answered at the end.
    pub request: RequestId,
}

struct Running {
    token: Option<Value>,
    request: RequestId,
    interrupt: Interrupt,
}

/// The work that runs now.
pub struct Jobs {
    launch: Launch,
    running: Vec<Running>,
}

impl Jobs {
    /// None yet.
    pub fn new(launch: Launch) -> Self {
        Self {
            launch,
            running: Vec::new(),
        }
    }

    /// Starts a job, whose request is answered when it ends.
    pub fn start(&mut self, order: Order, tasks: Sender<Task>) {
        let Order {
            job,
            root,
            settings,
            token,
            request,
        } = order;
        let interrupt = Interrupt::default();
        self.running.push(Running {
            token: token.clone(),
            request: request.clone(),
            interrupt: interrupt.clone(),
        });
        let bench = Bench {
            root,
            settings,
            launcher: (self.launch)(interrupt),
            token,
            tasks: tasks.clone(),
        };
        let ended = tasks.clone();
        let id = request.clone();
        let work = move || {
            let result = match contained(|| bench.work(&job)) {
                Caught::Answer(result) => result,
                Caught::Fault(error) => Err(error),
                Caught::Outdated => Err(failed("the files changed meanwhile")),
            };
            let _ = tasks.send(Task::JobEnded(id, result));
        };
        let named = thread::Builder::new().name("job".to_owned());
        if let Err(error) = named.stack_size(STACK).spawn(work) {
            let refused = failed(&format!("no thread can be started: {error}"));
            let _ = ended.send(Task::JobEnded(request, Err(refused)));
        }
    }

    /// Whether a request waits for a job.
    pub fn has(&self, request: &RequestId) -> bool {
        self.running.iter().any(|job| job.request == *request)
    }

    /// Ends the job of a progress.
    pub fn end(&self, token: &Value) {
        let of_token = self
            .running
            .iter()
            .filter(|job| job.token.as_ref() == Some(token));
        of_token.for_each(|job| job.interrupt.set());
    }

    /// Ends the job of a request; tells whether there is one.
    pub fn end_of(&self, request: &RequestId) -> bool {
        let mut of_request = self.running.iter().filter(|job| job.request == *request);
        let found = of_request.next();
        found.inspect(|job| job.interrupt.set()).is_some()
    }

    /// Ends all of them.
    pub fn end_all(&self) {
        self.running.iter().for_each(|job| job.interrupt.set());
    }

    /// The job of a request is over; gives the token of its progress.
    pub fn ended(&mut self, request: &RequestId) -> Option<Value> {
        let at = self.running.iter().position(|job| job.request == *request);
        self.running.remove(at?).token
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// What a job works with.
struct Bench {
    root: PathBuf,
    settings: Settings,
    launcher: Launcher,
    /// The token of the progress, if anybody wants to know.
    token: Option<Value>,
    tasks: Sender<Task>,
}

type Outcome = Result<Value, ResponseError>;

impl Bench {
    fn work(&self, job: &Job) -> Outcome {
        let result = match job {
            Job::Trace(part) => self.trace(part.as_deref()),
            Job::Extract(target) => self.extract(target),
            Job::Check(task) => self.check(task),
        };
        match self.launcher.interrupt().is_set() {
            true => Err(ResponseError {
                code: ErrorCode::RequestCanceled as i32,
                message: "stopped; what was finished before is kept".to_owned(),
                data: None,
            }),
            false => result,
        }
    }

    fn report(&self, event: &Event<'_>) {
        if let (Some(token), Some(message)) = (&self.token, words(event)) {
            let _ = self
                .tasks
                .send(Task::Tell(progress::report(token, &message)));
        }
    }

    fn session(&self, language: &'static Language) -> Result<Session, ResponseError> {
        let report = |event: Event<'_>| self.report(&event);
        let launcher = self.launcher.clone();
        Session::open(&self.root, language, launcher, &report).map_err(|error| failed(&error))
    }

    fn trace(&self, part: Option<&str>) -> Outcome {
        let parts: Vec<String> = part.into_iter().map(str::to_owned).collect();
        let languages = session::languages(&self.root, &parts).map_err(|error| failed(&error))?;
        let (mut tests, mut good) = (0, 0);
        let mut reasons = Vec::new();
        for language in languages {
            let traced = self.session(language).and_then(|mut session| {
                let report = |event: Event<'_>| self.report(&event);
                let baseline = study::baseline(&mut session, &parts, part.is_some(), &report);
                baseline.map_err(|error| failed(&error))
            });
            match traced {
                Ok(baseline) => {
                    let ran = &baseline.trace.tests;
                    tests += ran.len();
                    good += ran.iter().filter(|it| it.outcome.is_good()).count();
                }
                Err(error) => reasons.push((language, error)),
            }
        }
        if tests == 0
            && let Some((_, error)) = reasons.pop()
        {
            return Err(error);
        }
        for (language, error) in reasons {
            self.warn(format!("{} is left out: {}", language.name, error.message));
        }
        Ok(json!({"version": 1, "tests": tests, "good": good}))
    }

    /// Tells the person what is wrong, though the work goes on; whoever ended it knows.
    fn warn(&self, message: String) {
        if !self.launcher.interrupt().is_set() {
            let _ = self.tasks.send(Task::Warn(message));
        }
    }

    fn extract(&self, target: &[String]) -> Outcome {
        if target.is_empty() {
            return Err(failed("there is no target; set one first"));
        }
        let out = self.root.join(OUT);
        task_dir::make_ready(&out).map_err(|error| failed(&error))?;
        let languages = session::languages(&self.root, target).map_err(|error| failed(&error))?;
        let language = languages
            .first()
            .copied()
            .ok_or_else(|| failed("the project has no tests in any language"))?;
        let mut session = self.session(language)?;
        let config = self.settings.over(session.config().feature.clone());
        let report = |event: Event<'_>| self.report(&event);
        let request = CarveRequest {
            target: target.to_vec(),
            suite: Vec::new(),
            options: config.options(),
            removal: config.removal,
            min_lines: config.min_lines.unwrap_or(carve::MIN_LINES),
            repeat: 1,
            max_attempts: carve::MAX_ATTEMPTS,
            fresh: false,
        };
        let mut evidence = Evidence::default();
        let carved = carve::carve(&mut session, &request, &mut evidence, &report);
        let carved = carved.map_err(|error| failed(&error))?;
        let written = task_dir::write(&session, &request, &carved, &out);
        let written = written.map_err(|error| failed(&error))?;
        Ok(json!({
            "version": 1,
            "directory": written.directory,
            "task": written.task,
        }))
    }

    fn check(&self, task: &Path) -> Outcome {
        let task = task_dir::read(&self.root.join(task)).map_err(|error| failed(&error))?;
        let name = &task.task.language;
        let language = lang::named(name).ok_or_else(|| {
            failed(&format!(
                "the task is in {name:?}, which cannot be run here"
            ))
        })?;
        let mut session = self.session(language)?;
        let claims = check::check(&mut session, &task, 1, &|event| self.report(&event));
        let claims = claims.map_err(|error| failed(&error))?;
        Ok(json!({
            "version": 1,
            "holds": claims.iter().all(check::Claim::holds),
            "claims": claims,
        }))
    }
}

fn failed(reason: &(impl ToString + ?Sized)) -> ResponseError {
    ResponseError {
        code: ErrorCode::RequestFailed as i32,
        message: reason.to_string(),
        data: None,
    }
}

/// What came of a job, in words.
pub fn outcome(result: &Result<Value, ResponseError>) -> String {
    let result = match result {
        Ok(result) => result,
        Err(error) => return error.message.clone(),
    };
    if let Some(directory) = result["directory"].as_str() {
        return format!("wrote {directory}");
    }
    match (result["tests"].as_u64(), result["holds"].as_bool()) {
        (Some(tests), _) => {
            let tests = usize::try_from(tests).unwrap_or_default();
            format!(
                "{} recorded ({} good)",
                count(tests, "test"),
                result["good"]
            )
        }
        (None, Some(true)) => "the task holds".to_owned(),
        (None, _) => "the task does not hold".to_owned(),
    }
}

/// An event in words; `None` for one that nobody waits on.
fn words(event: &Event<'_>) -> Option<String> {
    Some(match event {
        Event::Waiting { holder } => {
            let holder = holder.map_or_else(String::new, |pid| format!(" (process {pid})"));
            format!("waiting for another lacuna{holder}")
        }
        Event::Preparing { step } => (*step).to_owned(),
        Event::Tracing => "running the suite with the tracer".to_owned(),
        Event::CutShort { ended, .. } => format!("the tests did not come to their end: {ended}"),
        Event::Analysing => "analysing the files".to_owned(),
        Event::Planned { removed, .. } => format!("{} to remove", count(*removed, "symbol")),
        Event::Running { state, tests } => {
            format!("{} ({})", state.claim(), count(*tests, "test"))
        }
        Event::RolledBack { decision } => format!("rolled back: {decision}"),
    })
}
