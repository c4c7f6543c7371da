//! Failures: every error a command can end with, with the exit status it means.

use harness::carve::CarveError;
use harness::session::SessionError;
use harness::study::StudyError;

use crate::exit_status::ExitStatus;

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
            StudyError::NoMatch(_) | StudyError::NoSuite(_) | StudyError::NoSymbol(_) => {
                Self::new(ExitStatus::Usage, error)
            }
            StudyError::TargetFails { .. }
            | StudyError::NotCollected { .. }
            | StudyError::NoTests { .. } => Self::new(ExitStatus::Baseline, error),
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

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(ExitStatus::Environment, error)
    }
}

impl From<harness::task_dir::TaskDirError> for Failure {
    fn from(error: harness::task_dir::TaskDirError) -> Self {
        Self::new(ExitStatus::Usage, error)
    }
}
