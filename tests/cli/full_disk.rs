//! A disk without room: the program says so, leaves nothing by half, and works again afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::unavailable;

use crate::support::{Bench, Ran, TARGET, bench, files, only_entry};

/// Stands before the system's own `write`: there is no room for files below the folder of this variable.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int has_room(int file) {
    const char *folder = getenv("LACUNA_TEST_FULL_DISK");
    char link[64], path[4096];
    if (!folder || !*folder) return 1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 1;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder))) return 1;
    errno = ENOSPC;
    return 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return has_room(file) ? next(file, bytes, count) : -1;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    static ssize_t (*next)(int, const struct iovec *, int);
    if (!next) next = (ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    return has_room(file) ? next(file, parts, count) : -1;
}
"#;

/// A sample project on a disk that can be full.
struct Disk {
    bench: Bench,
    shim: PathBuf,
}

/// The bench with the shim; none where that is not to be had.
fn disk() -> Option<Disk> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return unavailable("Linux with glibc");
    }
    let bench = bench()?;
    let shim = bench.cache().join("full_disk.so");
    let source = shim.with_extension("c");
    fs::write(&source, SHIM).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&shim, &source])
        .arg("-ldl")
        .status();
    let compiled = compiled.is_ok_and(|status| status.success());
    compiled
        .then_some(Disk { bench, shim })
        .or_else(|| unavailable("a C compiler"))
}

impl Disk {
    /// Runs the program without room below a folder.
    fn run(&self, folder: &Path, arguments: &[&str]) -> Ran {
        let mut command = self.bench.command(arguments);
        command
            .env("LD_PRELOAD", &self.shim)
            .env("LACUNA_TEST_FULL_DISK", folder);
        command.output().unwrap().into()
    }

    /// The folder of the sample project in the cache.
    fn cache(&self) -> PathBuf {
        let mut folders = fs::read_dir(self.bench.cache()).unwrap();
        folders
            .find_map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                name.starts_with("recipes-").then(|| entry.path())
            })
            .unwrap()
    }

    /// Extracts without room below a folder of the cache, and then with room.
    fn check(&self, place: &str) {
        let out = self.bench.out.to_str().unwrap();
        let before = files(&self.bench.project);
        let arguments = ["extract", "--fresh", "--target", TARGET, "--out", out];
        let ran = self.run(&self.cache().join(place), &arguments);
        assert_eq!((ran.code, &*ran.out), (Some(3), ""), "{place}: {}", ran.err);
        assert!(
            ran.err.starts_with("lacuna: error: the disk is full at "),
            "{place}: {}",
            ran.err
        );
        assert!(ran.err.contains("free some space"), "{}", ran.err);
        assert_eq!(fs::read_dir(out).unwrap().count(), 0, "{place}");
        let task = self.bench.extract();
        fs::remove_dir_all(task).unwrap();
        assert!(files(&self.bench.project) == before);
    }
}

#[test]
fn without_room_in_the_cache_the_run_ends_and_the_next_one_works() {
    let Some(disk) = disk() else { return };
    // Where traces, the run's own files, the work tree and its base are written.
    for place in ["traces", "sandbox/scratch"] {
        disk.check(place);
    }
    let changed = disk.bench.project.join("src/ladle/text.py");
    for place in ["sandbox/tree", "sandbox/base", "sandbox"] {
        let text = fs::read_to_string(&changed).unwrap();
        fs::write(&changed, text + "\n# changed\n").unwrap();
        disk.check(place);
    }
}

#[test]
fn without_room_for_an_environment_none_is_made_and_the_next_run_makes_it() {
    let Some(disk) = disk() else { return };
    let folder = disk.cache();
    let ran = disk.run(&folder.join("environment/"), &["prepare", "--fresh"]);
    assert_eq!((ran.code, &*ran.out), (Some(3), ""), "{}", ran.err);
    assert!(ran.err.contains("No space left on device"), "{}", ran.err);
    assert!(!folder.join("environment.json").exists());
    let ran = disk.run(&folder, &["prepare", "--fresh"]);
    assert_eq!((ran.code, &*ran.out), (Some(3), ""), "{}", ran.err);
    assert!(
        ran.err.starts_with("lacuna: error: the disk is full at "),
        "{}",
        ran.err
    );
    disk.bench.ok(&["prepare"]);
}

#[test]
fn without_room_for_the_task_nothing_of_it_is_left() {
    let Some(disk) = disk() else { return };
    let out = disk.bench.out.to_str().unwrap().to_owned();
    let arguments = ["extract", "--target", TARGET, "--out", &out];
    let ran = disk.run(&disk.bench.out, &arguments);
    assert_eq!((ran.code, &*ran.out), (Some(3), ""), "{}", ran.err);
    assert!(ran.err.contains("name a folder on another disk with --out"));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
    disk.bench.ok(&arguments);
    assert!(crate::tasks::is_whole(&only_entry(&disk.bench.out)));
}

#[test]
fn an_answer_that_cannot_be_printed_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let Some(bench) = bench() else { return };
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let ran = bench.command(&["tests"]).stdout(full).output().unwrap();
    let ran = Ran::from(ran);
    assert_eq!(ran.code, Some(3));
    assert_eq!(
        ran.err,
        "lacuna: error: cannot print the answer: No space left on device (os error 28)\n"
    );
}
