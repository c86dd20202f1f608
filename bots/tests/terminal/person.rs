//! Somebody at a real terminal: a pseudo-terminal with the real binary in it, read as a person would.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::termios::{LocalModes, tcgetattr};
use vt100::Parser;

/// How long anything may take before a test gives up. Nothing waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is on the screen, and whether more can come.
struct Shown {
    parser: Parser,
    /// Whether the program ever switched to the alternate screen.
    taken: bool,
    ended: bool,
}

type Eyes = Arc<(Mutex<Shown>, Condvar)>;

/// Somebody at a terminal.
pub(crate) struct Person {
    child: Child,
    pty: Arc<Pty>,
    eyes: Eyes,
    reading: Option<JoinHandle<()>>,
    before: LocalModes,
}

fn size(rows: u16, columns: u16) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).expect("rows"), NonZeroU16::new(columns).expect("columns"))
}

impl Person {
    /// Starts `parley-bots` on a screen of 80 × 24, with a folder for what it keeps.
    pub(crate) fn start(state: &Path, arguments: &[&str]) -> Self {
        let (pty, pts) = open().expect("a pseudo-terminal");
        pty.resize(Size::new(24, 80)).expect("a size");
        let before = tcgetattr(&pty).expect("modes").local_modes;
        let child = Command::new(env!("CARGO_BIN_EXE_parley-bots"))
            .args(arguments)
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .env("XDG_STATE_HOME", state)
            .env_remove("PARLEY_ADDR")
            .env_remove("PARLEY_INVITATION")
            .env_remove("PARLEY_TOKEN")
            .env_remove("NO_COLOR")
            .spawn(pts)
            .expect("the binary runs");
        let pty = Arc::new(pty);
        let (rows, columns) = size(24, 80);
        let shown = Shown { parser: Parser::new(rows, columns, 0), taken: false, ended: false };
        let eyes: Eyes = Arc::new((Mutex::new(shown), Condvar::new()));
        let reading = thread::spawn({
            let (pty, eyes) = (Arc::clone(&pty), Arc::clone(&eyes));
            move || read(&pty, &eyes)
        });
        Self { child, pty, eyes, reading: Some(reading), before }
    }

    /// Types these keys into the terminal.
    pub(crate) fn keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("the terminal is open");
    }

    /// Makes the window larger or smaller.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let (lock, _) = &*self.eyes;
        let (high, wide) = size(rows, columns);
        lock.lock().expect("no panic").parser.screen_mut().set_size(high, wide);
        self.pty.resize(Size::new(rows, columns)).expect("a size");
    }

    /// Waits until all of these words are on the screen at once, and gives the screen.
    pub(crate) fn sees(&self, words: &[&str]) -> String {
        let (lock, changed) = &*self.eyes;
        let until = Instant::now() + PATIENCE;
        let mut shown = lock.lock().expect("no panic");
        loop {
            let screen = shown.parser.screen().contents();
            if words.iter().all(|word| screen.contains(word)) {
                return screen;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!shown.ended && !left.is_zero(), "{words:?} never came:\n{screen}");
            shown = changed.wait_timeout(shown, left).expect("no panic").0;
        }
    }

    /// Waits for the end of the program and gives its status and what is left on the terminal, which must be as it was.
    pub(crate) fn ends(mut self) -> (ExitStatus, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(Instant::now() < until, "it does not end:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        };
        if let Some(reading) = self.reading.take() {
            reading.join().expect("no panic");
        }
        let after = tcgetattr(&*self.pty).expect("modes").local_modes;
        assert_eq!(after, self.before, "the terminal echoes and takes lines as before");
        let (lock, _) = &*self.eyes;
        let shown = lock.lock().expect("no panic");
        let screen = shown.parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "the usual screen, with a cursor");
        (status, screen.contents().trim().to_owned())
    }

    /// Whether the program ever took the whole screen.
    pub(crate) fn took_the_screen(&self) -> bool {
        self.eyes.0.lock().expect("no panic").taken
    }

    /// Waits until nothing more comes, because the program has ended.
    pub(crate) fn sees_the_end(&self) {
        let (lock, changed) = &*self.eyes;
        let shown = lock.lock().expect("no panic");
        let (shown, late) = changed.wait_timeout_while(shown, PATIENCE, |shown| !shown.ended).expect("no panic");
        assert!(!late.timed_out(), "it does not end:\n{}", shown.parser.screen().contents());
    }

    fn screen(&self) -> String {
        self.eyes.0.lock().expect("no panic").parser.screen().contents()
    }
}

impl Drop for Person {
    /// Whatever becomes of a test, its program ends with it.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what the program writes until it has ended.
fn read(pty: &Pty, eyes: &Eyes) {
    let (lock, changed) = &**eyes;
    let mut bytes = [0; 4096];
    loop {
        let mut pty = pty;
        let count = pty.read(&mut bytes).unwrap_or(0);
        let mut shown = lock.lock().expect("no panic");
        shown.parser.process(&bytes[..count]);
        shown.taken |= shown.parser.screen().alternate_screen();
        shown.ended = count == 0;
        changed.notify_all();
        if count == 0 {
            return;
        }
    }
}
