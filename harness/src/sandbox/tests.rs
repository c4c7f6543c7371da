//! Whatever a run does to the work tree, the next state is exact.

use super::*;
use crate::cache::Cache;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

/// A project of four files and its sandbox.
struct Place {
    folder: TempDir,
    sandbox: Sandbox,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        fs::create_dir_all(root.join("pkg/data")).unwrap();
        fs::write(root.join("pkg/a.py"), "a = 1\r\n").unwrap();
        fs::write(root.join("pkg/data/b.bin"), b"\x00\xff").unwrap();
        fs::write(root.join("run.sh"), "exit\n").unwrap();
        fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o555)).unwrap();
        symlink("pkg/a.py", root.join("link.py")).unwrap();
        let sandbox = open(&folder);
        Self { folder, sandbox }
    }

    fn reopen(&mut self) {
        self.sandbox = open(&self.folder);
    }

    fn project(&self, path: &str) -> PathBuf {
        self.folder.path().join("shop").join(path)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.sandbox.tree().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    fn restore(&mut self) -> Materialised {
        self.sandbox.materialise(&TreeEdits::default()).unwrap()
    }

    fn edit(&mut self, edits: &[(&str, Option<&str>)]) -> Materialised {
        let files = edits
            .iter()
            .map(|(path, text)| (path.to_string(), text.map(|text| text.into())));
        self.sandbox
            .materialise(&TreeEdits {
                files: files.collect(),
            })
            .unwrap()
    }

    /// Every path of the work tree with its kind, permissions and content.
    fn state(&self) -> String {
        fn visit(folder: &Path, prefix: &str, out: &mut String) {
            let mut entries = disk::entries(folder).unwrap();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            for (name, metadata) in entries {
                let (at, path) = (
                    folder.join(&name),
                    format!("{prefix}{}", name.to_string_lossy()),
                );
                let content = if metadata.is_dir() {
                    String::new()
                } else if metadata.is_symlink() {
                    format!(" -> {}", fs::read_link(&at).unwrap().display())
                } else {
                    format!(" {:?}", String::from_utf8_lossy(&fs::read(&at).unwrap()))
                };
                out.push_str(&format!("{:o} {path}{content}\n", disk::mode(&metadata)));
                if metadata.is_dir() {
                    visit(&at, &format!("{path}/"), out);
                }
            }
        }
        let mut out = String::new();
        visit(self.sandbox.tree(), "", &mut out);
        out
    }

    fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.state());
    }
}

fn open(folder: &TempDir) -> Sandbox {
    let project = Project::open(&folder.path().join("shop")).unwrap();
    let cache = Cache::at(&folder.path().join("cache")).unwrap();
    Sandbox::open(&cache.project(&project).unwrap(), &project).unwrap()
}

