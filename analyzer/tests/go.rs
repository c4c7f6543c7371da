//! Go: which symbols a file has, and what names mean.

mod common;

use analyzer::graph::{Provenance, StaticKind};
use analyzer::symbol::SymbolId;
use common::{host, imports, references, symbols};
use expect_test::{Expect, expect};

fn check_symbols(text: &str, expected: Expect) {
    let host = host(&format!("//- a.go\n{text}"));
    assert!(host.analysis().problems("a.go").is_empty());
    expected.assert_eq(&symbols(&host.analysis(), "a.go"));
}

/// All references of `a.go`.
fn check(fixture: &str, expected: Expect) {
    let host = host(fixture);
    expected.assert_eq(&references(&host.analysis(), "a.go", |_| true));
}

fn check_imports(fixture: &str, path: &str, expected: Expect) {
    let host = host(fixture);
    expected.assert_eq(&imports(&host.analysis(), path));
}

/// What overrides the methods of `a.go`, and what belongs to its types without standing in them.
fn check_relations(fixture: &str, expected: Expect) {
    let host = host(fixture);
    let analysis = host.analysis();
    let graph = analysis.graph();
    let mut shown = String::new();
    for symbol in analysis.symbols("a.go").iter() {
        for edge in graph.edges_from(&symbol.id) {
            let Provenance::Static(said) = edge.provenance else {
                continue;
            };
            let is_shown = match said.kind {
                StaticKind::Override | StaticKind::Inherit => true,
                StaticKind::Contain => !is_inside(&analysis, edge.from, edge.to),
                _ => false,
            };
            if is_shown {
                shown += &format!("{:?} {} → {}\n", said.kind, edge.from, edge.to);
            }
        }
    }
    expected.assert_eq(&shown);
}

fn is_inside(analysis: &analyzer::Analysis, outer: &SymbolId, inner: &SymbolId) -> bool {
    analysis
        .symbol(inner)
        .is_some_and(|symbol| symbol.container.as_ref() == Some(outer))
}

