//! Whole features, decided from small projects and traces written as chains of calls.

use std::sync::Arc;

use expect_test::{Expect, expect};
use fixtures::Fixture;

use super::*;
use crate::trace::{
    Code, CodeKind, Context, ContextKind, Edge, EdgeKind, Outcome, Phase, TestResult, Trace,
};
use crate::{AnalysisHost, Change};

/// Decides the feature of the tests in `target` and compares roles and tests with `expected`.
///
/// Each line of `runs` is `test: a > b > c; d`: the test calls `a`, which calls `b`, and so on. A line
/// `import path: a > b` is what the import of a file runs.
fn check(files: &str, runs: &str, target: &str, expected: Expect) {
    check_with(files, runs, target, |options| options, expected);
}

fn check_with(
    files: &str,
    runs: &str,
    target: &str,
    options: fn(FeatureOptions) -> FeatureOptions,
    expected: Expect,
) {
    check_recorded(files, runs, target, options, |trace| trace, expected);
}

/// Like `check` with a record that only tells what ran in each test, not who called it.
fn check_without_callers(files: &str, runs: &str, target: &str, expected: Expect) {
    check_recorded(
        files,
        runs,
        target,
        |options| options,
        without_callers,
        expected,
    );
}

fn without_callers(mut trace: Trace) -> Trace {
    let entered = |callee| Edge {
        caller: None,
        callee,
        kind: EdgeKind::Entered,
    };
    let ran = trace.codes.iter().enumerate();
    let edges = ran.map(|(code, _)| entered(u32::try_from(code).unwrap()));
    let edges: Vec<Edge> = edges.collect();
    for context in &mut trace.contexts {
        let seen = context.edges.iter().flat_map(|edge| {
            let edge = trace.edges[*edge as usize];
            edge.caller.into_iter().chain([edge.callee])
        });
        let seen: BTreeSet<u32> = seen.collect();
        context.edges = seen.into_iter().collect();
    }
    trace.edges = edges;
    trace
}

fn check_recorded(
    files: &str,
    runs: &str,
    target: &str,
    options: fn(FeatureOptions) -> FeatureOptions,
    record: fn(Trace) -> Trace,
    expected: Expect,
) {
    let fixture = Fixture::parse(files);
    let mut host = AnalysisHost::new();
    let bytes = |text: &str| Some(Arc::from(text.as_bytes()));
    let files = fixture
        .files
        .iter()
        .map(|file| (file.path.clone(), bytes(&file.text)))
        .collect();
    host.apply(Change { files, trace: None });
    let trace = Arc::new(record(trace(&host.analysis(), runs)));
    host.apply(Change {
        files: Vec::new(),
        trace: Some(Some(Arc::clone(&trace))),
    });
    let analysis = host.analysis();
    let impact = Impact::new(&analysis);
    let scope = Scope::new(&analysis, &impact, &|test| trace.tests[test].path == target);
    let options = options(FeatureOptions::default());
    let feature = decide(&analysis, &impact, &scope, &options);
    let roles = feature
        .members
        .iter()
        .map(|(id, member)| format!("{:?} {id}\n", member.role));
    let tests = trace
        .tests
        .iter()
        .zip(&feature.tests)
        .map(|(test, expectation)| format!("{expectation:?} {}\n", test.id));
    expected.assert_eq(&roles.chain(tests).collect::<String>());
}

fn trace(analysis: &Analysis, runs: &str) -> Trace {
    let mut trace = Trace::default();
    for line in runs.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, chains) = line.split_once(": ").unwrap();
        let context = u32::try_from(trace.contexts.len()).unwrap();
        let (kind, root) = match name.strip_prefix("import ") {
            Some(path) => (
                ContextKind::Import {
                    path: path.to_owned(),
                },
                code(&mut trace, analysis, path),
            ),
            None => {
                let root = code(&mut trace, analysis, name);
                trace.tests.push(test(name, context));
                (
                    ContextKind::Test {
                        test: name.to_owned(),
                        phase: Phase::Call,
                    },
                    root,
                )
            }
        };
        let mut edges = Vec::new();
        for chain in chains.split("; ") {
            let mut caller = root;
            for callee in chain.split(" > ") {
                let callee = code(&mut trace, analysis, callee);
                edges.push(u32::try_from(trace.edges.len()).unwrap());
                trace.edges.push(Edge {
                    caller: Some(caller),
                    callee,
                    kind: EdgeKind::Call,
                });
                caller = callee;
            }
        }
        trace.contexts.push(Context { kind, edges });
    }
    trace
}

