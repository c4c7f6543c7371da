//! Reads Go's `covmeta` files: which functions are counted. The format is the one of Go's
//! `internal/coverage/defs.go`, version 1, the same since Go 1.20.

use super::reader::Reader;

const MAGIC: &[u8] = b"\0cvm";
const VERSION: u32 = 1;
/// Size of a package's header.
const PACKAGE_HEADER: usize = 44;

/// A counted function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// `F`, `T.M` or `*T.M`, or a made-up name for a literal outside functions.
    pub(super) name: String,
    /// `IMPORT/PATH/file.go`.
    pub(super) file: String,
    /// The first line of its body, counted from 1; 0 if it has no countable parts.
    pub(super) line: u32,
}

/// The functions of each package, in the order by which counters number both.
pub(super) type Meta = Vec<Vec<Function>>;

/// Reads a file; `None` if it is of another kind or version, or damaged.
pub(super) fn read(bytes: &[u8]) -> Option<Meta> {
    let mut reader = Reader::new(bytes);
    let is_ours = reader.take(4)? == MAGIC && reader.u32()? == VERSION;
    let _length = reader.u64()?;
    let packages = usize::try_from(reader.u64()?).ok().filter(|_| is_ours)?;
    // Hash, string table, mode, granularity, padding.
    reader.take(16 + 4 + 4 + 8)?;
    let offsets: Vec<u64> = (0..packages).map(|_| reader.u64()).collect::<Option<_>>()?;
    let lengths: Vec<u64> = (0..packages).map(|_| reader.u64()).collect::<Option<_>>()?;
    let spans = offsets.into_iter().zip(lengths);
    let packages = spans.map(|(offset, length)| {
        let mut at = Reader::new(bytes).seek(usize::try_from(offset).ok()?);
        package(at.take(usize::try_from(length).ok()?)?)
    });
    packages.collect()
}

fn package(bytes: &[u8]) -> Option<Vec<Function>> {
    let mut header = Reader::new(bytes);
    // Length, names, hash, padding, number of files.
    header.take(4 + 3 * 4 + 16 + 4 + 4)?;
    let count = usize::try_from(header.u32()?).ok()?;
    let mut table = header.seek(PACKAGE_HEADER);
    let offsets: Vec<u32> = (0..count).map(|_| table.u32()).collect::<Option<_>>()?;
    let strings = table.strings()?;
    let functions = offsets
        .into_iter()
        .map(|offset| function(header.seek(usize::try_from(offset).ok()?), &strings));
    functions.collect()
}

fn function(mut reader: Reader<'_>, strings: &[&str]) -> Option<Function> {
    let units = reader.size()?;
    let mut string = || Some((*strings.get(reader.size()?)?).to_owned());
    let (name, file) = (string()?, string()?);
    let line = if units == 0 {
        0
    } else {
        u32::try_from(reader.uleb128()?).ok()?
    };
    Some(Function { name, file, line })
}
