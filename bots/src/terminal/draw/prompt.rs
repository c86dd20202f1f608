//! Draws a question that waits for an answer.

use parley_games::plunder::sentences;
use parley_games::sentences::list;
use parley_proto::plunder::v1 as plunder;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Borders, Widget};

use super::look::Look;
use super::text;
use crate::terminal::board::Board;
use crate::terminal::model::{Model, Stage, title};

/// A line and how it looks.
pub(super) type Styled = (String, Style);

/// The lines of the question, for a screen of this width; `None` where none waits.
pub(super) fn lines(model: &Model, look: Look, width: u16) -> Option<Vec<Styled>> {
    let (Stage::Asked(asking), Some(board)) = (model.stage(), model.board()) else { return None };
    let (encounter, unit) = asking.current()?;
    let width = usize::from(width).saturating_sub(4);
    let (at, of) = asking.count();
    let mut first = look.dash(title(encounter.kind()));
    let mut right = if of > 1 { format!("{at} of {of}") } else { String::new() };
    if let Some(seconds) = model.seconds_left() {
        right = format!("{right}  {} left", text::clock(seconds));
    }
    let room = width.saturating_sub(first.chars().count());
    first = format!("{first}{right:>room$}");
    let strong = Style::new().fg(Color::White).bg(Color::Red).add_modifier(Modifier::BOLD);
    let mut lines = vec![(first, strong)];
    let place = sentences::site(encounter.site.as_ref());
    lines.push((format!("Ship {unit}, in tick {}, {place}:", encounter.tick), Style::new()));
    let own = encounter.participants.iter().find(|participant| participant.unit == unit)?.owner;
    for (who, mine) in [("yours: ", true), ("theirs:", false)] {
        let side = encounter.participants.iter().filter(|participant| (participant.owner == own) == mine);
        let ships: Vec<String> = side.map(|participant| ship(model, board, participant, mine)).collect();
        let style = Style::new().fg(if mine { Color::LightYellow } else { Color::LightMagenta });
        for line in text::wrap(&format!("{who} {}", list(&ships)), width, 8) {
            lines.push((line, style));
        }
    }
    let mut before = None;
    for prospect in model.prospects() {
        let word = prospect.word;
        let head = if before == Some(word) { String::new() } else { format!("{} {}", &word[..1], word.to_uppercase()) };
        before = Some(word);
        let strong = Style::new().add_modifier(Modifier::BOLD);
        let whole = format!("{}: {}", prospect.condition, prospect.consequence);
        for (place, line) in text::wrap(&whole, width.saturating_sub(11), 2).into_iter().enumerate() {
            let head = if place == 0 { head.as_str() } else { "" };
            lines.push((format!("{head:<11}{line}"), if head.is_empty() { Style::new() } else { strong }));
        }
    }
    Some(lines)
}

fn ship(model: &Model, board: &Board, participant: &plunder::encounter::Participant, mine: bool) -> String {
    let unit = participant.unit;
    let name = if mine { format!("ship {unit}") } else { model.teller().ship(unit) };
    let holds = if participant.holds { ", which holds the tile" } else { "" };
    match board.ship(participant.unit) {
        Some(ship) => {
            let fighter = board.fighter(ship);
            format!("{name} with {}/{} hp and {} damage a hit{holds}", ship.hp, board.max_hp(ship), fighter.hit)
        }
        None => format!("{name}{holds}"),
    }
}

/// Draws the lines in a frame.
pub(super) fn draw(lines: Vec<Styled>, area: Rect, buffer: &mut Buffer) {
    let block = Block::new().borders(Borders::ALL).border_style(Style::new().fg(Color::Red));
    let inner = block.inner(area);
    block.render(area, buffer);
    for (row, (line, style)) in lines.into_iter().enumerate().take(inner.height.into()) {
        buffer.set_stringn(inner.x + 1, inner.y + row as u16, line, inner.width.saturating_sub(2).into(), style);
    }
}
