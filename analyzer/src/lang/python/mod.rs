//! The rules of Python.
//!
//! One pass over the syntax tree ([`lower`] and the modules it visits) finds the facts of a file;
//! [`references`] resolves them with the values of [`values`], the orders of inheritance of
//! [`classes`] and the files that [`modules`] finds.

mod annotations;
mod calls;
mod classes;
mod definitions;
mod expressions;
mod imported;
mod imports;
mod lower;
mod modules;
mod names;
mod nodes;
mod orphans;
mod references;
mod statements;
mod targets;
mod test_support;
mod values;

use super::Rules;

pub(super) const RULES: Rules = Rules {
    is_test_support: test_support::is_test_support,
    may_be_test_folder: test_support::may_be_test_folder,
    facts: lower::facts,
    symbols: Some(lower::symbols),
    resolve: references::resolve,
    takes_in_for_tests: |_| None,
    manifests: &[],
    asks_for: |_, _| false,
    may_be_orphan: orphans::may_be_orphan,
    is_dead_without_users: |_, _| false,
    values_set_at_start: |_, _| None,
    is_public: |_, member| !member.id.name().starts_with('_'),
    source_roots: modules::source_roots,
};
