//! Reads Go's `covcounters` files: how often each part of each function ran. The format is the one of
//! Go's `internal/coverage/defs.go`, version 1, the same since Go 1.20.

use std::collections::BTreeMap;

use super::reader::Reader;

const MAGIC: &[u8] = b"\0cwm";
const VERSION: u32 = 1;
const HEADER: usize = 4 + 4 + 16 + 8;
/// The flavour whose numbers are four bytes each; the other has variable lengths.
const RAW: u8 = 1;

/// Counters by package and function, as `meta` numbers them.
pub(super) type Counters = BTreeMap<(u32, u32), Vec<u32>>;

/// Reads a file; `None` if it is of another kind or version, or damaged.
pub(super) fn read(bytes: &[u8]) -> Option<Counters> {
    let mut reader = Reader::new(bytes);
    let is_ours = reader.take(4)? == MAGIC && reader.u32()? == VERSION;
    reader.take(16)?;
    let flavour = *reader.take(2)?.first()?;
    let is_big_endian = *bytes.get(HEADER - 7)? != 0;
    let mut reader = Reader::new(bytes).seek(HEADER);
    // A test binary writes one segment.
    let functions = usize::try_from(reader.u64()?).ok().filter(|_| is_ours)?;
    let strings = usize::try_from(reader.u32()?).ok()?;
    let arguments = usize::try_from(reader.u32()?).ok()?;
    reader.take(strings.checked_add(arguments)?)?;
    let mut reader = reader.seek(reader.position().next_multiple_of(4));
    let mut number = || match (flavour, is_big_endian) {
        (RAW, true) => reader.u32_big_endian(),
        (RAW, false) => reader.u32(),
        _ => u32::try_from(reader.uleb128()?).ok(),
    };
    let function = |_| {
        let count = number()?;
        let key = (number()?, number()?);
        let counters: Option<Vec<u32>> = (0..count).map(|_| number()).collect();
        Some((key, counters?))
    };
    (0..functions).map(function).collect()
}

/// The functions that ran in `whole` more than they did in `start`.
pub(super) fn ran<'c>(
    whole: &'c Counters,
    start: Option<&'c Counters>,
) -> impl Iterator<Item = (u32, u32)> + 'c {
    let none: &[u32] = &[];
    whole.iter().filter_map(move |(key, counters)| {
        let before = start
            .and_then(|start| start.get(key))
            .map_or(none, Vec::as_slice);
        let mut pairs = counters.iter().enumerate();
        let ran = pairs.any(|(index, count)| *count > before.get(index).copied().unwrap_or(0));
        ran.then_some(*key)
    })
}
