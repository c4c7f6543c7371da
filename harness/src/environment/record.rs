//! Records of environments: what was made, and from what, so that a later run can take it.

use std::fs;
use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Environment;
use crate::cache::{CacheError, write_atomically};

/// An environment, a hash of the files and settings it was made from, and the tool that made it.
#[derive(Serialize, Deserialize)]
pub struct Record<T> {
    /// Equal for equal files and settings.
    pub inputs: String,
    /// What else it depends on.
    pub tool: T,
    /// The environment.
    pub environment: Environment,
}

impl<T: Serialize + DeserializeOwned> Record<T> {
    /// What is stored, if this build would store it in the same way: a record with more or fewer
    /// fields is of another build, which may have made the environment in another way.
    pub fn load(path: &Path) -> Option<Self> {
        let stored: serde_json::Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let record: Self = serde_json::from_value(stored.clone()).ok()?;
        (serde_json::to_value(&record).ok()? == stored).then_some(record)
    }

    /// Makes an environment and records it. Invariant: the record of an earlier one does not outlive a
    /// failure to make this one.
    pub fn make<E: From<CacheError>>(
        path: &Path,
        inputs: String,
        tool: T,
        make: impl FnOnce(&T) -> Result<Environment, E>,
    ) -> Result<Environment, E> {
        discard(path)?;
        let environment = make(&tool)?;
        let record = Self {
            inputs,
            tool,
            environment,
        };
        let text = serde_json::to_vec_pretty(&record).unwrap_or_default();
        write_atomically(path, &text)?;
        Ok(record.environment)
    }
}

fn discard(path: &Path) -> Result<(), CacheError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CacheError::at(path, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Collection;
    use serde_json::{Value, json};

    fn environment() -> Environment {
        Environment {
            distribution: None,
            language: "python".into(),
            runtime: "/bin/python".into(),
            version: "3.12.1".into(),
            variables: [("PATH".to_owned(), None)].into(),
            packages: [("pytest".to_owned(), "9.0".to_owned())].into(),
            steps: Vec::new(),
            collection: Collection::default(),
            fingerprint: "y".into(),
        }
    }

    fn make(path: &Path, environment: Result<Environment, CacheError>) -> bool {
        Record::make(path, "x".to_owned(), "tool".to_owned(), |_| environment).is_ok()
    }

    fn loads(path: &Path) -> bool {
        Record::<String>::load(path).is_some()
    }

    #[test]
    fn the_environment_of_a_build_that_stored_other_fields_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("environment.json");
        assert!(make(&path, Ok(environment())) && loads(&path));
        let whole: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let loads = |value: &Value| {
            fs::write(&path, value.to_string()).unwrap();
            loads(&path)
        };
        let fields = whole["environment"].as_object().unwrap().keys();
        for field in fields {
            let mut older = whole.clone();
            older["environment"].as_object_mut().unwrap().remove(field);
            assert!(!loads(&older), "without {field}");
        }
        let mut newer = whole.clone();
        newer["environment"]["more"] = json!(1);
        assert!(!loads(&newer));
    }

    #[test]
    fn the_record_of_an_earlier_environment_does_not_outlive_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("environment.json");
        assert!(make(&path, Ok(environment())) && loads(&path));
        let failure = CacheError::at(&path, io::Error::other("no"));
        assert!(!make(&path, Err(failure)));
        assert!(!loads(&path));
    }
}
