//! The command line's arguments: one declaration for parsing, help and the documentation.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Carve features out of real repositories: proven, executable tasks for coding agents.
#[derive(Debug, Parser)]
#[command(name = "lacuna", version, propagate_version = true, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Settings of every command.
    #[command(flatten)]
    pub global: Global,
}

/// Settings of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// How to print the answer on standard output.
    #[arg(long, value_enum, default_value_t = Format::Human, global = true)]
    pub format: Format,
    /// Print no progress.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a person.
    Human,
    /// One JSON document.
    Json,
    /// A graph for Graphviz; of `show` only.
    Dot,
    /// A graph as one page for a browser; of `show` only.
    Html,
}

impl Format {
    /// Whether it shows a graph, which only a feature is.
    pub fn is_of_graph(self) -> bool {
        !matches!(self, Self::Human | Self::Json)
    }
}

/// Whether arguments that may be no command ask for JSON.
pub fn asks_for_json(arguments: impl IntoIterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = arguments.into_iter().collect();
    let split = words.windows(2).any(|pair| pair == ["--format", "json"]);
    split || words.iter().any(|word| word == "--format=json")
}

/// The exit codes, for the end of the help text.
const EXIT_CODES: &str = "\
Exit codes: 0 done · 1 the answer is no (no feature, or the task does not hold) · 2 bad arguments, \
path, target or configuration · 3 the environment could not be made, the tests could not be run, or the disk is full · \
4 the tests' result cannot serve as a baseline · 70 a fault of lacuna · 130 stopped by Ctrl-C";

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Carve a feature out of each built-in sample project and show every step
    #[command(after_help = "Example:\n  lacuna demo\n  lacuna demo --out ./demo-task")]
    Demo(DemoArgs),
    /// Say what was found in a project and whether its environment works
    #[command(after_help = "Example:\n  lacuna doctor ~/src/click")]
    Doctor(ProjectArgs),
    /// Make the isolated environment in which a project's tests run
    #[command(
        after_help = "Example:\n  lacuna prepare ~/src/click\n  lacuna prepare ~/src/click --fresh"
    )]
    Prepare(PrepareArgs),
    /// List a project's tests with their results
    #[command(
        after_help = "Example:\n  lacuna tests ~/src/click\n  lacuna tests ~/src/click --format json"
    )]
    Tests(SuiteArgs),
    /// Run the suite once, recording what each test executes
    #[command(
        after_help = "Example:\n  lacuna trace ~/src/click\n  lacuna trace ~/src/networkx --suite networkx/algorithms"
    )]
    Trace(SuiteArgs),
    /// For every test file: what could be removed, and how many tests would be kept
    #[command(after_help = "Example:\n  lacuna features ~/src/click")]
    Features(FeaturesArgs),
    /// Show a feature: its symbols with their roles, its sizes, its tests
    #[command(
        after_help = "Example:\n  lacuna show ~/src/click --target tests/test_formatting.py\n  lacuna show ~/src/click --target tests/test_formatting.py --format html > feature.html"
    )]
    Show(FeatureArgs),
    /// Show the shortest chain from a target test to a symbol
    #[command(
        override_usage = "lacuna why [OPTIONS] --target <TARGET> [PATH] <SYMBOL>",
        after_help = "Example:\n  lacuna why ~/src/click --target tests/test_formatting.py 'src/click/formatting.py::wrap_text'"
    )]
    Why(WhyArgs),
    /// Carve the feature out and write a validated task
    #[command(
        after_help = "Example:\n  lacuna extract ~/src/click --target tests/test_formatting.py\n  lacuna extract ~/src/click --target tests/test_types.py::test_range --out ./tasks"
    )]
    Extract(ExtractArgs),
    /// Validate a task directory again, from scratch
    #[command(
        after_help = "Example:\n  lacuna check lacuna.out/click-formatting-1a2b3c4d --project ~/src/click"
    )]
    Check(CheckArgs),
    /// Serve an editor: the language server on standard input and output
    #[command(after_help = "Example:\n  lacuna lsp")]
    Lsp(LspArgs),
}

/// Arguments of `lsp`.
#[derive(Debug, Args)]
pub struct LspArgs {
    /// What some clients say although there is no other way
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where to write the sample projects and the tasks [default: a folder in the cache]
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// A project.
#[derive(Clone, Debug, Args)]
pub struct ProjectArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    pub path: PathBuf,
}

/// Arguments of `prepare`.
#[derive(Debug, Args)]
pub struct PrepareArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Make the environment anew even if nothing changed
    #[arg(long)]
    pub fresh: bool,
}

/// A project and the part of its tests that counts.
#[derive(Clone, Debug, Args)]
pub struct SuiteArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Consider only the tests in these files or folders (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub suite: Vec<String>,
    /// Trace anew even if a trace of this tree exists
    #[arg(long)]
    pub fresh: bool,
}

/// How the feature is decided.
#[derive(Clone, Debug, Default, Args)]
pub struct RuleArgs {
    /// The share of the other tests (0 to 1) that may turn into fail-to-pass [default: 0.2]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_collateral: Option<f64>,
    /// The share of target tests among a symbol's tests from which it may be theirs without a name
    /// that says so [default: 0.5]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_share: Option<f64>,
    /// The same share for a symbol whose name or place speaks of the target [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_named_share: Option<f64>,
    /// The fewest lines that the removal must take out of the project's own code [default: 5]
    #[arg(long, value_name = "N")]
    pub min_lines: Option<usize>,
    /// A symbol that belongs to the feature whatever the measure says (may be repeated)
    #[arg(long, value_name = "SYMBOL")]
    pub include: Vec<String>,
    /// A symbol that stays, with all it contains (may be repeated)
    #[arg(long, value_name = "SYMBOL")]
    pub exclude: Vec<String>,
    /// A symbol that keeps its signature if it belongs to the feature (may be repeated)
    #[arg(long, value_name = "SYMBOL")]
    pub stub: Vec<String>,
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let share = number.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "not a number from 0 to 1".to_owned())
}

