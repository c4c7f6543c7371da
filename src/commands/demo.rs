//! `demo`: the built-in sample project, carved before your eyes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use harness::cache::Cache;
use harness::session::SessionError;
use harness::task_dir::TaskDirError;
use serde::Serialize;

use super::App;
use super::extract::{self, Extracted};
use super::show::{self, Shown};
use crate::answer::Answer;
use crate::cli::{DemoArgs, ExtractArgs, FeatureArgs, ProjectArgs, RuleArgs, SuiteArgs};
use crate::demo_sample::{TARGET, sample_files};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

#[derive(Serialize)]
struct Demonstration {
    project: PathBuf,
    feature: Shown,
    #[serde(flatten)]
    extracted: Extracted,
}

pub fn run(app: &App, args: &DemoArgs) -> Result<ExitStatus, Failure> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => Cache::locate()
            .map_err(SessionError::from)?
            .folder()
            .join("demo"),
    };
    let project = folder.join("recipes");
    write_sample(&project).map_err(|source| TaskDirError::Unwritable {
        path: folder.clone(),
        source,
    })?;
    let args = arguments(&project, &folder);
    let shown = {
        let (session, study) = app.study(&args.feature.suite)?;
        show::shown(&session, &study, &args.feature)?
    };
    let mut session = app.session(&project)?;
    let extracted = extract::extract(app, &mut session, &args)?;
    app.print(&Demonstration {
        project,
        feature: shown,
        extracted,
    })?;
    Ok(ExitStatus::Success)
}

/// Puts the sample project into a folder; what is there already is only completed.
fn write_sample(project: &Path) -> io::Result<()> {
    for (path, bytes) in sample_files() {
        let file = project.join(path);
        if fs::read(&file).ok().as_deref() == Some(*bytes) {
            continue;
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file, bytes)?;
    }
    Ok(())
}

fn arguments(project: &Path, out: &Path) -> ExtractArgs {
    ExtractArgs {
        feature: FeatureArgs {
            suite: SuiteArgs {
                project: ProjectArgs {
                    path: project.to_owned(),
                },
                suite: Vec::new(),
                fresh: false,
            },
            rule: RuleArgs::default(),
            target: vec![TARGET.to_owned()],
        },
        removal: None,
        repeat: 1,
        out: out.join("tasks"),
    }
}

impl Answer for Demonstration {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "The sample project lies in {}.\n",
            self.project.display()
        )?;
        self.feature.write_human(out)?;
        writeln!(out)?;
        self.extracted.write_human(out)
    }
}
