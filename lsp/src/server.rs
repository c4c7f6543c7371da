//! The server: one loop that takes every message in turn and alone writes; requests are answered by
//! other threads from snapshots.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analyzer::Canceller;
use crossbeam_channel::{Receiver, Sender, after, never, select, unbounded};
use gen_lsp_types::{InitializeParams, PublishDiagnosticsParams, Uri};
use harness::words::count;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError,
};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::active::ActiveFeature;
use crate::capabilities::{Client, capabilities};
use crate::contained::{Caught, contained};
use crate::curator::{Answer, Curator, Question};
use crate::folder::{Files, Folder};
use crate::handlers::{self, diagnostics};
use crate::jobs::{self, Jobs, Launch};
use crate::notifications;
use crate::pool::Pool;
use crate::progress;
use crate::settings::Settings;
use crate::uri;
use crate::world::World;

/// The client went away without asking for the end.
#[derive(Debug, thiserror::Error)]
#[error("the client went away without a shutdown")]
pub struct Abandoned;

/// How often a request is tried again on a newer state before the client is told to ask again.
const MOST_TRIES: u32 = 3;
/// How long nothing must have changed before diagnostics are told and the graph is made.
const PAUSE: Duration = Duration::from_millis(150);
/// How often it is looked whether a new run was recorded.
const TRACE_TICK: Duration = Duration::from_secs(2);

/// What other threads tell the loop.
pub enum Task {
    /// A request has an answer.
    Done(RequestId, Result<Value, ResponseError>),
    /// A request must be tried again: the files changed meanwhile.
    Retry(RequestId),
    /// Files of a folder were read, which the token shows.
    Read(PathBuf, Files, Option<Value>),
    /// Everything that was read is known as a whole.
    Indexed(Vec<Indexing>),
    /// A folder's curator answers.
    Curated(PathBuf, Answer),
    /// A message for the client.
    Tell(Message),
    /// What there is to say about a file.
    Diagnosed(PublishDiagnosticsParams),
    /// A warning for the person.
    Warn(String),
    /// A long work has come to its end.
    JobEnded(RequestId, Result<Value, ResponseError>),
}

/// A folder whose files were read: the token of its progress, if that is shown, and how many they are.
#[derive(Clone, PartialEq)]
pub struct Indexing {
    token: Option<Value>,
    files: usize,
}

struct Pending {
    request: Request,
    tries: u32,
    cancellers: Vec<Canceller>,
}

pub(crate) struct Server {
    connection: Connection,
    pub client: Client,
    pub folders: Vec<Folder>,
    pub settings: Settings,
    pub curators: FxHashMap<PathBuf, Curator>,
    /// The folder, as the client writes it, whose feature is to be the active one.
    pub home: Option<PathBuf>,
    pub pool: Pool,
    pub tasks: (Sender<Task>, Receiver<Task>),
    pending: FxHashMap<RequestId, Pending>,
    pub jobs: Jobs,
    /// Requests that wait for a curator, by ticket.
    waiting: FxHashMap<u64, RequestId>,
    /// Numbers of our own requests, tickets and tokens.
    pub next: i32,
    is_shut_down: bool,
    /// Files whose diagnostics may have changed, and since when.
    changed: Option<Instant>,
    /// What was last seen of recorded runs, to notice new ones.
    recorded: Option<Vec<Option<std::time::SystemTime>>>,
    /// What was read and is not yet known as a whole.
    indexing: Vec<Indexing>,
    /// The URIs of files that something was said about which still counts.
    diagnosed: BTreeSet<String>,
}

/// Serves a client until it ends the session.
///
/// # Errors
/// The client goes away without asking for the end.
pub fn serve(connection: Connection, launch: Launch) -> Result<(), Abandoned> {
    let (id, params) = begun(&connection).ok_or(Abandoned)?;
    let client = Client::new(&params);
    let info = json!({"name": "lacuna", "version": env!("CARGO_PKG_VERSION")});
    let offered = json!({"capabilities": capabilities(&client), "serverInfo": info});
    // Not all clients say that they are ready before they ask; nothing here waits for it.
    let _ = connection.sender.send(Response::new_ok(id, offered).into());
    let mut server = Server::new(connection, client, launch);
    if let Some(options) = &params.initialization_options {
        server.configure(Settings::read(options));
    }
    server.start(&params);
    server.run()
}

