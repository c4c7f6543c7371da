//! Replays an editing session on a project and prints how long the answers take.
//!
//! ```sh
//! cargo run --release -p lacuna-lsp --example editing -- FOLDER [EDITS [longest]]
//! ```
//!
//! Each edit inserts or takes back a line in the body of a function, in one of twenty files in turn: the
//! middle ones of twenty equal parts of all files by length, or the longest; then the requests are sent one
//! after the other.
//! Times are from the request to the answer, as a client in the same process sees them, and what the
//! process took of the processors meanwhile, which other work on the machine changes little.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement prints what it finds, and has nobody to report to"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use harness::process::Launcher;
use harness::project::{FileKind, Project};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use mimalloc::MiMalloc;
use serde_json::{Value, json};

/// That of the command.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How many files are open.
const OPEN: usize = 20;
/// After how many edits the requests about the whole project are sent.
const RARE: usize = 10;

/// How long an answer took: on the clock, and of the processors.
#[derive(Clone, Copy)]
struct Times {
    clock: Duration,
    processor: Duration,
}

/// Since when an answer is waited for.
struct Watch {
    started: Instant,
    processor: Duration,
}

impl Watch {
    fn start() -> Self {
        Self {
            started: Instant::now(),
            processor: processor(),
        }
    }

    fn stop(&self) -> Times {
        Times {
            clock: self.started.elapsed(),
            processor: processor().saturating_sub(self.processor),
        }
    }
}

/// What all threads of this process took of the processors.
fn processor() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let spent = threads.filter_map(|thread| {
        let path = thread.ok()?.path().join("schedstat");
        let text = std::fs::read_to_string(path).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

struct Editor {
    connection: Connection,
    next: i32,
    times: BTreeMap<&'static str, Vec<Times>>,
}

impl Editor {
    fn tell(&self, method: &str, params: Value) {
        let method = method.to_owned();
        let told = Notification { method, params };
        self.connection.sender.send(told.into()).unwrap();
    }

    fn begin(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let method = method.to_owned();
        let request = Request {
            id: id.clone(),
            method,
            params,
        };
        self.connection.sender.send(request.into()).unwrap();
        id
    }

    fn answer(&self, id: &RequestId) -> Value {
        loop {
            if let Message::Response(it) = self.connection.receiver.recv().unwrap()
                && it.id == *id
            {
                return it.response_result.unwrap_or(Value::Null);
            }
        }
    }

    fn wait_for_the_end_of_indexing(&self) {
        let is_end = |message: Message| matches!(message, Message::Notification(it) if it.params["value"]["kind"] == "end");
        while !is_end(self.connection.receiver.recv().unwrap()) {}
    }

    fn ask(&mut self, name: &'static str, method: &str, params: Value) -> Value {
        let watch = Watch::start();
        let id = self.begin(method, params);
        let answer = self.answer(&id);
        self.times.entry(name).or_default().push(watch.stop());
        answer
    }

    fn print(&self) {
        println!("| request | answers | median | p99 | most | median, processor | p99 | most |");
        println!("|---|---|---|---|---|---|---|---|");
        for (name, times) in &self.times {
            let clock = percentiles(times.iter().map(|it| it.clock));
            let processor = percentiles(times.iter().map(|it| it.processor));
            println!("| {name} | {} | {clock} | {processor} |", times.len());
        }
    }
}

/// Median, 99th percentile and the longest, as cells of a table.
fn percentiles(times: impl Iterator<Item = Duration>) -> String {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    let shown = |share| format!("{:.1} ms", at(share).as_secs_f64() * 1000.0);
    [50, 99, 100].map(shown).join(" | ")
}

/// A file that is edited: its path, the place of a function's name, and the line after its header.
struct Edited {
    uri: String,
    name: (u64, u64),
    body: u64,
    is_longer: bool,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().unwrap())
        .canonicalize()
        .unwrap();
    let edits = arguments
        .next()
        .map_or(500, |number| number.parse().unwrap());
    let files = sources(&root);
    let bytes: usize = files.iter().map(|(length, _)| length).sum();
    println!("{} files, {bytes} bytes", files.len());

    let (ours, theirs) = Connection::memory();
    std::thread::spawn(move || lsp::serve(theirs, Box::new(Launcher::new)));
    let mut editor = Editor {
        connection: ours,
        next: 0,
        times: BTreeMap::new(),
    };
    let started = Instant::now();
    let uri = format!("file://{}", root.display());
    let folders = json!([{"uri": uri, "name": "project"}]);
    let id = editor.begin(
        "initialize",
        json!({"capabilities": {"window": {"workDoneProgress": true}}, "workspaceFolders": folders}),
    );
    editor.answer(&id);
    editor.tell("initialized", json!({}));
    let mut open = Vec::new();
    let step = match arguments.next().as_deref() {
        Some("longest") => 1,
        _ => (files.len() / OPEN).max(1),
    };
    for (_, path) in files.iter().skip(step / 2).step_by(step).take(OPEN) {
        open.extend(opened(&mut editor, &root, path));
    }
    editor.wait_for_the_end_of_indexing();
    println!(
        "the whole project known after {:.1} s",
        started.elapsed().as_secs_f64()
    );
    let opening = editor.times.remove("(opening)").unwrap_or_default();
    let slowest = opening.iter().map(|it| it.clock).max().unwrap_or_default();
    println!(
        "an opened file answers after at most {:.0} ms",
        slowest.as_secs_f64() * 1000.0
    );
    editor.times.clear();
    for number in 0..edits {
        let at = number % open.len();
        edit(&mut editor, &mut open[at], number);
        if number % RARE == 0 {
            whole(&mut editor, &open[at]);
        }
    }
    editor.print();
    let memory = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = memory
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let peak: usize = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    println!(
        "peak memory: {} MB, {:.0} bytes a byte of source",
        peak / 1024,
        (peak * 1024) as f64 / bytes as f64
    );
}

/// The sources of a project with their lengths, longest first.
fn sources(root: &Path) -> Vec<(usize, String)> {
    let listing = Project::open(root).unwrap().files().unwrap().files;
    let plain = listing
        .into_iter()
        .filter(|(_, kind)| matches!(kind, FileKind::File { .. }));
    let sources = plain.filter(|(path, _)| analyzer::Language::from_path(path).is_some());
    let length = |path: &str| root.join(path).metadata().unwrap().len() as usize;
    let mut sources: Vec<(usize, String)> =
        sources.map(|(path, _)| (length(&path), path)).collect();
    sources.sort_by(|one, other| other.cmp(one));
    sources
}

/// Opens a file, and finds a function in it whose body starts on a line of its own.
fn opened(editor: &mut Editor, root: &Path, path: &str) -> Option<Edited> {
    let text = std::fs::read_to_string(root.join(path)).ok()?;
    let uri = format!("file://{}/{path}", root.display());
    editor.tell(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "", "version": 0, "text": text}}),
    );
    let params = json!({"textDocument": {"uri": uri}});
    let symbols = editor.ask("(opening)", "textDocument/documentSymbol", params);
    let place = functions(&symbols)
        .into_iter()
        .find(|(start, end)| end["line"].as_u64() > start["line"].as_u64().map(|it| it + 2))?;
    let (line, character) = (place.0["line"].as_u64()?, place.0["character"].as_u64()?);
    Some(Edited {
        uri,
        name: (line, character),
        body: line + 1,
        is_longer: false,
    })
}

