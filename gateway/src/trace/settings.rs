//! Where traces go and which are taken: this service's own settings first, then the variables that OpenTelemetry names.

use std::path::PathBuf;

use http::{HeaderName, HeaderValue, Uri};

use super::EVERY_TRACE;
use crate::config::{Config, Ratio};

/// How traces are sent.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// The address of the collector.
    pub endpoint: Uri,
    /// The certificate to trust for https.
    pub certificate: Option<PathBuf>,
    /// The headers that are sent with every call.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The attributes that say who sends: `service.name` first.
    pub resource: Vec<(String, String)>,
    /// The bound below which the number of a trace has to be for it to be taken.
    pub(super) bound: u64,
}

/// Why traces cannot be sent as the settings say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {what}")]
pub struct TraceError {
    /// The name of the setting or variable.
    pub name: String,
    /// What is wrong with it.
    pub what: String,
}

fn wrong(name: &str, what: impl Into<String>) -> TraceError {
    TraceError { name: name.to_owned(), what: what.into() }
}

impl TraceSettings {
    /// Reads what a configuration and the environment say; `None` where traces are off.
    pub fn read(config: &Config, variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, TraceError> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let off = variable("OTEL_SDK_DISABLED").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
            || variable("OTEL_TRACES_EXPORTER").is_some_and(|value| value.trim() == "none");
        let named = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
        let own = config.otlp.as_ref().map(|url| ("otlp", url.0.clone()));
        let found = own.or_else(|| {
            let standard = named.into_iter().find_map(|name| Some((name, variable(name)?)));
            standard.filter(|_| !off)
        });
        let Some((name, endpoint)) = found else { return Ok(None) };
        let endpoint: Uri = endpoint.trim().parse().map_err(|_| wrong(name, "is no address"))?;
        if !matches!(endpoint.scheme_str(), Some("http" | "https")) || endpoint.authority().is_none() {
            return Err(wrong(name, "must be an address such as http://127.0.0.1:4317"));
        }
        if let Some(protocol) = variable("OTEL_EXPORTER_OTLP_PROTOCOL").filter(|protocol| protocol.trim() != "grpc") {
            let what = format!("{protocol:?} is not spoken here; traces are sent by grpc");
            return Err(wrong("OTEL_EXPORTER_OTLP_PROTOCOL", what));
        }
        let service = variable("OTEL_SERVICE_NAME").unwrap_or_else(|| "parley".to_owned());
        let mut resource = vec![("service.name".to_owned(), service)];
        resource.push(("service.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
        let attributes = pairs("OTEL_RESOURCE_ATTRIBUTES", variable("OTEL_RESOURCE_ATTRIBUTES"))?;
        resource.extend(attributes.into_iter().filter(|(key, _)| key != "service.name"));
        let header = |(key, value): (String, String)| {
            let parsed = key.to_ascii_lowercase().parse().ok().zip(value.parse().ok());
            parsed.ok_or_else(|| wrong("OTEL_EXPORTER_OTLP_HEADERS", format!("{key:?} is no header")))
        };
        let headers = pairs("OTEL_EXPORTER_OTLP_HEADERS", variable("OTEL_EXPORTER_OTLP_HEADERS"))?;
        Ok(Some(Self {
            endpoint,
            certificate: variable("OTEL_EXPORTER_OTLP_CERTIFICATE").map(PathBuf::from),
            headers: headers.into_iter().map(header).collect::<Result<_, _>>()?,
            resource,
            bound: bound(config, variable)?,
        }))
    }
}

/// The bound that says which traces are taken.
fn bound(config: &Config, variable: impl Fn(&str) -> Option<String>) -> Result<u64, TraceError> {
    if let Some(Ratio(millionths)) = config.trace_ratio {
        return Ok(below(f64::from(millionths) / 1e6));
    }
    let argument = || match variable("OTEL_TRACES_SAMPLER_ARG") {
        None => Ok(EVERY_TRACE),
        Some(text) => {
            let ratio = text.trim().parse::<f64>().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
            ratio.map(below).ok_or_else(|| wrong("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1"))
        }
    };
    match variable("OTEL_TRACES_SAMPLER").as_deref().map(str::trim) {
        None | Some("always_on" | "parentbased_always_on") => Ok(EVERY_TRACE),
        Some("always_off" | "parentbased_always_off") => Ok(0),
        Some("traceidratio" | "parentbased_traceidratio") => argument(),
        Some(other) => Err(wrong("OTEL_TRACES_SAMPLER", format!("{other:?} is not known here"))),
    }
}

fn below(ratio: f64) -> u64 {
    (ratio * EVERY_TRACE as f64) as u64
}

/// Reads `key=value,key=value`, where what cannot be said so is written with percent signs.
fn pairs(name: &str, text: Option<String>) -> Result<Vec<(String, String)>, TraceError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').ok_or_else(|| wrong(name, format!("{pair:?} is no key=value")))?;
        let plain = |text: &str| unescape(text.trim()).ok_or_else(|| wrong(name, format!("{text:?} is not text")));
        Ok((plain(key)?, plain(value)?))
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(pair).collect()
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || (rest.next()? as char).to_digit(16);
        bytes.push((digit()? << 4 | digit()?) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Url;

    fn read(config: &Config, variables: &[(&str, &str)]) -> Result<Option<TraceSettings>, TraceError> {
        TraceSettings::read(config, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn traces_are_off_unless_somebody_says_where_they_go() {
        assert!(read(&Config::default(), &[]).expect("settings").is_none());
        assert!(read(&Config::default(), &[("OTEL_SERVICE_NAME", "sea")]).expect("settings").is_none());
        let standard = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
        assert!(read(&Config::default(), &[standard, ("OTEL_SDK_DISABLED", "true")]).expect("settings").is_none());
        assert!(read(&Config::default(), &[standard, ("OTEL_TRACES_EXPORTER", "none")]).expect("settings").is_none());
        assert!(read(&Config::default(), &[standard]).expect("settings").is_some());
    }

    #[test]
    fn own_settings_come_before_the_environment() {
        let config = Config {
            otlp: Some(Url("http://127.0.0.1:1".to_owned())),
            trace_ratio: Some(Ratio(250_000)),
            ..Config::default()
        };
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:2"),
            ("OTEL_TRACES_SAMPLER", "always_off"),
            ("OTEL_SERVICE_NAME", "sea"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=no, deployment.environment = test%20bed"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "X-Scope=a%3Db"),
        ];
        let settings = read(&config, &variables).expect("settings").expect("on");
        assert_eq!(settings.endpoint.port_u16(), Some(1));
        assert_eq!(settings.bound, 1 << 61);
        assert_eq!(settings.resource[0], ("service.name".to_owned(), "sea".to_owned()));
        assert_eq!(settings.resource[2], ("deployment.environment".to_owned(), "test bed".to_owned()));
        assert_eq!(settings.headers, [("x-scope".parse().expect("a name"), HeaderValue::from_static("a=b"))]);
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        let standard = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
        let bad = [
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "127.0.0.1:4317"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_TRACES_SAMPLER", "jaeger_remote"),
            ("OTEL_RESOURCE_ATTRIBUTES", "nothing"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a b=c"),
        ];
        for (name, value) in bad {
            let error = read(&Config::default(), &[(name, value), standard]).expect_err(name);
            assert_eq!(error.name, name);
        }
        let sampler = [standard, ("OTEL_TRACES_SAMPLER", "traceidratio"), ("OTEL_TRACES_SAMPLER_ARG", "2")];
        assert_eq!(read(&Config::default(), &sampler).expect_err("2").name, "OTEL_TRACES_SAMPLER_ARG");
    }
}
