//! Drains what a program writes, keeping the head and the tail of each stream.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How much of the beginning and of the end of a stream is kept, each, in bytes.
const KEPT: usize = 256 * 1024;
/// How long to wait for the end of a stream once its program is gone: a process that escaped from
/// an unsupervised run may hold it open.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// What a program wrote to one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Output {
    /// How many bytes were written, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The text, with a line that says how much was left out in the middle, if anything.
    pub fn text(&self) -> String {
        let (front, back) = self.tail.as_slices();
        let tail = [front, back].concat();
        let left_out = self.total - (self.head.len() + tail.len()) as u64;
        if left_out == 0 {
            return lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (lossy(&self.head), lossy(&tail));
        format!("{head}\n[... {left_out} bytes left out ...]\n{tail}")
    }

    /// The last lines of the text, at most `count`.
    pub fn last_lines(&self, count: usize) -> String {
        let text = self.text();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..surplus);
    }
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The reading ends of both streams, drained by a thread each.
pub(super) struct Drain {
    total: Arc<AtomicU64>,
    stdout: Stream,
    stderr: Stream,
}

/// Opens both streams: the drain and the two ends to write to. Standard output is also written to
/// the file `copy`.
pub(super) fn open(copy: Option<&Path>) -> io::Result<(Drain, PipeWriter, PipeWriter)> {
    let total = Arc::new(AtomicU64::new(0));
    let (stdout, stdout_writer) = Stream::open(&total, copy.map(File::create).transpose()?)?;
    let (stderr, stderr_writer) = Stream::open(&total, None)?;
    Ok((
        Drain {
            total,
            stdout,
            stderr,
        },
        stdout_writer,
        stderr_writer,
    ))
}

impl Drain {
    /// Bytes read so far from both.
    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// What was written to both, once they are at their end.
    pub(super) fn close(self) -> (Output, Output) {
        let until = Instant::now() + CLOSE_GRACE;
        (self.stdout.close(until), self.stderr.close(until))
    }
}

struct Stream {
    kept: Arc<Mutex<Output>>,
    end: Receiver<()>,
}

impl Stream {
    fn open(total: &Arc<AtomicU64>, copy: Option<File>) -> io::Result<(Self, PipeWriter)> {
        let (mut reader, writer) = io::pipe()?;
        let (finished, end) = channel::<()>();
        let kept = Arc::new(Mutex::new(Output::default()));
        let (into, total) = (Arc::clone(&kept), Arc::clone(total));
        thread::Builder::new().spawn(move || {
            drain(&mut reader, &into, &total, copy);
            drop(finished);
        })?;
        Ok((Self { kept, end }, writer))
    }

    fn close(self, until: Instant) -> Output {
        let left = until.saturating_duration_since(Instant::now());
        // An error either way: the thread is done, or it is given up.
        let _ = self.end.recv_timeout(left);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A copy that cannot be written (the disk is full) ends where it is.
fn drain(reader: &mut PipeReader, kept: &Mutex<Output>, total: &AtomicU64, mut copy: Option<File>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                total.fetch_add(count as u64, Ordering::Relaxed);
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(&buffer[..count]);
                copy = copy.filter(|mut file| file.write_all(&buffer[..count]).is_ok());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn kept(chunks: &[&[u8]]) -> Output {
        let mut output = Output::default();
        chunks.iter().for_each(|chunk| output.push(chunk));
        output
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let output = kept(&[b"one\n", b"two\n"]);
        expect![[r#"
            one
            two
        "#]]
        .assert_eq(&output.text());
        assert_eq!(
            (output.total(), output.last_lines(1)),
            (8, "two".to_owned())
        );
    }

    #[test]
    fn a_character_split_between_head_and_tail_survives() {
        let start = vec![b'a'; KEPT - 1];
        let text = kept(&[&start, "é".as_bytes()]).text();
        assert!(text.ends_with("aé"));
    }

    #[test]
    fn of_a_long_output_the_middle_is_left_out() {
        let output = kept(&[&vec![b'a'; KEPT], &vec![b'b'; 1000], &vec![b'c'; KEPT]]);
        let text = output.text();
        assert!(text.contains("\n[... 1000 bytes left out ...]\n"));
        assert!(text.starts_with('a') && text.ends_with('c') && !text.contains("bb"));
        assert_eq!(output.total(), 2 * KEPT as u64 + 1000);
    }
}
