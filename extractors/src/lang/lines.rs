//! The lines of a file that loses some: which go, what goes with them, and what stays between.
//!
//! Invariant: edits are sorted, do not overlap, and touch nothing but lines marked here and the
//! blank lines and comments that belong to them.

mod headings;

use std::ops::Range;

use super::Edit;
use headings::Heading;

/// A file as lines, and the marks that an extractor puts on them.
pub(crate) struct Lines<'a> {
    text: &'a str,
    /// Where each line starts; one more entry for the end of the text.
    starts: Vec<usize>,
    /// How a comment that runs to the end of its line starts.
    comment_start: &'static str,
    /// Lines that hold nothing but a comment.
    comment: Vec<bool>,
    gone: Vec<bool>,
    pieces: Vec<Piece>,
    edits: Vec<Edit>,
}

/// Whole lines that go together.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Line numbers, from 0.
    pub lines: Range<usize>,
    /// Nothing that stays comes before it in its block.
    pub first: bool,
    /// Nothing that stays comes after it in its block.
    pub last: bool,
    /// A definition with a body, whose comments are its own; else one line of a group, whose
    /// comments go with the last line of the group.
    pub compound: bool,
}

impl<'a> Lines<'a> {
    /// `comments` are the ranges of all comments.
    pub fn new(
        text: &'a str,
        comment_start: &'static str,
        comments: impl IntoIterator<Item = Range<usize>>,
    ) -> Self {
        let starts = line_starts(text);
        let count = starts.len().saturating_sub(1);
        let mut lines = Self {
            text,
            starts,
            comment_start,
            comment: vec![false; count],
            gone: vec![false; count],
            pieces: Vec::new(),
            edits: Vec::new(),
        };
        for comment in comments {
            let line = lines.line_of(comment.start);
            if lines.starts_line(comment.start) {
                mark(&mut lines.comment, line..line + 1);
            }
        }
        lines
    }

    /// The number, from 0, of the line that holds an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// Where a line starts; the end of the text for a line behind the last one.
    pub fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// A line without its end.
    pub fn content(&self, line: usize) -> &'a str {
        let text = self.text.get(self.start_of(line)..self.start_of(line + 1));
        text.unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    /// Where the content of a line ends.
    pub fn end_of(&self, line: usize) -> usize {
        self.start_of(line) + self.content(line).len()
    }

