//! A recorded match told in sentences.

use std::sync::Arc;

use parley_core::sight::Memory;
use parley_plunder::explain::explain;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::Outcome;
use parley_plunder::state::State;
use parley_plunder::view::{SeenEvent, Viewer, Witness, snapshot};
use parley_proto::v1::{ReplayRecord, ReplaySheet, ReplayTurn, SheetOrigin, replay_end};
use serde::Serialize;
use uuid::Uuid;

use super::course::Course;
use crate::plunder::sentences::Teller;
use crate::plunder::wire;
use crate::replay::opening::Opening;
use crate::replay::{Finding, Replay};
use crate::sentences::{self, Names, visible};

/// A sentence, and the tick it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// The tick that the sentence is about, where there is one.
    pub tick: Option<u8>,
    /// The sentence itself.
    pub text: String,
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

/// Plays a match again and tells it, or one turn of it. A replay that cannot be played again as it was recorded cannot
/// be told; whether what comes of it is also what the server recorded is for [`verify`](crate::replay::verify) to say.
/// The service names its traces, so that the caller says which one is that of a turn of a match.
pub fn account(
    records: &[ReplayRecord],
    only: Option<u32>,
    trace_of: impl Fn(Uuid, u32) -> [u8; 16],
) -> Result<Account, Finding> {
    let replay = Replay::arrange(records)?;
    let opening = Opening::read(replay.header)?;
    let end = replay.end()?;
    let seed = opening.seed(end)?;
    let names = sentences::names(opening.seats.iter().map(|seat| (seat.seat, seat.name.as_str())));
    let mut course = Course::begin(Arc::clone(&opening.rules), opening.state.clone(), seed);
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
    let teller = Teller::new(names.clone());
    let end = match &end.end {
        Some(replay_end::End::Winner(seat)) => format!("{} won.", teller.player(*seat)),
        Some(replay_end::End::Draw(draw)) => {
            let seats: Vec<String> = draw.seats.iter().map(|&seat| teller.player(seat)).collect();
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

/// A teller who has seen the state that a turn begins with.
fn teller(rules: &Rules, state: &State, names: &Names) -> Teller {
    let view = snapshot(rules, state, Viewer::Everything, &Memory::new(state.map().grid()));
    let mut teller = Teller::new(names.clone());
    teller.look(&wire::view(rules, &view));
    teller
}

fn turn_account(course: &Course, names: &Names, turn: &ReplayTurn, outcome: &Outcome, trace: String) -> TurnAccount {
    let (rules, before) = (course.game.rules(), &outcome.before);
    let grid = before.map().grid();
    let mut teller = teller(rules, before, names);
    let orders = turn.sheets.iter().map(|sheet| given(&teller, sheet)).collect();
    let seen = Witness::new(rules, before, Viewer::Everything).follow(&outcome.events, &mut Memory::new(grid));
    // What could not be carried out is told once, among the shortfalls.
    let sentence = |seen: &SeenEvent| {
        let text = teller.tell(&wire::event(rules, grid, seen))?;
        Some(Sentence { tick: seen.tick, text })
    };
    let events = seen.events.iter().filter_map(sentence).collect();
    let shortfalls = outcome.shortfalls.iter().map(|shortfall| explain(grid, shortfall)).collect();
    TurnAccount { turn: turn.turn, orders, events, shortfalls, digest: course.game.digest().to_string(), trace }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn given(teller: &Teller, sheet: &ReplaySheet) -> String {
    let who = teller.player(sheet.seat);
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
                lines.push(match line.tick {
                    Some(255) => "  Broadsides".to_owned(),
                    Some(number) => format!("  Tick {number}"),
                    None => String::new(),
                });
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
