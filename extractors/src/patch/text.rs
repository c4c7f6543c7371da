//! Patches as text: git's extended unified format, written and read.

use super::{FilePatch, Hunk, Line, Mode, Operation, Patch, PatchError, Side, split_lines};

const NO_NEWLINE: &[u8] = b"\\ No newline at end of file\n";

impl Mode {
    fn number(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
        }
    }

    fn parse(number: &str) -> Option<Self> {
        [Self::Regular, Self::Executable, Self::Symlink]
            .into_iter()
            .find(|mode| mode.number() == number)
    }
}

pub(super) fn write(patch: &Patch) -> Vec<u8> {
    let mut out = Vec::new();
    for file in &patch.files {
        out.extend(header(file).into_bytes());
        for hunk in &file.hunks {
            write_hunk(hunk, &mut out);
        }
    }
    out
}

fn header(file: &FilePatch) -> String {
    let (old, new) = (quoted("a/", &file.path), quoted("b/", &file.path));
    let mut header = format!("diff --git {old} {new}\n");
    header += &match file.operation {
        Operation::Add(mode) => format!("new file mode {}\n", mode.number()),
        Operation::Delete(mode) => format!("deleted file mode {}\n", mode.number()),
        Operation::Modify => String::new(),
        Operation::ChangeMode { old, new } => {
            format!("old mode {}\nnew mode {}\n", old.number(), new.number())
        }
    };
    if file.hunks.is_empty() {
        return header;
    }
    // git ends a name with blanks in it by a tab, else the rest would look like a date.
    let end = if file.path.contains(' ') && !new.starts_with('"') {
        "\t"
    } else {
        ""
    };
    header += &match file.operation {
        Operation::Add(_) => format!("--- /dev/null\n+++ {new}{end}\n"),
        Operation::Delete(_) => format!("--- {old}{end}\n+++ /dev/null\n"),
        Operation::Modify | Operation::ChangeMode { .. } => {
            format!("--- {old}{end}\n+++ {new}{end}\n")
        }
    };
    header
}

/// A name as git writes it: in quotes with C escapes if it has a control character, quote or backslash.
fn quoted(prefix: &str, path: &str) -> String {
    let special = |c: char| c.is_ascii_control() || c == '"' || c == '\\';
    if !path.contains(special) {
        return format!("{prefix}{path}");
    }
    let escaped = path.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_ascii_control() => format!("\\{:03o}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{prefix}{}\"", escaped.collect::<String>())
}

fn write_hunk(hunk: &Hunk, out: &mut Vec<u8>) {
    let range = |start: usize, len: usize| match len {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        len => format!("{},{len}", start + 1),
    };
    let old = range(hunk.old_start, hunk.len(Side::Added));
    let new = range(hunk.new_start, hunk.len(Side::Removed));
    out.extend(format!("@@ -{old} +{new} @@\n").into_bytes());
    for line in &hunk.lines {
        out.push(match line.side {
            Side::Context => b' ',
            Side::Removed => b'-',
            Side::Added => b'+',
        });
        out.extend_from_slice(&line.bytes);
        if !line.bytes.ends_with(b"\n") {
            out.push(b'\n');
            out.extend_from_slice(NO_NEWLINE);
        }
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Patch, PatchError> {
    let mut reader = Reader {
        lines: split_lines(bytes),
        at: 0,
    };
    let mut files = Vec::new();
    while reader.peek().is_some() {
        files.push(reader.file()?);
    }
    files.sort_by(|a: &FilePatch, b| a.path.cmp(&b.path));
    Ok(Patch { files })
}

struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.lines.get(self.at).copied()
    }

    fn malformed(&self, problem: &str) -> PatchError {
        PatchError::Malformed {
            line: self.at + 1,
            problem: problem.to_owned(),
        }
    }

    /// The next header line without its end, if it starts so.
    fn header(&mut self) -> Result<Option<&'a str>, PatchError> {
        let Some(line) = self
            .peek()
            .filter(|line| !line.starts_with(b"diff ") && !line.starts_with(b"@@ "))
        else {
            return Ok(None);
        };
        let text = str::from_utf8(line).map_err(|_| self.malformed("a header is not UTF-8"))?;
        self.at += 1;
        Ok(Some(text.trim_end_matches('\n')))
    }

    fn file(&mut self) -> Result<FilePatch, PatchError> {
        let names = self
            .peek()
            .and_then(|line| line.strip_prefix(b"diff --git "));
        let names = names.and_then(|names| str::from_utf8(names).ok());
        let path = names.and_then(|names| path_of(names.trim_end_matches('\n')));
        let path = path.ok_or_else(|| self.malformed("expected «diff --git a/NAME b/NAME»"))?;
        self.at += 1;
        let operation = self.operation()?;
        let mut hunks = Vec::new();
        while self.peek().is_some_and(|line| line.starts_with(b"@@ ")) {
            hunks.push(self.hunk()?);
        }
        Ok(FilePatch {
            path,
            operation,
            hunks,
        })
    }

    fn operation(&mut self) -> Result<Operation, PatchError> {
        let mut operation = Operation::Modify;
        while let Some(header) = self.header()? {
            let known = ["index ", "--- ", "+++ "]
                .iter()
                .any(|known| header.starts_with(known));
            match after_header(operation, header) {
                Some(next) => operation = next,
                None if known => {}
                None => {
                    self.at -= 1;
                    return Err(self.malformed("unexpected header"));
                }
            }
        }
        Ok(operation)
    }

    fn hunk(&mut self) -> Result<Hunk, PatchError> {
        let ranges = self.peek().and_then(hunk_ranges);
        let [(old_start, mut old_left), (new_start, mut new_left)] =
            ranges.ok_or_else(|| self.malformed("expected «@@ -LINE,COUNT +LINE,COUNT @@»"))?;
        self.at += 1;
        let mut lines = Vec::new();
        while old_left > 0 || new_left > 0 {
            let line = self.line()?;
            let left = |left: usize, used: bool| left.checked_sub(usize::from(used));
            let rest = left(old_left, line.side != Side::Added)
                .zip(left(new_left, line.side != Side::Removed));
            (old_left, new_left) =
                rest.ok_or_else(|| self.malformed("more lines than announced"))?;
            lines.push(line);
        }
        Ok(Hunk {
            old_start,
            new_start,
            lines,
        })
    }

    fn line(&mut self) -> Result<Line, PatchError> {
        let (first, text) = self
            .peek()
            .and_then(<[u8]>::split_first)
            .unwrap_or((&0, b""));
        let (side, text): (_, &[u8]) = match first {
            b' ' => (Side::Context, text),
            b'-' => (Side::Removed, text),
            b'+' => (Side::Added, text),
            b'\n' => (Side::Context, b"\n"), // some tools drop the blank before an empty line
            _ => return Err(self.malformed("expected a line of the hunk")),
        };
        self.at += 1;
        let mut bytes = text.to_vec();
        if self.peek().is_some_and(|line| line.starts_with(b"\\ ")) {
            self.at += 1;
            bytes.pop_if(|byte| *byte == b'\n');
        }
        Ok(Line { side, bytes })
    }
}

