//! `parley-bots load`: many matches at once, timed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use parley_bots::load::{self, Embedded, Length, LoadError, Meter, Plan, Report, Step, Timing, Watcher};

use super::{Complaint, print};

/// How long health checks, and the resolver alone, are measured.
const BESIDE: Duration = Duration::from_secs(3);
/// How often a line about the run is written, in samples.
const LINE_EVERY: u32 = 12;

/// What to play, and how fast.
#[derive(Args)]
pub(crate) struct Load {
    /// Where the server is.
    #[arg(long, default_value = "http://localhost:7400")]
    addr: String,
    /// How many matches are played at once.
    #[arg(long, default_value_t = 500)]
    matches: u32,
    /// How many seats each has.
    #[arg(long, default_value_t = 4)]
    players: u32,
    /// How many turns each has.
    #[arg(long, default_value_t = 30, conflicts_with = "duration")]
    turns: u32,
    /// How many seconds to play, instead of a number of turns.
    #[arg(long, value_name = "SECONDS")]
    duration: Option<f64>,
    /// How many ships each player has.
    #[arg(long, default_value_t = 6)]
    ships: u32,
    /// How many connections the sessions share.
    #[arg(long, default_value_t = 8)]
    connections: u32,
    /// How many threads play.
    #[arg(long, default_value_t = 1)]
    threads: u32,
    /// Turns that begin in a second, over all matches. Without it, each begins as soon as the one before is over.
    #[arg(long, value_name = "TURNS_PER_SECOND")]
    rate: Option<u32>,
    /// Find the highest rate at which 99% of the turns take no longer than --p99-ms.
    #[arg(long, conflicts_with_all = ["rate", "turns", "duration"])]
    find_knee: bool,
    /// The bound of --find-knee, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 50)]
    p99_ms: u32,
    /// Measure health checks first, over as many connections and with as many at once.
    #[arg(long)]
    ceiling: bool,
    /// Measure the resolver alone with the same matches, without a server, and nothing else.
    #[arg(long, conflicts_with_all = ["rate", "find_knee", "ceiling", "duration"])]
    embedded: bool,
    /// What the maps come from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The server's process, to take its processor time.
    #[arg(long, value_name = "PID")]
    server_pid: Option<u32>,
    /// A folder for the report as load.json and load.html.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Say nothing while it runs.
    #[arg(long)]
    quiet: bool,
}

impl Load {
    /// Plays and says how it went.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        let plan = self.plan()?;
        if self.embedded {
            let measured = tokio::task::spawn_blocking(move || load::embedded(&plan, BESIDE)).await;
            return print(&alone(&measured.map_err(Complaint::failure)?.map_err(complaint)?));
        }
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        }
        let ceiling = match self.ceiling {
            true => Some(load::ceiling(&plan, BESIDE).await.map_err(complaint)?),
            false => None,
        };
        let mut lines = Lines { quiet: self.quiet, samples: 0 };
        let report = if self.find_knee {
            load::find_knee(&plan, Duration::from_millis(self.p99_ms.into()), &mut lines).await
        } else {
            load::run(&plan, &mut lines).await
        };
        let report = Report { ceiling, ..report.map_err(complaint)? };
        print(&report.to_text())?;
        if let Some(folder) = &self.out {
            write(&folder.join("load.json"), &format!("{:#}\n", report.to_json()))?;
            write(&folder.join("load.html"), &report.to_html())?;
        }
        if report.is_clean() { Ok(()) } else { Err(Complaint::failure(report.verdict())) }
    }

    fn plan(&self) -> Result<Plan, Complaint> {
        let length = match self.duration {
            None => Length::Turns(self.turns),
            Some(seconds) => {
                let time = Duration::try_from_secs_f64(seconds);
                Length::Time(time.map_err(|error| Complaint::input(format!("--duration: {error}")))?)
            }
        };
        Ok(Plan {
            address: self.addr.clone(),
            matches: self.matches,
            players: self.players,
            ships: self.ships,
            length,
            connections: self.connections,
            threads: self.threads,
            rate: self.rate,
            seed: self.seed,
            server: self.server_pid,
        })
    }
}

fn complaint(error: LoadError) -> Complaint {
    match error {
        LoadError::Plan(_) => Complaint::input(error),
        error => Complaint::failure(error),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Complaint> {
    std::fs::write(path, text).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Complaint {
    Complaint::failure(format!("{}: {error}", path.display()))
}

fn alone(embedded: &Embedded) -> String {
    let Embedded { one_thread, all_threads, threads } = embedded;
    format!("the resolver alone  {one_thread:.0} turns/s on one thread, {all_threads:.0} turns/s on {threads}")
}

/// A line now and then.
struct Lines {
    quiet: bool,
    samples: u32,
}

impl Lines {
    fn write(&self, line: &str) {
        if !self.quiet {
            // Where standard error is closed there is nobody left to tell.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}

impl Watcher for Lines {
    fn seated(&mut self, matches: u32, of: u32) {
        if matches.is_multiple_of(100) || matches == of {
            self.write(&format!("{matches} of {of} matches are seated"));
        }
    }

    fn measured(&mut self, _: &Meter, all: &Meter) {
        self.samples += 1;
        if self.samples.is_multiple_of(LINE_EVERY) {
            self.write(&format!(
                "{} turns, {:.0}/s; lock-in {}; lock to outcome {}; {} errors",
                all.turns,
                all.rate(),
                shown(&all.lock_in),
                shown(all.told_outcome()),
                all.errors.total()
            ));
        }
    }

    fn stepped(&mut self, step: &Step) {
        let p99 = millis(step.times[1]);
        self.write(&format!("{} turns/s: {:.0} reached, p99 {p99} ms", step.rate, step.reached));
    }

    fn verified(&mut self, matches: u32, of: u32) {
        if matches == of {
            self.write(&format!("{matches} of {of} matches are verified"));
        }
    }
}

fn millis(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

fn shown(timing: &Timing) -> String {
    let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|part| millis(timing.at(part)));
    format!("p50 {p50} ms, p99 {p99} ms, p99.9 {p999} ms")
}
