//! Settings: what a client configures, which outweighs the project's own configuration.

use harness::config::FeatureConfig;
use serde_json::Value;

/// What a client can set; what it leaves out is as the project has it. Their declaration for people and
/// extensions stands in `editors/settings.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// See [`FeatureConfig::max_collateral`].
    pub max_collateral: Option<f64>,
    /// See [`FeatureConfig::min_share`].
    pub min_share: Option<f64>,
    /// See [`FeatureConfig::min_named_share`].
    pub min_named_share: Option<f64>,
    /// See [`FeatureConfig::min_lines`].
    pub min_lines: Option<usize>,
}

impl Settings {
    /// Reads the options of a session, with or without the section's name. What makes no sense counts as
    /// left out, and is told in words.
    pub fn read(value: &Value) -> (Self, Vec<String>) {
        let section = value.get("lacuna").unwrap_or(value);
        let mut problems = Vec::new();
        let mut setting = |key: &str, wanted: &str, is_it: &dyn Fn(&Value) -> bool| {
            let given = section.get(key).filter(|given| !given.is_null())?;
            if is_it(given) {
                return Some(given);
            }
            problems.push(format!(
                "the setting {key:?} is {given}; it has to be {wanted}"
            ));
            None
        };
        let mut share = |key| {
            let is_share = |it: &Value| it.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it));
            setting(key, "a number from 0 to 1", &is_share).and_then(Value::as_f64)
        };
        let mut settings = Self {
            max_collateral: share("maxCollateral"),
            min_share: share("minShare"),
            min_named_share: share("minNamedShare"),
            min_lines: None,
        };
        let lines = setting("minLines", "a whole number", &Value::is_u64).and_then(Value::as_u64);
        settings.min_lines = lines.and_then(|lines| usize::try_from(lines).ok());
        (settings, problems)
    }

    /// What a notification of changed settings brings; `None` if it says nothing of ours: clients without
    /// settings send an empty one, and some send those of all servers to each.
    pub fn told(value: &Value) -> Option<(Self, Vec<String>)> {
        let (read, problems) = Self::read(value);
        let is_ours = value.get("lacuna").is_some() || !problems.is_empty();
        (is_ours || read != Self::default()).then_some((read, problems))
    }

    /// The project's configuration with what the client sets.
    pub fn over(&self, config: FeatureConfig) -> FeatureConfig {
        FeatureConfig {
            max_collateral: self.max_collateral.or(config.max_collateral),
            min_share: self.min_share.or(config.min_share),
            min_named_share: self.min_named_share.or(config.min_named_share),
            min_lines: self.min_lines.or(config.min_lines),
            ..config
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_notification_that_says_nothing_of_ours_changes_nothing() {
        for said in [json!(null), json!({}), json!({"pylsp": {"minLines": 3}})] {
            assert_eq!(Settings::told(&said), None, "{said}");
        }
        let few = Settings {
            min_lines: Some(3),
            ..Settings::default()
        };
        for said in [json!({"minLines": 3}), json!({"lacuna": {"minLines": 3}})] {
            assert_eq!(Settings::told(&said), Some((few.clone(), Vec::new())));
        }
        let taken_back = json!({"lacuna": {}});
        let nothing = (Settings::default(), Vec::new());
        assert_eq!(Settings::told(&taken_back), Some(nothing));
    }

    #[test]
    fn what_makes_no_sense_is_told_and_the_rest_counts() {
        let said =
            json!({"maxCollateral": 7, "minShare": "half", "minNamedShare": null, "minLines": 3});
        let (settings, problems) = Settings::read(&said);
        let few = Settings {
            min_lines: Some(3),
            ..Settings::default()
        };
        assert_eq!(settings, few);
        let told = [
            "the setting \"maxCollateral\" is 7; it has to be a number from 0 to 1",
            "the setting \"minShare\" is \"half\"; it has to be a number from 0 to 1",
        ];
        assert_eq!(problems, told);
    }
}
