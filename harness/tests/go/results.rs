//! Results of untraced runs.

use std::time::Duration;

use expect_test::expect;
use harness::process::{Ended, Limits};
use harness::runner::Selection;

use crate::support::{Place, Prepared, ids, results};

const GOOD: &str = r#"
    //- go.mod
    module example.com/toy

    go 1.20
    //- a/a.go
    package a

    func F() int { return 1 }
    //- a/a_test.go
    package a

    import "testing"

    func TestSubs(t *testing.T) {
    	t.Run("x y", func(t *testing.T) {
    		t.Run("deep", func(t *testing.T) { F() })
    	})
    	t.Run("z/w", func(t *testing.T) { t.Skip("not today") })
    	for _, name := range []string{"one", "two"} {
    		t.Run(name, func(t *testing.T) { t.Parallel() })
    	}
    }

    func TestBad(t *testing.T) {
    	t.Run("in", func(t *testing.T) { t.Errorf("got %d", F()) })
    }

    func FuzzF(f *testing.F) {
    	f.Add(1)
    	f.Add(2)
    	f.Fuzz(func(t *testing.T, i int) { F() })
    }

    func BenchmarkF(b *testing.B) {}
    //- a/b_test.go
    package a_test

    import (
    	"fmt"

    	"example.com/toy/a"
    )

    func ExampleF() {
    	fmt.Println(a.F())
    	// Output: 1
    }

    func Example_silent() { fmt.Println("only compiled") }
    //- b/b.go
    package b
    //- c/tagged_test.go
    //go:build never

    package c
"#;

