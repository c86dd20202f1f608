//! What happens to a match: seats are taken, orders frozen, turns resolved.

use std::cell::Cell;

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_games::hosted::{HostedOutcome, HostedSheet, HostedStep, HostedWorkspace, SaidSheet};
use parley_games::receipt::Promise;
use parley_games::replay;
use parley_proto::common::v1::Fault;
use parley_proto::journal::v1::{Answers, Conceded, DeadlineShortened, Joined, StagedSheet};
use parley_proto::opaque::v1;

use super::seat::{Answered, fingerprint};
use super::{Audience, MatchEvent, MatchState, Place, Play, ReplayError, ResolvedTurn, Sheet, SheetToLock, Window};

thread_local! {
    /// Memory that one turn leaves to the next on the same thread. It carries nothing else.
    static WORKSPACE: Cell<HostedWorkspace> = const { Cell::new(HostedWorkspace::new()) };
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
        seat.remember(Answered { id, asked, turn: 0, window: 0, receipt: None }, memory);
        self.tell(&MatchEvent::SeatsChanged(number), audience);
        Ok(())
    }

    /// Begins the match: the seed is derived (R13.4) and the first turn can be planned.
    pub(super) fn begin(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        if self.play.is_some() {
            return Err(ReplayError::new("a match begins once"));
        }
        let setup = &self.setup;
        let seed = replay::seed(&setup.secret.0, self.seats.iter().map(super::Seat::added));
        let game = setup.game.open(seed).map_err(ReplayError)?;
        self.play = Some(Play::new(game, at_ms, self.seats.len()));
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
            window: 0,
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
        let play = self.playing()?;
        for StagedSheet { seat, sheet } in kept {
            match play.sheets.get_mut(seat as usize) {
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
            let (legal, _) = self.read_and_judge(sheet.seat, &sheet.sheet)?;
            self.freeze(sheet.seat, sheet.sheet, legal)?;
        }
        self.advance(&[], at_ms, audience)?;
        self.settle(at_ms, audience)
    }

    /// Takes a player's answers to questions of the open window.
    pub(crate) fn answer(
        &mut self,
        at_ms: u64,
        given: &Answers,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        self.compare_window(given.turn, given.window)?;
        let memory = self.request_memory;
        let seat = u8::try_from(given.seat).map_err(|_| ReplayError::new("no such seat"))?;
        let play = self.playing()?;
        // Whoever answers knows the window by the number that it has for the seat, and repeats the request with that.
        let own_window = play.window_of(seat).ok_or_else(|| ReplayError::new("the seat is not asked anything"))?;
        let window = play.window.as_mut().ok_or_else(|| ReplayError::new("nobody is asked anything"))?;
        if !play.game.takes(seat, &[window.given_by(seat), given.answers.clone()].concat()) {
            return Err(ReplayError::new("answers that could be taken cannot"));
        }
        window.answers.extend(given.answers.iter().map(|answer| (seat, answer.clone())));
        let is_complete = window.answers.len() == play.game.questions();
        let owner = self.seats.get_mut(usize::from(seat)).ok_or_else(|| ReplayError::new("no such seat"))?;
        let answered = Answered {
            id: fingerprint(&[given.request_id.as_bytes()]),
            asked: answer_fingerprint(given.turn, own_window, &given.answers),
            turn: given.turn,
            window: own_window,
            receipt: None,
        };
        owner.remember(answered, memory);
        if is_complete { self.close_window(at_ms, audience) } else { Ok(()) }
    }

    /// Closes the open window; the defaults count of questions that nobody has answered (R7.2).
    pub(crate) fn close_window(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        let window = self.playing()?.window.take().ok_or_else(|| ReplayError::new("no window is open"))?;
        self.advance(&window.answers, at_ms, audience)?;
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
            window: 0,
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
        if self.is_over() || (shortened.turn, shortened.window) != (self.turn(), self.window()) {
            return Err(ReplayError::new("there is no such deadline"));
        }
        let Some(play) = self.play.as_mut() else { return Ok(()) };
        let planning = play.opened_ms > at_ms;
        play.opened_ms = play.opened_ms.min(at_ms);
        if let Some(window) = &mut play.window {
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

    /// The legal part of a sheet, and everything that is wrong with it.
    pub(crate) fn judge(&self, seat: u8, said: &dyn SaidSheet) -> Result<(HostedSheet, Vec<Fault>), ReplayError> {
        let play = self.play.as_ref().ok_or_else(|| ReplayError::new("the match has not begun"))?;
        play.game.judge(seat, said).ok_or_else(|| ReplayError(format!("no seat {seat}")))
    }

    /// The same of a sheet that was written down.
    pub(super) fn read_and_judge(&self, seat: u32, said: &[u8]) -> Result<(HostedSheet, Vec<Fault>), ReplayError> {
        let play = self.play.as_ref().ok_or_else(|| ReplayError::new("the match has not begun"))?;
        let said = play.game.read_sheet(said).map_err(|text| ReplayError(format!("a sheet: {text}")))?;
        self.judge(seat as u8, &*said)
    }

    fn freeze(&mut self, seat: u32, said: Bytes, legal: HostedSheet) -> Result<(), ReplayError> {
        let play = self.playing()?;
        let is_open = play.window.is_none() && play.sheets.get(seat as usize).is_some_and(|sheet| !sheet.is_locked());
        if !is_open {
            return Err(ReplayError(format!("seat {seat} cannot lock in")));
        }
        play.game.lock(legal).map_err(ReplayError)?;
        play.sheets[seat as usize] = Sheet::Locked(said);
        Ok(())
    }

    /// Resolves turns as long as nobody is waited for.
    fn settle(&mut self, at_ms: u64, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        while self.is_planned() {
            self.advance(&[], at_ms, audience)?;
        }
        Ok(())
    }

    /// Whether every living player has locked in (R5.2).
    fn is_planned(&self) -> bool {
        let Some(play) = self.play.as_ref().filter(|play| play.window.is_none() && !self.is_over()) else {
            return false;
        };
        play.living().all(|seat| play.sheets.get(usize::from(seat)).is_some_and(Sheet::is_locked))
    }

    /// Goes on with the turn: from its sheets, or from the answers to what it asked.
    fn advance(
        &mut self,
        answers: &[(u8, v1::Answer)],
        at_ms: u64,
        audience: &mut dyn Audience,
    ) -> Result<(), ReplayError> {
        let peopled = !self.is_unattended();
        let play = self.playing()?;
        if play.game.is_over() {
            return Err(ReplayError::new("the match is over"));
        }
        let mut workspace = WORKSPACE.take();
        match play.game.advance(&mut workspace, answers) {
            Ok(HostedStep::Asked) => {
                play.window = Some(Box::new(Window { answers: Vec::new(), opened_ms: at_ms }));
                self.tell(&MatchEvent::Asked, audience);
            }
            Ok(HostedStep::Resolved(outcome)) => {
                if peopled {
                    self.peopled_turn = outcome.turn();
                }
                self.finish(&*outcome, at_ms, audience);
                outcome.reclaim(&mut workspace);
            }
            Err(error) => {
                play.game.give_up();
                self.stop(format!("the turn cannot be resolved: {error}"), audience);
            }
        }
        WORKSPACE.set(workspace);
        Ok(())
    }

    /// Opens the next turn, and tells everybody what the last one came to.
    fn finish(&mut self, outcome: &dyn HostedOutcome, at_ms: u64, audience: &mut dyn Audience) {
        let Some(play) = self.play.as_mut() else { return };
        play.opened_ms = at_ms;
        play.sheets.fill(Sheet::Blank);
        self.heard = false;
        self.concede_again();
        self.tell(&MatchEvent::Resolved(&ResolvedTurn::new(outcome)), audience);
        self.released.push_back(self.news(Place::Spectators));
        while self.released.len() > self.setup.settings.spectator_delay_turns as usize + 1 {
            self.released.pop_front();
        }
    }

    /// Freezes a conceding sheet for everybody who has given up and is still there.
    fn concede_again(&mut self) {
        let Some(play) = self.play.as_ref() else { return };
        let mut giving_up = play.game.blank_sheet();
        giving_up.concede();
        for seat in 0..self.seats.len() {
            if !self.seats[seat].conceding {
                continue;
            }
            let Ok((legal, faults)) = self.judge(seat as u8, &*giving_up) else { continue };
            if faults.is_empty() {
                let _ = self.freeze(seat as u32, giving_up.encode(), legal);
            }
        }
    }
}

/// Fingerprint of what a lock-in asks; `None` means the orders that are staged.
pub(super) fn lock_fingerprint(turn: u32, said: Option<Digest>) -> [u8; 16] {
    let kind: &[u8] = if said.is_some() { b"lock" } else { b"lock staged" };
    fingerprint(&[kind, &turn.to_le_bytes(), said.as_ref().map_or(&[], |hash| hash.as_bytes())])
}

/// Fingerprint of what a request to answer asks; the window is the seat's.
pub(super) fn answer_fingerprint(turn: u32, window: u32, answers: &[v1::Answer]) -> [u8; 16] {
    let mut bytes = Vec::with_capacity(answers.len() * 12);
    for answer in answers {
        bytes.extend_from_slice(&answer.question.to_le_bytes());
        bytes.extend_from_slice(&(answer.options.len() as u64).to_le_bytes());
        bytes.extend(answer.options.iter().flat_map(|option| option.to_le_bytes()));
    }
    fingerprint(&[b"answer", &turn.to_le_bytes(), &window.to_le_bytes(), &bytes])
}
