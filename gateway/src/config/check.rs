//! What several settings must agree on.

use tracing_subscriber::EnvFilter;

use super::settings::Config;
use super::value::ByteSize;
use crate::http::LEAST_IN_FLIGHT;

/// Every disagreement, a sentence each.
pub(super) fn check(config: &Config) -> Vec<String> {
    [
        tls(config),
        exposure(config),
        numbers(config),
        room(config),
        advertised(config),
        maps(config),
        in_flight(config),
        deadlines(config),
        filter(config),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn tls(config: &Config) -> Option<String> {
    match (&config.tls_certificate, &config.tls_key) {
        (Some(_), None) => Some("tls_certificate is set but tls_key is not; TLS needs both".to_owned()),
        (None, Some(_)) => Some("tls_key is set but tls_certificate is not; TLS needs both".to_owned()),
        _ => None,
    }
}

fn exposure(config: &Config) -> Option<String> {
    let plain = config.tls_certificate.is_none() && config.tls_key.is_none();
    let reachable = !config.listen.ip().to_canonical().is_loopback();
    (plain && reachable && !config.insecure).then(|| {
        format!(
            "{} can be reached by others and there is no TLS, so tokens could be read on the way; give --tls-certificate \
             and --tls-key, listen on 127.0.0.1, or say --insecure if something in front of the service does TLS",
            config.listen
        )
    })
}

fn numbers(config: &Config) -> Option<String> {
    let same = config.metrics_listen == Some(config.listen) && config.listen.port() != 0;
    same.then(|| format!("listen and metrics_listen are both {}; numbers need an address of their own", config.listen))
}

fn room(config: &Config) -> Option<String> {
    let (create, play) = (config.disk_free_to_create, config.disk_free_to_play);
    (play > create).then(|| {
        format!(
            "disk_free_to_play is {play}, which is more than disk_free_to_create, {create}; matches would pause first"
        )
    })
}

fn advertised(config: &Config) -> Option<String> {
    let unclear = config.cluster.is_some() && config.cluster_advertise.is_none() && config.listen.ip().is_unspecified();
    unclear.then(|| {
        format!(
            "nobody can tell from {} where the other servers of the cluster reach this one; give --cluster-advertise",
            config.listen
        )
    })
}

/// A match on the largest map is in memory several times over while it is created, played, looked at and told again.
fn maps(config: &Config) -> Option<String> {
    const BYTES_PER_TILE: u64 = 1024;
    let (needed, budget) = (config.max_map_tiles as u64 * BYTES_PER_TILE, config.memory_budget());
    (needed > budget).then(|| {
        format!(
            "maps of {} tiles (max_map_tiles) need a memory_budget of at least {}, and it is {}",
            config.max_map_tiles,
            ByteSize(needed),
            ByteSize(budget)
        )
    })
}

/// A connection and a call with the smallest message that `max_message_bytes` can allow must have room, or everything would
/// be refused.
fn in_flight(config: &Config) -> Option<String> {
    let limits = config.budget_limits();
    let needed = LEAST_IN_FLIGHT as u64;
    [
        ("max_bytes_in_flight", limits.total),
        ("max_bytes_in_flight_per_address", limits.per_address),
        ("max_bytes_in_flight_per_connection", limits.per_connection),
    ]
    .into_iter()
    .find(|(_, bytes)| *bytes < LEAST_IN_FLIGHT)
    .map(|(name, bytes)| {
        format!(
            "{name} is {}, and one connection with one call needs {}, so every call would be refused; where it is not \
             said, it comes from memory_budget",
            ByteSize(bytes as u64),
            ByteSize(needed)
        )
    })
}

fn deadlines(config: &Config) -> Option<String> {
    let most = config.max_deadline().as_secs();
    [("planning_seconds", config.planning_seconds), ("decision_seconds", config.decision_seconds)]
        .into_iter()
        .find(|(_, seconds)| *seconds > most)
        .map(|(name, seconds)| format!("{name} is {seconds}, which is later than max_deadline_days allows, {most}"))
}

fn filter(config: &Config) -> Option<String> {
    EnvFilter::try_new(&config.log_filter)
        .err()
        .map(|error| format!("log_filter {:?} cannot be read: {error}", config.log_filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_in_flight_than_one_call_needs_is_refused_in_a_sentence() {
        let with = |bytes| Config { max_bytes_in_flight_per_connection: Some(ByteSize(bytes)), ..Config::default() };
        for bytes in [0, 64 << 10, LEAST_IN_FLIGHT as u64 - 1] {
            let sentence = in_flight(&with(bytes)).expect("every call would be refused");
            assert!(sentence.starts_with("max_bytes_in_flight_per_connection is "), "{sentence}");
        }
        assert_eq!(in_flight(&with(LEAST_IN_FLIGHT as u64)), None);
        assert_eq!(in_flight(&Config::default()), None);
    }
}