/// Waits for the start of a session: what else is asked is refused, what else is told is passed over.
fn begun(connection: &Connection) -> Option<(RequestId, InitializeParams)> {
    for message in &connection.receiver {
        let (id, code, reason) = match message {
            Message::Request(it) if it.method == "initialize" => {
                match serde_json::from_value(it.params) {
                    Ok(params) => return Some((it.id, params)),
                    Err(error) => (it.id, ErrorCode::InvalidParams, error.to_string()),
                }
            }
            Message::Request(it) => {
                let reason = "the session has not begun".to_owned();
                (it.id, ErrorCode::ServerNotInitialized, reason)
            }
            Message::Notification(told) if told.method == "exit" => return None,
            Message::Notification(_) | Message::Response(_) => continue,
        };
        let refused = Response::new_err(id, code as i32, reason);
        let _ = connection.sender.send(refused.into());
    }
    None
}

impl Server {
    fn new(connection: Connection, client: Client, launch: Launch) -> Self {
        Self {
            connection,
            client,
            folders: Vec::new(),
            settings: Settings::default(),
            curators: FxHashMap::default(),
            home: None,
            pool: Pool::new(),
            tasks: unbounded(),
            pending: FxHashMap::default(),
            jobs: Jobs::new(launch),
            waiting: FxHashMap::default(),
            next: 0,
            is_shut_down: false,
            changed: None,
            recorded: None,
            indexing: Vec::new(),
            diagnosed: BTreeSet::new(),
        }
    }

    fn start(&mut self, params: &InitializeParams) {
        for root in self.client.roots(params) {
            self.add_folder(root);
        }
        if self.client.watches_files {
            self.ask("client/registerCapability", notifications::watchers());
        }
        self.look_for_runs();
    }

    /// Takes in what the client sets; what makes no sense is told and left out.
    pub fn configure(&mut self, (settings, problems): (Settings, Vec<String>)) {
        for problem in problems {
            self.warn(&problem);
        }
        self.settings = settings.clone();
        self.ask_curators(|| Question::Configure(settings.clone()));
    }

    /// Asks every curator.
    pub fn ask_curators(&self, question: impl Fn() -> Question) {
        self.curators
            .values()
            .for_each(|curator| curator.ask(question()));
    }

    /// Notes that answers about files may have changed.
    pub fn note_change(&mut self) {
        self.changed = Some(Instant::now());
    }

