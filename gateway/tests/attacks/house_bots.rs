//! Matches of house bots alone, which run only as far as somebody cares.

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use parley_proto::v1;
    use tokio::time::{sleep, timeout};

    use crate::attacks::attack_run::{ATTACKER, AttackRun};
    use crate::attacks::honest::client_from;
    use crate::attacks::unread::bots_on;
    use crate::attacks::wire::Tally;
    use crate::common::{Client, id_of};

    /// How long a match is left alone.
    const ALONE: Duration = Duration::from_secs(6);
    /// How many turns it may play meanwhile: two a second are expected, and 20 a second while somebody watches. One that
    /// ran away played 426 a second.
    const TURNS: u32 = 30;
    /// How long the match of the README may take while somebody watches.
    const WATCHED_WITHIN: Duration = Duration::from_secs(30);

    async fn turn(client: &mut Client, match_id: &str) -> u32 {
        let request = v1::GetMatchRequest { match_id: match_id.to_owned() };
        client.lobby.get_match(request).await.expect("a match").into_inner().r#match.expect("a match").turn
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn a_match_of_bots_does_not_run_away() {
        let mut attack_run = AttackRun::begin(&[]).await;
        let mut client = client_from(attack_run.server.address, ATTACKER);
        let id = id_of(&client.create(bots_on(32, 7, 0), None).await);
        sleep(ALONE).await;
        let first = turn(&mut client, &id).await;
        attack_run.expect((2..=TURNS).contains(&first), || format!("{first} turns in {ALONE:?}, and nobody watches"));

        attack_run.restart().await;
        let mut client = client_from(attack_run.server.address, ATTACKER);
        let before = turn(&mut client, &id).await;
        attack_run
            .expect(before >= first, || format!("turn {first} was reached, and after a restart it is turn {before}"));
        sleep(ALONE).await;
        let more = turn(&mut client, &id).await.saturating_sub(before);
        attack_run.expect((1..=TURNS).contains(&more), || {
            format!("{more} turns in {ALONE:?} after a restart, and nobody watches")
        });

        let mut tally = Tally::default();
        (0..first + more).for_each(|_| tally.count("turns"));
        attack_run.end("a match of bots", &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_match_of_bots_that_is_watched_runs_to_its_end() {
        let attack_run = AttackRun::begin(&[]).await;
        let mut client = client_from(attack_run.server.address, ATTACKER);
        let id = id_of(&client.create(bots_on(32, 7, 10), None).await);
        let begun = Instant::now();
        let watching = async {
            let request = v1::WatchRequest { match_id: id, ..v1::WatchRequest::default() };
            let mut stream = client.play.watch(request).await.expect("a stream").into_inner();
            let mut tally = Tally::default();
            while stream.message().await.expect("no error").is_some() {
                tally.count("news");
            }
            tally
        };
        let tally = timeout(WATCHED_WITHIN, watching).await.expect("a match that is watched runs");
        assert!(tally.of("news") >= 10, "ten turns are news, and in {:?} came {tally}", begun.elapsed());
        attack_run.end("a match of bots that is watched", &tally);
    }
}
