//! Links in documentation that stays to what leaves: the words stay, and lead nowhere.

use std::collections::BTreeSet;

use analyzer::occurrence::Link;

use super::examples::Page;
use crate::lang::Cuts;
use crate::lang::lines::Lines;

/// Takes the brackets away, and the lines that say what their labels stand for.
pub(super) fn cut(cuts: &Cuts<'_>, lines: &mut Lines<'_>) {
    let all = cuts.links.iter().copied();
    let (labels, links): (Vec<&Link>, Vec<&Link>) = all.partition(|link| link.shown.is_empty());
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    for label in labels {
        let line = lines.line_of(label.range.start);
        let page = Page::new(lines, label.documentation.clone());
        gone.extend(page.without(|at| at == line || gone.contains(&at)));
    }
    for line in gone {
        let range = lines.start_of(line)..lines.start_of(line + 1);
        if !lines.touches(&range) {
            lines.replace(range, "");
        }
    }
    for link in links {
        if !lines.touches(&link.range) {
            lines.replace(link.range.start..link.shown.start, "");
            lines.replace(link.shown.end..link.range.end, "");
        }
    }
}
