//! `parley-bots load`: many matches at once, timed.

mod show;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use parley_bots::load::{self, Embedded, Length, LoadError, LoadPlan, Report};
use parley_bots::server::{Address, ServerError};

use super::{Complaint, print};

/// How long health checks, and the resolver alone, are measured.
const BESIDE: Duration = Duration::from_secs(3);

/// What to play, and how fast.
#[derive(Args)]
pub(crate) struct Load {
    #[command(flatten)]
    address: Address,
    /// The server's process, to take its processor time.
    #[arg(long, value_name = "PID", help_heading = "Server")]
    server_pid: Option<u32>,
    /// How many connections the sessions share.
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Server")]
    connections: u32,
    /// How many matches are played at once.
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = "Games")]
    matches: u32,
    /// The seats of a match, 2 to 16.
    #[arg(long, value_name = "N", default_value_t = 4, help_heading = "Games")]
    players: u32,
    /// How many ships each player has.
    #[arg(long, value_name = "N", default_value_t = 6, help_heading = "Games")]
    ships: u32,
    /// The turns of a match.
    #[arg(long, value_name = "N", default_value_t = 30, conflicts_with = "duration", help_heading = "Games")]
    turns: u32,
    /// What is drawn by lot comes from this number: maps. The same one gives the same matches.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Games")]
    seed: u64,
    /// How many threads play.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Games")]
    threads: u32,
    /// How many seconds to play, instead of a number of turns.
    #[arg(long, value_name = "SECONDS", help_heading = "Measuring")]
    duration: Option<f64>,
    /// Turns that begin in a second, over all matches. Without it, each begins as soon as the one before is over.
    #[arg(long, value_name = "TURNS_PER_SECOND", help_heading = "Measuring")]
    rate: Option<u32>,
    /// Find the highest rate at which 99% of the turns take no longer than --p99-ms.
    #[arg(long, conflicts_with_all = ["rate", "turns", "duration"], help_heading = "Measuring")]
    find_saturation: bool,
    /// The bound of --find-saturation, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 50, help_heading = "Measuring")]
    p99_ms: u32,
    /// Measure health checks first, over as many connections and with as many at once.
    #[arg(long, help_heading = "Measuring")]
    ceiling: bool,
    /// Measure the resolver alone with the same matches, without a server, and nothing else.
    #[arg(long, conflicts_with_all = ["rate", "find_saturation", "ceiling", "duration"], help_heading = "Measuring")]
    embedded: bool,
    /// A folder for the report as load.json and load.html.
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    out: Option<PathBuf>,
    /// Say nothing while it runs.
    #[arg(long, help_heading = "Results")]
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
        let mut watcher = show::watcher(self.quiet);
        let report = if self.find_saturation {
            let bound = Duration::from_millis(self.p99_ms.into());
            load::find_saturation(&plan, bound, load::STEP_TIME, watcher.as_mut()).await
        } else {
            load::run(&plan, watcher.as_mut()).await
        };
        drop(watcher);
        let report = Report { ceiling, ..report.map_err(complaint)? };
        print(&report.to_text())?;
        if let Some(folder) = &self.out {
            write(&folder.join("load.json"), &format!("{:#}\n", report.to_json()))?;
            write(&folder.join("load.html"), &report.to_html())?;
        }
        if report.is_clean() { Ok(()) } else { Err(Complaint::failure(report.verdict())) }
    }

    fn plan(&self) -> Result<LoadPlan, Complaint> {
        let length = match self.duration {
            None => Length::Turns(self.turns),
            Some(seconds) => {
                let time = Duration::try_from_secs_f64(seconds);
                Length::Time(time.map_err(|error| Complaint::input(format!("--duration: {error}")))?)
            }
        };
        Ok(LoadPlan {
            address: self.address.get().to_owned(),
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
        LoadError::Connect(error) => ServerError::from(error).into(),
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
