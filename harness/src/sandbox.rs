//! The sandbox of a project: the one folder in which its code runs, and the states it is put into.
//!
//! The *base* is a pristine copy of the project's files, and of what its installation generated among
//! them. The *work tree* is where things run; its path never changes, because the environment points
//! to it. [`Sandbox::materialise`] makes the work tree equal to the base with edits, whatever the last
//! run did to it. The person's own checkout is only read.

mod disk;

use crate::cache::{CacheError, ProjectCache, load_record, store_record};
use crate::project::{FileKind, Project, ProjectError, left_by_tools};
use disk::Stamp;
pub(crate) use disk::remove;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Version of the stored manifest and stamps.
const VERSION: u32 = 1;
/// Permission bits of files that an edit adds.
const NEW_FILE_MODE: u32 = 0o644;
/// A file changed within one tick of the kernel's clock keeps its change time, so a stamp is only
/// taken when the clock has moved on: the longest tick is 10 ms.
const CLOCK_TICK: Duration = Duration::from_millis(20);

/// Why a tree state cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The project cannot be read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The cache cannot be used: permissions, a full disk.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// An edit names no file of the tree.
    #[error(
        "an edit for `{0}` would leave the work tree; paths are relative, with `/` and without `..`"
    )]
    PathEscapes(String),
}

/// What differs from the base: the new bytes of a file, or `None` where it is deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeEdits {
    /// By project-relative path with `/`.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
}

/// How much had to be done to reach a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Materialised {
    /// Files and links written.
    pub written: usize,
    /// Files, links and whole folders removed.
    pub removed: usize,
}

/// A file or link of the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Entry {
    File {
        mode: u32,
        size: u64,
        hash: [u8; 32],
        /// Hash of the project's file that it comes from; `None`: the installation made it.
        source: Option<[u8; 32]>,
    },
    Link {
        target: PathBuf,
        from_project: bool,
    },
}

impl Entry {
    fn is_generated(&self) -> bool {
        matches!(
            self,
            Self::File { source: None, .. }
                | Self::Link {
                    from_project: false,
                    ..
                }
        )
    }
}

