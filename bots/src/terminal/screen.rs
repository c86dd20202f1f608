//! The terminal as a screen, given back as it was whatever happens.

use std::io;

use ratatui::DefaultTerminal;

/// A terminal that shows a screen until this is dropped. A panic gives it back too, before it says anything.
#[derive(Debug)]
pub struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    /// Takes the terminal for a screen.
    pub fn open() -> io::Result<Self> {
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                // Half of it may have been done.
                let _ = ratatui::try_restore();
                Err(error)
            }
        }
    }

    /// The terminal that is drawn on.
    pub const fn terminal(&mut self) -> &mut DefaultTerminal {
        &mut self.terminal
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Where the terminal has gone away there is nothing left to give back.
        let _ = ratatui::try_restore();
    }
}
