//! Go projects, from their files to a task that holds.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use fixtures::{go_module, tree_dir, unavailable};

use crate::support::{Bench, only_entry};
use crate::tasks::{ids, is_whole, read, record};

/// A Go project with its environment; none where there is no Go.
fn bench(source: &Path) -> Option<Bench> {
    if Command::new("go").arg("version").output().is_err() {
        return unavailable("Go");
    }
    let bench = Bench::take("cli-go", source);
    bench.ok(&["prepare", "--quiet"]);
    Some(bench)
}

/// Carves the feature of a target and checks the task.
fn carved(bench: &Bench, target: &str) -> serde_json::Value {
    let out = bench.out.to_str().unwrap();
    bench.ok(&["extract", "--target", target, "--out", out]);
    let task = only_entry(&bench.out);
    assert!(is_whole(&task));
    let checked = bench.ok(&["check", task.to_str().unwrap()]);
    assert!(checked.ends_with(" holds\n"), "{checked}");
    record(&task)
}

/// A text without the spaces at the ends of its lines, which no expectation can hold.
fn without_ends(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}

#[test]
fn the_timetable_goes_through_every_command() {
    let Some(bench) = bench(&tree_dir("timetable")) else {
        return;
    };
    let target = ["--target", "plan/plan_test.go"];
    let with_target = |command: &'static str| [&[command], &target[..]].concat();
    expect![[r#"
        passed   example.com/timetable/clock::TestParse
        passed   example.com/timetable/clock::TestParse/0:00
        passed   example.com/timetable/clock::TestParse/23:59
        passed   example.com/timetable/clock::TestParse/9:05
        passed   example.com/timetable/clock::TestParseRefuses
        passed   example.com/timetable/clock::TestAddWraps
        passed   example.com/timetable/clock::TestUntil
        passed   example.com/timetable/line::TestIndex
        passed   example.com/timetable/line::TestNext
        passed   example.com/timetable/line::TestRide
        passed   example.com/timetable/line::TestString
        passed   example.com/timetable/line::TestRead
        passed   example.com/timetable/line::TestReadRefuses
        passed   example.com/timetable/plan::TestOneLineIsEnough
        passed   example.com/timetable/plan::TestChangesArePlanned
        passed   example.com/timetable/plan::TestThereMayBeNoWay
        16 tests: 16 passed
    "#]]
    .assert_eq(&bench.ok(&["tests"]));
    let traced = bench.json(&["trace"]);
    assert_eq!(traced["unmatched"], serde_json::json!([]));
    expect![[r#"
        target               tests  top  symbols  files  lines  collateral  kept  offer
        clock/clock_test.go      7    1        1      1      1           1     8  small
        line/line_test.go        4    1        1      1      6           1    11  feature
        line/parse_test.go       2    1        1      1      6           1    13  feature
        plan/plan_test.go        3    9       18      3    226           2    11  feature
    "#]]
    .assert_eq(&bench.ok(&["features"]));
    expect![[r#"
        Feature of plan/plan_test.go
          removes 18 symbols: 226 lines in 3 files
          tests: 3 target, 2 collateral, 11 kept, 0 excluded
        top: removed, in the interface (9)
          line/parse.go::Read  line 23, 18 lines, run by 3 target and 2 other tests
          line/parse.go::SyntaxError  line 13, 5 lines, run by 0 target and 0 other tests
          plan/plan.go::Journey  line 20, 2 lines, run by 3 target and 0 other tests
          plan/plan.go::Journey.Duration  line 23, 7 lines, run by 3 target and 0 other tests
          plan/plan.go::Journey.String  line 31, 8 lines, run by 1 target and 0 other tests
          plan/plan.go::Leg  line 12, 7 lines, run by 0 target and 0 other tests
          plan/plan.go::Network  line 40, 4 lines, run by 3 target and 0 other tests
          plan/plan.go::Network.Earliest  line 50, 23 lines, run by 3 target and 0 other tests
          plan/plan.go::NewNetwork  line 45, 4 lines, run by 3 target and 0 other tests
        specific: removed (6)
          line/parse.go::Line.addStop  line 65, 14 lines, run by 3 target and 2 other tests
          line/parse.go::parse  line 42, 22 lines, run by 3 target and 2 other tests
          plan/plan.go::Network.legs  line 74, 21 lines, run by 3 target and 0 other tests
          plan/queue.go::newQueue  line 21, 3 lines, run by 3 target and 0 other tests
          plan/queue.go::queue.pop  line 29, 7 lines, run by 3 target and 0 other tests
          plan/queue.go::queue.push  line 25, 3 lines, run by 3 target and 0 other tests
        orphaned: removed, nothing else refers to it (3)
          plan/queue.go::item  line 15, 5 lines, run by 0 target and 0 other tests
          plan/queue.go::items  line 37, 2 lines, run by 3 target and 0 other tests
          plan/queue.go::queue  line 9, 5 lines, run by 3 target and 0 other tests
        shared: stays, kept tests run it (9)
          clock/clock.go::At  line 22, 4 lines, run by 3 target and 12 other tests
          clock/clock.go::Parse  line 27, 16 lines, run by 3 target and 7 other tests
          clock/clock.go::Time.Add  line 57, 4 lines, run by 3 target and 2 other tests
          clock/clock.go::Time.Until  line 62, 4 lines, run by 3 target and 2 other tests
          clock/clock.go::Time.wrapped  line 67, 3 lines, run by 3 target and 12 other tests
          clock/clock.go::number  line 44, 7 lines, run by 3 target and 7 other tests
          line/line.go::Line.Index  line 26, 9 lines, run by 3 target and 1 other test
          line/line.go::Line.Next  line 36, 7 lines, run by 3 target and 1 other test
          line/line.go::Line.Ride  line 44, 4 lines, run by 2 target and 1 other test
    "#]]
    .assert_eq(&bench.ok(&with_target("show")));
    expect![[r#"
        plan/queue.go::queue.push is specific in this feature: run by 3 target and 0 other tests
        plan/plan_test.go::TestOneLineIsEnough
          -> plan/plan.go::Network.Earliest  (inferred call, resolved, plan/plan_test.go:28)
          -> plan/queue.go::queue.push  (inferred call, resolved, plan/plan.go:54)
    "#]]
    .assert_eq(&bench.ok(&[&with_target("why")[..], &["queue.push"]].concat()));
    let record = carved(&bench, target[1]);
    expect![[r#"
        {
            "example.com/timetable/plan::TestChangesArePlanned",
            "example.com/timetable/plan::TestOneLineIsEnough",
            "example.com/timetable/plan::TestThereMayBeNoWay",
        }"#]]
    .assert_eq(&format!("{:#?}", ids(&record, "fail_to_pass")));
    let task = only_entry(&bench.out);
    expect![[r##"
        # Implement a missing feature of example.com/timetable

        The working tree holds the project `example.com/timetable`. One feature has been taken out of it; everything else works. Write the feature so that it behaves as its interface says.

        ## What to build

        * `Read` in `line/parse.go`
        * `SyntaxError` in `line/parse.go`
        * `Journey` in `plan/plan.go`
        * `Leg` in `plan/plan.go`
        * `Network` in `plan/plan.go`
        * `NewNetwork` in `plan/plan.go`

        The reference solution adds 226 lines in 3 files.

        ## Interface

        These definitions must exist in these files, with these names, parameters and documentation. Bodies are left out. A class or type of which the working tree still has a part is shown with those of its lost members that are for others. Whatever else is needed, such as helpers, may stand where you like.

        ### `line/parse.go`

        ```go
        // package line

        // SyntaxError says which line of a file cannot be read.
        type SyntaxError struct {
        	Line int
        	Why  string
        }

        func (e *SyntaxError) Error() string
        ```

        ```go
        // Read reads lines such as "M1 from 5:00 every 10: Harbour, 3 Market, 5 Park": each stop but the
        // first has the minutes from the one before. Blank lines and comments with # are skipped.
        func Read(r io.Reader) ([]*Line, error)
        ```

        ### `plan/plan.go`

        ```go
        // package plan

        // Leg is one ride on one line.
        type Leg struct {
        	Line     string
        	From, To string
        	Leaves   clock.Time
        	Arrives  clock.Time
        }
        ```

        ```go
        // Journey is a way from one stop to another.
        type Journey []Leg

        // Duration gives the minutes from the start to the arrival.
        func (j Journey) Duration(start clock.Time) int

        // String shows each leg on a line of its own.
        func (j Journey) String() string
        ```

        ```go
        // Network is all lines of a city.
        type Network struct {
        	// contains filtered or unexported fields
        }

        // Earliest finds the journey from one stop to another that arrives first for somebody who starts at a
        // time. It reports whether there is one.
        func (n *Network) Earliest(from, to string, start clock.Time) (Journey, bool)
        ```

        ```go
        // NewNetwork makes a network of some lines.
        func NewNetwork(lines []*line.Line) *Network
        ```

        ## Rules

        * Your work is graded by 5 tests that you do not see. They reach the feature through its interface and through the rest of the project.
        * What passes now must still pass: 11 tests of the project.
        * Tests are put back as they were before grading; changing them, or how they are run, has no effect.
        * Work from this text and the working tree alone; do not fetch or copy another version of the project.
        * The tests are run with `go test ./...`.
    "##]].assert_eq(&read(&task, "instruction.md"));
    expect![[r##"
        diff --git a/line/parse.go b/line/parse.go
        --- a/line/parse.go
        +++ b/line/parse.go
        @@ -1,78 +1 @@
         package line
        -
        -import (
        -	"bufio"
        -	"fmt"
        -	"io"
        -	"strconv"
        -	"strings"
        -
        -	"example.com/timetable/clock"
        -)
        -
        -// SyntaxError says which line of a file cannot be read.
        -type SyntaxError struct {
        -	Line int
        -	Why  string
        -}
        -
        -func (e *SyntaxError) Error() string {
        -	return fmt.Sprintf("line %d: %s", e.Line, e.Why)
        -}
        -
        -// Read reads lines such as "M1 from 5:00 every 10: Harbour, 3 Market, 5 Park": each stop but the
        -// first has the minutes from the one before. Blank lines and comments with # are skipped.
        -func Read(r io.Reader) ([]*Line, error) {
        -	var lines []*Line
        -	scanner := bufio.NewScanner(r)
        -	for number := 1; scanner.Scan(); number++ {
        -		text, _, _ := strings.Cut(scanner.Text(), "#")
        -		if strings.TrimSpace(text) == "" {
        -			continue
        -		}
        -		line, err := parse(text)
        -		if err != nil {
        -			return nil, &SyntaxError{Line: number, Why: err.Error()}
        -		}
        -		lines = append(lines, line)
        -	}
        -	return lines, scanner.Err()
        -}
        -
        -func parse(text string) (*Line, error) {
        -	var name, first string
        -	var interval int
        -	head, stops, found := strings.Cut(text, ": ")
        -	if !found {
        -		return nil, fmt.Errorf("no stops")
        -	}
        -	if _, err := fmt.Sscanf(head, "%s from %s every %d", &name, &first, &interval); err != nil {
        -		return nil, fmt.Errorf("no name, first departure and interval")
        -	}
        -	start, err := clock.Parse(first)
        -	if err != nil {
        -		return nil, err
        -	}
        -	line := &Line{Name: name, First: start, Interval: interval}
        -	for _, part := range strings.Split(stops, ",") {
        -		if err := line.addStop(strings.TrimSpace(part)); err != nil {
        -			return nil, err
        -		}
        -	}
        -	return line, nil
        -}
        -
        -func (l *Line) addStop(text string) error {
        -	if len(l.Stops) == 0 {
        -		l.Stops = append(l.Stops, Stop{Name: text})
        -		return nil
        -	}
        -	minutes, name, _ := strings.Cut(text, " ")
        -	ride, err := strconv.Atoi(minutes)
        -	if err != nil {
        -		return fmt.Errorf("no minutes before %q", text)
        -	}
        -	last := l.Stops[len(l.Stops)-1]
        -	l.Stops = append(l.Stops, Stop{Name: name, Offset: last.Offset + ride})
        -	return nil
        -}
        diff --git a/line/parse_test.go b/line/parse_test.go
        deleted file mode 100644
        --- a/line/parse_test.go
        +++ /dev/null
        @@ -1,30 +0,0 @@
        -package line
        -
        -import (
        -	"errors"
        -	"strings"
        -	"testing"
        -)
        -
        -func TestRead(t *testing.T) {
        -	lines, err := Read(strings.NewReader("# city\nM1 from 5:00 every 10: Harbour, 3 Market, 5 Park\n"))
        -	if err != nil {
        -		t.Fatal(err)
        -	}
        -	if got := lines[0].String(); got != "M1: Harbour - Market - Park" {
        -		t.Error(got)
        -	}
        -	if got := lines[0].Stops[2].Offset; got != 8 {
        -		t.Error(got)
        -	}
        -}
        -
        -func TestReadRefuses(t *testing.T) {
        -	for _, text := range []string{"M1", "M1 from: A", "M1 from x every 3: A", "M1 from 5:00 every 3: A, B"} {
        -		_, err := Read(strings.NewReader("\n" + text))
        -		var wrong *SyntaxError
        -		if !errors.As(err, &wrong) || wrong.Line != 2 {
        -			t.Errorf("%q: %v", text, err)
        -		}
        -	}
        -}
        diff --git a/plan/plan.go b/plan/plan.go
        --- a/plan/plan.go
        +++ b/plan/plan.go
        @@ -1,94 +1,2 @@
         // Package plan finds the earliest way from one stop to another.
         package plan
        -
        -import (
        -	"fmt"
        -	"strings"
        -
        -	"example.com/timetable/clock"
        -	"example.com/timetable/line"
        -)
        -
        -// Leg is one ride on one line.
        -type Leg struct {
        -	Line     string
        -	From, To string
        -	Leaves   clock.Time
        -	Arrives  clock.Time
        -}
        -
        -// Journey is a way from one stop to another.
        -type Journey []Leg
        -
        -// Duration gives the minutes from the start to the arrival.
        -func (j Journey) Duration(start clock.Time) int {
        -	if len(j) == 0 {
        -		return 0
        -	}
        -	return start.Until(j[len(j)-1].Arrives)
        -}
        -
        -// String shows each leg on a line of its own.
        -func (j Journey) String() string {
        -	var b strings.Builder
        -	for _, leg := range j {
        -		fmt.Fprintf(&b, "%s %s %s -> %s %s\n", leg.Line, leg.Leaves, leg.From, leg.Arrives, leg.To)
        -	}
        -	return b.String()
        -}
        -
        -// Network is all lines of a city.
        -type Network struct {
        -	lines []*line.Line
        -}
        -
        -// NewNetwork makes a network of some lines.
        -func NewNetwork(lines []*line.Line) *Network {
        -	return &Network{lines: lines}
        -}
        -
        -// Earliest finds the journey from one stop to another that arrives first for somebody who starts at a
        -// time. It reports whether there is one.
        -func (n *Network) Earliest(from, to string, start clock.Time) (Journey, bool) {
        -	open := newQueue(start)
        -	open.push(from, nil)
        -	done := map[string]bool{}
        -	for {
        -		stop, journey, ok := open.pop()
        -		if !ok {
        -			return nil, false
        -		}
        -		if strings.EqualFold(stop, to) {
        -			return journey, true
        -		}
        -		if done[stop] {
        -			continue
        -		}
        -		done[stop] = true
        -		for _, leg := range n.legs(stop, start.Add(journey.Duration(start))) {
        -			open.push(leg.To, append(append(Journey{}, journey...), leg))
        -		}
        -	}
        -}
        -
        -// legs gives all rides from a stop that start with the next departure.
        -func (n *Network) legs(stop string, now clock.Time) []Leg {
        -	var legs []Leg
        -	for _, l := range n.lines {
        -		at := l.Index(stop)
        -		if at < 0 {
        -			continue
        -		}
        -		leaves := l.Next(at, now)
        -		for next := at + 1; next < len(l.Stops); next++ {
        -			legs = append(legs, Leg{
        -				Line:    l.Name,
        -				From:    l.Stops[at].Name,
        -				To:      l.Stops[next].Name,
        -				Leaves:  leaves,
        -				Arrives: leaves.Add(l.Ride(at, next)),
        -			})
        -		}
        -	}
        -	return legs
        -}
        diff --git a/plan/plan_test.go b/plan/plan_test.go
        deleted file mode 100644
        --- a/plan/plan_test.go
        +++ /dev/null
        @@ -1,46 +0,0 @@
        -package plan_test
        -
        -import (
        -	"strings"
        -	"testing"
        -
        -	"example.com/timetable/clock"
        -	"example.com/timetable/line"
        -	"example.com/timetable/plan"
        -)
        -
        -const city = `
        -M1 from 5:00 every 10: Harbour, 3 Market, 5 Park
        -M2 from 5:05 every 15: Market, 4 Museum, 6 Hill
        -B7 from 5:00 every 30: Harbour, 25 Hill
        -`
        -
        -func network(t *testing.T) *plan.Network {
        -	t.Helper()
        -	lines, err := line.Read(strings.NewReader(city))
        -	if err != nil {
        -		t.Fatal(err)
        -	}
        -	return plan.NewNetwork(lines)
        -}
        -
        -func TestOneLineIsEnough(t *testing.T) {
        -	journey, ok := network(t).Earliest("Harbour", "Park", clock.At(9, 1))
        -	if !ok || journey.String() != "M1 9:10 Harbour -> 9:18 Park\n" {
        -		t.Errorf("%v %q", ok, journey)
        -	}
        -}
        -
        -func TestChangesArePlanned(t *testing.T) {
        -	start := clock.At(9, 0)
        -	journey, ok := network(t).Earliest("Harbour", "Hill", start)
        -	if !ok || len(journey) != 2 || journey.Duration(start) != 15 {
        -		t.Errorf("%v %q", ok, journey)
        -	}
        -}
        -
        -func TestThereMayBeNoWay(t *testing.T) {
        -	if _, ok := network(t).Earliest("Hill", "Moon", clock.At(9, 0)); ok {
        -		t.Error("found a way to the moon")
        -	}
        -}
        diff --git a/plan/queue.go b/plan/queue.go
        --- a/plan/queue.go
        +++ b/plan/queue.go
        @@ -1,58 +1 @@
         package plan
        -
        -import (
        -	"container/heap"
        -
        -	"example.com/timetable/clock"
        -)
        -
        -// queue hands out the stops that are reached first.
        -type queue struct {
        -	start clock.Time
        -	items items
        -}
        -
        -type item struct {
        -	stop    string
        -	journey Journey
        -	minutes int
        -}
        -
        -func newQueue(start clock.Time) *queue {
        -	return &queue{start: start}
        -}
        -
        -func (q *queue) push(stop string, journey Journey) {
        -	heap.Push(&q.items, item{stop, journey, journey.Duration(q.start)})
        -}
        -
        -func (q *queue) pop() (string, Journey, bool) {
        -	if len(q.items) == 0 {
        -		return "", nil, false
        -	}
        -	first := heap.Pop(&q.items).(item)
        -	return first.stop, first.journey, true
        -}
        -
        -// items is a heap by minutes; of equal ones the shorter journey comes first.
        -type items []item
        -
        -func (h items) Len() int { return len(h) }
        -
        -func (h items) Less(i, j int) bool {
        -	if h[i].minutes != h[j].minutes {
        -		return h[i].minutes < h[j].minutes
        -	}
        -	return len(h[i].journey) < len(h[j].journey)
        -}
        -
        -func (h items) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
        -
        -func (h *items) Push(x any) { *h = append(*h, x.(item)) }
        -
        -func (h *items) Pop() any {
        -	old := *h
        -	last := old[len(old)-1]
        -	*h = old[:len(old)-1]
        -	return last
        -}
    "##]].assert_eq(&without_ends(&read(&task, "removal.patch")));
}

#[test]
fn tests_of_other_files_leave_a_real_module_with_the_feature() {
    let Some(module) = go_module("github.com/spf13/pflag", "v1.0.10") else {
        return;
    };
    let Some(bench) = bench(&module) else { return };
    let record = carved(&bench, "ip_test.go");
    let classes =
        ["fail_to_pass", "collateral"].map(|class| format!("{:#?}\n", ids(&record, class)));
    expect![[r#"
        {
            "github.com/spf13/pflag::TestIP",
        }
        {
            "github.com/spf13/pflag::TestFlagSetParse",
            "github.com/spf13/pflag::TestParse",
            "github.com/spf13/pflag::TestPrintDefaults",
        }
    "#]]
    .assert_eq(&classes.concat());
    // What the tests of other files need beside the feature stays.
    let patch = read(&only_entry(&bench.out), "removal.patch");
    let files = patch.lines().filter_map(|line| line.strip_prefix("--- a/"));
    expect![[r#"
        flag_test.go
        ip.go
        ip_test.go"#]]
    .assert_eq(&files.collect::<Vec<_>>().join("\n"));
}
