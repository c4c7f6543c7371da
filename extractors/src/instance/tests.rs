//! What a task record says, and what is told of it.

use expect_test::expect;

use super::*;
use crate::instruction::instruction;
use crate::interface::{Interface, InterfaceEntry, Offer};

fn task() -> Task {
    let tests = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let symbol = |id: &str, role: Role, action| SymbolRecord {
        id: SymbolId::parse(id),
        kind: SymbolKind::Function,
        role,
        action,
        place: Place {
            path: "src/shop.py".to_owned(),
            bytes: 10..42,
            lines: (2, 4),
        },
    };
    Task {
        version: TASK_VERSION,
        id: instance_id("shop", "tests/test_price.py", [b"tree".as_slice()]),
        tool: "0.1.0".to_owned(),
        command: tests(&["lacuna", "extract", "--target", "tests/test_price.py"]),
        language: "python".to_owned(),
        project: ProjectRecord {
            name: "shop".to_owned(),
            version: Some("1.2".to_owned()),
            commit: None,
            tree: "f5549519c104e12f0c42062864d8475d682bdd89bd6da6aab3cd03a5d8e5c3e1".to_owned(),
        },
        target: tests(&["tests/test_price.py"]),
        suite: Vec::new(),
        options: BTreeMap::from([("removal".to_owned(), "auto".into())]),
        tests: TestClasses {
            fail_to_pass: tests(&["tests/test_price.py::test_a[1 - N]"]),
            collateral: Vec::new(),
            pass_to_pass: tests(&["tests/test_b.py::test_b", "tests/test_b.py::test_c"]),
            held_back: tests(&["tests/test_price.py::test_a[1 - N]"]),
            put_back_into: Vec::new(),
            excluded: vec![ExcludedTest {
                id: "tests/test_d.py::test_d".to_owned(),
                reason: "flaky".to_owned(),
            }],
        },
        symbols: vec![
            symbol("src/shop.py::price", Role::Top, Some(Action::Delete)),
            symbol(
                "src/shop.py::rate",
                Role::Specific,
                Some(Action::Stub { keep_doc: true }),
            ),
            symbol("src/shop.py::tax", Role::Shared, None),
        ],
        size: Size {
            lines: LineCounts {
                removed: 12,
                added: 1,
            },
            files: 1,
            symbols: 2,
        },
        warnings: Vec::new(),
        environment: Environment {
            command: tests(&["python", "-m", "pytest"]),
            facts: BTreeMap::from([("interpreter".to_owned(), "3.12.1".to_owned())]),
            packages: BTreeMap::new(),
        },
    }
}

