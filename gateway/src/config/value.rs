//! The kinds of value that a setting may have, as text.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use crate::http::{Origins, Proxies};

/// Where matches are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// Matches are kept in files of the data folder.
    Embedded,
    /// Matches are kept in memory only; everything is gone when the service ends.
    Memory,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines that are meant for people.
    Human,
    /// Lines that are meant for programs, one JSON object per line.
    Json,
}

/// Text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret text itself, for those who need it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

/// What is printed in place of a secret.
pub(super) const MASK: &str = "(hidden)";

/// A value of a setting.
pub(super) trait Value: Sized {
    /// What is expected, after "must be".
    const SHAPE: &'static str;
    /// Whether a flag without a value means something.
    const SWITCH: bool = false;

    /// The value that a text stands for.
    fn parse(text: &str) -> Option<Self>;

    /// The value as it is printed; `None` where nothing is set.
    fn show(&self) -> Option<toml::Value>;

    /// The number, where the value is one.
    fn number(&self) -> Option<u64> {
        None
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Value for $type {
            const SHAPE: &'static str = "a whole number";

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn show(&self) -> Option<toml::Value> {
                Some(toml::Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX)))
            }

            fn number(&self) -> Option<u64> {
                u64::try_from(*self).ok()
            }
        }
    )*};
}

numbers!(u32, u64, usize);

impl Value for bool {
    const SHAPE: &'static str = "true or false";
    const SWITCH: bool = true;

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> Option<toml::Value> {
        Some((*self).into())
    }
}

impl Value for SocketAddr {
    const SHAPE: &'static str =
        "an address or a name with a port, such as 127.0.0.1:7400, localhost:7400 or [::1]:7400";

    /// A name is looked up at once, so that everything that follows knows whether others can reach the address.
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| {
            // Of several addresses the one for IPv4 is taken: clients that know no better try 127.0.0.1.
            text.to_socket_addrs().ok()?.min_by_key(Self::is_ipv6)
        })
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }
}

impl Value for String {
    const SHAPE: &'static str = "text";

    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.as_str().into())
    }
}

impl Value for PathBuf {
    const SHAPE: &'static str = "a path";

    fn parse(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| text.into())
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.display().to_string().into())
    }
}

impl Value for Secret {
    const SHAPE: &'static str = "16 to 512 printable characters without spaces";

    fn parse(text: &str) -> Option<Self> {
        let fits = (16..=512).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(MASK.into())
    }
}

/// The address of another service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(pub String);

impl Value for Url {
    const SHAPE: &'static str = "an address such as http://127.0.0.1:4317";

    fn parse(text: &str) -> Option<Self> {
        let uri: http::Uri = text.parse().ok()?;
        let known = matches!(uri.scheme_str(), Some("http" | "https")) && uri.authority().is_some();
        known.then(|| Self(text.trim_end_matches('/').to_owned()))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.0.as_str().into())
    }
}

/// The servers of NATS.
#[derive(Clone, PartialEq, Eq)]
pub struct Servers(Vec<async_nats::ServerAddr>);

impl Servers {
    /// The addresses of the servers.
    pub fn addresses(&self) -> &[async_nats::ServerAddr] {
        &self.0
    }
}

impl fmt::Display for Servers {
    /// Shows the addresses without user names and passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, server) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{}://{}:{}", server.scheme(), server.host(), server.port())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Servers({self})")
    }
}

impl Value for Servers {
    const SHAPE: &'static str = "addresses of NATS servers such as nats://host1:4222,host2:4222,host3:4222";

    fn parse(text: &str) -> Option<Self> {
        let servers = text.split(',').map(str::trim).map(|server| match server {
            "" => None,
            server => server.parse::<async_nats::ServerAddr>().ok(),
        });
        let servers = servers.collect::<Option<Vec<_>>>()?;
        let known = |server: &async_nats::ServerAddr| matches!(server.scheme(), "nats" | "tls");
        servers.iter().all(known).then_some(Self(servers))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }
}

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort(pub String);

impl Value for HostPort {
    const SHAPE: &'static str = "a host and a port such as 10.0.0.7:7400";

