//! Draws who plays, and what is under the cursor.

use parley_games::plunder::sentences;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Borders, Widget};

use super::look::{self, Look, letter};
use super::text;
use crate::terminal::board::{Board, Ground};
use crate::terminal::model::{Model, Pick, Stage, engagement};

/// How many ships of a tile are listed.
const MAX_LISTED: usize = 6;

/// A line and how it looks.
type Styled = (String, Style);

/// Draws the panel.
pub(super) fn draw(model: &Model, look: Look, area: Rect, buffer: &mut Buffer) {
    let block = Block::new().borders(Borders::LEFT).border_style(look::QUIET);
    let inner = block.inner(area);
    block.render(area, buffer);
    let Some(board) = model.board() else { return };
    let width = usize::from(inner.width).saturating_sub(1);
    let mut lines = players(model, board, look, width, usize::from(inner.height) / 2);
    if let Some((cost, purse)) = model.purse().filter(|_| matches!(model.stage(), Stage::Planning | Stage::Locked)) {
        let style = if i64::from(cost) > purse { look::GRAVE } else { look::QUIET };
        lines.push((format!("orders {}, cost {cost} of {purse}", model.plan().len()), style));
    }
    lines.push((String::new(), Style::new()));
    lines.extend(match model.picked() {
        Some(Pick::Ship(unit)) => board.ship(unit).map_or_else(Vec::new, |ship| own_ship(model, board, ship)),
        Some(Pick::Shipyard(yard)) => board.shipyard(yard).map_or_else(Vec::new, |yard| own_shipyard(model, yard)),
        None => under_cursor(model, board),
    });
    let mut row = inner.y;
    for (line, style) in lines {
        for part in text::wrap(&line, width, 2) {
            if row == inner.bottom() {
                return;
            }
            buffer.set_stringn(inner.x + 1, row, part, width, style);
            row += 1;
        }
    }
}

/// The lines of all players with gold, ships and whether they have locked in. Where there are too many, only the first.
fn players(model: &Model, board: &Board, look: Look, width: usize, most: usize) -> Vec<Styled> {
    let locked = |seat: u32| {
        model.locks().is_some_and(|locks| locks.seats.contains(&seat))
            || (board.seat() == Some(seat) && matches!(model.stage(), Stage::Locked))
    };
    let line = |player: &plunder::Player| {
        let ships = board.ships().filter(|ship| ship.owner == player.id).count();
        let gold = player.gold.map_or_else(|| "?".to_owned(), |gold| gold.to_string());
        let state = match (player.alive, locked(player.id)) {
            (false, _) => "out".to_owned(),
            (true, true) => format!("{gold}g {ships}s {}", look.locked()),
            (true, false) => format!("{gold}g {ships}s  "),
        };
        let room = width.saturating_sub(state.chars().count() + 3);
        // The letter tells apart those of one name.
        let name = model.seats().get(player.id as usize).filter(|name| !name.is_empty());
        let name = text::clip(&name.cloned().unwrap_or_else(|| model.teller().player(player.id)), room);
        let mut style = Style::new().fg(look::owner(Some(player.id)));
        if board.seat() == Some(player.id) {
            style = style.add_modifier(Modifier::BOLD);
        }
        if !player.alive {
            style = look::QUIET;
        }
        (format!("{} {name:<room$} {state}", letter(player.id)), style)
    };
    let all = board.players();
    let mut lines: Vec<Styled> = all.iter().take(most.max(1)).map(line).collect();
    if all.len() > lines.len() {
        lines.push((format!("and {} more", all.len() - lines.len()), look::QUIET));
    }
    lines
}

/// What is known of any ship.
fn traits(board: &Board, ship: &plunder::Unit) -> Vec<Styled> {
    let (hp, most, hit) = (ship.hp, board.max_hp(ship), board.fighter(ship).hit);
    let mut lines = vec![(format!("{hp}/{most} hp, speed {}, hits {hit}", board.speed(ship)), Style::new())];
    let fitted = [(ship.sails, "sails"), (ship.cannons, "cannons"), (ship.hull, "hull")];
    let fitted: Vec<String> =
        (fitted.iter()).filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !fitted.is_empty() {
        lines.push((format!("fitted: {}", fitted.join(", ")), Style::new()));
    }
    lines
}

