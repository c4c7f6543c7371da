//! What `lacuna` keeps between runs: one folder per project, locked while something runs in it.

use crate::checker::{CHECK_VERSION, Diagnostic};
use crate::process::Interrupt;
use crate::project::Project;
use analyzer::trace::{TRACE_VERSION, Trace};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// First bytes of every binary record.
const MAGIC: &[u8; 8] = b"LACUNA\r\n";
/// Magic, version, checksum.
const HEADER: usize = MAGIC.len() + 4 + blake3::OUT_LEN;

/// The file that is locked, in the folder of a project.
const LOCK: &str = "lock";
/// What there must be room for after a run, in bytes.
const ROOM: usize = 1 << 20;
/// How often a project that another process has is tried for.
const LOCK_TICK: Duration = Duration::from_millis(100);

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// No folder is known.
    #[error(
        "no folder for the cache is known; set LACUNA_CACHE (or HOME) to a folder you may write to"
    )]
    Nowhere,
    /// The person interrupted the waiting for another process.
    #[error("stopped while waiting for another lacuna")]
    Interrupted,
    /// The disk is full.
    #[error("the disk is full at {}; free some space, or set LACUNA_CACHE (or TMPDIR, for temporary files) to a folder on another disk", .0.display())]
    DiskFull(PathBuf),
    /// The system refuses.
    #[error("cannot use {} in the cache: {source}; check its permissions, or set LACUNA_CACHE to another folder", path.display())]
    Unusable {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl CacheError {
    /// The error for what happened at `path`.
    pub fn at(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match is_disk_full(&source) {
            true => Self::DiskFull(path),
            false => Self::Unusable { path, source },
        }
    }
}

/// Whether there is no room, or none for this person.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

/// The cache of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `$LACUNA_CACHE`, else `$XDG_CACHE_HOME/lacuna`, else `~/.cache/lacuna`.
    pub fn locate() -> Result<Self, CacheError> {
        let variable = |name| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let root = variable("LACUNA_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("lacuna")))
            .or_else(|| variable("HOME").map(|folder| folder.join(".cache/lacuna")));
        root.map_or(Err(CacheError::Nowhere), |root| Self::at(&root))
    }

    /// The cache in this folder, which is created.
    pub fn at(root: &Path) -> Result<Self, CacheError> {
        create_folder(root)?;
        let root = root
            .canonicalize()
            .map_err(|error| CacheError::at(root, error))?;
        // Backup tools and `Project::files` leave such folders out.
        let tag = root.join("CACHEDIR.TAG");
        if !tag.exists() {
            write_atomically(&tag, b"Signature: 8a477f597d28d172789f06886806bc55\n")?;
        }
        Ok(Self { root })
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// The folder of one project, named after it and the hash of its path.
    pub fn project(&self, project: &Project) -> Result<ProjectCache, CacheError> {
        let hash = blake3::hash(project.root().as_os_str().as_bytes()).to_hex();
        let folder = self
            .root
            .join(format!("{}-{}", readable(&project.name()), &hash[..12]));
        create_folder(&folder)?;
        Ok(ProjectCache {
            folder,
            name: project.name(),
        })
    }
}

/// A name that is safe in paths and commands everywhere.
fn readable(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    name.chars().map(plain).take(60).collect()
}

/// The part of the cache that belongs to one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectCache {
    folder: PathBuf,
    name: String,
}

/// Nobody else works on the project while this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// What a stored trace depends on: with another value of any field it must be recorded again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceKey {
    /// [`Project::tree_hash`].
    pub tree: String,
    /// The environment's fingerprint.
    pub environment: String,
    /// Which part of the suite was run, and how: paths and arguments of the runner.
    pub selection: Vec<String>,
}

/// The version of what is remembered of the last trace.
const LAST_VERSION: u32 = 1;
/// How hard sources are packed, from 0 to 10: they are written once and read once an editor session.
const PACKING: u8 = 2;

