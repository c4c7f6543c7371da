//! The transport: messages over two streams. Unlike that of `lsp-server`, it survives text that is no
//! message, and says so to the client, as the protocol wants.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value, json};

/// The most bytes of one message: beyond it a length is taken for nonsense.
const LONGEST: usize = 1 << 30;

/// What is written: a message, or an answer to what was none.
enum Outgoing {
    Message(Message),
    Complaint(Value),
    /// Nothing that comes after it: the server is done, though the reader may still wait for the client.
    End,
}

/// Connects two streams; the thread that writes ends when the connection is dropped.
pub fn connect(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Connection, JoinHandle<io::Result<()>>) {
    let (from_client, receiver) = bounded(64);
    let (sender, to_client) = unbounded();
    let (outgoing, written) = unbounded();
    let complain = outgoing.clone();
    thread::spawn(move || read(BufReader::new(input), &from_client, &complain));
    thread::spawn(move || forward(&to_client, &outgoing));
    let writer = thread::spawn(move || write(output, &written));
    (Connection { sender, receiver }, writer)
}

fn forward(messages: &Receiver<Message>, outgoing: &Sender<Outgoing>) {
    for message in messages {
        if outgoing.send(Outgoing::Message(message)).is_err() {
            return;
        }
    }
    let _ = outgoing.send(Outgoing::End);
}

fn read(mut input: impl BufRead, messages: &Sender<Message>, complain: &Sender<Outgoing>) {
    while let Ok(Some(body)) = next(&mut input) {
        let is_sent = match parse(&body) {
            Ok(message) => messages.send(message).is_ok(),
            Err(complaint) => complain.send(Outgoing::Complaint(complaint)).is_ok(),
        };
        if !is_sent {
            return;
        }
    }
}

/// The next body; `None` at the end of the stream.
fn next(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match (line.is_empty(), length) {
            (true, Some(length)) => return body(input, length),
            // Without a length nobody knows where the next message begins: look for a header.
            (true, None) => {}
            (false, _) => length = length_in(line).or(length),
        }
    }
}

fn length_in(line: &str) -> Option<usize> {
    let (name, value) = line.split_once(':')?;
    let length = value.trim().parse().ok()?;
    let is_length = name.trim().eq_ignore_ascii_case("content-length");
    (is_length && length <= LONGEST).then_some(length)
}

fn body(input: &mut impl BufRead, length: usize) -> io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut body)?;
    Ok((read == length).then_some(body))
}

/// A message, or what to answer to what is none.
fn parse(body: &[u8]) -> Result<Message, Value> {
    let complaint = |code: ErrorCode, id: Value, message: String| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}});
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| complaint(ErrorCode::ParseError, Value::Null, error.to_string()))?;
    let id = value.get("id").cloned();
    let refused = |reason: &str| {
        let id = id.clone().unwrap_or(Value::Null);
        complaint(ErrorCode::InvalidRequest, id, reason.to_owned())
    };
    match serde_json::from_value(value) {
        // Whoever gives an id waits for an answer.
        Ok(Message::Notification(_)) if id.is_some() => {
            Err(refused("an id is a text or a whole number of 32 bits"))
        }
        read => read.map_err(|_| refused("this is no request, notification or response")),
    }
}

fn write(mut output: impl Write, outgoing: &Receiver<Outgoing>) -> io::Result<()> {
    for message in outgoing {
        match message {
            Outgoing::End => break,
            Outgoing::Complaint(value) => {
                let body = serde_json::to_vec(&value)?;
                write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
                output.write_all(&body)?;
                output.flush()?;
            }
            Outgoing::Message(message) => message.write(&mut output)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_is_no_message_is_answered_and_the_next_one_is_read() {
        let input = [
            framed("{broken"),
            framed("[1, 2]"),
            framed(r#"{"id": 7}"#),
            framed(r#"{"id": 4294967296, "method": "initialize"}"#),
            framed(r#"{"id": null, "method": "initialize"}"#),
            "Nonsense\r\n\r\n".to_owned(),
            framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#),
        ];
        let (from_client, messages) = unbounded();
        let (complain, complaints) = unbounded();
        read(input.concat().as_bytes(), &from_client, &complain);
        drop((from_client, complain));
        let codes = complaints.iter().map(|complaint| match complaint {
            Outgoing::Complaint(value) => (value["id"].clone(), value["error"]["code"].clone()),
            Outgoing::Message(_) | Outgoing::End => unreachable!(),
        });
        let expected = [
            (Value::Null, -32700),
            (Value::Null, -32600),
            (json!(7), -32600),
            (json!(4_294_967_296_i64), -32600),
            (Value::Null, -32600),
        ];
        let expected = expected.map(|(id, code)| (id, json!(code)));
        assert_eq!(codes.collect::<Vec<_>>(), expected);
        let Message::Request(request) = messages.recv().unwrap() else {
            unreachable!()
        };
        assert_eq!(request.method, "shutdown");
        assert!(messages.recv().is_err());
    }

    #[test]
    fn a_cut_message_ends_the_stream() {
        let mut input = "Content-Length: 10\r\n\r\n{}".as_bytes();
        assert_eq!(next(&mut input).unwrap(), None);
    }
}
