//! What each test ran, compared with what LLVM's own tools say about a build of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use analyzer::trace::{TestResult, Trace};
use analyzer::{Analysis, AnalysisHost, Change};
use harness::runner::Selection;
use serde_json::Value;

use super::support::{codes, registered};

/// Tests to compare of each crate.
const SAMPLE: usize = 25;

#[test]
fn the_functions_of_a_test_are_those_that_llvm_cov_counts() {
    let Some(tools) = Tools::find() else {
        return;
    };
    for (name, version) in [("semver", "1.0.28"), ("strsim", "0.11.1")] {
        let Some(prepared) = registered(name, version).and_then(|place| place.prepare()) else {
            return;
        };
        let trace = prepared.run(&Selection::All, true).trace;
        let peer = Peer::build(&tools, prepared.sandbox.tree());
        let tests = trace.tests.iter().filter(|test| !test.contexts.is_empty());
        let tests: Vec<&TestResult> = tests.collect();
        assert!(tests.len() >= SAMPLE, "{name}: {}", tests.len());
        for test in tests.iter().step_by(tests.len() / SAMPLE).take(SAMPLE) {
            assert_eq!(ran(&trace, test), peer.ran(&test.id), "{}", test.id);
        }
    }
}

fn ran(trace: &Trace, test: &TestResult) -> BTreeSet<String> {
    let context = &trace.contexts[test.contexts[0] as usize];
    codes(trace, &context.edges).into_iter().collect()
}

/// The tools that belong to the compiler.
struct Tools(PathBuf);

impl Tools {
    fn find() -> Option<Self> {
        let mut asked = Command::new("rustc");
        let answer = asked.args(["--print", "target-libdir"]).output().ok();
        let answer = answer.and_then(|answer| String::from_utf8(answer.stdout).ok());
        let folder = answer.map(|path| Path::new(path.trim()).with_file_name("bin"));
        match folder.filter(|folder| folder.join("llvm-cov").exists()) {
            Some(folder) => Some(Self(folder)),
            None => fixtures::unavailable("the component llvm-tools of the Rust toolchain"),
        }
    }

    fn run(&self, name: &str, arguments: &[&Path]) -> Vec<u8> {
        let output = Command::new(self.0.join(name)).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        output.stdout
    }
}

/// The same crate, built with counters and run by us.
struct Peer<'t> {
    tools: &'t Tools,
    tree: PathBuf,
    folder: tempfile::TempDir,
    /// By target, as ids have it.
    programs: BTreeMap<String, PathBuf>,
    analysis: Analysis,
}

impl<'t> Peer<'t> {
    fn build(tools: &'t Tools, tree: &Path) -> Self {
        let tree = tree.canonicalize().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new("cargo")
            .args(["test", "--no-run", "--message-format=json"])
            .current_dir(&tree)
            .env("RUSTFLAGS", "-C instrument-coverage")
            .env("CARGO_TARGET_DIR", folder.path())
            .env("LLVM_PROFILE_FILE", folder.path().join("build-%p.profraw"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let messages = String::from_utf8(output.stdout).unwrap();
        let messages = messages
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let program = |message: Value| {
            let target = &message["target"];
            let name = match target["kind"][0].as_str()? {
                "test" => format!("tests/{}", target["name"].as_str()?),
                _ => "lib".to_owned(),
            };
            Some((name, PathBuf::from(message["executable"].as_str()?)))
        };
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: sources(&tree, &tree),
            trace: None,
        });
        Self {
            tools,
            programs: messages.filter_map(program).collect(),
            analysis: host.analysis(),
            tree,
            folder,
        }
    }

    /// The functions of the crate that a test runs and that do not run without any test.
    fn ran(&self, id: &str) -> BTreeSet<String> {
        let parts: Vec<&str> = id.splitn(3, "::").collect();
        let program = &self.programs[parts[1]];
        let (start, own) = (
            self.counted(program, "no test"),
            self.counted(program, parts[2]),
        );
        let own = own.into_iter();
        let own = own.filter(|(function, count)| start.get(function) != Some(count));
        own.map(|((_, path, line, column), _)| self.code(&path, line, column))
            .collect()
    }

    /// How often each function ran: by its name and place.
    fn counted(&self, program: &Path, test: &str) -> BTreeMap<(String, String, u32, u32), u64> {
        let raw = self.folder.path().join("one.profraw");
        let profile = self.folder.path().join("one.profdata");
        let status = Command::new(program)
            .args(["--exact", test])
            .current_dir(&self.tree)
            .env("LLVM_PROFILE_FILE", &raw)
            .output();
        assert!(status.unwrap().status.success(), "{test}");
        let [merge, sparse, output] = ["merge", "-sparse", "-o"].map(Path::new);
        self.tools
            .run("llvm-profdata", &[merge, sparse, &raw, output, &profile]);
        let option = format!("-instr-profile={}", profile.display());
        let export = [Path::new("export"), program, Path::new(&option)];
        let answer: Value = serde_json::from_slice(&self.tools.run("llvm-cov", &export)).unwrap();
        let functions = answer["data"][0]["functions"].as_array().unwrap();
        let counted = functions.iter().filter_map(|function| {
            let path = Path::new(function["filenames"][0].as_str()?);
            let path = path.strip_prefix(&self.tree).ok()?;
            let region = &function["regions"][0];
            let number = |index: usize| u32::try_from(region[index].as_u64()?).ok();
            let count = function["count"].as_u64().filter(|count| *count > 0)?;
            let name = function["name"].as_str()?.to_owned();
            let path = path.to_str()?.to_owned();
            Some(((name, path, number(0)?, number(1)?), count))
        });
        counted.collect()
    }

    /// The outermost function around a place, as traces write it.
    fn code(&self, path: &str, line: u32, column: u32) -> String {
        let source = self.analysis.source(path).unwrap();
        let lines = source.bytes().split_inclusive(|&byte| byte == b'\n');
        let before: usize = lines.take(line as usize - 1).map(<[u8]>::len).sum();
        let offset = before + column as usize - 1;
        let symbols = self.analysis.symbols(path);
        let around = symbols
            .iter()
            .filter(|symbol| symbol.kind.is_callable() && symbol.full.contains(&offset));
        match around.max_by_key(|symbol| symbol.full.len()) {
            Some(symbol) => format!("{path}:{} {}", symbol.line, symbol.id.name()),
            None => format!("{path}:{line} <macro>"),
        }
    }
}

fn sources(root: &Path, folder: &Path) -> Vec<(String, Option<Arc<[u8]>>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(root, &path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            found.push((name.to_owned(), Some(Arc::from(fs::read(&path).unwrap()))));
        }
    }
    found
}
