//! What happens to a match: seats are taken, orders frozen, turns resolved.

use std::cell::Cell;
use std::mem;

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_core::ids::PlayerId;
use parley_core::sight::Memory;
use parley_games::plunder::wire;
use parley_games::receipt::Promise;
use parley_games::replay;
use parley_plunder::event::Event;
use parley_plunder::legality::{self, Fault, LegalSheet, Verdict};
use parley_plunder::order::Decision;
use parley_plunder::resolution::{Outcome, Resolution, Step, Workspace};
use parley_plunder::state::State;
use parley_plunder::view::{Witness, sight_of};
use parley_proto::journal::v1::{Conceded, DeadlineShortened, Decided, Joined, StagedSheet};
use parley_proto::v1;
use prost::Message;

use super::seat::{Answered, fingerprint};
use super::{Audience, Game, MatchEvent, MatchState, Place, ReplayError, SeenTurn, Sheet, SheetToLock, Window};

thread_local! {
    /// Memory that one turn leaves to the next on the same thread. It carries nothing else.
    static WORKSPACE: Cell<Workspace> = const { Cell::new(Workspace::new()) };
}

impl MatchState {
    /// Gives a seat to a player.
    pub(super) fn join(&mut self, joined: Joined, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        let number = joined.seat as usize;
        let free = |seat: &&mut super::Seat| !seat.is_taken();
        let Some(seat) = self.seats.get_mut(number).filter(free) else {
            return Err(ReplayError(format!("seat {number} cannot be taken")));
        };
        seat.name = joined.name.clone();
        seat.expires_at = joined.expires_at;
        seat.joined = Some(Box::new(joined));
        self.tell(&MatchEvent::SeatsChanged(number), audience);
        Ok(())
    }

    /// Takes a seat back from a player who leaves.
    pub(super) fn leave(
        &mut self,
        seat: u32,
        request_id: &str,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        let memory = self.request_memory;
        let number = seat as usize;
        let Some(seat) = self.seats.get_mut(number).filter(|seat| seat.joined.is_some()) else {
            return Err(ReplayError(format!("nobody can leave seat {number}")));
        };
        (seat.joined, seat.name) = (None, String::new());
        let (id, asked) = (fingerprint(&[request_id.as_bytes()]), fingerprint(&[b"leave"]));
        seat.remember(Answered { id, asked, turn: 0, tick: 0, receipt: None }, memory);
        self.tell(&MatchEvent::SeatsChanged(number), audience);
        Ok(())
    }

    /// Begins the match: the seed is derived (R13.4) and the first turn can be planned.
    pub(super) fn begin(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        if self.game.is_some() {
            return Err(ReplayError::new("a match begins once"));
        }
        let setup = &self.setup;
        let state = setup.opening()?;
        let digest = Digest::genesis(&setup.rules, &state);
        let seed = replay::seed(&setup.secret.0, self.seats.iter().map(super::Seat::added));
        let memories = if setup.rules.fog() { first_memories(self, &state) } else { Vec::new() };
        let sheets = vec![Sheet::Blank; self.seats.len()];
        let legal = Vec::with_capacity(self.seats.len());
        self.game = Some(Game { state, digest, seed, opened_ms: at_ms, sheets, legal, window: None, memories });
        self.heard = false;
        self.tell(&MatchEvent::Opened, audience);
        self.released.push_back(self.news(Place::Spectators));
        Ok(())
    }

    /// Freezes a player's orders.
    pub(crate) fn lock(
        &mut self,
        at_ms: u64,
        seat: u32,
        turn: u32,
        given: SheetToLock<'_>,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        let (id, memory) = (self.setup.id, self.request_memory);
        let owner = self.seats.get_mut(seat as usize).ok_or_else(|| ReplayError(format!("no seat {seat}")))?;
        let hash = given.hash;
        let previous = owner.receipt;
        owner.receipt = Promise { match_id: id.0, turn, seat: seat as u8, sheet_hash: hash, previous }.hash();
        let asked = lock_fingerprint(turn, if given.staged { None } else { Some(hash) });
        let answered = Answered {
            id: fingerprint(&[given.request_id.as_bytes()]),
            asked,
            turn,
            tick: 0,
            receipt: Some(Box::new((hash, previous))),
        };
        owner.remember(answered, memory);
        if self.is_persons(seat as usize) {
            self.hear(at_ms);
        }
        self.freeze(seat, given.said, given.legal)?;
        self.tell(&MatchEvent::LocksChanged, audience);
        self.settle(at_ms, audience)
    }

