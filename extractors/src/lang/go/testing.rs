//! Real modules for tests.

use std::collections::BTreeMap;

/// The files of an exact version of a real Go module that the analysis reads.
pub(crate) fn go_files(path: &str, version: &str) -> Option<BTreeMap<String, Vec<u8>>> {
    let root = fixtures::go_module(path, version)?;
    let mut files = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(&root).unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if analyzer::is_input(relative) {
                files.insert(relative.to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    Some(files)
}
