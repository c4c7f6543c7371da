//! `lacuna.toml`: what a person wants to be different for a project. docs/configuration.md describes
//! every key, and a test keeps the two in step.

use crate::lang;
use crate::process::Limits;
use analyzer::feature::FeatureOptions;
use analyzer::symbol::SymbolId;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the file, in the root folder of the project.
pub const FILE_NAME: &str = "lacuna.toml";

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("cannot read {}: {source}; check its permissions", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not a valid configuration.
    #[error("{} is not valid: {reason}\ndocs/configuration.md describes every key", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and why.
        reason: String,
    },
}

/// The whole file; what is left out has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How the environment is made.
    pub environment: EnvironmentConfig,
    /// How the tests are run.
    pub tests: TestsConfig,
    /// What a run may use.
    pub limits: LimitsConfig,
    /// How a feature is chosen and removed.
    pub feature: FeatureConfig,
    /// What differs for one language of the project, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub language: BTreeMap<String, LanguageConfig>,
}

/// Section `[language.NAME]`: what is set there takes the place of what is set for all languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageConfig {
    /// How its environment is made.
    pub environment: EnvironmentConfig,
    /// How its tests are run.
    pub tests: TestsConfig,
}

/// Section `[environment]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnvironmentConfig {
    /// A version (`3.11`) or the path or name of the language's interpreter or toolchain.
    pub interpreter: Option<String>,
    /// Shell commands that replace every automatic installation step.
    pub install: Option<Vec<String>>,
    /// Requirements to install besides what is found.
    pub requirements: Vec<String>,
    /// Optional features of the project to install; replaces the automatic choice.
    pub extras: Option<Vec<String>>,
    /// Groups of development dependencies to install; replaces the automatic choice.
    pub groups: Option<Vec<String>>,
    /// Environment variables for installation and tests.
    pub variables: BTreeMap<String, String>,
}

impl EnvironmentConfig {
    /// The section with what `own` sets in place of its own values; variables are added.
    fn overruled_by(mut self, own: Self) -> Self {
        self.variables.extend(own.variables);
        Self {
            interpreter: own.interpreter.or(self.interpreter),
            install: own.install.or(self.install),
            requirements: given(own.requirements).unwrap_or(self.requirements),
            extras: own.extras.or(self.extras),
            groups: own.groups.or(self.groups),
            variables: self.variables,
        }
    }
}

fn given(list: Vec<String>) -> Option<Vec<String>> {
    (!list.is_empty()).then_some(list)
}

/// Section `[tests]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestsConfig {
    /// Where the tests are, relative to the root; empty: what the runner finds.
    pub paths: Vec<String>,
    /// More arguments for the runner.
    pub arguments: Vec<String>,
}

impl TestsConfig {
    fn overruled_by(self, own: Self) -> Self {
        Self {
            paths: given(own.paths).unwrap_or(self.paths),
            arguments: given(own.arguments).unwrap_or(self.arguments),
        }
    }
}

/// Section `[limits]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// Seconds for one run of the tests.
    pub time: u64,
    /// Seconds for one installation step.
    pub install_time: u64,
    /// Memory of all processes of a run.
    #[serde(deserialize_with = "size")]
    pub memory: u64,
    /// What a run may print.
    #[serde(deserialize_with = "size")]
    pub output: u64,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            time: 1800,
            install_time: 1200,
            memory: 8 << 30,
            output: 256 << 20,
        }
    }
}

impl LimitsConfig {
    /// For one run of the tests.
    pub fn for_tests(&self) -> Limits {
        Limits {
            wall: Duration::from_secs(self.time),
            memory: self.memory,
            output: self.output,
        }
    }

    /// For one installation step.
    pub fn for_installation(&self) -> Limits {
        Limits {
            wall: Duration::from_secs(self.install_time),
            ..self.for_tests()
        }
    }
}

