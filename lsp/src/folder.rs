//! One folder of the workspace: its files in the database, what the editor has open of them, and what is
//! known of its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analyzer::{AnalysisHost, Change, is_input};
use harness::project::{FileKind, Project};

use crate::active::ActiveFeature;
use crate::knowledge::{Knowledge, Offers};
use crate::notifications::CONFIGURATION;
use crate::snapshot::Snapshot;
use crate::text::Encoding;

/// Files by path relative to the folder, with their bytes; `None` where one is gone.
pub type Files = Vec<(String, Option<Arc<[u8]>>)>;

/// A folder of the workspace.
pub struct Folder {
    /// Its path, without links.
    pub root: PathBuf,
    /// The path as the client writes it.
    pub written: PathBuf,
    host: AnalysisHost,
    /// What the editor has open, by path: it outweighs what the disk has.
    open: BTreeMap<String, Document>,
    known: Known,
}

/// A text that is open in the editor.
pub struct Document {
    /// The client's number of this state.
    pub version: i32,
    /// The text.
    pub text: String,
    /// Whether the folder had the file before.
    was_known: bool,
}

/// What is known beside the files.
#[derive(Clone, Default)]
pub struct Known {
    /// Of each language, what its last recorded run tells.
    pub knowledge: Vec<Arc<Knowledge>>,
    /// What test files offer.
    pub offers: Arc<Offers>,
    /// The active feature.
    pub active: Option<Arc<ActiveFeature>>,
}

impl Folder {
    /// A folder of which nothing has been read.
    pub fn new(written: PathBuf) -> Self {
        Self {
            root: written.canonicalize().unwrap_or_else(|_| written.clone()),
            written,
            host: AnalysisHost::new(),
            open: BTreeMap::new(),
            known: Known::default(),
        }
    }

    /// The path of a file relative to the folder, with `/`; `None` if it lies elsewhere.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let inside = inside(path, [&self.written, &self.root])?;
        let is_plain = |part| matches!(part, std::path::Component::Normal(_));
        let is_file = inside.components().next().is_some() && inside.components().all(is_plain);
        inside.to_str().filter(|_| is_file).map(str::to_owned)
    }

    /// Takes in what the disk has of some paths: nothing of one that is gone or no file of the project.
    pub fn look_at(&mut self, paths: Vec<String>) {
        let analysis = self.host.analysis();
        let closed = paths.into_iter();
        let closed = closed.filter(|path| !self.open.contains_key(path));
        let closed = closed.map(|path| {
            let is_known = analysis.source(&path).is_some();
            (path, is_known)
        });
        let closed: Vec<(String, bool)> = closed.collect();
        drop(analysis);
        let files = self.on_disk(closed);
        self.apply(files);
    }

    /// What the disk has of some paths, each with whether the folder had it before.
    fn on_disk(&self, paths: Vec<(String, bool)>) -> Files {
        let new = paths.iter().filter(|(_, is_known)| !is_known);
        let new = new.map(|(path, _)| Path::new(path));
        let project = Project::open(&self.root);
        let listed = project.map_or_else(|_| BTreeSet::new(), |project| project.listed(new));
        let read = |(path, is_known): (String, bool)| {
            let is_file = is_known || listed.contains(Path::new(&path));
            let bytes = is_file.then(|| plain_file(&self.root.join(&path)));
            (path, bytes.flatten())
        };
        paths.into_iter().map(read).collect()
    }

    /// Takes in files as the disk has them; what is open in the editor stays as it is there.
    pub fn read(&mut self, files: Files) {
        let closed = files.into_iter();
        let closed = closed.filter(|(path, _)| !self.open.contains_key(path));
        self.apply(closed.collect());
    }

    /// A folder is gone, and with it what is in it and not open in the editor.
    pub fn forget(&mut self, gone: &Path) {
        let known = self.host.analysis().inputs().into_iter();
        let is_inside = |path: &String| {
            let in_folder = |folder: &Path| folder.join(path).starts_with(gone);
            in_folder(&self.written) || in_folder(&self.root)
        };
        let inside = known.map(|(path, _)| path).filter(is_inside);
        let files = inside.map(|path| (path, None)).collect();
        self.read(files);
    }

    /// The editor has opened a file.
    pub fn open(&mut self, path: &str, version: i32, text: String) {
        let was_known = match self.open.get(path) {
            Some(document) => document.was_known,
            None => self.host.analysis().source(path).is_some(),
        };
        let document = Document {
            version,
            text,
            was_known,
        };
        self.open.insert(path.to_owned(), document);
        self.show(path);
        self.host.expect_edits(path);
    }

    /// The editor has changed a file: `change` is applied to its text.
    pub fn change(&mut self, path: &str, version: i32, change: impl FnOnce(&mut String)) {
        if let Some(document) = self.open.get_mut(path) {
            document.version = version;
            change(&mut document.text);
            self.show(path);
        }
    }

    /// The editor has closed a file: the disk counts again.
    pub fn close(&mut self, path: &str) {
        if let Some(document) = self.open.remove(path) {
            let files = self.on_disk(vec![(path.to_owned(), document.was_known)]);
            self.apply(files);
        }
    }

    /// The text of an open file.
    pub fn document(&self, path: &str) -> Option<&Document> {
        self.open.get(path)
    }

    /// The paths of all open files.
    pub fn open_paths(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    fn show(&mut self, path: &str) {
        let bytes = self.open.get(path).map(|document| document.text.as_bytes());
        let file = (path.to_owned(), bytes.map(Arc::from));
        self.apply(vec![file]);
    }

    fn apply(&mut self, files: Files) {
        self.host.apply(Change { files, trace: None });
    }

    /// Everything was asked for once: what only led to it is let go of now and not at the next edit.
    pub fn trim(&mut self) {
        self.host.trim();
    }

    /// What is known beside the files.
    pub fn known(&mut self) -> &mut Known {
        &mut self.known
    }

    /// What requests read.
    pub fn snapshot(&self, encoding: Encoding) -> Snapshot {
        let mut snapshot = Snapshot::new(self, self.host.analysis(), self.known.clone(), encoding);
        let configuration = self.open.get(CONFIGURATION);
        snapshot.configuration = configuration.map(|document| document.text.clone());
        snapshot
    }
}

/// A path in a folder that is written in several ways; `None` if it lies elsewhere.
pub fn inside<'p>(path: &'p Path, folder: [&Path; 2]) -> Option<&'p Path> {
    let mut ways = folder.into_iter();
    ways.find_map(|folder| path.strip_prefix(folder).ok())
}

/// The bytes of a plain file; what is none, or cannot be read, counts as gone.
fn plain_file(path: &Path) -> Option<Arc<[u8]>> {
    let is_plain = path.symlink_metadata().is_ok_and(|it| it.is_file());
    is_plain
        .then(|| fs::read(path).ok())
        .flatten()
        .map(Arc::from)
}

/// All files of a folder that the analysis reads, as the disk has them. What cannot be read is left out.
pub fn files_of(root: &Path) -> Files {
    let listing = Project::open(root).and_then(|project| project.files());
    let listing = listing.map(|listing| listing.files).unwrap_or_default();
    let plain = listing.into_iter();
    let plain =
        plain.filter(|(path, kind)| is_input(path) && matches!(kind, FileKind::File { .. }));
    let read = |(path, _)| {
        let bytes = plain_file(&root.join(&path))?;
        Some((path, Some(bytes)))
    };
    plain.filter_map(read).collect()
}
