//! Raw profiles: the counters that an instrumented process leaves when it ends.
//!
//! The layout is that of LLVM's `InstrProfData.inc`, versions 8 to 10, of 64-bit systems with the
//! least byte first.

use std::collections::BTreeMap;

/// `\xfflprofr\x81`, read as a number.
const MAGIC: u64 = 0xff6c_7072_6f66_7281;
/// The upper byte of the version tells variants, of which the compiler makes none with other counters.
const VERSION: u64 = 0x00ff_ffff_ffff_ffff;

/// How a version is laid out, in bytes.
struct Layout {
    header: usize,
    record: usize,
    /// Of the number of counters in a record.
    count: usize,
    /// Of the distance from records to counters, in the header.
    delta: usize,
}

impl Layout {
    fn of(version: u64) -> Option<Self> {
        match version {
            8 => Some(Self {
                header: 11 * 8,
                record: 48,
                count: 40,
                delta: 8 * 8,
            }),
            9 => Some(Self {
                header: 14 * 8,
                record: 64,
                count: 48,
                delta: 10 * 8,
            }),
            10 => Some(Self {
                header: 16 * 8,
                record: 64,
                count: 48,
                delta: 10 * 8,
            }),
            _ => None,
        }
    }
}

/// The counters of each function of which at least one is not zero, by the hash of its name.
pub(super) fn read(bytes: &[u8]) -> Result<BTreeMap<u64, Vec<u64>>, String> {
    let cut = || "the record of the counters is cut".to_owned();
    let word = |at: usize| word(bytes, at);
    if word(0) != Some(MAGIC) {
        return Err("this is no record of counters".to_owned());
    }
    let version = word(8).ok_or_else(cut)? & VERSION;
    let layout = Layout::of(version)
        .ok_or_else(|| format!("records of version {version} cannot be read (8 to 10 can)"))?;
    let size = |at: usize| word(at).and_then(|word| usize::try_from(word).ok());
    let fields = size(16).zip(size(24)).zip(size(32));
    let ((ids, records), padding) = fields.ok_or_else(cut)?;
    let delta = word(layout.delta).ok_or_else(cut)?;
    let data = layout.header.checked_add(ids).ok_or_else(cut)?;
    let length = records.checked_mul(layout.record).ok_or_else(cut)?;
    let counters = data
        .checked_add(length)
        .and_then(|end| end.checked_add(padding))
        .ok_or_else(cut)?;
    let mut ran = BTreeMap::new();
    for index in 0..records {
        let record = data + index * layout.record;
        let name = word(record).ok_or_else(cut)?;
        let pointer = word(record + 16).ok_or_else(cut)?;
        let count = bytes
            .get(record + layout.count..)
            .and_then(|rest| rest.first_chunk());
        let count = u32::from_le_bytes(*count.ok_or_else(cut)?) as usize;
        // Each record tells how far its counters are from itself.
        let moved = (index * layout.record) as u64;
        let offset = pointer.wrapping_sub(delta.wrapping_sub(moved));
        let offset = usize::try_from(offset).map_err(|_| cut())?;
        let start = counters.checked_add(offset).ok_or_else(cut)?;
        let values: Option<Vec<u64>> = (0..count)
            .map(|i| word(start.checked_add(i * 8)?))
            .collect();
        let values = values.ok_or_else(cut)?;
        if values.iter().any(|value| *value != 0) {
            ran.insert(name, values);
        }
    }
    Ok(ran)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let chunk = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of version 10 with two functions of one and two counters.
    fn sample() -> Vec<u8> {
        let mut words = vec![MAGIC, 10, 0, 2, 0, 3, 0, 0, 0, 0, 1000, 0, 0, 0, 0, 2];
        let record = |name: u64, pointer: u64, count: u64| [name, 1, pointer, 0, 0, 0, count, 0];
        words.extend(record(7, 1000, 1));
        words.extend(record(8, 1000 - 64 + 8, 2));
        words.extend([0, 0, 5]);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_function_ran_if_one_of_its_counters_did() {
        assert_eq!(read(&sample()).unwrap(), BTreeMap::from([(8, vec![0, 5])]));
    }

    #[test]
    fn a_cut_record_or_another_version_is_an_error() {
        let whole = sample();
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "cut at {length}");
        }
        let mut newer = whole;
        newer[8] = 99;
        assert!(read(&newer).unwrap_err().contains("99"));
    }
}
