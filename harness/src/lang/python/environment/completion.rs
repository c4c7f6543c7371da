//! The end of a preparation: dry runs of pytest show what is still missing.

use super::facts;
use super::missing::{self, Collected, Missing};
use super::preparation::{Known, Preparation, is_name};
use super::scripts::{self, Script};
use crate::environment::{Collection, EnvironmentError};
use crate::sandbox::TreeEdits;
use std::collections::BTreeSet;
use std::fs;

/// How often what is missing is looked for: each round can bring up the next import.
const ROUNDS: usize = 12;
/// Older runners, tried where the newest breaks the collection of tests written for another one.
const OLDER: [u32; 3] = [9, 8, 7];

impl Preparation<'_, '_> {
    /// Installs what a dry run of pytest lacks until it lacks nothing that can be had.
    pub(super) fn complete(&mut self, sources: &Known) -> Result<Collection, EnvironmentError> {
        let mut tried = BTreeSet::new();
        let mut collected = Collected::default();
        for _ in 0..ROUNDS {
            let missing;
            (collected, missing) = self.dry_run()?;
            let installed = self.describe()?.packages;
            let new = |one: &Missing| {
                !installed.contains_key(&one.distribution) && tried.insert(one.clone())
            };
            let missing: Vec<Missing> = missing.into_iter().filter(new).collect();
            if missing.is_empty() {
                break;
            }
            for one in missing {
                let line = known_line(sources, &one.distribution).unwrap_or(one.distribution);
                self.install_lines(&format!("missing {}: install {line}", one.what), &[line])?;
            }
        }
        self.settle_pytest(collected)
    }

    /// Looks for an older pytest where this one breaks the collection; without a better one it stays.
    fn settle_pytest(&mut self, first: Collected) -> Result<Collection, EnvironmentError> {
        let version = self
            .describe()?
            .packages
            .remove("pytest")
            .unwrap_or_default();
        let major: u32 = version
            .split('.')
            .next()
            .and_then(|major| major.parse().ok())
            .unwrap_or(0);
        let mut best = (first.collection(), format!("pytest=={version}"));
        let mut installed = best.1.clone();
        let blamed = first.blames_pytest();
        for bound in OLDER.into_iter().filter(|&bound| blamed && bound <= major) {
            if best.0.errors.is_empty() {
                break;
            }
            installed = format!("pytest<{bound}");
            let command = self.installer.install(&[&installed]);
            if self.steps.attempt("try an older pytest", &command)? {
                let collection = self.dry_run()?.0.collection();
                if collection.errors.len() < best.0.errors.len() && collection.tests >= best.0.tests
                {
                    best = (collection, installed.clone());
                }
            }
        }
        if installed != best.1 {
            self.steps
                .attempt("put pytest back", &self.installer.install(&[&best.1]))?;
        }
        Ok(best.0)
    }

    /// Lets pytest collect, and says what it found and what it lacked.
    pub(super) fn dry_run(&mut self) -> Result<(Collected, BTreeSet<Missing>), EnvironmentError> {
        let plugin = scripts::place(&self.tools, Script::Collect)?;
        let answer = self.job.sandbox.scratch()?.join("collect.json");
        let tests = &self.job.config.tests;
        let path = self
            .installer
            .variables
            .get("PYTHONPATH")
            .cloned()
            .flatten();
        let path = path.map(|path| format!(":{path}")).unwrap_or_default();
        let folder = plugin.parent().unwrap_or(&self.tools).display();
        let options = [
            "-m",
            "pytest",
            "--collect-only",
            "-qq",
            // Rewriting assertions takes longer than all the rest, and nothing is run here.
            "--assert=plain",
            "-p",
            "lacuna_collect",
        ];
        let command = self
            .installer
            .command(self.installer.python())
            .args(options);
        let command = command.args(&tests.arguments).args(&tests.paths);
        let command = command
            .env("PYTHONPATH", format!("{folder}{path}"))
            .env("LACUNA_COLLECT", &answer);
        self.steps.observe("collect the tests", &command)?;
        let own = facts::own_modules(&self.files);
        let collected = fs::read(&answer)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        let collected: Option<Collected> = collected;
        let found = match collected {
            Some(collected) => (collected.clone(), collected.missing(&own)),
            None => (
                Collected::broken(self.steps.last_log()),
                missing::missing_in_text(self.steps.last_log(), &own),
            ),
        };
        self.job.sandbox.materialise(&TreeEdits::default())?;
        Ok(found)
    }
}

/// A line for the distribution that the project itself has somewhere: it knows which version.
fn known_line(sources: &Known, distribution: &str) -> Option<String> {
    let mut lines = sources.iter().flat_map(|(_, lines)| lines);
    lines.find(|line| is_name(line, distribution)).cloned()
}
