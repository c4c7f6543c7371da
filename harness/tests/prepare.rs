//! Preparing an environment from end to end. Needs Python 3 and its package index.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use harness::cache::Cache;
use harness::config::Config;
use harness::environment::{Environment, EnvironmentError, Job};
use harness::lang;
use harness::process::Launcher;
use harness::project::Project;
use harness::sandbox::Sandbox;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A project in a folder of its own, with a cache beside it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        files
            .iter()
            .for_each(|(path, text)| place.write(path, text));
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// `None` where this machine has no interpreter or cannot reach the package index.
    fn prepare(&self) -> Option<(Environment, Sandbox)> {
        let project = Project::open(&self.root()).unwrap();
        let config = Config::load(project.root()).unwrap();
        let cache = Cache::at(&self.folder.path().join("cache"))
            .unwrap()
            .project(&project)
            .unwrap();
        let mut sandbox = Sandbox::open(&cache, &project).unwrap();
        let launcher = Launcher::default().supervised_by(env!("CARGO_BIN_EXE_lacuna-supervisor"));
        let mut job = Job {
            project: &project,
            config: &config,
            cache: &cache,
            sandbox: &mut sandbox,
            launcher: &launcher,
            progress: &|_| (),
        };
        match lang::named("python").unwrap().toolchain.prepare(&mut job) {
            Ok(environment) => Some((environment, sandbox)),
            Err(EnvironmentError::NoRuntime { .. }) => {
                fixtures::unavailable("a Python 3 with venv")
            }
            Err(EnvironmentError::Step { step, .. }) => {
                fixtures::unavailable(&format!("a package index: {}", step.log))
            }
            Err(error) => unreachable!("{error}"),
        }
    }
}

/// Where a module of the project is imported from.
fn origin(environment: &Environment, module: &str) -> PathBuf {
    let question = format!("import {module}; print({module}.__file__)");
    let command = environment.command(Path::new("/")).args(["-c", &question]);
    let limits = Config::default().limits.for_tests();
    PathBuf::from(
        Launcher::default()
            .run(&command, &limits)
            .unwrap()
            .stdout
            .text()
            .trim(),
    )
}

fn purposes(environment: &Environment) -> Vec<&str> {
    environment
        .steps
        .iter()
        .map(|step| step.purpose.as_str())
        .collect()
}

#[test]
fn an_installable_project_is_installed_from_the_work_tree_with_what_its_tests_need() {
    let place = Place::new(&[
        (
            "pyproject.toml",
            "[project]\nname = 'shop'\ndynamic = ['version']\n[build-system]\nrequires = ['setuptools>=64', 'setuptools_scm>=8']\nbuild-backend = 'setuptools.build_meta'\n[tool.setuptools_scm]\nversion_file = 'src/shop/_version.py'\n",
        ),
        (
            "src/shop/__init__.py",
            "from shop._version import version\n",
        ),
        (
            "tests/test_shop.py",
            "import iniconfig\nimport shop\n\ndef test_shop(mocker):\n    pass\n",
        ),
    ]);
    let Some((environment, sandbox)) = place.prepare() else {
        return;
    };
    assert_eq!(
        (environment.collection.tests, &environment.collection.errors),
        (1, &Default::default())
    );
    assert!(purposes(&environment).contains(&"missing fixture `mocker`: install pytest-mock"));
    let module = ("shop".to_owned(), origin(&environment, "shop"));
    Environment::verify_origin(&[module], sandbox.tree()).unwrap();
    assert!(
        sandbox
            .generated()
            .any(|path| path == "src/shop/_version.py")
    );
    assert!(
        !place.root().join("src/shop/_version.py").exists(),
        "the checkout is only read"
    );

    place.write("src/shop/cart.py", "");
    let (again, sandbox) = place.prepare().unwrap();
    assert_eq!(again, environment, "what it is made from has not changed");
    assert!(sandbox.tree().join("src/shop/cart.py").is_file());
}

#[test]
fn a_folder_of_modules_is_put_on_the_path() {
    let place = Place::new(&[
        ("requirements.txt", "iniconfig\n"),
        ("shop.py", "import iniconfig\n"),
        (
            "tests/test_shop.py",
            "import shop\n\ndef test_shop():\n    pass\n",
        ),
    ]);
    let Some((environment, sandbox)) = place.prepare() else {
        return;
    };
    assert_eq!(
        (environment.collection.tests, &environment.collection.errors),
        (1, &Default::default())
    );
    assert_eq!(origin(&environment, "shop"), sandbox.tree().join("shop.py"));
}
