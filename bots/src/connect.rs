//! Reaching a server, and saying whose calls they are.

use std::error::Error;
use std::time::Duration;
use std::{fmt, io};

use parley_proto::v1::lobby_client::LobbyClient;
use parley_proto::v1::{ListHouseBotsRequest, Reason};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};

use crate::refusal::Refusal;

/// The address of a server that was started without settings.
pub const DEFAULT_ADDRESS: &str = "http://127.0.0.1:7400";
/// The variable of the environment that names another server for all clients.
pub const ADDRESS_VARIABLE: &str = "PARLEY_ADDR";
/// How long a connection may take to come about.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection is silent before the server is asked whether it is still there.
pub const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);
/// How long the server may take to answer that.
pub const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The address makes no sense.
    #[error("{address:?} is not an address such as {DEFAULT_ADDRESS}")]
    Address {
        /// The address as it was given.
        address: String,
    },
    /// The server's certificate cannot be checked.
    #[error("no https with {address}: {reason}")]
    Untrusted {
        /// The address of the server.
        address: String,
        /// What is missing for the check.
        reason: String,
    },
    /// Nothing listens at the address.
    #[error("nothing answers at {address} (connection refused)")]
    Nobody {
        /// The address of the server.
        address: String,
    },
    /// Something else than a Parley server is there.
    #[error("what answers at {address} is not a Parley server: {reason}")]
    NotParley {
        /// The address of the server.
        address: String,
        /// What it did instead of answering.
        reason: String,
    },
    /// The server answers only to other names.
    #[error(
        "the server at {address} does not serve the name {host}; start it with --host-names {host}, or set host_names"
    )]
    Misdirected {
        /// The address of the server.
        address: String,
        /// The name that it does not answer to.
        host: String,
    },
    /// There is no way to the server.
    #[error("no connection to {address}: {reason}")]
    Unreachable {
        /// The address of the server.
        address: String,
        /// What the system says.
        reason: String,
    },
}

impl ConnectError {
    /// Whether what was given is at fault, and not the machine or the server.
    pub const fn is_input(&self) -> bool {
        matches!(self, Self::Address { .. } | Self::Untrusted { .. })
    }
}

/// Whose word is taken, with https, that a server is the one it says it is.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    #[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "only https needs it"))]
    authority: Option<Vec<u8>>,
}

/// Text that is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no certificate in it, which in PEM begins with -----BEGIN CERTIFICATE-----")]
pub struct TrustError;

impl Trust {
    /// The authorities that the machine trusts.
    pub const SYSTEM: Self = Self { authority: None };

    /// One authority and nobody else: a certificate in PEM.
    pub fn authority(pem: Vec<u8>) -> Result<Self, TrustError> {
        const MARK: &[u8] = b"-----BEGIN CERTIFICATE-----";
        let found = pem.windows(MARK.len()).any(|window| window == MARK);
        if found { Ok(Self { authority: Some(pem) }) } else { Err(TrustError) }
    }

    #[cfg(feature = "tls")]
    fn secure(&self, endpoint: Endpoint) -> Result<Endpoint, String> {
        use tonic::transport::{Certificate, ClientTlsConfig};
        let tls = match &self.authority {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_enabled_roots(),
        };
        endpoint.tls_config(tls.timeout(CONNECT_TIMEOUT)).map_err(|error| innermost(&error))
    }

    #[cfg(not(feature = "tls"))]
    fn secure(&self, _: Endpoint) -> Result<Endpoint, String> {
        Err("this program was built without it".to_owned())
    }
}

/// Connects to a server, such as `http://localhost:7400`, `https://play.example` or just `localhost:7400`. The channel
/// can be cloned, and connects again by itself when it is used after it was lost.
pub async fn connect(address: &str) -> Result<Channel, ConnectError> {
    connect_trusting(address, &Trust::SYSTEM).await
}

/// Connects to a server whose certificate may be signed by an authority of one's own.
pub async fn connect_trusting(address: &str, trust: &Trust) -> Result<Channel, ConnectError> {
    let endpoint = endpoint_trusting(address, trust)?;
    endpoint.connect().await.map_err(|error| {
        let address = address.to_owned();
        match refused(&error) {
            true => ConnectError::Nobody { address },
            false => ConnectError::Unreachable { address, reason: innermost(&error) },
        }
    })
}

/// Makes sure that what answers at an address is a Parley server. Without this, a web server, or anything else that
/// takes connections, looks like a server that is away for a while.
pub async fn greet(channel: Channel, address: &str) -> Result<(), ConnectError> {
    let address = address.to_owned();
    let mut lobby = LobbyClient::new(channel);
    let asked = tokio::time::timeout(CONNECT_TIMEOUT, lobby.list_house_bots(ListHouseBotsRequest::default()));
    let reason = match asked.await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(status)) if Refusal::from(status.clone()).reason == Reason::HostUnknown => {
            return Err(misdirected(&address));
        }
        Ok(Err(status)) => match (status.source(), status.code()) {
            (Some(broken), _) => innermost(broken),
            (None, Code::Unimplemented | Code::Unknown | Code::Internal) => Refusal::from(status).to_string(),
            // It knows the call: it asks for patience, or is on its way out.
            (None, _) => return Ok(()),
        },
        Err(_) => format!("it took the connection and said nothing for {} seconds", CONNECT_TIMEOUT.as_secs()),
    };
    Err(ConnectError::NotParley { address, reason })
}

