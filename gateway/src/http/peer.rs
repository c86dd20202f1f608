//! Who a request comes from: the connection's address or, where the connection is a trusted proxy's, the address that
//! the proxy says.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::HeaderMap;
use http::header::{FORWARDED, HeaderName, HeaderValue};
use subtle::ConstantTimeEq;

/// The header that most proxies say an address with.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The headers that proxies add to a request that they pass on. Who sends such a request may be anywhere, whoever
/// brings it.
const PASSED_ON: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];
/// The header by which a server of the same cluster shows that it sends a call on. Its value is the cluster's password.
pub const HOP: HeaderName = HeaderName::from_static("parley-hop");
/// The header that says where a call came from which another server of the cluster sends on.
pub const HOP_PEER: HeaderName = HeaderName::from_static("parley-hop-peer");

/// Where a request comes from, among its extensions. Requests from inside the process have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The address of whoever calls.
    pub address: IpAddr,
    /// Whether the caller is on this machine with nobody between, and so exempt from quotas of creations, matches and
    /// connections (`exempt_loopback`).
    pub exempt: bool,
}

/// Marks a request that another server of the cluster has sent on and vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardedCall;

/// A range of addresses, such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u128,
    bits: u32,
}

impl Range {
    /// An address as the number of an IPv6 one, so that `::ffff:10.0.0.1` is `10.0.0.1`.
    fn number(address: IpAddr) -> u128 {
        match address {
            IpAddr::V4(address) => address.to_ipv6_mapped().into(),
            IpAddr::V6(address) => address.into(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        (bits <= width).then(|| Self { first: Self::number(address), bits: bits + 128 - width })
    }

    fn contains(self, address: IpAddr) -> bool {
        let apart = self.first ^ Self::number(address);
        self.bits == 0 || apart >> (128 - self.bits) == 0
    }
}

/// The addresses of proxies whose word counts for where a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxies {
    text: Arc<str>,
    ranges: Arc<[Range]>,
}

impl Default for Proxies {
    /// Proxies on this machine: whoever else is on it is trusted more than any proxy.
    fn default() -> Self {
        Self::parse("127.0.0.0/8,::1").unwrap_or_else(|| Self { text: "".into(), ranges: [].into() })
    }
}

impl fmt::Display for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Proxies {
    /// Reads addresses and ranges of them, separated by commas, such as `10.0.0.0/8, ::1`; an empty text is nobody.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = || text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let ranges = parts().map(Range::parse).collect::<Option<Arc<[_]>>>()?;
        Some(Self { text: parts().collect::<Vec<_>>().join(",").into(), ranges })
    }

    /// Whether an address is one of these.
    pub(super) fn trusts(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| range.contains(address))
    }

    /// The address that the proxies name: the nearest one that is not a proxy's. `None` where nobody names any, or
    /// where the two headers disagree, because then one of them was not written by the proxy.
    fn told(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let x = self.nearest(listed(headers, &X_FORWARDED_FOR).map(address_of));
        let standard = self.nearest(listed(headers, &FORWARDED).map(forwarded_for));
        match (x, standard) {
            (Some(x), Some(standard)) => (x == standard).then_some(x),
            (x, standard) => x.or(standard),
        }
    }

    /// The last address of a list that is not a trusted proxy's. What cannot be read ends the list: everything before
    /// it was said by nobody who is trusted.
    fn nearest<'a>(&self, list: impl DoubleEndedIterator<Item = Option<IpAddr>> + 'a) -> Option<IpAddr> {
        let mut nearest = None;
        for address in list.rev() {
            let Some(address) = address else { return nearest };
            nearest = Some(address);
            if !self.trusts(address) {
                break;
            }
        }
        nearest
    }
}

/// The parts of all lines of a header that is a list.
fn listed<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl DoubleEndedIterator<Item = &'a str> {
    let lines: Vec<&str> = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or("?")).collect();
    lines.into_iter().flat_map(|line| line.split(',')).map(str::trim)
}