    fn parse(text: &str) -> Option<Self> {
        let address: http::uri::Authority = text.parse().ok()?;
        let plain = !address.host().is_empty() && !text.contains('@');
        (plain && address.port_u16().is_some_and(|port| port > 0)).then(|| Self(text.to_owned()))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.0.as_str().into())
    }
}

/// Names of hosts, without ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames(pub Vec<String>);

impl Value for HostNames {
    const SHAPE: &'static str = "names of hosts such as play.example, separated by commas";

    fn parse(text: &str) -> Option<Self> {
        let is_name = |name: &str| name.parse::<http::uri::Authority>().is_ok_and(|said| said.host() == name);
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| is_name(name).then(|| name.to_owned())).collect::<Option<_>>().map(Self)
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.0.join(",").into())
    }
}

/// The name of a cluster, which is a part of names in NATS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

impl Value for Name {
    const SHAPE: &'static str = "1 to 32 letters, digits, dashes and underscores";

    fn parse(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        ((1..=32).contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.0.as_str().into())
    }
}

/// A part of a whole, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio(pub u32);

impl Value for Ratio {
    const SHAPE: &'static str = "a number from 0 to 1, such as 0.01";

    fn parse(text: &str) -> Option<Self> {
        let ratio: f64 = text.parse().ok()?;
        (0.0..=1.0).contains(&ratio).then(|| Self((ratio * 1e6).round() as u32))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(toml::Value::Float(f64::from(self.0) / 1e6))
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

/// The units of a [`ByteSize`], the smallest first; each is 1024 times the one before it.
const BYTE_UNITS: [char; 4] = ['K', 'M', 'G', 'T'];

impl ByteSize {
    /// A size of so many mebibytes.
    pub const fn mebibytes(count: u64) -> Self {
        Self(count << 20)
    }
}

impl fmt::Display for ByteSize {
    /// Prints the size in the largest unit that leaves no remainder, so that what is printed can be read back as the
    /// same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |power: &usize| self.0 > 0 && self.0.trailing_zeros() as usize >= 10 * power;
        match (1..=BYTE_UNITS.len()).rev().find(fits) {
            Some(power) => write!(f, "{}{}iB", self.0 >> (10 * power), BYTE_UNITS[power - 1]),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Value for ByteSize {
    const SHAPE: &'static str = "a number of bytes such as 96M, 2G, 512KiB or 1048576";

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (count, unit) = text.split_at(digits);
        let unit = unit.trim_start().to_ascii_uppercase();
        let unit = unit.strip_suffix("IB").unwrap_or(&unit);
        let power = match unit {
            "" if digits == text.len() => 0,
            unit => 1 + BYTE_UNITS.iter().position(|known| unit.chars().eq([*known]))?,
        };
        let bytes = count.parse::<u64>().ok()?.checked_mul(1 << (10 * power))?;
        // A TOML file knows no larger number.
        i64::try_from(bytes).is_ok().then_some(Self(bytes))
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }

    fn number(&self) -> Option<u64> {
        Some(self.0)
    }
}

impl<T: Value> Value for Option<T> {
    const SHAPE: &'static str = T::SHAPE;

    fn parse(text: &str) -> Option<Self> {
        T::parse(text).map(Some)
    }

    fn show(&self) -> Option<toml::Value> {
        self.as_ref().and_then(T::show)
    }

    fn number(&self) -> Option<u64> {
        self.as_ref().and_then(T::number)
    }
}

impl Value for Origins {
    const SHAPE: &'static str = "origins such as https://play.example, separated by commas";

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }
}

impl Value for Proxies {
    const SHAPE: &'static str = "addresses or ranges such as 10.0.0.0/8, separated by commas";

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }
}

impl Value for Store {
    const SHAPE: &'static str = "embedded or memory";

    fn parse(text: &str) -> Option<Self> {
        [Self::Embedded, Self::Memory].into_iter().find(|store| store.name() == text)
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.name().into())
    }
}

impl Store {
    const fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Memory => "memory",
        }
    }
}

impl Value for LogFormat {
    const SHAPE: &'static str = "human or json";

    fn parse(text: &str) -> Option<Self> {
        [Self::Human, Self::Json].into_iter().find(|format| format.name() == text)
    }

    fn show(&self) -> Option<toml::Value> {
        Some(self.name().into())
    }
}

impl LogFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
        }
    }
}
