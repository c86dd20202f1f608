//! A game of the arena as the records of a replay.
//!
//! Every seat is a house bot's, which needs no receipts. Times are 0, because nothing here looks at a clock.

use ed25519_dalek::SigningKey;
use parley_core::dice::Seed;
use parley_core::game::Ruleset;
use parley_games::replay::FORMAT;
use parley_plunder::ruleset::Plunder;
use parley_plunder::state::MatchResult;
use parley_proto::v1;
use parley_proto::v1::replay_record::Record;
use uuid::Uuid;

use super::{League, LeagueGame};
use crate::arena::{Ending, Recording};

/// The records of a game that ended with a result.
pub(super) fn records(
    league: &League,
    game: &LeagueGame,
    ending: &Ending,
    recording: Recording,
) -> Vec<v1::ReplayRecord> {
    let Recording { rules, map, secret, initial_state, genesis, turns, digest } = recording;
    let seat = |(seat, &policy): (u32, &usize)| {
        let policy = league.policies[policy].clone();
        v1::ReplaySeat { seat, name: policy.clone(), policy, ..v1::ReplaySeat::default() }
    };
    let header = v1::ReplayHeader {
        format: FORMAT,
        match_id: match_id(league, game).to_string(),
        name: format!("Game {} of league {}", game.number, league.seed),
        rules: rules.to_json(),
        rules_hash: rules.hash().as_bytes().to_vec().into(),
        map: Some(map),
        initial_state,
        genesis_digest: genesis.as_bytes().to_vec().into(),
        seats: (0..).zip(&game.seats).map(seat).collect(),
        seed_commitment: Seed::commitment(&secret).as_bytes().to_vec().into(),
        receipt_key: receipt_key(&secret).to_vec().into(),
        created_ms: 0,
        started_ms: 0,
        ruleset: Plunder::NAME.to_owned(),
    };
    let end = v1::ReplayEnd {
        secret: secret.to_vec().into(),
        end: end(ending),
        final_digest: digest.as_bytes().to_vec().into(),
        ended_ms: 0,
    };
    let records = std::iter::once(Record::Header(header));
    let records = records.chain(turns.into_iter().map(Record::Turn)).chain([Record::End(end)]);
    records.map(|record| v1::ReplayRecord { record: Some(record) }).collect()
}

fn end(ending: &Ending) -> Option<v1::replay_end::End> {
    use v1::replay_end::{Draw, End};
    match ending {
        Ending::Result(MatchResult::Winner(winner)) => Some(End::Winner(winner.get().into())),
        Ending::Result(MatchResult::Draw(players)) => {
            Some(End::Draw(Draw { seats: players.iter().map(|player| player.get().into()).collect() }))
        }
        Ending::OutOfTurns => None,
    }
}

/// A name that only this game of this league has.
fn match_id(league: &League, game: &LeagueGame) -> Uuid {
    let mut hasher = blake3::Hasher::new_derive_key("parley league: the id of a game");
    hasher.update(league.command().as_bytes()).update(&(game.number as u64).to_le_bytes());
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// A key that nothing was signed with: a replay has to name one.
fn receipt_key(secret: &[u8; 32]) -> [u8; 32] {
    let key = blake3::derive_key("parley league: the key of receipts that nobody gets", secret);
    SigningKey::from_bytes(&key).verifying_key().to_bytes()
}