/// Arguments of `features`.
#[derive(Debug, Args)]
pub struct FeaturesArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    #[command(flatten)]
    pub rule: RuleArgs,
}

/// A target and how its feature is decided.
#[derive(Clone, Debug, Args)]
pub struct FeatureArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    #[command(flatten)]
    pub rule: RuleArgs,
    /// A test file or folder, a test class, or a test id (may be repeated)
    #[arg(long, value_name = "TARGET", required = true)]
    pub target: Vec<String>,
}

/// Arguments of `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    #[command(flatten)]
    feature: FeatureArgs,
    /// The symbol to explain: an id, or the end of one
    #[arg(required_unless_present = "path")]
    symbol: Option<String>,
}

impl WhyArgs {
    /// The feature and the symbol. A single word is the symbol, in the project of this folder.
    pub fn parts(&self) -> (FeatureArgs, String) {
        let mut feature = self.feature.clone();
        let symbol = self.symbol.clone().unwrap_or_else(|| {
            let path = &mut feature.suite.project.path;
            let word = std::mem::replace(path, PathBuf::from("."));
            word.to_string_lossy().into_owned()
        });
        (feature, symbol)
    }
}

/// Arguments of `extract`.
#[derive(Debug, Args)]
pub struct ExtractArgs {
    #[command(flatten)]
    pub feature: FeatureArgs,
    /// How symbols leave: deleted, stubbed, or deleted where nothing that stays refers to them
    #[arg(long, value_enum)]
    pub removal: Option<RemovalMode>,
    /// Run each state this often and exclude what is flaky
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
    /// The folder in which the task directory is made
    #[arg(long, default_value = "lacuna.out")]
    pub out: PathBuf,
}

/// How symbols leave the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RemovalMode {
    /// Delete where nothing that stays refers to the symbol, else stub.
    Auto,
    /// Delete; symbols that something refers to stay.
    Delete,
    /// Keep every signature and replace the bodies.
    Stub,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The task directory
    pub task: PathBuf,
    /// The project's folder [default: where the task was made, as its evidence says]
    #[arg(long)]
    pub project: Option<PathBuf>,
    /// Run each state this often
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::exit_status::ExitStatus;

    const README: &str = include_str!("../README.md");

    /// The first cells of the rows of a table that starts with this header.
    fn first_cells(header: &str) -> BTreeSet<String> {
        let rows = README
            .lines()
            .skip_while(|line| !line.starts_with(header))
            .skip(2);
        let cells = rows
            .take_while(|line| line.starts_with('|'))
            .filter_map(|line| line.split('|').nth(1));
        cells.map(|cell| cell.trim().to_owned()).collect()
    }

    /// The word after a start, in a cell such as `--repeat N` between backticks.
    fn named(cells: &BTreeSet<String>, start: &str) -> BTreeSet<String> {
        let words = cells.iter().filter_map(|cell| {
            let rest = cell.trim_matches('`').strip_prefix(start)?;
            rest.split_whitespace().next()
        });
        words.map(str::to_owned).collect()
    }

    #[test]
    fn the_folder_may_be_left_out_before_a_symbol() {
        let parts = |words: &str| {
            let words = format!("lacuna why --target t {words}");
            match Cli::try_parse_from(words.split(' ')).map(|cli| cli.command) {
                Ok(Command::Why(why)) => {
                    let (feature, symbol) = why.parts();
                    Some((feature.suite.project.path, symbol))
                }
                _ => None,
            }
        };
        let both = |path: &str| Some((PathBuf::from(path), "f".to_owned()));
        assert_eq!(parts("f"), both("."));
        assert_eq!(parts("shop f"), both("shop"));
        assert_eq!(parts("shop --quiet f"), both("shop"));
        assert_eq!(parts("--quiet"), None);
    }

    #[test]
    fn a_share_lies_between_0_and_1() {
        assert_eq!(share("0.25"), Ok(0.25));
        for wrong in ["1.5", "-1", "NaN", "much"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_page_lists_every_command_and_no_other() {
        let commands: BTreeSet<String> = Cli::command()
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        assert_eq!(named(&first_cells("| command |"), "lacuna "), commands);
    }

    #[test]
    fn the_page_lists_every_option_and_no_other() {
        let program = Cli::command();
        let all = std::iter::once(&program).chain(program.get_subcommands());
        let options: BTreeSet<String> = all
            .flat_map(|command| {
                command
                    .get_arguments()
                    .filter(|option| !option.is_hide_set())
                    .filter_map(|option| option.get_long())
            })
            .filter(|option| !matches!(*option, "help" | "version"))
            .map(str::to_owned)
            .collect();
        assert_eq!(named(&first_cells("| option |"), "--"), options);
    }

    #[test]
    fn the_help_of_every_command_ends_with_an_example() {
        for command in Cli::command().get_subcommands() {
            let after = command.get_after_help().map(ToString::to_string);
            let example = format!("Example:\n  lacuna {}", command.get_name());
            let shown = after.unwrap_or_default();
            assert!(
                shown.starts_with(&example),
                "{}: {shown}",
                command.get_name()
            );
        }
    }

    #[test]
    fn the_page_explains_every_exit_code() {
        for status in ExitStatus::ALL {
            let row = format!("| {} | {} |", status.code(), status.meaning());
            assert!(README.contains(&row), "README.md has no row {row}");
        }
        let rows = first_cells("| exit code |");
        assert_eq!(rows.len(), ExitStatus::ALL.len());
    }
}
