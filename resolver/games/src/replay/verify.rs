//! Whether a replay proves that nobody's order, answer or die was changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use ed25519_dalek::VerifyingKey;
use parley_core::digest::Digest;
use parley_core::encoding::Encode;
use parley_core::game::Outcome;
use parley_core::ids::PlayerId;
use parley_proto::common::v1::match_result::Result as MatchResult;
use parley_proto::v1::{ReplayEnd, ReplaySheet, ReplayTurn, SheetOrigin, replay_end};
use uuid::Uuid;

use super::course::Course;
use super::opening::Opening;
use super::{Finding, Replay};
use crate::hosted::{HostedRuleset, SharedRules};
use crate::receipt::{Checker, Promise};

/// What a replay is held against.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The server's public key, from somewhere else than the replay.
    pub key: Option<VerifyingKey>,
    /// Other rules of the same game to play the match again under.
    pub rules: Option<SharedRules>,
}

/// What a replay proves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The id of the match, where its header can be read.
    pub match_id: Option<Uuid>,
    /// How many turns were found to be true.
    pub turns: u32,
    /// How many receipts were found to be true.
    pub receipts: u32,
    /// The digest after the last turn that was found to be true.
    pub digest: Option<Digest>,
    /// The first thing that speaks against the replay; `None` is a proof.
    pub finding: Option<Finding>,
    /// What the proof rests on, in sentences.
    pub notes: Vec<String>,
    /// Where other rules were asked for: the first thing that would have come otherwise under them.
    pub divergence: Option<Option<Finding>>,
}

impl Verdict {
    /// Whether nothing speaks against the replay.
    pub const fn is_proven(&self) -> bool {
        self.finding.is_none()
    }
}

/// Plays a replay again and holds everything against what was recorded.
pub(crate) fn check<R: HostedRuleset>(
    replay: &Replay<'_>,
    options: &Options,
    verdict: &mut Verdict,
) -> Result<(), Finding> {
    let opening = Opening::<R>::read(replay.header)?;
    verdict.match_id = Some(opening.match_id);
    let key = choose_key(&opening, options, verdict)?;
    let end = replay.end()?;
    let seed = opening.seed(end)?;
    let mut course = Course::begin(Arc::clone(&opening.rules), opening.state.clone(), seed);
    verdict.digest = Some(opening.genesis);
    let mut chains = Chains::new(&opening, key);
    for turn in replay.turns() {
        course.fits(turn)?;
        chains.check(turn).map_err(|finding| finding.in_turn(turn.turn))?;
        let outcome = course.play(turn)?;
        compare(&opening, &course, turn, &outcome)?;
        course.reclaim(outcome);
        verdict.turns += 1;
        verdict.receipts = chains.count;
        verdict.digest = Some(course.game.digest());
    }
    check_end(end, &course)?;
    verdict.notes.extend(on_the_servers_word(&opening, replay.turns()));
    Ok(())
}

/// A sentence about what no receipt covers, and so no player can hold against the server with this file alone.
fn on_the_servers_word<'a, R: HostedRuleset>(
    opening: &Opening<'_, R>,
    turns: impl Iterator<Item = &'a ReplayTurn>,
) -> Option<String> {
    let (mut sheets, mut answers) = (0, 0);
    for turn in turns {
        let unsigned = |sheet: &&ReplaySheet| {
            let house = u8::try_from(sheet.seat).is_ok_and(|seat| opening.is_house(seat));
            !house && (sheet.receipt.is_none() || sheet.conceded)
        };
        sheets += turn.sheets.iter().filter(unsigned).count();
        answers += turn.windows.iter().map(|window| window.answers.len()).sum::<usize>();
    }
    let any = sheets + answers > 0;
    any.then(|| {
        format!(
            "no receipt covers {sheets} of the sheets (absent, taken at the deadline, or given up by a call) and {answers} \
             of the answers: that they are what was said rests on the server's word"
        )
    })
}

fn choose_key<R: HostedRuleset>(
    opening: &Opening<'_, R>,
    options: &Options,
    verdict: &mut Verdict,
) -> Result<VerifyingKey, Finding> {
    match options.key {
        Some(key) if key != opening.key => {
            let reason = "the replay names another key than the one that was given";
            Err(Finding::new("header", "receipt_key", reason))
        }
        Some(key) => Ok(key),
        None => {
            let note = "the receipts were checked with the key that the replay itself names, which is only as \
                        trustworthy as the file; give the server's own with --key";
            verdict.notes.push(note.to_owned());
            Ok(opening.key)
        }
    }
}