/// What is remembered of the last traced run of a language.
#[derive(Clone, Debug, PartialEq)]
pub struct Last {
    /// What the trace was recorded of.
    pub key: TraceKey,
    /// The record.
    pub trace: Trace,
    /// The files that the analysis reads, as they were, by path.
    pub sources: Vec<(String, Vec<u8>)>,
}

impl ProjectCache {
    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the project for this process. If another one has it, `waiting` is told which (if that is
    /// known), and this waits until it ends. The system gives the project back when a process ends,
    /// however it ends.
    ///
    /// # Errors
    /// The cache cannot be used, or the person interrupts.
    pub fn lock(
        &self,
        interrupt: &Interrupt,
        waiting: &dyn Fn(Option<u32>),
    ) -> Result<Lock, CacheError> {
        let path = self.folder.join(LOCK);
        let open = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path);
        let mut file = open.map_err(|error| CacheError::at(&path, error))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(CacheError::at(&path, error)),
                Err(TryLockError::WouldBlock) if interrupt.is_set() => {
                    return Err(CacheError::Interrupted);
                }
                Err(TryLockError::WouldBlock) if told => thread::sleep(LOCK_TICK),
                Err(TryLockError::WouldBlock) => {
                    told = true;
                    waiting(holder(&path));
                }
            }
        }
        // Only for what the next one who comes is told.
        let _ = file
            .set_len(0)
            .and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
        Ok(Lock { _file: file })
    }

    /// Forgets everything but the lock, which the caller has and others may wait for.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub fn clear(&self, _lock: &Lock) -> Result<(), CacheError> {
        let at = |error| CacheError::at(&self.folder, error);
        for entry in fs::read_dir(&self.folder).map_err(at)? {
            let entry = entry.map_err(at)?;
            if entry.file_name() != LOCK {
                let path = entry.path();
                crate::sandbox::remove(&path).map_err(|error| CacheError::at(&path, error))?;
            }
        }
        Ok(())
    }

    /// Stores a trace under its key, at once or not at all.
    pub fn store_trace(&self, key: &TraceKey, trace: &Trace) -> Result<(), CacheError> {
        store_record(&self.trace_path(key), TRACE_VERSION, trace)
    }

    /// The trace stored under the key. One that is cut, damaged or of another version is not read.
    pub fn load_trace(&self, key: &TraceKey) -> Option<Trace> {
        load_record(&self.trace_path(key), TRACE_VERSION)
    }

    /// Stores what the language's own tools say about the full tree, at once or not at all. The
    /// selection of its key is how they were asked.
    pub fn store_check(&self, key: &TraceKey, found: &Vec<Diagnostic>) -> Result<(), CacheError> {
        store_record(&self.check_path(key), CHECK_VERSION, found)
    }

    /// What was stored under the key, as for a trace.
    pub fn load_check(&self, key: &TraceKey) -> Option<Vec<Diagnostic>> {
        load_record(&self.check_path(key), CHECK_VERSION)
    }

    /// Whether this trace is the one that was used last in a language.
    pub fn is_last(&self, language: &str, key: &TraceKey) -> bool {
        load_record(&self.last_path(language), LAST_VERSION).as_ref() == Some(key)
    }

    /// Whether any trace is remembered of a language.
    pub fn has_last(&self, language: &str) -> bool {
        self.last_path(language).exists()
    }

    /// Remembers which trace of a language was used last, with the sources that it speaks of, so that it
    /// can still be read when the tree has changed.
    pub fn store_last(
        &self,
        language: &str,
        key: &TraceKey,
        sources: &[(String, Vec<u8>)],
    ) -> Result<(), CacheError> {
        let path = self.sources_path(language);
        let plain = postcard::to_stdvec(sources).map_err(io::Error::other);
        let plain = plain.map_err(|error| CacheError::at(&path, error))?;
        let packed = miniz_oxide::deflate::compress_to_vec(&plain, PACKING);
        store_record(&path, LAST_VERSION, &packed)?;
        store_record(&self.last_path(language), LAST_VERSION, key)
    }

    /// The trace that was used last in a language, with the sources that it speaks of.
    pub fn load_last(&self, language: &str) -> Option<Last> {
        let key: TraceKey = load_record(&self.last_path(language), LAST_VERSION)?;
        let packed: Vec<u8> = load_record(&self.sources_path(language), LAST_VERSION)?;
        let plain = miniz_oxide::inflate::decompress_to_vec(&packed).ok()?;
        Some(Last {
            trace: self.load_trace(&key)?,
            sources: postcard::from_bytes(&plain).ok()?,
            key,
        })
    }

    /// The file that changes whenever another trace is the last one of a language.
    pub fn last_path(&self, language: &str) -> PathBuf {
        self.folder.join("last").join(format!("{language}.key"))
    }

    fn sources_path(&self, language: &str) -> PathBuf {
        self.folder.join("last").join(format!("{language}.sources"))
    }

    fn trace_path(&self, key: &TraceKey) -> PathBuf {
        self.record_path("trace", key)
    }

    fn check_path(&self, key: &TraceKey) -> PathBuf {
        self.record_path("check", key)
    }

    fn record_path(&self, what: &str, key: &TraceKey) -> PathBuf {
        let key = serde_json::to_vec(key).unwrap_or_default();
        self.folder
            .join(format!("{what}s"))
            .join(format!("{}.{what}", blake3::hash(&key).to_hex()))
    }
}

