//! What can be asked of a match, checked against its state and changing nothing.

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_games::hosted::{HostedSheet, SaidSheet};
use parley_proto::common::v1::Fault;
use parley_proto::opaque::v1;
use prost::Message;
use tonic::Code;

use super::seat::{Answered, Seat, fingerprint};
use super::turn::{answer_fingerprint, lock_fingerprint};
use super::{MatchState, Play, Sheet};
use crate::limits::Limits;
use crate::refusal::{Reason, Refusal};
use crate::text;

/// The longest id of a request, in bytes.
pub(crate) const MAX_REQUEST_ID: usize = 64;
/// The shortest id of a request that is answered with a token, in bytes.
pub(crate) const MIN_SECRET_REQUEST_ID: usize = 16;
/// The longest name of a player, in characters.
pub(crate) const MAX_PLAYER_NAME: usize = 40;
/// The most answers of one request. Who is asked more answers with several requests.
pub(crate) const MAX_ANSWERS: usize = 4096;
/// The most options that one answer picks.
pub(crate) const MAX_OPTIONS: usize = 1024;

/// A request that can be carried out, or one that already was.
#[derive(Debug)]
pub enum Checked<T> {
    /// The request can be carried out.
    New(T),
    /// The request was carried out before, and this is what was answered.
    Repeated(Answered),
}

/// Orders that can be frozen.
#[derive(Debug)]
pub struct CheckedSheet {
    /// The orders as they were said, encoded.
    pub said: Bytes,
    /// The orders as they are known to be legal.
    pub legal: HostedSheet,
    /// Whether the request meant the orders that were staged.
    pub staged: bool,
}

/// Orders that are kept, and what is wrong with the others.
#[derive(Debug)]
pub struct StagedOrders {
    /// The orders that stand, encoded.
    pub said: Bytes,
    /// How many orders stand.
    pub standing: u32,
    /// What is wrong with the other orders.
    pub faults: Vec<Fault>,
}

/// Checks the id of a request. It is written down as it is, so that it must not hold bytes that mean something there.
pub fn request_id(id: &str) -> Result<(), Refusal> {
    if id.is_empty() || id.len() > MAX_REQUEST_ID || id.chars().any(char::is_control) {
        let text = format!("1 to {MAX_REQUEST_ID} bytes without control characters, made up by the caller");
        return Err(Refusal::field("request_id", text));
    }
    Ok(())
}

/// Checks the id of a request that is answered with a token, so that nobody gets it by guessing.
pub fn secret_request_id(id: &str) -> Result<(), Refusal> {
    if id.len() < MIN_SECRET_REQUEST_ID || id.len() > MAX_REQUEST_ID || id.chars().any(char::is_control) {
        let text = format!(
            "{MIN_SECRET_REQUEST_ID} to {MAX_REQUEST_ID} bytes without control characters that nobody can guess"
        );
        return Err(Refusal::field("request_id", text));
    }
    Ok(())
}

/// The refusal of a request id that was used for something else.
pub fn reused() -> Refusal {
    Refusal::new(Code::InvalidArgument, Reason::RequestIdReused, "the request id was used for another request")
}

impl MatchState {
    /// The seat of a living player in a match that is being played.
    fn player(&self, seat: u8) -> Result<&Seat, Refusal> {
        self.seats.get(usize::from(seat)).ok_or_else(|| Refusal::forbidden("there is no such seat"))
    }

    /// The answer that a request was given before, where it is a repetition.
    fn repetition(&self, seat: u8, request_id: &str, asked: [u8; 16]) -> Result<Option<Answered>, Refusal> {
        match self.player(seat)?.answer_to(request_id) {
            Some(answered) if answered.asked == asked => Ok(Some(answered.clone())),
            Some(_) => Err(reused()),
            None => Ok(None),
        }
    }

