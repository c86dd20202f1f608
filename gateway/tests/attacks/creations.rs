//! Matches that nobody will play, as many as there is time for.

use bytes::Bytes;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::timeout_at;

use super::attack_run::Aim;
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
                let Ok(connection) = aim.connect().await else {
                    tally.count("connections refused");
                    continue;
                };
                while let Ok(answer) =
                    timeout_at(aim.until, connection.call("Lobby/CreateMatch", &token, lobby())).await
                {
                    let Ok(answer) = answer else {
                        tally.count(LET_GO);
                        break;
                    };
                    tally.count(if answer.reason.is_empty() { answer.name() } else { answer.reason.clone() });
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
    use crate::attacks::attack_run::AttackRun;
    use crate::attacks::honest::client_from;
    use crate::common;

    /// For how many seconds they create.
    const SECONDS: u64 = 4;
    /// How many unfinished matches one address may have in the test of that.
    const MATCHES: u64 = 100;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn tokens_of_creations_buy_no_more_creations() {
        let few = [("calls_per_second_per_address", "50"), ("burst_per_address", "50")];
        let mut attack_run = AttackRun::begin(&few).await;
        let aim = attack_run.aim(SECONDS);
        let plain = attack_run.attacked(aim, anonymous(aim)).await.of("Ok");
        let aim = Aim { source: Ipv4Addr::new(127, 0, 0, 3), ..attack_run.aim(SECONDS) };
        let tally = attack_run.attacked(aim, rotating(aim)).await;
        let rotated = tally.of("Ok");
        attack_run.expect(plain > 0, || "nobody may create anything".to_owned());
        attack_run.expect(rotated <= plain + plain / 4 + 10, || {
            format!("{rotated} creations in {SECONDS} s with rotating tokens, {plain} without")
        });
        attack_run.end("creations with rotating tokens", &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 10 seconds; .ci/run runs it"]
    async fn one_address_does_not_close_creation_for_others() {
        // How often one address may call and create is not what stops it here, but how many matches it has.
        let plenty = "1000000";
        let rates = [
            "creations_per_minute_per_address",
            "creation_burst_per_address",
            "calls_per_second_per_address",
            "burst_per_address",
        ];
        let mut settings_of_server = rates.map(|name| (name, plenty)).to_vec();
        let most = MATCHES.to_string();
        settings_of_server.extend([("max_matches", "300"), ("max_matches_per_address", &most)]);
        let mut attack_run = AttackRun::begin(&settings_of_server).await;
        let aim = attack_run.aim(SECONDS);
        let tally = attack_run.attacked(aim, rotating(aim)).await;
        let created = tally.of("Ok");
        attack_run.expect(created == MATCHES, || format!("one address has {created} matches, and may have {most}"));
        let refused = tally.of("TOO_MANY_MATCHES_FROM_ADDRESS");
        let others = tally.all() - created - refused - tally.of(LET_GO);
        attack_run.expect(refused > 0 && others == 0, || format!("it is not the number that is refused: {tally}"));
        for other in 1..=5 {
            let mut client = client_from(attack_run.server.address, Ipv4Addr::new(127, 0, 1, other));
            let request = v1::CreateMatchRequest {
                request_id: common::request_id(),
                settings: Some(settings(2, 7)),
                ..v1::CreateMatchRequest::default()
            };
            if let Err(refused) = client.lobby.create_match(request).await {
                attack_run.expect(false, || format!("127.0.1.{other} may not create a match: {}", refused.message()));
            }
        }
        attack_run.end("creations until the server is full", &tally);
    }
}
