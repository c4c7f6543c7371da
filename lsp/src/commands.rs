//! The commands: what a person asks for by name.

use std::path::PathBuf;

use lsp_server::{ErrorCode, Request, Response};
use serde_json::{Value, json};

use crate::curator::Question;
use crate::folder::Folder;
use crate::handlers;
use crate::jobs::{Job, Order};
use crate::progress;
use crate::server::Server;

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
                self.ask_curators(|| Question::Activate(targets.clone()));
                self.send(Response::new_ok(request.id, Value::Null).into());
            }
            "lacuna.preview" | "lacuna.showChain" => {
                let method = command.replace("lacuna.", "lacuna/");
                let params = arguments.first().cloned().unwrap_or(Value::Null);
                if let Some(words) = self.chain_in_words(&command, &params) {
                    self.show(&words);
                }
                self.answer(
                    Request {
                        id: request.id,
                        method,
                        params,
                    },
                    0,
                );
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

    /// What a person sees of a chain without an extension of their editor.
    fn chain_in_words(&mut self, command: &str, params: &Value) -> Option<String> {
        let mut folders = self
            .folders
            .iter_mut()
            .filter(|_| command == "lacuna.showChain");
        let active = folders.find_map(|folder| folder.known().active.clone())?;
        handlers::feature::chain_in_words(&active, params)
    }

    fn active_target(&mut self) -> Vec<String> {
        let mut active = self.folders.iter_mut();
        let active = active.find_map(|folder| folder.known().active.clone());
        active.map_or_else(Vec::new, |active| active.target.clone())
    }

    /// The folder that a job is about: that of its target, of the active feature, or the first.
    fn root_for(&mut self, job: &Job) -> Option<PathBuf> {
        let target = match job {
            Job::Extract(targets) => targets.first(),
            Job::Trace(part) => part.as_ref(),
            Job::Check(_) => None,
        };
        let path = target.and_then(|target| target.split("::").next());
        let is_there =
            |folder: &&mut Folder| path.is_some_and(|path| folder.root.join(path).exists());
        let of_target = self.folders.iter_mut().find(is_there);
        let of_target = of_target.map(|folder| folder.root.clone());
        let mut folders = self.folders.iter_mut();
        let active = folders.find_map(|it| it.known().active.is_some().then(|| it.root.clone()));
        let first = || self.folders.first().map(|folder| folder.root.clone());
        of_target.or(active).or_else(first)
    }

    fn start_job(&mut self, request: Request, job: Job) {
        let Some(root) = self.root_for(&job) else {
            let message = "the workspace has no folder".to_owned();
            let code = ErrorCode::RequestFailed as i32;
            return self.send(Response::new_err(request.id, code, message).into());
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
        let token = token.unwrap_or_else(|| {
            self.next += 1;
            json!(format!("lacuna-silent-{}", self.next))
        });
        let order = Order {
            job,
            root,
            settings: self.settings.clone(),
            token,
            shows: self.client.shows_progress,
            request: request.id,
        };
        self.jobs.start(order, self.tasks.0.clone());
    }
}