/// What a path of the work tree is to be.
enum Wanted<'a> {
    Base(&'a Entry),
    Edit { mode: u32, bytes: &'a [u8] },
}

/// The work tree and the base of one project.
#[derive(Debug)]
pub struct Sandbox {
    folder: PathBuf,
    tree: PathBuf,
    base: PathBuf,
    manifest: BTreeMap<String, Entry>,
    /// Files of the work tree known to equal the base while their stamp is the same.
    stamps: BTreeMap<String, Stamp>,
}

impl Sandbox {
    /// The sandbox of the project, brought up to date with the project's files. The work tree is
    /// then equal to the base. The caller holds the project's lock.
    pub fn open(cache: &ProjectCache, project: &Project) -> Result<Self, SandboxError> {
        let folder = cache.folder().join("sandbox");
        let mut sandbox = Self {
            tree: folder.join("tree").join(project.name()),
            base: folder.join("base"),
            manifest: load_record(&folder.join("manifest"), VERSION).unwrap_or_default(),
            stamps: load_record(&folder.join("stamps"), VERSION).unwrap_or_default(),
            folder,
        };
        sandbox.follow(project)?;
        sandbox.materialise(&TreeEdits::default())?;
        Ok(sandbox)
    }

    /// The work tree.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// The paths of the base, in byte order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.manifest.keys().map(String::as_str)
    }

    /// The paths of the base that the installation made.
    pub fn generated(&self) -> impl Iterator<Item = &str> {
        let generated = self
            .manifest
            .iter()
            .filter(|(_, entry)| entry.is_generated());
        generated.map(|(path, _)| path.as_str())
    }

    /// The bytes of a file of the base.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, SandboxError> {
        let path = self.base.join(relative(path)?);
        Ok(fs::read(&path).map_err(|error| CacheError::at(&path, error))?)
    }

    /// An empty folder beside the work tree, for temporary files and results of one run.
    pub fn scratch(&self) -> Result<PathBuf, SandboxError> {
        let scratch = self.folder.join("scratch");
        disk::remove(&scratch).map_err(|error| CacheError::at(&scratch, error))?;
        fs::create_dir_all(&scratch).map_err(|error| CacheError::at(&scratch, error))?;
        Ok(scratch)
    }

    /// Takes over what has changed in the project since the base was made.
    fn follow(&mut self, project: &Project) -> Result<(), SandboxError> {
        let listing = project.files()?;
        let before = self.manifest.clone();
        self.manifest
            .retain(|path, entry| entry.is_generated() || listing.files.contains_key(path));
        let mut changed = Vec::new();
        for (path, kind) in &listing.files {
            match kind {
                FileKind::File { mode } => {
                    let hash = *blake3::hash(&project.read(path)?).as_bytes();
                    if !self.knows(path, *mode, hash) {
                        changed.push((path, *mode));
                    }
                }
                FileKind::Link { target } => self.follow_link(path, target, project),
            }
        }
        self.announce(changed.iter().map(|(path, _)| path.as_str()))?;
        for (path, mode) in changed {
            let bytes = project.read(path)?;
            self.put(path, mode, &bytes, Some(*blake3::hash(&bytes).as_bytes()))?;
        }
        if self.manifest != before {
            self.store_manifest()?;
        }
        Ok(())
    }

    /// Whether the base comes from a project's file with this hash; the mode is taken over then.
    fn knows(&mut self, path: &str, mode: u32, hash: [u8; 32]) -> bool {
        match self.manifest.get_mut(path) {
            Some(Entry::File {
                source: Some(source),
                mode: old_mode,
                ..
            }) if *source == hash => {
                *old_mode = mode;
                true
            }
            _ => false,
        }
    }

    /// Strikes files of the base from the stored manifest before they are written anew: if this
    /// process ends on the way, the next one does not believe what it finds there.
    fn announce<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<(), SandboxError> {
        let mut stored = self.manifest.clone();
        for path in paths {
            stored.remove(path);
        }
        let path = self.folder.join("manifest");
        if path.exists() && stored != self.manifest {
            store_record(&path, VERSION, &stored)?;
        }
        Ok(())
    }

    fn follow_link(&mut self, path: &str, target: &Path, project: &Project) {
        let target = disk::moved_link(target, path, project.root(), &self.tree);
        self.manifest.insert(
            path.to_owned(),
            Entry::Link {
                target,
                from_project: true,
            },
        );
    }

    /// Writes a file of the base.
    fn put(
        &mut self,
        path: &str,
        mode: u32,
        bytes: &[u8],
        source: Option<[u8; 32]>,
    ) -> Result<(), SandboxError> {
        let at = self.base.join(path);
        disk::write(&self.base, path, 0o600, bytes).map_err(|error| CacheError::at(&at, error))?;
        let hash = *blake3::hash(bytes).as_bytes();
        let entry = Entry::File {
            mode,
            size: bytes.len() as u64,
            hash,
            source,
        };
        self.manifest.insert(path.to_owned(), entry);
        self.stamps.remove(path);
        Ok(())
    }

    /// Makes everything that the installation created or changed in the work tree part of the base.
    pub fn keep_generated(&mut self) -> Result<(), SandboxError> {
        let mut changed = Vec::new();
        for path in self.found(&self.tree, "")? {
            let at = self.tree.join(&path);
            let metadata = fs::symlink_metadata(&at).map_err(|error| CacheError::at(&at, error))?;
            let unchanged = self
                .manifest
                .get(&path)
                .is_some_and(|entry| self.equals(&path, &metadata, &Wanted::Base(entry)));
            if !unchanged {
                changed.push((path, metadata));
            }
        }
        self.announce(changed.iter().map(|(path, _)| path.as_str()))?;
        for (path, metadata) in &changed {
            self.keep(path, metadata)?;
        }
        self.store_manifest()
    }

    fn keep(&mut self, path: &str, metadata: &fs::Metadata) -> Result<(), SandboxError> {
        let at = self.tree.join(path);
        let failed = |error| CacheError::at(&at, error);
        if metadata.is_symlink() {
            let target = fs::read_link(&at).map_err(failed)?;
            self.manifest.insert(
                path.to_owned(),
                Entry::Link {
                    target,
                    from_project: false,
                },
            );
        } else if metadata.is_file() {
            let source = match self.manifest.get(path) {
                Some(Entry::File { source, .. }) => *source,
                _ => None,
            };
            let bytes = fs::read(&at).map_err(failed)?;
            self.put(path, disk::mode(metadata), &bytes, source)?;
        }
        Ok(())
    }

    /// Every file and link below a folder of the work tree that no tool left behind.
    fn found(&self, folder: &Path, prefix: &str) -> Result<Vec<String>, SandboxError> {
        let mut paths = Vec::new();
        for (name, metadata) in
            disk::entries(folder).map_err(|error| CacheError::at(folder, error))?
        {
            let at = folder.join(&name);
            let Some(name) = name
                .to_str()
                .filter(|_| !left_by_tools(&at, metadata.is_dir()))
            else {
                continue;
            };
            let path = format!("{prefix}{name}");
            if metadata.is_dir() {
                paths.extend(self.found(&at, &format!("{path}/"))?);
            } else {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    /// Forgets what the installation generated, before it is done anew; the work tree is then a plain
    /// copy of the project.
    pub fn renew(&mut self, project: &Project) -> Result<(), SandboxError> {
        self.forget_generated();
        self.follow(project)?;
        self.store_manifest()?;
        self.materialise(&TreeEdits::default())?;
        Ok(())
    }

    fn forget_generated(&mut self) {
        self.manifest.retain(|_, entry| !entry.is_generated());
        for entry in self.manifest.values_mut() {
            // The next `follow` takes these from the project again.
            if let Entry::File {
                source: source @ Some(_),
                hash,
                ..
            } = entry
                && *source != Some(*hash)
            {
                *source = Some([0; 32]);
            }
        }
    }

    fn store_manifest(&self) -> Result<(), SandboxError> {
        Ok(store_record(
            &self.folder.join("manifest"),
            VERSION,
            &self.manifest,
        )?)
    }

    /// Makes the work tree equal to the base with `edits`, byte for byte: what is not part of it is
    /// removed, what is missing or changed is written.
    pub fn materialise(&mut self, edits: &TreeEdits) -> Result<Materialised, SandboxError> {
        fs::create_dir_all(&self.tree).map_err(|error| CacheError::at(&self.tree, error))?;
        let mut sweep = Sweep {
            wanted: self.wanted(edits)?,
            ..Sweep::default()
        };
        sweep.folders = sweep.wanted.keys().flat_map(|path| parents(path)).collect();
        self.sweep(&mut sweep, &self.tree, "")?;
        let missing: Vec<_> = sweep
            .wanted
            .iter()
            .filter(|(path, _)| !sweep.kept.contains(**path))
            .collect();
        for (path, wanted) in &missing {
            let at = self.tree.join(path);
            self.write(path, wanted)
                .map_err(|error| CacheError::at(&at, error))?;
        }
        let done = Materialised {
            written: missing.len(),
            removed: sweep.removed,
        };
        let of_base = |wanted: &&Wanted<'_>| matches!(wanted, Wanted::Base(Entry::File { .. }));
        let of_base = sweep.wanted.iter().filter(|(_, wanted)| of_base(wanted));
        let of_base: Vec<String> = of_base.map(|(path, _)| (*path).to_owned()).collect();
        self.stamp(&of_base)?;
        Ok(done)
    }

    fn wanted<'a>(
        &'a self,
        edits: &'a TreeEdits,
    ) -> Result<BTreeMap<&'a str, Wanted<'a>>, SandboxError> {
        let base = self
            .manifest
            .iter()
            .map(|(path, entry)| (path.as_str(), Wanted::Base(entry)));
        let mut wanted: BTreeMap<_, _> = base.collect();
        for (path, bytes) in &edits.files {
            relative(path)?;
            let mode = match self.manifest.get(path) {
                Some(Entry::File { mode, .. }) => *mode,
                _ => NEW_FILE_MODE,
            };
            match bytes {
                Some(bytes) => wanted.insert(path, Wanted::Edit { mode, bytes }),
                None => wanted.remove(path.as_str()),
            };
        }
        Ok(wanted)
    }

    /// Removes from a folder of the work tree what is not wanted, and notes what already is as wanted.
    fn sweep(
        &self,
        sweep: &mut Sweep<'_>,
        folder: &Path,
        prefix: &str,
    ) -> Result<(), SandboxError> {
        disk::open_folder(folder).map_err(|error| CacheError::at(folder, error))?;
        for (name, metadata) in
            disk::entries(folder).map_err(|error| CacheError::at(folder, error))?
        {
            let at = folder.join(&name);
            let path = name
                .to_str()
                .map(|name| format!("{prefix}{name}"))
                .unwrap_or_default();
            let wanted = sweep.wanted.get(path.as_str());
            if metadata.is_dir() && sweep.folders.contains(path.as_str()) {
                self.sweep(sweep, &at, &format!("{path}/"))?;
            } else if wanted.is_some_and(|wanted| self.equals(&path, &metadata, wanted)) {
                sweep.kept.insert(path);
            } else {
                disk::remove(&at).map_err(|error| CacheError::at(&at, error))?;
                sweep.removed += 1;
            }
        }
        Ok(())
    }

    /// Whether what is in the work tree at `path` is what is wanted there.
    fn equals(&self, path: &str, metadata: &fs::Metadata, wanted: &Wanted<'_>) -> bool {
        let at = self.tree.join(path);
        let is_file = |mode: u32, size: u64| {
            metadata.is_file() && metadata.len() == size && disk::mode(metadata) == mode
        };
        match wanted {
            Wanted::Base(Entry::Link { target, .. }) => {
                metadata.is_symlink() && fs::read_link(at).is_ok_and(|found| found == *target)
            }
            Wanted::Base(Entry::File {
                mode, size, hash, ..
            }) => {
                let stamped = || self.stamps.get(path) == Some(&Stamp::of(metadata));
                let hashed =
                    || fs::read(&at).is_ok_and(|bytes| blake3::hash(&bytes).as_bytes() == hash);
                is_file(*mode, *size) && (stamped() || hashed())
            }
            Wanted::Edit { mode, bytes } => {
                is_file(*mode, bytes.len() as u64)
                    && fs::read(at).is_ok_and(|found| found == *bytes)
            }
        }
    }

    fn write(&self, path: &str, wanted: &Wanted<'_>) -> io::Result<()> {
        match wanted {
            Wanted::Base(Entry::Link { target, .. }) => disk::link(&self.tree, path, target),
            Wanted::Base(Entry::File { mode, .. }) => {
                disk::write(&self.tree, path, *mode, &fs::read(self.base.join(path))?)
            }
            Wanted::Edit { mode, bytes } => disk::write(&self.tree, path, *mode, bytes),
        }
    }

    /// Notes the stamps of files that now equal the base.
    fn stamp(&mut self, paths: &[String]) -> Result<(), SandboxError> {
        let mut stamps = BTreeMap::new();
        let mut now = || -> io::Result<()> {
            for path in paths {
                let stamp = Stamp::of(&fs::symlink_metadata(self.tree.join(path))?);
                stamps.insert(path.clone(), stamp);
            }
            Ok(())
        };
        thread::sleep(CLOCK_TICK);
        now().map_err(|error| CacheError::at(&self.tree, error))?;
        if stamps != self.stamps {
            self.stamps = stamps;
            store_record(&self.folder.join("stamps"), VERSION, &self.stamps)?;
        }
        Ok(())
    }
}

/// One pass over the work tree.
#[derive(Default)]
struct Sweep<'a> {
    wanted: BTreeMap<&'a str, Wanted<'a>>,
    folders: BTreeSet<&'a str>,
    kept: BTreeSet<String>,
    removed: usize,
}

/// The folders above a path: `a` and `a/b` for `a/b/c`.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// The path, if it stays inside the tree.
fn relative(path: &str) -> Result<&Path, SandboxError> {
    let inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let plain = inside && !path.is_empty() && !path.ends_with('/') && !path.contains("//");
    plain
        .then_some(Path::new(path))
        .ok_or_else(|| SandboxError::PathEscapes(path.to_owned()))
}

#[cfg(test)]
mod tests;
