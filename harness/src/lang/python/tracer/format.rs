//! Reads the trace files that `native/output.rs` and `site/_lacuna_output.py` write.
//!
//! A file belongs to one process and consists of windows of [`WINDOW`] bytes. A window holds records,
//! then zeros. A record is a sequence of 32-bit words in the machine's byte order; the upper 8 bits
//! of the first word are its tag, the lower 24 its length in words, except for `HIT`. A text is a
//! length in bytes followed by UTF-8, filled up with zeros.
//!
//! | tag | record | words after the first |
//! |---|---|---|
//! | 1 | HEADER | process id, version, offset, text: the parent's file name |
//! | 2 | CODE | number, first line, kind, text: path, zero byte, name |
//! | 3 | EDGE | number, caller's code number or 0, callee's, kind |
//! | 4 | CONTEXT | number, text: a `ContextKind` in JSON |
//! | 5 | LOSS | text |
//! | 6 | HIT | context; the lower 24 bits of the first word are the edge's number |
//! | 7 | FULL | none: the file could not grow |
//!
//! Context 0 is the session; one with the highest bit set is the import of the module body whose code
//! number the other bits are. A forked child refers to the definitions that its parent's file holds
//! before the offset. Processes die at any point: whatever is cut off or makes no sense is skipped.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::{fs, io};

use analyzer::trace::{Code, CodeKind, ContextKind, EdgeKind};

const WINDOW: usize = 1 << 18;
const VERSION: u32 = 1;
const IMPORT: u32 = 1 << 31;
/// More forks on top of each other than this are not believed.
const DEEPEST: usize = 1000;

/// An edge between codes of one process.
#[derive(Clone, Copy, Debug)]
pub struct LocalEdge {
    /// 0 if there is none.
    pub caller: u32,
    pub callee: u32,
    pub kind: EdgeKind,
}

/// What one process recorded; all numbers are its own.
#[derive(Debug, Default)]
pub struct ProcessTrace {
    pub codes: HashMap<u32, Code>,
    pub edges: HashMap<u32, LocalEdge>,
    pub contexts: HashMap<u32, ContextKind>,
    /// Edge and context.
    pub hits: Vec<(u32, u32)>,
    pub losses: Vec<String>,
}

impl ProcessTrace {
    /// What a context number stands for.
    pub fn context(&self, number: u32) -> Option<ContextKind> {
        if number == 0 {
            return Some(ContextKind::Session);
        }
        if number & IMPORT == 0 {
            return self.contexts.get(&number).cloned();
        }
        let module = self.codes.get(&(number & !IMPORT))?;
        Some(ContextKind::Import {
            path: module.path.clone(),
        })
    }
}

/// Reads all trace files of a folder, in the order of their names.
pub fn read_folder(folder: &Path) -> io::Result<Vec<ProcessTrace>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string() {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(files
        .values()
        .filter_map(|bytes| read(&files, bytes))
        .collect())
}

/// Reads one file of several; None if it has no header.
fn read(files: &BTreeMap<String, Vec<u8>>, bytes: &[u8]) -> Option<ProcessTrace> {
    header(bytes)?;
    let mut trace = ProcessTrace::default();
    for definitions in ancestors(files, bytes).iter().rev() {
        Records::new(definitions).for_each(|record| trace.define(record));
    }
    for record in Records::new(bytes) {
        match record {
            Record::Hit { edge, context } => trace.hits.push((edge, context)),
            Record::Loss { text } => trace.losses.push(text),
            Record::Full => trace
                .losses
                .push("a trace file could not grow: is the disk full?".to_owned()),
            definition => trace.define(definition),
        }
    }
    Some(trace)
}

/// The parts of other files whose definitions hold in this one, the nearest first.
fn ancestors<'a>(files: &'a BTreeMap<String, Vec<u8>>, bytes: &'a [u8]) -> Vec<&'a [u8]> {
    let mut found = Vec::new();
    let mut child = bytes;
    while let Some((parent, offset)) = header(child) {
        let Some(bytes) = files.get(&parent) else {
            break;
        };
        if found.len() > DEEPEST {
            break;
        }
        found.push(bytes.get(..offset).unwrap_or(bytes));
        child = bytes;
    }
    found
}

