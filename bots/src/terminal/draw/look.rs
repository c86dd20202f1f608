//! The signs and colours that everything is drawn with.

use parley_core::hex::Direction;
use ratatui::style::{Color, Modifier, Style};

use crate::terminal::board::Ground;

/// Which signs the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether signs beyond ASCII may be used.
    pub unicode: bool,
}

impl Look {
    /// The signs that the environment's locale allows.
    pub fn of_locale(value: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(value).find(|value| !value.is_empty());
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        Self { unicode: locale.contains("utf-8") || locale.contains("utf8") }
    }

    const fn pick(self, unicode: char, ascii: char) -> char {
        if self.unicode { unicode } else { ascii }
    }

    /// A text whose only sign beyond ASCII is a dash, as the terminal can show it.
    pub fn dash(self, text: &str) -> String {
        if self.unicode { text.to_owned() } else { text.replace('—', "-") }
    }

    /// The sign of a tile with nothing on it.
    pub const fn ground(self, ground: Ground) -> char {
        match ground {
            Ground::Unknown => ' ',
            Ground::Deep => '~',
            Ground::Sea => self.pick('·', '.'),
            Ground::Harbor => 'H',
            Ground::Land => self.pick('▲', '#'),
        }
    }

    /// The sign of a shipyard.
    pub const fn shipyard(self) -> char {
        self.pick('⌂', 'Y')
    }

    /// The sign of a contested tile.
    pub const fn contest(self) -> char {
        self.pick('✖', 'X')
    }

    /// The sign at the end of a path.
    pub const fn target(self) -> char {
        self.pick('◎', 'o')
    }

    /// The sign of a step of a path.
    pub const fn step(self, direction: Direction) -> char {
        match direction {
            Direction::E => self.pick('→', '>'),
            Direction::NE => self.pick('↗', '/'),
            Direction::NW => self.pick('↖', '\\'),
            Direction::W => self.pick('←', '<'),
            Direction::SW => self.pick('↙', '/'),
            Direction::SE => self.pick('↘', '\\'),
        }
    }

    /// The sign for how whole a fleet is: a bar, or a digit for the tenths.
    pub fn health(self, hp: u32, most: u32) -> char {
        let share = |parts: u32| u64::from(hp.min(most)) * u64::from(parts) / u64::from(most.max(1));
        if self.unicode {
            ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][(share(8) as usize).clamp(1, 8) - 1]
        } else {
            char::from(b'0' + share(9) as u8)
        }
    }

    /// The sign before the state of the connection.
    pub const fn lamp(self) -> char {
        self.pick('●', '*')
    }

    /// The sign beside somebody who has locked in.
    pub const fn locked(self) -> char {
        self.pick('✓', '+')
    }

    /// The sign between the parts of a line.
    pub const fn dot(self) -> char {
        self.pick('·', '|')
    }
}

/// The letter of a player's ships.
pub const fn letter(seat: u32) -> char {
    match seat {
        0..=25 => (b'A' + seat as u8) as char,
        26..=51 => (b'a' + (seat - 26) as u8) as char,
        _ => '?',
    }
}

/// The colour of a player.
pub const fn owner(seat: Option<u32>) -> Color {
    const COLORS: [u8; 12] = [220, 213, 120, 117, 208, 147, 51, 253, 180, 108, 175, 69];
    match seat {
        Some(seat) => Color::Indexed(COLORS[seat as usize % COLORS.len()]),
        None => Color::Indexed(248),
    }
}

/// The style of a tile that is seen, or only remembered.
pub fn tile(ground: Ground, seen: bool) -> Style {
    let (front, back) = match (ground, seen) {
        (Ground::Unknown, _) => (240, 233),
        (Ground::Deep, true) => (25, 17),
        (Ground::Sea, true) => (67, 24),
        (Ground::Harbor, true) => (230, 30),
        (Ground::Land, true) => (107, 58),
        (Ground::Deep, false) => (238, 234),
        (Ground::Sea, false) => (242, 236),
        (Ground::Harbor, false) => (246, 239),
        (Ground::Land, false) => (243, 237),
    };
    Style::new().fg(Color::Indexed(front)).bg(Color::Indexed(back))
}

/// The style of the tile under the cursor.
pub const CURSOR: Style = Style::new().fg(Color::Black).bg(Color::White).add_modifier(Modifier::BOLD);

/// The style of a contested tile.
pub const CONTEST: Style = Style::new().fg(Color::White).bg(Color::Red).add_modifier(Modifier::BOLD);

/// The style of something grave.
pub const GRAVE: Style = Style::new().fg(Color::LightRed);

/// The style of something quiet.
pub const QUIET: Style = Style::new().fg(Color::DarkGray);

/// The style of a heading.
pub const HEADING: Style = Style::new().add_modifier(Modifier::BOLD);

/// The style of a bar over the whole width.
pub const BAR: Style = Style::new().fg(Color::White).bg(Color::Indexed(236));
