//! What the tests of this crate share: projects from fixture texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::symbol::SymbolId;
use analyzer::{Analysis, AnalysisHost, Change};

use crate::removal::Action;

/// The analysis of the files of a fixture text.
pub(crate) fn analysis(fixture: &str) -> Analysis {
    let files = fixtures::Fixture::parse(fixture).files;
    analysis_of(
        files
            .into_iter()
            .map(|file| (file.path, file.text.into_bytes())),
    )
}

/// The analysis of some files.
pub(crate) fn analysis_of(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Analysis {
    let mut host = AnalysisHost::new();
    let files = files
        .into_iter()
        .map(|(path, bytes)| (path, Some(Arc::from(bytes))))
        .collect();
    host.apply(Change { files, trace: None });
    host.analysis()
}

/// The files of an analysis.
pub(crate) fn files_of(analysis: &Analysis) -> BTreeMap<String, Vec<u8>> {
    let bytes = |path: &String| analysis.source(path).map(|text| text.bytes().to_vec());
    analysis
        .paths()
        .into_iter()
        .filter_map(|path| Some((path.clone(), bytes(&path)?)))
        .collect()
}

/// Reads ids, one a word; a word in brackets before an id says that it becomes a stub: `[stub]`
/// with its documentation, `[bare]` without; `[examples]` says that it loses its examples only.
pub(crate) fn actions(text: &str) -> BTreeMap<SymbolId, Action> {
    let mut action = Action::Delete;
    let mut actions = BTreeMap::new();
    for word in text.split_whitespace() {
        match word {
            "[stub]" => action = Action::Stub { keep_doc: true },
            "[examples]" => action = Action::CutExamples,
            "[bare]" => action = Action::Stub { keep_doc: false },
            id => {
                actions.insert(SymbolId::parse(id), action);
                action = Action::Delete;
            }
        }
    }
    actions
}

/// A text with its odd characters made visible: `␍` before a line end, `␌`, `⌁` for a BOM.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    text.replace('\r', "␍")
        .replace('\u{c}', "␌")
        .replace('\u{feff}', "⌁")
}

/// The source files of a folder of an exact release of a real package; `None` where it cannot be had.
pub(crate) fn real_files(
    name: &str,
    version: &str,
    folder: &str,
) -> Option<BTreeMap<String, Vec<u8>>> {
    let root = fixtures::sdist(name, version)?;
    let mut files = BTreeMap::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "py") {
                let relative = path
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                files.insert(relative, std::fs::read(path).unwrap());
            }
        }
    }
    Some(files)
}
