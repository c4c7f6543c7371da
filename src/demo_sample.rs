//! The projects that the demonstration carves; their files are part of the program.

/// A project with a target.
pub struct Sample {
    /// The name of its folder.
    pub name: &'static str,
    /// The tests of the feature that is carved out of it.
    pub target: &'static str,
    /// Its files: the path, with `/`, and the content. Sorted by path.
    pub files: &'static [(&'static str, &'static [u8])],
}

/// All samples, in the order in which they are shown.
pub const SAMPLES: &[Sample] = &[
    Sample {
        name: "recipes",
        target: "tests/test_shopping.py",
        files: include!(concat!(env!("OUT_DIR"), "/recipes.rs")),
    },
    Sample {
        name: "tally",
        target: "tests/report.rs",
        files: include!(concat!(env!("OUT_DIR"), "/tally.rs")),
    },
    Sample {
        name: "timetable",
        target: "plan/plan_test.go",
        files: include!(concat!(env!("OUT_DIR"), "/timetable.rs")),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_holds_its_target_and_nothing_that_a_run_leaves_behind() {
        for sample in SAMPLES {
            let paths: Vec<_> = sample.files.iter().map(|(path, _)| *path).collect();
            assert!(paths.is_sorted());
            assert!(paths.contains(&sample.target));
            let left = ["__pycache__", "target/"];
            let is_left = |path: &&&str| left.iter().any(|name| path.contains(name));
            assert_eq!(paths.iter().find(is_left), None);
        }
    }
}