fn code(trace: &mut Trace, analysis: &Analysis, id: &str) -> u32 {
    let symbol = analysis.symbol(&SymbolId::parse(id)).unwrap();
    let kind = match symbol.kind {
        crate::symbol::SymbolKind::Class => CodeKind::Class,
        crate::symbol::SymbolKind::Module => CodeKind::Module,
        _ => CodeKind::Function,
    };
    let name = if kind == CodeKind::Module {
        "<module>"
    } else {
        symbol.id.chain()
    };
    let code = Code {
        path: symbol.id.path().to_owned(),
        line: symbol.line,
        name: name.to_owned(),
        kind,
    };
    let index = trace
        .codes
        .iter()
        .position(|other| *other == code)
        .unwrap_or_else(|| {
            trace.codes.push(code);
            trace.codes.len() - 1
        });
    u32::try_from(index).unwrap()
}

fn test(id: &str, context: u32) -> TestResult {
    let (path, function) = id.split_once("::").unwrap();
    TestResult {
        id: id.to_owned(),
        path: path.to_owned(),
        function: function.to_owned(),
        origin: None,
        outcome: Outcome::Passed,
        seconds: 0.0,
        contexts: vec![context],
        detail: None,
    }
}

const SHOP: &str = "
//- shop/tags.py
from shop.util import clean, log
LOADED = log('x')
def parse(text): return _split(clean(text))
def _split(text): return text.split()
def _unused(text): return _deeper(text)
def _deeper(text): return text
def render(tags):
    if not tags:
        return _unused(tags)
    return ' '.join(tags)
class Tag:
    def __init__(self): pass
    def name(self): return ''
    def never(self): return ''
//- shop/util.py
def clean(text): return text.strip()
def log(text): return text
//- tests/test_tags.py
def test_parse(): pass
def test_render(): pass
def test_tag(): pass
//- tests/test_util.py
def test_clean(): pass
def test_log(): pass
def test_a(): pass
def test_b(): pass
def test_c(): pass
";

