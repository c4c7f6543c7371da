//! A client in memory: it remembers everything that the server says, in order.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fixtures::Fixture;
use harness::process::Launcher;
use lsp::{Abandoned, serve};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

/// No answer may take longer; only a hang does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with a server of its own and a workspace.
pub struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Result<(), Abandoned>>>,
    /// What came while something else was waited for.
    heard: RefCell<VecDeque<Message>>,
    next: RefCell<i32>,
    folder: Rc<TempDir>,
}

impl Client {
    /// A client of a server that has read a workspace with these files.
    pub fn start(files: &str) -> Self {
        Self::with(files, json!({"general": {"positionEncodings": ["utf-8"]}}))
    }

    /// The same with what the client can do.
    pub fn with(files: &str, capabilities: Value) -> Self {
        let client = Self::silent(files);
        let folders = json!([{"uri": client.uri(""), "name": "workspace"}]);
        let answer = client.ask(
            "initialize",
            json!({"capabilities": capabilities, "workspaceFolders": folders}),
        );
        assert!(answer["capabilities"].is_object(), "{answer}");
        client.tell("initialized", json!({}));
        client.wait_for_files(files);
        client
    }

    /// A client that has not said anything yet.
    pub fn silent(files: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in Fixture::parse(files).files {
            let path = folder.path().join(&file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file.text).unwrap();
        }
        Self::of(Rc::new(folder))
    }

    /// Another client, with a server of its own, whose workspace has these folders of the same project.
    pub fn beside(&self, folders: &[&str]) -> Self {
        let client = Self::of(self.folder.clone());
        client.begin_session(folders);
        client
    }

    /// Starts the session with these folders of the project as the workspace.
    pub fn begin_session(&self, folders: &[&str]) {
        let folder = |path: &&str| json!({"uri": self.uri(path), "name": path});
        let folders: Vec<Value> = folders.iter().map(folder).collect();
        let params = json!({"capabilities": {}, "workspaceFolders": folders});
        self.ask("initialize", params);
        self.tell("initialized", json!({}));
    }

    fn of(folder: Rc<TempDir>) -> Self {
        let (ours, theirs) = Connection::memory();
        let launch = |interrupt| Launcher::new(interrupt);
        let server = std::thread::spawn(move || serve(theirs, Box::new(launch)));
        Self {
            connection: Some(ours),
            server: Some(server),
            heard: RefCell::default(),
            next: RefCell::new(0),
            folder,
        }
    }

    /// Files are read by another thread: until then the workspace is empty.
    fn wait_for_files(&self, files: &str) {
        let Some(first) = Fixture::parse(files).files.into_iter().next() else {
            return;
        };
        let params = json!({"textDocument": {"uri": self.uri(&first.path)}});
        let is_there = || {
            !self
                .ask("textDocument/documentSymbol", params.clone())
                .is_null()
        };
        self.until(is_there);
    }

    /// Waits until something holds.
    pub fn until(&self, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "it never comes about");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// The URI of a file of the workspace.
    pub fn uri(&self, path: &str) -> String {
        let folder = self.folder.path().to_str().unwrap();
        format!("file://{folder}/{path}")
            .trim_end_matches('/')
            .to_owned()
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().unwrap()
    }

    pub fn send(&self, message: Message) {
        self.connection().sender.send(message).unwrap();
    }

    /// Sends a notification.
    pub fn tell(&self, method: &str, params: Value) {
        let method = method.to_owned();
        self.send(Notification { method, params }.into());
    }

    /// Sends a request and does not wait; gives its id.
    pub fn begin(&self, method: &str, params: Value) -> RequestId {
        *self.next.borrow_mut() += 1;
        let id = RequestId::from(*self.next.borrow());
        let method = method.to_owned();
        let request = Request {
            id: id.clone(),
            method,
            params,
        };
        self.send(request.into());
        id
    }

    /// The answer to a request, whenever it comes.
    pub fn answer_to(&self, id: &RequestId) -> Response {
        let is_it = |message: &Message| matches!(message, Message::Response(it) if it.id == *id);
        match self.hear(is_it) {
            Message::Response(response) => response,
            other => panic!("{other:?}"),
        }
    }

    /// The next message of a kind; the others are kept in their order.
    pub fn hear(&self, is_it: impl Fn(&Message) -> bool) -> Message {
        let kept = self.heard.borrow().iter().position(&is_it);
        if let Some(at) = kept {
            return self.heard.borrow_mut().remove(at).unwrap();
        }
        loop {
            let message = self.connection().receiver.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|error| panic!("the server is silent: {error}"));
            if is_it(&message) {
                return message;
            }
            self.heard.borrow_mut().push_back(message);
        }
    }

    /// The result of a request.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        let response = self.answer_to(&self.begin(method, params));
        match response.response_result {
            Ok(result) => result,
            Err(error) => panic!("{method}: {error:?}"),
        }
    }

    /// The code of the error that a request is answered with.
    pub fn refused(&self, method: &str, params: Value) -> i32 {
        let response = self.answer_to(&self.begin(method, params));
        match response.response_result {
            Ok(result) => panic!("{method}: {result}"),
            Err(error) => error.code,
        }
    }

    /// Asks about a position.
    pub fn at(&self, method: &str, path: &str, line: u32, character: u32) -> Value {
        self.ask(method, self.place(path, line, character))
    }

    pub fn place(&self, path: &str, line: u32, character: u32) -> Value {
        json!({
            "textDocument": {"uri": self.uri(path)},
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": true},
        })
    }

    /// A result with the place of the workspace taken out of its URIs.
    pub fn shown(&self, result: &Value) -> String {
        let folder = format!("file://{}/", self.folder.path().to_str().unwrap());
        serde_json::to_string(result).unwrap().replace(&folder, "")
    }

    /// Ends the session as the protocol wants; gives what came last.
    pub fn end(mut self) -> Vec<Message> {
        let null = self.ask("shutdown", Value::Null);
        assert!(null.is_null());
        self.tell("exit", Value::Null);
        let server = self.server.take().unwrap();
        server.join().unwrap().unwrap();
        let connection = self.connection.take().unwrap();
        let mut left: Vec<Message> = self.heard.take().into();
        left.extend(connection.receiver.try_iter());
        left
    }

    /// How the server ends when the client says so.
    pub fn exit(mut self) -> Result<(), Abandoned> {
        self.tell("exit", Value::Null);
        self.server.take().unwrap().join().unwrap()
    }
}