/// The process that wrote its number into a lock file.
fn holder(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Makes sure that there is room where a program was running: without it, what the program says
/// proves nothing. To be called before its files are removed.
///
/// # Errors
/// The disk is full at this folder, or where temporary files go.
pub(crate) fn require_room(folder: &Path) -> Result<(), CacheError> {
    for folder in [folder, &env::temp_dir()] {
        let probe = || {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&[0; ROOM])?;
            file.flush()
        };
        if probe().is_err_and(|error| is_disk_full(&error)) {
            return Err(CacheError::DiskFull(folder.to_owned()));
        }
    }
    Ok(())
}

/// Writes a value in binary with magic, version and checksum.
pub(crate) fn store_record<T: Serialize>(
    path: &Path,
    version: u32,
    value: &T,
) -> Result<(), CacheError> {
    let encoded = postcard::to_stdvec(value).map_err(io::Error::other);
    let payload = encoded.map_err(|error| CacheError::at(path, error))?;
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
    bytes.extend_from_slice(&payload);
    write_atomically(path, &bytes)
}

/// Reads what [`store_record`] wrote; anything else counts as absent.
pub(crate) fn load_record<T: DeserializeOwned>(path: &Path, version: u32) -> Option<T> {
    let bytes = fs::read(path).ok()?;
    let rest = bytes
        .strip_prefix(MAGIC)?
        .strip_prefix(&version.to_le_bytes())?;
    let (checksum, payload) = rest.split_at_checked(blake3::OUT_LEN)?;
    (checksum == blake3::hash(payload).as_bytes()).then(|| postcard::from_bytes(payload).ok())?
}

/// Writes a file so that a reader sees the old or the new content, even after a power cut.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), CacheError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder)?;
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|error| CacheError::at(path, error))
}

