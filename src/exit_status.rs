//! Exit codes: what the program's end tells a script.

use std::process::ExitCode;

/// How a run of the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// The command did what was asked.
    Success,
    /// The command worked, and its answer is no: the target owns no feature, the task does not hold.
    Refused,
    /// The command cannot be carried out as given: bad arguments, paths, targets, configuration.
    Usage,
    /// The project's environment could not be made, or its tests could not be run.
    Environment,
    /// The tests ran, but their result cannot serve as a baseline.
    Baseline,
    /// A fault of this program.
    Internal,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl ExitStatus {
    /// Every status, in the order of the codes.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::Refused,
        Self::Usage,
        Self::Environment,
        Self::Baseline,
        Self::Internal,
        Self::Interrupted,
    ];

    /// The code the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Environment => 3,
            Self::Baseline => 4,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }

    /// The kind of error, for a script.
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Refused => "refused",
            Self::Usage => "usage",
            Self::Environment => "environment",
            Self::Baseline => "baseline",
            Self::Internal => "internal",
            Self::Interrupted => "interrupted",
        }
    }

    /// Where help is to be found.
    pub fn help(self) -> &'static str {
        match self {
            Self::Success => "nothing is wrong",
            Self::Refused => {
                "`lacuna features` lists what other targets offer, `lacuna show` and `lacuna why` how a feature is decided"
            }
            Self::Usage => {
                "`lacuna help COMMAND` shows the arguments; docs/configuration.md describes every key of lacuna.toml"
            }
            Self::Environment => {
                "`lacuna doctor` tells what was found, which step failed and what to try"
            }
            Self::Baseline => "`lacuna tests` lists the tests with their results",
            Self::Internal => "report the message, with the command and the project",
            Self::Interrupted => "run the command again; what was finished before is kept",
        }
    }

    /// What the code means, for the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "the command did what was asked",
            Self::Refused => {
                "the answer is no: the target owns no feature, or the task does not hold"
            }
            Self::Usage => "bad arguments, path, target or configuration",
            Self::Environment => {
                "the environment could not be made, the tests could not be run, or the disk is full"
            }
            Self::Baseline => "the tests ran, but their result cannot serve as a baseline",
            Self::Internal => "a fault of this program",
            Self::Interrupted => "stopped by Ctrl-C",
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