/// An address as proxies write it: with or without a port, in brackets or not.
fn address_of(text: &str) -> Option<IpAddr> {
    let text = text.trim_matches('"');
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// The address in one element of a `Forwarded` header.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    address_of(value.trim())
}

/// Whether a proxy has passed a request on, so that whoever sent it may be anywhere.
pub(super) fn is_passed_on(headers: &HeaderMap) -> bool {
    PASSED_ON.iter().any(|name| headers.contains_key(*name))
}

/// What decides where requests of one connection come from.
#[derive(Clone, Debug)]
pub(super) struct ConnectionOrigin {
    /// The address of the connection; `None` inside the process.
    pub(super) address: Option<IpAddr>,
    /// Whether callers on this machine are exempt from quotas.
    pub(super) exempt_loopback: bool,
    pub(super) proxies: Proxies,
    /// The password that servers of the same cluster show.
    pub(super) cluster: Option<Arc<str>>,
}

/// Where a request comes from, and who said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestOrigin {
    /// From inside the process.
    Inside,
    /// From the connection's own address.
    Connection(Peer),
    /// From the address that a trusted proxy named, or from the proxy's own where it named none.
    Proxy(Peer),
    /// From wherever another server of the cluster says; from inside that server where it says nothing.
    Cluster(Option<Peer>),
}

impl ConnectionOrigin {
    /// Where a request with these headers comes from. What only servers of the cluster may say is taken out.
    pub(super) fn of(&self, headers: &mut HeaderMap) -> RequestOrigin {
        let Some(address) = self.address else { return RequestOrigin::Inside };
        if let (Some(hop), said) = (headers.remove(HOP), headers.remove(HOP_PEER))
            && self.cluster.as_ref().is_some_and(|password| bool::from(hop.as_bytes().ct_eq(password.as_bytes())))
        {
            return RequestOrigin::Cluster(said.as_ref().and_then(Peer::read));
        }
        if is_passed_on(headers) {
            if self.proxies.trusts(address) {
                // Whoever cannot be told apart from others behind the proxy still shares its connection with them.
                let told = self.proxies.told(headers).unwrap_or(address);
                return RequestOrigin::Proxy(Peer { address: told, exempt: false });
            }
            return RequestOrigin::Connection(Peer { address, exempt: false });
        }
        let exempt = self.exempt_loopback && address.to_canonical().is_loopback();
        RequestOrigin::Connection(Peer { address, exempt })
    }
}

impl Peer {
    /// The peer as another server of the cluster is told: the address, and whether it is exempt.
    pub fn write(&self) -> Option<HeaderValue> {
        let exempt = if self.exempt { " exempt" } else { "" };
        HeaderValue::from_str(&format!("{}{exempt}", self.address)).ok()
    }

    fn read(value: &HeaderValue) -> Option<Self> {
        let text = value.to_str().ok()?;
        let (address, exempt) = text.strip_suffix(" exempt").map_or((text, false), |address| (address, true));
        Some(Self { address: address.parse().ok()?, exempt })
    }
}

