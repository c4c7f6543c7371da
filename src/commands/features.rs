//! `features`: for every test file, what could be removed against how many tests would be kept.

use std::io::{self, Write};

use harness::carve::draft::Premises;
use harness::overview::{self, Row};
use serde::Serialize;

use super::{App, feature_options, min_lines};
use crate::answer::{Answer, table};
use crate::cli::FeaturesArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

#[derive(Serialize)]
struct Features {
    max_collateral: f64,
    min_lines: usize,
    features: Vec<Row>,
}

pub fn run(app: &App, args: &FeaturesArgs) -> Result<ExitStatus, Failure> {
    let suite = &args.suite;
    let of_languages = app.in_languages(&suite.project.path, &suite.suite, |language| {
        let (session, study) = app.study(suite, language)?;
        study.require_baseline()?;
        let options = study.known(feature_options(&session, &args.rule))?;
        let max_collateral = options.max_collateral;
        let premises = Premises::new(options, session.config().feature.removal);
        let min_lines = min_lines(&session, &args.rule);
        Ok(Features {
            max_collateral,
            min_lines,
            features: overview::rows(&study, &premises, min_lines),
        })
    })?;
    app.print(&Features::of_several(of_languages))?;
    Ok(ExitStatus::Success)
}

impl Features {
    /// One table, in the order of paths.
    fn of_several(languages: Vec<Self>) -> Self {
        let mut whole = Self {
            max_collateral: languages.first().map_or(0.0, |one| one.max_collateral),
            min_lines: languages.first().map_or(0, |one| one.min_lines),
            features: languages.into_iter().flat_map(|one| one.features).collect(),
        };
        whole
            .features
            .sort_by(|one, other| one.target.cmp(&other.target));
        whole
    }
}

impl Answer for Features {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        let header = [
            "target",
            "tests",
            "top",
            "symbols",
            "files",
            "lines",
            "collateral",
            "kept",
            "offer",
        ];
        let cells = |row: &Row| {
            let numbers = [
                row.tests,
                row.size.top,
                row.size.symbols,
                row.size.files,
                row.size.lines,
                row.collateral,
                row.kept,
            ];
            std::iter::once(row.target.clone())
                .chain(numbers.iter().map(ToString::to_string))
                .chain([row.offer.word().to_owned()])
                .collect()
        };
        let rows: Vec<Vec<String>> = self.features.iter().map(cells).collect();
        table(out, &header, &rows)
    }
}