    /// Stages orders again that were staged before the match left memory.
    pub(super) fn stage_again(&mut self, kept: Vec<StagedSheet>) -> Result<(), ReplayError> {
        let game = self.game()?;
        for StagedSheet { seat, sheet } in kept {
            match game.sheets.get_mut(seat as usize) {
                Some(place) if !place.is_locked() => *place = Sheet::Staged(sheet),
                _ => return Err(ReplayError(format!("seat {seat} cannot stage orders"))),
            }
        }
        Ok(())
    }

    /// Ends the time to plan: what was staged is locked as it is (R5.2).
    pub(crate) fn end_planning(
        &mut self,
        at_ms: u64,
        staged: Vec<StagedSheet>,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        for sheet in staged {
            let said = v1::OrderSheet::decode(sheet.sheet.clone()).map_err(|error| ReplayError(error.to_string()))?;
            let (verdict, _) = self.judge(sheet.seat as u8, &said)?;
            self.freeze(sheet.seat, sheet.sheet, verdict.legal)?;
        }
        self.resolve(at_ms, audience)?;
        self.settle(at_ms, audience)
    }

    /// Takes a player's answers to encounters.
    pub(crate) fn decide(
        &mut self,
        at_ms: u64,
        decided: &Decided,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        let memory = self.request_memory;
        let decisions: Result<Vec<Decision>, Fault> = decided.decisions.iter().map(wire::decision).collect();
        let illegal = || ReplayError::new("decisions that were legal are not");
        let decisions = decisions.map_err(|_| illegal())?;
        let window = self.game()?.window.as_mut().ok_or_else(|| ReplayError::new("nobody is asked anything"))?;
        window.resolution.check(&decisions).map_err(|_| illegal())?;
        window.answers.extend(decisions);
        let complete = window.is_answered();
        let owner = self.seats.get_mut(decided.seat as usize).ok_or_else(|| ReplayError::new("no such seat"))?;
        let answered = Answered {
            id: fingerprint(&[decided.request_id.as_bytes()]),
            asked: decide_fingerprint(decided.turn, decided.tick, &decided.decisions),
            turn: decided.turn,
            tick: decided.tick,
            receipt: None,
        };
        owner.remember(answered, memory);
        if complete { self.end_window(at_ms, audience) } else { Ok(()) }
    }

    /// Closes the open window; who has not answered proceeds or yields (R7.2).
    pub(crate) fn end_window(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        let window = self.game()?.window.take().ok_or_else(|| ReplayError::new("no window is open"))?;
        let Window { resolution, answers, .. } = *window;
        self.advance(resolution, &answers, at_ms, audience);
        self.settle(at_ms, audience)
    }

    /// Lets a player give up: with this turn if the orders are not frozen yet, otherwise with the next.
    pub(crate) fn concede(
        &mut self,
        at_ms: u64,
        conceded: Conceded,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        let (memory, turn) = (self.request_memory, self.turn());
        let seat = conceded.seat as usize;
        let now = !conceded.sheet.is_empty();
        let owner = self.seats.get_mut(seat).ok_or_else(|| ReplayError::new("no such seat"))?;
        owner.conceding = true;
        let answered = Answered {
            id: fingerprint(&[conceded.request_id.as_bytes()]),
            asked: fingerprint(&[b"concede"]),
            turn: if now { turn } else { turn.saturating_add(1) },
            tick: 0,
            receipt: None,
        };
        owner.remember(answered, memory);
        if !now {
            return Ok(());
        }
        let legal = self.judge_again(conceded.seat, &conceded.sheet)?;
        self.freeze(conceded.seat, conceded.sheet, legal)?;
        self.tell(&MatchEvent::LocksChanged, audience);
        self.settle(at_ms, audience)
    }

