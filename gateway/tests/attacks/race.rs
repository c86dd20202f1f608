//! The same creation, asked for by six at once: there is one match, and all six are told of it.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use parley_proto::v1;
    use tokio::task::JoinSet;

    use crate::attacks::attack_run::{ATTACKER, AttackRun};
    use crate::attacks::wire::{LET_GO, RawConnection, Tally, framed, request_id};
    use crate::common::settings;

    /// How many creations there are.
    const CREATIONS: usize = 600;
    /// How many ask for each.
    const ASKING: usize = 6;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 15 seconds; .ci/run runs it"]
    async fn six_who_ask_for_the_same_match_get_the_same_match() {
        let plenty = "1000000";
        let quotas =
            ["calls_per_second_per_address", "burst_per_address", "calls_per_second_per_token", "burst_per_token"];
        let mut flags = quotas.map(|name| (name, plenty)).to_vec();
        flags.push(("exempt_loopback", "true"));
        let mut attack_run = AttackRun::begin(&flags).await;
        let mut connections = Vec::new();
        for _ in 0..ASKING {
            connections.push(std::sync::Arc::new(
                RawConnection::open(attack_run.server.address, ATTACKER).await.expect("a connection"),
            ));
        }
        let (mut tally, mut twice, mut unlike) = (Tally::default(), 0, 0);
        for _ in 0..attack_run.aim(0).of(CREATIONS) {
            let request = v1::CreateMatchRequest {
                request_id: request_id(),
                settings: Some(settings(2, 7)),
                ..Default::default()
            };
            let (body, mut asking) = (framed(&request), JoinSet::new());
            for connection in &connections {
                let (connection, body) = (std::sync::Arc::clone(connection), body.clone());
                asking.spawn(async move { connection.call("Lobby/CreateMatch", "", body).await });
            }
            let mut told = BTreeSet::new();
            for answer in asking.join_all().await {
                let Ok(answer) = answer else {
                    tally.count(LET_GO);
                    break;
                };
                tally.count(answer.name());
                if let Some(created) = answer.message::<v1::CreateMatchResponse>() {
                    told.insert((created.r#match.expect("a match").match_id, created.host_token));
                }
            }
            let matches: BTreeSet<&String> = told.iter().map(|(id, _)| id).collect();
            twice += u32::from(matches.len() > 1);
            unlike += u32::from(told.len() > matches.len());
        }
        attack_run.expect(twice == 0, || format!("{twice} creations of {CREATIONS} made two matches"));
        attack_run.expect(unlike == 0, || format!("{unlike} creations of {CREATIONS} were told with different tokens"));
        attack_run.expect(tally.of("Ok") == tally.all(), || format!("not all were answered: {tally}"));
        attack_run.end("identical creations", &tally);
    }
}