/// What it means that a server answers with the status 421, or to a call with the reason `HOST_UNKNOWN`.
pub fn misdirected(address: &str) -> ConnectError {
    let uri = endpoint(address).map(|endpoint| endpoint.uri().clone()).unwrap_or_default();
    let host = uri.host().unwrap_or(address).trim_matches(['[', ']']).to_owned();
    ConnectError::Misdirected { address: address.to_owned(), host }
}

/// Whether an error means that nothing listens at the address.
fn refused(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// An endpoint for an address, with timeouts that suit a player.
pub fn endpoint(address: &str) -> Result<Endpoint, ConnectError> {
    endpoint_trusting(address, &Trust::SYSTEM)
}

/// An endpoint whose certificate may be signed by an authority of one's own, with timeouts that suit a player.
pub fn endpoint_trusting(address: &str, trust: &Trust) -> Result<Endpoint, ConnectError> {
    let wrong = || ConnectError::Address { address: address.to_owned() };
    let whole = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let endpoint = Endpoint::from_shared(whole).map_err(|_| wrong())?;
    let uri = endpoint.uri();
    // What follows the host is a port that is a number, or nothing.
    let host = uri.host().unwrap_or_default();
    let port_is_wrong = uri.port_u16().is_none() && uri.authority().is_some_and(|whole| whole.as_str() != host);
    if host.is_empty() || port_is_wrong || !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(wrong());
    }
    let endpoint = match uri.scheme_str() {
        Some("http") => endpoint,
        Some("https") => {
            let untrusted = |reason| ConnectError::Untrusted { address: address.to_owned(), reason };
            trust.secure(endpoint).map_err(untrusted)?
        }
        _ => return Err(wrong()),
    };
    Ok(endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true))
}

/// The innermost cause of an error, which is the one that says something.
pub fn innermost(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// A bearer token, which says whose calls they are. It is never shown.
#[derive(Clone, Default)]
pub struct Token(Option<MetadataValue<Ascii>>);

/// Text that cannot be a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is printable ASCII text")]
pub struct TokenError;

impl Token {
    /// No token, as spectators of public matches have none.
    pub const NONE: Self = Self(None);

    /// A token as the lobby gave it; an empty text is no token.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        if text.is_empty() {
            return Ok(Self::NONE);
        }
        let mut value: MetadataValue<Ascii> = format!("Bearer {text}").parse().map_err(|_| TokenError)?;
        value.set_sensitive(true);
        Ok(Self(Some(value)))
    }

    /// A request that carries the token.
    pub fn on<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        request
    }

    /// The token as the lobby gave it; empty for none.
    pub(crate) fn text(&self) -> &str {
        let header = self.0.as_ref().and_then(|value| value.to_str().ok());
        header.and_then(|header| header.strip_prefix("Bearer ")).unwrap_or_default()
    }

    /// The bytes of the token, to derive things from that only its owner can know.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], MetadataValue::as_encoded_bytes)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Token(secret)" } else { "Token(none)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_make_no_sense_are_named() {
        for address in ["", "http://", "ftp://host", "a b", "https://", "http://host:port", "http://host/path"] {
            let error = endpoint(address).map(|_| ()).expect_err(address);
            assert_eq!(error, ConnectError::Address { address: address.to_owned() });
        }
        for address in ["localhost:7400", "http://localhost:7400", "http://host", "[::1]:7777", "http://host:1/"] {
            assert!(endpoint(address).is_ok(), "{address}");
        }
    }

    #[test]
    fn an_authority_is_a_certificate() {
        assert_eq!(Trust::authority(b"hello".to_vec()).err(), Some(TrustError));
        let damaged = b"-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n".to_vec();
        let trust = Trust::authority(damaged).expect("it looks like one");
        let error = endpoint_trusting("https://localhost:1", &trust).map(drop).expect_err("no certificate");
        assert!(error.is_input() && error.to_string().starts_with("no https with https://localhost:1: "), "{error}");
    }

    #[tokio::test]
    async fn nobody_there_is_one_sentence() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        drop(listener);
        let error = connect(&address).await.expect_err("nobody listens");
        assert_eq!(error.to_string(), format!("nothing answers at {address} (connection refused)"));
        assert!(!error.is_input());
    }

    /// A server of the web that answers everything with one page, and one that has been asleep since it was started.
    #[tokio::test]
    async fn something_else_than_parley_is_one_sentence() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        tokio::spawn(async move {
            while let Ok((mut web, _)) = listener.accept().await {
                let _ = web.read(&mut [0; 1024]).await;
                let _ = web.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
            }
        });
        let channel = connect(&address).await.expect("it takes connections");
        let error = greet(channel, &address).await.expect_err("no Parley");
        let sentence = format!("what answers at {address} is not a Parley server: ");
        assert!(error.to_string().starts_with(&sentence) && !error.is_input(), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }

    #[test]
    fn a_token_goes_into_the_request_and_nowhere_else() {
        let token = Token::new("secret").expect("a token");
        let request = token.on(());
        let value = request.metadata().get("authorization").expect("a header");
        assert_eq!(value.as_encoded_bytes(), b"Bearer secret");
        assert!(!format!("{token:?} {request:?}").contains("Bearer"));
        assert!(Token::NONE.on(()).metadata().is_empty());
        assert!(Token::new("two\nlines").is_err());
    }
}
