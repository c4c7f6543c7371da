//! The rows of the page on pitfalls, in Go. Each test names the row.

use expect_test::expect;

use super::{bytes, check, check_analysis, check_blocked};

// M1
#[test]
fn an_import_group_keeps_the_aliases_and_comments_of_what_stays() {
    check(
        r#"
//- a.go
package a

import (
	// for keep
	alpha "example.com/alpha" // keep alpha
	beta "example.com/beta"   // goes with beta

	// goes with gamma
	"example.com/gamma"

	_ "example.com/effect" // for its effect
)

func keep() { alpha.Do() }

func gone() { beta.Do(); gamma.Do() }
"#,
        "a.go::gone",
        expect![[r#"
            //- a.go
            package a

            import (
            	// for keep
            	alpha "example.com/alpha" // keep alpha

            	_ "example.com/effect" // for its effect
            )

            func keep() { alpha.Do() }
            imports: beta "example.com/beta" (a.go), "example.com/gamma" (a.go)
        "#]],
    );
}

// M2
#[test]
fn an_import_group_that_loses_all_its_imports_goes() {
    check(
        r#"
//- a.go
package a

// For gone.
import (
	"fmt" // to print
)

import "strings" // to search

func keep() {}

func gone() { fmt.Println(strings.ToUpper("")) }
"#,
        "a.go::gone",
        expect![[r#"
            //- a.go
            package a

            func keep() {}
            imports: "fmt" (a.go), "strings" (a.go)
        "#]],
    );
}

// M4
#[test]
fn line_ends_of_a_declaration_stay_what_they_are() {
    check_analysis(
        &bytes(&[(
            "a.go",
            "⌁package a␍\n␍\nimport \"fmt\"␍\n␍\n// F goes.␍\nfunc F() { fmt.Println() }␍\n␍\nfunc G(x int) int {␍\n\treturn x␍\n}␍\n␍\ntype T struct {␍\n\ta      int // first␍\n\tbc     string␍\n\tlonger int␍\n}",
        )]),
        "a.go::F [stub] a.go::G a.go::T.longer",
        expect![[r#"
            //- a.go
            ⌁package a␍
            ␍
            func G(x int) int {␍
            	panic("not implemented")␍
            }␍
            ␍
            type T struct {␍
            	a  int // first␍
            	bc string␍
            }⏎
            imports: "fmt" (a.go)
        "#]],
    );
}

// M9, T2
#[test]
fn all_definitions_of_a_name_for_different_systems_go() {
    let files = r#"
//- a.go
package m

func keep() {}
//- b_linux.go
package m

func name() {}

func more() {}
//- b_windows.go
//go:build windows

// Package m.
package m

func name() {}

func more() {}
"#;
    check(
        files,
        "b_linux.go::name b_windows.go::name",
        expect![[r#"
        //- b_linux.go
        package m

        func more() {}
        //- b_windows.go
        //go:build windows

        // Package m.
        package m

        func more() {}
    "#]],
    );
    let used = format!("{files}\n//- c.go\npackage m\n\nfunc use() {{ name() }}\n");
    check_blocked(
        &used,
        &["b_linux.go::name", "b_windows.go::name", "b_linux.go::more"],
        expect![[r#"
            b_linux.go::name
            b_windows.go::name"#]],
    );
}

// M12
#[test]
fn comments_around_declarations_and_members_go_with_what_they_belong_to() {
    check(
        r#"
//- a.go
// Package a.
package a

// Limit is the limit.
const Limit = 1 // stays

// Goes with area,
// and so does this.
//
//go:noinline
func area() {} // behind area

/* Goes with volume. */
func volume() {}

// Stays with angle.
func angle() {}

type Square struct {
	// leads

	// about side
	side int // behind side

	// about rest
	rest int // behind rest

	// trails
}

type Shape interface {
	// leads

	// about area
	area() int // behind area

	// trails
}
"#,
        "a.go::area a.go::volume a.go::Square.side a.go::Shape.area",
        expect![[r#"
            //- a.go
            // Package a.
            package a

            // Limit is the limit.
            const Limit = 1 // stays

            // Stays with angle.
            func angle() {}

            type Square struct {
            	// leads

            	// about rest
            	rest int // behind rest

            	// trails
            }

            type Shape interface {
            	// leads

            	// trails
            }
        "#]],
    );
}

// M17
#[test]
fn groups_with_a_comment_behind_their_header_lose_their_only_member() {
    check(
        r#"
//- a.go
package a

type Square struct { // note
	side int
}

type Shape interface { // note
	Area() int
}

type Alone interface{ Area() int }

type Pair interface{ Area() int; Side() int }

const ( // note
	one = 1
)

var ( // note
	two = 2
)

type ( // note
	Three int
)

import ( // note
	"fmt"
)

func keep() {}

func gone() { fmt.Println() }
"#,
        "a.go::Square.side a.go::Shape.Area a.go::Alone.Area a.go::Pair.Side a.go::one a.go::two a.go::Three a.go::gone",
        expect![[r#"
            //- a.go
            package a

            type Square struct { // note
            }

            type Shape interface { // note
            }

            type Alone interface{}

            type Pair interface{ Area() int }

            func keep() {}
            imports: "fmt" (a.go)
        "#]],
    );
}

// M18
#[test]
fn headings_of_sections_go_with_the_last_declaration_below_them() {
    check(
        r#"
//- a.go
// Package a.
package a

// ---- Areas ----

// Area is an area.
func Area() {}

// ---- Volumes ----

func Volume() {}

func Cube() {}

// ===========
// Angles
// ===========

func Angle() {}

//region Times
func Time() {}
//endregion

type Square struct {
	// ---- Sides ----

	Side int

	// ---- Rest ----

	Rest int
}
"#,
        "a.go::Area a.go::Volume a.go::Angle a.go::Time a.go::Square.Side",
        expect![[r#"
            //- a.go
            // Package a.
            package a

            // ---- Volumes ----

            func Cube() {}

            // ===========
            // Angles
            // ===========

            type Square struct {
            	// ---- Rest ----

            	Rest int
            }
        "#]],
    );
}

// M20, R5
#[test]
fn a_dot_import_stays_while_one_of_its_names_is_used() {
    check(
        r#"
//- go.mod
module m
//- a.go
package a

import . "m/b"

func keep() { Kept() }

func gone() { Gone() }
//- c.go
package a

import . "m/b"

func also() { Gone() }
//- b/b.go
package b

func Kept() {}

func Gone() {}
"#,
        "a.go::gone c.go::also b/b.go::Gone",
        expect![[r#"
            //- a.go
            package a

            import . "m/b"

            func keep() { Kept() }
            //- b/b.go
            package b

            func Kept() {}
            //- c.go
            package a
            imports: . "m/b" (c.go)
        "#]],
    );
}

// R7
#[test]
fn a_function_in_a_table_of_cases_keeps_its_name() {
    check_blocked(
        r#"
//- a.go
package a

func f() int { return 1 }

type k struct{}

func (k) do() int { return 1 }

func other() {}
//- a_test.go
package a

import "testing"

var cases = []func() int{f}

func TestAll(t *testing.T) {
	for _, test := range cases {
		test()
	}
	for _, test := range []struct{ run func() int }{{k{}.do}} {
		test.run()
	}
}
"#,
        &["a.go::f", "a.go::k.do", "a.go::other"],
        expect![[r#"
            a.go::f
            a.go::k.do"#]],
    );
}

// C4
#[test]
fn declarations_that_start_alike_are_different_symbols() {
    check(
        r#"
//- a.go
package a

type Par struct{ par, parse int }

func (Par) Parse() {}

type Parse struct{ par int }

func (Parse) Par() {}

func ParseVersion() {}

func par() {}

var parse = Parse{par: 1}
"#,
        "a.go::Par a.go::par",
        expect![[r#"
            //- a.go
            package a

            type Parse struct{ par int }

            func (Parse) Par() {}

            func ParseVersion() {}

            var parse = Parse{par: 1}
        "#]],
    );
}