    /// The match as it is played, where a seat can order something for a turn now.
    pub fn can_order(&self, seat: u8, turn: u32) -> Result<&Play, Refusal> {
        let Some(play) = self.play.as_ref() else {
            return Err(Refusal::moment(Reason::NotStarted, "the match has not been started", 0, 0));
        };
        self.player(seat)?;
        // Only those who are asked may learn that a window is open.
        let (now, window) = (self.turn(), play.window_of(seat).unwrap_or(0));
        if self.is_over() {
            return Err(Refusal::moment(Reason::MatchOver, "the match is over", now, window));
        }
        if turn != now {
            return Err(Refusal::moment(
                Reason::OtherTurn,
                format!("turn {now} is being played, not {turn}"),
                now,
                window,
            ));
        }
        if !play.game.is_alive(seat) {
            return Err(Refusal::moment(Reason::Eliminated, "the player is eliminated (R12.1)", now, window));
        }
        if play.window.is_some() || play.sheets[usize::from(seat)].is_locked() {
            return Err(Refusal::moment(
                Reason::AlreadyLocked,
                "the orders of this turn are locked (R5.2)",
                now,
                window,
            ));
        }
        Ok(play)
    }

    /// Checks orders that are to be kept without freezing them.
    pub fn check_stage(
        &self,
        seat: u8,
        request: &v1::StageOrdersRequest,
        limits: &Limits,
    ) -> Result<StagedOrders, Refusal> {
        request_id(&request.request_id)?;
        let play = self.can_order(seat, request.turn)?;
        let mut said = match &request.sheet {
            Some(said) => read_sheet(play, said)?,
            None => play.game.blank_sheet(),
        };
        check_size(&*said, limits)?;
        let (_, faults) = self.judge(seat, &*said).map_err(|error| Refusal::forbidden(error.0))?;
        if !faults.is_empty() {
            said.drop_faulty(&faults);
        }
        let standing = (said.orders() + usize::from(said.concedes())) as u32;
        Ok(StagedOrders { said: said.encode(), standing, faults })
    }

    /// Checks orders that are to be frozen.
    pub fn check_lock(
        &self,
        seat: u8,
        request: &v1::LockInRequest,
        limits: &Limits,
    ) -> Result<Checked<CheckedSheet>, Refusal> {
        request_id(&request.request_id)?;
        // Whoever may not order anything is refused before their orders are read; only who repeats a request is answered
        // whenever that is.
        let repeats = self.player(seat).is_ok_and(|owner| owner.answer_to(&request.request_id).is_some());
        let may_order = self.can_order(seat, request.turn);
        let play = match (&may_order, &self.play) {
            (Ok(play), _) => play,
            (Err(_), Some(play)) if repeats => play,
            (Err(refusal), _) => return Err(refusal.clone()),
        };
        let given = request.sheet.as_ref().map(|said| read_sheet(play, said)).transpose()?;
        // Not the bytes that came are kept: nobody chooses what stands in the journal beside orders.
        let given = given.map(|sheet| (sheet.encode(), sheet));
        if repeats {
            let asked = lock_fingerprint(request.turn, given.as_ref().map(|(said, _)| Digest::of(said)));
            if let Some(answered) = self.repetition(seat, &request.request_id, asked)? {
                return Ok(Checked::Repeated(answered));
            }
        }
        let play = may_order?;
        let staged = given.is_none();
        let (said, sheet) = match given {
            Some(given) => given,
            None => {
                let Sheet::Staged(said) = &play.sheets[usize::from(seat)] else {
                    let message = "nothing is staged; give the orders, if only an empty sheet";
                    return Err(Refusal::moment(Reason::NothingStaged, message, self.turn(), 0));
                };
                (said.clone(), read_sheet(play, said)?)
            }
        };
        check_size(&*sheet, limits)?;
        let (legal, faults) = self.judge(seat, &*sheet).map_err(|error| Refusal::forbidden(error.0))?;
        if !faults.is_empty() {
            let message = format!("{} of the orders cannot stand, and nothing was locked", faults.len());
            return Err(Refusal::faulty(Reason::OrdersInvalid, message, faults));
        }
        Ok(Checked::New(CheckedSheet { said, legal, staged }))
    }

