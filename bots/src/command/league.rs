//! `parley-bots league`: policies against each other, and how strong they are.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parley_bots::backoff::Backoff;
use parley_bots::league::files::{Contents, Folder};
use parley_bots::league::remote::Remote;
use parley_bots::league::{League, LeagueError, Mode, Table, local, remote};
use parley_bots::policy;
use parley_resolver::mapgen::SizePreset;

use super::server::reach;
use super::{Complaint, print, unguessable};

/// The percentage of games that each policy should win against the one before it.
const BAR: u32 = 65;

/// Who plays whom, and where.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The policies, the weakest first.
    #[arg(long, value_delimiter = ',', value_name = "NAME", default_values = policy::NAMES)]
    policies: Vec<String>,
    /// Who sits at one table: pairs of policies with half of the seats each, or all of them.
    #[arg(long, default_value_t = Mode::Pairs)]
    mode: Mode,
    /// Games of each pair, or of all together; rounded up until everybody has sat on every seat equally often.
    #[arg(long, value_name = "N", default_value_t = 24)]
    games: usize,
    /// Where maps, dice and the whims of policies come from; the same seed gives the same games.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The sizes of the maps, in turn: tiny, small, standard, large or huge.
    #[arg(long, value_delimiter = ',', value_name = "SIZE", default_values = ["tiny", "small"])]
    sizes: Vec<SizePreset>,
    /// Seats of a game.
    #[arg(long, value_name = "N", default_value_t = 4)]
    players: usize,
    /// The turn limit of a game.
    #[arg(long, value_name = "N", default_value_t = 60)]
    turns: u32,
    /// Players see only what is near their own.
    #[arg(long)]
    fog: bool,
    /// End with status 1 unless each policy wins this percentage of the games against the one before it.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    require: Option<u32>,
    /// Where replays and league.json go: an empty folder, or one that is not there yet. Left out: league-replays/SEED.
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_replays")]
    out: Option<PathBuf>,
    /// Write no replays.
    #[arg(long)]
    no_replays: bool,
    /// Write the table of contents to this file too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// How many threads play. Left out: as many as there are processors.
    #[arg(long, value_name = "N", conflicts_with = "addr")]
    jobs: Option<usize>,
    /// Play on this server instead of in this process.
    #[arg(long, value_name = "URL")]
    addr: Option<String>,
    /// For https: the PEM file with the certificate that the server's is signed with. Left out: whom the machine trusts.
    #[arg(long, value_name = "FILE", requires = "addr")]
    ca: Option<PathBuf>,
    /// How many games are played on the server at a time.
    #[arg(long, value_name = "N", requires = "addr", default_value_t = 4)]
    concurrency: usize,
    /// Send the dice of each game to the server, which has to allow it; then the games are those of this process.
    #[arg(long, requires = "addr")]
    fixed_secrets: bool,
    /// How often in a row the server may be out of reach. The default is a quarter of an hour.
    #[arg(long, value_name = "N", requires = "addr", default_value_t = Backoff::default().attempts)]
    attempts: u32,
}

impl Arguments {
    /// Plays all games and prints the table.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        let league = self.league();
        league.check().map_err(complaint)?;
        let games = league.schedule();
        let remote = self.remote().await?;
        let folder = self.folder().map_err(complaint)?;
        let progress = progress(games.len());
        let done = || progress.inc(1);
        let played = match &remote {
            Some(remote) => remote::run(&league, &games, remote, folder.as_ref(), &done).await,
            // Nothing else runs in this program, so it may wait for its threads here.
            None => local::run(&league, &games, self.jobs(), folder.as_ref(), &done),
        };
        progress.finish_and_clear();
        let played = played.map_err(complaint)?;
        let table = Table::new(&league, &games, &played, self.require.unwrap_or(BAR));
        let secrets = self.addr.is_none() || self.fixed_secrets;
        let contents = Contents::new(&table, self.command(&league), &games, &played, secrets);
        if let Some(folder) = &folder {
            folder.save_contents(&contents).map_err(complaint)?;
        }
        if let Some(path) = &self.json {
            contents.save(path).map_err(complaint)?;
        }
        print(&table.to_string())?;
        match self.require {
            Some(percent) if !table.is_ordered() => {
                let text = format!("not every policy wins {percent}% of its games against the one before it");
                Err(Complaint::failure(text))
            }
            _ => Ok(()),
        }
    }

    fn league(&self) -> League {
        League {
            policies: self.policies.clone(),
            mode: self.mode,
            games: self.games,
            seed: self.seed,
            sizes: self.sizes.clone(),
            players: self.players,
            turns: self.turns,
            fog: self.fog,
        }
    }

    /// The command that leads to the same games again.
    fn command(&self, league: &League) -> String {
        let mut command = league.command();
        if let Some(addr) = &self.addr {
            command.push_str(&format!(" --addr {addr}"));
        }
        if self.fixed_secrets {
            command.push_str(" --fixed-secrets");
        }
        command
    }

    fn folder(&self) -> Result<Option<Folder>, LeagueError> {
        if self.no_replays {
            return Ok(None);
        }
        let usual = || PathBuf::from("league-replays").join(self.seed.to_string());
        Folder::create(&self.out.clone().unwrap_or_else(usual)).map(Some)
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1)
    }

    /// The server to play on, if there is to be one.
    async fn remote(&self) -> Result<Option<Remote>, Complaint> {
        let Some(addr) = &self.addr else { return Ok(None) };
        Ok(Some(Remote {
            channel: reach(addr, self.ca.as_deref()).await?,
            concurrency: self.concurrency,
            fixed_secrets: self.fixed_secrets,
            backoff: Backoff { attempts: self.attempts, ..Backoff::default() },
            key: unguessable()?,
        }))
    }
}

fn complaint(error: LeagueError) -> Complaint {
    Complaint::of(error.is_input(), error)
}

/// A bar on standard error, if somebody is looking at it.
fn progress(games: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(games as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{pos} of {len} games {wide_bar} {elapsed}, {eta} left");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