/// Where the names of functions start, and where the functions end.
fn functions(symbols: &Value) -> Vec<(&Value, &Value)> {
    let mut found = Vec::new();
    for symbol in symbols.as_array().into_iter().flatten() {
        if matches!(symbol["kind"].as_u64(), Some(6 | 12)) {
            found.push((&symbol["selectionRange"]["start"], &symbol["range"]["end"]));
        }
        found.extend(functions(&symbol["children"]));
    }
    found
}

fn edit(editor: &mut Editor, file: &mut Edited, number: usize) {
    let (end, text) = match file.is_longer {
        true => (file.body + 1, ""),
        false => (file.body, "\n"),
    };
    file.is_longer = !file.is_longer;
    let range = json!({
        "start": {"line": file.body, "character": 0},
        "end": {"line": end, "character": 0},
    });
    editor.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": file.uri, "version": number + 1},
            "contentChanges": [{"range": range, "text": text}],
        }),
    );
    let document = json!({"textDocument": {"uri": file.uri}});
    let place = place(file);
    editor.ask(
        "document symbols",
        "textDocument/documentSymbol",
        document.clone(),
    );
    editor.ask("hover", "textDocument/hover", place.clone());
    editor.ask("code lens", "textDocument/codeLens", document);
    let items = editor.ask(
        "prepare call hierarchy",
        "textDocument/prepareCallHierarchy",
        place,
    );
    let item = json!({"item": items[0]});
    editor.ask(
        "incoming calls",
        "callHierarchy/incomingCalls",
        item.clone(),
    );
    editor.ask("outgoing calls", "callHierarchy/outgoingCalls", item);
}

fn place(file: &Edited) -> Value {
    let (line, character) = file.name;
    json!({
        "textDocument": {"uri": file.uri},
        "position": {"line": line, "character": character},
        "context": {"includeDeclaration": true},
    })
}

/// What concerns the whole project, and a request that is cancelled.
fn whole(editor: &mut Editor, file: &Edited) {
    editor.ask(
        "workspace symbols",
        "workspace/symbol",
        json!({"query": "get_value"}),
    );
    editor.ask("references", "textDocument/references", place(file));
    let watch = Watch::start();
    let id = editor.begin("workspace/symbol", json!({"query": "a"}));
    editor.tell("$/cancelRequest", json!({"id": id}));
    editor.answer(&id);
    editor
        .times
        .entry("cancelled")
        .or_default()
        .push(watch.stop());
}