    /// Checks answers to questions of the open window. Answers are refused by `TOO_MANY_ANSWERS` and `TOO_MANY_OPTIONS` whoever
    /// is asked, by `NOT_ASKED` where the seat is not asked, and else by `OTHER_WINDOW` or `ANSWERS_INVALID`.
    pub fn check_answer(&self, seat: u8, request: &v1::AnswerRequest) -> Result<Checked<()>, Refusal> {
        request_id(&request.request_id)?;
        check_answers_size(&request.answers)?;
        let asked = answer_fingerprint(request.turn, request.window, &request.answers);
        if let Some(answered) = self.repetition(seat, &request.request_id, asked)? {
            return Ok(Checked::Repeated(answered));
        }
        self.player(seat)?;
        let turn = self.turn();
        let play = self.play.as_ref().filter(|_| !self.is_over());
        let asked = play.and_then(|play| Some((play, play.window.as_ref()?, play.window_of(seat)?)));
        let Some((play, open, window)) = asked else {
            // Only those who are asked may learn that a window is open.
            return Err(Refusal::moment(Reason::NotAsked, "nothing is asked of this seat now (R7.2)", turn, 0));
        };
        if (request.turn, request.window) != (turn, window) {
            let message = format!("this seat is asked in window {window} of turn {turn}");
            return Err(Refusal::moment(Reason::OtherWindow, message, turn, window));
        }
        let faults = play.game.check_answers(seat, &request.answers, &open.given_by(seat));
        if !faults.is_empty() {
            let message = "the answers cannot stand, and none was taken";
            return Err(Refusal::faulty(Reason::AnswersInvalid, message, faults));
        }
        Ok(Checked::New(()))
    }

    /// Checks whether a player can give up. The sheet is what the turn is played with if the orders are not frozen yet,
    /// or empty.
    pub fn check_concede(&self, seat: u8, request: &v1::ConcedeRequest) -> Result<Checked<Bytes>, Refusal> {
        request_id(&request.request_id)?;
        if let Some(answered) = self.repetition(seat, &request.request_id, fingerprint(&[b"concede"]))? {
            return Ok(Checked::Repeated(answered));
        }
        let turn = self.turn();
        let play = match self.can_order(seat, turn) {
            Ok(play) => play,
            Err(refusal) => {
                let later = refusal.reason == Reason::AlreadyLocked && !self.player(seat)?.conceding;
                return if later { Ok(Checked::New(Bytes::new())) } else { Err(refusal) };
            }
        };
        let mut sheet = match &play.sheets[usize::from(seat)] {
            Sheet::Staged(said) => read_sheet(play, said)?,
            _ => play.game.blank_sheet(),
        };
        sheet.concede();
        Ok(Checked::New(sheet.encode()))
    }

    /// Finds a seat for somebody who wants one: its number, or what the same request was given before.
    pub fn check_join(&self, request: &v1::JoinMatchRequest) -> Result<Joining, Refusal> {
        secret_request_id(&request.request_id)?;
        let asked = join_fingerprint(request);
        let joined = |seat: &&Seat| seat.joined.as_ref().is_some_and(|joined| joined.request_id == request.request_id);
        if let Some(seat) = self.seats.iter().find(joined) {
            let same = seat.joined.as_ref().is_some_and(|joined| joined.request.as_ref() == asked);
            let number = self.seats.iter().position(|other| std::ptr::eq(other, seat)).unwrap_or(0);
            return if same { Ok(Joining::Repeated(number as u8)) } else { Err(reused()) };
        }
        if self.play.is_some() || self.is_over() {
            return Err(Refusal::moment(Reason::AlreadyStarted, "the match has been started", self.turn(), 0));
        }
        text::check("name", &request.name, MAX_PLAYER_NAME)?;
        if !matches!(request.added.len(), 0 | 32) {
            return Err(Refusal::field("added", "32 bytes, or none"));
        }
        let free = |number: usize| self.seats.get(number).is_some_and(|seat| !seat.is_taken());
        let number = match request.seat {
            Some(seat) if (seat as usize) < self.seats.len() => Some(seat as usize).filter(|&seat| free(seat)),
            Some(_) => return Err(Refusal::field("seat", format!("the match has {} seats", self.seats.len()))),
            None => (0..self.seats.len()).find(|&number| free(number)),
        };
        let taken = || Refusal::new(Code::FailedPrecondition, Reason::SeatTaken, "the seat, or every seat, is taken");
        number.map(|number| Joining::New(number as u8)).ok_or_else(taken)
    }

    /// Checks whether a seat can be given back.
    pub fn check_leave(&self, seat: u8, request: &v1::LeaveMatchRequest) -> Result<Checked<()>, Refusal> {
        request_id(&request.request_id)?;
        if let Some(answered) = self.repetition(seat, &request.request_id, fingerprint(&[b"leave"]))? {
            return Ok(Checked::Repeated(answered));
        }
        if self.play.is_some() || self.is_over() {
            return Err(Refusal::moment(Reason::AlreadyStarted, "the match has been started", self.turn(), 0));
        }
        Ok(Checked::New(()))
    }

