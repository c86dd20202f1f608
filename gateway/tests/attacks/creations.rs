//! Matches that nobody will play, as many as there is time for.

use bytes::Bytes;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::timeout_at;

use super::siege::Aim;
use super::unread::creation;
use super::wire::{LET_GO, Tally};
use crate::common::settings;

/// How many create at a time.
const AT_ONCE: usize = 16;

/// Creates as fast as it goes, without tokens.
pub async fn anonymous(aim: Aim) -> Tally {
    create(aim, false).await
}

/// Creates as fast as it goes, each time with the token that the creation before returned.
pub async fn rotating(aim: Aim) -> Tally {
    create(aim, true).await
}

fn lobby() -> Bytes {
    creation(settings(2, 7))
}

async fn create(aim: Aim, rotate: bool) -> Tally {
    let mut creating = JoinSet::new();
    for _ in 0..AT_ONCE {
        creating.spawn(async move {
            let (mut tally, mut token) = (Tally::default(), String::new());
            while !aim.is_over() {
                let Ok(line) = aim.line().await else {
                    tally.count("connections refused");
                    continue;
                };
                while let Ok(answer) = timeout_at(aim.until, line.call("Lobby/CreateMatch", &token, lobby())).await {
                    let Ok(answer) = answer else {
                        tally.count(LET_GO);
                        break;
                    };
                    tally.count(answer.name());
                    let created: Option<v1::CreateMatchResponse> = answer.message();
                    if let Some(created) = created.filter(|_| rotate) {
                        token = created.host_token;
                    }
                }
            }
            tally
        });
    }
    Tally::sum(creating).await
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::attacks::honest::client_from;
    use crate::attacks::siege::Siege;
    use crate::common;

    /// For how many seconds they create.
    const SECONDS: u64 = 4;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn tokens_of_creations_buy_no_more_creations() {
        let few = [("calls_per_second_per_address", "50"), ("burst_per_address", "50")];
        let mut siege = Siege::begin(&few).await;
        let aim = siege.aim(SECONDS);
        let plain = siege.attacked(aim, anonymous(aim)).await.of("Ok");
        let aim = Aim { source: Ipv4Addr::new(127, 0, 0, 3), ..siege.aim(SECONDS) };
        let tally = siege.attacked(aim, rotating(aim)).await;
        let rotated = tally.of("Ok");
        siege.expect(plain > 0, || "nobody may create anything".to_owned());
        siege.expect(rotated <= plain + plain / 4 + 10, || {
            format!("{rotated} creations in {SECONDS} s with rotating tokens, {plain} without")
        });
        siege.end("creations with rotating tokens", &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 10 seconds; .ci/run runs it"]
    async fn one_address_does_not_close_creation_for_others() {
        let mut siege = Siege::begin(&[("max_matches", "300"), ("max_matches_per_address", "100")]).await;
        let aim = siege.aim(SECONDS);
        let tally = siege.attacked(aim, rotating(aim)).await;
        for other in 1..=5 {
            let mut client = client_from(siege.server.address, Ipv4Addr::new(127, 0, 1, other));
            let request = v1::CreateMatchRequest {
                request_id: common::request_id(),
                settings: Some(settings(2, 7)),
                ..v1::CreateMatchRequest::default()
            };
            if let Err(refused) = client.lobby.create_match(request).await {
                siege.expect(false, || format!("127.0.1.{other} may not create a match: {}", refused.message()));
            }
        }
        siege.end("creations until the server is full", &tally);
    }
}