/// Section `[feature]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureConfig {
    /// Ids of symbols that belong to the feature in any case.
    pub include: Vec<String>,
    /// Ids of symbols to keep in any case.
    pub exclude: Vec<String>,
    /// Ids of symbols that keep their signatures if they belong to the feature.
    pub stub: Vec<String>,
    /// The share of the other tests (0 to 1) that may turn into fail-to-pass.
    #[serde(deserialize_with = "share")]
    pub max_collateral: Option<f64>,
    /// The share of target tests (0 to 1) from which a symbol may be theirs without a name that
    /// says so.
    #[serde(deserialize_with = "share")]
    pub min_share: Option<f64>,
    /// The same share for a symbol whose name or place speaks of the target.
    #[serde(deserialize_with = "share")]
    pub min_named_share: Option<f64>,
    /// The fewest lines that a feature must have.
    pub min_lines: Option<usize>,
    /// How symbols are removed.
    pub removal: RemovalMode,
}

impl FeatureConfig {
    /// How a feature is decided: what is configured before the defaults.
    pub fn options(&self) -> FeatureOptions {
        let symbols = |ids: &[String]| ids.iter().map(|id| SymbolId::parse(id)).collect();
        let defaults = FeatureOptions::default();
        FeatureOptions {
            max_collateral: self.max_collateral.unwrap_or(defaults.max_collateral),
            min_share: self.min_share.unwrap_or(defaults.min_share),
            min_named_share: self.min_named_share.unwrap_or(defaults.min_named_share),
            include: symbols(&self.include),
            exclude: symbols(&self.exclude),
            stub: symbols(&self.stub),
        }
    }
}

/// How symbols are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemovalMode {
    /// Deleted where nothing that stays refers to them, else stubbed.
    #[default]
    Auto,
    /// Deleted.
    Delete,
    /// Only their bodies go.
    Stub,
}

impl RemovalMode {
    /// The word that people and records use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Delete => "delete",
            Self::Stub => "stub",
        }
    }
}

impl Config {
    /// The configuration in a project's root folder; the default if there is none.
    pub fn load(root: &Path) -> Result<Self, ConfigError> {
        let path = root.join(FILE_NAME);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map_err(|reason| ConfigError::Invalid { path, reason }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(ConfigError::Unreadable { path, source }),
        }
    }

    /// What holds for one language, by its name.
    pub fn for_language(mut self, name: &str) -> Self {
        let own = self.language.remove(name).unwrap_or_default();
        Self {
            environment: self.environment.overruled_by(own.environment),
            tests: self.tests.overruled_by(own.tests),
            language: BTreeMap::new(),
            ..self
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let config: Self =
            toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        let unknown = |name: &&String| lang::named(name).is_none();
        match config.language.keys().find(unknown) {
            None => Ok(config),
            Some(name) => Err(format!(
                "`language.{name}` names no language; there are {}",
                lang::names()
            )),
        }
    }
}

/// A number from 0 to 1.
fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let share = f64::deserialize(deserializer)?;
    if (0.0..=1.0).contains(&share) {
        Ok(Some(share))
    } else {
        let message = format!("`{share}` is not a share; write a number from 0 to 1");
        Err(serde::de::Error::custom(message))
    }
}

/// A number of bytes: an integer, or text such as `"4 GiB"`.
fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "expected a number of bytes, or text such as \"4 GiB\""
    )]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    match Size::deserialize(deserializer)? {
        Size::Bytes(bytes) => Ok(bytes),
        Size::Text(text) => parse_size(&text).ok_or_else(|| {
            let form = "a whole number with B, KiB, MiB, GiB or TiB";
            serde::de::Error::custom(format!("`{text}` is not a size; write {form}"))
        }),
    }
}