#[test]
fn roles_follow_from_who_runs_what() {
    check(
        SHOP,
        "import shop/tags.py: shop/util.py::log
         tests/test_tags.py::test_parse: shop/tags.py::parse > shop/tags.py::_split; shop/tags.py::parse > shop/util.py::clean
         tests/test_tags.py::test_render: shop/tags.py::render > shop/util.py::log
         tests/test_tags.py::test_tag: shop/tags.py::Tag.__init__; shop/tags.py::Tag.name
         tests/test_util.py::test_clean: shop/util.py::clean",
        "tests/test_tags.py",
        expect![[r#"
            Top shop/tags.py::Tag
            Top shop/tags.py::Tag.__init__
            Top shop/tags.py::Tag.name
            Orphaned shop/tags.py::_deeper
            Specific shop/tags.py::_split
            Orphaned shop/tags.py::_unused
            Top shop/tags.py::parse
            Top shop/tags.py::render
            Shared shop/util.py::clean
            Protected shop/util.py::log
            Target tests/test_tags.py::test_parse
            Target tests/test_tags.py::test_render
            Target tests/test_tags.py::test_tag
            Kept tests/test_util.py::test_clean
        "#]],
    );
}

#[test]
fn other_tests_of_a_top_symbol_are_collateral_within_the_budget_only() {
    let runs = "tests/test_tags.py::test_parse: shop/tags.py::parse
                tests/test_tags.py::test_render: shop/tags.py::render
                tests/test_util.py::test_clean: shop/tags.py::parse
                tests/test_util.py::test_a: shop/tags.py::render
                tests/test_util.py::test_b: shop/tags.py::render
                tests/test_util.py::test_c: shop/util.py::clean
                tests/test_util.py::test_log: shop/util.py::log";
    check(
        SHOP,
        runs,
        "tests/test_tags.py",
        expect![[r#"
            Orphaned shop/tags.py::_split
            Top shop/tags.py::parse
            Target tests/test_tags.py::test_parse
            Target tests/test_tags.py::test_render
            Collateral tests/test_util.py::test_clean
            Kept tests/test_util.py::test_a
            Kept tests/test_util.py::test_b
            Kept tests/test_util.py::test_c
            Kept tests/test_util.py::test_log
        "#]],
    );
}

#[test]
fn a_choice_outweighs_the_measure() {
    let runs = "tests/test_tags.py::test_parse: shop/tags.py::parse > shop/tags.py::_split
                tests/test_tags.py::test_render: shop/tags.py::render > shop/util.py::clean
                tests/test_util.py::test_clean: shop/util.py::clean";
    check_with(
        SHOP,
        runs,
        "tests/test_tags.py",
        |options| FeatureOptions {
            include: BTreeSet::from([SymbolId::parse("shop/util.py::clean")]),
            exclude: BTreeSet::from([SymbolId::parse("shop/tags.py::parse")]),
            ..options
        },
        expect![[r#"
            Orphaned shop/tags.py::_deeper
            Top shop/tags.py::_split
            Orphaned shop/tags.py::_unused
            Top shop/tags.py::render
            Top shop/util.py::clean
            Target tests/test_tags.py::test_parse
            Target tests/test_tags.py::test_render
            Collateral tests/test_util.py::test_clean
        "#]],
    );
}

#[test]
fn what_is_nested_in_a_function_is_part_of_it() {
    check(
        "
//- shop/tags.py
def shared(text):
    def only_for_tags(text):
        return text
    return text or only_for_tags(text)
def wrap(f):
    def wrapper():
        return f()
    return wrapper
//- tests/test_tags.py
def test_one(): pass
//- tests/test_util.py
def test_a(): pass
def test_b(): pass
",
        "tests/test_tags.py::test_one: shop/tags.py::shared > shop/tags.py::shared.only_for_tags; shop/tags.py::wrap.wrapper
         tests/test_util.py::test_a: shop/tags.py::shared
         tests/test_util.py::test_b: shop/tags.py::shared",
        "tests/test_tags.py",
        expect![[r#"
            Top shop/tags.py::wrap
            Target tests/test_tags.py::test_one
            Kept tests/test_util.py::test_a
            Kept tests/test_util.py::test_b
        "#]],
    );
}

#[test]
fn variables_that_only_removed_code_used_are_orphans() {
    check(
        "
//- shop/tags.py
import re
from shop.other import SHARED, TAKEN
from shop.registry import register
PREV, NEXT, KEY, VALUE = range(4)
FIRST, SECOND = 1, 2
ROW, COLUMN = range(2)
LIMITS = {'x': PREV}
DEFAULT = 3
WORD = re.compile('x')
UNUSED = 1
HANDLER = register('tags')
_PRIVATE_HANDLER = register('tags')
__version__ = '1'
PUBLIC = 1
COUNTER = 0
COUNTER += 1
if DEFAULT:
    MODE = 'a'
else:
    MODE = 'b'
for LOOP in (1, 2):
    pass
__all__ = ['parse', 'PUBLIC']
def parse(text, limit=DEFAULT):
    return PREV, NEXT, KEY, VALUE, FIRST, ROW, COLUMN, LIMITS, WORD, HANDLER, _PRIVATE_HANDLER, __version__, PUBLIC, COUNTER, SHARED, TAKEN, EARLY, LATE, MODE, LOOP
EARLY: int = 1
LATE = EARLY
def stays(): return SECOND
//- shop/other.py
SHARED = 1
TAKEN = 2
OFFERED = 3
def other(): return SHARED
//- shop/registry.py
def register(name): return name
//- shop/__init__.py
from shop.tags import NEXT as following, UNUSED
//- tests/test_tags.py
from shop.tags import parse, WORD
def test_parse(): assert parse(WORD)
//- tests/test_util.py
def test_a(): pass
",
        "import shop/tags.py: shop/registry.py::register
         tests/test_tags.py::test_parse: shop/tags.py::parse
         tests/test_util.py::test_a: shop/tags.py::stays; shop/other.py::other",
        "tests/test_tags.py",
        expect![[r#"
            Orphaned shop/other.py::TAKEN
            Orphaned shop/tags.py::COLUMN
            Orphaned shop/tags.py::EARLY
            Orphaned shop/tags.py::LATE
            Orphaned shop/tags.py::LIMITS
            Orphaned shop/tags.py::MODE
            Orphaned shop/tags.py::MODE#2
            Orphaned shop/tags.py::ROW
            Top shop/tags.py::WORD
            Orphaned shop/tags.py::_PRIVATE_HANDLER
            Top shop/tags.py::parse
            Target tests/test_tags.py::test_parse
            Kept tests/test_util.py::test_a
        "#]],
    );
}

#[test]
fn private_fields_of_a_class_that_stays_leave_with_the_methods_that_used_them() {
    check(
        "
//- shop/tags.py
from dataclasses import dataclass
class Box:
    _limit = 3
    _shared = 4
    _made = make()
    limit = 5
    _wanted_ = 6
    def parse(self): return self._limit, self._shared, self._made, self.limit, self._wanted_
    def size(self): return self._shared
@dataclass
class Row:
    _cell: int = 0
    def parse(self): return self._cell
    def size(self): return 0
//- tests/test_tags.py
def test_parse(): pass
//- tests/test_util.py
def test_a(): pass
",
        "tests/test_tags.py::test_parse: shop/tags.py::Box.parse; shop/tags.py::Row.parse
         tests/test_util.py::test_a: shop/tags.py::Box.size; shop/tags.py::Row.size",
        "tests/test_tags.py",
        expect![[r#"
            Orphaned shop/tags.py::Box._limit
            Top shop/tags.py::Box.parse
            Top shop/tags.py::Row.parse
            Target tests/test_tags.py::test_parse
            Kept tests/test_util.py::test_a
        "#]],
    );
}

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
fn what_a_header_of_the_interface_names_is_told_with_it() {
    check(
        r#"
        //- shop/prices.py
        _Cents = int
        _FREE = 0

        def _checked(function):
            return function

        @_checked
        def total(cents: "_Cents", extra=_FREE):
            return cents + extra

        class Basket:
            sizes: "_Cents"
            _hidden: "_Wish"

            def fill(self, cents: "_Wish") -> None:
                _unseen(cents)

        _Wish = list

        def _unseen(cents):
            return cents

        def stays():
            return 1
        //- tests/test_prices.py
        from shop.prices import Basket, total
        def test_total(): assert total(1) == 1
        def test_basket(): Basket().fill(1)
        //- tests/test_other.py
        from shop.prices import stays
        def test_stays(): assert stays() == 1
        "#,
        "
        tests/test_prices.py::test_total: shop/prices.py::total
        tests/test_prices.py::test_basket: shop/prices.py::Basket.fill > shop/prices.py::_unseen
        tests/test_other.py::test_stays: shop/prices.py::stays
        ",
        "tests/test_prices.py",
        expect![[r#"
            Top shop/prices.py::Basket
            Top shop/prices.py::Basket.fill
            Top shop/prices.py::_Cents
            Top shop/prices.py::_FREE
            Top shop/prices.py::_Wish
            Top shop/prices.py::_checked
            Specific shop/prices.py::_unseen
            Top shop/prices.py::total
            Target tests/test_prices.py::test_total
            Target tests/test_prices.py::test_basket
            Kept tests/test_other.py::test_stays
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
