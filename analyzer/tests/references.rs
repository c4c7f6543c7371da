//! What names mean: references, imports and exports.

mod common;

use analyzer::occurrence::ReferenceKind;
use common::{exports, host, imports, references};
use expect_test::{Expect, expect};

/// All references of `m.py` but the implicit ones.
fn check(fixture: &str, expected: Expect) {
    let host = host(fixture);
    let shown = references(&host.analysis(), "m.py", |it| {
        it.kind != ReferenceKind::Implicit
    });
    expected.assert_eq(&shown);
}

/// The implicit references of `m.py`.
fn check_implicit(fixture: &str, expected: Expect) {
    let host = host(fixture);
    let shown = references(&host.analysis(), "m.py", |it| {
        it.kind == ReferenceKind::Implicit
    });
    expected.assert_eq(&shown);
}

fn check_imports(fixture: &str, expected: Expect) {
    let host = host(fixture);
    expected.assert_eq(&imports(&host.analysis(), "pkg/m.py"));
}

fn check_exports(fixture: &str, expected: Expect) {
    let host = host(fixture);
    expected.assert_eq(&exports(&host.analysis(), "pkg/__init__.py"));
}

#[test]
fn each_way_of_using_a_name_has_its_kind() {
    check(
        r#"
//- m.py
def deco(f): return f
class Meta(type): pass
class Base: pass
LIMIT = 3
@deco
class Box(Base, metaclass=Meta):
    def area(self, size: "Base | None" = LIMIT) -> list[Base]:
        x: Base = size
        return deco(LIMIT)
def change():
    global LIMIT
    LIMIT = 4
    del LIMIT
key = sorted([], key=deco)
"#,
        expect![[r#"
            5:deco in Box Decorator AtImport → m.py::deco
            6:Base in Box Base AtImport → m.py::Base
            6:Meta in Box Base AtImport → m.py::Meta
            7:Base in Box.area Annotation Never → m.py::Base
            7:LIMIT in Box.area Default AtImport → m.py::LIMIT
            7:Base in Box.area Annotation AtImport → m.py::Base
            8:Base in Box.area Annotation Never → m.py::Base
            9:deco in Box.area Call WhenCalled → m.py::deco
            9:LIMIT in Box.area Read WhenCalled → m.py::LIMIT
            12:LIMIT in change Write WhenCalled → m.py::LIMIT
            13:LIMIT in change Write WhenCalled → m.py::LIMIT
            14:deco in key Read AtImport → m.py::deco
        "#]],
    );
}

#[test]
fn a_name_is_looked_up_from_its_scope_outwards() {
    check(
        r#"
//- m.py
def name(): pass
def plain(): return name()
def parameter(name): return name()
def local():
    name = 1
    return name()
def nested():
    def name(): pass
    def inner(): return name()
    return inner
class Holder:
    def name(self): pass
    alias = name
    def method(self): return name()
listed = [name for name in ()]
unlisted = [other for other in name()]
function = lambda name=name: name()
"#,
        expect![[r#"
            2:name in plain Call WhenCalled → m.py::name
            9:name in nested.inner Call WhenCalled → m.py::nested.name
            10:inner in nested Read WhenCalled → m.py::nested.inner
            13:name in Holder.alias Read AtImport → m.py::Holder.name
            14:name in Holder.method Call WhenCalled → m.py::name
            16:name in unlisted Call AtImport → m.py::name
            17:name in function Default AtImport → m.py::name
        "#]],
    );
}

#[test]
fn members_are_found_through_the_class_of_an_object() {
    check(
        r#"
//- m.py
class Base:
    def shared(self): return self.own()
    def own(self): pass
class Box(Base):
    def __init__(self, other: Base):
        self.other = other
    @property
    def view(self): return View()
    @view.setter
    def view(self, value): pass
    def own(self): super().own()
    @classmethod
    def make(cls): return cls(None)
    def chain(self):
        self.other.own()
        self.view.show()
        self.view = 1
        return self
class View:
    def show(self): pass
def use(box: Box, unknown):
    box.shared()
    unknown.own()
    Box.make().chain().own()
    with box.view as v: v.show()
    first = Box(None)
    for each in [first, View()]:
        each.show()
    "text".own()
"#,
        expect![[r#"
            2:own in Base.shared Call WhenCalled → m.py::Base.own
            4:Base in Box Base AtImport → m.py::Base
            5:Base in Box.__init__ Annotation AtImport → m.py::Base
            8:View in Box.view Call WhenCalled → m.py::View
            9:view in Box.view#setter Decorator AtImport → m.py::Box.view m.py::Box.view#setter
            11:own in Box.own Call WhenCalled → m.py::Base.own
            15:own in Box.chain Call WhenCalled → m.py::Base.own
            16:view in Box.chain Read WhenCalled → m.py::Box.view
            16:show in Box.chain Call WhenCalled → m.py::View.show
            17:view in Box.chain Write WhenCalled → m.py::Box.view#setter
            21:Box in use Annotation AtImport → m.py::Box
            22:shared in use Call WhenCalled → m.py::Base.shared
            23:own in use Call WhenCalled → ?m.py::Base.own ?m.py::Box.own
            24:Box in use Read WhenCalled → m.py::Box
            24:make in use Call WhenCalled → m.py::Box.make
            24:chain in use Call WhenCalled → m.py::Box.chain
            24:own in use Call WhenCalled → m.py::Box.own
            25:view in use Read WhenCalled → m.py::Box.view
            25:show in use Call WhenCalled → ?m.py::View.show
            26:Box in use Call WhenCalled → m.py::Box
            27:View in use Call WhenCalled → m.py::View
            28:show in use Call WhenCalled → m.py::View.show
        "#]],
    );
}

#[test]
fn the_order_of_inheritance_is_c3() {
    check(
        r#"
//- m.py
class O:
    def f(self): pass
class A(O):
    def f(self): super().f()
class B(O):
    def f(self): pass
class C(A, B): pass
C().f()
class D(B, A): pass
D().f()
class Cycle(Cycle):
    def g(self): self.g()
"#,
        expect![[r#"
            3:O in A Base AtImport → m.py::O
            4:f in A.f Call WhenCalled → m.py::O.f
            5:O in B Base AtImport → m.py::O
            7:A in C Base AtImport → m.py::A
            7:B in C Base AtImport → m.py::B
            8:C in (module) Call AtImport → m.py::C
            8:f in (module) Call AtImport → m.py::A.f
            9:B in D Base AtImport → m.py::B
            9:A in D Base AtImport → m.py::A
            10:D in (module) Call AtImport → m.py::D
            10:f in (module) Call AtImport → m.py::B.f
            11:Cycle in Cycle Base AtImport → m.py::Cycle
            12:g in Cycle.g Call WhenCalled → m.py::Cycle.g
        "#]],
    );
}

#[test]
fn names_that_are_put_together_are_followed_by_their_ends() {
    check(
        r#"
//- m.py
class Visitor:
    def visit_a(self): pass
    def visit_b(self): pass
    def other(self): pass
    def go(self, kind):
        getattr(self, "other")()
        getattr(self, f"visit_{kind}")()
        getattr(self, "visit_" + kind)()
        getattr(kind, "vis%s_a" % kind)()
"#,
        expect![[r#"
            6:"other" in Visitor.go Read WhenCalled → ?m.py::Visitor.other
            7:f"visit_{kind}" in Visitor.go Read WhenCalled → ?m.py::Visitor.visit_a ?m.py::Visitor.visit_b
            8:"visit_" + kind in Visitor.go Read WhenCalled → ?m.py::Visitor.visit_a ?m.py::Visitor.visit_b
            9:"vis%s_a" % kind in Visitor.go Read WhenCalled → ?m.py::Visitor.visit_a
        "#]],
    );
}

#[test]
fn operators_loops_and_built_in_functions_call_methods() {
    check_implicit(
        r#"
//- m.py
class Num:
    def __init__(self): pass
    def __add__(self, other): pass
    def __radd__(self, other): pass
    def __len__(self): pass
    def __iter__(self): pass
    def __enter__(self): pass
    def __exit__(self, *args): pass
    def __getitem__(self, key): pass
    def __str__(self): pass
    def __call__(self): pass
    def __contains__(self, item): pass
n = Num()
n + 1
1 + n
len(n), str(n), f"{n}"
for x in n: pass
with n: pass
n[0]
n()
1 in n
if n: pass
def unknown(a):
    a + a
    if a: pass
"#,
        expect![[r#"
            13:Num in n Implicit AtImport → m.py::Num.__init__
            14:n + 1 in (module) Implicit AtImport → m.py::Num.__add__
            15:1 + n in (module) Implicit AtImport → m.py::Num.__radd__
            16:len(n) in (module) Implicit AtImport → m.py::Num.__len__
            16:str(n) in (module) Implicit AtImport → m.py::Num.__str__
            16:n in (module) Implicit AtImport → m.py::Num.__str__
            17:n in (module) Implicit AtImport → m.py::Num.__getitem__ m.py::Num.__iter__
            18:n in (module) Implicit AtImport → m.py::Num.__enter__ m.py::Num.__exit__
            19:n[0] in (module) Implicit AtImport → m.py::Num.__getitem__
            20:n in (module) Implicit AtImport → m.py::Num.__call__
            21:1 in n in (module) Implicit AtImport → m.py::Num.__contains__ m.py::Num.__getitem__ m.py::Num.__iter__
            22:n in (module) Implicit AtImport → m.py::Num.__len__
            24:a + a in unknown Implicit WhenCalled → ?m.py::Num.__add__
            24:a + a in unknown Implicit WhenCalled → ?m.py::Num.__radd__
        "#]],
    );
}

#[test]
fn imports_of_every_form_are_followed_to_the_definition() {
    check_imports(
        r#"
//- pkg/__init__.py
from .core import Engine as Motor
from . import core
//- pkg/core.py
class Engine: pass
def helper(): pass
//- pkg/sub/__init__.py
//- pkg/sub/deep.py
from .. import Motor
from ...outside import x
//- top.py
from pkg import *
//- pkg/m.py
import os, pkg.sub.deep
import pkg.core as c
from pkg import Motor, core, sub
from .core import (helper as h,  # comment
    Engine)
from .sub.deep import Motor as M
from .core import *
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from top import Motor as T
try:
    from fast import helper
except ImportError:
    from .core import helper
def lazy():
    from pkg import nothing
    import top
"#,
        expect![[r#"
            1:os as os in pkg/m.py AtImport from ? → 
            1:pkg.sub.deep as pkg in pkg/m.py AtImport from pkg/sub/deep.py → pkg/sub/deep.py
            2:pkg.core as c as c in pkg/m.py AtImport from pkg/core.py → pkg/core.py
            3:Motor as Motor in pkg/m.py AtImport from pkg/__init__.py → pkg/core.py::Engine
            3:core as core in pkg/m.py AtImport from pkg/__init__.py → pkg/core.py
            3:sub as sub in pkg/m.py AtImport from pkg/__init__.py → pkg/sub/__init__.py
            4:helper as h as h in pkg/m.py AtImport from pkg/core.py → pkg/core.py::helper
            5:Engine as Engine in pkg/m.py AtImport from pkg/core.py → pkg/core.py::Engine
            6:Motor as M as M in pkg/m.py AtImport from pkg/sub/deep.py → pkg/core.py::Engine
            7:* as * in pkg/m.py AtImport from pkg/core.py → pkg/core.py::Engine pkg/core.py::helper
            8:TYPE_CHECKING as TYPE_CHECKING in pkg/m.py AtImport from ? → 
            10:Motor as T as T in pkg/m.py Never from top.py → pkg/core.py::Engine
            12:helper as helper in pkg/m.py AtImport from ? → 
            14:helper as helper in pkg/m.py AtImport from pkg/core.py → pkg/core.py::helper
            16:nothing as nothing in pkg/m.py::lazy WhenCalled from pkg/__init__.py → 
            17:top as top in pkg/m.py::lazy WhenCalled from top.py → top.py
        "#]],
    );
}

#[test]
fn dotted_chains_go_through_packages() {
    check(
        r#"
//- pkg/__init__.py
from .core import run
//- pkg/core.py
def run(): pass
LIMIT = 1
//- m.py
import pkg.core
import pkg as p
import numpy as np
pkg.core.run()
pkg.run()
p.core.LIMIT
p.LIMIT = 2
np.array(p)
"#,
        expect![[r#"
            4:pkg in (module) Read AtImport through 0 → pkg/__init__.py
            4:core in (module) Read AtImport → pkg/core.py
            4:run in (module) Call AtImport → pkg/core.py::run
            5:pkg in (module) Read AtImport through 0 → pkg/__init__.py
            5:run in (module) Call AtImport → pkg/core.py::run
            6:p in (module) Read AtImport through 1 → pkg/__init__.py
            6:core in (module) Read AtImport → pkg/core.py
            6:LIMIT in (module) Read AtImport → pkg/core.py::LIMIT
            7:p in (module) Read AtImport through 1 → pkg/__init__.py
            7:LIMIT in (module) Write AtImport → ?pkg/core.py::LIMIT
            8:np in (module) Read AtImport through 2 → 
            8:p in (module) Read AtImport through 1 → pkg/__init__.py
        "#]],
    );
}

#[test]
fn source_roots_are_the_project_src_and_the_folders_of_packages_and_tests() {
    check(
        r#"
//- src/lib/__init__.py
def f(): pass
//- python/other/__init__.py
def g(): pass
//- tests/helpers.py
def h(): pass
//- tests/test_a.py
from helpers import h
//- m.py
from lib import f
from other import g
from helpers import h
f(), g(), h()
"#,
        expect![[r#"
            4:f in (module) Call AtImport through 0 → src/lib/__init__.py::f
            4:g in (module) Call AtImport through 1 → python/other/__init__.py::g
            4:h in (module) Call AtImport through 2 → 
        "#]],
    );
}

#[test]
fn star_imports_bring_what_is_public() {
    check(
        r#"
//- a.py
from b import *
def public(): pass
def _private(): pass
//- b.py
__all__ = ["_listed"]
def _listed(): pass
def unlisted(): pass
//- c.py
from a import *
from c import *
//- m.py
from c import *
public()
_private()
_listed()
unlisted()
"#,
        expect![[r#"
            2:public in (module) Call AtImport through 0 → a.py::public
        "#]],
    );
}

#[test]
fn a_circle_of_star_imports_ends_at_the_definition() {
    check(
        r#"
//- pkg/__init__.py
from pkg.tools import *
from pkg.user import *
//- pkg/tools.py
def groups(): pass
//- pkg/user.py
from pkg import groups
//- m.py
from pkg import groups
groups()
"#,
        expect![[r#"
            2:groups in (module) Call AtImport through 0 → pkg/tools.py::groups
        "#]],
    );
}

#[test]
fn the_list_of_public_names_is_read_in_all_its_forms() {
    check_exports(
        r#"
//- pkg/a.py
__all__ = ("one",)
def one(): pass
//- pkg/__init__.py
from . import a
from .a import *
from .a import one as uno
__all__ = ["uno", 'missing'] + a.__all__
__all__ += ("a",)
__all__.extend(["two"])
def two(): pass
"#,
        expect![[r#"
            4:"uno" → pkg/a.py::one
            4:'missing' → 
            5:"a" → pkg/a.py
            6:"two" → pkg/__init__.py::two
        "#]],
    );
}

#[test]
fn annotations_say_what_an_object_is() {
    check(
        r#"
//- m.py
from __future__ import annotations
from typing import Optional, Union
class Box:
    def area(self) -> "Box": pass
    def rest(self) -> list[Box]: pass
class Bag: 
    def area(self): pass
def use(a: Optional[Box], b: "Box | None", c: list["Box"], d: dict[str, Box], e: type[Box], f: Union[Box, Bag]):
    a.area().area()
    b.area()
    for each in c: each.area()
    d["k"].area()
    e().area()
    f.area()
    a.rest()[0].area()
    for it in a.rest(): it.area()
    boxes: list[Box] = []
    [box.area() for box in boxes]
"#,
        expect![[r#"
            4:Box in Box.area Annotation Never → m.py::Box
            5:Box in Box.rest Annotation Never → m.py::Box
            8:Optional in use Annotation Never through 0 → 
            8:Box in use Annotation Never → m.py::Box
            8:Box in use Annotation Never → m.py::Box
            8:Box in use Annotation Never → m.py::Box
            8:Box in use Annotation Never → m.py::Box
            8:Box in use Annotation Never → m.py::Box
            8:Union in use Annotation Never through 1 → 
            8:Box in use Annotation Never → m.py::Box
            8:Bag in use Annotation Never → m.py::Bag
            9:area in use Call WhenCalled → m.py::Box.area
            9:area in use Call WhenCalled → m.py::Box.area
            10:area in use Call WhenCalled → m.py::Box.area
            11:area in use Call WhenCalled → m.py::Box.area
            12:area in use Call WhenCalled → m.py::Box.area
            13:area in use Call WhenCalled → m.py::Box.area
            14:area in use Call WhenCalled → m.py::Bag.area m.py::Box.area
            15:rest in use Call WhenCalled → m.py::Box.rest
            15:area in use Call WhenCalled → m.py::Box.area
            16:rest in use Call WhenCalled → m.py::Box.rest
            16:area in use Call WhenCalled → m.py::Box.area
            17:Box in use Annotation Never → m.py::Box
            18:area in use Call WhenCalled → m.py::Box.area
        "#]],
    );
}

#[test]
fn enumerations_data_classes_and_tuples_are_used_through_their_fields() {
    check(
        r#"
//- m.py
import enum
from dataclasses import dataclass
class Color(enum.Enum):
    RED = 1
    def shade(self): pass
@dataclass
class Point:
    x: int
    y: int = 0
def use(p: Point):
    Color.RED.shade()
    for color in Color: color.shade()
    Point(1).x
    p.y
"#,
        expect![[r#"
            3:enum in Color Base AtImport through 0 → 
            6:dataclass in Point Decorator AtImport through 1 → 
            10:Point in use Annotation AtImport → m.py::Point
            11:Color in use Read WhenCalled → m.py::Color
            11:RED in use Read WhenCalled → m.py::Color.RED
            11:shade in use Call WhenCalled → ?m.py::Color.shade
            12:Color in use Read WhenCalled → m.py::Color
            12:shade in use Call WhenCalled → m.py::Color.shade
            13:Point in use Call WhenCalled → m.py::Point
            13:x in use Read WhenCalled → m.py::Point.x
            14:y in use Read WhenCalled → m.py::Point.y
        "#]],
    );
}

#[test]
fn functions_that_make_objects_tell_their_class() {
    check(
        r#"
//- m.py
from contextlib import contextmanager
class Box:
    def area(self): pass
    def __enter__(self): return self
def make():
    box = Box()
    return box
@contextmanager
def opened(): yield Box()
def many():
    for _ in range(3): yield make()
make().area()
with opened() as o: o.area()
with Box() as b: b.area()
for each in many(): each.area()
alias = make
alias().area()
table = {"a": Box()}
table["a"].area()
first, second = Box(), 1
first.area()
class Holder:
    box = None
    def __init__(self): self.box = Box(); self.other, self.third = make(), 1
    def go(self): self.box.area(); self.other.area()
"#,
        expect![[r#"
            6:Box in make Call WhenCalled → m.py::Box
            8:contextmanager in opened Decorator AtImport through 0 → 
            9:Box in opened Call WhenCalled → m.py::Box
            11:make in many Call WhenCalled → m.py::make
            12:make in (module) Call AtImport → m.py::make
            12:area in (module) Call AtImport → m.py::Box.area
            13:opened in (module) Call AtImport → m.py::opened
            13:area in (module) Call AtImport → m.py::Box.area
            14:Box in (module) Call AtImport → m.py::Box
            14:area in (module) Call AtImport → m.py::Box.area
            15:many in (module) Call AtImport → m.py::many
            15:area in (module) Call AtImport → m.py::Box.area
            16:make in alias Read AtImport → m.py::make
            17:alias in (module) Call AtImport → m.py::alias
            17:area in (module) Call AtImport → m.py::Box.area
            18:Box in table Call AtImport → m.py::Box
            19:table in (module) Read AtImport → m.py::table
            19:area in (module) Call AtImport → m.py::Box.area
            20:Box in first Call AtImport → m.py::Box
            21:first in (module) Read AtImport → m.py::first
            21:area in (module) Call AtImport → m.py::Box.area
            24:box in Holder.__init__ Write WhenCalled → m.py::Holder.box
            24:Box in Holder.__init__ Call WhenCalled → m.py::Box
            24:make in Holder.__init__ Call WhenCalled → m.py::make
            25:box in Holder.go Read WhenCalled → m.py::Holder.box
            25:area in Holder.go Call WhenCalled → m.py::Box.area
            25:area in Holder.go Call WhenCalled → m.py::Box.area
        "#]],
    );
}
