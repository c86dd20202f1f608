//! A recorded match told in sentences.

mod sentence;

use std::sync::Arc;

use parley_proto::v1::{ReplayRecord, ReplaySeat, ReplaySheet, ReplayTurn, SheetOrigin, replay_end};
use parley_resolver::event::{Event, GoldReason};
use parley_resolver::explain::explain;
use parley_resolver::resolution::Outcome;
use serde::Serialize;

use super::course::Course;
use super::opening::Opening;
use super::{Finding, Replay, one_line};
use sentence::Teller;

/// A sentence, and the tick it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The tick, where it is in one.
    pub tick: Option<u8>,
    /// The sentence.
    pub text: String,
}

/// What happened in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnAccount {
    /// Its number.
    pub turn: u32,
    /// Whose orders came how.
    pub orders: Vec<String>,
    /// What happened, in order.
    pub events: Vec<Line>,
    /// Why orders fell short.
    pub shortfalls: Vec<String>,
    /// The digest after it.
    pub digest: String,
}

/// A whole match, or one turn of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The match.
    pub match_id: String,
    /// What it was called.
    pub name: String,
    /// Who played, by seat.
    pub seats: Vec<String>,
    /// The turns.
    pub turns: Vec<TurnAccount>,
    /// How it ended.
    pub end: String,
}

/// Plays a match again and tells it, or one turn of it. A replay that cannot be played again as it was recorded cannot
/// be told; whether what comes of it is also what the server recorded is for [`super::verify`] to say.
pub fn account(records: &[ReplayRecord], only: Option<u32>) -> Result<Account, Finding> {
    let replay = Replay::arrange(records)?;
    let opening = Opening::read(replay.header)?;
    let end = replay.end()?;
    let seed = opening.seed(end)?;
    let names = names(opening.seats);
    let mut course = Course::begin(Arc::clone(&opening.rules), opening.state.clone(), seed);
    let mut turns = Vec::new();
    for turn in replay.turns() {
        let outcome = course.play(turn)?;
        if only.is_none_or(|only| only == turn.turn) {
            turns.push(tell(&course, &names, turn, &outcome));
        }
        course.accept(*outcome);
        if only == Some(turn.turn) {
            break;
        }
    }
    if let Some(missing) = only.filter(|_| turns.is_empty()) {
        return Err(Finding::new("match", "turn", "the replay has no such turn").in_turn(missing));
    }
    let teller = Teller::new(&course.rules, &course.state, &names);
    let end = match &end.end {
        Some(replay_end::End::Winner(seat)) => format!("{} won.", teller.seat(*seat)),
        Some(replay_end::End::Draw(draw)) => {
            let seats: Vec<String> = draw.seats.iter().map(|&seat| teller.seat(seat)).collect();
            format!("The match ended in a draw of {}.", sentence::list(&seats))
        }
        Some(replay_end::End::Stopped(stopped)) if stopped.reason.is_empty() => {
            "An administrator stopped the match.".to_owned()
        }
        Some(replay_end::End::Stopped(stopped)) => {
            format!("An administrator stopped the match: {}", one_line(&stopped.reason))
        }
        None => "Nothing is recorded of the end.".to_owned(),
    };
    Ok(Account {
        match_id: opening.match_id.to_string(),
        name: one_line(&replay.header.name),
        seats: names,
        turns,
        end,
    })
}

/// What a seat is called; somebody without a name has a number.
fn name(seat: u32, name: &str) -> String {
    let name = one_line(name.trim());
    if name.is_empty() { format!("Seat {seat}") } else { name }
}

/// What everybody is called; those of one name are told apart by their seats.
fn names(seats: &[ReplaySeat]) -> Vec<String> {
    let names: Vec<String> = seats.iter().map(|seat| name(seat.seat, &seat.name)).collect();
    let shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let apart = |(name, seat): (&String, &ReplaySeat)| {
        if shared(name) { format!("{name} (seat {})", seat.seat) } else { name.clone() }
    };
    names.iter().zip(seats).map(apart).collect()
}

fn tell(course: &Course, names: &[String], turn: &ReplayTurn, outcome: &Outcome) -> TurnAccount {
    let mut teller = Teller::new(&course.rules, &course.state, names);
    let orders = turn.sheets.iter().map(|sheet| given(&teller, sheet)).collect();
    let (mut events, mut tick) = (Vec::new(), None);
    for event in &outcome.events {
        // Salvage is paid in the tick of the sinking.
        if !matches!(event, Event::Gold { reason: GoldReason::Salvage, .. }) {
            tick = event.tick();
        }
        // What could not be carried out is told once, among the shortfalls.
        if !matches!(event, Event::Skipped { .. } | Event::Waited { .. } | Event::Blocked { .. }) {
            events.push(Line { tick, text: teller.tell(event) });
        }
    }
    let grid = course.state.map().grid();
    let shortfalls = outcome.shortfalls.iter().map(|shortfall| explain(grid, shortfall)).collect();
    TurnAccount { turn: turn.turn, orders, events, shortfalls, digest: outcome.digest.to_string() }
}

fn given(teller: &Teller<'_>, sheet: &ReplaySheet) -> String {
    let who = teller.seat(sheet.seat);
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
        lines.join("\n")
    }
}

impl Account {
    /// The account as text.
    pub fn to_text(&self) -> String {
        let title = if self.name.is_empty() { String::new() } else { format!(" \"{}\"", self.name) };
        let mut parts = vec![format!("Match {}{title}: {}", self.match_id, sentence::list(&self.seats))];
        parts.extend(self.turns.iter().map(TurnAccount::to_text));
        parts.push(self.end.clone());
        parts.join("\n\n")
    }
}
