//! What is written down of a match, as callers are told it: the same but for the times, which have a form of their own on
//! the disk.

use parley_games::times;
use parley_proto::journal::v1::{Settings, Shown};
use parley_proto::opaque::v1;

/// What everybody may know of a match.
pub fn told_match(shown: Shown) -> v1::Match {
    v1::Match {
        match_id: shown.match_id,
        stage: shown.stage,
        settings: shown.settings.map(told_settings),
        seats: shown.seats,
        created_at: Some(times::timestamp(shown.created_ms)),
        seed_commitment: shown.seed_commitment,
        rules_hash: shown.rules_hash,
        fixed_secret: shown.fixed_secret,
        turn: shown.turn,
        result: shown.result,
        stopped: shown.stopped,
        ruleset: shown.ruleset,
    }
}

fn told_settings(settings: Settings) -> v1::MatchSettings {
    v1::MatchSettings {
        name: settings.name,
        game: settings.game,
        seats: settings.seats,
        planning_time: settings.planning_ms.map(times::duration),
        decision_time: settings.decision_ms.map(times::duration),
        visibility: settings.visibility,
        lock_disclosure: settings.lock_disclosure,
        spectator_delay_turns: settings.spectator_delay_turns,
        start_when_full: settings.start_when_full,
    }
}
