//! What a dry run of pytest lacks, and which distribution would bring it.

use super::sources::normal;
use crate::environment::Collection;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the plugin `lacuna_collect` writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Collected {
    tests: usize,
    errors: BTreeMap<String, String>,
    modules: Vec<String>,
    fixtures: Vec<String>,
    markers: Vec<String>,
}

/// One thing that is missing and what would bring it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Missing {
    /// For a person, such as "module `yaml`".
    pub(super) what: String,
    /// Normal name of a distribution.
    pub(super) distribution: String,
}

/// Modules whose distribution has another name.
const MODULES: &[(&str, &str)] = &[
    ("attr", "attrs"),
    ("bs4", "beautifulsoup4"),
    ("bson", "pymongo"),
    ("Crypto", "pycryptodome"),
    ("cv2", "opencv-python-headless"),
    ("dateutil", "python-dateutil"),
    ("distutils", "setuptools"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("fitz", "pymupdf"),
    ("git", "gitpython"),
    ("github", "pygithub"),
    ("google.protobuf", "protobuf"),
    ("jose", "python-jose"),
    ("jwt", "pyjwt"),
    ("magic", "python-magic"),
    ("MySQLdb", "mysqlclient"),
    ("nacl", "pynacl"),
    ("OpenSSL", "pyopenssl"),
    ("PIL", "pillow"),
    ("pkg_resources", "setuptools<81"),
    ("psycopg2", "psycopg2-binary"),
    ("pytest_asyncio", "pytest-asyncio"),
    ("pytest_mock", "pytest-mock"),
    ("ruamel", "ruamel-yaml"),
    ("serial", "pyserial"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("socks", "pysocks"),
    ("usb", "pyusb"),
    ("websocket", "websocket-client"),
    ("yaml", "pyyaml"),
    ("zmq", "pyzmq"),
    ("zope", "zope-interface"),
];

/// Fixtures that plugins define.
const FIXTURES: &[(&str, &str)] = &[
    ("aiohttp_client", "pytest-aiohttp"),
    ("anyio_backend", "anyio"),
    ("benchmark", "pytest-benchmark"),
    ("cov", "pytest-cov"),
    ("data_regression", "pytest-regressions"),
    ("datadir", "pytest-datadir"),
    ("event_loop", "pytest-asyncio"),
    ("faker", "faker"),
    ("file_regression", "pytest-regressions"),
    ("freezer", "pytest-freezer"),
    ("fs", "pyfakefs"),
    ("httpbin", "pytest-httpbin"),
    ("httpbin_secure", "pytest-httpbin"),
    ("httpserver", "pytest-httpserver"),
    ("httpx_mock", "pytest-httpx"),
    ("mocker", "pytest-mock"),
    ("qtbot", "pytest-qt"),
    ("requests_mock", "requests-mock"),
    ("script_runner", "pytest-console-scripts"),
    ("shared_datadir", "pytest-datadir"),
    ("snapshot", "syrupy"),
    ("subtests", "pytest-subtests"),
    ("xprocess", "pytest-xprocess"),
];

/// Marks without whose plugin tests are skipped or fail.
const MARKERS: &[(&str, &str)] = &[
    ("asyncio", "pytest-asyncio"),
    ("django_db", "pytest-django"),
    ("trio", "pytest-trio"),
];

/// Starts of command line options that plugins define.
const OPTIONS: &[(&str, &str)] = &[
    ("--asyncio", "pytest-asyncio"),
    ("--benchmark", "pytest-benchmark"),
    ("--black", "pytest-black"),
    ("--cov", "pytest-cov"),
    ("--disable-socket", "pytest-socket"),
    ("--allow-", "pytest-socket"),
    ("--dist", "pytest-xdist"),
    ("--doctest-", "pytest-doctestplus"),
    ("--flake8", "pytest-flake8"),
    ("--forked", "pytest-forked"),
    ("--html", "pytest-html"),
    ("--hypothesis", "hypothesis"),
    ("--isort", "pytest-isort"),
    ("--mpl", "pytest-mpl"),
    ("--mypy", "pytest-mypy"),
    ("-n", "pytest-xdist"),
    ("--numprocesses", "pytest-xdist"),
    ("--random-order", "pytest-random-order"),
    ("--randomly", "pytest-randomly"),
    ("--reruns", "pytest-rerunfailures"),
    ("--ruff", "pytest-ruff"),
    ("--timeout", "pytest-timeout"),
    ("--typeguard", "typeguard"),
];

impl Collected {
    /// A pytest that broke before it collected anything.
    pub(super) fn broken(log: &str) -> Self {
        let errors = BTreeMap::from([("pytest".to_owned(), log.to_owned())]);
        Self {
            errors,
            ..Self::default()
        }
    }

    /// What is missing. Modules in `own` are the project's: no package index can bring them.
    pub(super) fn missing(&self, own: &BTreeSet<&str>) -> BTreeSet<Missing> {
        let modules = self
            .modules
            .iter()
            .filter_map(|module| missing_module(module, own));
        let named = |kind: &'static str, names: &[String], table: &'static [(&str, &str)]| {
            let found = names
                .iter()
                .filter_map(|name| Some((name, lookup(table, name)?)));
            found
                .map(|(name, to)| missing(kind, name, to))
                .collect::<Vec<_>>()
        };
        let fixtures = named("fixture", &self.fixtures, FIXTURES);
        let markers = named("plugin for the mark", &self.markers, MARKERS);
        modules.chain(fixtures).chain(markers).collect()
    }

    /// Whether an error speaks of the runner itself: its version may not suit the tests.
    pub(super) fn blames_pytest(&self) -> bool {
        self.errors
            .values()
            .any(|error| error.contains("_pytest") || error.contains("Pytest"))
    }

    /// For the record.
    pub(super) fn collection(&self) -> Collection {
        let unknown = |name: &String| format!("no fixture is called `{name}`");
        Collection {
            tests: self.tests,
            errors: self.errors.clone(),
            complaints: self.fixtures.iter().map(unknown).collect(),
        }
    }
}

/// What is missing according to the text of a pytest that broke before it collected anything.
pub(super) fn missing_in_text(text: &str, own: &BTreeSet<&str>) -> BTreeSet<Missing> {
    text.lines()
        .flat_map(|line| missing_in_line(line, own))
        .collect()
}

fn missing_in_line(line: &str, own: &BTreeSet<&str>) -> Vec<Missing> {
    if let Some((_, options)) = line.split_once("unrecognized arguments: ") {
        let options = options
            .split_ascii_whitespace()
            .filter(|word| word.starts_with('-'));
        let known = options.filter_map(|option| {
            let (_, to) = OPTIONS
                .iter()
                .find(|(start, _)| option.starts_with(start))?;
            Some(missing("option", option, to))
        });
        known.collect()
    } else if let Some((_, plugins)) = line.split_once("Missing required plugins: ") {
        plugins
            .split(',')
            .map(|plugin| missing("plugin", plugin.trim(), plugin.trim()))
            .collect()
    } else if let Some((_, rest)) = line.split_once("No module named '") {
        let module = rest.split('\'').next().unwrap_or_default();
        missing_module(module, own).into_iter().collect()
    } else {
        Vec::new()
    }
}

fn missing(kind: &str, name: &str, distribution: &str) -> Missing {
    Missing {
        what: format!("{kind} `{name}`"),
        distribution: distribution.to_owned(),
    }
}

fn missing_module(module: &str, own: &BTreeSet<&str>) -> Option<Missing> {
    let top = module.split('.').next().unwrap_or(module);
    let named = MODULES.iter().find(|(name, _)| {
        module
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    // A private or generic name is part of something, and a stranger's package of that name is none of ours.
    let unlikely =
        top.starts_with('_') || own.contains(top) || ["conftest", "setup"].contains(&top);
    match named {
        Some((_, to)) => Some(missing("module", module, to)),
        None => (!unlikely).then(|| missing("module", module, &normal(top))),
    }
}

fn lookup(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(from, _)| *from == name)
        .map(|(_, to)| *to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(missing: &BTreeSet<Missing>, expected: &Expect) {
        let lines = missing
            .iter()
            .map(|one| format!("{}: {}\n", one.what, one.distribution));
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn modules_fixtures_and_marks_lead_to_distributions() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let collected = Collected {
            modules: names(&[
                "yaml",
                "numpy.linalg",
                "helpers",
                "_speedups",
                "google.protobuf.message",
            ]),
            fixtures: names(&["mocker", "client"]),
            markers: names(&["asyncio", "slow"]),
            ..Collected::default()
        };
        check(
            &collected.missing(&BTreeSet::from(["helpers"])),
            &expect![[r#"
                fixture `mocker`: pytest-mock
                module `google.protobuf.message`: protobuf
                module `numpy.linalg`: numpy
                module `yaml`: pyyaml
                plugin for the mark `asyncio`: pytest-asyncio
            "#]],
        );
    }

    #[test]
    fn the_text_of_a_broken_start_tells_what_is_missing() {
        let text = "
            ImportError while loading conftest '/x/tests/conftest.py'.
            E   ModuleNotFoundError: No module named 'numpy.testing'
            pytest: error: unrecognized arguments: --cov=shop --cov-report term -n 4 --color
            ERROR: Missing required plugins: pytest-env, pytest-sugar
        ";
        check(
            &missing_in_text(text, &BTreeSet::new()),
            &expect![[r#"
                module `numpy.testing`: numpy
                option `--cov-report`: pytest-cov
                option `--cov=shop`: pytest-cov
                option `-n`: pytest-xdist
                plugin `pytest-env`: pytest-env
                plugin `pytest-sugar`: pytest-sugar
            "#]],
        );
    }
}