    fn run(&mut self) -> Result<(), Abandoned> {
        loop {
            let pause = match self.changed {
                Some(since) => after(PAUSE.saturating_sub(since.elapsed())),
                None => never(),
            };
            let messages = self.connection.receiver.clone();
            let tasks = self.tasks.1.clone();
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => self.on_request(request),
                    Ok(Message::Notification(told)) if told.method == "exit" => {
                        return match self.is_shut_down {
                            true => Ok(()),
                            false => Err(Abandoned),
                        };
                    }
                    Ok(Message::Notification(told)) => self.on_notification(told),
                    Ok(Message::Response(_)) => {}
                    Err(_) => return match self.is_shut_down {
                        true => Ok(()),
                        false => Err(Abandoned),
                    },
                },
                recv(tasks) -> task => if let Ok(task) = task {
                    self.on_task(task);
                },
                recv(pause) -> _ => self.on_pause(),
                default(TRACE_TICK) => self.look_for_runs(),
            }
        }
    }

    fn on_request(&mut self, request: Request) {
        let refuse = |code: ErrorCode, message: &str| {
            Response::new_err(request.id.clone(), code as i32, message.to_owned())
        };
        if self.is_shut_down {
            let refused = refuse(ErrorCode::InvalidRequest, "the server is shutting down");
            return self.send(refused.into());
        }
        if self.pending.contains_key(&request.id) || self.jobs.has(&request.id) {
            let refused = refuse(
                ErrorCode::InvalidRequest,
                "a request with this id is in flight",
            );
            return self.send(refused.into());
        }
        match request.method.as_str() {
            "initialize" => {
                let refused = refuse(ErrorCode::InvalidRequest, "the session has already begun");
                self.send(refused.into());
            }
            "shutdown" => {
                self.is_shut_down = true;
                self.jobs.end_all();
                self.send(Response::new_ok(request.id, Value::Null).into());
            }
            "workspace/executeCommand" => self.execute(request),
            "codeLens/resolve" => self.resolve_lens(request),
            _ => self.answer(request, 0),
        }
    }

    /// Answers a request from a snapshot, in another thread.
    pub fn answer(&mut self, request: Request, tries: u32) {
        let world = self.world();
        let folders = world.folders.iter();
        let cancellers = folders.map(|folder| folder.analysis.canceller()).collect();
        self.pending.insert(
            request.id.clone(),
            Pending {
                request: request.clone(),
                tries,
                cancellers,
            },
        );
        let tasks = self.tasks.0.clone();
        self.pool.run(move || {
            let Request { id, method, params } = request;
            let result = contained(move || handlers::answer(&world, &method, params));
            let task = match result {
                Caught::Answer(result) => Task::Done(id, result),
                Caught::Outdated => Task::Retry(id),
                Caught::Fault(error) => Task::Done(id, Err(error)),
            };
            let _ = tasks.send(task);
        });
    }

    fn world(&self) -> World {
        let folders = self.folders.iter();
        let encoding = self.client.encoding;
        World {
            folders: folders.map(|folder| folder.snapshot(encoding)).collect(),
            edits: self.client.edits,
        }
    }

    fn on_notification(&mut self, told: Notification) {
        match told.method.as_str() {
            "$/cancelRequest" => self.cancel(&told.params),
            "window/workDoneProgress/cancel" => self.jobs.end(&told.params["token"]),
            _ => notifications::take(self, told),
        }
    }

    /// Answers a request at once that the client no longer waits for; what still comes is dropped.
    fn cancel(&mut self, params: &Value) {
        let Ok(id) = serde_json::from_value::<RequestId>(params["id"].clone()) else {
            return;
        };
        if self.jobs.end_of(&id) {
            return;
        }
        let Some(pending) = self.pending.remove(&id) else {
            return;
        };
        pending.cancellers.iter().for_each(Canceller::cancel);
        let code = ErrorCode::RequestCanceled as i32;
        self.send(Response::new_err(id, code, "cancelled".to_owned()).into());
    }

    fn on_task(&mut self, task: Task) {
        match task {
            Task::Done(id, result) => self.finish(id, result),
            Task::Retry(id) => self.retry(id),
            Task::Read(written, files, token) => {
                let read = files.len();
                self.indexing.push(Indexing { token, files: read });
                let mut folders = self.folders.iter_mut();
                if let Some(folder) = folders.find(|folder| folder.written == written) {
                    folder.read(files);
                }
                self.note_change();
            }
            Task::Indexed(indexed) => {
                let is_over = |it: &mut Indexing| indexed.contains(it);
                let over: Vec<Indexing> = self.indexing.extract_if(.., is_over).collect();
                if !over.is_empty() {
                    self.folders.iter_mut().for_each(Folder::trim);
                }
                for Indexing { token, files } in over {
                    let end = token.map(|it| progress::end(&it, &count(files, "file")));
                    end.into_iter().for_each(|end| self.send(end));
                }
            }
            Task::Curated(written, answer) => self.on_curated(&written, answer),
            Task::Tell(message) => self.send(message),
            Task::Warn(message) => self.warn(&message),
            // The file may have been closed meanwhile.
            Task::Diagnosed(params) => {
                if self.open_uris().any(|uri| uri == params.uri) {
                    self.publish(&params);
                }
            }
            Task::JobEnded(id, result) => {
                if let Some(token) = self.jobs.ended(&id) {
                    self.send(progress::end(&token, &jobs::outcome(&result)));
                }
                self.respond(id, result);
                self.look_for_runs();
            }
        }
    }

    fn finish(&mut self, id: RequestId, result: Result<Value, ResponseError>) {
        if self.pending.remove(&id).is_some() {
            self.respond(id, result);
        }
    }

    fn respond(&self, id: RequestId, result: Result<Value, ResponseError>) {
        self.send(
            Response {
                id,
                response_result: result,
            }
            .into(),
        );
    }

    fn retry(&mut self, id: RequestId) {
        let Some(pending) = self.pending.remove(&id) else {
            return;
        };
        if pending.tries < MOST_TRIES {
            return self.answer(pending.request, pending.tries + 1);
        }
        let code = ErrorCode::ContentModified as i32;
        self.send(Response::new_err(id, code, "the files changed meanwhile".to_owned()).into());
    }

    fn on_curated(&mut self, written: &PathBuf, answer: Answer) {
        let mut folders = self.folders.iter_mut();
        let folder = folders.find(|folder| folder.written == *written);
        match (answer, folder) {
            // Whoever waits is answered, though the folder may be gone.
            (Answer::Weighed { ticket, feature }, _) => return self.weighed(ticket, &feature),
            (_, None) => return,
            (Answer::Known(knowledge), Some(folder)) => folder.known().knowledge = knowledge,
            (Answer::Offers(offers), Some(folder)) => folder.known().offers = offers,
            (Answer::Unclear(reason), Some(_)) => return self.warn(&reason),
            (Answer::Inactive, Some(folder)) => folder.known().active = None,
            // Another folder's was asked for meanwhile.
            (Answer::Active(_), _) if self.home.as_ref() != Some(written) => return,
            (Answer::Active(result), Some(folder)) => {
                let told = match &result {
                    Ok(active) => Ok(active.target.clone()),
                    Err(reason) => Err(reason.clone()),
                };
                folder.known().active = result.ok();
                self.tell_feature(told.as_deref().map_err(String::as_str));
            }
        }
        self.refresh();
        self.note_change();
    }

    /// Tells which feature is active, or why none is.
    pub fn tell_feature(&self, target: Result<&[String], &str>) {
        let reason = target.err();
        let version = handlers::feature::VERSION;
        let target = target.unwrap_or_default();
        self.tell(
            "lacuna/featureChanged",
            json!({"version": version, "target": target, "reason": reason}),
        );
        if let Some(reason) = reason {
            self.warn(reason);
        }
    }

    /// Answers the request that waits for what a target comes to.
    fn weighed(&mut self, ticket: u64, feature: &Result<Arc<ActiveFeature>, String>) {
        let Some(id) = self.waiting.remove(&ticket) else {
            return;
        };
        if let Some(pending) = self.pending.get(&id) {
            let mut whole = pending.request.params.clone();
            let argument = &whole["data"]["argument"];
            whole["command"] = handlers::code_lens::weighed(feature.as_deref().ok(), argument);
            self.finish(id, Ok(whole));
        }
    }

    /// Lets the client ask again for what it shows everywhere.
    fn refresh(&mut self) {
        for method in self.client.refreshes.clone() {
            self.ask(method, Value::Null);
        }
    }

    fn on_pause(&mut self) {
        self.changed = None;
        self.take_back_diagnostics();
        let world = self.world();
        let mut open = Vec::new();
        // A client that asks for diagnostics is told none.
        let is_told = |_: &&Folder| !self.client.pulls_diagnostics;
        for folder in self.folders.iter().filter(is_told) {
            for path in folder.open_paths() {
                let version = folder.document(path).map(|document| document.version);
                open.push((uri::of_path(&folder.written.join(path)), version));
            }
        }
        let tasks = self.tasks.0.clone();
        let indexing = self.indexing.clone();
        self.pool.run(move || {
            let done = tasks.clone();
            let told = contained(move || {
                let told = open
                    .into_iter()
                    .map(|(uri, version)| PublishDiagnosticsParams {
                        diagnostics: diagnostics::of_file(&world, &uri),
                        uri,
                        version,
                    });
                let told: Vec<_> = told.collect();
                // The parts of the graph are made while nobody waits for them.
                for folder in &world.folders {
                    folder.analysis.prime();
                }
                let _ = done.send(Task::Indexed(indexing));
                Ok(serde_json::to_value(told).unwrap_or_default())
            });
            if let Caught::Answer(Ok(told)) = told {
                let told: Vec<PublishDiagnosticsParams> =
                    serde_json::from_value(told).unwrap_or_default();
                for params in told {
                    let _ = tasks.send(Task::Diagnosed(params));
                }
            }
        });
    }

    /// The files that the editor has open.
    fn open_uris(&self) -> impl Iterator<Item = Uri> {
        let of_folder = |folder: &Folder| {
            let open = folder.open_paths();
            let uris = open.map(|path| uri::of_path(&folder.written.join(path)));
            uris.collect::<Vec<Uri>>()
        };
        self.folders.iter().flat_map(of_folder)
    }

    fn publish(&mut self, params: &PublishDiagnosticsParams) {
        match params.diagnostics.is_empty() {
            true => self.diagnosed.remove(&params.uri.0),
            false => self.diagnosed.insert(params.uri.0.clone()),
        };
        let params = serde_json::to_value(params).unwrap_or_default();
        self.tell("textDocument/publishDiagnostics", params);
    }

    /// Takes back what was said of files that are no longer open: nobody would keep it true.
    fn take_back_diagnostics(&mut self) {
        let open: BTreeSet<String> = self.open_uris().map(|uri| uri.0).collect();
        let closed: Vec<String> = self.diagnosed.difference(&open).cloned().collect();
        for uri in closed {
            self.publish(&PublishDiagnosticsParams {
                uri: Uri(uri),
                version: None,
                diagnostics: Vec::new(),
            });
        }
    }

    /// Looks whether the cache has another run than before.
    fn look_for_runs(&mut self) {
        let roots = self.folders.iter().map(|folder| &folder.root);
        let times: Vec<_> = roots
            .flat_map(|root| harness::session::last_changed(root))
            .collect();
        let before = self.recorded.replace(times.clone());
        if before.is_some_and(|before| before != times) {
            self.ask_curators(|| Question::Load);
        }
    }

    fn resolve_lens(&mut self, request: Request) {
        let target = request.params["data"]["target"].as_str().map(str::to_owned);
        let path = request.params["data"]["folder"].as_str().map(PathBuf::from);
        let curator = path.and_then(|path| self.curators.get(&path));
        let (Some(target), Some(curator)) = (target, curator) else {
            return self.send(Response::new_ok(request.id, request.params).into());
        };
        let ticket = u64::try_from(self.next).unwrap_or_default();
        let target = vec![target];
        curator.ask(Question::Weigh { target, ticket });
        self.next += 1;
        self.waiting.insert(ticket, request.id.clone());
        let pending = Pending {
            request: request.clone(),
            tries: 0,
            cancellers: Vec::new(),
        };
        self.pending.insert(request.id, pending);
    }

    /// Begins to show progress, if the client can; gives the token.
    pub fn begin(&mut self, title: &str, can_be_cancelled: bool) -> Option<Value> {
        if !self.client.shows_progress {
            return None;
        }
        self.next += 1;
        let token = json!(format!("lacuna-{}", self.next));
        self.ask("window/workDoneProgress/create", json!({"token": token}));
        self.send(progress::begin(&token, title, can_be_cancelled));
        Some(token)
    }

    /// Shows a message to the person.
    pub fn show(&self, message: &str) {
        self.tell("window/showMessage", json!({"type": 3, "message": message}));
    }

    /// Tells the person that something cannot be done.
    pub fn warn(&self, message: &str) {
        self.tell("window/showMessage", json!({"type": 2, "message": message}));
    }

    fn tell(&self, method: &str, params: Value) {
        let method = method.to_owned();
        self.send(Notification { method, params }.into());
    }

    /// Sends a request of our own; nothing depends on what the client answers.
    pub fn ask(&mut self, method: &str, params: Value) {
        self.next += 1;
        let id = RequestId::from(format!("lacuna-{}", self.next));
        let method = method.to_owned();
        self.send(Request { id, method, params }.into());
    }

    pub fn send(&self, message: Message) {
        // A client that is gone is noticed where its messages are read.
        let _ = self.connection.sender.send(message);
    }
}
