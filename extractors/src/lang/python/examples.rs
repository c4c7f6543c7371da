//! Examples in documentation: the lines of interactive sessions that a doctest runs, and what would
//! be left dangling without them.

use std::ops::Range;

use analyzer::symbol::Symbol;
use grammars::SyntaxTree;

use super::statements::Dropped;
use super::{child_of_kind, statement_at};
use crate::lang::Refusal;
use crate::lang::lines::{Lines, line_starts};

/// Cuts the examples out of a symbol's documentation; documentation that is nothing else goes.
pub(super) fn cut<'t>(
    tree: &'t SyntaxTree,
    lines: &mut Lines<'_>,
    dropped: &mut Dropped<'t>,
    symbol: &Symbol,
) -> Result<(), Refusal> {
    let refusal = || Refusal {
        symbol: symbol.id.clone(),
        reason: "its documentation has no examples that can be cut out",
    };
    let statement = symbol
        .doc
        .as_ref()
        .and_then(|doc| statement_at(tree, doc))
        .ok_or_else(refusal)?;
    let string = child_of_kind(statement, "string").ok_or_else(refusal)?;
    let content = child_of_kind(string, "string_start")
        .zip(child_of_kind(string, "string_end"))
        .map(|(start, end)| start.end_byte()..end.start_byte())
        .ok_or_else(refusal)?;
    let text = tree.text().slice(content.clone());
    let cuts = examples(text, Frame::Quotes);
    if cuts.is_empty() {
        return Err(refusal());
    }
    if is_blank_without(text, &cuts) {
        dropped.statement(statement);
        return Ok(());
    }
    for cut in cuts {
        lines.replace(content.start + cut.start..content.start + cut.end, "");
    }
    Ok(())
}

fn is_blank_without(text: &str, cuts: &[Range<usize>]) -> bool {
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut.end));
    let ends = cuts
        .iter()
        .map(|cut| cut.start)
        .chain(std::iter::once(text.len()));
    starts.zip(ends).all(|(start, end)| {
        text.get(start..end)
            .is_none_or(|kept| kept.trim().is_empty())
    })
}

/// What stands around a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The quotes of a string, on the lines of the text.
    Quotes,
    /// Nothing: it is a file.
    File,
}

/// The ranges that the examples of a text take, with headings and frames that stand for nothing
/// else, and the blank lines that would be too many. Sorted, without overlap.
pub(super) fn examples(text: &str, frame: Frame) -> Vec<Range<usize>> {
    let mut page = Page::new(text, frame);
    page.mark_examples();
    if page.gone.contains(&true) {
        while page.mark_dangling() {}
    }
    page.cuts()
}

/// A text as lines, and which of them go.
struct Page<'t> {
    text: &'t str,
    /// Where each line starts; one more entry for the end.
    starts: Vec<usize>,
    gone: Vec<bool>,
    frame: Frame,
    /// The lines between those that hold nothing but a quote and its indentation.
    inner: Range<usize>,
}

impl<'t> Page<'t> {
    fn new(text: &'t str, frame: Frame) -> Self {
        let mut starts = line_starts(text);
        if frame == Frame::Quotes && text.ends_with(['\n', '\r']) {
            // The closing quotes stand at the start of a line, which is empty without them.
            starts.push(text.len());
        }
        let count = starts.len().saturating_sub(1);
        let mut page = Self {
            text,
            starts,
            gone: vec![false; count],
            frame,
            inner: 0..count,
        };
        if frame == Frame::Quotes && count > 1 {
            let (opens, closes) = (page.is_blank(0), page.is_blank(count - 1));
            page.inner = usize::from(opens)..count - usize::from(closes);
        }
        page
    }

    fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// A line without its end.
    fn content(&self, line: usize) -> &'t str {
        let line = self.text.get(self.start_of(line)..self.start_of(line + 1));
        line.unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    fn indent(&self, line: usize) -> usize {
        let content = self.content(line);
        content.len() - content.trim_start().len()
    }

    fn is_blank(&self, line: usize) -> bool {
        self.content(line).trim().is_empty()
    }

    fn is_gone(&self, line: usize) -> bool {
        self.gone.get(line).copied().unwrap_or(false)
    }

    fn take(&mut self, line: usize) {
        if let Some(gone) = self.gone.get_mut(line) {
            *gone = true;
        }
    }

    /// An example reaches from its first prompt to the next blank line.
    fn mark_examples(&mut self) {
        let mut inside = false;
        for line in 0..self.gone.len() {
            inside = !self.is_blank(line) && (inside || is_prompt(self.content(line)));
            if inside {
                self.take(line);
            }
        }
    }

    /// Takes the last line that announces or frames nothing any more; whether there was one.
    fn mark_dangling(&mut self) -> bool {
        let count = self.gone.len();
        let found = (0..count).rev().find_map(|line| self.dangling(line));
        for line in found.iter().flatten() {
            self.take(*line);
        }
        found.is_some()
    }

    /// The lines that go because the one given announces what has gone.
    fn dangling(&self, line: usize) -> Option<Vec<usize>> {
        if self.is_gone(line) || self.is_blank(line) {
            return None;
        }
        let end = self.end_of_heading(line);
        let below =
            (end..self.gone.len()).find(|line| !self.is_gone(*line) && !self.is_blank(*line));
        let passed = end..below.unwrap_or(self.gone.len());
        let lost = passed.clone().find(|line| self.is_gone(*line))?;
        let text = self.content(line).trim();
        let within = |depth: usize| below.is_some_and(|below| self.indent(below) > depth);
        if is_fence(text) {
            let closing = below.filter(|below| is_fence(self.content(*below).trim()))?;
            return Some(vec![line, closing]);
        }
        let is_over = if is_directive(text) {
            !within(self.indent(line))
        } else if announces_examples(text) {
            let was_within = self.indent(lost) > self.indent(line);
            below.is_none_or(|below| {
                self.is_heading(below) || self.indent(below) < self.indent(line)
            }) || (was_within && !within(self.indent(line)))
        } else {
            false
        };
        is_over.then(|| (line..end).collect())
    }

