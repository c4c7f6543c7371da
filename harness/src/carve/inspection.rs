//! Inspection: the static checks of a starting tree, made before anything runs in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::occurrence::Confidence;
use analyzer::symbol::SymbolId;
use analyzer::{Analysis, AnalysisHost, Change};
use extractors::removal::{Removal, RemovalPlan};
use extractors::verify::{Fault, verify};

/// The project with a removal carried out; what one removal changed is put back for the next.
pub(super) struct Inspection {
    host: AnalysisHost,
    /// Paths that the last removal changed.
    changed: BTreeSet<String>,
}

impl Inspection {
    /// Starts from the full tree.
    pub fn new(full: &Analysis) -> Self {
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: full.inputs(),
            trace: None,
        });
        Self {
            host,
            changed: BTreeSet::new(),
        }
    }

    /// What is wrong with the tree that a removal leaves.
    pub fn faults(&mut self, full: &Analysis, plan: &RemovalPlan, removal: &Removal) -> Vec<Fault> {
        let restored = std::mem::take(&mut self.changed).into_iter();
        let mut files: BTreeMap<String, Option<Arc<[u8]>>> = restored
            .map(|path| (path.clone(), bytes_of(full, &path)))
            .collect();
        let analysed = removal
            .files
            .iter()
            .filter(|(path, _)| full.source(path).is_some());
        for (path, bytes) in analysed {
            self.changed.insert(path.clone());
            files.insert(path.clone(), bytes.as_deref().map(Arc::from));
        }
        self.host.apply(Change {
            files: files.into_iter().collect(),
            trace: None,
        });
        let done = plan.actions.iter().filter(|(id, _)| {
            !removal
                .problems
                .iter()
                .any(|problem| problem.symbol == **id)
        });
        let done = RemovalPlan {
            actions: done.map(|(id, action)| (id.clone(), *action)).collect(),
            ..RemovalPlan::default()
        };
        verify(full, &self.host.analysis(), &done)
    }
}

fn bytes_of(analysis: &Analysis, path: &str) -> Option<Arc<[u8]>> {
    Some(Arc::from(analysis.source(path)?.bytes()))
}

/// The symbols among `removed` that names which dangle in the starting tree stood for.
pub(super) fn culprits(
    full: &Analysis,
    faults: &[Fault],
    removed: &BTreeSet<SymbolId>,
) -> BTreeSet<SymbolId> {
    let mut culprits = BTreeSet::new();
    for fault in faults {
        let (path, name) = match fault {
            Fault::Undefined { path, name, .. } | Fault::DanglingName { path, name } => {
                (path, name)
            }
            _ => continue,
        };
        let meant = meant(full, path, name);
        let gone = removed
            .iter()
            .filter(|id| meant.iter().any(|meant| meant.is_within(id)));
        culprits.extend(gone.cloned());
    }
    culprits
}

/// What a name surely stands for in a file.
fn meant(full: &Analysis, path: &str, name: &str) -> BTreeSet<SymbolId> {
    let source = full.source(path);
    let is_named = |range| {
        source
            .as_ref()
            .is_some_and(|text| text.slice(range) == name)
    };
    let references = full.references(path);
    let used = references
        .iter()
        .filter(|reference| is_named(reference.range.clone()))
        .flat_map(|reference| reference.targets.iter())
        .filter(|target| target.confidence == Confidence::Resolved)
        .map(|target| &target.symbol);
    let (imports, exports) = (full.imports(path), full.exports(path));
    let imported = imports.iter().filter(|import| import.bound == name);
    let exported = exports.iter().filter(|export| export.name == name);
    used.chain(imported.flat_map(|import| &import.targets))
        .chain(exported.flat_map(|export| &export.targets))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use extractors::removal::{Action, Project, remove};
    use fixtures::Fixture;

    use super::*;

    const FILES: &str = "
//- core.py
import json
def area(): return json
def side(): return 1
LIMIT = 3
//- user.py
from core import area, LIMIT
print(area(), LIMIT)
";

    fn full() -> Analysis {
        let mut host = AnalysisHost::new();
        let files = Fixture::parse(FILES).files.into_iter();
        let files = files.map(|file| (file.path, Some(Arc::from(file.text.into_bytes()))));
        host.apply(Change {
            files: files.collect(),
            trace: None,
        });
        host.analysis()
    }

    fn check(inspection: &mut Inspection, full: &Analysis, removed: &[&str], expected: &[&str]) {
        let ids: BTreeSet<SymbolId> = removed.iter().map(|id| SymbolId::parse(id)).collect();
        let actions = ids.iter().map(|id| (id.clone(), Action::Delete));
        let plan = RemovalPlan {
            actions: actions.collect(),
            ..RemovalPlan::default()
        };
        let removal = remove(&Project::new(full), &plan);
        let faults = inspection.faults(full, &plan, &removal);
        let culprits = culprits(full, &faults, &ids);
        let culprits: Vec<&str> = culprits.iter().map(SymbolId::as_str).collect();
        assert_eq!(culprits, expected, "{faults:?}");
    }

    #[test]
    fn a_name_that_dangles_blames_what_it_stood_for_and_each_removal_is_judged_alone() {
        let full = full();
        let mut inspection = Inspection::new(&full);
        let mut check = |removed: &[&str], expected: &[&str]| {
            check(&mut inspection, &full, removed, expected);
        };
        check(&["core.py::area", "core.py::side"], &["core.py::area"]);
        check(&["core.py::side"], &[]);
        check(&["core.py::LIMIT"], &["core.py::LIMIT"]);
    }

    #[test]
    fn what_only_manifests_say_is_known_after_a_removal_too() {
        let files = "
//- Cargo.toml
[package]
name = \"shop\"
//- src/lib.rs
pub fn area() -> u8 { 1 }
pub fn side() -> u8 { 2 }
//- tests/t.rs
fn t() { shop::area(); }
";
        let mut host = AnalysisHost::new();
        let files = Fixture::parse(files).files.into_iter();
        let files = files.map(|file| (file.path, Some(Arc::from(file.text.into_bytes()))));
        host.apply(Change {
            files: files.collect(),
            trace: None,
        });
        let full = host.analysis();
        let mut inspection = Inspection::new(&full);
        check(&mut inspection, &full, &["src/lib.rs::side"], &[]);
    }
}