    /// Lets a deadline that was too far away count from now on, and whatever else lies in the future. The time to plan
    /// is shortened with that of an open window: who is not asked still sees it.
    pub(super) fn shorten_deadline(
        &mut self,
        at_ms: u64,
        shortened: &DeadlineShortened,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        if self.is_over() || (shortened.turn, shortened.tick) != (self.turn(), self.tick()) {
            return Err(ReplayError::new("there is no such deadline"));
        }
        let Some(game) = self.game.as_mut() else { return Ok(()) };
        let planning = game.opened_ms > at_ms;
        game.opened_ms = game.opened_ms.min(at_ms);
        if let Some(window) = &mut game.window {
            window.opened_ms = window.opened_ms.min(at_ms);
        }
        self.tell(&MatchEvent::DeadlineChanged { planning }, audience);
        Ok(())
    }

    /// Stops the match for good.
    pub(crate) fn stop(&mut self, reason: String, audience: &mut dyn Audience) {
        self.stopped = Some(reason);
        self.tell(&MatchEvent::Stopped, audience);
    }

    /// The resolver's verdict on a sheet, and everything that is wrong with it.
    pub(crate) fn judge(&self, seat: u8, said: &v1::OrderSheet) -> Result<(Verdict, Vec<Fault>), ReplayError> {
        let player = PlayerId::new(seat.into()).ok_or_else(|| ReplayError(format!("no seat {seat}")))?;
        let game = self.game.as_ref().ok_or_else(|| ReplayError::new("the match has not begun"))?;
        let rules = &self.setup.rules;
        let (sheet, mut faults) = wire::sheet(rules, player, said);
        let mut verdict = match game.memories.get(usize::from(seat)) {
            Some(memory) => legality::judge_charted(rules, &game.state, &sheet, &|tile| memory.contains(tile)),
            None => legality::judge(rules, &game.state, &sheet),
        };
        faults.append(&mut verdict.faults);
        Ok((verdict, faults))
    }

    fn freeze(&mut self, seat: u32, said: Bytes, legal: LegalSheet) -> Result<(), ReplayError> {
        let game = self.game()?;
        match game.sheets.get_mut(seat as usize) {
            Some(sheet) if !sheet.is_locked() && game.window.is_none() => *sheet = Sheet::Locked(said),
            _ => return Err(ReplayError(format!("seat {seat} cannot lock in"))),
        }
        game.legal.push(legal);
        Ok(())
    }

    /// Resolves turns as long as nobody is waited for.
    fn settle(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        while self.is_planned() {
            self.resolve(at_ms, audience)?;
        }
        Ok(())
    }

    /// Whether every living player has locked in (R5.2).
    fn is_planned(&self) -> bool {
        let Some(game) = self.game.as_ref().filter(|game| game.window.is_none() && !self.is_over()) else {
            return false;
        };
        let mut living = game.state.players().iter().filter(|player| player.alive);
        living.all(|player| game.sheets.get(usize::from(player.id.get())).is_some_and(Sheet::is_locked))
    }

    fn resolve(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        let rules = std::sync::Arc::clone(&self.setup.rules);
        let game = self.game()?;
        let workspace = WORKSPACE.take();
        let begun = Resolution::begin_in(workspace, &rules, &game.state, &game.seed, game.digest, &game.legal);
        let resolution = begun.map_err(|error| ReplayError(error.to_string()))?;
        self.advance(resolution, &[], at_ms, audience);
        Ok(())
    }

    fn advance(&mut self, mut resolution: Resolution, answers: &[Decision], at_ms: u64, audience: &mut dyn Audience) {
        match resolution.advance(answers) {
            Ok(Step::Awaiting(awaiting)) => {
                let window = Window { resolution, awaiting, answers: Vec::new(), opened_ms: at_ms };
                if let Some(game) = self.game.as_mut() {
                    game.window = Some(Box::new(window));
                }
                self.tell(&MatchEvent::Asked, audience);
            }
            Ok(Step::Resolved(outcome)) => {
                let mut workspace = resolution.into_workspace();
                workspace.reclaim(self.finish(*outcome, at_ms, audience));
                WORKSPACE.set(workspace);
            }
            Err(faults) => self.stop(format!("the turn cannot be resolved: {}", join(&faults)), audience),
        }
    }