/// The receipts of every seat, each naming the one before.
struct Chains<'a, R: HostedRuleset> {
    opening: &'a Opening<'a, R>,
    receipts: Checker,
    last: BTreeMap<u8, Digest>,
    count: u32,
}

impl<'a, R: HostedRuleset> Chains<'a, R> {
    const fn new(opening: &'a Opening<'a, R>, key: VerifyingKey) -> Self {
        Self { opening, receipts: Checker::new(key), last: BTreeMap::new(), count: 0 }
    }

    fn check(&mut self, turn: &ReplayTurn) -> Result<(), Finding> {
        turn.sheets.iter().try_for_each(|sheet| self.check_sheet(turn.turn, sheet))
    }

    fn check_sheet(&mut self, turn: u32, sheet: &ReplaySheet) -> Result<(), Finding> {
        let fault = |field, reason: String| Finding::new(format!("seat {}", sheet.seat), field, reason);
        let Some(seat) = u8::try_from(sheet.seat).ok().and_then(|seat| PlayerId::new(seat.into())).map(PlayerId::get)
        else {
            return Err(fault("seat", "there is no such seat".to_owned()));
        };
        let locked = sheet.origin == SheetOrigin::Locked as i32;
        let Some(receipt) = &sheet.receipt else {
            if locked && !self.opening.is_house(seat) {
                return Err(fault("receipt", "the orders were locked in, and there is no receipt".to_owned()));
            }
            return Ok(());
        };
        if !locked {
            return Err(fault("receipt", "there is one, though the orders were not locked in".to_owned()));
        }
        // What was promised comes first: a changed sheet is better called that than a bad signature.
        let promise = Promise::read(receipt).map_err(|error| fault("receipt", error.to_string()))?;
        if (promise.match_id, promise.turn, promise.seat) != (self.opening.match_id, turn, seat) {
            return Err(fault("receipt", "it is for another match, turn or seat".to_owned()));
        }
        self.receipts.check(receipt).map_err(|error| fault("receipt.signature", error.to_string()))?;
        if promise.sheet_hash != Digest::of(&sheet.sheet) {
            return Err(fault("sheet", "these are not the orders that the receipt is for".to_owned()));
        }
        if promise.previous != *self.last.get(&seat).unwrap_or(&self.opening.commitment) {
            let reason = "the receipt does not follow the one before of this seat: one was left out or added";
            return Err(fault("receipt.previous", reason.to_owned()));
        }
        self.last.insert(seat, promise.hash());
        self.count += 1;
        Ok(())
    }
}

/// Compares what a turn comes to with what was recorded of it.
fn compare<R: HostedRuleset>(
    opening: &Opening<'_, R>,
    course: &Course<R>,
    turn: &ReplayTurn,
    outcome: &Outcome<R>,
) -> Result<(), Finding> {
    let (state, digest) = (course.game.state(), course.game.digest());
    let mut encoded = Vec::with_capacity(turn.state.len());
    state.encode_into(&mut encoded);
    if turn.state != encoded {
        R::compare(opening.of_states(), state, &turn.state, outcome).map_err(|finding| finding.in_turn(turn.turn))?;
    }
    if turn.digest != digest.as_bytes()[..] {
        let reason = format!("the turn leads to {digest}, another one is recorded");
        return Err(Finding::new("match", "digest", reason).in_turn(turn.turn));
    }
    Ok(())
}

/// Checks that the result and the last digest are what the turns led to.
fn check_end<R: HostedRuleset>(end: &ReplayEnd, course: &Course<R>) -> Result<(), Finding> {
    let said = match &end.end {
        None => return Err(Finding::new("end", "result", "there is none")),
        Some(replay_end::End::Stopped(_)) => None,
        Some(replay_end::End::Winner(seat)) => Some((true, vec![*seat])),
        Some(replay_end::End::Draw(draw)) => Some((false, draw.seats.clone())),
    };
    let found = R::result(course.game.state()).and_then(|result| match result.result? {
        MatchResult::Winner(winner) => Some((true, vec![winner])),
        MatchResult::Draw(draw) => Some((false, draw.players)),
    });
    if said != found {
        let reason = match found {
            None => "the turns lead to no result".to_owned(),
            Some((true, seats)) => format!("the turns lead to a victory of seat {}", seats[0]),
            Some((false, seats)) => format!("the turns lead to a draw of seats {seats:?}"),
        };
        return Err(Finding::new("end", "result", reason));
    }
    let digest = course.game.digest();
    if end.final_digest != digest.as_bytes()[..] {
        return Err(Finding::new("end", "final_digest", format!("the turns lead to {digest}")));
    }
    Ok(())
}
