//! Failures: every error a command can end with, with the exit status it means.

use harness::carve::CarveError;
use harness::session::SessionError;
use harness::study::StudyError;
use harness::task_dir::TaskDirError;
use serde::Serialize;

use crate::exit_status::ExitStatus;

/// The version of [`Document`].
const DOCUMENT_VERSION: u32 = 1;

/// Why a command ended without its answer.
#[derive(Debug)]
pub struct Failure {
    /// The exit status.
    pub status: ExitStatus,
    /// What, why, and what to do next.
    pub error: anyhow::Error,
}

impl Failure {
    /// A failure with its status.
    pub fn new(status: ExitStatus, error: impl Into<anyhow::Error>) -> Self {
        Self {
            status,
            error: error.into(),
        }
    }

    /// A command that cannot be carried out as given.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::new(ExitStatus::Usage, anyhow::anyhow!("{message}"))
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let status = match &error {
            SessionError::Interrupted => ExitStatus::Interrupted,
            SessionError::Project(_) | SessionError::Config(_) => ExitStatus::Usage,
            _ => ExitStatus::Environment,
        };
        Self::new(status, error)
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Session(error) => error.into(),
            StudyError::NoMatch(_)
            | StudyError::NoSuite(_)
            | StudyError::NoSymbol(_)
            | StudyError::Contradiction(_) => Self::new(ExitStatus::Usage, error),
            StudyError::TargetFails { .. }
            | StudyError::NotCollected { .. }
            | StudyError::NoTests { .. }
            | StudyError::NonePasses { .. } => Self::new(ExitStatus::Baseline, error),
        }
    }
}

impl From<CarveError> for Failure {
    fn from(error: CarveError) -> Self {
        match error {
            CarveError::Study(error) => error.into(),
            CarveError::Session(error) => error.into(),
            CarveError::Inconsistent(_) => Self::new(ExitStatus::Internal, error),
            _ => Self::new(ExitStatus::Refused, error),
        }
    }
}

impl From<TaskDirError> for Failure {
    fn from(error: TaskDirError) -> Self {
        let status = match error.is_disk_full() {
            true => ExitStatus::Environment,
            false => ExitStatus::Usage,
        };
        Self::new(status, error)
    }
}

/// A failure as the document that a script reads.
#[derive(Serialize)]
pub struct Document {
    version: u32,
    error: Described,
}

#[derive(Serialize)]
struct Described {
    kind: &'static str,
    code: u8,
    message: String,
    help: &'static str,
}

impl Document {
    /// Describes an end without an answer.
    pub fn new(status: ExitStatus, message: String) -> Self {
        Self {
            version: DOCUMENT_VERSION,
            error: Described {
                kind: status.word(),
                code: status.code(),
                message,
                help: status.help(),
            },
        }
    }
}
