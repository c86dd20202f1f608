//! A list of matches to pick one from.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parley_games::sentences;
use parley_proto::v1;
use ratatui::Frame;
use ratatui::style::{Modifier, Style};

use super::draw::text;

/// Matches, and the one that is pointed at.
#[derive(Clone, Debug)]
pub struct Picker {
    matches: Vec<v1::Match>,
    at: usize,
    done: bool,
    picked: bool,
}

/// A match in one line.
pub fn describe(found: &v1::Match) -> String {
    let stage = match found.stage() {
        v1::MatchStage::Open => "open",
        v1::MatchStage::Running => "running",
        v1::MatchStage::Finished => "finished",
        v1::MatchStage::Unspecified => "unknown",
    };
    let name = found.settings.as_ref().map_or("", |settings| settings.name.as_str());
    let seat = |seat: &v1::Seat| if seat.taken { seat.name.clone() } else { "(open)".to_owned() };
    let seats: Vec<String> = found.seats.iter().map(seat).collect();
    sentences::visible(&format!("{}  {stage:<8}  {name}: {}", found.match_id, seats.join(", ")))
}

impl Picker {
    /// A list of these matches, with the first one pointed at.
    pub const fn new(matches: Vec<v1::Match>) -> Self {
        Self { matches, at: 0, done: false, picked: false }
    }

    /// Whether a match was picked, or nobody wants any.
    pub const fn is_done(&self) -> bool {
        self.done
    }

    /// The id of the match that was picked, if one was.
    pub fn into_match_id(self) -> Option<String> {
        self.matches.into_iter().nth(self.at).filter(|_| self.picked).map(|found| found.match_id)
    }

    /// Acts on a key that was pressed.
    pub fn on_key(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => self.done = true,
            KeyCode::Char('q') | KeyCode::Esc => self.done = true,
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.at = (self.at + 1).min(self.matches.len().saturating_sub(1)),
            KeyCode::Enter => (self.done, self.picked) = (true, true),
            _ => {}
        }
    }

    /// Draws the list.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        let buffer = frame.buffer_mut();
        let bold = Style::new().add_modifier(Modifier::BOLD);
        buffer.set_stringn(0, 0, " Which match?  arrows, Enter to watch, q to leave", width, bold);
        let room = height.saturating_sub(2).max(1);
        let first = self.at.saturating_sub(room - 1);
        for (row, (place, found)) in self.matches.iter().enumerate().skip(first).take(room).enumerate() {
            let style = if place == self.at { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
            let line = text::clip(&format!(" {}", describe(found)), width);
            buffer.set_stringn(0, 2 + row as u16, line, width, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn picker() -> Picker {
        let found = |id: &str| v1::Match {
            match_id: id.to_owned(),
            stage: v1::MatchStage::Running.into(),
            seats: vec![v1::Seat { taken: true, name: "Ann".to_owned(), ..v1::Seat::default() }, v1::Seat::default()],
            settings: Some(v1::MatchSettings { name: "Tea".to_owned(), ..v1::MatchSettings::default() }),
            ..v1::Match::default()
        };
        Picker::new(["one", "two", "three"].map(found).to_vec())
    }

    #[test]
    fn the_one_that_is_pointed_at_is_picked() {
        let mut picker = picker();
        for key in [KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Up, KeyCode::Enter] {
            assert!(!picker.is_done());
            picker.on_key(key.into());
        }
        assert!(picker.is_done());
        assert_eq!(picker.into_match_id().as_deref(), Some("two"));
    }

    #[test]
    fn nobody_needs_to_pick() {
        let mut picker = picker();
        picker.on_key(KeyCode::Char('q').into());
        assert!(picker.is_done());
        assert_eq!(picker.into_match_id(), None);
    }

    #[test]
    fn matches_are_listed_with_who_plays() {
        let mut terminal = Terminal::new(TestBackend::new(60, 4)).expect("a screen");
        let mut picker = picker();
        terminal.draw(|frame| picker.draw(frame)).expect("drawn");
        let shown = terminal.backend().to_string();
        assert!(shown.contains("one  running   Tea: Ann, (open)") && shown.contains("two"), "{shown}");
        (0..2).for_each(|_| picker.on_key(KeyCode::Down.into()));
        terminal.draw(|frame| picker.draw(frame)).expect("drawn");
        assert!(terminal.backend().to_string().contains("three  running"));
    }
}