fn create_folder(path: &Path) -> Result<(), CacheError> {
    fs::create_dir_all(path).map_err(|error| CacheError::at(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A cache and a project in it; the folders live as long as the first value.
    fn cache() -> (TempDir, ProjectCache) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("my project");
        fs::create_dir(&root).unwrap();
        let cache = Cache::at(&folder.path().join("cache")).unwrap();
        let cache = cache.project(&Project::open(&root).unwrap()).unwrap();
        (folder, cache)
    }

    fn key(tree: &str) -> TraceKey {
        TraceKey {
            tree: tree.into(),
            environment: "e".into(),
            selection: vec!["tests".into()],
        }
    }

    fn trace() -> Trace {
        Trace {
            processes: 3,
            losses: vec!["one".into()],
            ..Trace::default()
        }
    }

    fn only_file(cache: &ProjectCache) -> PathBuf {
        let mut entries = fs::read_dir(cache.folder().join("traces")).unwrap();
        let path = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none(), "no temporary file is left");
        path
    }

    #[test]
    fn a_trace_is_found_again_under_its_key_only() {
        let (_folder, cache) = cache();
        assert_eq!(cache.load_trace(&key("a")), None);
        cache.store_trace(&key("a"), &trace()).unwrap();
        assert_eq!(cache.load_trace(&key("a")), Some(trace()));
        assert_eq!(cache.load_trace(&key("b")), None);
    }

    #[test]
    fn the_last_trace_is_read_with_the_sources_that_it_speaks_of() {
        let (_folder, cache) = cache();
        let sources = |text: &str| vec![("a.py".to_owned(), text.as_bytes().to_vec())];
        assert_eq!(cache.load_last("python"), None);
        for (tree, text) in [("a", "x = 1\n"), ("b", "x = 2\n")] {
            cache.store_trace(&key(tree), &trace()).unwrap();
            assert!(!cache.is_last("python", &key(tree)));
            cache
                .store_last("python", &key(tree), &sources(text))
                .unwrap();
            assert!(cache.is_last("python", &key(tree)));
            let last = Last {
                key: key(tree),
                trace: trace(),
                sources: sources(text),
            };
            assert_eq!(cache.load_last("python"), Some(last));
        }
        assert_eq!(cache.load_last("go"), None);
    }

    #[test]
    fn a_cut_or_damaged_or_foreign_trace_is_not_read() {
        let (_folder, cache) = cache();
        cache.store_trace(&key("a"), &trace()).unwrap();
        let path = only_file(&cache);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.load_trace(&key("a")), None, "cut at {length}");
        }
        for position in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[position] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.load_trace(&key("a")), None, "damaged at {position}");
        }
    }

    #[test]
    fn the_folder_of_a_project_is_readable_and_its_own() {
        let (folder, cache) = cache();
        let name = cache.folder().file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("my-project-") && name.len() == "my-project-".len() + 12);
        let other = folder.path().join("x/my project");
        fs::create_dir_all(&other).unwrap();
        let root = Cache::at(&folder.path().join("cache")).unwrap();
        assert_ne!(
            root.project(&Project::open(&other).unwrap()).unwrap(),
            cache
        );
    }

    #[test]
    fn the_second_who_comes_is_told_who_works_and_waits() {
        let (_folder, cache) = cache();
        let interrupt = Interrupt::default();
        let lock = cache.lock(&interrupt, &|_| {}).unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let other = {
            let cache = cache.clone();
            let interrupt = interrupt.clone();
            thread::spawn(move || {
                cache
                    .lock(&interrupt, &|pid| tell.send(pid).unwrap())
                    .is_ok()
            })
        };
        assert_eq!(told.recv().unwrap(), Some(std::process::id()));
        drop(lock);
        assert!(other.join().unwrap());
    }

    #[test]
    fn who_waits_can_be_interrupted() {
        let (_folder, cache) = cache();
        let interrupt = Interrupt::default();
        let _lock = cache.lock(&interrupt, &|_| {}).unwrap();
        let waited = cache.lock(&interrupt, &|_| interrupt.set());
        assert!(matches!(waited, Err(CacheError::Interrupted)));
    }

    #[test]
    fn what_is_forgotten_leaves_the_lock() {
        let (_folder, cache) = cache();
        let lock = cache.lock(&Interrupt::default(), &|_| {}).unwrap();
        cache.store_trace(&key("a"), &trace()).unwrap();
        cache.clear(&lock).unwrap();
        let mut left = fs::read_dir(cache.folder()).unwrap();
        assert_eq!(left.next().unwrap().unwrap().file_name(), LOCK);
        assert!(left.next().is_none());
    }
}
