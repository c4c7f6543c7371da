//! Headings: comments that stand above a section of code, and how far each section reaches.

use std::ops::Range;

use super::{Lines, Piece};

/// What a banner is drawn with.
const STROKES: &[char] = &['#', '-', '=', '*', '~', '_', '+'];

/// Fewer equal strokes make no banner.
const MIN_STROKES: usize = 3;

/// A comment that is about all that follows it, up to the next heading of its rank or a higher one, or
/// up to any heading if it stands directly above a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub lines: Range<usize>,
    rank: Rank,
    /// A blank line follows.
    is_apart: bool,
    /// The line that ends its section, for one that says where it ends.
    close: Option<usize>,
}

/// Higher ranks come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It is drawn with the n-th kind of stroke of the file.
    Banner(usize),
    /// Nothing sets it apart but the blank lines around it.
    Plain,
}

/// What remains of a section.
struct Section {
    loses_code: bool,
    keeps_code: bool,
    /// One past the last line that goes.
    end_of_gone: usize,
    /// One past its last line, if another heading follows in its block.
    end: Option<usize>,
}

impl Lines<'_> {
    /// All headings, in order.
    pub(super) fn find_headings(&self) -> Vec<Heading> {
        let mut headings = Vec::new();
        let mut strokes = Vec::new();
        let mut line = 0;
        while line < self.comment.len() {
            let end = self.end_of_comments(line);
            if end > line {
                headings.extend(self.heading(line..end, &mut strokes));
            }
            line = end.max(line + 1);
        }
        headings
    }

    /// The end of the run of comments at one indentation that starts at a line.
    fn end_of_comments(&self, line: usize) -> usize {
        let indent = self.indent(line);
        let belongs = |at: &usize| self.is_comment(*at) && self.indent(*at) == indent;
        (line..)
            .take_while(belongs)
            .last()
            .map_or(line, |last| last + 1)
    }

    /// The heading in a run of comments; what follows its banner is about the next definition.
    fn heading(&self, comments: Range<usize>, strokes: &mut Vec<char>) -> Option<Heading> {
        let is_apart = self.is_blank(comments.end) || comments.end >= self.comment.len();
        let banners: Vec<(usize, char)> = comments
            .clone()
            .filter_map(|line| Some((line, self.stroke(line)?)))
            .collect();
        if let (Some(&(_, stroke)), Some(&(last, _))) = (banners.first(), banners.last()) {
            let is_open = banners.len() == 1 && last == comments.start && self.is_rule(last);
            let end = if is_apart {
                comments.end
            } else {
                last + 1 + usize::from(is_open)
            };
            return Some(Heading {
                lines: comments.start..end.min(comments.end),
                rank: Rank::Banner(position(strokes, stroke)),
                is_apart,
                close: self.close_of_region(last),
            });
        }
        let is_below_code = comments.start > 0 && !self.is_blank(comments.start - 1);
        (is_apart && !is_below_code).then_some(Heading {
            lines: comments,
            rank: Rank::Plain,
            is_apart,
            close: None,
        })
    }

    /// A comment without its start and the blanks around it.
    fn remark(&self, line: usize) -> &str {
        let content = self.content(line).trim();
        content
            .strip_prefix(self.comment_start)
            .unwrap_or(content)
            .trim()
    }

    /// What a comment is drawn with if it is a banner; `r` and `e` for the start and end of a region.
    fn stroke(&self, line: usize) -> Option<char> {
        let remark = self.remark(line);
        match remark.split_whitespace().next() {
            Some("region") => return Some('r'),
            Some("endregion") => return Some('e'),
            _ => {}
        }
        let content = self.content(line).trim();
        let is_stroke = |text: &str, c: char| {
            STROKES.contains(&c)
                && text.chars().take_while(|other| *other == c).count() >= MIN_STROKES
        };
        let reversed: String = content.chars().rev().collect();
        [content, remark, &reversed]
            .into_iter()
            .find_map(|text| text.chars().next().filter(|c| is_stroke(text, *c)))
    }

    /// Whether a comment is a line without words.
    fn is_rule(&self, line: usize) -> bool {
        self.remark(line).chars().all(|c| STROKES.contains(&c))
    }

    /// The line that ends the region which a line starts.
    fn close_of_region(&self, line: usize) -> Option<usize> {
        if self.stroke(line) != Some('r') {
            return None;
        }
        let mut depth = 0;
        (line..self.comment.len())
            .filter(|at| self.is_comment(*at))
            .find(|at| {
                match self.stroke(*at) {
                    Some('r') => depth += 1,
                    Some('e') => depth -= 1,
                    _ => {}
                }
                depth == 0
            })
    }

    /// The headings whose sections have lost all their code go, with the comments between.
    pub(super) fn take_headings(&mut self) {
        let headings = self.find_headings();
        for (index, heading) in headings.iter().enumerate() {
            let rest = headings.get(index + 1..).unwrap_or_default();
            let section = self.section(heading, rest);
            if self.is_head(heading.lines.start) || section.keeps_code || !section.loses_code {
                continue;
            }
            let end = match (heading.close, section.end) {
                (Some(close), _) => close + 1,
                (None, Some(end)) => end,
                (None, None) => section.end_of_gone,
            };
            for line in heading.lines.start..end {
                let goes =
                    self.is_comment(line) && self.indent(line) == self.indent(heading.lines.start);
                super::mark(&mut self.gone, line..line + usize::from(goes));
            }
        }
    }

    fn section(&self, heading: &Heading, following: &[Heading]) -> Section {
        let depth = self.indent(heading.lines.start).len();
        let next = following.iter().find(|other| {
            let ends = other.rank <= heading.rank || !heading.is_apart;
            self.indent(other.lines.start).len() == depth && ends
        });
        let stop = heading.close.or(next.map(|next| next.lines.start));
        let mut section = Section {
            loses_code: false,
            keeps_code: false,
            end_of_gone: heading.lines.end,
            end: stop,
        };
        let mut line = heading.lines.end;
        while line < stop.unwrap_or(self.comment.len()) {
            let piece = self.piece_at(line);
            let is_code = !self.is_blank(line) && !self.is_comment(line);
            if (piece.is_some() || is_code) && self.indent(line).len() < depth {
                section.end = None;
                break;
            }
            if let Some(piece) = piece {
                section.loses_code = true;
                section.end_of_gone = piece.lines.end;
                line = piece.lines.end;
                continue;
            }
            section.keeps_code |= is_code && !self.is_gone(line);
            line += 1;
        }
        section
    }

    /// The piece that a line goes with; pieces are sorted and lie apart.
    fn piece_at(&self, line: usize) -> Option<&Piece> {
        let behind = self
            .pieces
            .partition_point(|piece| piece.lines.start <= line);
        let piece = self.pieces.get(behind.checked_sub(1)?)?;
        piece.lines.contains(&line).then_some(piece)
    }
}

/// The position of an item in a list, to which it is added if need be.
fn position(strokes: &mut Vec<char>, stroke: char) -> usize {
    let known = strokes.iter().position(|other| *other == stroke);
    known.unwrap_or_else(|| {
        strokes.push(stroke);
        strokes.len() - 1
    })
}
