//! The dependency graph: which edges there are, and what can be asked of them.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;

use analyzer::graph::{Edge, Provenance, StaticKind};
use analyzer::occurrence::Confidence;
use analyzer::symbol::SymbolId;
use analyzer::{Analysis, DependencyGraph};
use common::{host, text};
use expect_test::{Expect, expect};

/// `from → to kind confidence at text`, one line for each static edge but those of containment.
fn shown(analysis: &Analysis, edges: &[Edge<'_>]) -> String {
    let mut lines = String::new();
    for edge in edges {
        let Provenance::Static(said) = edge.provenance else {
            continue;
        };
        if said.kind == StaticKind::Contain {
            continue;
        }
        let place = analysis.range_of(&said.place);
        let place = place
            .map(|(path, range)| text(analysis, &path, &range))
            .unwrap_or_default();
        let sure = if said.confidence == Confidence::Resolved {
            ""
        } else {
            " by name"
        };
        let _ = writeln!(
            lines,
            "{} → {} {:?}{sure} at {place}",
            edge.from, edge.to, said.kind
        );
    }
    lines
}

fn all(analysis: &Analysis, graph: &DependencyGraph) -> String {
    let edges: Vec<_> = graph
        .symbols()
        .flat_map(|symbol| graph.edges_from(symbol))
        .collect();
    shown(analysis, &edges)
}

fn check(fixture: &str, expected: Expect) {
    let analysis = host(fixture).analysis();
    expected.assert_eq(&all(&analysis, &analysis.graph()));
}

#[test]
fn uses_imports_and_inheritance_are_edges() {
    check(
        r#"
//- pkg/__init__.py
//- pkg/base.py
class Base:
    def run(self): pass
//- pkg/m.py
from .base import Base
class Derived(Base):
    def run(self): super().run()
def make(): return Derived()
"#,
        expect![[r#"
            pkg/base.py::Base.run → pkg/m.py::Derived.run Override by name at run
            pkg/m.py → pkg/base.py::Base Reference(Base) at Base
            pkg/m.py → pkg/base.py::Base Import at Base
            pkg/m.py → pkg/base.py Import at Base
            pkg/m.py → pkg/__init__.py Import at Base
            pkg/m.py::Derived → pkg/base.py::Base Reference(Base) at Base
            pkg/m.py::Derived → pkg/base.py::Base Inherit at Derived
            pkg/m.py::Derived.run → pkg/base.py::Base.run Reference(Call) at run
            pkg/m.py::make → pkg/m.py::Derived Reference(Call) at Derived
        "#]],
    );
}

#[test]
fn code_is_run_by_what_evaluates_it() {
    check(
        r#"
//- m.py
def deco(f): return f
def size(): return 1
class Box:
    width = size()
    @deco
    def area(self, scale=size()): return size()
def outer():
    @deco
    def inner(): pass
top = size()
"#,
        expect![[r#"
            m.py → m.py::size Reference(Call) at size
            m.py → m.py::deco Reference(Decorator) at deco
            m.py → m.py::size Reference(Default) at size
            m.py::Box.width → m.py::size Reference(Call) at size
            m.py::Box.area → m.py::deco Reference(Decorator) at deco
            m.py::Box.area → m.py::size Reference(Default) at size
            m.py::Box.area → m.py::size Reference(Call) at size
            m.py::outer → m.py::deco Reference(Decorator) at deco
            m.py::outer.inner → m.py::deco Reference(Decorator) at deco
            m.py::top → m.py::size Reference(Call) at size
        "#]],
    );
}

const NAMES: &str = r#"
//- m.py
class A:
    def go(self): pass
class B:
    def go(self): return last()
def last(): pass
def use(x): x.go()
def other(y): y.go()
"#;

#[test]
fn uses_by_name_lead_to_every_definition_of_the_name() {
    let analysis = host(NAMES).analysis();
    let graph = analysis.graph();
    expect![[r#"
        m.py::use → m.py::A.go Reference(Call) by name at go
        m.py::use → m.py::B.go Reference(Call) by name at go
    "#]]
    .assert_eq(&shown(
        &analysis,
        &graph.edges_from(&SymbolId::parse("m.py::use")),
    ));
    expect![[r#"
        m.py::use → m.py::B.go Reference(Call) by name at go
        m.py::other → m.py::B.go Reference(Call) by name at go
    "#]]
    .assert_eq(&shown(
        &analysis,
        &graph.edges_to(&SymbolId::parse("m.py::B.go")),
    ));
}

/// The routes from some symbols, given by their chains, to one: all of the file `m.py`.
fn routes(starts: &[&str], to: &str, banned: &str) -> String {
    let analysis = host(NAMES).analysis();
    let graph = analysis.graph();
    let starts: Vec<_> = starts
        .iter()
        .map(|chain| SymbolId::module("m.py").member(chain))
        .collect();
    let routes = graph.routes(&starts, &|id| id.name() != banned);
    let route = graph.route_to(&routes, &SymbolId::module("m.py").member(to));
    let chains = route.iter().flatten().map(SymbolId::chain);
    chains.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_route_follows_uses_from_the_first_start_that_is_near() {
    let check = |starts: &[&str], to: &str, route: &str| {
        assert_eq!(routes(starts, to, ""), route, "{starts:?} {to}");
    };
    check(&["use"], "last", "use B.go last");
    check(&["last"], "use", "");
    check(&["A"], "A.go", "");
    check(&["use"], "use", "use");
    check(&["other", "use"], "last", "other B.go last");
    check(&["use", "B.go"], "last", "B.go last");
}

#[test]
fn what_is_not_allowed_ends_a_route_or_starts_one() {
    let check = |to: &str, banned: &str, route: &str| {
        assert_eq!(routes(&["use"], to, banned), route, "{to} {banned}");
    };
    check("last", "go", "");
    check("B.go", "go", "use B.go");
    check("last", "use", "use B.go last");
}

#[test]
fn the_edges_among_some_symbols_are_those_of_each_that_lead_to_another() {
    let analysis = host(NAMES).analysis();
    let graph = analysis.graph();
    let all: BTreeSet<SymbolId> = graph.symbols().cloned().collect();
    let sizes = 0..=all.len();
    for some in sizes.map(|size| all.iter().take(size).cloned().collect::<BTreeSet<_>>()) {
        let of_each = some.iter().flat_map(|id| graph.edges_from(id));
        let expected: Vec<_> = of_each.filter(|edge| some.contains(edge.to)).collect();
        assert_eq!(graph.edges_among(&some), expected);
    }
}