#[test]
fn a_task_record_is_read_back_as_it_was_written() {
    let json = task().to_json().unwrap();
    assert_eq!(Task::from_json(&json).unwrap(), task());
    expect![[r#"
        {
          "version": 1,
          "id": "shop.test_price.f4d1f5b7",
          "tool": "0.1.0",
          "command": [
            "lacuna",
            "extract",
            "--target",
            "tests/test_price.py"
          ],
          "language": "python",
          "project": {
            "name": "shop",
            "version": "1.2",
            "commit": null,
            "tree": "f5549519c104e12f0c42062864d8475d682bdd89bd6da6aab3cd03a5d8e5c3e1"
          },
          "target": [
            "tests/test_price.py"
          ],
          "suite": [],
          "options": {
            "removal": "auto"
          },
          "tests": {
            "fail_to_pass": [
              "tests/test_price.py::test_a[1 - N]"
            ],
            "collateral": [],
            "pass_to_pass": [
              "tests/test_b.py::test_b",
              "tests/test_b.py::test_c"
            ],
            "held_back": [
              "tests/test_price.py::test_a[1 - N]"
            ],
            "excluded": [
              {
                "id": "tests/test_d.py::test_d",
                "reason": "flaky"
              }
            ]
          },
          "symbols": [
            {
              "id": "src/shop.py::price",
              "kind": "function",
              "role": "top",
              "action": "delete",
              "place": {
                "path": "src/shop.py",
                "bytes": {
                  "start": 10,
                  "end": 42
                },
                "lines": [
                  2,
                  4
                ]
              }
            },
            {
              "id": "src/shop.py::rate",
              "kind": "function",
              "role": "specific",
              "action": {
                "stub": {
                  "keep_doc": true
                }
              },
              "place": {
                "path": "src/shop.py",
                "bytes": {
                  "start": 10,
                  "end": 42
                },
                "lines": [
                  2,
                  4
                ]
              }
            },
            {
              "id": "src/shop.py::tax",
              "kind": "function",
              "role": "shared",
              "action": null,
              "place": {
                "path": "src/shop.py",
                "bytes": {
                  "start": 10,
                  "end": 42
                },
                "lines": [
                  2,
                  4
                ]
              }
            }
          ],
          "size": {
            "lines": {
              "removed": 12,
              "added": 1
            },
            "files": 1,
            "symbols": 2
          },
          "environment": {
            "command": [
              "python",
              "-m",
              "pytest"
            ],
            "facts": {
              "interpreter": "3.12.1"
            },
            "packages": {}
          }
        }
    "#]]
    .assert_eq(&json);
}

#[test]
fn a_record_of_another_version_or_with_unknown_fields_is_refused() {
    let json = task().to_json().unwrap();
    let error = |from: &str, to: &str| {
        Task::from_json(&json.replacen(from, to, 1))
            .unwrap_err()
            .to_string()
    };
    expect![[r#"
        this is a task record of version 99, and version 1 is read; make the task again
        this is not a task record: unknown field `sweet`, expected one of `version`, `id`, `tool`, `command`, `language`, `project`, `target`, `suite`, `options`, `tests`, `symbols`, `size`, `warnings`, `environment`; `task.json` of a task directory is one"#]]
    .assert_eq(&[error("\"version\": 1", "\"version\": 99"), error("\"suite\"", "\"sweet\"")].join("\n"));
}

#[test]
fn an_instance_is_named_after_project_and_target_and_everything_that_defines_it() {
    let id =
        |target: &str, parts: &[&[u8]]| instance_id("my project", target, parts.iter().copied());
    expect![[r#"
        my-project.test_a.5795cbf2
        my-project.test_b.d26b06b7
        my-project.tests.9453684a
        my-project.tests.2b2b04e3"#]]
    .assert_eq(
        &[
            id("tests/test_a.py", &[b"tree"]),
            id("tests/test_a.py::TestBox::test_b[x y]", &[b"tree"]),
            id("tests/", &[b"tree"]),
            id("tests/", &[b"tr", b"ee"]),
        ]
        .join("\n"),
    );
}

#[test]
fn a_property_is_one_thing_to_build_and_a_setter_alone_is_called_one() {
    let mut task = task();
    let setter = |id: &str| SymbolRecord {
        id: SymbolId::parse(id),
        ..task.symbols[0].clone()
    };
    task.symbols = vec![
        setter("src/shop.py::Cart.size"),
        setter("src/shop.py::Cart.size#setter"),
        setter("src/shop.py::Cart.owner#setter"),
        setter("src/shop.py::price#2"),
    ];
    let text = instruction(&task, &Interface::default());
    let lines = text.lines().filter(|line| line.starts_with("* `"));
    expect![[r#"
        * `Cart.size` in `src/shop.py`
        * `Cart.owner` (the setter) in `src/shop.py`
        * `price` in `src/shop.py`
    "#]]
    .assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn what_a_type_implements_is_named_with_its_members_once() {
    let mut task = task();
    let member = |id: &str| SymbolRecord {
        id: SymbolId::parse(id),
        ..task.symbols[0].clone()
    };
    task.symbols = vec![
        member("src/lib.rs::Error#Debug.fmt"),
        member("src/lib.rs::Error#Display.fmt"),
        member("src/lib.rs::Error#From.from"),
        member("src/lib.rs::Error#From2.from"),
        member("src/lib.rs::Error#impl.kind"),
    ];
    let text = instruction(&task, &Interface::default());
    let lines = text.lines().filter(|line| line.starts_with("* `"));
    expect![[r#"
        * `Error.fmt` of `Debug` in `src/lib.rs`
        * `Error.fmt` of `Display` in `src/lib.rs`
        * `Error.from` of `From` in `src/lib.rs`
        * `Error.kind` in `src/lib.rs`
    "#]]
    .assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn the_instruction_says_what_to_build_and_by_which_rules() {
    let entry = InterfaceEntry {
        symbol: SymbolId::parse("src/shop.py::price"),
        path: "src/shop.py".to_owned(),
        language: "python".to_owned(),
        text: "def price(x):\n    \"\"\"```\"\"\"\n    raise NotImplementedError\n".to_owned(),
        offers: vec![Offer {
            path: "src/__init__.py".to_owned(),
            name: "price".to_owned(),
        }],
    };
    expect![[r##"
        # Implement a missing feature of shop

        The working tree holds the project `shop` 1.2. One feature has been taken out of it; everything else works. Write the feature so that it behaves as its interface says.

        ## What to build

        * `price` in `src/shop.py`

        Helpers of the feature that other code refers to have lost their bodies, too:

        * `rate` in `src/shop.py`

        The reference solution adds 12 lines in one file.

        ## Interface

        These definitions must exist in these files, with these names, parameters and documentation. Bodies are left out. A class or type of which the working tree still has a part is shown with those of its lost members that are for others. Whatever else is needed, such as helpers, may stand where you like.

        ### `src/shop.py`

        ````python
        def price(x):
            """```"""
            raise NotImplementedError
        ````

        `src/__init__.py` must offer it as `price`, too.

        ## Rules

        * Your work is graded by one test that you do not see. It reaches the feature through its interface and through the rest of the project.
        * What passes now must still pass: 2 tests of the project.
        * Tests are put back as they were before grading; changing them, or how they are run, has no effect.
        * Work from this text and the working tree alone; do not fetch or copy another version of the project.
        * The tests are run with `python -m pytest`.
    "##]].assert_eq(&instruction(&task(), &Interface { entries: vec![entry] }));
}
