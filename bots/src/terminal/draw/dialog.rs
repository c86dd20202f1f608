//! Boxes over the screen: help, questions, the end.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, Clear, Widget};

use super::{look, text};
use crate::terminal::model::{Dialog, End, Model};

/// The lines of the help, which name all keys.
const HELP: &[&str] = &[
    "arrows, h j k l   move the cursor        Tab       next own ship or shipyard",
    "Enter             pick what is here; with a ship picked: sail here",
    "Esc               pick nothing           PgUp PgDn scroll the log",
    "",
    "for a ship        . hold      r repair   1 sails   2 cannons   3 hull",
    "                  d become a shipyard    b bombard a shipyard beside it",
    "                  f broadside            e how it meets others",
    "                  p press, w withdraw (in a contest)   x drop the order",
    "for a shipyard    n build                x drop the order, or the last build",
    "",
    "u undo            Ctrl-R redo            L lock in the orders",
    "encounters        p PROCEED   y YIELD    a ATTACK",
    "Space             skip the playback of a turn",
    "C concede         q quit, the seat is kept",
];

/// Draws a question, or the help.
pub(super) fn draw(model: &Model, dialog: Dialog, area: Rect, buffer: &mut Buffer) {
    match dialog {
        Dialog::Help => boxed(" keys ", HELP, area, buffer),
        Dialog::LockIdle(idle) => {
            let ships = if idle == 1 { "1 ship has".to_owned() } else { format!("{idle} ships have") };
            let lines = [format!("{ships} nothing to do."), "Lock in all the same? (y/n)".to_owned()];
            boxed(" lock in ", &lines, area, buffer);
        }
        Dialog::Concede => {
            boxed(" concede ", &["Give up this match at the end of the turn? (y/n)"], area, buffer);
        }
        Dialog::Quit => {
            let staged = if model.plan().is_empty() { "Your seat is kept." } else { "Your seat and orders are kept." };
            boxed(" quit ", &[staged, "Leave now? (y/n)"], area, buffer);
        }
    }
}

/// Draws how the match ended, and how to prove it.
pub(super) fn end(model: &Model, end: &End, area: Rect, buffer: &mut Buffer) {
    let mut lines = vec![end.sentence.clone(), String::new()];
    if !end.digest.is_empty() {
        lines.push("The digest of the last turn, which stands for all before it:".to_owned());
        lines.push(format!("  {}", end.digest));
    }
    lines.push("To keep the match and prove that its server was honest:".to_owned());
    lines.push(format!("  parley replay export {}", model.match_id()));
    lines.push(format!("    --server {}", model.address()));
    lines.push(format!("  parley verify {}.parley-replay", model.match_id()));
    boxed(" the end ", &lines, area, buffer);
}

/// Draws who is there before the first turn.
pub(super) fn waiting(model: &Model, area: Rect, buffer: &mut Buffer) {
    let mut lines = vec!["Match".to_owned(), format!("  {}", model.match_id()), String::new()];
    lines.extend(model.seats().iter().enumerate().map(|(seat, name)| {
        let name = if name.is_empty() { "open" } else { name };
        let you = if model.seat() == Some(seat as u32) { " (you)" } else { "" };
        format!("seat {seat}: {name}{you}")
    }));
    boxed(" waiting for players ", &lines, area, buffer);
}

fn boxed(title: &str, lines: &[impl AsRef<str>], area: Rect, buffer: &mut Buffer) {
    let longest = lines.iter().map(|line| line.as_ref().chars().count()).max().unwrap_or(0);
    let width = (longest.max(title.len()) as u16).saturating_add(4).min(area.width);
    let height = (lines.len() as u16).saturating_add(2).min(area.height);
    let place = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    Clear.render(place, buffer);
    let frame = Style::new().fg(Color::LightYellow);
    Block::bordered().title(title.to_owned()).border_style(frame).title_style(look::HEADING).render(place, buffer);
    for (row, line) in lines.iter().enumerate().take(usize::from(height.saturating_sub(2))) {
        let line = text::clip(line.as_ref(), usize::from(width.saturating_sub(4)));
        buffer.set_string(place.x + 2, place.y + 1 + row as u16, line, Style::new());
    }
}
