//! A match between two turns as bytes, so that a journal need not be played from its beginning.

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_games::replay;
use parley_proto::journal::v1 as disk;
use prost::Message;

use super::{Answered, MatchState, Play, ReplayError, Seat, Setup, Sheet};
use crate::journal::MatchId;
use crate::rulesets::Rulesets;

impl MatchState {
    /// Whether the match is between two turns, where a snapshot says everything.
    pub fn can_be_saved(&self) -> bool {
        let fresh =
            |play: &Play| play.window.is_none() && play.sheets.iter().all(|sheet| matches!(sheet, Sheet::Blank));
        self.stopped.is_none() && self.play.as_ref().is_some_and(fresh)
    }

    /// The match as bytes; `None` where it is in the middle of a turn.
    pub fn save(&self) -> Option<Bytes> {
        let play = self.play.as_ref().filter(|_| self.can_be_saved())?;
        let snapshot = disk::Snapshot {
            turn: play.game.turn(),
            state: play.game.encode_state().into(),
            digest: play.digest().as_bytes().to_vec().into(),
            opened_ms: play.opened_ms,
            news: self.news.clone(),
            released: self.released.iter().copied().collect(),
            seats: (0..)
                .zip(&self.seats)
                .map(|(number, seat)| save_seat(seat, play.game.encode_memory(number).unwrap_or_default()))
                .collect(),
            created: Some(self.setup.to_created()),
            created_ms: self.setup.created_ms,
            last_input_ms: self.last_input_ms,
            missed_deadlines: self.missed_deadlines,
            heard: self.heard,
            peopled_turn: self.peopled_turn,
        };
        Some(snapshot.encode_to_vec().into())
    }

    /// The match that bytes were saved from.
    pub fn restore(id: MatchId, bytes: Bytes, rulesets: &Rulesets, request_memory: usize) -> Result<Self, ReplayError> {
        let snapshot = disk::Snapshot::decode(bytes).map_err(|error| ReplayError(error.to_string()))?;
        let created = snapshot.created.ok_or_else(|| ReplayError::new("a snapshot without a match"))?;
        let mut match_state = Self::new(Setup::read(id, snapshot.created_ms, created, rulesets)?, request_memory);
        let counts = snapshot.news.len() == match_state.news.len() && snapshot.seats.len() == match_state.seats.len();
        if !counts {
            return Err(ReplayError::new("a snapshot of another match"));
        }
        match_state.news = snapshot.news;
        match_state.released = snapshot.released.into();
        let setup = &match_state.setup;
        let digest = digest_of(&snapshot.digest)?;
        let tiles: Vec<Bytes> = snapshot.seats.iter().map(|saved| saved.tiles.clone()).collect();
        for (seat, saved) in match_state.seats.iter_mut().zip(snapshot.seats) {
            restore_seat(seat, saved)?;
        }
        let seed = replay::seed(&setup.secret.0, match_state.seats.iter().map(Seat::added));
        let opened_ms = snapshot.opened_ms;
        match_state.last_input_ms = if snapshot.last_input_ms == 0 { opened_ms } else { snapshot.last_input_ms };
        match_state.missed_deadlines = snapshot.missed_deadlines;
        match_state.heard = snapshot.heard;
        match_state.peopled_turn = snapshot.peopled_turn;
        let game = setup.game.restore(seed, &snapshot.state, digest, &tiles).map_err(ReplayError)?;
        match_state.play = Some(Play::new(game, opened_ms, match_state.seats.len()));
        Ok(match_state)
    }
}

fn save_seat(seat: &Seat, tiles: Vec<u8>) -> disk::SeatMemory {
    let answered = |answered: &Answered| {
        let (sheet_hash, previous) = match answered.receipt.as_deref() {
            Some((hash, previous)) => (hash.as_bytes().to_vec(), previous.as_bytes().to_vec()),
            None => Default::default(),
        };
        disk::Answered {
            id: answered.id.to_vec().into(),
            asked: answered.asked.to_vec().into(),
            turn: answered.turn,
            window: answered.window,
            sheet_hash: sheet_hash.into(),
            previous: previous.into(),
        }
    };
    disk::SeatMemory {
        receipt: seat.receipt.as_bytes().to_vec().into(),
        tiles: tiles.into(),
        conceding: seat.conceding,
        answered: seat.answered.iter().map(answered).collect(),
        joined: seat.joined.as_deref().cloned(),
    }
}

fn restore_seat(seat: &mut Seat, saved: disk::SeatMemory) -> Result<(), ReplayError> {
    seat.receipt = digest_of(&saved.receipt)?;
    seat.conceding = saved.conceding;
    if let Some(joined) = saved.joined {
        seat.name = joined.name.clone();
        seat.expires_at = joined.expires_at;
        seat.joined = Some(Box::new(joined));
    }
    for answered in saved.answered {
        let short = |bytes: &Bytes| bytes.as_ref().try_into().map_err(|_| ReplayError::new("16 bytes of a request"));
        let receipt = match answered.sheet_hash.is_empty() {
            true => None,
            false => Some(Box::new((digest_of(&answered.sheet_hash)?, digest_of(&answered.previous)?))),
        };
        let (turn, window) = (answered.turn, answered.window);
        let (id, asked) = (short(&answered.id)?, short(&answered.asked)?);
        seat.answered.push_back(Answered { id, asked, turn, window, receipt });
    }
    Ok(())
}

fn digest_of(bytes: &Bytes) -> Result<Digest, ReplayError> {
    let bytes = bytes.as_ref().try_into().map_err(|_| ReplayError::new("a digest of 32 bytes"))?;
    Ok(Digest::from_bytes(bytes))
}
