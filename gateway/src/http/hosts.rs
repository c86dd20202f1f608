//! For whom a service that only its own machine can reach takes a request to be meant.
//!
//! A web page from elsewhere can have its own name point to 127.0.0.1 ("DNS rebinding"); the browser then takes the
//! service for the page's own server and lets the page read everything. What the browser cannot change is the name that
//! it sends along: so where the service listens on loopback, requests for other names than the machine's own are
//! refused.

use std::net::IpAddr;
use std::sync::Arc;

use http::uri::Authority;
use http::{Request, header};

use super::origins::Origins;
use crate::config::HostNames;

/// The names that requests may be meant for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Arc<[String]>);

impl Hosts {
    /// The machine's own names, which are always good, and these.
    pub fn new(names: &HostNames, origins: &Origins, advertised: Option<&str>) -> Self {
        let advertised = advertised.and_then(|address| address.parse::<Authority>().ok());
        let advertised = advertised.as_ref().map(Authority::host).map(str::to_owned);
        let names = names.0.iter().cloned().chain(origins.hosts()).chain(advertised);
        Self(names.map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Whether a request is meant for one of these names. One that does not say for whom it is comes from no browser.
    pub(super) fn allows<B>(&self, request: &Request<B>) -> bool {
        let said = match (request.uri().authority(), request.headers().get(header::HOST)) {
            (Some(authority), _) => Some(authority.clone()),
            (None, Some(host)) => match Authority::try_from(host.as_bytes()) {
                Ok(authority) => Some(authority),
                Err(_) => return false,
            },
            (None, None) => None,
        };
        said.is_none_or(|authority| self.knows(authority.host()))
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let own = bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
        own || host == "localhost" || self.0.contains(&host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_machine_and_those_that_were_named_are_good() {
        let names = HostNames(vec!["Play.example".to_owned()]);
        let origins = Origins::parse("https://web.example, http://[2001:db8::1]:5173").expect("origins");
        let hosts = Hosts::new(&names, &origins, Some("gateway-0:7400"));
        let asked = |host: &str| Request::builder().header("host", host).body(()).expect("a request");
        let good = [
            "localhost",
            "LOCALHOST:7400",
            "localhost.",
            "127.0.0.1:7400",
            "127.9.9.9",
            "[::1]:7400",
            "[::1]",
            "[::ffff:127.0.0.1]:1",
            "play.example",
            "PLAY.example:443",
            "web.example:8443",
            "[2001:db8::1]:5173",
            "gateway-0:7400",
        ];
        for host in good {
            assert!(hosts.allows(&asked(host)), "{host}");
        }
        let bad = [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "0.0.0.0:7400",
            "192.0.2.1",
            "play.example.evil",
            "[::2]",
            "",
            "a b",
        ];
        for host in bad {
            assert!(!hosts.allows(&asked(host)), "{host}");
        }
        assert!(hosts.allows(&Request::new(())), "no browser leaves it out");
        let spoken = |uri: &str| Request::builder().uri(uri).header("host", "localhost").body(()).expect("a request");
        assert!(hosts.allows(&spoken("http://localhost:7400/parley.v1.Lobby/GetMatch")));
        assert!(!hosts.allows(&spoken("http://evil.example/parley.v1.Lobby/GetMatch")), "the authority is what counts");
    }
}
