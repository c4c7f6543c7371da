//! Keeps test binaries from reporting on their own coverage: each would read back and count up all that it
//! wrote, which costs more than the writing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::lang::go::records;
use crate::lang::go::runner::Run;
use crate::runner::RunError;

/// Where the standard library tells its package `testing` whether there are counters. If there are none for
/// it, they are written when the process exits, as those of any other program.
const FILE: &str = "src/testing/internal/testdeps/deps.go";
const QUESTION: &str = "func (TestDeps) InitRuntimeCoverage() (mode string,";

/// Makes an overlay for builds in which the question is always answered by no. There is none for a Go that
/// asks otherwise, as those before 1.23 do, nor beside one of a person.
pub(super) fn silence(run: &Run<'_>) -> Result<Option<PathBuf>, RunError> {
    let silenced = |file: PathBuf| {
        let text = fs::read_to_string(&file).ok()?;
        Some((file, answer_no(&text)?))
    };
    let Some((file, silent)) = place(run).and_then(silenced) else {
        return Ok(None);
    };
    let (replacement, overlay) = (
        run.scratch.join("deps.go"),
        run.scratch.join("overlay.json"),
    );
    fs::write(&replacement, silent).map_err(records(&replacement))?;
    let content = serde_json::json!({ "Replace": { file.to_string_lossy(): replacement } });
    fs::write(&overlay, content.to_string()).map_err(records(&overlay))?;
    Ok(Some(overlay))
}

fn place(run: &Run<'_>) -> Option<PathBuf> {
    let environment = run.request.environment;
    let flags = environment.variables.get("GOFLAGS").into_iter().flatten();
    let mut flags = flags.chain(&run.arguments.build);
    let root = environment.runtime.parent().and_then(Path::parent)?;
    (!flags.any(|flags| flags.contains("-overlay"))).then(|| root.join(FILE))
}

fn answer_no(text: &str) -> Option<String> {
    let start = text.find(QUESTION)?;
    let (before, body) = text.split_at(start + text[start..].find('\n')?);
    Some(format!("{before}\n\treturn{body}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_package_testing_is_told_that_nothing_is_counted() {
        let silent = answer_no(
            "package testdeps\n\nfunc (TestDeps) InitRuntimeCoverage() (mode string, more func()) {\n\treturn CoverMode, nil\n}\n",
        );
        expect![[r#"
            package testdeps

            func (TestDeps) InitRuntimeCoverage() (mode string, more func()) {
            	return
            	return CoverMode, nil
            }
        "#]]
        .assert_eq(&silent.unwrap());
        assert_eq!(answer_no("package testdeps\n"), None);
    }
}
