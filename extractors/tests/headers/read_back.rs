//! The law of the interface: the headers of all functions and classes, read back, equal the originals.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use analyzer::symbol::{SymbolId, SymbolKind};
use analyzer::{Analysis, AnalysisHost, Change};
use extractors::interface::interface;

/// Says how many definitions of two folders are the same, or the first that is not.
const COMPARE: &str = include_str!("compare.py");

/// Shows all functions and classes in the source files of a folder and reads them back: how many
/// there were, or the first difference.
pub fn read_back(python: &str, folder: &Path) -> Result<usize, String> {
    let files = source_files(folder);
    let (original, emitted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (path, bytes) in &files {
        write(original.path(), path, bytes);
    }
    for (path, text) in headers(files) {
        write(emitted.path(), &path, text.as_bytes());
    }
    let output = Command::new(python)
        .args(["-c", COMPARE])
        .args([original.path(), emitted.path()])
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(text(&output.stdout).parse().unwrap())
    } else {
        Err(text(&output.stderr))
    }
}

/// The interface of each file, as if everything in it were top.
fn headers(files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, String> {
    let analysis = analysis(files);
    let paths = analysis.paths();
    let symbols = paths.iter().flat_map(|path| {
        let symbols = analysis.symbols(path).to_vec();
        symbols.into_iter()
    });
    let top: BTreeSet<SymbolId> = symbols
        .filter(|symbol| symbol.kind.is_callable() || symbol.kind == SymbolKind::Class)
        .map(|symbol| symbol.id)
        .collect();
    let interface = interface(&analysis, &top);
    let code = |path: &String| (path.clone(), interface.to_code(path));
    paths.iter().map(code).collect()
}

fn analysis(files: BTreeMap<String, Vec<u8>>) -> Analysis {
    let mut host = AnalysisHost::new();
    let files = files
        .into_iter()
        .map(|(path, bytes)| (path, Some(Arc::from(bytes))))
        .collect();
    host.apply(Change { files, trace: None });
    host.analysis()
}

fn source_files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "py") {
                files.insert(relative.to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
