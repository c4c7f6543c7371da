//! The arguments that a person gives to `go test`, sorted by whom they are for.

/// Flags of the build, with a value each unless they are switches.
const BUILD: &[&str] = &[
    "tags",
    "mod",
    "modfile",
    "overlay",
    "ldflags",
    "gcflags",
    "asmflags",
    "pgo",
    "compiler",
    "installsuffix",
    "gccgoflags",
    "pkgdir",
    "toolexec",
    "p",
];
const BUILD_SWITCHES: &[&str] = &[
    "race",
    "msan",
    "asan",
    "trimpath",
    "linkshared",
    "a",
    "x",
    "work",
    "n",
];
/// Flags of `go test` itself that its test binaries do not know.
const OWN: &[&str] = &["vet", "exec", "o", "coverpkg", "covermode"];
const OWN_SWITCHES: &[&str] = &["json", "c", "cover", "i"];
/// Flags of a test binary without a value.
const TEST_SWITCHES: &[&str] = &[
    "short",
    "v",
    "failfast",
    "benchmem",
    "fullpath",
    "artifacts",
];

/// Arguments of `go test`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::lang::go) struct Arguments {
    /// For everything that builds or lists.
    pub(in crate::lang::go) build: Vec<String>,
    /// For `go test`, besides those for the build.
    pub(in crate::lang::go) test: Vec<String>,
    /// The same for a test binary.
    pub(in crate::lang::go) binary: Vec<String>,
}

impl Arguments {
    pub(in crate::lang::go) fn split(words: &[String]) -> Self {
        let mut sorted = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix('-') else {
                continue;
            };
            let flag = flag.trim_start_matches('-');
            if flag == "args" {
                sorted.test.push(word.clone());
                sorted.test.extend(words.clone().cloned());
                sorted.binary.extend(words.cloned());
                break;
            }
            let name = flag.split('=').next().unwrap_or(flag);
            let is_complete = flag.contains('=')
                || [BUILD_SWITCHES, OWN_SWITCHES, TEST_SWITCHES]
                    .concat()
                    .contains(&name);
            let value = if is_complete { None } else { words.next() };
            sorted.add(name, word, value);
        }
        sorted
    }

    fn add(&mut self, name: &str, word: &str, value: Option<&String>) {
        let mut all = vec![word.to_owned()];
        all.extend(value.cloned());
        if BUILD.contains(&name) || BUILD_SWITCHES.contains(&name) {
            self.build.extend(all);
        } else if OWN.contains(&name) {
            self.test.extend(all);
        } else if !OWN_SWITCHES.contains(&name) {
            let flag = word.trim_start_matches('-').trim_start_matches("test.");
            self.binary.push(format!("-test.{flag}"));
            self.binary.extend(value.cloned());
            self.test.extend(all);
        }
    }

    /// Whether a flag was given.
    pub(in crate::lang::go) fn has(&self, name: &str) -> bool {
        let given = self.build.iter().chain(&self.test);
        let names = given.filter_map(|word| word.trim_start_matches('-').split('=').next());
        names
            .map(|given| given.trim_start_matches("test."))
            .any(|given| given == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_argument_goes_to_whom_it_is_for() {
        let words = "-tags integration -race -short -timeout=5s -run X ./... -vet off -args -a b";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let sorted = Arguments::split(&words);
        assert_eq!(sorted.build.join(" "), "-tags integration -race");
        assert_eq!(
            sorted.test.join(" "),
            "-short -timeout=5s -run X -vet off -args -a b"
        );
        assert_eq!(
            sorted.binary.join(" "),
            "-test.short -test.timeout=5s -test.run X -a b"
        );
        assert!(sorted.has("timeout") && sorted.has("race") && !sorted.has("v"));
    }
}
