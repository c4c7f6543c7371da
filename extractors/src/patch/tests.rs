//! Tests of patches: round trips, and the judgement of an independent program.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::{Change, File, LineCounts, Mode, Patch};

fn change(path: &str, old: Option<&str>, new: Option<&str>) -> Change {
    let file = |text: Option<&str>| text.map(File::regular);
    Change {
        path: path.to_owned(),
        old: file(old),
        new: file(new),
    }
}

fn check(changes: impl IntoIterator<Item = Change>, expected: Expect) {
    let changes: Vec<_> = changes.into_iter().collect();
    check_round_trip(&changes);
    let bytes = Patch::between(changes).to_bytes();
    expected.assert_eq(&bytes.escape_ascii().to_string().replace("\\n", "\n"));
}

fn check_round_trip(changes: &[Change]) {
    let patch = Patch::between(changes.to_vec());
    let trees = |side: fn(&Change) -> &Option<File>| -> BTreeMap<String, Option<File>> {
        let different = changes.iter().filter(|change| change.old != change.new);
        different
            .map(|change| (change.path.clone(), side(change).clone()))
            .collect()
    };
    let (old, new) = (trees(|change| &change.old), trees(|change| &change.new));
    let read = Patch::parse(&patch.to_bytes()).unwrap();
    assert_eq!(read, patch);
    assert_eq!(read.apply(|path| old[path].clone()).unwrap(), new);
    assert_eq!(
        read.reversed().apply(|path| new[path].clone()).unwrap(),
        old
    );
    assert_eq!(read.reversed().reversed(), patch);
}

