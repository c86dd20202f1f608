//! `parley health`: asks a running service whether it takes calls, for those who watch over it.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use http::Uri;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::{FAILED, REFUSED, complain, print};

/// How long the service may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many bytes of the answer are read.
const ANSWER: usize = 4096;

/// Whom to ask.
#[derive(Args)]
pub(crate) struct Health {
    /// The server, before what --server says.
    #[arg(value_name = "URL")]
    url: Option<Uri>,
    /// The server.
    #[arg(long, alias = "addr", value_name = "URL", env = "PARLEY_ADDR", default_value = "http://127.0.0.1:7400")]
    server: Uri,
    /// The certificate to trust for https, as a PEM file.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Health {
    pub(crate) fn run(self) -> ExitCode {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return complain(FAILED, error),
        };
        let url = self.url();
        let (Some(host), Some(scheme @ ("http" | "https"))) = (url.host(), url.scheme_str()) else {
            return complain(REFUSED, format!("{url} is no address; try http://127.0.0.1:7400"));
        };
        let port = url.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
        let asked = async { timeout(PATIENCE, self.ask(host, port)).await };
        match runtime.block_on(asked) {
            Ok(Ok((200, words))) => print(&words),
            Ok(Ok((503, words))) => complain(FAILED, format!("{url} is {words}")),
            Ok(Ok((status, _))) => complain(FAILED, format!("{url} answers {status}, and is no Parley")),
            Ok(Err(error)) => complain(FAILED, format!("{url}: {error}")),
            Err(_) => complain(FAILED, format!("{url} does not answer")),
        }
    }

    /// The server that is asked, which can be named in two ways.
    fn url(&self) -> &Uri {
        self.url.as_ref().unwrap_or(&self.server)
    }

    async fn ask(&self, host: &str, port: u16) -> io::Result<(u16, String)> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, port)).await?;
        if self.url().scheme_str() != Some("https") {
            return ready(stream, host).await;
        }
        let name = ServerName::try_from(bare.to_owned()).map_err(io::Error::other)?;
        ready(self.connector()?.connect(name, stream).await?, host).await
    }

    fn connector(&self) -> io::Result<TlsConnector> {
        let path = self.ca.as_ref().ok_or_else(|| io::Error::other("https needs --ca, the certificate to trust"))?;
        let pem = fs::read(path).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

/// The status that `/readyz` answers with, and its words.
async fn ready(mut stream: impl AsyncRead + AsyncWrite + Unpin, host: &str) -> io::Result<(u16, String)> {
    stream.write_all(format!("GET /readyz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER as u64).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, words) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("the answer is no HTTP"))?;
    Ok((status, words.trim_end().to_owned()))
}
