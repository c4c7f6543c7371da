//! Features from a record that only tells what ran: callers are inferred from the text.

use super::*;

const CARTS: &str = r#"
//- src/shop/cart.py
class Line:
    pass
def total(cart):
    return added(cart)
def added(cart):
    return Line()
def unused():
    return added(None)
//- src/shop/money.py
def parse(text):
    return text
//- tests/test_cart.py
from shop.cart import total
def test_total():
    total([])
//- tests/test_money.py
from shop.money import parse
def test_parse():
    parse("1")
"#;

#[test]
fn who_refers_to_what_ran_is_taken_to_have_called_it() {
    check_without_callers(
        CARTS,
        "tests/test_cart.py::test_total: src/shop/cart.py::total > src/shop/cart.py::added
         tests/test_money.py::test_parse: src/shop/money.py::parse",
        "tests/test_cart.py",
        expect![[r#"
            Orphaned src/shop/cart.py::Line
            Specific src/shop/cart.py::added
            Top src/shop/cart.py::total
            Target tests/test_cart.py::test_total
            Kept tests/test_money.py::test_parse
        "#]],
    );
}

#[test]
fn tests_beside_the_code_do_not_make_their_file_test_code() {
    check_without_callers(
        r#"
//- Cargo.toml
[package]
name = "shop"
//- src/cart.rs
pub fn total() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    fn helper() {}

    #[test]
    fn adds() {
        helper();
    }
}
//- src/money.rs
pub fn parse() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads() {}
}
"#,
        "src/cart.rs::tests.adds: src/cart.rs::total; src/cart.rs::tests.helper
         src/money.rs::tests.reads: src/money.rs::parse",
        "src/cart.rs",
        expect![[r#"
            Top src/cart.rs::total
            Target src/cart.rs::tests.adds
            Kept src/money.rs::tests.reads
        "#]],
    );
}

#[test]
fn what_code_that_stays_may_call_through_an_interface_counts_where_the_target_runs_it() {
    check_without_callers(
        r#"
//- go.mod
module example.com/flags
//- value.go
package flags

type value interface{ Type() string }

func kind(v value) string { return v.Type() }

type intValue int

func (i intValue) Type() string { return "int" }

type boolValue bool

func (b boolValue) Type() string { return "bool" }
//- ip.go
package flags

type ipValue string

func (i ipValue) Type() string { return "ip" }

func ip(text string) string { return kind(ipValue(text)) }
//- ip_test.go
package flags

func TestIP() { ip("") }
//- value_test.go
package flags

func TestAll() { ip(""); kind(intValue(1)) }

func TestBool() { kind(boolValue(true)) }

func TestMore() { kind(boolValue(true)) }

func TestYetMore() { kind(boolValue(true)) }

func TestMost() { kind(boolValue(true)) }
"#,
        "ip_test.go::TestIP: ip.go::ip > value.go::kind > ip.go::ipValue.Type
         value_test.go::TestAll: ip.go::ip > value.go::kind > ip.go::ipValue.Type; value.go::kind > value.go::intValue.Type
         value_test.go::TestBool: value.go::kind > value.go::boolValue.Type
         value_test.go::TestMore: value.go::kind > value.go::boolValue.Type
         value_test.go::TestYetMore: value.go::kind > value.go::boolValue.Type
         value_test.go::TestMost: value.go::kind > value.go::boolValue.Type",
        "ip_test.go",
        expect![[r#"
            Top ip.go::ip
            Top ip.go::ipValue
            Top ip.go::ipValue.Type
            Shared value.go::kind
            Target ip_test.go::TestIP
            Collateral value_test.go::TestAll
            Kept value_test.go::TestBool
            Kept value_test.go::TestMore
            Kept value_test.go::TestYetMore
            Kept value_test.go::TestMost
        "#]],
    );
}

#[test]
fn a_type_that_only_removed_code_makes_takes_the_methods_that_others_may_seem_to_call() {
    check_without_callers(
        r#"
//- go.mod
module example.com/parse
//- errors.go
package parse

type usage interface{ Usage() string }

type wrong struct{ text string }

func (w wrong) Error() string { return clean(w.text) }

func (w wrong) Usage() string { return "" }

type late struct{}

func (l late) Usage() string { return "late" }

func clean(text string) string { return text }

func explain(u usage) string { return u.Usage() }
//- parse.go
package parse

func parse(text string) error { return wrong{text} }
//- parse_test.go
package parse

func TestParse() { parse("") }
//- errors_test.go
package parse

func TestMore() { explain(late{}) }

func TestYetMore() { explain(late{}) }

func TestMost() { explain(late{}) }

func TestAll() { parse("").Error() }

func TestLate() { explain(late{}) }
"#,
        "parse_test.go::TestParse: parse.go::parse
         errors_test.go::TestAll: parse.go::parse; errors.go::wrong.Error > errors.go::clean
         errors_test.go::TestMore: errors.go::explain > errors.go::late.Usage
         errors_test.go::TestYetMore: errors.go::explain > errors.go::late.Usage
         errors_test.go::TestMost: errors.go::explain > errors.go::late.Usage
         errors_test.go::TestLate: errors.go::explain > errors.go::late.Usage",
        "parse_test.go",
        expect![[r#"
            Orphaned errors.go::clean
            Orphaned errors.go::wrong
            Top parse.go::parse
            Target parse_test.go::TestParse
            Collateral errors_test.go::TestAll
            Kept errors_test.go::TestMore
            Kept errors_test.go::TestYetMore
            Kept errors_test.go::TestMost
            Kept errors_test.go::TestLate
        "#]],
    );
}

#[test]
fn a_type_that_only_tests_use_which_fail_anyway_leaves() {
    check_without_callers(
        r#"
//- go.mod
module example.com/route
//- route.go
package route

type header string

func (h header) Match() bool { return true }

type scheme string

func (s scheme) Match() bool { return true }

type matcher interface{ Match() bool }

func Headers() matcher { return header("") }

func Schemes() matcher { return scheme("") }
//- route_test.go
package route

func TestRoutes() { Headers().Match(); Schemes().Match() }
//- old_test.go
package route

type headerCase struct{ given header }

var headerCases = []headerCase{{given: "a"}}

var schemeCases = []scheme{"b"}

func TestHeader() {
	for _, one := range headerCases {
		one.given.Match()
		Headers()
	}
}

func TestScheme() { schemeCases[0].Match() }

func TestOther() {}

func TestNothing() {}

func TestNoMore() {}

func TestTheEnd() {}
"#,
        "route_test.go::TestRoutes: route.go::Headers; route.go::Schemes; route.go::header.Match; route.go::scheme.Match
         old_test.go::TestHeader: route.go::header.Match; route.go::Headers
         old_test.go::TestScheme: old_test.go::TestScheme
         old_test.go::TestOther: old_test.go::TestOther
         old_test.go::TestNothing: old_test.go::TestNothing
         old_test.go::TestNoMore: old_test.go::TestNoMore
         old_test.go::TestTheEnd: old_test.go::TestTheEnd",
        "route_test.go",
        expect![[r#"
            Top route.go::Headers
            Top route.go::Schemes
            Top route.go::header
            Top route.go::header.Match
            Top route.go::matcher
            Top route.go::scheme.Match
            Target route_test.go::TestRoutes
            Collateral old_test.go::TestHeader
            Kept old_test.go::TestScheme
            Kept old_test.go::TestOther
            Kept old_test.go::TestNothing
            Kept old_test.go::TestNoMore
            Kept old_test.go::TestTheEnd
        "#]],
    );
}

#[test]
fn types_that_need_each_other_leave_together() {
    check_without_callers(
        r#"
//- go.mod
module example.com/report
//- report.go
package report

type node struct {
	records []record
	parent  *shared
}

type record struct{ value *node }

type shared struct{ value *node }

func Report() int { return len(node{}.records) }

func Other(of *shared) {}
//- report_test.go
package report

func TestReport() { Report() }
//- other_test.go
package report

func TestOther() { Other(nil) }
"#,
        "report_test.go::TestReport: report.go::Report
         other_test.go::TestOther: report.go::Other",
        "report_test.go",
        expect![[r#"
            Top report.go::Report
            Orphaned report.go::node.records
            Orphaned report.go::record
            Target report_test.go::TestReport
            Kept other_test.go::TestOther
        "#]],
    );
    check_without_callers(
        r#"
//- go.mod
module example.com/report
//- report.go
package report

type node struct{ records []record }

type record struct{ value *node }

func (r record) String() string { return "" }

func Report() int { return len(node{}.records) }

func Other() {}
//- report_test.go
package report

func TestReport() { Report() }
//- other_test.go
package report

func TestOther() { Other() }
"#,
        "report_test.go::TestReport: report.go::Report
         other_test.go::TestOther: report.go::Other",
        "report_test.go",
        expect![[r#"
            Top report.go::Report
            Orphaned report.go::node
            Orphaned report.go::record
            Target report_test.go::TestReport
            Kept other_test.go::TestOther
        "#]],
    );
}

#[test]
fn a_type_that_a_function_of_the_interface_names_is_told_with_it() {
    check_without_callers(
        r#"
//- go.mod
module example.com/plan
//- plan.go
package plan

type Options struct{ Wide bool }

type Way struct {
	Length int
	Steps  []Step
	marks  map[string]mark
}

type Step struct{}

type mark struct{}

type scratch struct{}

func Find(options Options) *Way {
	_ = scratch{}
	return &Way{}
}

func Other() {}
//- plan_test.go
package plan

func TestFind() { _ = Find(make()).Length }
//- other_test.go
package plan

func TestOther() { Other() }
"#,
        "plan_test.go::TestFind: plan.go::Find
         other_test.go::TestOther: plan.go::Other",
        "plan_test.go",
        expect![[r#"
            Top plan.go::Find
            Top plan.go::Options
            Top plan.go::Step
            Top plan.go::Way
            Orphaned plan.go::mark
            Orphaned plan.go::scratch
            Target plan_test.go::TestFind
            Kept other_test.go::TestOther
        "#]],
    );
}

#[test]
fn private_fields_that_only_removed_code_uses_leave_the_types_that_stay() {
    check_without_callers(
        r#"
//- go.mod
module example.com/box
//- box.go
package box

type Box struct {
	Open   bool
	lid    lid
	a, b   int
	c, d   int
	marked bool `json:"marked"`
	_      [0]func()
	hidden
	tested int
	set    int
}

type lid struct{ held bool }

type hidden struct{ depth int }

type pair struct{ x, y int }

type twin struct{ x, y int }

type triple struct{ x, y, z int }

var limit = 3

func New() *Box { return &Box{set: 1} }

func Keep(p pair) int { return twin(p).x + triple{1, 2, 3}.x + Box{}.d }

func (b *Box) Close(p pair, t triple) bool {
	b.lid = lid{held: b.marked}
	b.set, b.tested, b.a, b.b, b.c = limit, 1, 2, 3, 4
	return b.depth+p.y+t.y > 0
}
//- box_test.go
package box

func TestClose() { New().Close(pair{}, triple{}) }
//- other_test.go
package box

func TestKeep() { Keep(pair{}); _ = New().tested }

func TestMore() { New() }
"#,
        "box_test.go::TestClose: box.go::New; box.go::Box.Close
         other_test.go::TestKeep: box.go::Keep; box.go::New
         other_test.go::TestMore: box.go::New",
        "box_test.go",
        expect![[r#"
            Top box.go::Box.Close
            Orphaned box.go::Box.a
            Orphaned box.go::Box.b
            Orphaned box.go::Box.lid
            Orphaned box.go::hidden.depth
            Orphaned box.go::lid
            Orphaned box.go::limit
            Target box_test.go::TestClose
            Kept other_test.go::TestKeep
            Kept other_test.go::TestMore
        "#]],
    );
}
