//! Draws what has happened, line by line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, Borders, Widget};

use super::{look, text};
use crate::terminal::model::{Log, Tone};

const fn style(tone: Tone) -> Style {
    match tone {
        Tone::Heading => look::HEADING,
        Tone::Plain => Style::new(),
        Tone::Own => Style::new().fg(Color::LightYellow),
        Tone::Grave => look::GRAVE,
        Tone::Aside => look::QUIET,
    }
}

/// Draws the newest lines that fit, or older ones where it is scrolled back.
pub(super) fn draw(log: &Log, area: Rect, buffer: &mut Buffer) {
    let title = if log.back() > 0 { format!(" log, {} newer lines below ", log.back()) } else { " log ".to_owned() };
    let block = Block::new().borders(Borders::TOP).border_style(look::QUIET).title(title);
    let inner = block.inner(area);
    block.render(area, buffer);
    let mut bottom = inner.bottom();
    for line in log.lines().rev().skip(log.back()) {
        for part in text::wrap(&line.text, usize::from(inner.width).saturating_sub(2), 2).iter().rev() {
            if bottom == inner.y {
                return;
            }
            bottom -= 1;
            buffer.set_stringn(inner.x + 1, bottom, part, inner.width.into(), style(line.tone));
        }
    }
}
