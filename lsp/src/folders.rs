//! The folders of the workspace: they come, are read, and go.

use std::path::{Path, PathBuf};

use crate::curator::{Curator, Question};
use crate::folder::{Folder, files_of};
use crate::server::{Server, Task};

impl Server {
    /// Takes in a folder of the workspace; its files are read by another thread.
    pub fn add_folder(&mut self, written: PathBuf) {
        if self.folders.iter().any(|folder| folder.written == written) {
            return;
        }
        let folder = Folder::new(written);
        let name = folder.written.clone();
        let answer = {
            let (tasks, name) = (self.tasks.0.clone(), name.clone());
            move |answer| drop(tasks.send(Task::Curated(name.clone(), answer)))
        };
        let curator = Curator::start(folder.root.clone(), answer);
        curator.ask(Question::Configure(self.settings.clone()));
        curator.ask(Question::Load);
        self.curators.insert(name, curator);
        self.folders.push(folder);
        self.read_files(self.folders.len() - 1);
    }

    /// Reads the files of a folder in another thread.
    fn read_files(&mut self, at: usize) {
        let Some(folder) = self.folders.get(at) else {
            return;
        };
        let (root, name) = (folder.root.clone(), folder.written.clone());
        let tasks = self.tasks.0.clone();
        let token = self.begin("Lacuna: indexing", false);
        self.pool.run(move || {
            let _ = tasks.send(Task::Read(name, files_of(&root), token));
        });
    }

    /// Takes in what is new below a path that is a folder.
    pub fn read_below(&mut self, path: &Path) {
        for at in 0..self.folders.len() {
            let folder = self.folders.get(at);
            if folder.is_some_and(|folder| path.starts_with(&folder.written)) {
                self.read_files(at);
            }
        }
    }

    /// Lets go of a folder.
    pub fn remove_folder(&mut self, written: &PathBuf) {
        self.folders.retain(|folder| folder.written != *written);
        self.curators.remove(written);
    }

    /// The folders that a path lies in, for one may lie in another, each with the path in it.
    pub fn holding(&mut self, path: &Path) -> impl Iterator<Item = (&mut Folder, String)> {
        self.folders.iter_mut().filter_map(|folder| {
            let relative = folder.relative(path)?;
            Some((folder, relative))
        })
    }
}