fn parse_size(text: &str) -> Option<u64> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim() {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::collections::BTreeSet;

    const PAGE: &str = include_str!("../../docs/configuration.md");

    fn check_error(text: &str, expected: Expect) {
        expected.assert_eq(&Config::parse(text).unwrap_err());
    }

    /// `section.key` for every field.
    fn keys_of_the_struct() -> BTreeSet<String> {
        let value = serde_json::to_value(Config::default()).unwrap();
        let sections = value.as_object().unwrap().iter();
        sections
            .flat_map(|(section, keys)| {
                keys.as_object()
                    .unwrap()
                    .keys()
                    .map(move |key| format!("{section}.{key}"))
            })
            .collect()
    }

    /// The page has a row ``| `key` | … |`` per key, under a heading ``## `[section]` ``.
    fn keys_of_the_page() -> BTreeSet<String> {
        let mut section = "";
        let mut keys = BTreeSet::new();
        for line in PAGE.lines() {
            if let Some(name) = line.strip_prefix("## `[") {
                section = name.trim_end_matches("]`");
            } else if let Some(row) = line.strip_prefix("| `") {
                keys.insert(format!("{section}.{}", row.split('`').next().unwrap()));
            }
        }
        keys
    }

    #[test]
    fn the_page_describes_every_key_and_no_other() {
        assert_eq!(keys_of_the_page(), keys_of_the_struct());
    }

    #[test]
    fn the_example_of_the_page_is_valid_and_uses_every_key() {
        let example = PAGE
            .split("```toml\n")
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap();
        Config::parse(example).unwrap();
        let table: toml::Table = example.parse().unwrap();
        let used = table.iter().flat_map(|(section, keys)| {
            keys.as_table()
                .unwrap()
                .keys()
                .map(move |key| format!("{section}.{key}"))
        });
        assert_eq!(used.collect::<BTreeSet<_>>(), keys_of_the_struct());
    }

    #[test]
    fn without_a_file_everything_has_its_default() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(folder.path()).unwrap(), Config::default());
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }

    #[test]
    fn what_is_said_of_one_language_comes_before_what_is_said_of_all() {
        let config = Config::parse(
            r#"
                [environment]
                interpreter = "3.11"
                variables = { TZ = "UTC", LANG = "C" }
                [tests]
                paths = ["tests"]
                [language.go]
                tests.arguments = ["-short"]
                [language.go.environment]
                interpreter = "1.22"
                variables = { LANG = "C.UTF-8" }
            "#,
        );
        let config = config.unwrap();
        let go = config.clone().for_language("go");
        assert_eq!(go.environment.interpreter.as_deref(), Some("1.22"));
        assert_eq!(go.environment.variables["TZ"], "UTC");
        assert_eq!(go.environment.variables["LANG"], "C.UTF-8");
        assert_eq!(
            (go.tests.paths, go.tests.arguments),
            (vec!["tests".to_owned()], vec!["-short".to_owned()])
        );
        let python = config.for_language("python");
        assert_eq!(python.environment.interpreter.as_deref(), Some("3.11"));
        assert!(python.tests.arguments.is_empty() && python.language.is_empty());
    }

    #[test]
    fn an_unknown_language_is_shown_with_the_known_ones() {
        check_error(
            "[language.cobol.tests]\npaths = []\n",
            expect!["`language.cobol` names no language; there are python, go, rust"],
        );
    }

    #[test]
    fn an_unknown_key_is_shown_with_its_place_and_the_known_ones() {
        check_error(
            "[feature]\nremove = \"stub\"\n",
            expect![[r#"
                TOML parse error at line 2, column 1
                  |
                2 | remove = "stub"
                  | ^^^^^^
                unknown field `remove`, expected one of `include`, `exclude`, `stub`, `max_collateral`, `min_share`, `min_named_share`, `min_lines`, `removal`"#]],
        );
    }

    #[test]
    fn a_wrong_size_is_shown_with_the_right_form() {
        check_error(
            "[limits]\nmemory = \"4 gigs\"\n",
            expect![[r#"
                TOML parse error at line 2, column 10
                  |
                2 | memory = "4 gigs"
                  |          ^^^^^^^^
                `4 gigs` is not a size; write a whole number with B, KiB, MiB, GiB or TiB"#]],
        );
    }

    #[test]
    fn a_share_lies_between_0_and_1() {
        let parsed = |share: &str| Config::parse(&format!("[feature]\nmin_share = {share}"));
        assert_eq!(parsed("0.25").unwrap().feature.min_share, Some(0.25));
        assert_eq!(parsed("1").unwrap().feature.min_share, Some(1.0));
        for wrong in ["1.5", "-1", "nan", "'much'"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_numbers_with_units() {
        let sizes = ["12", "3 KiB", "4GiB", "99999999 TiB", "x", "-1", "1.5 GiB"].map(parse_size);
        assert_eq!(
            sizes,
            [Some(12), Some(3072), Some(4 << 30), None, None, None, None]
        );
    }

    #[test]
    fn the_error_names_the_file_and_the_page() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE_NAME), "x").unwrap();
        let error = Config::load(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("lacuna.toml is not valid") && error.contains("docs/configuration.md")
        );
    }
}