    /// The blanks that a line starts with.
    pub fn indent(&self, line: usize) -> &'a str {
        let content = self.content(line);
        content
            .get(..content.len() - content.trim_start().len())
            .unwrap_or_default()
    }

    /// The line end that the file uses around an offset.
    pub fn line_end(&self, offset: usize) -> &'a str {
        let line = self.line_of(offset);
        let full = |line| {
            self.text
                .get(self.end_of(line)..self.start_of(line + 1))
                .unwrap_or_default()
        };
        [line, line.saturating_sub(1), 0]
            .into_iter()
            .map(full)
            .find(|end| !end.is_empty())
            .unwrap_or("\n")
    }

    /// Whether only blanks stand before an offset in its line.
    pub fn starts_line(&self, offset: usize) -> bool {
        let before = self.text.get(self.start_of(self.line_of(offset))..offset);
        before.is_some_and(|before| before.trim().is_empty())
    }

    /// Whether only blanks, `filler` and a comment follow an offset in its line.
    pub fn ends_line(&self, offset: usize, filler: &[char]) -> bool {
        let rest = self
            .text
            .get(offset..self.end_of(self.line_of(offset)))
            .unwrap_or_default();
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || filler.contains(&c));
        rest.is_empty() || rest.starts_with(self.comment_start)
    }

    /// Whether a line has only blanks (a form feed is one).
    pub fn is_blank(&self, line: usize) -> bool {
        line < self.gone.len() && self.content(line).trim().is_empty()
    }

    /// Whether a line holds nothing but a comment.
    pub fn is_comment(&self, line: usize) -> bool {
        self.comment.get(line).copied().unwrap_or(false)
    }

    /// The line after a body, behind the comments that are indented deeper than its owner.
    pub fn end_of_body(&self, owner: usize, last: usize) -> usize {
        let depth = self.indent(owner).len();
        let mut end = last + 1;
        let mut at = end;
        while self.is_blank(at) || (self.is_comment(at) && self.indent(at).len() > depth) {
            at += 1;
            if self.is_comment(at - 1) {
                end = at;
            }
        }
        end
    }

    /// Replaces a range; edits inside lines that go are dropped.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.edits.push(Edit {
            range,
            text: text.into(),
        });
    }

    /// Whether something in a range is replaced already.
    pub fn touches(&self, range: &Range<usize>) -> bool {
        let mut edits = self.edits.iter().map(|edit| &edit.range);
        edits.any(|edit| edit.start < range.end && range.start < edit.end)
    }

    /// Lets whole lines go.
    pub fn remove(&mut self, piece: Piece) {
        mark(&mut self.gone, piece.lines.clone());
        self.pieces.push(piece);
    }

    /// Lets the comments directly above a line go, unless the file starts with them.
    pub fn remove_comments_above(&mut self, line: usize) {
        let top = self.top_of_comments(line, &self.find_headings());
        if !self.is_head(top) {
            mark(&mut self.gone, top..line);
        }
    }

    /// Settles comments and blank lines around what goes, and gives the edits.
    pub fn finish(mut self) -> Vec<Edit> {
        self.pieces
            .sort_by_key(|piece| (piece.lines.start, piece.lines.end));
        self.take_comments();
        self.take_headings();
        let segments = self.segments();
        let mut edits: Vec<Edit> = segments
            .into_iter()
            .map(|range| self.removed(range))
            .collect();
        // What is put in where a cut ends is part of what stays.
        let inside = |range: &Range<usize>| {
            edits.iter().any(|gone| {
                let gone = &gone.range;
                gone.start <= range.start && range.end <= gone.end && range.start < gone.end
            })
        };
        let kept: Vec<Edit> = self
            .edits
            .iter()
            .filter(|edit| !inside(&edit.range))
            .cloned()
            .collect();
        edits.extend(kept);
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        edits
    }

    fn removed(&self, lines: Range<usize>) -> Edit {
        Edit {
            range: self.start_of(lines.start)..self.start_of(lines.end),
            text: String::new(),
        }
    }

    fn is_gone(&self, line: usize) -> bool {
        self.gone.get(line).copied().unwrap_or(false)
    }

    /// The comments directly above a piece go with it, unless the file starts with them.
    fn take_comments(&mut self) {
        let headings = self.find_headings();
        for i in (0..self.pieces.len()).rev() {
            let Some(piece) = self.pieces.get(i).cloned() else {
                continue;
            };
            let top = self.top_of_comments(piece.lines.start, &headings);
            if top < piece.lines.start && !self.is_head(top) && self.owns_comments(&piece) {
                mark(&mut self.gone, top..piece.lines.start);
                if let Some(piece) = self.pieces.get_mut(i) {
                    piece.lines.start = top;
                }
            }
        }
    }

    /// The first line of the comments that stand directly above a line at its indentation and are
    /// about nothing else.
    fn top_of_comments(&self, line: usize, headings: &[Heading]) -> usize {
        let indent = self.indent(line);
        let heads = |line: &usize| headings.iter().any(|heading| heading.lines.contains(line));
        let belongs = |above: &usize| {
            self.is_comment(*above) && self.indent(*above) == indent && !heads(above)
        };
        (0..line).rev().take_while(belongs).last().unwrap_or(line)
    }

    /// Whether nothing but blank lines comes before a line.
    fn is_head(&self, line: usize) -> bool {
        (0..line).all(|above| self.is_blank(above))
    }

    /// A comment above a group of lines stays as long as a line of the group does.
    fn owns_comments(&self, piece: &Piece) -> bool {
        let next = (piece.lines.end..)
            .find(|line| !self.is_gone(*line))
            .unwrap_or_default();
        let group_goes_on = next < self.gone.len()
            && !self.is_blank(next)
            && !self.is_comment(next)
            && self.indent(next) == self.indent(piece.lines.start)
            && !self.content(next).trim_start().starts_with([')', ']', '}']);
        piece.compound || !group_goes_on
    }

    /// Maximal runs of lines that go, with the blank lines that would be too many afterwards.
    fn segments(&self) -> Vec<Range<usize>> {
        let mut segments = Vec::new();
        let mut line = 0;
        while line < self.gone.len() {
            if !self.is_gone(line) {
                line += 1;
                continue;
            }
            let mut end = line;
            let mut at = line;
            while self.is_gone(at) || self.is_blank(at) {
                at += 1;
                if self.is_gone(at - 1) {
                    end = at;
                }
            }
            segments.extend(self.settled(line..end));
            line = at;
        }
        segments
    }

    /// What of a segment goes: with blank lines around it, or without one in it that still separates.
    fn settled(&self, segment: Range<usize>) -> Vec<Range<usize>> {
        let touches = |line: usize| line < self.gone.len() && !self.is_blank(line);
        let joins = touches(segment.start.wrapping_sub(1))
            && touches(segment.end)
            && !self.opens_block(&segment, segment.start)
            && !self.closes_block(&segment, segment.end);
        let separates = |line: &usize| self.is_blank(*line) && !self.is_gone(*line);
        match segment.clone().find(separates).filter(|_| joins) {
            Some(blank) => {
                let next = (blank..segment.end).find(|line| !separates(line));
                vec![
                    segment.start..blank,
                    next.unwrap_or(segment.end)..segment.end,
                ]
            }
            None => vec![self.with_blanks(segment)],
        }
    }

    /// Of the blank lines before and after a segment one run stays: the longer one, or the one that
    /// still separates something.
    fn with_blanks(&self, segment: Range<usize>) -> Range<usize> {
        let before = (0..segment.start)
            .rev()
            .take_while(|line| self.is_blank(*line))
            .count();
        let after = (segment.end..)
            .take_while(|line| self.is_blank(*line))
            .count();
        let (above, below) = (segment.start - before, segment.end + after);
        let keep_before = segment.start - before..segment.end + after;
        let (without_before, without_after) = (above..segment.end, segment.start..below);
        if below >= self.gone.len() {
            return keep_before;
        }
        if above == 0 || self.opens_block(&segment, above) {
            return without_after;
        }
        if self.closes_block(&segment, below) {
            return without_before;
        }
        let weight = |lines: Range<usize>| {
            let feeds = lines
                .clone()
                .any(|line| self.content(line).contains('\u{c}'));
            (feeds, lines.len())
        };
        if weight(segment.end..below) > weight(above..segment.start) {
            without_before
        } else {
            without_after
        }
    }

    fn opens_block(&self, segment: &Range<usize>, above: usize) -> bool {
        let first = self
            .pieces
            .iter()
            .find(|piece| segment.contains(&piece.lines.start));
        first.is_some_and(|piece| piece.first)
            && !self.is_comment_of_block(above.wrapping_sub(1), segment)
    }

    fn closes_block(&self, segment: &Range<usize>, below: usize) -> bool {
        let last = self
            .pieces
            .iter()
            .rfind(|piece| segment.contains(&piece.lines.start) && piece.lines.end <= segment.end);
        last.is_some_and(|piece| piece.last) && !self.is_comment_of_block(below, segment)
    }

    fn is_comment_of_block(&self, line: usize, segment: &Range<usize>) -> bool {
        self.is_comment(line) && self.indent(line).len() >= self.indent(segment.start).len()
    }
}

fn mark(lines: &mut [bool], range: Range<usize>) {
    if let Some(lines) = lines.get_mut(range) {
        lines.fill(true);
    }
}

/// Lines end after a line feed, or after a carriage return that no line feed follows.
pub(crate) fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(i, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(i + 1) != Some(&b'\n'),
        _ => false,
    });
    let mut starts: Vec<usize> = [0].into_iter().chain(ends.map(|(i, _)| i + 1)).collect();
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}
