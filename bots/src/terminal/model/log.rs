//! What has happened, line by line.

use std::collections::VecDeque;

use parley_games::sentences::visible;

/// How many lines are kept; the oldest go first.
pub const MAX_LINES: usize = 500;

/// What kind of line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The heading of a turn.
    Heading,
    /// Something that happened.
    Plain,
    /// Something that happened to the viewer.
    Own,
    /// A loss, a contest or a shortfall.
    Grave,
    /// Something about the match and the connection.
    Aside,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The kind of the line.
    pub tone: Tone,
    /// The words of the line.
    pub text: String,
}

/// The newest lines.
#[derive(Clone, Debug)]
pub struct Log {
    limit: usize,
    lines: VecDeque<LogLine>,
    /// How many of the newest lines are scrolled out of sight.
    back: usize,
}

impl Default for Log {
    fn default() -> Self {
        Self::new(MAX_LINES)
    }
}

impl Log {
    /// A log that keeps this many lines.
    pub const fn new(limit: usize) -> Self {
        Self { limit, lines: VecDeque::new(), back: 0 }
    }

    /// Takes all lines out.
    pub fn take(&mut self) -> VecDeque<LogLine> {
        self.back = 0;
        std::mem::take(&mut self.lines)
    }

    /// Adds a line. What others say in it cannot break or colour it.
    pub fn add(&mut self, tone: Tone, text: impl AsRef<str>) {
        if self.lines.len() >= self.limit {
            self.lines.pop_front();
        }
        self.lines.push_back(LogLine { tone, text: visible(text.as_ref()) });
        if self.back > 0 {
            self.back = (self.back + 1).min(self.lines.len());
        }
    }

    /// All lines, the oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &LogLine> + ExactSizeIterator {
        self.lines.iter()
    }

    /// How many of the newest lines are scrolled out of sight.
    pub const fn back(&self) -> usize {
        self.back
    }

    /// Scrolls towards the past, or with a negative number towards the present.
    pub fn scroll(&mut self, lines: isize) {
        let most = self.lines.len().saturating_sub(1);
        self.back = self.back.saturating_add_signed(lines).min(most);
    }
}
