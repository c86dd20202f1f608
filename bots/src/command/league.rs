//! `parley-bots league`: policies against each other, and how strong they are.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parley_bots::backoff::Backoff;
use parley_bots::league::files::{Contents, Folder};
use parley_bots::league::remote::Remote;
use parley_bots::league::{GameResult, League, LeagueError, LeagueTable, Mode, local, remote};
use parley_bots::policy;
use parley_bots::server::{Authority, usual_address};
use parley_plunder::mapgen::SizePreset;

use super::{Complaint, print, say, unguessable};

/// The percentage of games that each policy should win against the one before it.
const BAR: u32 = 65;

/// Who plays whom, and where.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The policies, the weakest first.
    #[arg(long, value_delimiter = ',', value_name = "POLICY,...", default_values = policy::NAMES, help_heading = "Games")]
    policies: Vec<String>,
    /// Who sits at one table: pairs of policies with half of the seats each, or all of them.
    #[arg(long, default_value_t = Mode::Pairs, help_heading = "Games")]
    mode: Mode,
    /// Games of each pair, or of all together; rounded up until everybody has sat on every seat equally often.
    #[arg(long, value_name = "N", default_value_t = 24, help_heading = "Games")]
    games: usize,
    /// What is drawn by lot comes from this number: maps, dice and the whims of policies. The same one gives the same
    /// games.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Games")]
    seed: u64,
    /// The sizes of the maps, in turn: tiny, small, standard, large or huge.
    #[arg(long, value_delimiter = ',', value_name = "SIZE,...", default_values = ["tiny", "small"], help_heading = "Games")]
    size: Vec<SizePreset>,
    /// The seats of a game.
    #[arg(long, value_name = "N", default_value_t = 4, help_heading = "Games")]
    players: usize,
    /// The turn limit of a game.
    #[arg(long, value_name = "N", default_value_t = 60, help_heading = "Games")]
    turns: u32,
    /// Players see only what is near their own.
    #[arg(long, help_heading = "Games")]
    fog: bool,
    /// How many threads play. Left out: as many as there are processors.
    #[arg(long, value_name = "N", conflicts_with = "server", help_heading = "Games")]
    threads: Option<usize>,
    /// Play on this server instead of in this process; without an address, on the one that PARLEY_ADDR names, or
    /// http://127.0.0.1:7400.
    #[arg(long, alias = "addr", value_name = "URL", num_args = 0..=1, help_heading = "Server")]
    server: Option<Option<String>>,
    #[command(flatten)]
    authority: Authority,
    /// How many games are played on the server at a time.
    #[arg(long, value_name = "N", requires = "server", default_value_t = 4, help_heading = "Server")]
    concurrency: usize,
    /// Send the dice of each game to the server, which has to allow it; then the games are those of this process.
    #[arg(long, requires = "server", help_heading = "Server")]
    fixed_secrets: bool,
    /// How often in a row the server may be out of reach. The default is a quarter of an hour.
    #[arg(long, value_name = "N", requires = "server", default_value_t = Backoff::default().attempts,
          help_heading = "Server")]
    attempts: u32,
    /// End with status 1 unless each policy wins this percentage of the games against the one before it.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100), help_heading = "Results")]
    require: Option<u32>,
    /// Where replays and league.json go: an empty folder, or one that is not there yet. Left out: league-replays/SEED.
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_replays", help_heading = "Results")]
    out: Option<PathBuf>,
    /// Write no replays.
    #[arg(long, help_heading = "Results")]
    no_replays: bool,
    /// Write the table of contents to this file too.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    json: Option<PathBuf>,
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
            None => local::run(&league, &games, self.threads(), folder.as_ref(), &done),
        };
        progress.finish_and_clear();
        let played = played.map_err(complaint)?;
        let table = LeagueTable::new(&league, &games, &played, self.require.unwrap_or(BAR));
        let secrets = self.server.is_none() || self.fixed_secrets;
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
            _ => refused(&played),
        }
    }

    fn league(&self) -> League {
        League {
            policies: self.policies.clone(),
            mode: self.mode,
            games: self.games,
            seed: self.seed,
            sizes: self.size.clone(),
            players: self.players,
            turns: self.turns,
            fog: self.fog,
        }
    }

    /// The command that leads to the same games again.
    fn command(&self, league: &League) -> String {
        let mut command = league.command();
        if let Some(address) = self.address() {
            command.push_str(&format!(" --server {address}"));
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

    /// The server to play on; nothing where the games are played in this process.
    fn address(&self) -> Option<String> {
        self.server.as_ref().map(|named| named.clone().unwrap_or_else(usual_address))
    }

    fn threads(&self) -> usize {
        self.threads.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1)
    }

    /// The server to play on, if there is to be one.
    async fn remote(&self) -> Result<Option<Remote>, Complaint> {
        let Some(address) = self.address() else { return Ok(None) };
        Ok(Some(Remote {
            channel: self.authority.reach(&address).await?,
            concurrency: self.concurrency,
            fixed_secrets: self.fixed_secrets,
            backoff: Backoff { attempts: self.attempts, ..Backoff::default() },
            key: unguessable()?,
            tell: say,
        }))
    }
}

/// Whether the policies played by the rules.
fn refused(played: &[GameResult]) -> Result<(), Complaint> {
    let games = played.iter().filter(|played| played.refused_orders + played.refused_answers > 0).count();
    if games == 0 {
        return Ok(());
    }
    Err(Complaint::refused_orders(format!("orders or answers of policies were refused in {games} games")))
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