/// What an extended header with a mode says, given what the ones before it said.
fn after_header(before: Operation, header: &str) -> Option<Operation> {
    let (words, mode) = header.rsplit_once(' ')?;
    let mode = Mode::parse(mode)?;
    match (words, before) {
        ("new file mode", _) => Some(Operation::Add(mode)),
        ("deleted file mode", _) => Some(Operation::Delete(mode)),
        ("old mode", _) => Some(Operation::ChangeMode {
            old: mode,
            new: mode,
        }),
        ("new mode", Operation::ChangeMode { old, .. }) => {
            Some(Operation::ChangeMode { old, new: mode })
        }
        _ => None,
    }
}

/// The name out of `a/NAME b/NAME`; `None` if the two differ.
fn path_of(names: &str) -> Option<String> {
    let middle = names.len() / 2;
    let (old, new) = (
        names.get(..middle)?,
        names.get(middle..)?.strip_prefix(' ')?,
    );
    let (old, new) = (unquoted(old)?, unquoted(new)?);
    let old = old.strip_prefix("a/")?;
    (Some(old) == new.strip_prefix("b/")).then(|| old.to_owned())
}

fn unquoted(name: &str) -> Option<String> {
    let Some(inner) = name.strip_prefix('"') else {
        return Some(name.to_owned());
    };
    let mut bytes = Vec::new();
    let mut rest = inner.strip_suffix('"')?.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => unescaped(rest.next()?, &mut rest)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn unescaped(escape: u8, rest: &mut impl Iterator<Item = u8>) -> Option<u8> {
    Some(match escape {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'0'..=b'3' => {
            let mut digit = || rest.next()?.checked_sub(b'0').filter(|digit| *digit < 8);
            (escape - b'0') * 64 + digit()? * 8 + digit()?
        }
        other => other,
    })
}

/// Start (from 0) and length of both sides out of `@@ -L,N +L,N @@`.
fn hunk_ranges(line: &[u8]) -> Option<[(usize, usize); 2]> {
    let end = line.windows(3).skip(3).position(|three| three == b" @@")? + 3;
    let text = str::from_utf8(line.get(3..end)?).ok()?;
    let (old, new) = text.split_once(' ')?;
    Some([
        hunk_range(old.strip_prefix('-')?)?,
        hunk_range(new.strip_prefix('+')?)?,
    ])
}

fn hunk_range(text: &str) -> Option<(usize, usize)> {
    let (line, len) = text.split_once(',').unwrap_or((text, "1"));
    let (line, len): (usize, usize) = (line.parse().ok()?, len.parse().ok()?);
    Some((if len == 0 { line } else { line.checked_sub(1)? }, len))
}
