//! Imports: what the `use` and `mod` items of a file mean.

use super::items::{Facts, Import as Written, Source};
use super::map::{Meaning, ModuleId, Sym, TYPES};
use super::resolve::{Meant, Walk};
use crate::facts::Name;
use crate::occurrence::{Import, ReferenceKind, Runs};
use crate::resolution::ByName;
use crate::symbol::SymbolId;

/// The name that an import asks for.
pub(super) fn last_name(own: &Facts, import: u32) -> Name {
    let import = own.items.imports.get(import as usize);
    match import.map(|import| &import.source) {
        Some(Source::Path(path)) => path.last().cloned().unwrap_or_default(),
        Some(Source::Crate(name) | Source::File(name, _)) => name.clone(),
        None => Name::default(),
    }
}

/// The imports of a file, in source order. Notes those that other imports of the file go through.
pub(super) fn imports(walk: &mut Walk<'_>) -> Vec<Import> {
    let own = walk.own;
    let written = own.items.imports.iter().zip(&own.spans);
    let mut found = Vec::new();
    for (index, (import, span)) in (0..).zip(written) {
        let meant = meanings(walk, index, import);
        let mut targets: Vec<SymbolId> = meant
            .sure
            .iter()
            .filter_map(|sym| walk.map.id(*sym).cloned())
            .collect();
        targets.sort();
        targets.dedup();
        walk.place.from = span.from;
        walk.place.runs = Runs::Never;
        // A star brings whatever there is; it uses nothing by itself.
        let through = meant.imports.iter().filter(|through| **through != index);
        for through in through.filter(|_| import.bound != "*") {
            walk.push(
                span.item.clone(),
                ReferenceKind::Implicit,
                Vec::new(),
                Some(*through),
                ByName::None,
            );
        }
        let scope = own.items.scopes.get(import.scope as usize);
        let scope = scope.and_then(|scope| walk.id_of(scope.def).cloned());
        found.push(Import {
            statement: span.statement.clone(),
            item: span.item.clone(),
            bound: import.bound.to_string(),
            scope: scope.unwrap_or_else(|| SymbolId::parse("")),
            module: module_of(walk, import),
            targets,
            runs: Runs::Never,
        });
    }
    found
}

fn meanings(walk: &Walk<'_>, index: u32, import: &Written) -> Meant {
    let mut meant = Meant::default();
    for base in walk.bases() {
        let Some(module) = walk.map.module(base + import.scope) else {
            continue;
        };
        for (name, entries) in &module.names {
            let brought = entries.iter().filter(|entry| entry.import == Some(index));
            for entry in brought {
                let hit = super::map::Hit {
                    meaning: entry.meaning,
                    spaces: entry.spaces,
                    at: Some((base + import.scope, name.clone())),
                    import: entry.import,
                };
                walk.take(&hit, &mut meant);
            }
        }
    }
    meant
}

/// The project file that an import names.
fn module_of(walk: &Walk<'_>, import: &Written) -> Option<String> {
    let base = *walk.bases().first()?;
    let at: ModuleId = base + import.scope;
    let path = match &import.source {
        Source::Path(path) if import.bound == "*" => path.as_slice(),
        Source::Path(path) => path.split_last()?.1,
        Source::File(..) | Source::Crate(_) => return None,
    };
    let hits = walk.map.resolve(at, path, TYPES, Some(u32::MAX));
    hits.iter().find_map(|hit| match hit.meaning {
        Meaning::Module(module) => {
            let Sym { file, .. } = walk.map.module_symbol(module)?;
            Some(walk.map.files.get(file as usize)?.path.clone())
        }
        _ => None,
    })
}
