//! `parley-bots load`: many matches at once, timed.

mod show;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use parley_bots::load::{self, Embedded, Length, LoadError, Plan, Report};

use super::{Complaint, print};

/// How long health checks, and the resolver alone, are measured.
const BESIDE: Duration = Duration::from_secs(3);

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
        let mut watcher = show::watcher(self.quiet);
        let report = if self.find_knee {
            let bound = Duration::from_millis(self.p99_ms.into());
            load::find_knee(&plan, bound, load::STEP_TIME, watcher.as_mut()).await
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
