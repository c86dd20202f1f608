//! How much memory the service may use, and how it is shared out.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// How many bytes of memory a machine is believed to have where the system does not say.
const UNKNOWN: u64 = 4 << 30;
/// The least budget in bytes that is taken where none is said: the service alone needs a good part of it.
const LEAST: u64 = 256 << 20;

/// How the memory of the service is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Bytes for what is in flight: connections, calls, requests and answers. It is a half of the budget.
    pub in_flight: usize,
    /// Bytes for matches in memory. It is a quarter; what is left is for the store, for what runs apart, and for
    /// everything else.
    pub matches: usize,
}

impl Shares {
    /// The shares of a budget.
    pub const fn of(budget: u64) -> Self {
        Self { in_flight: (budget / 2) as usize, matches: (budget / 4) as usize }
    }
}

/// The budget where none is said: a quarter of the memory of the machine, or of the container.
pub fn default_budget() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limit = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let container = limit_files(&groups).into_iter().filter_map(limit).min();
    budget_of([machine, container].into_iter().flatten().min().unwrap_or(UNKNOWN))
}

/// The budget of a machine or a container with so many bytes: a quarter of them, or the least that the service needs, but
/// never more than a half, because not everything that a process takes is in its budget.
fn budget_of(whole: u64) -> u64 {
    (whole / 4).max(LEAST).min(whole / 2)
}

/// The files that may say how much memory this process gets: those of its own control group and of all groups that this
/// one is in, as `/proc/self/cgroup` names it, and that of a container where the group is not to be seen.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let root = Path::new("/sys/fs/cgroup");
    // The line of version 2 has no controllers: 0::/system.slice/parley.service
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let own = Path::new(own);
    let own = if own.components().all(|part| matches!(part, Component::Normal(_))) { own } else { Path::new("") };
    let mut files: Vec<PathBuf> = own.ancestors().map(|group| root.join(group).join("memory.max")).collect();
    files.push(root.join("memory/memory.limit_in_bytes"));
    files
}

/// The memory of the machine as `/proc/meminfo` tells it, in bytes.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_says_how_much_it_has() {
        let text = "MemTotal:       24689764 kB\nMemFree:        22000000 kB\n";
        assert_eq!(total(text), Some(24_689_764 << 10));
        assert_eq!(total("nothing"), None);
        assert!(default_budget() > 0);
    }

    #[test]
    fn a_small_container_is_not_all_budget() {
        assert_eq!(budget_of(8 << 30), 2 << 30);
        assert_eq!(budget_of(768 << 20), LEAST);
        assert_eq!(budget_of(256 << 20), 128 << 20);
    }

    #[test]
    fn the_own_group_and_those_around_it_say_how_much_there_is() {
        let files =
            |text: &str| -> Vec<String> { limit_files(text).iter().map(|file| file.display().to_string()).collect() };
        let (whole, old) = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes");
        let own = "/sys/fs/cgroup/system.slice/parley.service/memory.max";
        let around = "/sys/fs/cgroup/system.slice/memory.max";
        assert_eq!(files("1:cpu:/\n0::/system.slice/parley.service\n"), [own, around, whole, old]);
        for text in ["0::/\n", "", "4:memory:/docker/1\n", "0::/../../elsewhere\n"] {
            assert_eq!(files(text), [whole, old], "{text:?}");
        }
    }

    #[test]
    fn something_is_left_beside_the_shares() {
        let shares = Shares::of(512 << 20);
        assert_eq!(shares.in_flight + shares.matches, 384 << 20);
    }
}
