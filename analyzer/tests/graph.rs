//! The dependency graph: which edges there are, and what can be asked of them.

mod common;

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

#[test]
fn a_shortest_path_follows_uses() {
    let analysis = host(NAMES).analysis();
    let graph = analysis.graph();
    let path =
        |from: &str, to: &str| graph.shortest_path(&SymbolId::parse(from), &SymbolId::parse(to));
    expect!["Some([m.py::use, m.py::B.go, m.py::last])"]
        .assert_eq(&format!("{:?}", path("m.py::use", "m.py::last")));
    expect!["None"].assert_eq(&format!("{:?}", path("m.py::last", "m.py::use")));
    expect!["None"].assert_eq(&format!("{:?}", path("m.py::A", "m.py::A.go")));
    expect!["Some([m.py::use])"].assert_eq(&format!("{:?}", path("m.py::use", "m.py::use")));
}
