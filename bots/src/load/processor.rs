//! The processor time that a process has used, as the system counts it.

use std::time::Duration;

/// How many ticks of the system's count a second has.
const TICKS: u32 = 100;

/// The time that a process has used so far; nothing where the system does not tell.
pub fn used(process: Option<u32>) -> Option<Duration> {
    let name = process.map_or_else(|| "self".to_owned(), |id| id.to_string());
    parse(&std::fs::read_to_string(format!("/proc/{name}/stat")).ok()?)
}

/// Adds up the times in a line of `/proc`. The name of a process, which is in parentheses, can hold anything; what
/// follows the last parenthesis are numbers.
fn parse(stat: &str) -> Option<Duration> {
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut numbers = numbers.split_whitespace().skip(11);
    let user: u32 = numbers.next()?.parse().ok()?;
    let system: u32 = numbers.next()?.parse().ok()?;
    Some(Duration::from_secs(1) * (user + system) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_times_are_added_whatever_the_process_is_called() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0 1 0 99 1000";
        assert_eq!(parse(stat), Some(Duration::from_millis(1750)));
        assert_eq!(parse("nothing"), None);
        assert_eq!(parse("7 (a) S 1 2"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_time_and_nobody_else_does() {
        assert!(used(None).is_some());
        assert_eq!(used(Some(u32::MAX)), None);
    }
}
