//! A match between two turns as bytes, so that a journal need not be played from its beginning.

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_core::sight::Memory;
use parley_games::replay;
use parley_plunder::state::State;
use parley_proto::journal::v1 as disk;
use prost::Message;

use super::{Answered, Game, MatchState, ReplayError, RulesCache, Seat, Setup, Sheet};
use crate::journal::MatchId;

impl MatchState {
    /// Whether the match is between two turns, where a snapshot says everything.
    pub fn can_be_saved(&self) -> bool {
        let fresh =
            |game: &Game| game.window.is_none() && game.sheets.iter().all(|sheet| matches!(sheet, Sheet::Blank));
        self.stopped.is_none() && self.game.as_ref().is_some_and(fresh)
    }

    /// The match as bytes; `None` where it is in the middle of a turn.
    pub fn save(&self) -> Option<Bytes> {
        let game = self.game.as_ref().filter(|_| self.can_be_saved())?;
        let snapshot = disk::Snapshot {
            turn: game.state.turn(),
            state: game.state.encode().into(),
            digest: game.digest.as_bytes().to_vec().into(),
            opened_ms: game.opened_ms,
            news: self.news.clone(),
            released: self.released.iter().copied().collect(),
            seats: self
                .seats
                .iter()
                .enumerate()
                .map(|(number, seat)| save_seat(seat, game.memories.get(number)))
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
    pub fn restore(
        id: MatchId,
        bytes: Bytes,
        rules_cache: &RulesCache,
        request_memory: usize,
    ) -> Result<Self, ReplayError> {
        let snapshot = disk::Snapshot::decode(bytes).map_err(|error| ReplayError(error.to_string()))?;
        let created = snapshot.created.ok_or_else(|| ReplayError::new("a snapshot without a match"))?;
        let mut match_state = Self::new(Setup::read(id, snapshot.created_ms, created, rules_cache)?, request_memory);
        let counts = snapshot.news.len() == match_state.news.len() && snapshot.seats.len() == match_state.seats.len();
        if !counts {
            return Err(ReplayError::new("a snapshot of another match"));
        }
        match_state.news = snapshot.news;
        match_state.released = snapshot.released.into();
        let setup = &match_state.setup;
        let state =
            State::decode(&setup.rules, &setup.map, &snapshot.state).map_err(|error| ReplayError(error.to_string()))?;
        let (players, seats) = (state.players().len(), match_state.seats.len());
        if players != seats {
            return Err(ReplayError(format!("a snapshot with {players} players of a match with {seats} seats")));
        }
        let digest = digest_of(&snapshot.digest)?;
        let mut memories = Vec::new();
        for (seat, saved) in match_state.seats.iter_mut().zip(snapshot.seats) {
            if setup.rules.fog() {
                let memory = Memory::from_bytes(setup.map.grid(), &saved.tiles);
                memories.push(memory.ok_or_else(|| ReplayError::new("the memory of another map"))?);
            }
            restore_seat(seat, saved)?;
        }
        let seed = replay::seed(&setup.secret.0, match_state.seats.iter().map(Seat::added));
        let sheets = vec![Sheet::Blank; match_state.seats.len()];
        let opened_ms = snapshot.opened_ms;
        match_state.last_input_ms = if snapshot.last_input_ms == 0 { opened_ms } else { snapshot.last_input_ms };
        match_state.missed_deadlines = snapshot.missed_deadlines;
        match_state.heard = snapshot.heard;
        match_state.peopled_turn = snapshot.peopled_turn;
        match_state.game =
            Some(Game { state, digest, seed, opened_ms, sheets, legal: Vec::new(), window: None, memories });
        Ok(match_state)
    }
}

fn save_seat(seat: &Seat, memory: Option<&Memory>) -> disk::SeatMemory {
    let answered = |answered: &Answered| {
        let (sheet_hash, previous) = match answered.receipt.as_deref() {
            Some((hash, previous)) => (hash.as_bytes().to_vec(), previous.as_bytes().to_vec()),
            None => Default::default(),
        };
        disk::Answered {
            id: answered.id.to_vec().into(),
            asked: answered.asked.to_vec().into(),
            turn: answered.turn,
            tick: answered.tick,
            sheet_hash: sheet_hash.into(),
            previous: previous.into(),
        }
    };
    disk::SeatMemory {
        receipt: seat.receipt.as_bytes().to_vec().into(),
        tiles: memory.map(|memory| memory.to_bytes().into()).unwrap_or_default(),
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
        let (turn, tick) = (answered.turn, answered.tick);
        let (id, asked) = (short(&answered.id)?, short(&answered.asked)?);
        seat.answered.push_back(Answered { id, asked, turn, tick, receipt });
    }
    Ok(())
}

fn digest_of(bytes: &Bytes) -> Result<Digest, ReplayError> {
    let bytes = bytes.as_ref().try_into().map_err(|_| ReplayError::new("a digest of 32 bytes"))?;
    Ok(Digest::from_bytes(bytes))
}