#[test]
fn files_are_sorted_and_equal_ones_left_out() {
    check(
        [
            change("z.py", Some("a\nb\nc\nd\ne\nf\n"), Some("a\nb\nc\ne\nf\n")),
            change("same.py", Some("x\n"), Some("x\n")),
            change("a/new.py", None, Some("x\ny\n")),
            change("gone.py", Some("x\n"), None),
        ],
        expect![[r#"
            diff --git a/a/new.py b/a/new.py
            new file mode 100644
            --- /dev/null
            +++ b/a/new.py
            @@ -0,0 +1,2 @@
            +x
            +y
            diff --git a/gone.py b/gone.py
            deleted file mode 100644
            --- a/gone.py
            +++ /dev/null
            @@ -1 +0,0 @@
            -x
            diff --git a/z.py b/z.py
            --- a/z.py
            +++ b/z.py
            @@ -1,6 +1,5 @@
             a
             b
             c
            -d
             e
             f
        "#]],
    );
}

#[test]
fn a_missing_final_newline_is_marked_on_each_side() {
    check(
        [
            change("added.py", Some("a"), Some("a\n")),
            change("both.py", Some("a\nb"), Some("b")),
            change("lost.py", Some("a\nb\n"), Some("a\nb")),
        ],
        expect![[r#"
            diff --git a/added.py b/added.py
            --- a/added.py
            +++ b/added.py
            @@ -1 +1 @@
            -a
            \\ No newline at end of file
            +a
            diff --git a/both.py b/both.py
            --- a/both.py
            +++ b/both.py
            @@ -1,2 +1 @@
            -a
             b
            \\ No newline at end of file
            diff --git a/lost.py b/lost.py
            --- a/lost.py
            +++ b/lost.py
            @@ -1,2 +1,2 @@
             a
            -b
            +b
            \\ No newline at end of file
        "#]],
    );
}

#[test]
fn line_ends_and_bytes_that_are_no_text_survive() {
    let bytes = |path: &str, old: &[u8], new: &[u8]| Change {
        path: path.to_owned(),
        old: Some(File::regular(old)),
        new: Some(File::regular(new)),
    };
    check(
        [
            bytes("bare-cr.txt", b"a\rb\nc\rd\n", b"a\rb\n"),
            bytes("binary.bin", b"\x00\xff\n\x01\n", b"\x01\n\x00"),
            bytes("crlf.py", b"\xef\xbb\xbfa\r\nb\r\n", b"\xef\xbb\xbfa\r\n"),
            bytes("form-feed.py", b"a\x0c\nb\n", b"a\x0c\n"),
        ],
        expect![[r#"
            diff --git a/bare-cr.txt b/bare-cr.txt
            --- a/bare-cr.txt
            +++ b/bare-cr.txt
            @@ -1,2 +1 @@
             a\rb
            -c\rd
            diff --git a/binary.bin b/binary.bin
            --- a/binary.bin
            +++ b/binary.bin
            @@ -1,2 +1,2 @@
            -\x00\xff
             \x01
            +\x00
            \\ No newline at end of file
            diff --git a/crlf.py b/crlf.py
            --- a/crlf.py
            +++ b/crlf.py
            @@ -1,2 +1 @@
             \xef\xbb\xbfa\r
            -b\r
            diff --git a/form-feed.py b/form-feed.py
            --- a/form-feed.py
            +++ b/form-feed.py
            @@ -1,2 +1 @@
             a\x0c
            -b
        "#]],
    );
}

fn odd_files() -> Vec<Change> {
    let with_mode = |text: &str, mode| {
        Some(File {
            bytes: text.into(),
            mode,
        })
    };
    let odd = "with \"quotes\" and\ttab.py";
    vec![
        change("empty.py", None, Some("")),
        change("was empty.py", Some(""), None),
        change(odd, Some("a\n"), Some("b\n")),
        change("with blank.py", Some("a\n"), Some("b\n")),
        Change {
            path: "script".to_owned(),
            old: with_mode("x\n", Mode::Regular),
            new: with_mode("x\n", Mode::Executable),
        },
        Change {
            path: "link".to_owned(),
            old: with_mode("to", Mode::Symlink),
            new: None,
        },
    ]
}

#[test]
fn modes_empty_files_and_odd_names_are_spelt_as_git_does() {
    check(
        odd_files(),
        expect![[r#"
            diff --git a/empty.py b/empty.py
            new file mode 100644
            diff --git a/link b/link
            deleted file mode 120000
            --- a/link
            +++ /dev/null
            @@ -1 +0,0 @@
            -to
            \\ No newline at end of file
            diff --git a/script b/script
            old mode 100644
            new mode 100755
            diff --git a/was empty.py b/was empty.py
            deleted file mode 100644
            diff --git \"a/with \\\"quotes\\\" and\\011tab.py\" \"b/with \\\"quotes\\\" and\\011tab.py\"
            --- \"a/with \\\"quotes\\\" and\\011tab.py\"
            +++ \"b/with \\\"quotes\\\" and\\011tab.py\"
            @@ -1 +1 @@
            -a
            +b
            diff --git a/with blank.py b/with blank.py
            --- a/with blank.py\t
            +++ b/with blank.py\t
            @@ -1 +1 @@
            -a
            +b
        "#]],
    );
}

#[test]
fn a_removed_definition_starts_after_a_blank_line() {
    let old =
        "@p\ndef a():\n    return 1\n\n@p\ndef b():\n    return 1\n\n@p\ndef c():\n    return 1\n";
    let new = "@p\ndef a():\n    return 1\n\n@p\ndef c():\n    return 1\n";
    check(
        [change("m.py", Some(old), Some(new))],
        expect![[r#"
            diff --git a/m.py b/m.py
            --- a/m.py
            +++ b/m.py
            @@ -2,10 +2,6 @@
             def a():
                 return 1
             
            -@p
            -def b():
            -    return 1
            -
             @p
             def c():
                 return 1
        "#]],
    );
}

#[test]
fn a_patch_is_refused_by_another_tree() {
    let patch = Patch::between([change("m.py", Some("a\nb\n"), Some("a\n"))]);
    let apply = |text: Option<&str>| {
        patch
            .apply(|_| text.map(File::regular))
            .unwrap_err()
            .to_string()
    };
    expect![[r#"
        the patch does not fit m.py: there is no such file; apply it to the tree that it was made from
        the patch does not fit m.py: what is around line 1 differs; apply it to the tree that it was made from"#]]
    .assert_eq(&[apply(None), apply(Some("a\nc\n"))].join("\n"));
}

#[test]
fn lines_that_have_moved_are_found_as_git_finds_them() {
    let old = "a\nb\nc\nd\ne\n";
    let patch = Patch::with_context([change("m.py", Some(old), Some("a\nb\nd\ne\n"))], 1);
    let apply = |text: &str| {
        let file = patch.apply(|_| Some(File::regular(text)))?;
        let bytes = file["m.py"].clone().unwrap_or_default().bytes;
        Ok::<_, crate::patch::PatchError>(String::from_utf8(bytes).unwrap_or_default())
    };
    assert_eq!(apply("x\ny\nb\nc\nd\n").unwrap(), "x\ny\nb\nd\n");
    assert_eq!(apply("b\nc\nd\n").unwrap(), "b\nd\n");
    assert!(apply("b\nC\nd\n").is_err());
}

#[test]
fn text_that_is_no_patch_is_an_error_with_its_line() {
    let error = |text: &str| Patch::parse(text.as_bytes()).unwrap_err().to_string();
    expect![[r#"
        line 1 of the patch: expected «diff --git a/NAME b/NAME»; only text patches in git's format are read
        line 2 of the patch: unexpected header; only text patches in git's format are read
        line 3 of the patch: expected a line of the hunk; only text patches in git's format are read
        line 2 of the patch: expected «@@ -LINE,COUNT +LINE,COUNT @@»; only text patches in git's format are read"#]]
    .assert_eq(
        &[
            error("hello\n"),
            error("diff --git a/x b/x\nrename from x\n"),
            error("diff --git a/x b/x\n@@ -1,2 +1 @@\n"),
            error("diff --git a/x b/x\n@@ x @@\n"),
        ]
        .join("\n"),
    );
}

#[test]
fn the_work_grows_with_the_lines_and_not_with_their_square() {
    let line = |i: usize| {
        if i % 4 == 3 {
            "\n".to_owned()
        } else {
            format!("line {i}\n")
        }
    };
    let old: String = (0..40_000).map(line).collect();
    let new: String = (0..40_000).filter(|i| i / 10 % 2 == 0).map(line).collect();
    let changes = [change("m.py", Some(&old), Some(&new))];
    check_round_trip(&changes);
    let counts = Patch::between(changes).line_counts();
    assert_eq!(
        counts,
        LineCounts {
            removed: 20_000,
            added: 0
        }
    );
}

fn file() -> impl Strategy<Value = Option<File>> {
    let line = prop::sample::select(vec![
        "a\n",
        "b\n",
        "c\n",
        "\n",
        "x\r\n",
        "\r",
        "-- a\n",
        "@@ -1 +1 @@\n",
        "\u{c}\n",
        "\\ No newline\n",
        "y",
    ]);
    let text = prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat());
    let mode = prop::sample::select(vec![Mode::Regular, Mode::Executable]);
    prop::option::weighted(
        0.9,
        (text, mode).prop_map(|(text, mode)| File {
            bytes: text.into(),
            mode,
        }),
    )
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let files = prop::collection::vec((file(), file()), 1..4);
    files.prop_map(|files| {
        let numbered = files.into_iter().enumerate();
        numbered
            .map(|(i, (old, new))| Change {
                path: format!("dir/{i}.py"),
                old,
                new,
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn a_patch_gives_the_new_tree_and_its_reverse_the_old_one(changes in changes()) {
        check_round_trip(&changes);
    }
}

#[test]
fn git_accepts_the_patches_and_their_reverse() {
    if Command::new("git").arg("--version").output().is_err() {
        return fixtures::unavailable("git").unwrap_or_default();
    }
    check_with_git(&odd_files());
    let bytes = |bytes: &[u8]| Some(File::regular(bytes));
    check_with_git(&[Change {
        path: "binary.bin".to_owned(),
        old: bytes(b"\x00\xff\n\x01\n"),
        new: bytes(b"\x01\n\x00"),
    }]);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..40 {
        let changes = changes().new_tree(&mut runner).unwrap().current();
        check_with_git(&changes);
    }
}

fn check_with_git(changes: &[Change]) {
    let patch = Patch::between(changes.to_vec()).to_bytes();
    if patch.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_tree(
        folder.path(),
        changes.iter().map(|change| (&change.path, &change.old)),
    );
    std::fs::write(folder.path().join("p.patch"), patch).unwrap();
    git_apply(folder.path(), &[]);
    check_tree(
        folder.path(),
        changes.iter().map(|change| (&change.path, &change.new)),
    );
    git_apply(folder.path(), &["-R"]);
    check_tree(
        folder.path(),
        changes.iter().map(|change| (&change.path, &change.old)),
    );
}

fn git_apply(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
        .args(arguments)
        .arg("p.patch")
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .output()
        .unwrap();
    let patch = std::fs::read(folder.join("p.patch"))
        .unwrap()
        .escape_ascii()
        .to_string();
    assert!(
        output.status.success(),
        "{}\n{patch}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn write_tree<'a>(folder: &Path, files: impl Iterator<Item = (&'a String, &'a Option<File>)>) {
    use std::os::unix::fs::PermissionsExt;
    for (path, file) in files {
        let Some(file) = file else { continue };
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if file.mode == Mode::Symlink {
            std::os::unix::fs::symlink(str::from_utf8(&file.bytes).unwrap(), &path).unwrap();
            continue;
        }
        std::fs::write(&path, &file.bytes).unwrap();
        let mode = if file.mode == Mode::Executable {
            0o755
        } else {
            0o644
        };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn check_tree<'a>(folder: &Path, files: impl Iterator<Item = (&'a String, &'a Option<File>)>) {
    for (path, file) in files {
        assert_eq!(&file_on_disk(&folder.join(path)), file, "{path}");
    }
}

fn file_on_disk(path: &Path) -> Option<File> {
    use std::os::unix::{ffi::OsStringExt, fs::PermissionsExt};
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if metadata.is_symlink() {
        let bytes = std::fs::read_link(path)
            .unwrap()
            .into_os_string()
            .into_vec();
        return Some(File {
            bytes,
            mode: Mode::Symlink,
        });
    }
    let executable = metadata.permissions().mode() & 0o100 != 0;
    let mode = if executable {
        Mode::Executable
    } else {
        Mode::Regular
    };
    Some(File {
        bytes: std::fs::read(path).unwrap(),
        mode,
    })
}

#[test]
fn enough_context_tells_a_place_from_others_that_look_like_it() {
    let old = b"fn a() {\n}\n\nfn b() {\n}\n\nfn c() {\n}\n".to_vec();
    let new = b"fn a() {\n}\n\nfn new() {\n}\n\nfn b() {\n}\n\nfn c() {\n}\n".to_vec();
    let change = Change {
        path: "m".to_owned(),
        old: Some(File::regular(old.clone())),
        new: Some(File::regular(new)),
    };
    let tells = |context| {
        let patch = Patch::with_context([change.clone()], context);
        patch.files.iter().all(|file| file.tells_places_apart(&old))
    };
    assert_eq!([1, 2, 3].map(tells), [true, true, true]);
}
