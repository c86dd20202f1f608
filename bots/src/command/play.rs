//! `parley-bots play`: a person on one seat.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use crossterm::event::EventStream;
use parley_bots::connect::{Token, connect};
use parley_bots::session::{Session, Settings, Start};
use parley_bots::terminal::draw::look::Look;
use parley_bots::terminal::model::{Model, Setting, Stage};
use parley_bots::terminal::run::run;
use parley_bots::terminal::screen::Screen;
use parley_bots::terminal::seat::{Seat, usual_place};
use parley_bots::{lobby, policy, terminal};
use parley_proto::v1;
use parley_resolver::rules::Rules;
use tonic::transport::Channel;

use super::{Complaint, print, unguessable};

/// Who one plays against unless somebody says otherwise, as far as they are known here.
const OPPONENTS: [&str; 3] = ["raider", "cautious", "wander"];

/// Where to play, and against whom.
#[derive(Args)]
pub(crate) struct Play {
    /// Where the server is.
    #[arg(long, default_value = "http://localhost:7400")]
    addr: String,
    /// Take a seat in this match. Without it a new match begins at once.
    #[arg(long = "match", value_name = "ID")]
    match_id: Option<String>,
    /// The invitation of a private match.
    #[arg(long, env = "PARLEY_TOKEN", hide_env_values = true, default_value = "", requires = "match_id")]
    token: String,
    /// Begin a new match, which is what happens without --match.
    #[arg(long, conflicts_with = "match_id")]
    new: bool,
    /// Where the seat is kept. If there is one already, it is played on.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["match_id", "new"])]
    seat_file: Option<PathBuf>,
    /// What you are called.
    #[arg(long, default_value = "You")]
    name: String,
    /// How large the map of a new match is: tiny, small, standard, large or huge, or WIDTHxHEIGHT.
    #[arg(long, default_value = "small", conflicts_with = "match_id")]
    size: String,
    /// The house bots of a new match, 1 to 15 of them.
    #[arg(long, value_name = "POLICY,...", value_delimiter = ',', conflicts_with = "match_id",
        value_parser = clap::builder::PossibleValuesParser::new(policy::NAMES))]
    bots: Vec<String>,
    /// Whether the players of a new match see only what is near their own.
    #[arg(long, conflicts_with = "match_id")]
    fog: bool,
    /// The seed of the map of a new match; another number gives another map.
    #[arg(long, conflicts_with = "match_id")]
    seed: Option<u64>,
    /// How many seconds a turn of a new match may be planned; 0 for ever.
    #[arg(long, value_name = "SECONDS", conflicts_with = "match_id")]
    planning: Option<u32>,
    /// How many milliseconds each tick of a turn is shown; 0 shows only how the turn ended.
    #[arg(long, value_name = "MS", default_value_t = 350, value_parser = clap::value_parser!(u64).range(..=10_000))]
    tick_ms: u64,
    /// Use no signs beyond ASCII.
    #[arg(long)]
    ascii: bool,
}

