//! A session over bytes: whatever a client writes, every request has one answer, and the server ends when
//! it is told to. The fuzz target `messages` runs it, too.

use std::io::{BufRead, BufReader, PipeReader, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use harness::process::Launcher;
use lsp_server::Message;
use serde_json::{Value, json};

/// No answer may take longer; only a hang does.
const PATIENCE: Duration = Duration::from_secs(60);

/// Each line is the body of a message, or, if the first byte is `!`, all the rest is written as it is.
pub fn session(data: &[u8]) {
    let (theirs, mut input) = std::io::pipe().unwrap();
    let (output, ours) = std::io::pipe().unwrap();
    let (connection, writer) = lsp::connect(theirs, ours);
    let server = thread::spawn(move || lsp::serve(connection, Box::new(Launcher::new)));
    let heard = listen(output);
    // The folder does not exist: only what is opened in it is there.
    let params = json!({"capabilities": {}, "rootUri": "file:///nowhere"});
    let start = json!({"id": "start", "method": "initialize", "params": params});
    let end = json!({"id": "end", "method": "shutdown"});
    let mut expected = vec![start["id"].clone(), end["id"].clone()];
    write(&mut input, start.to_string().as_bytes());
    match data.strip_prefix(b"!") {
        // Whether something follows it is not known: the end of the stream must be enough.
        Some(raw) if is_harmless(raw) => {
            input.write_all(raw).unwrap();
            expected.clear();
        }
        _ => {
            let lines = data.split(|byte| *byte == b'\n');
            for body in lines.filter(|body| is_harmless(body)) {
                write(&mut input, body);
                expected.extend(answered(body));
            }
            write(&mut input, end.to_string().as_bytes());
        }
    }
    let mut answers = Vec::new();
    while answers.len() < expected.len() {
        let message = heard.recv_timeout(PATIENCE).unwrap();
        answers.extend(answer(&message));
    }
    write(&mut input, br#"{"method": "exit"}"#);
    drop(input);
    let _ = server.join().unwrap();
    writer.join().unwrap().unwrap();
    let late = heard.iter().filter_map(|message| answer(&message));
    if expected.is_empty() {
        return late.for_each(drop);
    }
    answers.extend(late);
    let sorted = |mut ids: Vec<Value>| {
        ids.sort_by_key(Value::to_string);
        ids
    };
    assert_eq!(sorted(answers), sorted(expected));
}

fn write(input: &mut impl Write, body: &[u8]) {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    input
        .write_all(&[header.as_bytes(), body].concat())
        .unwrap();
}

/// Whether a message neither ends the session nor lets the server run or read what is on this machine.
fn is_harmless(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let methods = ["exit", "executeCommand", "didChangeWorkspaceFolders", "\\u"];
    !methods.iter().any(|method| text.contains(method))
}

/// The id that the answer to a message has, if there is one.
fn answered(body: &[u8]) -> Option<Value> {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Some(Value::Null);
    };
    match serde_json::from_value(value.clone()) {
        Ok(Message::Request(_)) => Some(value["id"].clone()),
        Ok(Message::Notification(_)) => value.get("id").cloned(),
        Ok(Message::Response(_)) => None,
        Err(_) => Some(value["id"].clone()),
    }
}

/// The id of a message that is an answer.
fn answer(message: &Value) -> Option<Value> {
    message
        .get("method")
        .is_none()
        .then(|| message["id"].clone())
}

/// Everything that the server writes, which must be whole messages.
fn listen(output: PipeReader) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(message) = read(&mut output) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut header = String::new();
    output.read_line(&mut header).unwrap();
    let length = header.trim().strip_prefix("Content-Length: ")?;
    let length: usize = length.parse().unwrap();
    output.read_line(&mut header).unwrap();
    let mut body = vec![0; length];
    output.read_exact(&mut body).unwrap();
    Some(serde_json::from_slice(&body).unwrap())
}