    /// Checks whether the match can be started; `false` where it was started before.
    pub fn check_start(&self, request: &v1::StartMatchRequest) -> Result<bool, Refusal> {
        request_id(&request.request_id)?;
        if self.stopped.is_some() {
            return Err(Refusal::moment(Reason::MatchOver, "the match was stopped", 0, 0));
        }
        if self.play.is_some() {
            return Ok(false);
        }
        let open = self.seats.iter().filter(|seat| !seat.is_taken()).count();
        if open > 0 {
            return Err(Refusal::moment(Reason::SeatsOpen, format!("{open} seats are still open"), 0, 0));
        }
        Ok(true)
    }
}

/// What becomes of somebody who wants a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// The seat is theirs from now on.
    New(u8),
    /// The seat was already given to the same request.
    Repeated(u8),
}

/// Fingerprint of what a request for a seat asks.
pub fn join_fingerprint(request: &v1::JoinMatchRequest) -> [u8; 16] {
    fingerprint(&[&request.encode_to_vec()])
}

/// Reads orders, which have to be of the game that is played.
fn read_sheet(play: &Play, said: &[u8]) -> Result<Box<dyn SaidSheet>, Refusal> {
    play.game.read_sheet(said).map_err(|text| Refusal::field("sheet", text))
}

fn check_size(sheet: &dyn SaidSheet, limits: &Limits) -> Result<(), Refusal> {
    let orders = sheet.orders();
    if orders > limits.orders_per_sheet {
        let message = format!("{orders} orders are too many, a sheet has at most {}", limits.orders_per_sheet);
        return Err(Refusal::new(Code::ResourceExhausted, Reason::TooManyOrders, message));
    }
    Ok(())
}

/// Checks how large answers are, whoever is asked what.
fn check_answers_size(answers: &[v1::Answer]) -> Result<(), Refusal> {
    let too_many = |reason, message| Err(Refusal::new(Code::ResourceExhausted, reason, message));
    if answers.len() > MAX_ANSWERS {
        let message = format!("{} answers are too many, a request has at most {MAX_ANSWERS}", answers.len());
        return too_many(Reason::TooManyAnswers, message);
    }
    match answers.iter().map(|answer| answer.options.len()).max() {
        Some(options) if options > MAX_OPTIONS => {
            let message = format!("{options} options are too many, an answer picks at most {MAX_OPTIONS}");
            too_many(Reason::TooManyOptions, message)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_a_limit_of_their_own() {
        let answers = |count: usize, options: usize| vec![v1::Answer { question: 1, options: vec![0; options] }; count];
        assert_eq!(check_answers_size(&[]), Ok(()));
        assert_eq!(check_answers_size(&answers(MAX_ANSWERS, 1)), Ok(()));
        assert_eq!(check_answers_size(&answers(1, MAX_OPTIONS)), Ok(()));
        for (answers, reason) in [
            (answers(MAX_ANSWERS + 1, 0), Reason::TooManyAnswers),
            (answers(2, MAX_OPTIONS + 1), Reason::TooManyOptions),
        ] {
            let refusal = check_answers_size(&answers).expect_err("too many");
            assert_eq!((refusal.code, refusal.reason), (Code::ResourceExhausted, reason));
        }
    }

    #[test]
    fn request_ids_hold_no_control_characters() {
        for id in ["a request of a person", "0123456789abcdef-é-⚓", "{3f2504e0-4f89-11d3-9a0c-0305e82c3301}"] {
            assert_eq!((request_id(id), secret_request_id(id)), (Ok(()), Ok(())), "{id:?}");
        }
        for id in ["0123456789abcdef\u{1}", "\u{2}\0abcdef0123456789", "0123456789abcdef\n", "0123456789abcdef\u{85}"] {
            for refusal in [request_id(id), secret_request_id(id)].map(|checked| checked.expect_err("refused")) {
                assert_eq!((refusal.code, refusal.reason), (Code::InvalidArgument, Reason::FieldInvalid), "{id:?}");
                assert!(refusal.message.starts_with("request_id: "), "{}", refusal.message);
            }
        }
    }
}
