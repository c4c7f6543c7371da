//! Removals from Go code: declarations, members of groups, methods of types, bodies and imports.

use analyzer::symbol::SymbolId;
use expect_test::{Expect, expect};

use super::check;
use crate::removal::{Project, test_removal};
use crate::testing::analysis;

#[test]
fn a_function_goes_with_its_comments_directives_and_imports() {
    check(
        r#"
//- a.go
// Copyright.

// Package a.
package a

import (
	"fmt"
	"strings"

	other "example.com/other"
)

// keep is kept.
func keep() { other.Do() }

// gone says something.
//
//go:noinline
func gone(a int) string {
	return fmt.Sprint(a)
}

func also() { strings.ToUpper("") } // behind

var last = 1
"#,
        "a.go::gone a.go::also",
        expect![[r#"
            //- a.go
            // Copyright.

            // Package a.
            package a

            import (
            	other "example.com/other"
            )

            // keep is kept.
            func keep() { other.Do() }

            var last = 1
            imports: "fmt" (a.go), "strings" (a.go)
        "#]],
    );
}

#[test]
fn a_type_takes_its_methods_and_what_only_says_that_it_fits() {
    check(
        r#"
//- a.go
package a

type Shape interface{ Area() int }

// Box is a box.
type Box struct{}

var _ Shape = (*Box)(nil)

var keep = 1
//- b.go
package a

import "fmt"

func (b *Box) Area() int { fmt.Println(); return 1 }
"#,
        "a.go::Box",
        expect![[r#"
            //- a.go
            package a

            type Shape interface{ Area() int }

            var keep = 1
            //- b.go
            package a
            imports: "fmt" (b.go)
        "#]],
    );
}

#[test]
fn members_of_groups_go_alone_and_the_rest_is_aligned_again() {
    check(
        r#"
//- a.go
package a

type Box struct {
	// Size is big.
	Size       int    `json:"size"` // one
	LongerName string `json:"longer"`
	A          []int
	*Base
}

type Shape interface {
	Area() int            // one
	Circumference() int64 // two
}

const (
	One      = 1
	Thousand = 1000 // many

	Other = 2
)

var (
	x  = 1
	y  string
	zz float64 = 2
)

type (
	Short int
	Much  string
	Quite bool
)

var one = 1    // one
var more = 100 // more

func a() int        { return 1 }
func longer() int64 { return 1 }
"#,
        "a.go::more a.go::longer a.go::Box.LongerName a.go::Shape.Circumference a.go::Thousand a.go::zz a.go::Much a.go::Quite",
        expect![[r#"
            //- a.go
            package a

            type Box struct {
            	// Size is big.
            	Size int `json:"size"` // one
            	A    []int
            	*Base
            }

            type Shape interface {
            	Area() int // one
            }

            const (
            	One = 1

            	Other = 2
            )

            var (
            	x = 1
            	y string
            )

            type (
            	Short int
            )

            var one = 1 // one

            func a() int { return 1 }
        "#]],
    );
}

#[test]
fn constants_that_are_counted_keep_their_places() {
    check(
        r#"
//- a.go
package a

type Kind int

const (
	Invalid Kind = iota
	// Longest is long.
	Longest // the longest
	Short
	Last
)

const (
	Value = 1
	Same
	Alone = 2
)
"#,
        "a.go::Invalid a.go::Longest a.go::Last a.go::Value",
        expect![[r#"
            //- a.go
            package a

            type Kind int

            const (
            	_ Kind = iota
            	_
            	Short
            )

            const (
            	_ = 1
            	Same
            	Alone = 2
            )
        "#]],
    );
}

#[test]
fn groups_that_lose_everything_go_and_types_keep_their_braces() {
    check(
        r#"
//- a.go
package a

import (
	"fmt"
)

// About both.
var (
	a = fmt.Sprint()
	b = 2
)

type Box struct {
	only int
}

type In struct{ a, b int; c string; d bool }
"#,
        "a.go::a a.go::b a.go::Box.only a.go::In.c",
        expect![[r#"
            //- a.go
            package a

            type Box struct {
            }

            type In struct{ a, b int; d bool }
            imports: "fmt" (a.go)
        "#]],
    );
}

#[test]
fn a_stub_keeps_its_header() {
    check(
        r#"
//- a.go
package a

import "fmt"

// Long is long.
//
//go:noinline
func Long(a, b int) (c string, err error) { // why
	// first
	return fmt.Sprint(a), nil
} // end

func Short() int { return 1 }

// About something else.

// Doc goes.
func (b Box) Bare() {
	for {
	}
}

type Box struct{}
"#,
        "[stub] a.go::Long [stub] a.go::Short [bare] a.go::Box.Bare",
        expect![[r#"
            //- a.go
            package a

            // Long is long.
            //
            //go:noinline
            func Long(a, b int) (c string, err error) {
            	panic("not implemented")
            } // end

            func Short() int { panic("not implemented") }

            // About something else.

            func (b Box) Bare() {
            	panic("not implemented")
            }

            type Box struct{}
            imports: "fmt" (a.go)
        "#]],
    );
}

#[test]
fn what_cannot_go_alone_is_refused() {
    check(
        r#"
//- a.go
package a

var a, b = f()

func assembly()

func f() (int, int) { return 1, 2 }
"#,
        "a.go::a a.go::assembly",
        expect![[r#"
            problems: a.go::a was not removed: its declaration also defines a name that stays, a.go::assembly was not removed: its body stands in a file of another language
        "#]],
    );
}

#[test]
fn private_variables_and_dot_imports_go_with_their_last_use() {
    check(
        r#"
//- go.mod
module m
//- a.go
package a

import (
	. "m/b"
	_ "embed"
)

import "C"

var private = 1
var Public = 1

func gone() { Dotted(private, Public, C.x) }

func keep() {}
//- b/b.go
package b

func Dotted(...any) {}
"#,
        "a.go::gone",
        expect![[r#"
            //- a.go
            package a

            import (
            	_ "embed"
            )

            import "C"

            var Public = 1

            func keep() {}
            imports: . "m/b" (a.go)
            orphaned: a.go::private
        "#]],
    );
}

#[test]
fn private_fields_go_with_their_last_use_and_their_columns_close() {
    check(
        r#"
//- go.mod
module m
//- a.go
package a

import "sync"

// Box is kept.
type Box struct {
	size int // how big

	lock       sync.Mutex // guards the rest
	remembered map[string]int
	a, b       int
	Public     int
	tagged     int `json:"tagged"`
	held
	pair pair // both
}

type held struct{ deep int }

type pair struct{ left, right int }

type twin struct{ left, right int }

type triple struct{ x, y, z int }

func keep(b Box) int { return b.size + int(twin(b.pair).left) + triple{1, 2, 3}.x }

func gone(b *Box, t triple) {
	b.lock.Lock()
	b.remembered = map[string]int{}
	b.a, b.b, b.Public, b.tagged, b.deep, b.pair.right = 1, 2, 3, 4, 5, t.y
}
"#,
        "a.go::gone",
        expect![[r#"
            //- a.go
            package a

            // Box is kept.
            type Box struct {
            	size int // how big

            	a, b   int
            	Public int
            	tagged int `json:"tagged"`
            	held
            	pair pair // both
            }

            type held struct{}

            type pair struct{ left, right int }

            type twin struct{ left, right int }

            type triple struct{ x, y, z int }

            func keep(b Box) int { return b.size + int(twin(b.pair).left) + triple{1, 2, 3}.x }
            imports: "sync" (a.go)
            orphaned: a.go::Box.lock, a.go::Box.remembered, a.go::held.deep
        "#]],
    );
}

#[test]
fn a_conversion_of_nil_uses_no_fields() {
    check(
        r#"
//- go.mod
module m
//- a.go
package a

type opener interface{ Open() }

var _ opener = (*Box)(nil)

type Box struct {
	Open_ bool
	lid   int
}

type twin struct {
	Open_ bool
	lid   int
}

func (b *Box) Open() { b.lid++ }
"#,
        "[stub] a.go::Box.Open",
        expect![[r#"
            //- a.go
            package a

            type opener interface{ Open() }

            var _ opener = (*Box)(nil)

            type Box struct {
            	Open_ bool
            }

            type twin struct {
            	Open_ bool
            	lid   int
            }

            func (b *Box) Open() { panic("not implemented") }
            orphaned: a.go::Box.lid
        "#]],
    );
}

/// What is left when some tests leave; all functions that Go runs as tests are tests.
fn check_tests(fixture: &str, held_back: &str, expected: Expect) {
    let before = analysis(fixture);
    let ids = |text: &str| text.split_whitespace().map(SymbolId::parse).collect();
    let paths = before.paths();
    let symbols = paths.iter().flat_map(|path| before.symbols(path).to_vec());
    let runs = |id: &SymbolId| {
        let starts = ["Test", "Example", "Fuzz"].map(|start| id.name().starts_with(start));
        starts.contains(&true) && id.name() != "TestMain"
    };
    let tests = symbols.map(|symbol| symbol.id).filter(runs).collect();
    let plan = test_removal(&Project::new(&before), &tests, &ids(held_back));
    let actions: Vec<&str> = plan.actions.keys().map(SymbolId::as_str).collect();
    check(fixture, &actions.join(" "), expected);
}

#[test]
fn tests_take_the_helpers_types_and_imports_that_only_they_need() {
    check_tests(
        r#"
//- a/a.go
package a

type Shape interface{ Area() int }

func Sum(shapes ...Shape) int { return 0 }

func Other() {}
//- a/a_test.go
package a

import (
	"errors"
	"strings"
	"testing"
)

// square is a shape.
type square struct{ side int }

func (s square) Area() int { return s.side }

var errBad = errors.New("bad")

func shapes() []Shape { return []Shape{square{size}} }

func TestSum(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			if Sum(shapes()...) != 0 {
				t.Fatal(errBad)
			}
		})
	}
}

// ExampleSum shows sums.
func ExampleSum() {
	Sum()
	// Output:
}

func FuzzSum(f *testing.F) {
	f.Add(size)
	f.Fuzz(func(t *testing.T, side int) { Sum(square{side}) })
}

func TestOther(t *testing.T) {
	Other()
	strings.ToUpper("")
}
//- a/help_test.go
package a

const size = 2

func help() {}

func more() { help() }

// nothing uses it.
func useless() {}

func TestHelp(t *testing.T) { help() }
//- a/colours.go
package a

// Colours.
var (
	red  = 1
	blue = 2
)

var Green = 3

var now = blue
//- a/paint_test.go
package a

func TestPaint(t *testing.T) {
	_ = red + blue + Green
	more()
}
"#,
        "a/paint_test.go::TestPaint a/a_test.go::TestSum a/a_test.go::ExampleSum a/a_test.go::FuzzSum",
        expect![[r#"
            //- a/a_test.go
            package a

            import (
            	"strings"
            	"testing"
            )

            func TestOther(t *testing.T) {
            	Other()
            	strings.ToUpper("")
            }
            //- a/colours.go
            package a

            // Colours.
            var (
            	blue = 2
            )

            var Green = 3

            var now = blue
            //- a/help_test.go
            package a

            func help() {}

            // nothing uses it.
            func useless() {}

            func TestHelp(t *testing.T) { help() }
            //- a/paint_test.go is gone
            imports: "errors" (a/a_test.go)
            orphaned: a/colours.go::red
        "#]],
    );
}

#[test]
fn what_a_package_runs_for_all_its_tests_stays_for_the_others() {
    check_tests(
        r#"
//- go.mod
module example.com/m
//- a/a.go
package a

func F() {}
//- a/a_test.go
package a

import (
	"os"
	"testing"
)

var ready bool

func TestMain(m *testing.M) {
	ready = true
	os.Exit(m.Run())
}

func TestF(t *testing.T) { F() }
//- a/b_test.go
package a

import "testing"

var seen int

func init() { seen++ }

func TestG(t *testing.T) { F() }
//- a/c_test.go
package a_test

import "testing"

func TestH(t *testing.T) {}
"#,
        "a/a_test.go::TestF a/b_test.go::TestG",
        expect![[r#"
            //- a/a_test.go
            package a

            import (
            	"os"
            	"testing"
            )

            var ready bool

            func TestMain(m *testing.M) {
            	ready = true
            	os.Exit(m.Run())
            }
            //- a/b_test.go
            package a

            var seen int

            func init() { seen++ }
            imports: "testing" (a/b_test.go)
        "#]],
    );
    check_tests(
        r#"
//- go.mod
module example.com/m
//- a/a_test.go
package a

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

func TestF(t *testing.T) {}
//- b/b_test.go
package b

import "testing"

func TestG(t *testing.T) {}
"#,
        "a/a_test.go::TestF",
        expect![[r#"
            //- a/a_test.go is gone
        "#]],
    );
}

#[test]
fn variables_of_tests_that_leave_are_told_with_them() {
    let analysis = analysis(
        "
//- go.mod
module example.com/route
//- route.go
package route

type header string
//- route_test.go
package route

type headerCase struct{ given header }

var headerCases = []headerCase{{given: \"a\"}}

func TestHeader() {
	for range headerCases {
	}
}

func TestOther() {}
",
    );
    let ids = |names: &[&str]| {
        let names = names.iter();
        names
            .map(|name| SymbolId::parse(&format!("route_test.go::{name}")))
            .collect()
    };
    let tests = ids(&["TestHeader", "TestOther"]);
    let plan = test_removal(&Project::new(&analysis), &tests, &ids(&["TestHeader"]));
    let told: Vec<&str> = plan.actions.keys().map(SymbolId::name).collect();
    assert_eq!(told, ["TestHeader", "headerCase", "headerCases"]);
}

#[test]
fn stubs_in_a_column_stay_in_one_line_or_leave_the_column() {
    check(
        r#"
//- a.go
package a

type state struct{}

type ignore struct{}

func (ignore) isFiltered() bool                                                     { return false }
func (ignore) filter(_ *state, _ map[string]string, _, _ []string) (ignore, string) { return ignore{}, "" }
func (ignore) String() string                                                       { return "Ignore()" }
"#,
        "[stub] a.go::ignore.filter [stub] a.go::ignore.String",
        expect![[r#"
            //- a.go
            package a

            type state struct{}

            type ignore struct{}

            func (ignore) isFiltered() bool { return false }
            func (ignore) filter(_ *state, _ map[string]string, _, _ []string) (ignore, string) {
            	panic("not implemented")
            }
            func (ignore) String() string { panic("not implemented") }
        "#]],
    );
}
