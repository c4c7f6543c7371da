//! The steps of an installation, recorded as they are done.

use super::EnvironmentError;
use crate::cache::require_room;
use crate::process::{Command, Ended, Finished, Launcher, Limits};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How many lines of a step's output are kept.
const LOG_LINES: usize = 40;

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What for, such as "install the dependencies".
    pub purpose: String,
    /// The command, as one would type it.
    pub command: String,
    /// What became of it.
    pub outcome: StepOutcome,
    /// How the command ended, such as "exit code 1".
    pub ended: String,
    /// Elapsed time in milliseconds.
    pub milliseconds: u64,
    /// The last lines it printed.
    pub log: String,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// It succeeded.
    Done,
    /// It failed, and work went on without it or with another try.
    Failed,
}

/// Runs steps and records them.
pub struct Steps<'a> {
    launcher: &'a Launcher,
    folder: &'a Path,
    limits: Limits,
    progress: &'a dyn Fn(&str),
    done: Vec<Step>,
}

impl<'a> Steps<'a> {
    /// No steps yet; each is run under these limits, and writes to this folder.
    pub fn new(
        launcher: &'a Launcher,
        folder: &'a Path,
        limits: Limits,
        progress: &'a dyn Fn(&str),
    ) -> Self {
        Self {
            launcher,
            folder,
            limits,
            progress,
            done: Vec::new(),
        }
    }

    /// Runs a step that may fail, and says whether it succeeded.
    pub fn attempt(&mut self, purpose: &str, command: &Command) -> Result<bool, EnvironmentError> {
        (self.progress)(purpose);
        let finished = self.launcher.run(command, &self.limits)?;
        if finished.ended == Ended::Interrupted {
            return Err(EnvironmentError::Interrupted);
        }
        if !finished.success() {
            require_room(self.folder)?;
        }
        self.done.push(step(purpose, command, &finished));
        Ok(finished.success())
    }

    /// Runs a step that says what is wrong by its exit code; it is done either way.
    pub fn observe(&mut self, purpose: &str, command: &Command) -> Result<(), EnvironmentError> {
        self.attempt(purpose, command)?;
        if let Some(step) = self.done.last_mut() {
            step.outcome = StepOutcome::Done;
        }
        Ok(())
    }

    /// Runs a step that must succeed.
    pub fn require(
        &mut self,
        purpose: &str,
        command: &Command,
        advice: &str,
    ) -> Result<(), EnvironmentError> {
        match self.attempt(purpose, command)? {
            true => Ok(()),
            false => Err(self.failure(advice)),
        }
    }

    /// The error for the last step.
    pub fn failure(&mut self, advice: &str) -> EnvironmentError {
        match self.done.pop() {
            Some(step) => EnvironmentError::Step {
                step: Box::new(step),
                advice: advice.to_owned(),
            },
            None => EnvironmentError::Interrupted,
        }
    }

    /// What the last step printed at its end.
    pub fn last_log(&self) -> &str {
        self.done.last().map_or("", |step| &step.log)
    }

    /// All steps in order.
    pub fn finish(self) -> Vec<Step> {
        self.done
    }
}

fn step(purpose: &str, command: &Command, finished: &Finished) -> Step {
    let streams = [&finished.stdout, &finished.stderr].map(|stream| stream.last_lines(LOG_LINES));
    Step {
        purpose: purpose.to_owned(),
        command: command.to_string(),
        outcome: if finished.success() {
            StepOutcome::Done
        } else {
            StepOutcome::Failed
        },
        ended: finished.ended.to_string(),
        milliseconds: u64::try_from(finished.wall.as_millis()).unwrap_or(u64::MAX),
        log: streams.join("\n").trim().to_owned(),
    }
}
