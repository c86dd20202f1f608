//! What HTTP tells to whom: numbers of operators, and pages that were asked for under another name.

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr};
    use std::time::Duration;

    use crate::attacks::siege::{ATTACKER, Siege};
    use crate::attacks::wire::{Tally, dial};

    /// How long an answer may take.
    const ANSWER_WITHIN: Duration = Duration::from_secs(5);

    /// The status of an answer to a request without a body.
    async fn get(server: SocketAddr, source: Ipv4Addr, path: &str, host: &str, more: &str) -> u16 {
        let stream = dial(server, source).await.expect("a connection").into_std().expect("a stream");
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{more}\r\n");
        let asking = tokio::task::spawn_blocking(move || {
            let mut stream = stream;
            stream.set_nonblocking(false).expect("a stream");
            stream.set_read_timeout(Some(ANSWER_WITHIN)).expect("a stream");
            stream.write_all(request.as_bytes()).expect("sent");
            let mut answer = Vec::new();
            // Who refuses may also end the connection.
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
        });
        asking.await.expect("no panic")
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn numbers_are_for_operators() {
        let mut siege = Siege::begin(&[]).await;
        let server = siege.server.address;
        let host = server.to_string();
        let status = get(server, ATTACKER, "/metrics", &host, "").await;
        siege.expect(status == 403, || format!("/metrics answers {status} to a stranger"));
        let status = get(server, ATTACKER, "/metrics", &host, "authorization: Bearer made-up-by-a-stranger\r\n").await;
        siege
            .expect(status == 403 || status == 401, || format!("/metrics answers {status} to a token that is made up"));
        let token = std::fs::read_to_string(siege.data().join("admin.token")).expect("the token of the administrator");
        let bearer = format!("authorization: Bearer {}\r\n", token.trim());
        let status = get(server, ATTACKER, "/metrics", &host, &bearer).await;
        siege.expect(status == 200, || format!("/metrics answers {status} to the administrator"));
        let status = get(server, ATTACKER, "/healthz", &host, "").await;
        siege.expect(status == 200, || format!("/healthz answers {status}"));
        siege.end("numbers of operators", &Tally::default());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn on_loopback_only_names_of_loopback_are_served() {
        let mut siege = Siege::begin(&[]).await;
        let server = siege.server.address;
        let port = server.port();
        for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
            let status = get(server, ATTACKER, "/", &host, "").await;
            siege.expect(status == 200, || format!("the page answers {status} to the host {host}"));
        }
        for host in ["evil.example", "evil.example:7400", "127.0.0.1.evil.example", "localhost.evil.example"] {
            for path in ["/", "/metrics", "/parley.v1.Lobby/ListMatches"] {
                let status = get(server, ATTACKER, path, host, "").await;
                let refused = matches!(status, 400 | 403 | 421);
                siege.expect(refused, || format!("{path} answers {status} to the host {host}"));
            }
        }
        siege.end("names of hosts", &Tally::default());
    }
}
