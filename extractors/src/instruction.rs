//! The instruction of a task: what a solver is told, in one page of Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::instance::Task;
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
    what_to_build(task, interface, &mut out);
    let _ = write!(
        out,
        "\n## Interface\n\n{INTERFACE}\n\n{}",
        interface.to_markdown()
    );
    let _ = write!(out, "\n## Rules\n\n{}", rules(task));
    out
}

const INTERFACE: &str = "These definitions must exist in these files, with these names, parameters and \
     documentation. Bodies are left out. Whatever else is needed, such as helpers, may stand where you like.";

fn what_to_build(task: &Task, interface: &Interface, out: &mut String) {
    out.push_str("\n## What to build\n\n");
    for entry in &interface.entries {
        let _ = writeln!(out, "* `{}` in `{}`", entry.symbol.chain(), entry.path);
    }
    let stubs: BTreeSet<&str> = stubs(task).collect();
    if !stubs.is_empty() {
        out.push_str("\nFunctions of the feature that other code refers to are still there, but only report that they are not implemented. They are in:\n\n");
        stubs.iter().for_each(|path| {
            let _ = writeln!(out, "* `{path}`");
        });
    }
    let _ = write!(
        out,
        "\nThe reference solution adds {} lines in {}.\n",
        task.size.lines.removed,
        counted(task.size.files, "file")
    );
}

fn stubs(task: &Task) -> impl Iterator<Item = &str> {
    let stubs = task
        .symbols
        .iter()
        .filter(|symbol| matches!(symbol.action, Some(Action::Stub { .. })));
    stubs.map(|symbol| symbol.id.path())
}

fn rules(task: &Task) -> String {
    let tests = &task.tests;
    let held_back = tests.fail_to_pass.len() + tests.collateral.len();
    let mut rules = vec![format!(
        "Your work is graded by {} that you do not see. They reach the feature through its interface and through the rest of the project.",
        counted(held_back, "test"),
    )];
    if !tests.pass_to_pass.is_empty() {
        rules.push(format!(
            "What passes now must still pass: {} of the project.",
            counted(tests.pass_to_pass.len(), "test")
        ));
    }
    rules.push("Tests are put back as they were before grading; changing them, or how they are run, has no effect.".to_owned());
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
