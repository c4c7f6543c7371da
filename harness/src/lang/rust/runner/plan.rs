//! Which crates must be built for a selection of tests.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::build::{TargetKey, Wanted, key};
use super::super::workspace::{Package, Target, Workspace};
use crate::runner::Selection;

/// The crates whose tests may be selected.
pub(super) fn wanted(workspace: &Workspace, tree: &Path, selection: &Selection) -> Wanted {
    let fits = |package: &Package, target: &Target| match selection {
        Selection::All => true,
        Selection::Ids(ids) => {
            let prefix = prefix(package, target);
            ids.iter().any(|id| {
                id.strip_prefix(&prefix)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            })
        }
        Selection::Paths(paths) => {
            let paths = paths.iter().map(|path| tree.join(path));
            paths
                .into_iter()
                .any(|path| concerns(workspace, target, &path))
        }
    };
    if *selection == Selection::All {
        return Wanted::All;
    }
    let targets = workspace
        .targets()
        .filter(|(package, target)| target.is_tested && fits(package, target));
    let keys: BTreeSet<TargetKey> = targets
        .map(|(package, target)| key(package, target))
        .collect();
    Wanted::Some(keys)
}

/// The first parts of the ids of a crate's tests.
pub(super) fn prefix(package: &Package, target: &Target) -> String {
    format!("{}::{}", package.name, target.label())
}

/// Whether a file or folder may hold tests of a crate.
fn concerns(workspace: &Workspace, target: &Target, path: &Path) -> bool {
    if workspace.targets().any(|(_, other)| other.source == path) {
        return target.source == path;
    }
    let folder = target.source.parent().unwrap_or(&target.source);
    path.starts_with(folder) || target.source.starts_with(path)
}

/// Whether a test with this id and path is selected.
pub(super) fn is_selected(selection: &Selection, id: &str, path: &str) -> bool {
    match selection {
        Selection::All => true,
        Selection::Ids(ids) => ids.iter().any(|selected| selected == id),
        Selection::Paths(paths) => paths
            .iter()
            .any(|selected| Path::new(path).starts_with(selected)),
    }
}
