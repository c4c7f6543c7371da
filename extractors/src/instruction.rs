//! The instruction of a task: what a solver is told, in one page of Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use analyzer::feature::Role;
use analyzer::symbol::SymbolId;

use crate::family::{bare_chain, half, principal};
use crate::instance::{SymbolRecord, Task};
use crate::interface::Interface;
use crate::removal::Action;

/// The text of `instruction.md`. The same task and interface give the same bytes.
pub fn instruction(task: &Task, interface: &Interface) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "# Implement a missing feature of {project}\n\n\
         The working tree holds the project `{project}`{version}. One feature has been taken out of it; \
         everything else works. Write the feature so that it behaves as its interface says.\n",
        project = task.project.name,
        version = task
            .project
            .version
            .as_ref()
            .map(|version| format!(" {version}"))
            .unwrap_or_default(),
    );
    what_to_build(task, &mut out);
    let _ = write!(
        out,
        "\n## Interface\n\n{INTERFACE}\n\n{}",
        interface.to_markdown()
    );
    let _ = write!(out, "\n## Rules\n\n{}", rules(task));
    out
}

const INTERFACE: &str = "These definitions must exist in these files, with these names, parameters and \
     documentation. Bodies are left out. A class or type of which the working tree still has a part is \
     shown with those of its lost members that are for others. Whatever else is needed, such as helpers, \
     may stand where you like.";

fn what_to_build(task: &Task, out: &mut String) {
    out.push_str("\n## What to build\n\n");
    list(&outermost(task, Role::Top), out);
    let helpers: Vec<&SymbolRecord> = outermost(task, Role::Specific)
        .into_iter()
        .filter(|symbol| is_stub(symbol))
        .collect();
    if !helpers.is_empty() {
        out.push_str(
            "\nHelpers of the feature that other code refers to have lost their bodies, too:\n\n",
        );
        list(&helpers, out);
    }
    let _ = write!(
        out,
        "\nThe reference solution adds {} lines in {}.\n",
        task.size.lines.removed,
        counted(task.size.files, "file")
    );
}

fn list(symbols: &[&SymbolRecord], out: &mut String) {
    // A property and its setter are one name for whoever writes them.
    let is_part = |symbol: &SymbolRecord| {
        let whole = principal(&symbol.id);
        whole != symbol.id && symbols.iter().any(|other| other.id == whole)
    };
    let mut listed = BTreeSet::new();
    for symbol in symbols.iter().filter(|symbol| !is_part(symbol)) {
        let there = if symbol.role == Role::Top && is_stub(symbol) {
            " (it is there, but only reports that it is not implemented)"
        } else {
            ""
        };
        let line = format!(
            "* {} in `{}`{there}\n",
            described(&symbol.id),
            symbol.id.path()
        );
        // What a type implements several times is told apart by the interface.
        if listed.insert(line.clone()) {
            out.push_str(&line);
        }
    }
}

/// A symbol in words: names without the marks that tell namesakes apart.
fn described(id: &SymbolId) -> String {
    let half = half(id).map_or_else(String::new, |half| format!(" (the {half})"));
    let of = implemented(id).map_or_else(String::new, |name| format!(" of `{name}`"));
    format!("`{}`{of}{half}", bare_chain(id))
}

/// The name of what a member's container implements: `Display` for `Error#Display.fmt`, and for the second
/// such container, too.
fn implemented(id: &SymbolId) -> Option<&str> {
    let (container, _) = id.chain().rsplit_once('.')?;
    let (_, mark) = container.rsplit('.').next()?.split_once('#')?;
    let name = mark.trim_end_matches(|c: char| c.is_ascii_digit());
    name.starts_with(char::is_uppercase).then_some(name)
}

fn is_stub(symbol: &SymbolRecord) -> bool {
    matches!(symbol.action, Some(Action::Stub { .. }))
}

/// The removed symbols of a role that lie in no other removed symbol.
fn outermost(task: &Task, role: Role) -> Vec<&SymbolRecord> {
    let deleted: Vec<&SymbolRecord> = task
        .symbols
        .iter()
        .filter(|symbol| symbol.action == Some(Action::Delete))
        .collect();
    let lies_in = |symbol: &SymbolRecord| {
        deleted
            .iter()
            .any(|outer| outer.id != symbol.id && symbol.id.is_within(&outer.id))
    };
    let removed = task
        .symbols
        .iter()
        .filter(|symbol| symbol.role == role && symbol.action.is_some());
    removed.filter(|symbol| !lies_in(symbol)).collect()
}

fn rules(task: &Task) -> String {
    let tests = &task.tests;
    let held_back = tests.fail_to_pass.len() + tests.collateral.len();
    let reach = if held_back == 1 {
        "It reaches"
    } else {
        "They reach"
    };
    let mut rules = vec![format!(
        "Your work is graded by {} that you do not see. {reach} the feature through its interface and through the rest of the project.",
        counted(held_back, "test"),
    )];
    let visible = tests
        .pass_to_pass
        .iter()
        .filter(|id| !tests.held_back.contains(id))
        .count();
    if visible > 0 {
        rules.push(format!(
            "What passes now must still pass: {} of the project.",
            counted(visible, "test")
        ));
    }
    rules.push("Tests are put back as they were before grading; changing them, or how they are run, has no effect.".to_owned());
    if !tests.put_back_into.is_empty() {
        let files: Vec<String> = tests
            .put_back_into
            .iter()
            .map(|path| format!("`{path}`"))
            .collect();
        rules.push(format!(
            "Some of them are put back into files that you edit, where they stood: {}. Leave the test code there as it is, with what marks its place, and add none.",
            files.join(", ")
        ));
    }
    rules.push("Work from this text and the working tree alone; do not fetch or copy another version of the project.".to_owned());
    if !task.environment.command.is_empty() {
        rules.push(format!(
            "The tests are run with `{}`.",
            task.environment.command.join(" ")
        ));
    }
    rules.iter().map(|rule| format!("* {rule}\n")).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("one {noun}")
    } else {
        format!("{count} {noun}s")
    }
}