fn own_ship(model: &Model, board: &Board, ship: &plunder::Unit) -> Vec<Styled> {
    let title = format!("Ship {}, {}, {}", ship.id, ship.class, sentences::at(ship.hex.as_ref()));
    let mut lines = vec![(title, look::HEADING)];
    lines.extend(traits(board, ship));
    lines.push((format!("encounters: {}", engagement(model.engagement(ship))), Style::new()));
    if let Some(contest) = board.contest_of(ship.id) {
        let what = format!("contests {}, round {}", sentences::at(contest.hex.as_ref()), contest.rounds);
        lines.push((what, look::GRAVE));
    }
    if model.plan().ship(ship.id).is_some_and(|order| order.broadside) {
        lines.push(("fires a broadside".to_owned(), Style::new()));
    }
    lines.push((format!("> {}", model.intention(ship)), look::HEADING));
    lines.extend(faults(model, &common::subject::Subject::Unit(ship.id)));
    match model.aim() {
        Some(Ok(way)) => {
            let turns = if way.turns == 1 { "this turn".to_owned() } else { format!("{} turns", way.turns) };
            lines.push((format!("Enter: to {}, {turns}", sentences::at(way.path.last())), Style::new()));
        }
        Some(Err(why)) => lines.push((why.clone(), look::GRAVE)),
        None => {}
    }
    lines
}

fn own_shipyard(model: &Model, yard: &plunder::Structure) -> Vec<Styled> {
    let mut lines = shipyard(model, yard);
    match model.work(yard.id) {
        Some(work) => lines.push((format!("> {work}"), look::HEADING)),
        None => lines.push(("> n builds a ship".to_owned(), look::QUIET)),
    }
    lines.extend(faults(model, &common::subject::Subject::Structure(yard.id)));
    lines
}

fn shipyard(model: &Model, yard: &plunder::Structure) -> Vec<Styled> {
    let mut lines = vec![(model.teller().shipyard(yard.id), look::HEADING)];
    lines.push((format!("{} hp, {}", yard.hp, sentences::at(yard.hex.as_ref())), Style::new()));
    for (place, job) in yard.queue.iter().enumerate() {
        let left = if job.turns_left == 1 { "1 turn".to_owned() } else { format!("{} turns", job.turns_left) };
        lines.push((format!("{}. {} in {left}", place + 1, job.class), Style::new()));
    }
    lines
}

fn faults(model: &Model, of: &common::subject::Subject) -> Vec<Styled> {
    let about =
        |fault: &&common::Fault| fault.subject.as_ref().and_then(|subject| subject.subject.as_ref()) == Some(of);
    model.faults().iter().filter(about).map(|fault| (format!("{} ({})", fault.text, fault.rule), look::GRAVE)).collect()
}

fn under_cursor(model: &Model, board: &Board) -> Vec<Styled> {
    let Some(tile) = model.cursor() else { return Vec::new() };
    let ground = match board.ground(tile) {
        Ground::Unknown => "unknown",
        Ground::Deep => "deep sea",
        Ground::Sea => "sea",
        Ground::Harbor => "harbor",
        Ground::Land => "land",
    };
    let memory = if board.ground(tile) != Ground::Unknown && !board.is_seen(tile) { ", out of sight" } else { "" };
    let mut lines = vec![(format!("{} {ground}{memory}", sentences::at(Some(&board.hex(tile)))), look::HEADING)];
    if let Some(contest) = board.contest_at(tile) {
        let ships = model.teller().ships(&contest.contenders);
        let what = format!("contested since turn {}, round {}, by {}", contest.since, contest.rounds, ships);
        lines.push((what, look::GRAVE));
    }
    if let Some(yard) = board.shipyard_at(tile) {
        lines.extend(shipyard(model, yard));
    }
    let ships: Vec<&plunder::Unit> = board.ships_at(tile).collect();
    for ship in ships.iter().take(MAX_LISTED) {
        lines.push((model.teller().ship(ship.id), Style::new().fg(look::owner(Some(ship.owner)))));
        lines.extend(traits(board, ship).into_iter().map(|(line, style)| (format!("  {line}"), style)));
    }
    if ships.len() > MAX_LISTED {
        lines.push((format!("and {} more", ships.len() - MAX_LISTED), look::QUIET));
    }
    lines
}
