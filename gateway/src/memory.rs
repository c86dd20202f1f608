//! How much memory the service may use, and how it is shared out.

use std::fs;

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
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .find_map(|path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok());
    let whole = [machine, container].into_iter().flatten().min().unwrap_or(UNKNOWN);
    (whole / 4).max(LEAST)
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
        assert!(default_budget() >= LEAST);
    }

    #[test]
    fn something_is_left_beside_the_shares() {
        let shares = Shares::of(512 << 20);
        assert_eq!(shares.in_flight + shares.matches, 384 << 20);
    }
}
