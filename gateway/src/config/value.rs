//! The kinds of value that a setting may have, as text.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::door::Origins;

/// Where matches are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In files of the data folder.
    Embedded,
    /// Nowhere; everything is gone when the service ends.
    Memory,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Human,
    /// For programs, one JSON object per line.
    Json,
}

/// Text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
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

    /// The value as it is printed; none where nothing is set.
    fn show(&self) -> Option<toml::Value>;

    /// The number, where it is one.
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
    const SHAPE: &'static str = "an address with a port, such as 127.0.0.1:7400 or [::1]:7400";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
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
    /// Where they are.
    pub fn addresses(&self) -> &[async_nats::ServerAddr] {
        &self.0
    }
}

impl fmt::Display for Servers {
    /// Without names and passwords.
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

impl<T: Value> Value for Option<T> {
    const SHAPE: &'static str = T::SHAPE;

    fn parse(text: &str) -> Option<Self> {
        T::parse(text).map(Some)
    }

    fn show(&self) -> Option<toml::Value> {
        self.as_ref().and_then(T::show)
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
