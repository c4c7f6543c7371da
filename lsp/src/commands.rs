//! The commands: what a person asks for by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_server::{ErrorCode, Request, RequestId, Response};
use serde_json::Value;

use crate::active::ActiveFeature;
use crate::curator::Question;
use crate::folder::Folder;
use crate::handlers;
use crate::jobs::{Job, Order};
use crate::preview::{self, Preview};
use crate::progress;
use crate::server::Server;

/// Why nothing can be done in an empty workspace.
const NO_FOLDER: &str = "the workspace has no folder; open one";

impl Server {
    /// Carries out a command, or starts to.
    pub fn execute(&mut self, request: Request) {
        let command = request.params["command"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let arguments = match request.params["arguments"].as_array() {
            Some(arguments) => arguments.clone(),
            None => Vec::new(),
        };
        let first =
            |arguments: &[Value]| arguments.first().and_then(Value::as_str).map(str::to_owned);
        match command.as_str() {
            "lacuna.setTarget" => {
                let listed = arguments.first().and_then(Value::as_array);
                let targets = listed.unwrap_or(&arguments).iter();
                let targets: Vec<String> = targets
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect();
                match targets.as_slice() {
                    [] => self.deactivate(),
                    targets => self.activate(targets),
                }
                self.send(Response::new_ok(request.id, Value::Null).into());
            }
            "lacuna.preview" => {
                self.show_starting_tree();
                self.answer_as("lacuna/preview", request.id, Value::Null);
            }
            "lacuna.showChain" => {
                let params = arguments.first().cloned().unwrap_or(Value::Null);
                if let Some(words) = self.chain_in_words(&params) {
                    self.show(&words);
                }
                self.answer_as("lacuna/showChain", request.id, params);
            }
            "lacuna.trace" => self.start_job(request, Job::Trace(first(&arguments))),
            "lacuna.extract" => {
                let targets = match first(&arguments) {
                    Some(target) => vec![target],
                    None => self.active_target(),
                };
                self.start_job(request, Job::Extract(targets));
            }
            "lacuna.check" => {
                let task = first(&arguments).unwrap_or_default();
                self.start_job(request, Job::Check(PathBuf::from(task)));
            }
            _ => {
                let message = format!("there is no command {command:?}");
                let code = ErrorCode::InvalidParams as i32;
                self.send(Response::new_err(request.id, code, message).into());
            }
        }
    }

    /// Makes the feature of a target the active one: that of one folder at a time.
    fn activate(&mut self, target: &[String]) {
        let root = self.root_of(target.first().map(String::as_str));
        let target: Vec<String> = target.iter().map(|it| self.in_folder(it)).collect();
        if root.is_none() {
            return self.tell_feature(Err(NO_FOLDER));
        }
        let mut folders = self.folders.iter();
        let home = folders.find(|folder| Some(&folder.root) == root.as_ref());
        self.home = home.map(|folder| folder.written.clone());
        for folder in &self.folders {
            let question = match self.home.as_ref() == Some(&folder.written) {
                true => Question::Activate(target.clone()),
                false => Question::Deactivate,
            };
            if let Some(curator) = self.curators.get(&folder.written) {
                curator.ask(question);
            }
        }
    }

    /// Lets no feature be the active one.
    fn deactivate(&mut self) {
        self.home = None;
        self.ask_curators(|| Question::Deactivate);
        self.folders
            .iter_mut()
            .for_each(|folder| folder.known().active = None);
        self.tell_feature(Ok(&[]));
    }

    /// Answers a command as the request of our own that it stands for.
    fn answer_as(&mut self, method: &str, id: RequestId, params: Value) {
        let method = method.to_owned();
        self.answer(Request { id, method, params }, 0);
    }

    /// What a person sees of a chain without an extension of their editor.
    fn chain_in_words(&mut self, params: &Value) -> Option<String> {
        let (_, active) = self.active()?;
        handlers::feature::chain_in_words(&active, params)
    }

    /// What a person sees of the starting tree without an extension of their editor.
    fn show_starting_tree(&mut self) {
        let Some((at, active)) = self.active() else {
            return;
        };
        let Some(folder) = self.folders.get(at) else {
            return;
        };
        let changed = preview::changed(&folder.snapshot(self.client.encoding), &active);
        if !changed.is_empty() {
            self.warn(&format!(
                "the starting tree is made of the text that the tests were run with, and since then {} changed; \
                 `lacuna.trace` runs them anew",
                changed.join(", ")
            ));
        }
        match self.client.preview {
            Preview::Edit { deletes } => {
                let version = |path: &str| folder.document(path).map(|it| it.version);
                let snapshot = folder.snapshot(self.client.encoding);
                let edit = preview::edit(&snapshot, &active, deletes, &version);
                self.ask("workspace/applyEdit", edit);
            }
            Preview::Document => match preview::document(&folder.root, &active) {
                Ok(document) => self.ask("window/showDocument", document),
                Err(reason) => self.show(&format!("{}; {reason}", preview::words(&active))),
            },
            Preview::Message => self.show(&preview::words(&active)),
        }
    }

    /// The active feature and the place of its folder among all.
    fn active(&mut self) -> Option<(usize, Arc<ActiveFeature>)> {
        let mut folders = self.folders.iter_mut().enumerate();
        folders.find_map(|(at, folder)| Some((at, folder.known().active.clone()?)))
    }

    fn active_target(&mut self) -> Vec<String> {
        let active = self.active();
        active.map_or_else(Vec::new, |(_, active)| active.target.clone())
    }

    /// A target as the tests of its folder know it: what is written as an absolute path becomes relative.
    fn in_folder(&self, target: &str) -> String {
        let (path, test) = target.split_at(target.find("::").unwrap_or(target.len()));
        let path = Path::new(path);
        let found = self.folder_of(path).filter(|_| path.is_absolute());
        found.map_or_else(|| target.to_owned(), |(_, path)| path + test)
    }

    /// The innermost folder that a path lies in, and the path in it.
    fn folder_of(&self, path: &Path) -> Option<(&Folder, String)> {
        let holding = |folder: &'_ Folder| folder.relative(path);
        let holding = self
            .folders
            .iter()
            .filter_map(|it| Some((it, holding(it)?)));
        holding.min_by_key(|(_, relative)| relative.len())
    }

    /// The folder that a job is about.
    fn root_for(&mut self, job: &Job) -> Option<PathBuf> {
        let target = match job {
            Job::Extract(targets) => targets.first().map(String::as_str),
            Job::Trace(part) => part.as_deref(),
            Job::Check(task) => task.to_str(),
        };
        self.root_of(target)
    }

    /// The folder of a target, else that of the active feature, else the first.
    fn root_of(&mut self, target: Option<&str>) -> Option<PathBuf> {
        let path = target.and_then(|target| target.split("::").next());
        let path = path.filter(|path| !path.is_empty()).map(Path::new);
        let mut folders = self.folders.iter();
        let of_target = path.and_then(|path| match path.is_absolute() {
            true => self.folder_of(path).map(|(folder, _)| folder),
            false => folders.find(|folder| folder.root.join(path).exists()),
        });
        let of_target = of_target.map(|folder| folder.root.clone());
        let mut folders = self.folders.iter_mut();
        let active = folders.find_map(|it| it.known().active.is_some().then(|| it.root.clone()));
        let first = || self.folders.first().map(|folder| folder.root.clone());
        of_target.or(active).or_else(first)
    }

    fn start_job(&mut self, request: Request, job: Job) {
        let Some(root) = self.root_for(&job) else {
            let code = ErrorCode::RequestFailed as i32;
            return self.send(Response::new_err(request.id, code, NO_FOLDER.to_owned()).into());
        };
        let job = match job {
            Job::Extract(targets) => {
                Job::Extract(targets.iter().map(|it| self.in_folder(it)).collect())
            }
            Job::Trace(part) => Job::Trace(part.map(|it| self.in_folder(&it))),
            Job::Check(task) => Job::Check(task),
        };
        let given = request.params["workDoneToken"].clone();
        let token = match given {
            Value::Null => self.begin(job.title(), true),
            token => {
                let begun = progress::begin(&token, job.title(), true);
                self.send(begun);
                Some(token)
            }
        };
        let order = Order {
            job,
            root,
            settings: self.settings.clone(),
            token,
            request: request.id,
        };
        self.jobs.start(order, self.tasks.0.clone());
    }
}
