//! What several settings must agree on.

use tracing_subscriber::EnvFilter;

use super::settings::Config;

/// Every disagreement, a sentence each.
pub(super) fn check(config: &Config) -> Vec<String> {
    [tls(config), exposure(config), advertised(config), deadlines(config), filter(config)]
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

fn advertised(config: &Config) -> Option<String> {
    let unclear = config.cluster.is_some() && config.cluster_advertise.is_none() && config.listen.ip().is_unspecified();
    unclear.then(|| {
        format!(
            "nobody can tell from {} where the other servers of the cluster reach this one; give --cluster-advertise",
            config.listen
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
