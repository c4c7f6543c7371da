//! Go projects of many kinds, each from its files to a task that holds.

use expect_test::expect;
use serde_json::Value;

use crate::support::{Bench, carved};

fn told(bench: &Bench, answer: &Value) -> String {
    crate::support::told(bench, answer, |path| path.ends_with("_test.go"))
}

#[test]
fn a_method_that_a_kept_test_finds_by_reflection_comes_back() {
    let Some((bench, answer)) = carved(
        "cli-go-reflection",
        "go",
        r#"
        //- go.mod
        module example.com/menu

        go 1.21
        //- menu.go
        // Package menu finds its commands by their names.
        package menu

        import (
        	"reflect"
        	"strings"
        )

        type commands struct{}

        var names []string

        func init() {
        	all := reflect.TypeOf(commands{})
        	for i := 0; i < all.NumMethod(); i++ {
        		names = append(names, strings.ToLower(all.Method(i).Name))
        	}
        }

        // Names gives the names of all commands.
        func Names() []string { return names }

        // Help says what there is.
        func (commands) Help() string { return "there is " + strings.Join(names, ", ") }
        //- stats.go
        package menu

        import "fmt"

        // Stats describes some numbers.
        func (commands) Stats(numbers ...int) string {
        	return fmt.Sprintf("%d numbers, %d in all", len(numbers), total(numbers))
        }

        func total(numbers []int) int {
        	sum := 0
        	for _, number := range numbers {
        		sum += number
        	}
        	return sum
        }

        // Mean is the middle of some numbers.
        func Mean(numbers ...int) float64 {
        	if len(numbers) == 0 {
        		return 0
        	}
        	return float64(total(numbers)) / float64(len(numbers))
        }
        //- menu_test.go
        package menu

        import "testing"

        func TestEveryCommandHasAName(t *testing.T) {
        	if got := len(Names()); got != 2 {
        		t.Errorf("%d commands", got)
        	}
        }

        func TestHelp(t *testing.T) {
        	if (commands{}).Help() == "" {
        		t.Error("no help")
        	}
        }
        //- stats_test.go
        package menu

        import "testing"

        func TestStats(t *testing.T) {
        	if got := (commands{}).Stats(1, 2); got != "2 numbers, 3 in all" {
        		t.Error(got)
        	}
        }

        func TestMean(t *testing.T) {
        	if got := Mean(1, 2); got != 1.5 {
        		t.Error(got)
        	}
        }
        "#,
        "stats_test.go",
    ) else {
        return;
    };
    expect![[r#"
        needed by kept tests, protected: stats.go::commands.Stats
        stats.go
        -	sum := 0
        -	for _, number := range numbers {
        -		sum += number
        -	}
        -	return sum
        -}
        -
        -// Mean is the middle of some numbers.
        -func Mean(numbers ...int) float64 {
        -	if len(numbers) == 0 {
        -		return 0
        -	}
        -	return float64(total(numbers)) / float64(len(numbers))
        +	panic("not implemented")
    "#]]
    .assert_eq(&told(&bench, &answer));
}

#[test]
fn what_the_compiler_misses_comes_back() {
    let Some((bench, answer)) = carved(
        "cli-go-conversion",
        "go",
        r#"
        //- go.mod
        module example.com/way

        go 1.21
        //- way.go
        // Package way measures ways.
        package way

        type step struct {
        	north, east int
        	note        string
        }

        // Ends gives where a way from nowhere ends.
        func Ends(steps []step) (int, int) {
        	north, east := 0, 0
        	for _, one := range steps {
        		plain := struct {
        			north, east int
        			note        string
        		}(one)
        		north, east = north+plain.north, east+plain.east
        	}
        	return north, east
        }
        //- notes.go
        package way

        import "strings"

        // Notes tells all that was noted on a way.
        func Notes(steps []step) string {
        	var notes []string
        	for _, one := range steps {
        		if one.note != "" {
        			notes = append(notes, one.note)
        		}
        	}
        	return strings.Join(notes, "; ")
        }
        //- way_test.go
        package way

        import "testing"

        func TestEnds(t *testing.T) {
        	if north, east := Ends([]step{{north: 1}, {north: 2, east: 3}}); north != 3 || east != 3 {
        		t.Error(north, east)
        	}
        }
        //- notes_test.go
        package way

        import "testing"

        func TestNotes(t *testing.T) {
        	if got := Notes([]step{{note: "a hut"}, {}, {note: "a lake"}}); got != "a hut; a lake" {
        		t.Error(got)
        	}
        }
        "#,
        "notes_test.go",
    ) else {
        return;
    };
    expect![[r#"
        needed by name, not deleted: way.go::step.note
        notes.go
        -
        -import "strings"
        -
        -// Notes tells all that was noted on a way.
        -func Notes(steps []step) string {
        -	var notes []string
        -	for _, one := range steps {
        -		if one.note != "" {
        -			notes = append(notes, one.note)
        -		}
        -	}
        -	return strings.Join(notes, "; ")
        -}
    "#]]
    .assert_eq(&told(&bench, &answer));
}

#[test]
fn what_go_has_of_its_own_is_cut_so_that_the_rest_builds() {
    let Some((bench, answer)) = carved(
        "cli-go-kinds",
        "go",
        r#"
        //- go.mod
        module example.com/kinds

        go 1.21

        require example.com/units v0.0.0

        replace example.com/units => ./units
        //- units/go.mod
        module example.com/units

        go 1.21
        //- units/units.go
        package units

        // Grams are what everything is weighed in.
        type Grams int
        //- scale/scale.go
        package scale

        import "example.com/units"

        // Kind is a kind of parcel.
        type Kind int

        const (
        	Letter Kind = iota
        	Tube
        	Box
        )

        // Parcel is what is sent.
        type Parcel struct {
        	label
        	Kind   Kind        `json:"kind"`
        	Weight units.Grams `json:"weight"`
        	seal   string      `json:"-"`
        	price  int
        }

        type label struct{ to string }

        // To gives the receiver.
        func (l label) To() string { return l.to }

        // Weighed is what can be put on a scale.
        type Weighed interface {
        	Addressed
        	Total() units.Grams
        }

        // Addressed has a receiver.
        type Addressed interface{ To() string }

        // Total gives the weight.
        func (p Parcel) Total() units.Grams { return p.Weight }

        var tariffs = map[string]func(Parcel) int{}

        func init() { tariffs["plain"] = func(p Parcel) int { return int(p.Weight) } }

        // Tariffs says how many there are.
        func Tariffs() int { return len(tariffs) }
        //- scale/price.go
        package scale

        import (
        	_ "embed"
        	"encoding/json"
        	"strings"
        )

        //go:embed notice.txt
        var notice string

        // Priced is a parcel with its price.
        type Priced struct {
        	*Parcel
        	Notice string `json:"notice,omitempty"`
        }

        // Price finds what a parcel costs.
        func Price(p *Parcel) Priced {
        	p.price = int(p.Total()) * perGram()
        	if p.Kind == Tube {
        		p.price += tubes
        	}
        	return Priced{Parcel: p, Notice: strings.TrimSpace(notice)}
        }

        // JSON writes it down.
        func (p Priced) JSON() (string, error) {
        	text, err := json.Marshal(p)
        	return p.Kind.String() + string(text), err
        }

        const tubes = 7
        //- scale/notice.txt
        No batteries.
        //- scale/gram_linux.go
        package scale

        func perGram() int { return 2 }
        //- scale/gram_other.go
        //go:build !linux

        package scale

        func perGram() int { return 2 }
        //- scale/kind_string.go
        // Code generated by "stringer -type=Kind"; DO NOT EDIT.

        package scale

        import "strconv"

        func _() {
        	// An "invalid array index" compiler error signifies that the constant values have changed.
        	var x [1]struct{}
        	_ = x[Letter-0]
        	_ = x[Tube-1]
        	_ = x[Box-2]
        }

        const _Kind_name = "LetterTubeBox"

        var _Kind_index = [...]uint8{0, 6, 10, 13}

        func (i Kind) String() string {
        	if i < 0 || i >= Kind(len(_Kind_index)-1) {
        		return "Kind(" + strconv.FormatInt(int64(i), 10) + ")"
        	}
        	return _Kind_name[_Kind_index[i]:_Kind_index[i+1]]
        }
        //- scale/scale_test.go
        package scale

        import "testing"

        func TestWeighed(t *testing.T) {
        	var weighed Weighed = Parcel{label: label{"Ada"}, Kind: Box, Weight: 3, seal: "red"}
        	if weighed.To() != "Ada" || weighed.Total() != 3 || Tariffs() != 1 {
        		t.Error(weighed)
        	}
        }
        //- scale/price_test.go
        package scale

        import "testing"

        func TestPrice(t *testing.T) {
        	priced := Price(&Parcel{Kind: Tube, Weight: 10})
        	text, err := priced.JSON()
        	if err != nil || text != `Tube{"kind":1,"weight":10,"notice":"No batteries."}` || priced.price != 27 {
        		t.Error(text, priced.price, err)
        	}
        }
        //- native/native.go
        package native

        // static int twice(int n) { return 2 * n; }
        import "C"

        // Twice asks C.
        func Twice(n int) int { return int(C.twice(C.int(n))) }
        //- native/native_test.go
        package native

        import "testing"

        func TestTwice(t *testing.T) {
        	if Twice(2) != 4 {
        		t.Error("not twice")
        	}
        }
        "#,
        "scale/price_test.go",
    ) else {
        return;
    };
    expect![[r#"
        scale/gram_linux.go
        -
        -func perGram() int { return 2 }
        scale/gram_other.go
        -
        -func perGram() int { return 2 }
        scale/kind_string.go
        -import "strconv"
        -
        -const _Kind_name = "LetterTubeBox"
        -
        -var _Kind_index = [...]uint8{0, 6, 10, 13}
        -
        -	if i < 0 || i >= Kind(len(_Kind_index)-1) {
        -		return "Kind(" + strconv.FormatInt(int64(i), 10) + ")"
        -	}
        -	return _Kind_name[_Kind_index[i]:_Kind_index[i+1]]
        +	panic("not implemented")
        scale/price.go
        -	"encoding/json"
        -	"strings"
        -
        -//go:embed notice.txt
        -var notice string
        -
        -// Priced is a parcel with its price.
        -type Priced struct {
        -	*Parcel
        -	Notice string `json:"notice,omitempty"`
        -}
        -
        -// Price finds what a parcel costs.
        -func Price(p *Parcel) Priced {
        -	p.price = int(p.Total()) * perGram()
        -	if p.Kind == Tube {
        -		p.price += tubes
        -	}
        -	return Priced{Parcel: p, Notice: strings.TrimSpace(notice)}
        -}
        -
        -// JSON writes it down.
        -func (p Priced) JSON() (string, error) {
        -	text, err := json.Marshal(p)
        -	return p.Kind.String() + string(text), err
        -}
        -
        -const tubes = 7
        scale/scale.go
        -	price  int
    "#]]
    .assert_eq(&told(&bench, &answer));
}

#[test]
fn what_only_a_leaving_field_or_a_start_function_needs_leaves() {
    let Some((bench, answer)) = carved(
        "cli-go-needless",
        "go",
        r#"
        //- go.mod
        module example.com/rules

        go 1.21
        //- rules.go
        // Package rules knows some rules.
        package rules

        import "strings"

        // Rules are those that were read.
        type Rules struct {
        	all []*rule

        	// Loose lets everything through.
        	Loose bool
        }

        type rule struct{ name string }

        var known map[string]bool

        var seed = mixed(len(known))

        func mixed(number int) int { return number ^ 7 }

        func init() {
        	known = map[string]bool{}
        	for _, name := range []string{"one", "two"} {
        		known[name] = true
        	}
        }

        // Read reads rules.
        func (r *Rules) Read(text string) {
        	for _, name := range strings.Fields(text) {
        		if known[name] && seed > 0 {
        			r.all = append(r.all, &rule{name: name})
        		}
        	}
        }

        // Names tells what was read.
        func (r *Rules) Names() []string {
        	var names []string
        	for _, rule := range r.all {
        		names = append(names, rule.name)
        	}
        	return names
        }

        // Strict tells whether rules count.
        func Strict(r *Rules) bool { return !r.Loose }
        //- rules_test.go
        package rules

        import "testing"

        func TestRead(t *testing.T) {
        	var rules Rules
        	rules.Read("one three")
        	if got := rules.Names(); len(got) != 1 || got[0] != "one" {
        		t.Error(got)
        	}
        }
        //- strict_test.go
        package rules

        import "testing"

        func TestStrict(t *testing.T) {
        	if !Strict(&Rules{}) {
        		t.Error("loose")
        	}
        }
        "#,
        "rules_test.go",
    ) else {
        return;
    };
    expect![[r#"
        rules.go
        -import "strings"
        -
        -	all []*rule
        -
        -type rule struct{ name string }
        -
        -var known map[string]bool
        -
        -var seed = mixed(len(known))
        -
        -func mixed(number int) int { return number ^ 7 }
        -
        -func init() {
        -	known = map[string]bool{}
        -	for _, name := range []string{"one", "two"} {
        -		known[name] = true
        -	}
        -}
        -
        -// Read reads rules.
        -func (r *Rules) Read(text string) {
        -	for _, name := range strings.Fields(text) {
        -		if known[name] && seed > 0 {
        -			r.all = append(r.all, &rule{name: name})
        -		}
        -	}
        -}
        -
        -// Names tells what was read.
        -func (r *Rules) Names() []string {
        -	var names []string
        -	for _, rule := range r.all {
        -		names = append(names, rule.name)
        -	}
        -	return names
        -}
        -
    "#]]
    .assert_eq(&told(&bench, &answer));
}
