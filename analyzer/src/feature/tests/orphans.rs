//! What leaves because only removed code needs it, where a record tells what ran and not who called it.

use super::*;

#[test]
fn variables_that_only_a_start_function_sets_leave_with_it() {
    check_without_callers(
        r#"
//- go.mod
module example.com/rules
//- rules.go
package rules

import "regexp"

var (
	checks  map[string]func() int
	pattern *regexp.Regexp
	other   int
	more    int
)

func init() {
	checks = map[string]func() int{"one": one}
	names := make([]string, 0, len(checks))
	for name := range checks {
		names = append(names, regexp.QuoteMeta(name))
	}
	if len(names) > 0 {
		pattern = regexp.MustCompile(names[0])
	}
}

func init() {
	other = 1
	more = 2
}

func one() int { return 1 }

func Check(name string) int {
	if pattern.MatchString(name) {
		return checks[name]() + other
	}
	return 0
}

func Keep() int { return more }
//- check_test.go
package rules

func TestCheck() { Check("one") }
//- keep_test.go
package rules

func TestKeep() { Keep() }
"#,
        "check_test.go::TestCheck: rules.go::Check; rules.go::one
         keep_test.go::TestKeep: rules.go::Keep
         import rules.go: rules.go::init; rules.go::init#2",
        "check_test.go",
        expect![[r#"
            Top rules.go::Check
            Orphaned rules.go::checks
            Orphaned rules.go::init
            Specific rules.go::one
            Orphaned rules.go::pattern
            Target check_test.go::TestCheck
            Kept keep_test.go::TestKeep
        "#]],
    );
}

#[test]
fn dead_code_is_no_reason_to_keep_what_it_uses() {
    check_without_callers(
        r#"
//- go.mod
module example.com/tree
//- tree.go
package tree

type Tree struct{ m int }

func (t *Tree) Put() { t.split() }

func (t *Tree) split() { t.most(); t.least() }

func (t *Tree) most() int { return t.m }

func (t *Tree) full() bool { return t.most() == helper() }

func (t *Tree) least() int { return t.m }

func (t *Tree) low() bool { return t.least() == 1 }

func (t *Tree) Empty() bool { return t.empty() }

func (t *Tree) empty() bool { return t.least() == 0 }

func helper() int { return 1 }

func Keep() {}

//export called
func called(t *Tree) { t.split() }
//- put_test.go
package tree

func TestPut() { new(Tree).Put() }
//- keep_test.go
package tree

func TestKeep() { Keep() }
"#,
        "put_test.go::TestPut: tree.go::Tree.Put > tree.go::Tree.split > tree.go::Tree.most; tree.go::Tree.least
         keep_test.go::TestKeep: tree.go::Keep",
        "put_test.go",
        expect![[r#"
            Top tree.go::Tree.Put
            Orphaned tree.go::Tree.full
            Specific tree.go::Tree.least
            Orphaned tree.go::Tree.m
            Specific tree.go::Tree.most
            Specific tree.go::Tree.split
            Orphaned tree.go::helper
            Target put_test.go::TestPut
            Kept keep_test.go::TestKeep
        "#]],
    );
}

#[test]
fn types_that_need_each_other_leave_though_a_field_that_leaves_names_them() {
    check_without_callers(
        r#"
//- go.mod
module example.com/report
//- report.go
package report

type Reporter struct {
	root *node
}

type node struct {
	Records []record
}

type record struct {
	Value *node
}

func (r *Reporter) Report() { r.root.push() }

func (n *node) push() { n.Records = append(n.Records, record{Value: n}) }

func Keep(r *Reporter) {}
//- report_test.go
package report

func TestReport() { new(Reporter).Report() }
//- keep_test.go
package report

func TestKeep() { Keep(nil) }
"#,
        "report_test.go::TestReport: report.go::Reporter.Report > report.go::node.push
         keep_test.go::TestKeep: report.go::Keep",
        "report_test.go",
        expect![[r#"
            Top report.go::Reporter.Report
            Orphaned report.go::Reporter.root
            Orphaned report.go::node
            Specific report.go::node.push
            Orphaned report.go::record
            Target report_test.go::TestReport
            Kept keep_test.go::TestKeep
        "#]],
    );
}

#[test]
fn constants_that_nothing_uses_are_no_reason_to_keep_their_type() {
    check_without_callers(
        r#"
//- go.mod
module example.com/lex
//- lex.go
package lex

type class int

const (
	unknown class = iota
	space
	quote
)

type Kind int

const Word Kind = 1

func Split(text string) int {
	if len(text) == int(space) {
		return int(quote)
	}
	return int(Word)
}

func Keep() {}
//- split_test.go
package lex

func TestSplit() { Split("") }
//- keep_test.go
package lex

func TestKeep() { Keep() }
"#,
        "split_test.go::TestSplit: lex.go::Split
         keep_test.go::TestKeep: lex.go::Keep",
        "split_test.go",
        expect![[r#"
            Top lex.go::Split
            Orphaned lex.go::class
            Orphaned lex.go::quote
            Orphaned lex.go::space
            Orphaned lex.go::unknown
            Target split_test.go::TestSplit
            Kept keep_test.go::TestKeep
        "#]],
    );
}

#[test]
fn a_literal_that_gives_variables_their_values_is_no_reason_to_keep_them() {
    check_without_callers(
        r#"
//- go.mod
module example.com/si
//- si.go
package si

var low, high = func() (int, int) { return 1, 2 }()

var Public = func() int { return 1 }()

func Within(n int) bool { return low <= n && n <= high && n < Public }

func Keep() {}
//- within_test.go
package si

func TestWithin() { Within(1) }
//- keep_test.go
package si

func TestKeep() { Keep() }
"#,
        "within_test.go::TestWithin: si.go::Within
         keep_test.go::TestKeep: si.go::Keep
         import si.go: si.go::low; si.go::Public",
        "within_test.go",
        expect![[r#"
            Top si.go::Within
            Orphaned si.go::high
            Orphaned si.go::low
            Target within_test.go::TestWithin
            Kept keep_test.go::TestKeep
        "#]],
    );
}

#[test]
fn what_only_tests_that_leave_can_name_leaves_too() {
    check_without_callers(
        r#"
//- go.mod
module example.com/text
//- index.go
package text

type index int

const most = 10

const few = 1

func decode(at index) int { return int(at) }

func encode(at int) index { return index(at) }

func limit() int { return few }

func Public() {}

func Keep() {}
//- index_test.go
package text

func TestIndex() {
	if decode(most) == 1 {
		encode(1)
		limit()
		Public()
	}
}
//- keep_test.go
package text

func TestKeep() {
	Keep()
	limit()
}
"#,
        "index_test.go::TestIndex: index.go::decode
         keep_test.go::TestKeep: index.go::Keep; index.go::limit",
        "index_test.go",
        expect![[r#"
            Top index.go::decode
            Top index.go::encode
            Top index.go::index
            Top index.go::most
            Target index_test.go::TestIndex
            Kept keep_test.go::TestKeep
        "#]],
    );
}