    /// One past a heading: behind the line under it, or behind the options of a directive.
    fn end_of_heading(&self, line: usize) -> usize {
        if self.is_underlined(line) {
            return line + 2;
        }
        let is_option = |option: &usize| {
            is_directive(self.content(line).trim())
                && self.indent(*option) > self.indent(line)
                && self.content(*option).trim_start().starts_with(':')
        };
        line + 1 + (line + 1..self.gone.len()).take_while(is_option).count()
    }

    fn is_underlined(&self, line: usize) -> bool {
        let under = self.content(line + 1).trim();
        let is_rule = |c: char| under.len() >= 3 && under.chars().all(|other| other == c);
        !self.is_gone(line + 1) && ['-', '=', '~', '^', '*', '+', '"'].into_iter().any(is_rule)
    }

    fn is_heading(&self, line: usize) -> bool {
        let text = self.content(line).trim();
        let is_short = text.split_whitespace().count() <= 2;
        self.is_underlined(line) || text.starts_with('#') || (is_short && text.ends_with(':'))
    }

    /// What goes, with blank lines so that one run of them stays between what does not.
    fn cuts(&self) -> Vec<Range<usize>> {
        let mut cuts = Vec::new();
        let mut line = self.inner.start;
        while line < self.inner.end {
            if !self.is_gone(line) {
                line += 1;
                continue;
            }
            let run = line..self.end_of_run(line);
            line = run.end;
            cuts.push(self.cut(&run));
        }
        cuts
    }

    /// The end of the lines that go from one on, over blank ones between them.
    fn end_of_run(&self, start: usize) -> usize {
        let rest = start..self.inner.end;
        let run = rest.take_while(|line| self.is_gone(*line) || self.is_blank(*line));
        run.filter(|line| self.is_gone(*line))
            .last()
            .map_or(start, |last| last + 1)
    }

    fn cut(&self, run: &Range<usize>) -> Range<usize> {
        let blank = |line: &usize| self.is_blank(*line) && !self.is_gone(*line);
        let above = (self.inner.start..run.start)
            .rev()
            .take_while(blank)
            .count();
        let below = (run.end..self.inner.end).take_while(blank).count();
        let (above, below) = (run.start - above, run.end + below);
        let quoted = self.frame == Frame::Quotes;
        if below == self.inner.end {
            let last = self.content_end(above.wrapping_sub(1));
            return match last.filter(|_| quoted && below == self.gone.len()) {
                Some(last) => last..self.text.len(),
                None => self.start_of(above)..self.start_of(below),
            };
        }
        if above == self.inner.start {
            let start = self.start_of(above);
            let indent = if quoted && start == 0 {
                self.indent(below)
            } else {
                0
            };
            return start..self.start_of(below) + indent;
        }
        let end = if above < run.start { below } else { run.end };
        self.start_of(run.start)..self.start_of(end)
    }

    fn content_end(&self, line: usize) -> Option<usize> {
        (line < self.gone.len()).then(|| self.start_of(line) + self.content(line).len())
    }
}

fn is_prompt(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix(">>>");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn is_fence(text: &str) -> bool {
    text.starts_with("```") || text.starts_with("~~~")
}

fn is_directive(text: &str) -> bool {
    text.starts_with(".. ") && text.contains("::")
}

/// Whether a line says no more than that examples follow.
fn announces_examples(text: &str) -> bool {
    let words = text
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let told = ["example", "examples", "usage", "doctest", "doctests", "e.g"];
    let mut words = words.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| told.contains(&word) || ["for", "basic", "some"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn without(frame: Frame, text: &str) -> String {
        let mut rest = String::new();
        let mut at = 0;
        for cut in examples(text, frame) {
            rest += &text[at..cut.start];
            at = cut.end;
        }
        rest + &text[at..]
    }

    #[expect(clippy::needless_pass_by_value, reason = "as everywhere")]
    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&without(Frame::File, text));
    }

    #[test]
    fn prose_stays_and_one_blank_line_between_it() {
        check(
            "A.\n\n>>> f()\n1\n\n  >>> g(\n  ... 2)\n\nB.\n\n>>> h()\n",
            expect![[r#"
                A.

                B.
            "#]],
        );
    }

    #[test]
    fn a_heading_and_a_frame_without_content_go() {
        check(
            "Doc\n===\n\nUsage\n-----\n\n.. doctest::\n   :hide:\n\n   >>> f()\n\nExamples:\n\n```pycon\n>>> g()\n\n```\n\nRest\n----\n\nExample::\n\n   >>> h()\n\n   More.\n",
            expect![[r#"
                Doc
                ===

                Rest
                ----

                Example::

                   More.
            "#]],
        );
    }

    #[test]
    fn quotes_stay_where_they_were() {
        let quoted = |text: &str, expected: &str| {
            assert_eq!(without(Frame::Quotes, text), expected);
        };
        quoted("Doc.\n\n    >>> f()\n    1", "Doc.");
        quoted(">>> f()\n    1\n\n    Doc.\n    ", "Doc.\n    ");
        quoted("\n    >>> f()\n    1\n\n    Doc.\n    ", "\n    Doc.\n    ");
        quoted(
            "Doc.\n\n    Examples\n    --------\n    >>> f()\n\n    ",
            "Doc.\n    ",
        );
        quoted("Doc.\n\n>>> f()\n", "Doc.\n");
    }
}
