//! Draws the model on a screen.

mod dialog;
mod log;
pub mod look;
pub mod map;
mod panel;
mod prompt;
#[cfg(test)]
mod tests;
pub mod text;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget};

use super::model::{Dialog, Model, Pick, Stage};
use crate::session::Link;
use look::Look;

/// The smallest screen that can be played on.
pub const MIN_SIZE: (u16, u16) = (64, 20);

/// Draws the whole screen.
pub fn draw(model: &Model, look: Look, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        let (width, height) = MIN_SIZE;
        let text = format!("Too small: {width}x{height} is needed, this is {}x{}.", area.width, area.height);
        buffer.set_stringn(area.x, area.y, text, area.width.into(), Style::new());
        return;
    }
    let wide = area.width >= 110;
    let prompt = prompt::lines(model, look, area.width);
    let bottom = match &prompt {
        Some(lines) => lines.len() as u16 + 2,
        None if area.height >= 34 => area.height / 3,
        None => 6,
    };
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(bottom),
        Constraint::Length(1),
        Constraint::Length(1),
    ]);
    let [top, middle, below, notice, help] = rows.areas(area);
    let [sea, side] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(if wide { 36 } else { 27 })]).areas(middle);
    header(model, look, top, buffer);
    match model.board() {
        Some(board) => {
            map::draw(model, board, look, sea, buffer);
        }
        None => dialog::waiting(model, sea, buffer),
    }
    panel::draw(model, look, side, buffer);
    match prompt {
        Some(lines) => prompt::draw(lines, below, buffer),
        None => log::draw(model.log(), below, buffer),
    }
    if let Some(text) = model.notice() {
        let style = Style::new().fg(Color::Black).bg(Color::Yellow);
        buffer.set_style(notice, style);
        buffer.set_stringn(notice.x + 1, notice.y, text, notice.width.saturating_sub(1).into(), style);
    }
    Paragraph::new(text::clip(&keys(model), help.width.into())).style(look::BAR).render(help, buffer);
    if let Stage::Over(end) = model.stage() {
        dialog::end(model, end, middle, buffer);
    }
    if let Some(question) = model.dialog() {
        dialog::draw(model, question, area, buffer);
    }
}

/// Draws turn, phase, time and connection.
fn header(model: &Model, look: Look, area: Rect, buffer: &mut Buffer) {
    let turn = model.board().map(|board| board.turn());
    let mut parts = vec!["Parley".to_owned()];
    if let Some(turn) = turn {
        parts.push(format!("turn {turn}"));
    }
    parts.push(match model.stage() {
        Stage::Waiting => "waiting for players".to_owned(),
        Stage::Planning => "planning".to_owned(),
        Stage::Locked if model.has_conceded() => "given up, waiting for the others".to_owned(),
        Stage::Locked => "locked in, waiting for the others".to_owned(),
        Stage::Asked(asking) => match asking.tick() {
            Some(tick) => format!("encounter in tick {tick}"),
            None => "asked".to_owned(),
        },
        Stage::Playback(playback) => match playback.tick() {
            Some(255) => "broadsides".to_owned(),
            Some(tick) => format!("tick {tick}"),
            None => "resolving".to_owned(),
        },
        Stage::Watching => "watching".to_owned(),
        Stage::Over(_) => "over".to_owned(),
    });
    if let Some(seconds) = model.seconds_left() {
        parts.push(format!("{} left", text::clock(seconds)));
    }
    if let Some(locks) = model.locks() {
        let players = model.board().map_or(0, |board| board.players().iter().filter(|player| player.alive).count());
        parts.push(format!("{} of {players} locked", locks.count));
    }
    let left = format!(" {}", parts.join(&format!(" {} ", look.dot())));
    let (state, color) = match (model.link(), model.stage()) {
        (_, Stage::Over(_)) => ("finished", Color::Gray),
        (Link::Up, _) => ("connected", Color::Green),
        (Link::Down { why }, _) if why.is_empty() => ("connecting", Color::Yellow),
        (Link::Down { .. }, _) => ("reconnecting", Color::LightRed),
    };
    let right = format!("{} {state} ", look.lamp());
    let room = usize::from(area.width).saturating_sub(right.chars().count());
    let left = format!("{:<room$}", text::clip(&left, room));
    let line = Line::from(vec![
        Span::styled(left, look::BAR.add_modifier(Modifier::BOLD)),
        Span::styled(right, look::BAR.fg(color)),
    ]);
    Paragraph::new(line).style(look::BAR).render(area, buffer);
}

/// The keys that matter now, in words.
fn keys(model: &Model) -> String {
    if let Some(dialog) = model.dialog() {
        return match dialog {
            Dialog::Help => " any key closes this".to_owned(),
            Dialog::LockIdle(_) | Dialog::Concede | Dialog::Quit => " y yes  n no".to_owned(),
        };
    }
    match (model.stage(), model.picked()) {
        (Stage::Planning, Some(Pick::Ship(_))) => {
            " Enter sail here  . hold  r repair  1 2 3 fit  e engage  x drop  L lock  ? all"
        }
        (Stage::Planning, Some(Pick::Shipyard(_))) => " n build  x cancel  u undo  Tab next  L lock in  ? all  q quit",
        (Stage::Planning, None) => " Tab next ship  arrows Enter pick  u undo  L lock in  ? all keys  q quit",
        (Stage::Asked(asking), _) => match asking.current() {
            Some((encounter, _)) if encounter.kind() == parley_proto::plunder::v1::EncounterKind::Passing => {
                " p PROCEED  a ATTACK  arrows look around  ? help"
            }
            Some(_) => " y YIELD  a ATTACK  arrows look around  ? help",
            None => " everything is answered; the others are waited for  ? help  q quit",
        },
        (Stage::Playback(_), _) => " Space skip  ? help  q quit",
        (Stage::Over(_), _) => " q leave  PgUp PgDn log",
        (Stage::Waiting | Stage::Locked | Stage::Watching, _) => " arrows look around  PgUp PgDn log  ? help  q quit",
    }
    .to_owned()
}
