//! The project that the demonstration carves; its files are part of the program.

/// The tests of the feature that the demonstration carves out of the sample.
pub const TARGET: &str = "tests/test_shopping.py";

/// The files of the sample project: the path, with `/`, and the content. Sorted by path.
pub fn sample_files() -> &'static [(&'static str, &'static [u8])] {
    include!(concat!(env!("OUT_DIR"), "/sample.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_holds_its_target_and_nothing_that_a_run_leaves_behind() {
        let paths: Vec<_> = sample_files().iter().map(|(path, _)| *path).collect();
        assert!(paths.is_sorted());
        assert!(paths.contains(&TARGET));
        assert!(paths.contains(&"pyproject.toml"));
        let mut strange = paths.iter().filter(|path| path.contains("__pycache__"));
        assert_eq!(strange.next(), None);
    }
}
