//! Settings: what a client configures, which outweighs the project's own configuration.

use harness::config::FeatureConfig;
use serde::Deserialize;
use serde_json::Value;

/// What a client can set; what it leaves out is as the project has it. Their declaration for people and
/// extensions stands in `editors/settings.json`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
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
    /// Reads the options of a session: with or without the section's name.
    /// What cannot be understood counts as left out.
    pub fn read(value: Option<&Value>) -> Self {
        let value = value.map(|value| value.get("lacuna").unwrap_or(value));
        let read = value.map(|value| serde_json::from_value(value.clone()));
        read.and_then(Result::ok).unwrap_or_default()
    }

    /// What a notification of changed settings brings; `None` if it says nothing of ours: clients without
    /// settings send an empty one, and some send those of all servers to each.
    pub fn told(value: Option<&Value>) -> Option<Self> {
        let read = Self::read(value);
        let is_ours = value.is_some_and(|value| value.get("lacuna").is_some());
        (is_ours || read != Self::default()).then_some(read)
    }

    /// The project's configuration with what the client sets.
    pub fn over(&self, config: FeatureConfig) -> FeatureConfig {
        let share = |share: Option<f64>| share.filter(|share| (0.0..=1.0).contains(share));
        FeatureConfig {
            max_collateral: share(self.max_collateral).or(config.max_collateral),
            min_share: share(self.min_share).or(config.min_share),
            min_named_share: share(self.min_named_share).or(config.min_named_share),
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
            assert_eq!(Settings::told(Some(&said)), None, "{said}");
        }
        let few = Settings {
            min_lines: Some(3),
            ..Settings::default()
        };
        for said in [json!({"minLines": 3}), json!({"lacuna": {"minLines": 3}})] {
            assert_eq!(Settings::told(Some(&said)), Some(few.clone()));
        }
        let taken_back = json!({"lacuna": {}});
        assert_eq!(Settings::told(Some(&taken_back)), Some(Settings::default()));
    }
}
