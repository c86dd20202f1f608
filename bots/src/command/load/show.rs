//! How a load run is shown while it goes on: live on a terminal, a line now and then elsewhere.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parley_bots::load::{Meter, SAMPLE, SaturationStep, Timing, Watcher};

/// How many samples the figures that are shown as current are made of: two seconds.
const RECENT: usize = 8;
/// How often a line is written where there is no terminal, in samples: every three seconds.
const LINE_EVERY: u32 = 12;
/// How many matches are created between two lines.
const SEATED_EVERY: u32 = 100;

/// Shows a run on a terminal, as lines, or not at all.
pub(super) fn watcher(quiet: bool) -> Box<dyn Watcher> {
    if quiet {
        Box::new(())
    } else if io::stderr().is_terminal() {
        Box::new(Live::new())
    } else {
        Box::new(Lines::default())
    }
}

/// What was measured lately.
#[derive(Default)]
struct Recent(VecDeque<Meter>);

impl Recent {
    fn add(&mut self, sample: &Meter) {
        if self.0.len() == RECENT {
            self.0.pop_front();
        }
        self.0.push_back(sample.clone());
    }

    fn sum(&self) -> Meter {
        let mut sum = Meter::default();
        self.0.iter().for_each(|sample| sum.add(sample));
        sum
    }

    /// The turns per second of the recent samples.
    fn rate(&self) -> f64 {
        let turns: u64 = self.0.iter().map(|sample| sample.turns).sum();
        turns as f64 / (SAMPLE * self.0.len().max(1) as u32).as_secs_f64()
    }
}

/// Shows a run as a line now and then.
#[derive(Default)]
struct Lines {
    samples: u32,
    recent: Recent,
}

/// Writes a line; where standard error is closed there is nobody left to tell.
fn write(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

impl Watcher for Lines {
    fn seated(&mut self, matches: u32, of: u32) {
        if matches.is_multiple_of(SEATED_EVERY) || matches == of {
            write(&format!("{matches} of {of} matches have their players"));
        }
    }

    fn measured(&mut self, since: &Meter, all: &Meter) {
        self.recent.add(since);
        self.samples += 1;
        if self.samples.is_multiple_of(LINE_EVERY) {
            let now = self.recent.sum();
            write(&format!(
                "{} turns, {:.0}/s; lock-in {}; lock to outcome {}; {} errors",
                all.turns,
                self.recent.rate(),
                times(&now.lock_in),
                times(now.told_outcome()),
                all.errors.total()
            ));
        }
    }

    fn stepped(&mut self, step: &SaturationStep) {
        write(&stepped(step));
    }

    fn verified(&mut self, matches: u32, of: u32) {
        if matches == of {
            write(&format!("{matches} of {of} matches are verified"));
        }
    }
}

/// Shows a run as a few lines that are written over again and again.
struct Live {
    bar: ProgressBar,
    recent: Recent,
}

impl Live {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Self { bar, recent: Recent::default() }
    }

    fn show(&self, text: String) {
        self.bar.set_message(text);
        self.bar.tick();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Watcher for Live {
    fn seated(&mut self, matches: u32, of: u32) {
        self.show(format!("{matches} of {of} matches have their players"));
    }

    fn measured(&mut self, since: &Meter, all: &Meter) {
        self.recent.add(since);
        let now = self.recent.sum();
        self.show(format!(
            "{:.0} turns/s, {} so far, {} errors, {} reconnects\n  lock-in          {}\n  lock to outcome  {}",
            self.recent.rate(),
            all.turns,
            all.errors.total(),
            all.reconnects,
            times(&now.lock_in),
            times(now.told_outcome())
        ));
    }

    fn stepped(&mut self, step: &SaturationStep) {
        self.bar.println(stepped(step));
    }

    fn verified(&mut self, matches: u32, of: u32) {
        self.show(format!("{matches} of {of} matches are verified"));
    }
}

fn stepped(step: &SaturationStep) -> String {
    format!("{} turns/s: {:.0} reached, p99 {} ms", step.rate, step.reached, millis(step.times[1]))
}

fn millis(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

fn times(timing: &Timing) -> String {
    let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|part| millis(timing.at(part)));
    format!("p50 {p50} ms, p99 {p99} ms, p99.9 {p999} ms")
}
