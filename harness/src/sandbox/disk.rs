//! What the sandbox does on disk, robust against whatever a test run left there.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

/// Permission bits of every folder of a work tree.
const FOLDER_MODE: u32 = 0o755;

/// What the kernel changes whenever a file is changed or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    inode: u64,
    changed: (i64, i64),
    size: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            size: metadata.len(),
        }
    }
}

/// Permission bits.
pub(super) fn mode(metadata: &Metadata) -> u32 {
    metadata.permissions().mode() & 0o7777
}

/// The entries of a folder, links not followed.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<(OsString, Metadata)>> {
    let entries = fs::read_dir(folder)?;
    entries
        .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?))))
        .collect()
}

/// Gives a folder its permissions back.
pub(super) fn open_folder(folder: &Path) -> io::Result<()> {
    if mode(&fs::symlink_metadata(folder)?) != FOLDER_MODE {
        fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))?;
    }
    Ok(())
}

/// Removes whatever is there, read-only folders included. Nothing there is fine.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    if !metadata.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(path)?;
            fs::remove_dir_all(path)
        }
        done => done,
    }
}

fn open_folders(folder: &Path) -> io::Result<()> {
    open_folder(folder)?;
    let folders = entries(folder)?
        .into_iter()
        .filter(|(_, metadata)| metadata.is_dir());
    folders
        .map(|(name, _)| name)
        .try_for_each(|name| open_folders(&folder.join(name)))
}

/// Writes a new file; what was there is replaced, never written through: it may be a link.
pub(super) fn write(root: &Path, path: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let at = make_way(root, path)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&at)?;
    file.write_all(bytes)?;
    // Set afterwards: the umask does not apply, and the file may be read-only.
    file.set_permissions(Permissions::from_mode(mode))
}

/// Makes a new symbolic link.
pub(super) fn link(root: &Path, path: &str, target: &Path) -> io::Result<()> {
    symlink(target, make_way(root, path)?)
}

/// Makes the folders above a path, and removes what is at the path.
fn make_way(root: &Path, path: &str) -> io::Result<PathBuf> {
    let at = root.join(path);
    let folder = at.parent().unwrap_or(root);
    if !folder.is_dir() {
        fs::create_dir_all(folder)?;
    }
    remove(&at)?;
    Ok(at)
}

/// The text of a project's link once it stands in the work tree: what points into the project's
/// root points into the work tree, and what points elsewhere still points there.
pub(super) fn moved_link(target: &Path, path: &str, root: &Path, tree: &Path) -> PathBuf {
    let place = root.join(path);
    let absolute = flatten(&place.parent().unwrap_or(root).join(target));
    match absolute.strip_prefix(root) {
        Ok(_) if target.is_relative() => target.to_owned(),
        Ok(inside) => tree.join(inside),
        Err(_) => absolute,
    }
}

/// Resolves `.` and `..` in the text of an absolute path.
fn flatten(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                flat.pop();
            }
            Component::CurDir => {}
            part => flat.push(part),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(target: &str) -> String {
        let moved = moved_link(
            Path::new(target),
            "d/link",
            Path::new("/src/p"),
            Path::new("/cache/p"),
        );
        moved.to_string_lossy().into_owned()
    }

    #[test]
    fn a_link_inside_the_project_stays_inside_its_copy() {
        assert_eq!(moved("../a.py"), "../a.py");
        assert_eq!(moved("/src/p/a.py"), "/cache/p/a.py");
    }

    #[test]
    fn a_link_out_of_the_project_still_points_to_the_same_place() {
        assert_eq!(moved("../../data/x"), "/src/data/x");
        assert_eq!(moved("/usr/share"), "/usr/share");
    }
}