#[test]
fn the_work_tree_is_a_copy_with_permissions_and_links() {
    Place::new().check(&expect![[r#"
        777 link.py -> pkg/a.py
        755 pkg
        644 pkg/a.py "a = 1\r\n"
        755 pkg/data
        644 pkg/data/b.bin "\0�"
        555 run.sh "exit\n"
    "#]]);
}

#[test]
fn an_unchanged_tree_costs_no_write() {
    let mut place = Place::new();
    assert_eq!(place.restore(), Materialised::default());
    place.reopen();
    assert_eq!(place.restore(), Materialised::default());
}

#[test]
fn edits_change_add_and_delete_files() {
    let mut place = Place::new();
    let edits = [
        ("pkg/a.py", Some("a = 2\r\n")),
        ("new/c.py", Some("")),
        ("pkg/data/b.bin", None),
        ("run.sh", Some("x")),
    ];
    assert_eq!(
        place.edit(&edits),
        Materialised {
            written: 3,
            removed: 3
        }
    );
    place.check(&expect![[r#"
        777 link.py -> pkg/a.py
        755 new
        644 new/c.py ""
        755 pkg
        644 pkg/a.py "a = 2\r\n"
        555 run.sh "x"
    "#]]);
    assert_eq!(place.edit(&edits), Materialised::default());
}

#[test]
fn what_a_run_leaves_behind_is_gone_afterwards() {
    let mut place = Place::new();
    let clean = place.state();
    place.write("pkg/__pycache__/a.pyc", "x");
    place.write("junk/deep/er/x", "x");
    fs::set_permissions(place.at("junk/deep"), fs::Permissions::from_mode(0o500)).unwrap();
    fs::set_permissions(place.at("pkg"), fs::Permissions::from_mode(0o500)).unwrap();
    fs::remove_file(place.at("link.py")).unwrap();
    symlink("/etc", place.at("link.py")).unwrap();
    fs::remove_file(place.at("run.sh")).unwrap();
    place.write("run.sh/now/a/folder", "x");
    fs::remove_dir_all(place.at("pkg/data")).unwrap();
    fs::write(place.at("pkg/data"), "now a file").unwrap();
    place.restore();
    assert_eq!(place.state(), clean);
}

#[test]
fn a_huge_file_is_removed_without_being_read() {
    let mut place = Place::new();
    let clean = place.state();
    let sparse = fs::File::create(place.at("pkg/a.py")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    fs::File::create(place.at("huge"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    place.restore();
    assert_eq!(place.state(), clean);
}

#[test]
fn a_change_of_the_same_size_right_after_is_seen() {
    let mut place = Place::new();
    for _ in 0..20 {
        fs::write(place.at("pkg/a.py"), "a = 3\r\n").unwrap();
        place.restore();
        assert_eq!(fs::read(place.at("pkg/a.py")).unwrap(), b"a = 1\r\n");
    }
}

#[test]
fn a_link_put_in_place_of_a_file_is_not_written_through() {
    let mut place = Place::new();
    let outside = place.folder.path().join("outside");
    fs::write(&outside, "mine").unwrap();
    fs::remove_file(place.at("pkg/a.py")).unwrap();
    symlink(&outside, place.at("pkg/a.py")).unwrap();
    place.edit(&[("pkg/a.py", Some("edited"))]);
    assert_eq!(fs::read(outside).unwrap(), b"mine");
    assert_eq!(fs::read(place.at("pkg/a.py")).unwrap(), b"edited");
}

#[test]
fn what_the_installation_generates_stays_and_is_forgotten_on_demand() {
    let mut place = Place::new();
    place.write("shop.egg-info/PKG-INFO", "v");
    place.write("pkg/a.py", "version = 1");
    place.write("pkg/__pycache__/a.pyc", "x");
    place.sandbox.keep_generated().unwrap();
    place.restore();
    place.reopen();
    let installed = expect![[r#"
        777 link.py -> pkg/a.py
        755 pkg
        644 pkg/a.py "version = 1"
        755 pkg/data
        644 pkg/data/b.bin "\0�"
        555 run.sh "exit\n"
        755 shop.egg-info
        644 shop.egg-info/PKG-INFO "v"
    "#]];
    place.check(&installed);
    assert_eq!(
        place.sandbox.generated().collect::<Vec<_>>(),
        ["shop.egg-info/PKG-INFO"]
    );
    let project = Project::open(&place.project("")).unwrap();
    place.sandbox.renew(&project).unwrap();
    assert_eq!(place.state(), Place::new().state());
}

#[test]
fn the_sandbox_follows_the_project() {
    let mut place = Place::new();
    place.write("generated.txt", "g");
    place.sandbox.keep_generated().unwrap();
    fs::write(place.project("pkg/a.py"), "a = 9\n").unwrap();
    fs::write(place.project("pkg/c.py"), "c").unwrap();
    fs::remove_dir_all(place.project("pkg/data")).unwrap();
    place.reopen();
    place.check(&expect![[r#"
        644 generated.txt "g"
        777 link.py -> pkg/a.py
        755 pkg
        644 pkg/a.py "a = 9\n"
        644 pkg/c.py "c"
        555 run.sh "exit\n"
    "#]]);
}

#[test]
fn no_edit_leaves_the_tree() {
    let mut place = Place::new();
    for path in ["../x", "/x", "a/../../x", "", "a//b", "a/"] {
        let files = BTreeMap::from([(path.to_owned(), Some(Vec::new()))]);
        let error = place.sandbox.materialise(&TreeEdits { files }).unwrap_err();
        assert!(matches!(error, SandboxError::PathEscapes(_)), "{path}");
    }
}

/// One thing that a run may do to the work tree.
#[derive(Clone, Debug)]
enum Deed {
    Write(String, String),
    Remove(String),
    Chmod(String, u32),
}

const PATHS: &[&str] = &[
    "link.py",
    "pkg",
    "pkg/a.py",
    "pkg/data",
    "pkg/data/b.bin",
    "run.sh",
    "new",
    "new/x",
];

fn deed() -> impl Strategy<Value = Deed> {
    let path = || prop::sample::select(PATHS).prop_map(str::to_owned);
    prop_oneof![
        (path(), "[ab]{0,8}").prop_map(|(path, text)| Deed::Write(path, text)),
        path().prop_map(Deed::Remove),
        (path(), prop::sample::select(vec![0o000, 0o444, 0o777]))
            .prop_map(|(path, mode)| Deed::Chmod(path, mode)),
    ]
}

/// What the deeds cannot do (write through a removed folder) does not matter here.
fn perform(place: &Place, deed: &Deed) {
    let _ = match deed {
        Deed::Write(path, text) => fs::create_dir_all(place.at(path).parent().unwrap())
            .and_then(|()| fs::write(place.at(path), text)),
        Deed::Remove(path) => disk::remove(&place.at(path)),
        Deed::Chmod(path, mode) => {
            fs::set_permissions(place.at(path), fs::Permissions::from_mode(*mode))
        }
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_state_is_exact_whatever_was_done_before(deeds in prop::collection::vec(deed(), 0..8)) {
        let mut place = Place::new();
        let clean = place.state();
        let edits = [("pkg/a.py", Some("edited")), ("run.sh", None)];
        place.edit(&edits);
        let edited = place.state();
        deeds.iter().for_each(|deed| perform(&place, deed));
        place.edit(&edits);
        prop_assert_eq!(place.state(), edited);
        deeds.iter().for_each(|deed| perform(&place, deed));
        place.restore();
        prop_assert_eq!(place.state(), clean);
    }
}

#[test]
fn a_change_that_was_taken_over_by_half_and_then_taken_back_does_no_harm() {
    let mut place = Place::new();
    let before = place.state();
    let (first, second) = (place.project("pkg/a.py"), place.project("pkg/data/b.bin"));
    let old = [&first, &second].map(|path| fs::read(path).unwrap());
    fs::write(&first, "half").unwrap();
    fs::write(&second, "half").unwrap();
    // The second of both cannot be written.
    let obstacle = place.sandbox.base.join("pkg/data");
    fs::remove_dir_all(&obstacle).unwrap();
    fs::write(&obstacle, "").unwrap();
    let root = place.folder.path();
    let cache = Cache::at(&root.join("cache")).unwrap();
    let project = Project::open(&root.join("shop")).unwrap();
    assert!(Sandbox::open(&cache.project(&project).unwrap(), &project).is_err());
    fs::remove_file(&obstacle).unwrap();
    fs::write(&first, &old[0]).unwrap();
    fs::write(&second, &old[1]).unwrap();
    place.reopen();
    assert_eq!(place.state(), before);
    assert_eq!(place.sandbox.read("pkg/a.py").unwrap(), old[0]);
}
