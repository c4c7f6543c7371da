//! The folder in which task directories appear, each whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use nix::unistd::{AccessFlags, access};

use super::TaskDirError;

/// The names of folders that are being written begin so.
const PARTIAL: &str = ".lacuna-";

/// Removes what a killed run left in `out`, and makes sure, before any work is done, that a task can
/// be written there. The folder itself is not made.
///
/// # Errors
/// It cannot be written to.
pub fn make_ready(out: &Path) -> Result<(), TaskDirError> {
    if out.is_dir() {
        let _turn = take_turn(out).map_err(at(out))?;
    }
    // A relative path ends with an empty ancestor, which is the current folder.
    let ancestors = out
        .ancestors()
        .map(|folder| match folder.as_os_str().len() {
            0 => Path::new("."),
            _ => folder,
        });
    let there = ancestors
        .into_iter()
        .find(|folder| fs::symlink_metadata(folder).is_ok());
    let there = there.unwrap_or(out);
    if !there.is_dir() {
        return Err(at(there)(io::ErrorKind::NotADirectory.into()));
    }
    access(there, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|error| at(there)(error.into()))
}

/// Puts a task with these files into `out`, in the place of an older one of the same name.
pub(super) fn put(out: &Path, name: &str, files: &[(&str, Vec<u8>)]) -> Result<(), TaskDirError> {
    fs::create_dir_all(out).map_err(at(out))?;
    let _turn = take_turn(out).map_err(at(out))?;
    let partial = tempfile::Builder::new().prefix(PARTIAL).tempdir_in(out);
    let partial = partial.map_err(at(out))?;
    let [new, old] = ["new", "old"].map(|name| partial.path().join(name));
    fs::create_dir(&new).map_err(at(out))?;
    for (name, bytes) in files {
        write(&new.join(name), bytes).map_err(at(&out.join(name)))?;
    }
    let directory = out.join(name);
    swap(&directory, &new, &old).map_err(at(&directory))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Moves `new` to where the task belongs; what is there goes to `old`.
fn swap(directory: &Path, new: &Path, old: &Path) -> io::Result<()> {
    fs::set_permissions(new, fs::Permissions::from_mode(0o755))?;
    match fs::rename(directory, old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::rename(new, directory)
}

/// Waits until nobody else writes to `out`. What is partial then belongs to a run that was killed,
/// and goes. The system ends the turn with the process, however it ends.
fn take_turn(out: &Path) -> io::Result<File> {
    let turn = File::open(out)?;
    // Some network file systems lock no folders. There, what is partial stays.
    if turn.lock().is_ok() {
        for entry in fs::read_dir(out)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
                crate::sandbox::remove(&entry.path())?;
            }
        }
    }
    Ok(turn)
}

fn at(path: &Path) -> impl Fn(io::Error) -> TaskDirError {
    let path = path.to_owned();
    move |source| TaskDirError::Unwritable {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// The files below a folder with their content, one a line.
    fn content(folder: &Path) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(&next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(folder).unwrap().display();
                    lines.push(format!("{name}: {}\n", fs::read_to_string(&path).unwrap()));
                }
            }
        }
        lines.sort();
        lines.concat()
    }

    fn refused(error: &TaskDirError, folder: &Path, expected: Expect) {
        let text = error.to_string();
        expected.assert_eq(&text.replace(folder.to_str().unwrap(), "FOLDER"));
    }

    #[test]
    fn a_task_replaces_the_older_one_and_what_a_killed_run_left_goes() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("tasks");
        put(&out, "t", &[("a", b"1".to_vec()), ("b", b"2".to_vec())]).unwrap();
        fs::create_dir_all(out.join(".lacuna-x1y2z3/new")).unwrap();
        fs::write(out.join(".lacuna-x1y2z3/new/a"), "half").unwrap();
        put(&out, "t", &[("a", b"3".to_vec())]).unwrap();
        expect![[r#"
            t/a: 3
        "#]]
        .assert_eq(&content(&out));
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_run_left_goes_before_the_work_begins() {
        let out = tempfile::tempdir().unwrap();
        fs::create_dir(out.path().join(".lacuna-x1y2z3")).unwrap();
        make_ready(out.path()).unwrap();
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_another_run_is_writing_stays() {
        let out = tempfile::tempdir().unwrap();
        let turn = take_turn(out.path()).unwrap();
        fs::create_dir(out.path().join(".lacuna-x1y2z3")).unwrap();
        let path = out.path().to_owned();
        let other = std::thread::spawn(move || make_ready(&path));
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(out.path().join(".lacuna-x1y2z3").exists());
        drop(turn);
        other.join().unwrap().unwrap();
    }

    #[test]
    fn a_place_that_cannot_hold_tasks_is_refused_before_the_work_begins() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for out in [&file, &file.join("tasks")] {
            refused(
                &make_ready(out).unwrap_err(),
                folder.path(),
                expect![
                    "cannot write to FOLDER/file: not a directory; it is no folder: name one with --out"
                ],
            );
        }
        make_ready(&folder.path().join("not/yet/there")).unwrap();
        assert!(!folder.path().join("not").exists());
    }

    #[test]
    fn the_advice_fits_the_reason() {
        let error = |kind: io::ErrorKind| at(Path::new("FOLDER"))(kind.into());
        let folder = Path::new("FOLDER");
        refused(
            &error(io::ErrorKind::StorageFull),
            folder,
            expect![
                "cannot write to FOLDER: no storage space; the disk is full: free some space, or name a folder on another disk with --out"
            ],
        );
        refused(
            &error(io::ErrorKind::PermissionDenied),
            folder,
            expect![
                "cannot write to FOLDER: permission denied; name a folder that you may write to with --out"
            ],
        );
    }
}
