//! Environments of projects in all shapes.

use std::fs;

use expect_test::expect;
use harness::runner::Selection;

use crate::support::{Place, results};

#[test]
fn nested_modules_workspaces_and_local_replacements_all_run() {
    let Some(prepared) = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20
        //- toy.go
        package toy

        func F() int { return 1 }
        //- toy_test.go
        package toy

        import "testing"

        func TestF(t *testing.T) { F() }
        //- tools/go.mod
        module example.com/tools

        go 1.20

        require example.com/toy v0.0.0

        replace example.com/toy => ../
        //- tools/tools_test.go
        package tools

        import (
        	"testing"

        	"example.com/toy"
        )

        func TestTools(t *testing.T) { toy.F() }
        //- work/go.work
        go 1.20

        use (
        	./a
        	./b
        )
        //- work/a/go.mod
        module example.com/a

        go 1.20
        //- work/a/a.go
        package a

        func A() {}
        //- work/b/go.mod
        module example.com/b

        go 1.20
        //- work/b/b_test.go
        package b

        import (
        	"testing"

        	"example.com/a"
        )

        func TestB(t *testing.T) { a.A() }
        //- outside/go.mod
        module example.com/outside

        go 1.20

        replace example.com/far => ../../far
        //- testdata/other/go.mod
        module example.com/other
        "#,
    )
    .prepare() else {
        return;
    };
    expect!["outside/go.mod replaces example.com/far by ../../far, which is not in the project; work on the folder that holds both"].assert_eq(&prepared.environment.collection.complaints.join("\n"));
    let run = prepared.run(&Selection::All, true);
    expect![[r#"
        Passed example.com/toy::TestF (toy_test.go, TestF)
        Passed example.com/tools::TestTools (tools/tools_test.go, TestTools)
        Passed example.com/b::TestB (work/b/b_test.go, TestB)
        Session: 
        example.com/b::TestB: work/a/a.go:3 A, work/b/b_test.go:9 TestB
        example.com/tools::TestTools: tools/tools_test.go:9 TestTools, toy.go:3 F
        example.com/toy::TestF: toy.go:3 F, toy_test.go:5 TestF
    "#]]
    .assert_eq(&(results(&run.trace) + &crate::support::contexts(&run.trace)));
    let origins: Vec<_> = run
        .imported_from
        .iter()
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(
        origins,
        [
            "example.com/toy",
            "example.com/tools",
            "example.com/a",
            "example.com/b"
        ]
    );
}

#[test]
fn vendored_modules_need_no_network() {
    let place = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20

        require example.com/dep v1.0.0
        //- toy_test.go
        package toy

        import (
        	"testing"

        	"example.com/dep"
        )

        func TestDep(t *testing.T) { dep.F() }
        //- vendor/modules.txt
        # example.com/dep v1.0.0
        ## explicit
        example.com/dep
        //- vendor/example.com/dep/dep.go
        package dep

        func F() {}
        "#,
    );
    let Some(prepared) = place.prepare() else {
        return;
    };
    let run = prepared.run(&Selection::All, false);
    expect![[r#"
        Passed example.com/toy::TestDep (toy_test.go, TestDep)
    "#]]
    .assert_eq(&results(&run.trace));
    assert_eq!(
        prepared
            .environment
            .packages
            .get("example.com/dep")
            .map(String::as_str),
        Some("v1.0.0")
    );
    let modules = prepared.cache.folder().join("go/modules");
    assert!(fs::read_dir(modules).map_or(true, |entries| entries.count() == 0));
}

#[test]
fn an_environment_is_made_again_only_if_what_it_depends_on_changes() {
    let place = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20
        //- toy_test.go
        package toy

        import "testing"

        func TestA(t *testing.T) {}
        "#,
    );
    let Some(first) = place.prepare() else { return };
    place.write("more.go", "package toy\n");
    let second = place.prepare().unwrap();
    assert_eq!(first.environment, second.environment);
    assert!(second.sandbox.tree().join("more.go").is_file());
    place.write("go.mod", "module example.com/renamed\n\ngo 1.20\n");
    let third = place.prepare().unwrap();
    assert_eq!(
        third.environment.distribution.as_deref(),
        Some("example.com/renamed")
    );
}

#[test]
fn a_go_that_is_too_old_is_named_with_what_is_wanted() {
    let place = Place::new("//- go.mod\nmodule m\n\ngo 1.999\n//- a.go\npackage a\n");
    let Err(error) = place.try_prepare() else {
        unreachable!("there is no such Go");
    };
    let error = error.to_string();
    assert!(
        error.contains("wants Go 1.999.0 or later (go.mod)"),
        "{error}"
    );
}

#[test]
fn dependencies_are_fetched_once_and_then_found_without_a_network() {
    let place = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20

        require github.com/spf13/pflag v1.0.5
        //- toy_test.go
        package toy

        import (
        	"testing"

        	"github.com/spf13/pflag"
        )

        func TestFlag(t *testing.T) { pflag.NewFlagSet("x", pflag.ContinueOnError) }
        "#,
    );
    // There is no go.sum: it is completed in the work tree.
    let Some(prepared) = place.prepare() else {
        return;
    };
    if !prepared
        .environment
        .packages
        .contains_key("github.com/spf13/pflag")
    {
        fixtures::unavailable::<()>("the module proxy");
        return;
    }
    assert_eq!(
        prepared.environment.variables.get("GOPROXY"),
        Some(&Some("off".to_owned()))
    );
    let run = prepared.run(&Selection::All, false);
    expect![[r#"
        Passed example.com/toy::TestFlag (toy_test.go, TestFlag)
    "#]]
    .assert_eq(&results(&run.trace));
    assert!(
        !place.root().join("go.sum").exists(),
        "the checkout is only read"
    );
}

#[test]
fn what_needs_a_module_that_cannot_be_had_is_told_and_the_rest_runs() {
    let Some(prepared) = Place::new(
        r#"
        //- lacuna.toml
        [environment]
        variables = { GOPROXY = "off" }
        //- go.mod
        module example.com/toy

        go 1.20

        require example.com/nowhere v1.0.0
        //- far/far_test.go
        package far

        import (
        	"testing"

        	"example.com/nowhere"
        )

        func TestFar(t *testing.T) { nowhere.F() }
        //- near/near.go
        package near

        func F() {}
        //- near/near_test.go
        package near

        import "testing"

        func TestNear(t *testing.T) { F() }
        "#,
    )
    .prepare() else {
        return;
    };
    let collection = &prepared.environment.collection;
    expect![[r#"
        {
            "far/far_test.go": "far/far_test.go:6:2: missing go.sum entry for module providing package example.com/nowhere (imported by example.com/toy/far); to add:\n\tgo get -t example.com/toy/far",
        }
        []"#]].assert_eq(&format!(
        "{:#?}\n{:#?}",
        collection.errors, collection.complaints
    ));
    let run = prepared.run(&Selection::All, true);
    expect![[r#"
        Passed example.com/toy/near::TestNear (near/near_test.go, TestNear)
        Uncollected far/far_test.go: build failed
            far/far_test.go:6:2: missing go.sum entry for module providing package example.com/nowhere (imported by example.com/toy/far); to add:
            	go get -t example.com/toy/far
            at far/far_test.go:6 
        Session: 
        example.com/toy/near::TestNear: near/near.go:3 F, near/near_test.go:5 TestNear
    "#]].assert_eq(&(results(&run.trace) + &crate::support::contexts(&run.trace)));
}
