//! The rules of Go.
//!
//! One pass over the syntax tree ([`lower`] and the modules it visits) finds the facts of a file;
//! names inside functions are settled on the way. [`references`] resolves the rest with the packages
//! of [`packages`], the types of [`values`] and the method sets of [`interfaces`].

mod declarations;
mod dynamic;
mod expressions;
mod interfaces;
mod lower;
mod members;
mod nodes;
mod orphans;
mod packages;
mod references;
mod standard;
mod start;
mod statements;
mod types;
mod values;

use super::Rules;

pub(super) const RULES: Rules = Rules {
    facts: lower::facts,
    symbols: None,
    resolve: references::resolve,
    is_test_support: |path| path.ends_with("_test.go"),
    may_be_test_folder: |_| false,
    asks_for: |_, _| false,
    may_be_orphan: orphans::may_be_orphan,
    is_dead_without_users: orphans::is_dead_without_users,
    values_set_at_start: start::values_set_at_start,
    is_public: |_, member| orphans::is_exported(member),
    takes_in_for_tests: |_| None,
    manifests: &["go.mod"],
    source_roots: |_, _| Vec::new(),
};
