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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A file as the recorders write it.
    #[derive(Default)]
    struct Writer(Vec<u8>);

    impl Writer {
        fn record(&mut self, tag: u32, numbers: &[u32], text: Option<&str>) {
            let mut body: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
            if let Some(text) = text {
                body.extend((text.len() as u32).to_ne_bytes());
                body.extend(text.as_bytes());
                body.resize(body.len().next_multiple_of(4), 0);
            }
            let head = tag << 24 | (1 + body.len() / 4) as u32;
            self.0.extend(head.to_ne_bytes());
            self.0.extend(body);
        }

        fn hit(&mut self, edge: u32, context: u32) {
            self.0.extend((6 << 24 | edge).to_ne_bytes());
            self.0.extend(context.to_ne_bytes());
        }

        fn header(offset: u32, parent: &str) -> Self {
            let mut file = Self::default();
            file.record(1, &[1, VERSION, offset], Some(parent));
            file
        }

        fn next_window(&mut self) {
            self.0.resize(self.0.len().next_multiple_of(WINDOW), 0);
        }
    }

    fn parent() -> Writer {
        let mut file = Writer::header(0, "");
        file.record(2, &[1, 0, 0], Some("shop.py\0<module>"));
        file.record(2, &[2, 7, 2], Some("shop.py\0Cart.add"));
        file.record(3, &[1, 0, 1, 1], None);
        file.record(3, &[2, 1, 2, 0], None);
        file.record(4, &[1], Some(r#"{"collect":{"path":"test_shop.py"}}"#));
        file.hit(1, IMPORT | 1);
        file.hit(2, 1);
        file.next_window();
        file.hit(2, 0);
        file
    }

    fn read_one(bytes: &[u8]) -> Option<ProcessTrace> {
        read(&BTreeMap::new(), bytes)
    }

    #[test]
    fn records_in_several_windows_are_read() {
        let trace = read_one(&parent().0).unwrap();
        assert_eq!(trace.hits, [(1, IMPORT | 1), (2, 1), (2, 0)]);
        assert_eq!(trace.codes[&2].name, "Cart.add");
        assert_eq!(trace.context(0), Some(ContextKind::Session));
        let import = ContextKind::Import {
            path: "shop.py".to_owned(),
        };
        assert_eq!(trace.context(IMPORT | 1), Some(import));
        let collect = ContextKind::Collect {
            path: "test_shop.py".to_owned(),
        };
        assert_eq!(trace.context(1), Some(collect));
    }

    #[test]
    fn a_forked_child_knows_what_its_parent_had_defined_by_then() {
        let mut parent = parent();
        let offset = parent.0.len() as u32;
        // The parent goes on and uses the number 3 for something else than the child.
        parent.record(2, &[3, 9, 2], Some("shop.py\0parents"));
        let mut child = Writer::header(offset, "1-1.trace");
        child.record(2, &[3, 20, 2], Some("shop.py\0childs"));
        child.record(3, &[3, 2, 3, 0], None);
        child.hit(3, 1);
        let mut grandchild = Writer::header(child.0.len() as u32, "2-1.trace");
        grandchild.hit(3, 1);
        let names = ["1-1.trace", "2-1.trace", "3-1.trace"].map(str::to_owned);
        let files = BTreeMap::from_iter(names.into_iter().zip([parent.0, child.0, grandchild.0]));
        for name in ["2-1.trace", "3-1.trace"] {
            let trace = read(&files, &files[name]).unwrap();
            assert_eq!(trace.hits, [(3, 1)]);
            assert_eq!(
                (
                    trace.edges[&3].caller,
                    trace.codes[&2].line,
                    trace.codes[&3].line
                ),
                (2, 7, 20)
            );
        }
    }

    #[test]
    fn a_file_that_names_itself_as_its_parent_is_read() {
        let mut file = Writer::header(1 << 20, "1-1.trace");
        file.hit(1, 0);
        let files = BTreeMap::from([("1-1.trace".to_owned(), file.0)]);
        assert_eq!(read(&files, &files["1-1.trace"]).unwrap().hits, [(1, 0)]);
    }

    #[test]
    fn a_file_cut_at_any_byte_gives_the_records_before() {
        let file = parent().0;
        let all = read_one(&file).unwrap().hits;
        let written = file
            .iter()
            .take(WINDOW)
            .rposition(|byte| *byte != 0)
            .unwrap()
            + 1;
        for length in (0..=written).chain(WINDOW - 2..=file.len()) {
            let hits = read_one(&file[..length])
                .map(|trace| trace.hits)
                .unwrap_or_default();
            assert!(all.starts_with(&hits), "{length}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_fail(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut file = parent().0;
            file.extend(bytes);
            prop_assert!(read_one(&file).unwrap().hits.len() >= 3);
        }
    }
}
