//! Diagnostics of the compiler and of `go vet`.

use expect_test::expect;
use harness::checker::Diagnostic;

use crate::support::Place;

fn line(found: &Diagnostic) -> String {
    let kind = if found.is_error { "error" } else { "warning" };
    let unused = found
        .unused
        .map_or(String::new(), |unused| format!(" [{unused:?}]"));
    format!(
        "{}:{}:{} {kind}{unused}: {}\n",
        found.path, found.line, found.column, found.message
    )
}

#[test]
fn all_errors_of_all_packages_and_their_tests_are_told_once() {
    let Some(mut prepared) = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20
        //- a/a.go
        package a

        import (
        	"fmt"
        	str "strings"
        )

        func F() {
        	x := 1
        	y, z := missing, 2
        }
        //- a/a_test.go
        package a

        import "os"
        //- b/b_test.go
        package b_test

        import "testing"

        func TestB(t *testing.T) { t.Nothing() }
        //- c/c.go
        package c

        import "example.com/toy/a"

        var _ = a.F
        "#,
    )
    .prepare() else {
        return;
    };
    let all: String = prepared.check().iter().map(line).collect();
    expect![[r#"
        a/a.go:4:2 error [Import]: "fmt" imported and not used
        a/a.go:5:2 error [Import]: "strings" imported as str and not used
        a/a.go:9:2 error [Definition]: declared and not used: x
        a/a.go:10:2 error [Definition]: declared and not used: y
        a/a.go:10:5 error [Definition]: declared and not used: z
        a/a.go:10:10 error: undefined: missing
        a/a_test.go:3:8 error [Import]: "os" imported and not used
        b/b_test.go:5:30 error: t.Nothing undefined (type *testing.T has no field or method Nothing)
    "#]]
    .assert_eq(&all);
    prepared.edit(
        "a/a.go",
        "package a\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\", \"x\") }\n",
    );
    let _ = prepared.check();
}

#[test]
fn a_tree_that_builds_may_still_have_warnings() {
    let Some(prepared) = Place::new(
        "//- go.mod\nmodule m\n\ngo 1.20\n//- a.go\npackage a\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\", \"x\") }\n",
    )
    .prepare() else {
        return;
    };
    let all: String = prepared.check().iter().map(line).collect();
    expect![[r#"
        a.go:5:24 warning: fmt.Printf format %d has arg "x" of wrong type string
    "#]]
    .assert_eq(&all);
}
