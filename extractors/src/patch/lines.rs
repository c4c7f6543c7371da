//! Which lines differ: patience diff, whose time is near-linear however much was removed.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Regions without a line that is unique on both sides are compared exactly up to this many pairs
/// of lines; larger ones count as rewritten.
const EXACT_LIMIT: usize = 1 << 20;

/// Lines `old` were replaced by lines `new`; never both empty, never adjacent to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// The places where two texts differ, in order.
pub(super) fn changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<Replaced> {
    let mut matches = Vec::new();
    match_region(old, new, 0..old.len(), 0..new.len(), &mut matches);
    let mut changes = between(&matches, old.len(), new.len());
    settle(old, new, &mut changes);
    changes
}

/// The gaps that a list of equal pairs leaves.
fn between(matches: &[(usize, usize)], old_len: usize, new_len: usize) -> Vec<Replaced> {
    let mut at = (0, 0);
    let mut changes = Vec::new();
    for &(old, new) in matches.iter().chain([&(old_len, new_len)]) {
        if at != (old, new) {
            changes.push(Replaced {
                old: at.0..old,
                new: at.1..new,
            });
        }
        at = (old + 1, new + 1);
    }
    changes
}

/// Appends the equal pairs of two regions, ascending on both sides.
fn match_region(
    old: &[&[u8]],
    new: &[&[u8]],
    mut a: Range<usize>,
    mut b: Range<usize>,
    matches: &mut Vec<(usize, usize)>,
) {
    let equal = |i: usize, j: usize| old.get(i) == new.get(j);
    while !a.is_empty() && !b.is_empty() && equal(a.start, b.start) {
        matches.push((a.start, b.start));
        (a.start, b.start) = (a.start + 1, b.start + 1);
    }
    let ends = (a.end, b.end);
    while !a.is_empty() && !b.is_empty() && equal(a.end - 1, b.end - 1) {
        (a.end, b.end) = (a.end - 1, b.end - 1);
    }
    if !a.is_empty() && !b.is_empty() {
        match_middle(old, new, a.clone(), b.clone(), matches);
    }
    matches.extend((a.end..ends.0).zip(b.end..ends.1));
}

fn match_middle(
    old: &[&[u8]],
    new: &[&[u8]],
    a: Range<usize>,
    b: Range<usize>,
    matches: &mut Vec<(usize, usize)>,
) {
    let anchors = longest_ascending(&unique_pairs(old, new, &a, &b));
    if anchors.is_empty() {
        if a.len().saturating_mul(b.len()) <= EXACT_LIMIT {
            match_exactly(old, new, a, b, matches);
        }
        return;
    }
    let mut at = (a.start, b.start);
    for (i, j) in anchors {
        match_region(old, new, at.0..i, at.1..j, matches);
        matches.push((i, j));
        at = (i + 1, j + 1);
    }
    match_region(old, new, at.0..a.end, at.1..b.end, matches);
}

/// Pairs of equal lines that occur once on each side, ordered by the old side.
fn unique_pairs(
    old: &[&[u8]],
    new: &[&[u8]],
    a: &Range<usize>,
    b: &Range<usize>,
) -> Vec<(usize, usize)> {
    let in_new = unique(new, b);
    let mut pairs: Vec<_> = unique(old, a)
        .into_iter()
        .filter_map(|(line, i)| Some((i?, (*in_new.get(line)?)?)))
        .collect();
    pairs.sort_unstable();
    pairs
}

/// Where each line of a region stands; `None` if it stands there more than once.
fn unique<'a>(lines: &[&'a [u8]], region: &Range<usize>) -> FxHashMap<&'a [u8], Option<usize>> {
    let mut places = FxHashMap::default();
    for (i, line) in (region.clone()).zip(lines.get(region.clone()).unwrap_or_default()) {
        places
            .entry(*line)
            .and_modify(|place| *place = None)
            .or_insert(Some(i));
    }
    places
}

/// The longest run of pairs that ascends on the second side, too.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `tails` holds, for each length, the pair that ends the best run of that length.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |i: usize| pairs.get(i).map(|pair| pair.1);
    for (i, pair) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| second(*tail) < Some(pair.1));
        previous.push(
            length
                .checked_sub(1)
                .and_then(|shorter| tails.get(shorter).copied()),
        );
        tails.truncate(length.max(tails.len().min(length + 1)));
        match tails.get_mut(length) {
            Some(tail) => *tail = i,
            None => tails.push(i),
        }
    }
    let mut run = Vec::new();
    let mut at = tails.last().copied();
    while let Some(i) = at {
        run.extend(pairs.get(i));
        at = previous.get(i).copied().flatten();
    }
    run.reverse();
    run
}

/// The textbook longest common subsequence, for small regions.
fn match_exactly(
    old: &[&[u8]],
    new: &[&[u8]],
    a: Range<usize>,
    b: Range<usize>,
    matches: &mut Vec<(usize, usize)>,
) {
    let equal = |i: usize, j: usize| old.get(a.start + i) == new.get(b.start + j);
    let width = b.len() + 1;
    let mut longest = vec![0_u32; (a.len() + 1) * width];
    let at = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let value = if equal(i, j) {
                at(&longest, i + 1, j + 1) + 1
            } else {
                at(&longest, i + 1, j).max(at(&longest, i, j + 1))
            };
            if let Some(cell) = longest.get_mut(i * width + j) {
                *cell = value;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if equal(i, j) {
            matches.push((a.start + i, b.start + j));
            (i, j) = (i + 1, j + 1);
        } else if at(&longest, i + 1, j) >= at(&longest, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
}

/// Moves one-sided changes, where several places are equally right, to where a reader expects them:
/// as low as possible, but after a blank line if one of the places is.
fn settle(old: &[&[u8]], new: &[&[u8]], changes: &mut [Replaced]) {
    for i in 0..changes.len() {
        let floor = i
            .checked_sub(1)
            .and_then(|i| changes.get(i))
            .map_or(0, |last| last.old.end + 1);
        let ceiling = changes.get(i + 1).map_or(usize::MAX, |next| next.old.start);
        let Some(change) = changes.get_mut(i) else {
            return;
        };
        let (text, range) = match (change.old.is_empty(), change.new.is_empty()) {
            (false, true) => (old, &change.old),
            (true, false) => (new, &change.new),
            _ => continue,
        };
        let room = (
            change.old.start.saturating_sub(floor),
            ceiling.saturating_sub(change.old.end + 1),
        );
        let shift = best_shift(text, range, room);
        change.old = shifted(&change.old, shift);
        change.new = shifted(&change.new, shift);
    }
}

fn shifted(range: &Range<usize>, by: isize) -> Range<usize> {
    range.start.saturating_add_signed(by)..range.end.saturating_add_signed(by)
}

fn best_shift(text: &[&[u8]], range: &Range<usize>, room: (usize, usize)) -> isize {
    let same = |a: usize, b: usize| text.get(a).is_some() && text.get(a) == text.get(b);
    let up = (0..room.0.min(range.start))
        .take_while(|k| same(range.start - 1 - k, range.end - 1 - k))
        .count();
    let down = (0..room.1)
        .take_while(|k| same(range.start + k, range.end + k))
        .count();
    let (lowest, highest) = (-up.cast_signed(), down.cast_signed());
    let after_blank = |shift: &isize| match range.start.saturating_add_signed(*shift).checked_sub(1)
    {
        None => true,
        Some(before) => text
            .get(before)
            .is_some_and(|line| line.trim_ascii().is_empty()),
    };
    (lowest..=highest)
        .rev()
        .find(after_blank)
        .unwrap_or(highest)
}
