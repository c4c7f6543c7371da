//! Rust projects of many kinds: macros that run in the compiler, and toolchains that are not there.

use std::process::Command;

use expect_test::expect;

use crate::support::{Bench, carved, told};

#[test]
fn what_a_macro_needs_while_others_are_compiled_stays() {
    let Some((bench, answer)) = carved(
        "cli-rust-macro",
        "cargo",
        r#"
        //- Cargo.toml
        [workspace]
        members = ["macros", "shapes"]
        resolver = "2"
        //- macros/Cargo.toml
        [package]
        name = "macros"
        version = "0.1.0"
        edition = "2021"

        [lib]
        proc-macro = true
        //- macros/src/lib.rs
        //! Names for types.
        #![deny(warnings)]

        mod plural;
        mod words;

        use proc_macro::{TokenStream, TokenTree};

        /// Gives a type its name as words.
        #[proc_macro_derive(Named)]
        pub fn named(input: TokenStream) -> TokenStream {
            let name = input.into_iter().skip_while(|it| it.to_string() != "struct").nth(1);
            let name = name.map(|it: TokenTree| it.to_string()).unwrap_or_default();
            let words = words::of(&name);
            let code = format!("impl {name} {{ pub const NAME: &'static str = {words:?}; }}");
            code.parse().unwrap_or_default()
        }

        /// The plural of a word.
        #[proc_macro]
        pub fn plural(input: TokenStream) -> TokenStream {
            let text = format!("{:?}", plural::of(&input.to_string()));
            text.parse().unwrap_or_default()
        }
        //- macros/src/words.rs
        /// `BigBox` as `big box`.
        pub fn of(name: &str) -> String {
            let mut words = String::new();
            for letter in name.chars() {
                if letter.is_uppercase() && !words.is_empty() {
                    words.push(' ');
                }
                words.extend(letter.to_lowercase());
            }
            words
        }
        //- macros/src/plural.rs
        const IRREGULAR: &[(&str, &str)] = &[("ox", "oxen"), ("axis", "axes")];

        /// The plural of a word.
        pub fn of(word: &str) -> String {
            match IRREGULAR.iter().find(|(one, _)| *one == word) {
                Some((_, many)) => (*many).to_owned(),
                None => regular(word),
            }
        }

        fn regular(word: &str) -> String {
            if word.ends_with('x') {
                format!("{word}es")
            } else {
                format!("{word}s")
            }
        }

        #[cfg(test)]
        mod tests {
            use super::*;
            use crate::words;

            #[test]
            fn words_have_plurals() {
                assert_eq!(of("ox"), "oxen");
                assert_eq!(of("box"), "boxes");
                assert_eq!(of(&words::of("Ball")), "balls");
            }
        }
        //- shapes/Cargo.toml
        [package]
        name = "shapes"
        version = "0.1.0"
        edition = "2021"

        [dependencies]
        macros = { path = "../macros" }
        //- shapes/src/lib.rs
        //! Shapes that know their names.

        use macros::Named;

        /// A box.
        #[derive(Named)]
        pub struct BigBox;

        #[cfg(test)]
        mod tests {
            #[test]
            fn a_box_has_a_name() {
                assert_eq!(super::BigBox::NAME, "big box");
            }
        }
        "#,
        "macros/src/plural.rs",
    ) else {
        return;
    };
    let is_test = |_: &str| false;
    expect![[r#"
        needed to build, protected: macros/src/words.rs::of
        macros/src/plural.rs
        -const IRREGULAR: &[(&str, &str)] = &[("ox", "oxen"), ("axis", "axes")];
        -
        -    match IRREGULAR.iter().find(|(one, _)| *one == word) {
        -        Some((_, many)) => (*many).to_owned(),
        -        None => regular(word),
        -    }
        -}
        -
        -fn regular(word: &str) -> String {
        -    if word.ends_with('x') {
        -        format!("{word}es")
        -    } else {
        -        format!("{word}s")
        -    }
        +    let _ = &word;
        +    unimplemented!()
        -mod tests {
        -    use super::*;
        -    use crate::words;
        -
        -    #[test]
        -    fn words_have_plurals() {
        -        assert_eq!(of("ox"), "oxen");
        -        assert_eq!(of("box"), "boxes");
        -        assert_eq!(of(&words::of("Ball")), "balls");
        -    }
        -}
        +mod tests {}
    "#]]
    .assert_eq(&told(&bench, &answer, is_test));
    let macros_only = ["extract", "--quiet", "--target", "shapes/src/lib.rs"];
    expect![[r#"
        Some(1): lacuna: error: the target owns no symbol that can be removed; its tests ran no code of the project that a trace sees: what runs while code is compiled, as procedural macros do, or in other programs is in none
    "#]].assert_eq(&bench.refused(&macros_only));
}

#[test]
fn what_stays_for_kept_tests_keeps_at_once_what_it_names() {
    let Some((bench, answer)) = carved(
        "cli-rust-kept",
        "cargo",
        r#"
        //- Cargo.toml
        [package]
        name = "widths"
        version = "0.1.0"
        edition = "2021"

        [workspace]
        //- src/lib.rs
        //! Widths of letters.

        mod table;

        /// The width of a text.
        pub fn width(text: &str) -> usize {
            let widths = text.chars().map(table::of);
            widths.sum()
        }

        /// Whether a text has no letters.
        pub fn is_empty(text: &str) -> bool {
            text.is_empty()
        }
        //- src/table.rs
        struct Wide(&'static str);

        const WIDE: Wide = Wide("mw");

        /// The width of a letter.
        pub fn of(letter: char) -> usize {
            if WIDE.0.contains(letter) { 2 } else { 1 }
        }

        #[cfg(test)]
        mod tests {
            #[test]
            fn an_m_is_wide() {
                assert_eq!(super::of('m'), 2);
            }
        }
        //- tests/texts.rs
        #[test]
        fn texts_have_widths() {
            assert_eq!(widths::width("mi"), 3);
        }

        #[test]
        fn nothing_has_none() {
            assert_eq!(widths::width(""), 0);
        }

        #[test]
        fn one_letter_has_one() {
            assert_eq!(widths::width("i"), 1);
        }
        //- tests/empty.rs
        #[test]
        fn nothing_is_empty() {
            assert!(widths::is_empty(""));
        }
        "#,
        "tests/texts.rs",
    ) else {
        return;
    };
    expect![[r#"
        nothing uses it until the feature is back: src/table.rs::WIDE, src/table.rs::Wide, src/table.rs::of
        src/lib.rs
        -/// The width of a text.
        -pub fn width(text: &str) -> usize {
        -    let widths = text.chars().map(table::of);
        -    widths.sum()
        -}
        -
        src/table.rs
        +#[allow(dead_code)]
        +#[allow(dead_code)]
        +#[allow(dead_code)]
    "#]].assert_eq(&told(&bench, &answer, |path| path.starts_with("tests/")));
}

#[test]
fn a_crate_that_needs_another_toolchain_says_so() {
    let Some(bench) = Bench::of_files(
        "cli-rust-nightly",
        "cargo",
        r#"
        //- Cargo.toml
        [package]
        name = "toy"
        version = "0.1.0"
        edition = "2021"

        [workspace]
        //- src/lib.rs
        #![feature(never_type)]
        //! Never.

        #[test]
        fn never() {}
        "#,
    ) else {
        return;
    };
    let version = Command::new("cargo").arg("--version").output().unwrap();
    if String::from_utf8(version.stdout)
        .unwrap()
        .contains("nightly")
    {
        return;
    }
    expect![[r#"
        Some(4): lacuna: error: no test was found; src/lib.rs: error[E0554]: `#![feature]` may not be used on the stable release channel; if a nightly toolchain is installed, name it by `environment.interpreter` in lacuna.toml (`interpreter = "nightly"`); other files and folders with tests can be named by `paths` under `[tests]` in lacuna.toml, and `lacuna doctor` tells what may be missing
    "#]].assert_eq(&bench.refused(&["features", "--quiet"]));
    bench.write("rust-toolchain", "no-such-toolchain\n");
    let said = bench.refused(&["features", "--quiet"]);
    assert!(
        said.contains("the project wants no-such-toolchain, and there is"),
        "{said}"
    );
}

#[test]
fn what_tests_have_between_lines_of_the_feature_keeps_its_place() {
    let Some((bench, answer)) = carved(
        "cli-rust-between",
        "cargo",
        r#"
        //- Cargo.toml
        [package]
        name = "words"
        version = "0.1.0"
        edition = "2021"

        [workspace]
        //- src/lib.rs
        //! Counts words.
        use std::collections::HashMap;
        #[cfg(test)]
        use std::collections::BTreeMap;
        use std::fmt::Write;

        /// How often each word stands in a text.
        pub fn counts(text: &str) -> HashMap<&str, usize> {
            let mut counts = HashMap::new();
            for word in text.split_whitespace() {
                *counts.entry(word).or_default() += 1;
            }
            counts
        }

        /// The words with their counts, as a text.
        pub fn shown(text: &str) -> String {
            let mut shown = String::new();
            for (word, count) in counts(text) {
                let _ = writeln!(shown, "{word} {count}");
            }
            shown
        }

        #[test]
        fn words_are_counted() {
            let sorted: BTreeMap<_, _> = counts("a b a").into_iter().collect();
            assert_eq!(sorted.into_iter().collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
            assert_eq!(shown("a"), "a 1\n");
        }
        "#,
        "src/lib.rs",
    ) else {
        return;
    };
    let is_test = |_: &str| false;
    expect![[r#"
        what is there for nothing now leaves, too
        src/lib.rs
        -use std::collections::HashMap;
        +#[allow(unused_imports)]
        -use std::fmt::Write;
        -/// How often each word stands in a text.
        -pub fn counts(text: &str) -> HashMap<&str, usize> {
        -    let mut counts = HashMap::new();
        -    for word in text.split_whitespace() {
        -        *counts.entry(word).or_default() += 1;
        -    }
        -    counts
        -}
        -
        -/// The words with their counts, as a text.
        -pub fn shown(text: &str) -> String {
        -    let mut shown = String::new();
        -    for (word, count) in counts(text) {
        -        let _ = writeln!(shown, "{word} {count}");
        -    }
        -    shown
        -}
        -
        -#[test]
        -fn words_are_counted() {
        -    let sorted: BTreeMap<_, _> = counts("a b a").into_iter().collect();
        -    assert_eq!(sorted.into_iter().collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
        -    assert_eq!(shown("a"), "a 1\n");
        -}
        +// Tests are put back here.
    "#]]
    .assert_eq(&told(&bench, &answer, is_test));
}

#[test]
fn tests_that_alternate_with_the_feature_are_put_back_beside_stubs() {
    let Some((bench, answer)) = carved(
        "cli-rust-alternate",
        "cargo",
        r#"
        //- Cargo.toml
        [package]
        name = "roman"
        version = "0.1.0"
        edition = "2021"

        [workspace]
        //- src/lib.rs
        //! Roman numerals.

        /// One as a text.
        pub fn one() -> &'static str {
            let one = "I";
            one
        }

        #[test]
        fn of_one() {
            assert_eq!(one(), "I");
        }

        /// So many ones as a text.
        pub fn ones(many: usize) -> String {
            let mut ones = String::new();
            for _ in 0..many {
                ones.push_str(one());
            }
            ones
        }

        #[test]
        fn of_ones() {
            assert_eq!(ones(2), "II");
        }
        "#,
        "src/lib.rs",
    ) else {
        return;
    };
    let is_test = |_: &str| false;
    expect![[r#"
        tests are put back beside them, stubbed instead of deleted: src/lib.rs::one, src/lib.rs::ones
        src/lib.rs
        -    let one = "I";
        -    one
        -}
        -
        -#[test]
        -fn of_one() {
        -    assert_eq!(one(), "I");
        +    unimplemented!()
        -    let mut ones = String::new();
        -    for _ in 0..many {
        -        ones.push_str(one());
        -    }
        -    ones
        -}
        -
        -#[test]
        -fn of_ones() {
        -    assert_eq!(ones(2), "II");
        +    let _ = &many;
        +    unimplemented!()
    "#]].assert_eq(&told(&bench, &answer, is_test));
}