/// The name of the parent's file and the offset in it, empty and 0 if there is none.
fn header(bytes: &[u8]) -> Option<(String, usize)> {
    match Records::new(bytes).next()? {
        Record::Header {
            version: VERSION,
            offset,
            parent,
        } => Some((parent, offset as usize)),
        _ => None,
    }
}

impl ProcessTrace {
    fn define(&mut self, record: Record) {
        match record {
            Record::Code { number, code } => drop(self.codes.insert(number, code)),
            Record::Edge { number, edge } => drop(self.edges.insert(number, edge)),
            Record::Context { number, kind } => drop(self.contexts.insert(number, kind)),
            _ => {}
        }
    }
}

#[derive(Debug)]
enum Record {
    Header {
        version: u32,
        offset: u32,
        parent: String,
    },
    Code {
        number: u32,
        code: Code,
    },
    Edge {
        number: u32,
        edge: LocalEdge,
    },
    Context {
        number: u32,
        kind: ContextKind,
    },
    Loss {
        text: String,
    },
    Hit {
        edge: u32,
        context: u32,
    },
    Full,
}

/// The complete records of a file.
struct Records<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    fn word(&self, position: usize) -> Option<u32> {
        let bytes = self.bytes.get(position..position.checked_add(4)?)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            let head = self.word(self.position)?;
            if head == 0 {
                self.position = (self.position / WINDOW + 1) * WINDOW;
                continue;
            }
            let (tag, low) = (head >> 24, head & 0xff_ffff);
            let length = if tag == 6 {
                8
            } else {
                4 * (low as usize).max(1)
            };
            let body = self.bytes.get(self.position + 4..self.position + length)?;
            self.position += length;
            if let Some(record) = decode(tag, low, &mut Body(body)) {
                return Some(record);
            }
        }
    }
}

/// The words of a record after the first.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn number(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_ne_bytes(*bytes))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        Some(String::from_utf8_lossy(self.0.get(..length)?).into_owned())
    }
}

fn decode(tag: u32, low: u32, body: &mut Body<'_>) -> Option<Record> {
    Some(match tag {
        1 => {
            let _process = body.number()?;
            Record::Header {
                version: body.number()?,
                offset: body.number()?,
                parent: body.text()?,
            }
        }
        2 => Record::Code {
            number: body.number()?,
            code: decode_code(body)?,
        },
        3 => Record::Edge {
            number: body.number()?,
            edge: LocalEdge {
                caller: body.number()?,
                callee: body.number()?,
                kind: edge_kind(body.number()?)?,
            },
        },
        4 => Record::Context {
            number: body.number()?,
            kind: serde_json::from_str(&body.text()?).ok()?,
        },
        5 => Record::Loss { text: body.text()? },
        6 => Record::Hit {
            edge: low,
            context: body.number()?,
        },
        7 => Record::Full,
        _ => return None,
    })
}

fn decode_code(body: &mut Body<'_>) -> Option<Code> {
    let (line, kind, text) = (body.number()?, code_kind(body.number()?)?, body.text()?);
    let (path, name) = text.split_once('\0')?;
    Some(Code {
        path: path.to_owned(),
        line,
        name: name.to_owned(),
        kind,
    })
}

fn code_kind(number: u32) -> Option<CodeKind> {
    use CodeKind::{Class, ClassBody, Function, Module};
    [Module, ClassBody, Function, Class]
        .get(number as usize)
        .copied()
}

fn edge_kind(number: u32) -> Option<EdgeKind> {
    use EdgeKind::{Call, Create, Instantiate, Resume, Through};
    [Call, Through, Create, Resume, Instantiate]
        .get(number as usize)
        .copied()
}