#[test]
fn subtests_examples_and_fuzz_seeds_are_tests_with_exact_ids() {
    let Some(prepared) = Place::new(GOOD).prepare() else {
        return;
    };
    assert_eq!(prepared.environment.collection.tests, 4);
    let run = prepared.run(&Selection::All, false);
    assert_eq!(run.ended, Ended::Exit(1));
    expect![[r#"
        Passed example.com/toy/a::TestSubs (a/a_test.go, TestSubs)
        Passed example.com/toy/a::TestSubs/one (a/a_test.go, TestSubs)
        Passed example.com/toy/a::TestSubs/two (a/a_test.go, TestSubs)
        Passed example.com/toy/a::TestSubs/x_y (a/a_test.go, TestSubs)
        Passed example.com/toy/a::TestSubs/x_y/deep (a/a_test.go, TestSubs)
        Skipped example.com/toy/a::TestSubs/z/w (a/a_test.go, TestSubs)
            a_test.go:9: not today
        Failed example.com/toy/a::TestBad (a/a_test.go, TestBad)
            failed without a word; its subtests say more, if it has any
        Failed example.com/toy/a::TestBad/in (a/a_test.go, TestBad)
            a_test.go:16: got 1
            at a/a_test.go:16 TestBad
        Passed example.com/toy/a::FuzzF (a/a_test.go, FuzzF)
        Passed example.com/toy/a::FuzzF/seed#0 (a/a_test.go, FuzzF)
        Passed example.com/toy/a::FuzzF/seed#1 (a/a_test.go, FuzzF)
        Passed example.com/toy/a::ExampleF (a/b_test.go, ExampleF)
    "#]]
    .assert_eq(&results(&run.trace));
    assert_eq!(
        run.imported_from,
        [(
            "example.com/toy".to_owned(),
            prepared.sandbox.tree().to_owned()
        )]
    );
}

#[test]
fn ids_and_paths_choose_tests_exactly() {
    let Some(prepared) = Place::new(GOOD).prepare() else {
        return;
    };
    let asked = ids(&[
        "example.com/toy/a::TestSubs/z/w",
        "example.com/toy/a::ExampleF",
    ]);
    expect![[r#"
        Skipped example.com/toy/a::TestSubs/z/w (a/a_test.go, TestSubs)
            a_test.go:9: not today
        Passed example.com/toy/a::ExampleF (a/b_test.go, ExampleF)
    "#]]
    .assert_eq(&results(&prepared.run(&asked, false).trace));
    let paths = Selection::Paths(vec!["a/b_test.go".to_owned()]);
    expect![[r#"
        Passed example.com/toy/a::ExampleF (a/b_test.go, ExampleF)
    "#]]
    .assert_eq(&results(&prepared.run(&paths, false).trace));
    assert_eq!(
        results(
            &prepared
                .run(&ids(&["example.com/toy/a::TestNone"]), false)
                .trace
        ),
        ""
    );
}

#[test]
fn what_kills_a_package_is_told_and_leaves_the_others_alone() {
    let Some(prepared) = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20
        //- broken/broken.go
        package broken

        func (t *T) G() int {
        	return missing
        }

        type T struct{}
        //- broken/broken_test.go
        package broken

        import "testing"

        func TestG(t *testing.T) {}
        //- exit/exit_test.go
        package exit

        import (
        	"os"
        	"testing"
        )

        func TestBefore(t *testing.T) {}
        func TestZero(t *testing.T)   { os.Exit(0) }
        //- log/log_test.go
        package log

        import (
        	"log"
        	"testing"
        )

        func TestFatal(t *testing.T) { log.SetFlags(0); log.Fatal("no disk") }
        func TestAfter(t *testing.T) {}
        //- panic/panic.go
        package panic

        type Box struct{ n *int }

        func (b *Box) Get() int {
        	return *b.n
        }
        //- panic/panic_test.go
        package panic

        import "testing"

        func TestParallel(t *testing.T) { t.Parallel() }
        func TestGet(t *testing.T) {
        	t.Run("sub", func(t *testing.T) { new(Box).Get() })
        }
        func TestLater(t *testing.T) {}
        //- user/user_test.go
        package user

        import (
        	"testing"

        	"example.com/toy/broken"
        )

        func TestUse(t *testing.T) { new(broken.T).G() }
        //- fine/fine_test.go
        package fine

        import "testing"

        func TestFine(t *testing.T) {}
        "#,
    )
    .prepare() else {
        return;
    };
    let errors = &prepared.environment.collection.errors;
    expect![[r#"
        {
            "broken/broken_test.go": "broken/broken.go:4:9: undefined: missing",
            "user/user_test.go": "broken/broken.go:4:9: undefined: missing",
        }"#]]
    .assert_eq(&format!("{errors:#?}"));
    let run = prepared.run(&Selection::All, false);
    expect![[r#"
        Passed example.com/toy/exit::TestBefore (exit/exit_test.go, TestBefore)
        Failed example.com/toy/exit::TestZero (exit/exit_test.go, TestZero)
            panic: unexpected call to os.Exit(0) during test [recovered, repanicked]
            at exit/exit_test.go:9 TestZero
        Passed example.com/toy/fine::TestFine (fine/fine_test.go, TestFine)
        Error example.com/toy/log::TestFatal (log/log_test.go, TestFatal)
            the test process ended before this test ended (while running TestFatal: no disk)
        Error example.com/toy/log::TestAfter (log/log_test.go, TestAfter)
            the test process ended before this test began (while running TestFatal: no disk)
        Error example.com/toy/panic::TestParallel (panic/panic_test.go, TestParallel)
            the test process ended before this test ended (while running TestGet: panic: runtime error: invalid memory address or nil pointer dereference [recovered, repanicked])
        Failed example.com/toy/panic::TestGet (panic/panic_test.go, TestGet)
            panic: runtime error: invalid memory address or nil pointer dereference [recovered, repanicked]
            at panic/panic_test.go:7 TestGet
            at panic/panic.go:6 Box.Get
        Failed example.com/toy/panic::TestGet/sub (panic/panic_test.go, TestGet)
            panic: runtime error: invalid memory address or nil pointer dereference [recovered, repanicked]
            at panic/panic_test.go:7 TestGet
            at panic/panic.go:6 Box.Get
        Error example.com/toy/panic::TestLater (panic/panic_test.go, TestLater)
            the test process ended before this test began (while running TestGet: panic: runtime error: invalid memory address or nil pointer dereference [recovered, repanicked])
        Uncollected broken/broken_test.go: build failed
            broken/broken.go:4:9: undefined: missing
            at broken/broken.go:4 T.G
        Uncollected user/user_test.go: build failed
            broken/broken.go:4:9: undefined: missing
            at broken/broken.go:4 T.G
    "#]].assert_eq(&results(&run.trace));
}

#[test]
fn a_hanging_test_is_named_and_the_other_packages_have_results() {
    let Some(prepared) = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20
        //- a/a_test.go
        package a

        import "testing"

        func TestBefore(t *testing.T) {}
        func TestHang(t *testing.T)   { select {} }
        func TestAfter(t *testing.T)  {}
        //- b/b_test.go
        package b

        import "testing"

        func TestFine(t *testing.T) {}
        "#,
    )
    .prepare() else {
        return;
    };
    let limits = Limits {
        wall: Duration::from_secs(20),
        ..Prepared::limits()
    };
    let run = prepared.run_within(&Selection::All, false, limits);
    assert_eq!(run.ended, Ended::TimedOut);
    let outcomes: Vec<String> = run
        .trace
        .tests
        .iter()
        .map(|test| format!("{:?} {}", test.outcome, test.id))
        .collect();
    expect![[r#"
        Passed example.com/toy/a::TestBefore
        Error example.com/toy/a::TestHang
        Error example.com/toy/a::TestAfter
        Passed example.com/toy/b::TestFine"#]]
    .assert_eq(&outcomes.join("\n"));
    let message = &run.trace.tests[1].detail.as_ref().unwrap().message;
    // By Go itself, or on a busy machine by the run's own limit.
    assert!(
        message.contains("test timed out after") || message.contains("time limit"),
        "{message}"
    );
}

#[test]
fn endless_output_ends_the_run_at_its_limit() {
    let Some(prepared) = Place::new(
        r#"
        //- go.mod
        module example.com/toy

        go 1.20
        //- a_test.go
        package a

        import (
        	"fmt"
        	"testing"
        )

        func TestLoud(t *testing.T) {
        	for {
        		fmt.Println("all work and no play makes a dull test")
        	}
        }
        "#,
    )
    .prepare() else {
        return;
    };
    let limits = Limits {
        output: 4 << 20,
        ..Prepared::limits()
    };
    let run = prepared.run_within(&Selection::All, false, limits);
    assert_eq!(run.ended, Ended::OutputLimit);
    expect![[r#"
        Error example.com/toy::TestLoud (a_test.go, TestLoud)
            the test process ended before this test ended (killed after the output limit)
    "#]]
    .assert_eq(&results(&run.trace));
}
