//! Which symbols a file has, what they are called and where they stand.

mod common;

use common::{host, symbols};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let host = host(&format!("//- m.py\n{text}"));
    expected.assert_eq(&symbols(&host.analysis(), "m.py"));
}

#[test]
fn a_module_a_class_with_members_and_a_nested_function() {
    check(
        r#"
"""About m."""
class Box(Base):
    """About boxes."""
    size: int
    names = ["a"]

    @property
    @cached
    def area(self):
        """How big."""
        def square(x): return x * x
        return square(self.size)

    # about nothing

async def run(): await go()
"#,
        expect![[r#"
            m.py::Box Class line 3 Box | class Box(Base):⏎    """About boxes."""⏎    size: int⏎    names = ["a"]⏎⏎    @property⏎    @cached⏎    def area(self):⏎        """How big."""⏎        def square(x): return x * x⏎        return square(self.size) | """About boxes."""⏎    size: int⏎    names = ["a"]⏎⏎    @property⏎    @cached⏎    def area(self):⏎        """How big."""⏎        def square(x): return x * x⏎        return square(self.size) | """About boxes."""
            m.py::Box.size Field line 5 size | size: int | 
            m.py::Box.names Field line 6 names | names = ["a"] | 
            m.py::Box.area Method line 8 area | @property⏎    @cached⏎    def area(self):⏎        """How big."""⏎        def square(x): return x * x⏎        return square(self.size) | """How big."""⏎        def square(x): return x * x⏎        return square(self.size) | """How big."""
            m.py::Box.area.square Function line 12 square | def square(x): return x * x | return x * x
            m.py::run Function line 17 run | async def run(): await go() | await go()
        "#]],
    );
}

#[test]
fn equal_names_are_told_apart() {
    check(
        r#"
if new:
    def f(): pass
else:
    def f(): pass
class P:
    @property
    def x(self): return 1
    @x.setter
    def x(self, value): pass
    @x.deleter
    def x(self): pass
@overload
def g(a: int) -> int: ...
@typing.overload
def g(a: str) -> str: ...
def g(a): return a
try:
    import fast
except ImportError:
    fast = None
LIMIT = 1
LIMIT = 2
"#,
        expect![[r#"
            m.py::f Function line 3 f | def f(): pass | pass
            m.py::f#2 Function line 5 f | def f(): pass | pass
            m.py::P Class line 6 P | class P:⏎    @property⏎    def x(self): return 1⏎    @x.setter⏎    def x(self, value): pass⏎    @x.deleter⏎    def x(self): pass | @property⏎    def x(self): return 1⏎    @x.setter⏎    def x(self, value): pass⏎    @x.deleter⏎    def x(self): pass
            m.py::P.x Method line 7 x | @property⏎    def x(self): return 1 | return 1
            m.py::P.x#setter Method line 9 x | @x.setter⏎    def x(self, value): pass | pass
            m.py::P.x#deleter Method line 11 x | @x.deleter⏎    def x(self): pass | pass
            m.py::g#overload Function line 13 g | @overload⏎def g(a: int) -> int: ... | ...
            m.py::g#overload2 Function line 15 g | @typing.overload⏎def g(a: str) -> str: ... | ...
            m.py::g Function line 17 g | def g(a): return a | return a
            m.py::fast Variable line 21 fast | fast = None | 
            m.py::LIMIT Variable line 22 LIMIT | LIMIT = 1 | 
            m.py::LIMIT#2 Variable line 23 LIMIT | LIMIT = 2 | 
        "#]],
    );
}

#[test]
fn variables_and_fields_from_every_kind_of_assignment() {
    check(
        r#"
a, (b, *c) = values()
d = e = 1
f: int
type Alias[T] = list[T]
for i in a: j = i
with open(a) as k: pass
def function():
    local = 1
    class Local:
        field = 2
class First[T: int]:
    x = y = 0
    def method[U](self): self.z = 1
h = 1; l = 2
a.b = 3
c[0] = 4
d += 1
"#,
        expect![[r#"
            m.py::a Variable line 2 a | a, (b, *c) = values() | 
            m.py::b Variable line 2 b | a, (b, *c) = values() | 
            m.py::c Variable line 2 c | a, (b, *c) = values() | 
            m.py::d Variable line 3 d | d = e = 1 | 
            m.py::e Variable line 3 e | d = e = 1 | 
            m.py::f Variable line 4 f | f: int | 
            m.py::Alias Variable line 5 Alias | type Alias[T] = list[T] | 
            m.py::j Variable line 6 j | j = i | 
            m.py::function Function line 8 function | def function():⏎    local = 1⏎    class Local:⏎        field = 2 | local = 1⏎    class Local:⏎        field = 2
            m.py::function.Local Class line 10 Local | class Local:⏎        field = 2 | field = 2
            m.py::function.Local.field Field line 11 field | field = 2 | 
            m.py::First Class line 12 First | class First[T: int]:⏎    x = y = 0⏎    def method[U](self): self.z = 1 | x = y = 0⏎    def method[U](self): self.z = 1
            m.py::First.x Field line 13 x | x = y = 0 | 
            m.py::First.y Field line 13 y | x = y = 0 | 
            m.py::First.method Method line 14 method | def method[U](self): self.z = 1 | self.z = 1
            m.py::h Variable line 15 h | h = 1 | 
            m.py::l Variable line 15 l | l = 2 | 
        "#]],
    );
}

#[test]
fn definitions_in_blocks_belong_to_the_scope_around() {
    check(
        r#"
with x:
    def a(): pass
for i in x:
    def b(): pass
while x:
    class c: pass
match x:
    case 1:
        def d(): pass
try:
    def e(): pass
finally:
    def f(): pass
"#,
        expect![[r#"
            m.py::a Function line 3 a | def a(): pass | pass
            m.py::b Function line 5 b | def b(): pass | pass
            m.py::c Class line 7 c | class c: pass | pass
            m.py::d Function line 10 d | def d(): pass | pass
            m.py::e Function line 12 e | def e(): pass | pass
            m.py::f Function line 14 f | def f(): pass | pass
        "#]],
    );
}

#[test]
fn broken_code_keeps_the_symbols_that_can_be_read() {
    check(
        r#"
def good(): pass
def broken(:
    x = = 1
class Also:
    def method(self): pass
"#,
        expect![[r#"
            m.py::good Function line 2 good | def good(): pass | pass
            m.py::broken Function line 3 broken | def broken(:⏎    x = = 1⏎class Also: | 
            m.py::method Function line 6 method | def method(self): pass | pass
        "#]],
    );
}

#[test]
fn line_ends_and_byte_order_marks_do_not_move_ranges() {
    check(
        "\u{feff}x = 1\r\n@d\r\ndef f():\r\n    pass\r\n",
        expect![[r#"
            m.py::x Variable line 1 x | x = 1 | 
            m.py::f Function line 2 f | @d␍⏎def f():␍⏎    pass | pass
        "#]],
    );
}
