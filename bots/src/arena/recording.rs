//! A match as its replay tells it.

use std::sync::Arc;

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_core::question::Answer;
use parley_games::plunder::wire;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Question};
use parley_proto::v1;

/// Everything of a replay but who sat where, when it was, and the key of receipts that nobody was given.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The rules; a replay has them as [`Rules::to_json`] and [`Rules::hash`].
    pub rules: Arc<Rules>,
    /// The map that was played on.
    pub map: v1::ReplayMap,
    /// What the dice come from: the seed is [`parley_core::dice::Seed::derive`] of it with nothing added, the
    /// commitment [`parley_core::dice::Seed::commitment`].
    pub secret: [u8; 32],
    /// The state that the first turn was planned in, in the canonical encoding (R13.3).
    pub initial_state: Bytes,
    /// The digest of that state, with rules and map.
    pub genesis: Digest,
    /// The turns in order. Sheets count as locked in, nobody has a receipt, and all times are 0.
    pub turns: Vec<v1::ReplayTurn>,
    /// The digest after the last turn.
    pub digest: Digest,
}

impl Recording {
    pub(super) fn new(game: &Game, secret: [u8; 32]) -> Self {
        let (rules, state, genesis) = (game.rules(), game.state(), game.digest());
        let grid = state.map().grid();
        Self {
            rules: Arc::clone(rules),
            map: v1::ReplayMap {
                width: grid.width(),
                height: grid.height(),
                wrap: grid.wrap(),
                terrain: state.map().terrain_rows().into(),
            },
            secret,
            initial_state: state.encode().into(),
            genesis,
            turns: Vec::new(),
            digest: genesis,
        }
    }

    /// Records that a turn begins.
    pub(super) fn begin(&mut self, turn: u32) {
        self.turns.push(v1::ReplayTurn { turn, ..v1::ReplayTurn::default() });
    }

    /// Records the sheet that counts for a seat.
    pub(super) fn note_sheet(&mut self, seat: u32, sheet: Bytes) {
        let origin = v1::SheetOrigin::Locked.into();
        if let Some(turn) = self.turns.last_mut() {
            turn.sheets.push(v1::ReplaySheet { seat, origin, sheet, ..v1::ReplaySheet::default() });
        }
    }

    /// Records that a window closes with these answers; where a question has none, its default counts (R7.2).
    pub(super) fn note_window(&mut self, questions: &[Question], answers: &[Answer]) {
        if let Some(turn) = self.turns.last_mut() {
            turn.windows.push(v1::ReplayWindow { answers: wire::replay_answers(questions, answers) });
        }
    }

    /// Records the state that the turn led to.
    pub(super) fn end(&mut self, game: &Game) {
        let digest = game.digest();
        if let Some(turn) = self.turns.last_mut() {
            turn.state = game.state().encode().into();
            turn.digest = digest.as_bytes().to_vec().into();
        }
        self.digest = digest;
    }
}
