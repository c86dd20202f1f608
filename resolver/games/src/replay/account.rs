//! A recorded match told in sentences.

use std::sync::Arc;

use parley_core::game::Outcome;
use parley_proto::v1::{ReplaySheet, ReplayTurn, SheetOrigin, replay_end};
use serde::Serialize;
use uuid::Uuid;

use super::course::Course;
use super::opening::Opening;
use super::{Finding, Replay};
use crate::hosted::HostedRuleset;
use crate::sentences::{self, Names, visible};

/// A sentence, and the tick it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// The tick that the sentence is about, where there is one.
    pub tick: Option<u8>,
    /// What the tick is called where the sentence is the first of it.
    #[serde(skip)]
    pub heading: String,
    /// The sentence itself.
    pub text: String,
}

impl Sentence {
    /// A sentence about a tick that is called by its number, or about none.
    pub fn new(tick: Option<u8>, text: String) -> Self {
        let heading = tick.map(|number| format!("Tick {number}")).unwrap_or_default();
        Self { tick, heading, text }
    }
}

/// What happened in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnAccount {
    /// The number of the turn.
    pub turn: u32,
    /// How each player's orders came about, a sentence each.
    pub orders: Vec<String>,
    /// What happened, in order.
    pub events: Vec<Sentence>,
    /// Why orders fell short, a sentence each.
    pub shortfalls: Vec<String>,
    /// The digest after the turn.
    pub digest: String,
    /// The id of the turn's trace, or the address where it is to be seen.
    pub trace: String,
}

/// A whole match, or one turn of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The id of the match.
    pub match_id: String,
    /// The name that the match was given.
    pub name: String,
    /// Who played, by seat.
    pub seats: Vec<String>,
    /// The turns that are told, in order.
    pub turns: Vec<TurnAccount>,
    /// How the match ended.
    pub end: String,
}

/// Plays a match again and tells it, or one turn of it.
pub(crate) fn account<R: HostedRuleset>(
    replay: &Replay<'_>,
    only: Option<u32>,
    trace_of: &dyn Fn(Uuid, u32) -> [u8; 16],
) -> Result<Account, Finding> {
    let opening = Opening::<R>::read(replay.header)?;
    let end = replay.end()?;
    let seed = opening.seed(end)?;
    let names = sentences::names(opening.seats.iter().map(|seat| (seat.seat, seat.name.as_str())));
    let mut course = Course::<R>::begin(Arc::clone(&opening.rules), opening.state.clone(), seed);
    let mut turns = Vec::new();
    for turn in replay.turns() {
        let outcome = course.play(turn)?;
        if only.is_none_or(|only| only == turn.turn) {
            let trace = hex(&trace_of(opening.match_id, turn.turn));
            turns.push(turn_account(&course, &names, turn, &outcome, trace));
        }
        course.reclaim(outcome);
        if only == Some(turn.turn) {
            break;
        }
    }
    if let Some(missing) = only.filter(|_| turns.is_empty()) {
        return Err(Finding::new("match", "turn", "the replay has no such turn").in_turn(missing));
    }
    let end = match &end.end {
        Some(replay_end::End::Winner(seat)) => format!("{} won.", name(&names, *seat)),
        Some(replay_end::End::Draw(draw)) => {
            let seats: Vec<String> = draw.seats.iter().map(|&seat| name(&names, seat)).collect();
            format!("The match ended in a draw of {}.", sentences::list(&seats))
        }
        Some(replay_end::End::Stopped(stopped)) if stopped.reason.is_empty() => {
            "An administrator stopped the match.".to_owned()
        }
        Some(replay_end::End::Stopped(stopped)) => {
            format!("An administrator stopped the match: {}", visible(&stopped.reason))
        }
        None => "Nothing is recorded of the end.".to_owned(),
    };
    Ok(Account {
        match_id: opening.match_id.to_string(),
        name: visible(&replay.header.name),
        seats: names.into_values().collect(),
        turns,
        end,
    })
}

fn turn_account<R: HostedRuleset>(
    course: &Course<R>,
    names: &Names,
    turn: &ReplayTurn,
    outcome: &Outcome<R>,
    trace: String,
) -> TurnAccount {
    let orders = turn.sheets.iter().map(|sheet| given(names, sheet)).collect();
    let (events, shortfalls) = R::tell(&course.game, names, outcome);
    TurnAccount { turn: turn.turn, orders, events, shortfalls, digest: course.game.digest().to_string(), trace }
}

/// What the player of a seat is called.
fn name(names: &Names, seat: u32) -> String {
    names.get(&seat).cloned().unwrap_or_else(|| format!("Seat {seat}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn given(names: &Names, sheet: &ReplaySheet) -> String {
    let who = name(names, sheet.seat);
    let how = match (SheetOrigin::try_from(sheet.origin), sheet.conceded) {
        (Ok(SheetOrigin::Locked), false) => "locked in",
        (Ok(SheetOrigin::Locked), true) => "locked in, and gave up",
        (_, true) => "gave up without locking in",
        (Ok(SheetOrigin::AtDeadline), false) => "had orders staged when the deadline came",
        _ => "was absent and ordered nothing",
    };
    format!("{who} {how}.")
}

impl TurnAccount {
    /// The turn as text, a heading and a line per sentence.
    pub fn to_text(&self) -> String {
        let mut lines = vec![format!("Turn {}", self.turn)];
        lines.extend(self.orders.iter().map(|line| format!("  {line}")));
        let mut tick = None;
        for line in &self.events {
            if line.tick.is_some() && line.tick != tick {
                lines.push(format!("  {}", line.heading));
            }
            tick = line.tick;
            let indent = if line.tick.is_some() { "    " } else { "  " };
            lines.push(format!("{indent}{}", line.text));
        }
        if !self.shortfalls.is_empty() {
            lines.push("  What fell short".to_owned());
            lines.extend(self.shortfalls.iter().map(|line| format!("    {line}")));
        }
        lines.push(format!("  Trace {}", self.trace));
        lines.join("\n")
    }
}

impl Account {
    /// Replaces the ids of traces by the addresses where they are shown.
    pub fn link_traces(&mut self, jaeger_ui: &str) {
        for turn in &mut self.turns {
            turn.trace = format!("{}/trace/{}", jaeger_ui.trim_end_matches('/'), turn.trace);
        }
    }

    /// The account as text.
    pub fn to_text(&self) -> String {
        let title = if self.name.is_empty() { String::new() } else { format!(" \"{}\"", self.name) };
        let mut parts = vec![format!("Match {}{title}: {}", self.match_id, sentences::list(&self.seats))];
        parts.extend(self.turns.iter().map(TurnAccount::to_text));
        parts.push(self.end.clone());
        parts.join("\n\n")
    }
}
