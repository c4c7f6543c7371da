//! Features from a record that tells who called what.

use super::*;

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

const PAGES: &str = "
//- shop/tags.py
def render(tag): return _line(tag)
def _line(tag): return tag
def _wrap(tag): return tag
def describe(tag): return tag
//- shop/page.py
def show(page): return page
def _frame(page): return page
def _footer(page): return page
def logged(page):
    def log(): return page
    return log
//- tests/test_tags.py
def test_render(): pass
//- tests/test_page.py
def test_page(): pass
def test_a(): pass
def test_b(): pass
def test_c(): pass
def test_d(): pass
";

/// The feature of tags when `test_page`, which fails without `render`, runs the given chains.
fn check_page(chains: &str, expected: Expect) {
    let runs = format!(
        "tests/test_tags.py::test_render: shop/tags.py::render > shop/tags.py::_line; shop/tags.py::render > shop/page.py::show > shop/page.py::_frame
         tests/test_page.py::test_page: {chains}
         tests/test_page.py::test_a: shop/page.py::show
         tests/test_page.py::test_b: shop/page.py::show
         tests/test_page.py::test_c: shop/page.py::show
         tests/test_page.py::test_d: shop/page.py::show"
    );
    check(PAGES, &runs, "tests/test_tags.py", expected);
}

#[test]
fn what_code_that_stays_calls_in_collateral_tests_alone_is_no_part() {
    check_page(
        "shop/tags.py::render > shop/tags.py::_wrap; shop/tags.py::render > shop/page.py::show > shop/page.py::_footer",
        expect![[r#"
            Specific shop/page.py::_frame
            Shared shop/page.py::show
            Specific shop/tags.py::_line
            Specific shop/tags.py::_wrap
            Top shop/tags.py::render
            Target tests/test_tags.py::test_render
            Collateral tests/test_page.py::test_page
            Kept tests/test_page.py::test_a
            Kept tests/test_page.py::test_b
            Kept tests/test_page.py::test_c
            Kept tests/test_page.py::test_d
        "#]],
    );
}

#[test]
fn what_stands_in_a_file_of_its_name_is_a_part_if_only_tests_run_it_that_fail_anyway() {
    check_page(
        "shop/tags.py::render; shop/page.py::show > shop/tags.py::describe; shop/page.py::show > shop/page.py::_footer",
        expect![[r#"
            Specific shop/page.py::_frame
            Shared shop/page.py::show
            Specific shop/tags.py::_line
            Top shop/tags.py::describe
            Top shop/tags.py::render
            Target tests/test_tags.py::test_render
            Collateral tests/test_page.py::test_page
            Kept tests/test_page.py::test_a
            Kept tests/test_page.py::test_b
            Kept tests/test_page.py::test_c
            Kept tests/test_page.py::test_d
        "#]],
    );
}

#[test]
fn who_calls_a_nested_function_that_others_made_does_not_reach_what_made_it() {
    check_page(
        "shop/page.py::logged; shop/tags.py::render > shop/page.py::logged.log > shop/tags.py::_wrap",
        expect![[r#"
            Specific shop/page.py::_frame
            Shared shop/page.py::show
            Specific shop/tags.py::_line
            Top shop/tags.py::_wrap
            Top shop/tags.py::render
            Target tests/test_tags.py::test_render
            Collateral tests/test_page.py::test_page
            Kept tests/test_page.py::test_a
            Kept tests/test_page.py::test_b
            Kept tests/test_page.py::test_c
            Kept tests/test_page.py::test_d
        "#]],
    );
}

#[test]
fn what_a_test_does_when_it_is_called_back_is_no_part() {
    check_page(
        "shop/tags.py::render > tests/test_page.py::test_page > shop/page.py::logged",
        expect![[r#"
            Specific shop/page.py::_frame
            Shared shop/page.py::show
            Specific shop/tags.py::_line
            Top shop/tags.py::render
            Target tests/test_tags.py::test_render
            Collateral tests/test_page.py::test_page
            Kept tests/test_page.py::test_a
            Kept tests/test_page.py::test_b
            Kept tests/test_page.py::test_c
            Kept tests/test_page.py::test_d
        "#]],
    );
}

#[test]
fn what_only_excluded_tests_run_is_as_if_it_did_not_run() {
    check(
        SHOP,
        "tests/test_tags.py::test_render: shop/tags.py::render
         tests/test_util.py::test_clean: shop/util.py::clean
         failing tests/test_util.py::test_a: shop/tags.py::render > shop/tags.py::_unused",
        "tests/test_tags.py",
        expect![[r#"
            Orphaned shop/tags.py::_deeper
            Orphaned shop/tags.py::_unused
            Top shop/tags.py::render
            Target tests/test_tags.py::test_render
            Kept tests/test_util.py::test_clean
            Excluded tests/test_util.py::test_a
        "#]],
    );
}

#[test]
fn a_chosen_class_takes_all_that_it_contains() {
    let runs = "tests/test_tags.py::test_render: shop/tags.py::render
                tests/test_util.py::test_a: shop/tags.py::Tag.__init__
                tests/test_util.py::test_clean: shop/util.py::clean";
    check_with(
        SHOP,
        runs,
        "tests/test_tags.py",
        |options| FeatureOptions {
            include: BTreeSet::from([SymbolId::parse("shop/tags.py::Tag")]),
            exclude: BTreeSet::from([SymbolId::parse("shop/tags.py::Tag.name")]),
            ..options
        },
        expect![[r#"
            Top shop/tags.py::Tag.__init__
            Top shop/tags.py::Tag.never
            Orphaned shop/tags.py::_deeper
            Orphaned shop/tags.py::_unused
            Top shop/tags.py::render
            Target tests/test_tags.py::test_render
            Collateral tests/test_util.py::test_a
            Kept tests/test_util.py::test_clean
        "#]],
    );
}

#[test]
fn helpers_beside_tests_in_a_folder_of_tests_are_no_part() {
    check(
        "
//- area.py
def area(side): return side * side
//- unittests/utility.py
def cases(): return [1]
//- unittests/deep/more.py
def more(): return [1]
//- unittests/test_area.py
def test_area(): pass
//- testing/kit.py
def kit(): pass
//- tests/test_kit.py
def test_kit(): pass
",
        "unittests/test_area.py::test_area: unittests/utility.py::cases; unittests/deep/more.py::more; area.py::area; testing/kit.py::kit
         tests/test_kit.py::test_kit: area.py::area",
        "unittests/test_area.py",
        expect![[r#"
            Top testing/kit.py::kit
            Target unittests/test_area.py::test_area
            Kept tests/test_kit.py::test_kit
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
