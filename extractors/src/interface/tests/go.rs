//! What the interface shows of Go.

use std::collections::BTreeSet;

use analyzer::symbol::{SymbolId, SymbolKind};
use expect_test::expect;
use grammars::{Language, SourceText};

use super::check;
use crate::interface::interface;
use crate::lang::go_files;
use crate::testing::analysis_of;

#[test]
fn functions_and_methods_are_shown_with_documentation_and_header() {
    check(
        r#"
//- a.go
// Package area is about areas.
package area

// Area is how big it is.
//
// In metres.
func Area[T int | float64](
	w, h T, // sizes
	more ...T,
) (area T, err error) {
	return w * h, nil
}

type box struct{}

// Grow grows.
//
//go:noinline
func (b *box) Grow(by int) { b.by(by) }

func (b *box) by(int) {}
"#,
        "a.go::Area a.go::box.Grow",
        expect![[r#"
            # a.go::Area
            // package area

            // Area is how big it is.
            //
            // In metres.
            func Area[T int | float64](
            	w, h T, // sizes
            	more ...T,
            ) (area T, err error)

            # a.go::box.Grow
            // Grow grows.
            //
            //go:noinline
            func (b *box) Grow(by int)
        "#]],
    );
}

#[test]
fn a_type_is_shown_with_what_others_may_use() {
    check(
        r#"
//- a.go
package area

type (
	// Box is a box.
	Box struct {
		// Size is its size.
		Size, depth int `json:"size"` // in metres
		*Base

		secret struct {
			inner int
		}
		Open struct {
			Inner int
		}
	}

	// Shape has an area.
	Shape interface {
		// Area is how big it is.
		Area() float64 // in metres
		hidden()
		Base
	}

	ID = string
)

// Area is how big it is.
func (b Box) Area() float64 { return 1 }

func (b Box) hidden() {}

type Kind int

type Empty struct{}

type Held struct {
	Shown int
	Not   int
}
"#,
        "a.go::Box a.go::Shape a.go::ID a.go::Kind a.go::Empty a.go::Held.Shown",
        expect![[r##"
            # a.go::Box
            // package area

            // Box is a box.
            type Box struct {
            	// Size is its size.
            	Size, depth int `json:"size"` // in metres
            	*Base
            	Open struct {
            		Inner int
            	}
            	// contains filtered or unexported fields
            }

            // Area is how big it is.
            func (b Box) Area() float64

            # a.go::Shape
            // Shape has an area.
            type Shape interface {
            	// Area is how big it is.
            	Area() float64 // in metres
            	hidden()
            	Base
            }

            # a.go::ID
            type ID = string

            # a.go::Kind
            type Kind int

            # a.go::Empty
            type Empty struct{}

            # a.go::Held
            type Held struct {
            	Shown int
            	// contains filtered or unexported fields
            }
        "##]],
    );
}

#[test]
fn constants_are_shown_among_those_they_are_counted_with() {
    check(
        r#"
//- a.go
package area

const (
	// Red is red.
	Red Color = iota
	Blue
)

const (
	Plain = 1 // one
	Other = 2
)

var (
	// ErrLost says that it is lost.
	ErrLost = errors.New("lost")
	Table   = map[string]int{
		"a": 1,
		"b": 1,
		"c": 1,
		"d": 1,
		"e": 1,
		"f": 1,
		"g": 1,
		"h": 1,
		"i": 1,
		"j": 1,
		"k": 1,
		"l": 1,
	}
)

var Single int
"#,
        "a.go::Red a.go::Blue a.go::Plain a.go::ErrLost a.go::Table a.go::Single",
        expect![[r##"
            # a.go::Red
            // package area

            const (
            	// Red is red.
            	Red Color = iota
            	Blue
            )

            # a.go::Plain
            const Plain = 1 // one

            # a.go::ErrLost
            // ErrLost says that it is lost.
            var ErrLost = errors.New("lost")

            # a.go::Table
            var Table = nil // ...

            # a.go::Single
            var Single int
        "##]],
    );
}

#[test]
fn interfaces_of_real_modules_are_read_back() {
    let modules = [
        ("github.com/spf13/pflag", "v1.0.6"),
        ("github.com/go-chi/chi/v5", "v5.2.1"),
        ("github.com/BurntSushi/toml", "v1.5.0"),
    ];
    for (module, version) in modules {
        let Some(files) = go_files(module, version) else {
            return;
        };
        let analysis = analysis_of(files);
        let paths = analysis.paths();
        let symbols = paths
            .iter()
            .flat_map(|path| analysis.symbols(path).to_vec());
        let symbols: Vec<_> = symbols.filter(|it| it.kind != SymbolKind::Module).collect();
        let top: BTreeSet<SymbolId> = symbols.iter().map(|symbol| symbol.id.clone()).collect();
        let shown = interface(&analysis, &top);
        for path in paths {
            let code = shown.to_code(&path);
            let text = format!("package p\n\n{code}").into_bytes();
            let text = SourceText::new(Some(Language::Go), &text.into());
            let tree = grammars::parse(Language::Go, &text);
            assert!(tree.error_ranges().is_empty(), "{path}\n{code}");
        }
        for symbol in symbols.iter().filter(|it| it.kind.is_callable()) {
            let Some((source, body)) = analysis.source(symbol.id.path()).zip(symbol.body.clone())
            else {
                continue;
            };
            let header = source.decode(symbol.full.start..body.start);
            let code = shown.to_code(symbol.id.path());
            assert!(code.contains(header.trim_end()), "{}", symbol.id);
        }
    }
}

// S1, S2, S6
#[test]
fn headers_of_declarations_are_shown_in_full() {
    check(
        r#"
//- a.go
package area

// Number is a number.
type Number interface {
	~int | ~int64
	float64
	comparable
	Sum(Number) (sum Number, err error)
}

type Pair[K comparable, V interface{ ~[]E }, E any] struct {
	Key   K
	Value V
	Call  func(a, b K, more ...V) (<-chan V, error)
	inner E
}

// Swap swaps.
func (p *Pair[K, V, E]) Swap(_ func(K) <-chan V, array [4]E) (k K, v V) {
	return
}

func Map[K comparable, V any](table map[K][]*V, change func(K, ...V) error) (map[K]V, error) { return nil, nil }

type Step = func(context.Context, ...Step) error
"#,
        "a.go::Number a.go::Pair a.go::Map a.go::Step",
        expect![[r#"
            # a.go::Number
            // package area

            // Number is a number.
            type Number interface {
            	~int | ~int64
            	float64
            	comparable
            	Sum(Number) (sum Number, err error)
            }

            # a.go::Pair
            type Pair[K comparable, V interface{ ~[]E }, E any] struct {
            	Key   K
            	Value V
            	Call  func(a, b K, more ...V) (<-chan V, error)
            	// contains filtered or unexported fields
            }

            // Swap swaps.
            func (p *Pair[K, V, E]) Swap(_ func(K) <-chan V, array [4]E) (k K, v V)

            # a.go::Map
            func Map[K comparable, V any](table map[K][]*V, change func(K, ...V) error) (map[K]V, error)

            # a.go::Step
            type Step = func(context.Context, ...Step) error
        "#]],
    );
}
