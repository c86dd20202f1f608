//! What HTTP tells to whom: numbers of operators, and pages that were asked for under another name.

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr};
    use std::time::Duration;

    use crate::attacks::attack_run::{ATTACKER, AttackRun};
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
        let mut attack_run = AttackRun::begin(&[]).await;
        let server = attack_run.server.address;
        let host = server.to_string();
        // Loopback has no mercy here, and yet whoever is on the machine reads the numbers.
        let status = get(server, ATTACKER, "/metrics", &host, "").await;
        attack_run.expect(status == 200, || format!("/metrics answers {status} on the same machine"));
        let token =
            std::fs::read_to_string(attack_run.data().join("admin.token")).expect("the token of the administrator");
        let admin = format!("authorization: Bearer {}\r\n", token.trim());
        let strangers = ["x-forwarded-for: 203.0.113.9\r\n", "forwarded: for=127.0.0.1\r\n", "via: 1.1 proxy\r\n"];
        for stranger in strangers {
            let status = get(server, ATTACKER, "/metrics", &host, stranger).await;
            attack_run.expect(status == 403, || format!("/metrics answers {status} to {stranger:?}"));
            let guess = format!("{stranger}authorization: Bearer made-up-by-a-stranger\r\n");
            let status = get(server, ATTACKER, "/metrics", &host, &guess).await;
            attack_run.expect(matches!(status, 401 | 403), || {
                format!("/metrics answers {status} to a token that is made up")
            });
            let status = get(server, ATTACKER, "/metrics", &host, &format!("{stranger}{admin}")).await;
            attack_run.expect(status == 200, || format!("/metrics answers {status} to the administrator"));
        }
        let status = get(server, ATTACKER, "/healthz", &host, strangers[0]).await;
        attack_run.expect(status == 200, || format!("/healthz answers {status}"));
        attack_run.end("numbers of operators", &Tally::default());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn on_loopback_only_names_of_loopback_are_served() {
        let mut attack_run = AttackRun::begin(&[]).await;
        let server = attack_run.server.address;
        let port = server.port();
        for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
            let status = get(server, ATTACKER, "/", &host, "").await;
            attack_run.expect(status == 200, || format!("the page answers {status} to the host {host}"));
        }
        for host in ["evil.example", "evil.example:7400", "127.0.0.1.evil.example", "localhost.evil.example"] {
            for path in ["/", "/metrics", "/parley.v1.Lobby/ListMatches"] {
                let status = get(server, ATTACKER, path, host, "").await;
                let refused = matches!(status, 400 | 403 | 421);
                attack_run.expect(refused, || format!("{path} answers {status} to the host {host}"));
            }
        }
        attack_run.end("names of hosts", &Tally::default());
    }
}