#[test]
fn every_kind_of_declaration_is_a_symbol() {
    check_symbols(
        r#"
// Package a is about boxes.
package a

// Box is a box.
//
//go:generate stringer
type Box[T any] struct {
	// Size is its size.
	Size, depth int `json:"size"`
	*Base
	io.Reader
}

type (
	// Shape has an area.
	Shape interface {
		Area(scale int) float64 // in metres
		fmt.Stringer
	}
	ID    = string
	Count int
)

// Area is how big it is.
func (b *Box[T]) Area() float64 { return 1 }

func helper()

const (
	// Red is red.
	Red, Blue = iota, iota // two
	_, _
	Green, _
)

var limit = 3

var (
	a, _ = f()
	_ Shape = (*Box[int])(nil)
)

func init() {}
func init() {}
"#,
        expect![[r#"
            a.go::Box Class line 5 Box | // Box is a box.⏎//⏎//go:generate stringer⏎type Box[T any] struct {⏎	// Size is its size.⏎	Size, depth int `json:"size"`⏎	*Base⏎	io.Reader⏎} | {⏎	// Size is its size.⏎	Size, depth int `json:"size"`⏎	*Base⏎	io.Reader⏎} | // Box is a box.
            //
            //go:generate stringer
            a.go::Box.Size Field line 9 Size | // Size is its size.⏎	Size, depth int `json:"size"` |  | // Size is its size.
            a.go::Box.depth Field line 9 depth | // Size is its size.⏎	Size, depth int `json:"size"` |  | // Size is its size.
            a.go::Box.Base Field line 11 Base | *Base | 
            a.go::Box.Reader Field line 12 Reader | io.Reader | 
            a.go::Shape Class line 16 Shape | // Shape has an area.⏎	Shape interface {⏎		Area(scale int) float64 // in metres⏎		fmt.Stringer⏎	} | interface {⏎		Area(scale int) float64 // in metres⏎		fmt.Stringer⏎	} | // Shape has an area.
            a.go::Shape.Area Method line 18 Area | Area(scale int) float64 | 
            a.go::ID Class line 21 ID | ID    = string | 
            a.go::Count Class line 22 Count | Count int | 
            a.go::Box.Area Method line 25 Area | // Area is how big it is.⏎func (b *Box[T]) Area() float64 { return 1 } | { return 1 } | // Area is how big it is.
            a.go::helper Function line 28 helper | func helper() | 
            a.go::Red Variable line 31 Red | // Red is red.⏎	Red, Blue = iota, iota |  | // Red is red.
            a.go::Blue Variable line 31 Blue | // Red is red.⏎	Red, Blue = iota, iota |  | // Red is red.
            a.go::Green Variable line 34 Green | Green, _ | 
            a.go::limit Variable line 37 limit | var limit = 3 | 
            a.go::a Variable line 40 a | a, _ = f() | 
            a.go::_ Variable line 41 _ | _ Shape = (*Box[int])(nil) | 
            a.go::init Function line 44 init | func init() {} | {}
            a.go::init#2 Function line 45 init | func init() {} | {}
        "#]],
    );
}

#[test]
fn names_are_looked_up_in_blocks_files_and_packages() {
    check(
        r#"
//- go.mod
module example.com/m // the module
//- a.go
package m

import (
	"fmt"
	other "example.com/m/sub"
)

var limit = count()

func use(limit int, box Box) error {
	for limit := range other.Items() {
		count := limit
		fmt.Println(count, limit.Name)
	}
	if box, ok := other.Find(); ok {
		box.Close()
	}
	limit += count()
	box.Size++
	pick := func(b *Box) (*Box, error) { return b, nil }
	first, err := pick(&box)
	first.Grow().Grow()
	return err
}
//- b.go
package m

type Box struct{ Size int }

func (b *Box) Grow() *Box { return b }
func count() int { return 1 }
//- sub/sub.go
package sub

type Item struct{ Name string }
func (Item) Close() {}
func Items() map[Item][]int { return nil }
func Find() (Item, bool) { return Item{}, true }
"#,
        expect![[r#"
            8:count in limit Call AtImport → b.go::count
            10:Box in use Annotation Never → b.go::Box
            11:other in use Read WhenCalled through 1 → sub/sub.go
            11:Items in use Call WhenCalled → sub/sub.go::Items
            13:fmt in use Read WhenCalled through 0 → 
            13:Name in use Read WhenCalled → sub/sub.go::Item.Name
            15:other in use Read WhenCalled through 1 → sub/sub.go
            15:Find in use Call WhenCalled → sub/sub.go::Find
            16:Close in use Call WhenCalled → sub/sub.go::Item.Close
            18:count in use Call WhenCalled → b.go::count
            19:Size in use Write WhenCalled → b.go::Box.Size
            20:Box in use Annotation Never → b.go::Box
            20:Box in use Annotation Never → b.go::Box
            22:Grow in use Call WhenCalled → b.go::Box.Grow
            22:Grow in use Call WhenCalled → b.go::Box.Grow
        "#]],
    );
}

#[test]
fn an_import_path_is_a_folder_and_its_package_says_its_own_name() {
    check_imports(
        r#"
//- go.mod
module example.com/m
replace (
	example.org/away v1.2.3 => ./third/away
	example.org/out => ../outside
)
//- a.go
package m
import "fmt"
import (
	"example.com/m/go-shapes/v2"
	. "example.com/m/dots"
	_ "example.com/m/nested/in"
	"example.org/away/deep"
	"example.org/out"
	"example.com/other"
	"C"
)
//- go-shapes/v2/one.go
package forms
//- go-shapes/v2/two_windows.go
package forms
//- go-shapes/v2/one_test.go
package forms_test
//- go-shapes/v2/gen.go
//go:build ignore
package main
//- dots/d.go
package dots
//- nested/go.mod
module example.com/m/nested
//- nested/in/in.go
package in
//- third/away/deep/deep.go
package deep
"#,
        "a.go",
        expect![[r#"
            2:"fmt" as fmt in a.go AtImport from ? → 
            4:"example.com/m/go-shapes/v2" as forms in a.go AtImport from go-shapes/v2/one.go → go-shapes/v2/one.go go-shapes/v2/two_windows.go
            5:. "example.com/m/dots" as * in a.go AtImport from dots/d.go → dots/d.go
            6:_ "example.com/m/nested/in" as _ in a.go AtImport from nested/in/in.go → nested/in/in.go
            7:"example.org/away/deep" as deep in a.go AtImport from third/away/deep/deep.go → third/away/deep/deep.go
            8:"example.org/out" as out in a.go AtImport from ? → 
            9:"example.com/other" as other in a.go AtImport from ? → 
            10:"C" as C in a.go AtImport from ? → 
        "#]],
    );
    check_imports(
        r#"
//- src/github.com/x/y/a.go
package y
import "github.com/x/y/sub"
import "fmt"
//- src/github.com/x/y/sub/s.go
package sub
"#,
        "src/github.com/x/y/a.go",
        expect![[r#"
            2:"github.com/x/y/sub" as sub in src/github.com/x/y/a.go AtImport from src/github.com/x/y/sub/s.go → src/github.com/x/y/sub/s.go
            3:"fmt" as fmt in src/github.com/x/y/a.go AtImport from ? → 
        "#]],
    );
}

#[test]
fn each_import_is_known_by_the_names_that_are_used() {
    check(
        r#"
//- go.mod
module m
//- a.go
package m
import (
	"m/odd-name"
	. "m/dots"
	. "foreign.org/dots"
	"gopkg.in/yaml.v3"
	"github.com/mattn/go-isatty"
	"github.com/go-chi/chi/v5"
	"k8s.io/api/core/v1"
)
func use() {
	odd.Call()
	Dotted(Stranger)
	yaml.Marshal(isatty.X, chi.Y, v1.Z)
}
//- odd-name/o.go
package odd
func Call() {}
//- dots/d.go
package dots
func Dotted(any) {}
"#,
        expect![[r#"
            12:odd in use Read WhenCalled through 0 → odd-name/o.go
            12:Call in use Call WhenCalled → odd-name/o.go::Call
            13:Dotted in use Call WhenCalled through 1 → dots/d.go::Dotted
            13:Stranger in use Read WhenCalled through 2 → 
            14:yaml in use Read WhenCalled through 3 → 
            14:isatty in use Read WhenCalled through 4 → 
            14:chi in use Read WhenCalled through 5 → 
            14:v1 in use Read WhenCalled through 6 → 
        "#]],
    );
}

#[test]
fn types_have_methods_in_other_files_and_members_of_what_they_embed() {
    check_relations(
        r#"
//- a.go
package m

type Shape interface {
	Area() float64
	Scale(by, times int) (Shape, error)
}
type Base struct{}
func (*Base) Scale(a, b int) (Shape, error) { return nil, nil }
type Box struct{ *Base }
type Not struct{ Base }
func (Not) Area(int) float64 { return 1 }
var _ Shape = (*Box)(nil)
var _ = Not{}
//- b.go
package m
func (b Box) Area() float64 { return 1 }
func (b Box) Other() {}
"#,
        expect![[r#"
            Contain a.go::Shape → a.go::_
            Override a.go::Shape.Area → b.go::Box.Area
            Override a.go::Shape.Scale → a.go::Base.Scale
            Contain a.go::Base → a.go::Base.Scale
            Inherit a.go::Box → a.go::Base
            Contain a.go::Box → a.go::_
            Contain a.go::Box → b.go::Box.Area
            Contain a.go::Box → b.go::Box.Other
            Inherit a.go::Not → a.go::Base
            Contain a.go::Not → a.go::Not.Area
            Contain a.go::Not → a.go::_#2
        "#]],
    );
}

#[test]
fn members_are_found_through_declared_types() {
    check(
        r#"
//- a.go
package m

type Inner struct{ deep int }
func (Inner) Promoted() {}
type Outer struct {
	Inner
	list  []Inner
	table map[Inner]*Outer
	next  chan Inner
	call  func() (int, Inner)
	anon  struct{ field Inner }
}
type Alias = Outer
type Made Outer
func NewOuter() *Outer { return &Outer{} }

func use(o Outer, a *Alias, m Made, any interface{ Promoted() }) {
	o.Promoted()
	o.deep = 1
	a.list[0].deep++
	for k, v := range m.table { k.deep, v.list = 1, nil }
	(<-o.next).Promoted()
	_, inner := o.call()
	inner.Promoted()
	o.anon.field.Promoted()
	NewOuter().list[1:][0].Promoted()
	if x, ok := any.(*Outer); ok { x.Promoted() }
	switch x := any.(type) {
	case Inner: x.deep = 2
	case *Outer, nil: x.Promoted()
	}
	f := o.Promoted
	f()
	Inner.Promoted(Inner{deep: 3})
	_ = []Outer{{list: []Inner{{deep: 1}, {2}}}}
	_ = map[string]Inner{name: {deep: 1}}
	tests := []struct{ in Inner }{{in: Inner{}}}
	for _, tt := range tests { tt.in.Promoted() }
	new(Outer).Promoted()
	append(o.list, Inner{})[0].Promoted()
}
const name = "x"
"#,
        expect![[r#"
            4:Inner in Inner.Promoted Annotation Never → a.go::Inner
            6:Inner in Outer.Inner Base Never → a.go::Inner
            7:Inner in Outer.list Annotation Never → a.go::Inner
            8:Inner in Outer.table Annotation Never → a.go::Inner
            8:Outer in Outer.table Annotation Never → a.go::Outer
            9:Inner in Outer.next Annotation Never → a.go::Inner
            10:Inner in Outer.call Annotation Never → a.go::Inner
            11:Inner in Outer.anon Annotation Never → a.go::Inner
            13:Outer in Alias Annotation Never → a.go::Outer
            14:Outer in Made Annotation Never → a.go::Outer
            15:Outer in NewOuter Annotation Never → a.go::Outer
            15:Outer in NewOuter Annotation WhenCalled → a.go::Outer
            17:Outer in use Annotation Never → a.go::Outer
            17:Alias in use Annotation Never → a.go::Alias
            17:Made in use Annotation Never → a.go::Made
            18:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            19:deep in use Write WhenCalled → a.go::Inner.deep
            20:list in use Read WhenCalled → a.go::Outer.list
            20:deep in use Write WhenCalled → a.go::Inner.deep
            21:table in use Read WhenCalled → a.go::Outer.table
            21:deep in use Write WhenCalled → a.go::Inner.deep
            21:list in use Write WhenCalled → a.go::Outer.list
            22:next in use Read WhenCalled → a.go::Outer.next
            22:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            23:call in use Call WhenCalled → a.go::Outer.call
            24:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            25:anon in use Read WhenCalled → a.go::Outer.anon
            25:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            26:NewOuter in use Call WhenCalled → a.go::NewOuter
            26:list in use Read WhenCalled → a.go::Outer.list
            26:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            27:Outer in use Annotation WhenCalled → a.go::Outer
            27:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            29:Inner in use Annotation WhenCalled → a.go::Inner
            29:deep in use Write WhenCalled → a.go::Inner.deep
            30:Outer in use Annotation WhenCalled → a.go::Outer
            32:Promoted in use Read WhenCalled → a.go::Inner.Promoted
            34:Inner in use Read WhenCalled → a.go::Inner
            34:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            34:Inner in use Annotation WhenCalled → a.go::Inner
            34:deep in use Write WhenCalled → a.go::Inner.deep
            35:Outer in use Annotation WhenCalled → a.go::Outer
            35:list in use Write WhenCalled → a.go::Outer.list
            35:Inner in use Annotation WhenCalled → a.go::Inner
            35:deep in use Write WhenCalled → a.go::Inner.deep
            35:{2} in use Implicit WhenCalled → a.go::Inner.deep
            36:Inner in use Annotation WhenCalled → a.go::Inner
            36:name in use Write WhenCalled → a.go::name
            36:deep in use Write WhenCalled → a.go::Inner.deep
            37:Inner in use Annotation WhenCalled → a.go::Inner
            37:Inner in use Annotation WhenCalled → a.go::Inner
            38:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            39:Outer in use Annotation WhenCalled → a.go::Outer
            39:Promoted in use Call WhenCalled → a.go::Inner.Promoted
            40:list in use Read WhenCalled → a.go::Outer.list
            40:Inner in use Annotation WhenCalled → a.go::Inner
            40:Promoted in use Call WhenCalled → a.go::Inner.Promoted
        "#]],
    );
}

#[test]
fn generic_code_may_be_about_anything() {
    check(
        r#"
//- a.go
package m

import "sync/atomic"

type Named interface{ Name() string }
type Dog struct{ pointer atomic.Pointer[Dog] }
func (*Dog) Name() string { return "" }
func (*Dog) Bark() {}
type List[T any] struct{ items []T }
func (l *List[T]) First() T { return l.items[0] }
func Names[T Named](things ...T) string { return things[0].Name() }
func Must[T any](t T, err error) T { return t }

func use(l List[*Dog], d *Dog) {
	l.First().Bark()
	Must(d, nil).Bark()
	Must[*Dog](d, nil).Name()
	Names[*Dog](d)
	d.pointer.Load().Bark()
}
"#,
        expect![[r#"
            6:Dog in Dog Implicit Never → a.go::Dog.Name
            6:atomic in Dog.pointer Read Never through 0 → 
            6:Dog in Dog.pointer Annotation Never → a.go::Dog
            7:Dog in Dog.Name Annotation Never → a.go::Dog
            8:Dog in Dog.Bark Annotation Never → a.go::Dog
            10:List in List.First Annotation Never → a.go::List
            10:items in List.First Read WhenCalled → a.go::List.items
            11:Named in Names Annotation Never → a.go::Named
            11:Name in Names Call WhenCalled → a.go::Named.Name
            14:List in use Annotation Never → a.go::List
            14:Dog in use Annotation Never → a.go::Dog
            14:Dog in use Annotation Never → a.go::Dog
            15:First in use Call WhenCalled → a.go::List.First
            15:Bark in use Call WhenCalled → ?a.go::Dog.Bark
            16:Must in use Call WhenCalled → a.go::Must
            16:Bark in use Call WhenCalled → ?a.go::Dog.Bark
            17:Must in use Call WhenCalled → a.go::Must
            17:Dog in use Read WhenCalled → a.go::Dog
            17:Name in use Call WhenCalled → ?a.go::Dog.Name ?a.go::Named.Name
            18:Names in use Annotation WhenCalled → a.go::Names
            18:Dog in use Annotation WhenCalled → a.go::Dog
            19:pointer in use Read WhenCalled → a.go::Dog.pointer
            19:Bark in use Call WhenCalled → ?a.go::Dog.Bark
        "#]],
    );
}

#[test]
fn code_that_is_not_there_calls_methods_that_its_interfaces_have() {
    check(
        r#"
//- a.go
package m

import "io"

type File struct{}
func (File) Write(p []byte) (int, error) { return 0, nil }
func (File) Close(now bool) error { return nil }
type Broken struct{}
func (Broken) Error() string { return "" }

func use(w io.WriteCloser, out io.Writer, err error) {
	w.Close()
	out.Write(nil)
	err.Error()
	err.Other()
}
"#,
        expect![[r#"
            5:File in File Implicit Never → a.go::File.Write
            6:File in File.Write Annotation Never → a.go::File
            7:File in File.Close Annotation Never → a.go::File
            8:Broken in Broken Implicit Never → a.go::Broken.Error
            9:Broken in Broken.Error Annotation Never → a.go::Broken
            11:io in use Read Never through 0 → 
            11:io in use Read Never through 0 → 
            13:Write in use Implicit WhenCalled → ?a.go::File.Write
            14:Error in use Implicit WhenCalled → ?a.go::Broken.Error
        "#]],
    );
}

#[test]
fn initializers_run_at_import_and_functions_in_them_when_called() {
    check(
        r#"
//- a.go
package m

var now, later = one(), func() int { return one() }
var both, again = two()
var here = func() int { return one() }()
const size = limit
const limit Kind = 1
type Kind int
func one() int { return 1 }
func two() (int, int) { return 1, 1 }
func init() { one() }
"#,
        expect![[r#"
            3:one in now Call AtImport → a.go::one
            3:one in later Call WhenCalled → a.go::one
            4:two in both Call AtImport → a.go::two
            5:one in here Call AtImport → a.go::one
            6:limit in size Read Never → a.go::limit
            7:Kind in limit Annotation Never → a.go::Kind
            11:init in (module) Implicit AtImport → a.go::init
            11:one in init Call AtImport → a.go::one
        "#]],
    );
}
