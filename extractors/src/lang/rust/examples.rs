//! Examples in documentation: the blocks of code that rustdoc runs, and what would be left dangling
//! without them.

use std::ops::Range;

use analyzer::symbol::Symbol;
use grammars::SyntaxTree;
use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, AstToken};

use crate::lang::Refusal;
use crate::lang::lines::Lines;

/// Cuts the examples out of a symbol's documentation.
pub(super) fn cut(
    tree: &SyntaxTree,
    lines: &mut Lines<'_>,
    symbol: &Symbol,
) -> Result<(), Refusal> {
    let range = documentation(tree, symbol);
    let page = range.map(|range| Page::new(lines, range));
    let cuts = page.map(Page::without_examples).unwrap_or_default();
    if cuts.is_empty() {
        return Err(Refusal {
            symbol: symbol.id.clone(),
            reason: "its documentation has no examples that can be cut out",
        });
    }
    for line in cuts {
        lines.replace(lines.start_of(line)..lines.start_of(line + 1), "");
    }
    Ok(())
}

/// Where the documentation of a symbol stands; that of a file stands inside it.
fn documentation(tree: &SyntaxTree, symbol: &Symbol) -> Option<Range<usize>> {
    if !symbol.id.is_module() {
        return symbol.doc.clone();
    }
    let file = grammars::rust::source_file(tree)?;
    let children = file.syntax().children_with_tokens();
    let comments = children
        .filter_map(|it| it.into_token())
        .filter_map(ast::Comment::cast);
    let inner = comments.filter(|it| it.is_doc() && it.is_inner());
    let ranges: Vec<_> = inner.map(|it| it.syntax().text_range()).collect();
    let (first, last) = (ranges.first()?, ranges.last()?);
    Some(usize::from(first.start())..usize::from(last.end()))
}

/// The lines of one documentation, each with its text behind the marker.
pub(super) struct Page<'t> {
    lines: Vec<(usize, &'t str)>,
    gone: Vec<bool>,
}

impl<'t> Page<'t> {
    pub fn new(lines: &Lines<'t>, range: Range<usize>) -> Self {
        let last = lines.line_of(range.end.saturating_sub(1));
        let mut is_in_block = false;
        let text = |line: usize| {
            let text = said(lines.content(line).trim(), &mut is_in_block)?;
            Some((line, text.trim()))
        };
        let lines: Vec<_> = (lines.line_of(range.start)..=last)
            .filter_map(text)
            .collect();
        Self {
            gone: vec![false; lines.len()],
            lines,
        }
    }

    /// The numbers of the lines that go with the examples.
    fn without_examples(mut self) -> Vec<usize> {
        self.mark_examples();
        self.settled()
    }

    /// The numbers of the lines that go with some of them.
    pub fn without(mut self, goes: impl Fn(usize) -> bool) -> Vec<usize> {
        for ((line, _), gone) in self.lines.iter().zip(&mut self.gone) {
            *gone = goes(*line);
        }
        self.settled()
    }

    fn settled(mut self) -> Vec<usize> {
        while self.gone.contains(&true) && self.mark_dangling() {}
        let marked = self.lines.iter().zip(&self.gone);
        marked
            .filter(|(_, gone)| **gone)
            .map(|((line, _), _)| *line)
            .collect()
    }

    fn mark_examples(&mut self) {
        let mut fence: Option<(&str, bool)> = None;
        for ((_, text), gone) in self.lines.iter().zip(&mut self.gone) {
            match fence {
                Some((marker, runs)) => {
                    *gone = runs;
                    if text.starts_with(marker) && text.trim_start_matches(['`', '~']).is_empty() {
                        fence = None;
                    }
                }
                None => {
                    let marker = ["```", "~~~"].into_iter().find(|it| text.starts_with(it));
                    fence = marker.map(|marker| (marker, runs(text)));
                    *gone = fence.is_some_and(|(_, runs)| runs);
                }
            }
        }
    }

    /// Marks headings and announcements that nothing follows, and blank lines that are too many; whether
    /// there were any.
    fn mark_dangling(&mut self) -> bool {
        let staying = (0..self.lines.len()).filter(|at| !self.is_gone(*at));
        let dangling: Vec<usize> = staying.filter(|at| self.dangles(*at)).collect();
        for at in &dangling {
            if let Some(gone) = self.gone.get_mut(*at) {
                *gone = true;
            }
        }
        !dangling.is_empty()
    }

    fn dangles(&self, at: usize) -> bool {
        let is_blank = |at: &usize| self.text(*at).is_none_or(str::is_empty);
        let behind = at + 1..self.lines.len();
        let next = behind.clone().find(|at| !self.is_gone(*at));
        let next_text = behind
            .clone()
            .find(|at| !self.is_gone(*at) && !is_blank(at));
        let mut gap = behind.take_while(|at| Some(*at) != next_text);
        let touches = self.is_gone(at + 1) || at.checked_sub(1).is_some_and(|at| self.is_gone(at));
        let is_heading = |text: &str| text.starts_with('#');
        match self.text(at).unwrap_or_default() {
            "" => touches && (next.is_none_or(|at| is_blank(&at)) || self.is_first(at)),
            text if is_heading(text) => {
                let is_empty = next_text
                    .and_then(|at| self.text(at))
                    .is_none_or(is_heading);
                is_empty && gap.any(|at| self.is_gone(at))
            }
            // The first line says what it is all about.
            text => {
                let is_alone = at.checked_sub(1).is_some_and(|at| is_blank(&at));
                is_alone && text.ends_with(':') && gap.any(|at| self.is_gone(at))
            }
        }
    }

    fn is_first(&self, at: usize) -> bool {
        (0..at).all(|at| self.is_gone(at))
    }

    fn is_gone(&self, at: usize) -> bool {
        self.gone.get(at).copied().unwrap_or(false)
    }

    fn text(&self, at: usize) -> Option<&'t str> {
        self.lines.get(at).map(|(_, text)| *text)
    }
}

/// What a line of documentation says, if it is not there for a comment's delimiter.
fn said<'t>(line: &'t str, is_in_block: &mut bool) -> Option<&'t str> {
    if *is_in_block {
        *is_in_block = !line.ends_with("*/");
        let rest = line.strip_prefix('*').unwrap_or(line);
        return is_in_block.then_some(rest);
    }
    *is_in_block = ["/**", "/*!"].iter().any(|it| line.starts_with(it)) && !line.ends_with("*/");
    let markers = ["///", "//!"].into_iter();
    markers.filter_map(|it| line.strip_prefix(it)).next()
}

/// Whether rustdoc takes a block for code that it can run.
fn runs(fence: &str) -> bool {
    let words = fence.trim_start_matches(['`', '~']).split([',', ' ']);
    let mut words = words.filter(|word| !word.is_empty());
    words.all(|word| {
        [
            "rust",
            "should_panic",
            "no_run",
            "compile_fail",
            "standalone_crate",
        ]
        .contains(&word)
            || word.starts_with("edition")
            || word.starts_with('E')
    })
}