impl Play {
    /// Plays until the match is over or the player leaves, and says how to go on.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(Complaint::input("a person plays in a terminal, and this is none; a bot joins with `join`"));
        }
        let look = look(self.ascii);
        let (channel, seat, path) = self.sit_down().await?;
        let token = Token::new(&seat.token).map_err(Complaint::failure)?;
        let (setting, stage) =
            setting(channel.clone(), &token, &seat.address, &seat.match_id, Some(seat.seat), self.tick_ms).await?;
        // While seats are open, whoever takes one must not be missed between two calls.
        let start = if stage == v1::MatchStage::Open { Start::After(0) } else { Start::Now };
        let session = Session::new(channel, Settings { start, ..Settings::new(&seat.match_id, token) });
        let mut screen = Screen::open().map_err(|error| Complaint::failure(format!("the terminal: {error}")))?;
        let played = run(Model::new(setting), look, session, screen.terminal(), EventStream::new()).await;
        drop(screen);
        match played {
            Ok(model) => farewell(&model, &path),
            Err(error) => Err(Complaint::failure(format!("{error}; the seat is kept in {}", path.display()))),
        }
    }

    /// A seat that was kept, or a new one that is kept from now on.
    async fn sit_down(&self) -> Result<(Channel, Seat, PathBuf), Complaint> {
        if let Some(path) = self.seat_file.as_deref().filter(|path| path.exists()) {
            let seat = Seat::read(path).map_err(|error| Complaint::input(format!("{}: {error}", path.display())))?;
            let channel = connect(&seat.address).await.map_err(Complaint::failure)?;
            return Ok((channel, seat, path.to_owned()));
        }
        let invitation = Token::new(&self.token).map_err(Complaint::input)?;
        let new = self.match_id.is_none().then(|| self.settings()).transpose()?;
        let channel = connect(&self.addr).await.map_err(Complaint::failure)?;
        let match_id = match (&self.match_id, new) {
            (Some(match_id), _) => match_id.clone(),
            (None, settings) => {
                let request = v1::CreateMatchRequest {
                    request_id: unguessable()?,
                    settings,
                    ..v1::CreateMatchRequest::default()
                };
                terminal::lobby::create(channel.clone(), request).await.map_err(Complaint::failure)?.match_id
            }
        };
        let mut added = [0; 32];
        getrandom::fill(&mut added).map_err(|error| Complaint::failure(format!("no randomness: {error}")))?;
        let request = v1::JoinMatchRequest {
            request_id: unguessable()?,
            match_id: match_id.clone(),
            name: self.name.clone(),
            added: added.to_vec().into(),
            ..v1::JoinMatchRequest::default()
        };
        let joined = lobby::join(channel.clone(), &invitation, request).await.map_err(Complaint::failure)?;
        let path = self.seat_file.clone().unwrap_or_else(|| usual_place(&match_id, |key| std::env::var(key).ok()));
        let seat = Seat { address: self.addr.clone(), match_id, seat: joined.seat, token: joined.player_token };
        seat.keep(&path)
            .map_err(|error| Complaint::failure(format!("the seat cannot be kept in {}: {error}", path.display())))?;
        Ok((channel, seat, path))
    }

    /// What a new match is to be like.
    fn settings(&self) -> Result<v1::MatchSettings, Complaint> {
        let mut map = v1::GeneratedMap { seed: self.seed, ..v1::GeneratedMap::default() };
        match self.size.split_once('x') {
            Some((width, height)) => {
                let number = |text: &str| text.parse::<u32>().map_err(|_| self.no_size());
                (map.width, map.height) = (number(width)?, number(height)?);
            }
            None => map.size.clone_from(&self.size),
        }
        let bots = if self.bots.is_empty() {
            let known = || OPPONENTS.iter().copied().filter(|name| policy::NAMES.contains(name));
            known().cycle().take(OPPONENTS.len()).map(str::to_owned).collect()
        } else {
            self.bots.clone()
        };
        let bots = bots.into_iter().map(|house_bot| v1::SeatChoice { house_bot });
        Ok(v1::MatchSettings {
            name: format!("{} against the house", self.name),
            map: Some(v1::MapChoice { source: Some(v1::map_choice::Source::Generated(map)) }),
            seats: std::iter::once(v1::SeatChoice::default()).chain(bots).collect(),
            planning_ms: self.planning.map(|seconds| u64::from(seconds) * 1000),
            fog: self.fog.then_some(true),
            lock_disclosure: v1::LockDisclosure::Who.into(),
            start_when_full: true,
            ..v1::MatchSettings::default()
        })
    }

    fn no_size(&self) -> Complaint {
        Complaint::input(format!("{:?} is no size; try small, or 20x14", self.size))
    }
}

/// The signs that the terminal can show.
pub(super) fn look(ascii: bool) -> Look {
    let locale = Look::of_locale(|key| std::env::var(key).ok());
    Look { unicode: locale.unicode && !ascii }
}

/// What a screen needs to know of a match, and how far along it is.
pub(super) async fn setting(
    channel: Channel,
    token: &Token,
    address: &str,
    match_id: &str,
    seat: Option<u32>,
    pace_ms: u64,
) -> Result<(Setting, v1::MatchStage), Complaint> {
    let found = terminal::lobby::find(channel, token, match_id).await.map_err(Complaint::failure)?;
    let rules = Rules::from_json(&found.rules);
    let rules = rules.map_err(|error| Complaint::failure(format!("the rules of the match make no sense: {error}")))?;
    let found = found.r#match.unwrap_or_default();
    let stage = found.stage();
    let name = |seat: v1::Seat| if seat.taken { seat.name } else { String::new() };
    let setting = Setting {
        match_id: match_id.to_owned(),
        address: address.to_owned(),
        rules: Arc::new(rules),
        seats: found.seats.into_iter().map(name).collect(),
        seat,
        pace_ms,
    };
    Ok((setting, stage))
}

/// The last words after the screen is closed.
fn farewell(model: &Model, path: &Path) -> Result<(), Complaint> {
    if let Stage::Over(end) = model.stage() {
        // The seat of a match that is over is of no use to anybody.
        let _ = fs::remove_file(path);
        return print(&format!("{} Prove it with: parley replay export {}", end.sentence, model.match_id()));
    }
    print(&format!("The seat is kept. Go on with: parley-bots play --seat-file {}", path.display()))
}