impl Default for ConnectionOrigin {
    fn default() -> Self {
        Self { address: None, exempt_loopback: true, proxies: Proxies::default(), cluster: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(address: &str, proxies: &str) -> ConnectionOrigin {
        ConnectionOrigin {
            address: Some(address.parse().expect("an address")),
            exempt_loopback: true,
            proxies: Proxies::parse(proxies).expect("ranges"),
            cluster: Some("secret".into()),
        }
    }

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    fn peer(address: &str, exempt: bool) -> Peer {
        Peer { address: address.parse().expect("an address"), exempt }
    }

    #[test]
    fn the_connection_is_believed_where_nobody_is_trusted() {
        let forged = &[("x-forwarded-for", "8.8.8.8")][..];
        let cases = [
            ("9.9.9.9", &[][..], RequestOrigin::Connection(peer("9.9.9.9", false))),
            ("9.9.9.9", forged, RequestOrigin::Connection(peer("9.9.9.9", false))),
            ("127.0.0.1", &[][..], RequestOrigin::Connection(peer("127.0.0.1", true))),
            ("::1", &[][..], RequestOrigin::Connection(peer("::1", true))),
            ("::ffff:127.0.0.1", &[][..], RequestOrigin::Connection(peer("::ffff:127.0.0.1", true))),
            // Somebody is between, so the caller may be anywhere.
            ("127.0.0.1", forged, RequestOrigin::Connection(peer("127.0.0.1", false))),
        ];
        for (address, lines, expected) in cases {
            assert_eq!(origin(address, "").of(&mut headers(lines)), expected, "{address} {lines:?}");
        }
        assert_eq!(ConnectionOrigin::default().of(&mut HeaderMap::new()), RequestOrigin::Inside);
    }

    #[test]
    fn a_trusted_proxy_names_the_nearest_address_that_is_not_a_proxys() {
        let cases = [
            (&[("x-forwarded-for", "8.8.8.8")][..], Some("8.8.8.8")),
            (&[("x-forwarded-for", "1.1.1.1, 8.8.8.8")], Some("8.8.8.8")),
            (&[("x-forwarded-for", "1.1.1.1, 8.8.8.8, 10.0.0.7")], Some("8.8.8.8")),
            (&[("x-forwarded-for", "8.8.8.8:4711")], Some("8.8.8.8")),
            (&[("x-forwarded-for", "2001:db8::1")], Some("2001:db8::1")),
            (&[("x-forwarded-for", "10.0.0.5")], Some("10.0.0.5")),
            (&[("forwarded", "for=1.1.1.1, for=8.8.8.8;proto=https;by=10.0.0.1")], Some("8.8.8.8")),
            (&[("forwarded", "proto=https;For=\"[2001:db8::1]:4711\"")], Some("2001:db8::1")),
            (&[("forwarded", "for=8.8.8.8"), ("x-forwarded-for", "8.8.8.8")], Some("8.8.8.8")),
            // One of the two was not written by the proxy, which speaks for others on the same connection nevertheless.
            (&[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "8.8.8.8")], None),
            (&[("x-forwarded-for", "unknown")], None),
            (&[("forwarded", "for=_hidden")], None),
            (&[("x-forwarded-for", "")], None),
            (&[("via", "1.1 proxy")], None),
        ];
        for (lines, expected) in cases {
            let expected = RequestOrigin::Proxy(peer(expected.unwrap_or("10.1.2.3"), false));
            assert_eq!(origin("10.1.2.3", "10.0.0.0/8").of(&mut headers(lines)), expected, "{lines:?}");
        }
    }

    #[test]
    fn only_who_knows_the_password_speaks_for_others() {
        let told = |hop| headers(&[("parley-hop", hop), ("parley-hop-peer", "8.8.8.8 exempt")]);
        let from = origin("9.9.9.9", "").of(&mut told("secret"));
        assert_eq!(from, RequestOrigin::Cluster(Some(peer("8.8.8.8", true))));
        let mut forged = told("guess");
        assert_eq!(origin("9.9.9.9", "").of(&mut forged), RequestOrigin::Connection(peer("9.9.9.9", false)));
        assert!(forged.is_empty(), "nobody sees it further in");
        for exempt in [false, true] {
            let peer = peer("2001:db8::1", exempt);
            assert_eq!(peer.write().as_ref().and_then(Peer::read), Some(peer));
        }
    }

    #[test]
    fn ranges_are_addresses_with_a_number_of_bits() {
        for good in ["", "10.0.0.0/8", "10.0.0.1", "::1, 2001:db8::/32", "0.0.0.0/0"] {
            assert!(Proxies::parse(good).is_some(), "{good}");
        }
        for bad in ["10.0.0.0/33", "proxy.example", "10.0.0", "::1/129", "10.0.0.0/x"] {
            assert!(Proxies::parse(bad).is_none(), "{bad}");
        }
        let all = Proxies::parse("0.0.0.0/0").expect("a range");
        assert!(all.trusts("203.0.113.9".parse().expect("an address")));
        assert!(!all.trusts("::1".parse().expect("an address")));
        let mapped = Proxies::parse("10.0.0.0/8").expect("a range");
        assert!(mapped.trusts("::ffff:10.9.9.9".parse().expect("an address")));
    }
}
