//! The processes of one run, found in `/proc`; where there is none, only the process group is known.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A line of `/proc/PID/stat` (fields 3 to 6, see proc(5)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    zombie: bool,
    parent: i32,
    group: i32,
    session: i32,
}

impl Stat {
    fn read(pid: i32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The second field is a name in parentheses that may itself contain blanks and parentheses.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.rsplit_once(')')?.1.split_ascii_whitespace();
        let zombie = matches!(fields.next()?, "Z" | "X");
        let mut number = || fields.next()?.parse().ok();
        Some(Self {
            zombie,
            parent: number()?,
            group: number()?,
            session: number()?,
        })
    }
}

/// Whom a run consists of: the descendants of `root`, its process group and its session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// The program, or the supervisor that adopts the program's orphans.
    pub(super) root: Pid,
    /// Whether the root is spared: a supervisor does not kill itself.
    pub(super) spare_root: bool,
}

impl Family {
    /// Sends SIGKILL to every member, and says how many there were.
    pub(super) fn kill(self) -> usize {
        let members = self.members();
        for &pid in &members {
            // A member that is gone by now is what we want.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        if !self.spare_root {
            let _ = killpg(self.root, Signal::SIGKILL);
        }
        members.len()
    }

    /// Resident memory of all members in bytes.
    pub(super) fn memory(self) -> u64 {
        self.members().iter().filter_map(|&pid| resident(pid)).sum()
    }

    fn members(self) -> BTreeSet<i32> {
        members(&processes(), self.root.as_raw(), self.spare_root)
    }
}

fn members(all: &BTreeMap<i32, Stat>, root: i32, spare_root: bool) -> BTreeSet<i32> {
    let belongs = |pid: i32, stat: &Stat| {
        stat.group == root || stat.session == root || descends(all, pid, root)
    };
    let living = all.iter().filter(|(_, stat)| !stat.zombie);
    living
        .filter(|(pid, stat)| belongs(**pid, stat))
        .map(|(pid, _)| *pid)
        .filter(|&pid| !(spare_root && pid == root))
        .collect()
}

/// Whether `root` is `pid` or above it. The table may be torn (it is no snapshot), so steps are bounded.
fn descends(all: &BTreeMap<i32, Stat>, pid: i32, root: i32) -> bool {
    let parent = |pid: &i32| all.get(pid).map(|stat| stat.parent);
    std::iter::successors(Some(pid), parent)
        .take(all.len() + 1)
        .any(|ancestor| ancestor == root)
}

fn processes() -> BTreeMap<i32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, Stat::read(pid)?)))
        .collect()
}

/// The line `VmRSS: N kB` of `/proc/PID/status`.
fn resident(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_may_contain_blanks_and_parentheses() {
        let stat = Stat::parse("42 (a) b (c) S 1 40 39 0 -1 4194560").unwrap();
        let expected = Stat {
            zombie: false,
            parent: 1,
            group: 40,
            session: 39,
        };
        assert_eq!(stat, expected);
    }

    #[test]
    fn children_of_children_and_those_of_the_group_or_session_belong_to_the_run() {
        let process = |parent, group, session| Stat {
            zombie: false,
            parent,
            group,
            session,
        };
        let all = BTreeMap::from([
            (1, process(0, 1, 1)),
            (10, process(1, 10, 10)),
            (11, process(10, 11, 11)),
            (12, process(11, 12, 12)),
            (13, process(1, 10, 13)),
            (14, process(1, 14, 10)),
            (15, process(1, 15, 15)),
            (
                16,
                Stat {
                    zombie: true,
                    ..process(10, 10, 10)
                },
            ),
        ]);
        assert_eq!(members(&all, 10, true), BTreeSet::from([11, 12, 13, 14]));
        assert!(members(&all, 10, false).contains(&10));
    }

    #[test]
    fn a_torn_table_with_a_cycle_does_not_hang() {
        let process = |parent| Stat {
            zombie: false,
            parent,
            group: 0,
            session: 0,
        };
        let all = BTreeMap::from([(2, process(3)), (3, process(2))]);
        assert!(!descends(&all, 2, 10));
    }
}
