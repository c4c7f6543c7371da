//! Where the functions of an instrumented program stand: the coverage mapping in its sections.
//!
//! The layout is that of LLVM's "Code Coverage Mapping Format", versions 6 and 7 (stored as 5 and 6).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

/// Path in the project, line and column, counted from 1.
pub(super) type Place = (String, u32, u32);

/// The names of the sections.
const FILES: &str = "__llvm_covmap";
const FUNCTIONS: &str = "__llvm_covfun";
/// The length of the fixed part of a function's entry.
const ENTRY: usize = 28;
/// The first version whose first file is the folder of the compiler.
const OLDEST: u32 = 5;

/// The beginnings of functions by the hash of their names.
#[derive(Default)]
pub(super) struct Map {
    places: HashMap<u64, Place>,
}

impl Map {
    /// Where a function begins, if that is in the project.
    pub(super) fn place(&self, name: u64) -> Option<&Place> {
        self.places.get(&name)
    }

    /// Adds the functions of a program that stand in files of the tree.
    pub(super) fn read(&mut self, program: &Path, tree: &Path) -> Result<(), String> {
        let bytes = fs::read(program).map_err(|error| error.to_string())?;
        let object = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
        let section = |name: &str| {
            let mut sections = object.sections();
            let found = sections.find(|section| section.name() == Ok(name));
            found.and_then(|section| section.data().ok())
        };
        let (Some(files), Some(functions)) = (section(FILES), section(FUNCTIONS)) else {
            // A program without a function of the workspace.
            return Ok(());
        };
        let files = file_tables(files, tree)?;
        self.add(functions, &files);
        Ok(())
    }

    fn add(&mut self, mut bytes: &[u8], files: &HashMap<u64, Vec<Option<String>>>) {
        let length = bytes.len();
        while let Some((name, table, mapping)) = entry(bytes) {
            let beginning = files
                .get(&table)
                .and_then(|files| beginning(mapping, files));
            if let Some(place) = beginning {
                self.places.entry(name).or_insert(place);
            }
            let next = length - bytes.len() + ENTRY + mapping.len();
            let padded = next.next_multiple_of(8) - (length - bytes.len());
            bytes = bytes.get(padded..).unwrap_or_default();
        }
    }
}

/// The next function: hash of its name, hash of its file table, regions.
fn entry(bytes: &[u8]) -> Option<(u64, u64, &[u8])> {
    let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let size = u32::from_le_bytes(*bytes.get(8..)?.first_chunk()?) as usize;
    Some((word(0)?, word(20)?, bytes.get(ENTRY..ENTRY + size)?))
}

/// The tables of files, each by its hash; a file elsewhere than in the tree is `None`.
fn file_tables(mut bytes: &[u8], tree: &Path) -> Result<HashMap<u64, Vec<Option<String>>>, String> {
    let mut tables = HashMap::new();
    let length = bytes.len();
    while bytes.len() >= 16 {
        let number = |at: usize| {
            let chunk = bytes.get(at..).and_then(|rest| rest.first_chunk());
            chunk.map_or(0, |chunk| u32::from_le_bytes(*chunk))
        };
        let (size, version) = (number(4) as usize, number(12));
        if version < OLDEST {
            return Err(format!(
                "its coverage mapping is of version {version}, which is too old"
            ));
        }
        let encoded = bytes
            .get(16..16 + size)
            .ok_or("its coverage mapping is cut")?;
        let hash = md5::compute(encoded);
        let hash = hash
            .0
            .first_chunk()
            .map_or(0, |chunk| u64::from_le_bytes(*chunk));
        let names = names(encoded).ok_or("the file names of its coverage mapping are damaged")?;
        tables.insert(hash, in_tree(&names, tree));
        let next = (length - bytes.len() + 16 + size).next_multiple_of(8);
        bytes = bytes
            .get(next - (length - bytes.len())..)
            .unwrap_or_default();
    }
    Ok(tables)
}

/// The names of a table, compressed or not.
fn names(encoded: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader(encoded);
    let count = reader.number()?;
    let plain = usize::try_from(reader.number()?).ok()?;
    let compressed = usize::try_from(reader.number()?).ok()?;
    let text = if compressed > 0 {
        let bytes = reader.take(compressed)?;
        miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(bytes, plain).ok()?
    } else {
        reader.take(plain)?.to_vec()
    };
    let mut reader = Reader(&text);
    let name = |_| {
        let length = usize::try_from(reader.number()?).ok()?;
        Some(String::from_utf8_lossy(reader.take(length)?).into_owned())
    };
    (0..count).map(name).collect()
}

/// The first name is the folder that the others are relative to.
fn in_tree(names: &[String], tree: &Path) -> Vec<Option<String>> {
    let folder = names.first().map(PathBuf::from).unwrap_or_default();
    let relative = |name: &String| {
        let path = folder.join(name);
        let path = path.canonicalize().ok()?;
        let inside = path.strip_prefix(tree).ok()?;
        inside.to_str().map(str::to_owned)
    };
    names.iter().map(relative).collect()
}

/// Where the first region of a function begins.
fn beginning(mapping: &[u8], files: &[Option<String>]) -> Option<Place> {
    let mut reader = Reader(mapping);
    let count = reader.number()?;
    let ids: Option<Vec<u64>> = (0..count).map(|_| reader.number()).collect();
    let file = usize::try_from(*ids?.first()?).ok()?;
    let path = files.get(file)?.clone()?;
    for _ in 0..reader.number()? {
        reader.number()?;
        reader.number()?;
    }
    if reader.number()? == 0 {
        return None;
    }
    let head = reader.number()?;
    // Without a counter in the lowest bits the next ones tell the kind; branches have two counters.
    if head & 3 == 0 && head & 4 == 0 && head >> 3 == 4 {
        reader.number()?;
        reader.number()?;
    }
    let line = u32::try_from(reader.number()?).ok()?;
    let column = u32::try_from(reader.number()?).ok()?;
    Some((path, line, column))
}

/// Reads numbers of variable length, seven bits a byte, the lowest first.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.take(1)?.first()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_begins_with_its_first_region() {
        // One file (number 1), no expressions, one region: counter 0 from 3:5 over 2 lines to 6.
        let mapping = [1, 1, 0, 1, 1, 3, 5, 2, 6];
        let files = [None, Some("src/lib.rs".to_owned())];
        assert_eq!(
            beginning(&mapping, &files),
            Some(("src/lib.rs".to_owned(), 3, 5))
        );
        assert_eq!(beginning(&mapping, &[None, None]), None);
        for length in 0..7 {
            assert_eq!(beginning(&mapping[..length], &files), None);
        }
    }

    #[test]
    fn file_names_are_read_plain() {
        let encoded = [2, 6, 0, 2, b'/', b'x', 2, b'a', b'b'];
        assert_eq!(names(&encoded).unwrap(), ["/x", "ab"]);
        assert_eq!(names(&encoded[..8]), None);
    }
}
