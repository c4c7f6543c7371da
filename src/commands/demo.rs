//! `demo`: the built-in sample projects, carved before your eyes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use harness::cache::Cache;
use harness::environment::EnvironmentError;
use harness::session::SessionError;
use harness::task_dir::TaskDirError;
use serde::Serialize;

use super::App;
use super::extract::{self, Extracted};
use super::show::{self, Shown};
use crate::answer::Answer;
use crate::cli::{DemoArgs, ExtractArgs, FeatureArgs, ProjectArgs, RuleArgs, SuiteArgs};
use crate::demo_sample::{SAMPLES, Sample};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// What was carved, sample by sample.
#[derive(Serialize)]
struct Demonstration {
    samples: Vec<Demonstrated>,
    left_out: Vec<LeftOut>,
}

#[derive(Serialize)]
struct Demonstrated {
    project: PathBuf,
    feature: Shown,
    #[serde(flatten)]
    extracted: Extracted,
}

/// A sample that needs what this machine does not have.
#[derive(Serialize)]
struct LeftOut {
    project: PathBuf,
    reason: String,
}

pub fn run(app: &App, args: &DemoArgs) -> Result<ExitStatus, Failure> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => Cache::locate()
            .map_err(SessionError::from)?
            .folder()
            .join("demo"),
    };
    let mut demonstration = Demonstration {
        samples: Vec::new(),
        left_out: Vec::new(),
    };
    let mut missing = None;
    for sample in SAMPLES {
        let project = folder.join(sample.name);
        match demonstrate(app, sample, project.clone(), &folder) {
            Ok(carved) => demonstration.samples.push(carved),
            Err(failure) if lacks_toolchain(&failure) => {
                let reason = failure.error.to_string();
                demonstration.left_out.push(LeftOut { project, reason });
                missing.get_or_insert(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    match missing {
        Some(failure) if demonstration.samples.is_empty() => Err(failure),
        _ => {
            app.print(&demonstration)?;
            Ok(ExitStatus::Success)
        }
    }
}

fn lacks_toolchain(failure: &Failure) -> bool {
    matches!(
        failure.error.downcast_ref(),
        Some(SessionError::Environment(
            EnvironmentError::NoRuntime { .. }
        ))
    )
}

fn demonstrate(
    app: &App,
    sample: &Sample,
    project: PathBuf,
    folder: &Path,
) -> Result<Demonstrated, Failure> {
    write_sample(sample, &project).map_err(|source| TaskDirError::Unwritable {
        path: folder.to_owned(),
        source,
    })?;
    let args = arguments(sample, &project, folder);
    let feature = show::shown(&app.study_of(&args.feature)?, &args.feature)?;
    Ok(Demonstrated {
        feature,
        extracted: extract::extract(app, &args)?,
        project,
    })
}

/// Puts a sample into a folder; what is there already is only completed.
fn write_sample(sample: &Sample, project: &Path) -> io::Result<()> {
    for (path, bytes) in sample.files {
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

fn arguments(sample: &Sample, project: &Path, out: &Path) -> ExtractArgs {
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
            target: vec![sample.target.to_owned()],
        },
        removal: None,
        repeat: 1,
        out: out.join("tasks"),
    }
}

impl Answer for Demonstration {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        for sample in &self.samples {
            let project = sample.project.display();
            writeln!(out, "The sample project lies in {project}.\n")?;
            sample.feature.write_human(out)?;
            writeln!(out)?;
            sample.extracted.write_human(out)?;
            writeln!(out)?;
        }
        for LeftOut { project, reason } in &self.left_out {
            writeln!(out, "Left out: {}: {reason}\n", project.display())?;
        }
        Ok(())
    }
}