    /// Replaces the state and tells everybody. Gives back what is not needed any more.
    fn finish(&mut self, outcome: Outcome, at_ms: u64, audience: &mut dyn Audience) -> Outcome {
        let Outcome { state, events, shortfalls, digest } = outcome;
        if !self.is_unattended() {
            self.peopled_turn = self.turn();
        }
        let Some(game) = self.game.as_mut() else { return Outcome { state, events, shortfalls, digest } };
        let before = mem::replace(&mut game.state, state);
        game.digest = digest;
        game.opened_ms = at_ms;
        game.sheets.fill(Sheet::Blank);
        game.legal.clear();
        self.heard = false;
        let seen = self.witness(&before, &events, &shortfalls);
        self.concede_again();
        self.tell(
            &MatchEvent::Resolved { before: &before, events: &events, shortfalls: &shortfalls, seen: &seen },
            audience,
        );
        self.released.push_back(self.news(Place::Spectators));
        while self.released.len() > self.setup.settings.spectator_delay_turns as usize + 1 {
            self.released.pop_front();
        }
        Outcome { state: before, events, shortfalls, digest }
    }

    /// With fog, lets every seat see the turn and remember what it saw.
    fn witness(
        &mut self,
        before: &State,
        events: &[Event],
        shortfalls: &[parley_plunder::event::Shortfall],
    ) -> Vec<SeenTurn> {
        let rules = &self.setup.rules;
        let Some(game) = self.game.as_mut() else { return Vec::new() };
        let live = |(seat, memory): (usize, &mut Memory)| {
            let mut witness = Witness::new(rules, before, Place::Seat(seat as u8).viewer());
            let events = witness.follow(events, memory);
            SeenTurn { events, shortfalls: witness.shortfalls(shortfalls) }
        };
        game.memories.iter_mut().enumerate().map(live).collect()
    }

    /// Freezes a conceding sheet for everybody who has given up and is still there.
    fn concede_again(&mut self) {
        let giving_up = v1::OrderSheet { concede: true, ..v1::OrderSheet::default() };
        for seat in 0..self.seats.len() {
            if !self.seats[seat].conceding {
                continue;
            }
            let Ok((verdict, faults)) = self.judge(seat as u8, &giving_up) else { continue };
            if faults.is_empty() {
                let _ = self.freeze(seat as u32, giving_up.encode_to_vec().into(), verdict.legal);
            }
        }
    }
}

/// The tiles that the seats see when a match begins.
fn first_memories(match_state: &MatchState, state: &State) -> Vec<Memory> {
    let remember = |seat: usize| {
        let mut memory = Memory::new(state.map().grid());
        memory.learn(&sight_of(&match_state.setup.rules, state, Place::Seat(seat as u8).viewer()));
        memory
    };
    (0..match_state.seats.len()).map(remember).collect()
}

/// Fingerprint of what a lock-in asks; `None` means the orders that are staged.
pub(super) fn lock_fingerprint(turn: u32, said: Option<Digest>) -> [u8; 16] {
    let kind: &[u8] = if said.is_some() { b"lock" } else { b"lock staged" };
    fingerprint(&[kind, &turn.to_le_bytes(), said.as_ref().map_or(&[], |hash| hash.as_bytes())])
}

/// Fingerprint of what a decision asks.
pub(super) fn decide_fingerprint(turn: u32, tick: u32, decisions: &[v1::Decision]) -> [u8; 16] {
    let mut bytes = Vec::with_capacity(decisions.len() * 8);
    for decision in decisions {
        bytes.extend_from_slice(&decision.unit.to_le_bytes());
        bytes.extend_from_slice(&decision.choice.to_le_bytes());
    }
    fingerprint(&[b"decide", &turn.to_le_bytes(), &tick.to_le_bytes(), &bytes])
}

fn join(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
