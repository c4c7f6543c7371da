//! Places in Go code that tools and tests print: `./a.go:3:5: …`, `a_test.go:7: …`, stacks of panics.

use std::path::Path;

use super::declarations;
use super::modules::relative;

/// The most places of one message.
const MOST: usize = 20;

/// A line of the project as a failure tells it: path, line, function.
pub(super) type Frame = (String, u32, String);

/// Finds printed places in a tree.
pub(super) struct Places<'a> {
    pub(super) tree: &'a Path,
    /// Folders that printed paths are relative to, absolute, nearest first.
    pub(super) folders: Vec<&'a Path>,
}

impl Places<'_> {
    /// The frames of the first stack in a text, outermost first; the call that panicked is the last.
    pub(super) fn stack(&self, text: &str) -> Vec<Frame> {
        let lines = text.lines().skip_while(|line| !is_goroutine(line)).skip(1);
        let lines =
            lines.take_while(|line| !line.trim().is_empty() && !line.starts_with("created by "));
        let mut frames: Vec<Frame> = lines
            .filter(|line| line.starts_with('\t'))
            .filter_map(|line| self.frame(place(line)?))
            .collect();
        frames.reverse();
        frames.drain(..frames.len().saturating_sub(MOST));
        frames
    }

    /// All places in a text in its order, each once.
    pub(super) fn all(&self, text: &str) -> Vec<Frame> {
        let mut frames = Vec::new();
        for line in text.lines() {
            let frame = line
                .split_whitespace()
                .find_map(|word| self.frame(place(word)?));
            if let Some(frame) = frame.filter(|frame| !frames.contains(frame)) {
                frames.push(frame);
            }
        }
        frames.truncate(MOST);
        frames
    }

    fn frame(&self, place: Place<'_>) -> Option<Frame> {
        let path = self.path(place.file)?;
        let declared = declarations::of_file(&self.tree.join(&path));
        let name = declarations::around(&declared, place.line).map(|found| found.name.clone());
        Some((path, place.line, name.unwrap_or_default()))
    }

    /// The project-relative path of a printed one.
    pub(super) fn path(&self, printed: &str) -> Option<String> {
        let plain = printed.trim_start_matches("./");
        let mut candidates = self.folders.iter().map(|folder| folder.join(plain));
        let found = candidates.find(|file| file.is_file())?;
        relative(self.tree, &found)
    }
}

/// A printed place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'t> {
    pub(super) file: &'t str,
    pub(super) line: u32,
    /// 0 where none is printed.
    pub(super) column: u32,
    pub(super) rest: &'t str,
}

/// Reads `FILE.go:LINE` or `FILE.go:LINE:COLUMN` at the start of a text, and what follows.
pub(super) fn place(text: &str) -> Option<Place<'_>> {
    let text = text.trim_start();
    let end = text.find(".go:")? + ".go".len();
    let (file, rest) = text.split_at(end);
    let (line, rest) = number(rest.get(1..)?)?;
    let column = rest.strip_prefix(':').and_then(number);
    let (column, rest) = column.unwrap_or((0, rest));
    let rest = rest.trim_start_matches(':').trim();
    Some(Place {
        file,
        line,
        column,
        rest,
    })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn is_goroutine(line: &str) -> bool {
    line.starts_with("goroutine ") && line.ends_with("]:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn printed_places_are_read() {
        let read = |text| place(text).map(|p| (p.file, p.line, p.column, p.rest));
        assert_eq!(
            read("./a/b.go:3:5: undefined: x"),
            Some(("./a/b.go", 3, 5, "undefined: x"))
        );
        assert_eq!(
            read("    b_test.go:12: no"),
            Some(("b_test.go", 12, 0, "no"))
        );
        assert_eq!(read("\t/t/b.go:7 +0x1d"), Some(("/t/b.go", 7, 0, "+0x1d")));
        assert_eq!(read("b.go: 3"), None);
    }

    #[test]
    fn a_stack_leads_from_the_test_to_the_culprit() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        fs::write(
            tree.join("a.go"),
            "package a\n\nfunc (t *T) M() {\n\tpanic(1)\n}\n",
        )
        .unwrap();
        fs::write(
            tree.join("a_test.go"),
            "package a\nfunc TestM(t *testing.T) { new(T).M() }\n",
        )
        .unwrap();
        let root = tree.display();
        let text = format!(
            "panic: 1 [recovered]\n\ngoroutine 7 [running]:\ntesting.tRunner.func1()\n\t/go/testing.go:1 +0x1\nm.(*T).M(...)\n\t{root}/a.go:4\nm.TestM(0x1)\n\t{root}/a_test.go:2 +0x1d\ncreated by testing.(*T).Run\n\t/go/testing.go:5\n"
        );
        let places = Places {
            tree,
            folders: vec![tree],
        };
        let expected = [
            ("a_test.go".to_owned(), 2, "TestM".to_owned()),
            ("a.go".to_owned(), 4, "T.M".to_owned()),
        ];
        assert_eq!(places.stack(&text), expected);
        assert_eq!(
            places.all("# m\n./a.go:4:2: bad\nvet: ./a.go:4:2: bad\n"),
            expected[1..]
        );
    }
}
