//! `parley-bots play`: a person on one seat.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use crossterm::event::EventStream;
use parley_bots::connect::Token;
use parley_bots::server::Server;
use parley_bots::session::{Session, Settings, Start, Views};
use parley_bots::terminal::draw::look::Look;
use parley_bots::terminal::model::{Model, Setting, Stage};
use parley_bots::terminal::run::run;
use parley_bots::terminal::screen::Screen;
use parley_bots::terminal::seat::{SavedSeat, usual_place};
use parley_bots::{lobby, terminal};
use parley_proto::v1;
use tonic::transport::Channel;

use super::create::NewMatch;
use super::join::{Invitation, refused};
use super::{Complaint, print, unguessable};

/// Where to play, and against whom.
#[derive(Args)]
pub(crate) struct Play {
    #[command(flatten)]
    server: Server,
    /// Take a seat in this match. Without it a new match begins at once.
    #[arg(long = "match", value_name = "ID", help_heading = "Seat")]
    match_id: Option<String>,
    #[command(flatten)]
    invitation: Invitation,
    /// Where the seat is kept. If there is one already, it is played on, on its own server. Left out: MATCH.seat in the
    /// user's state folder.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["match_id", "new"], help_heading = "Seat")]
    seat_file: Option<PathBuf>,
    /// What you are called.
    #[arg(long, default_value = "Captain", help_heading = "Seat")]
    name: String,
    #[command(flatten)]
    new_match: NewMatch,
    /// What is drawn by lot comes from this number: the map of a new match. Left out: any map.
    #[arg(long, value_name = "N", conflicts_with = "match_id", help_heading = "New match")]
    seed: Option<u64>,
    #[command(flatten)]
    looks: Looks,
}

/// How a match is shown.
#[derive(Args)]
#[command(next_help_heading = "Screen")]
pub(super) struct Looks {
    /// How many milliseconds each tick of a turn is shown; 0 shows only how the turn ended.
    #[arg(long, value_name = "MS", default_value_t = 350, value_parser = clap::value_parser!(u64).range(..=10_000))]
    pub(super) tick_ms: u64,
    /// Use no signs beyond ASCII.
    #[arg(long)]
    ascii: bool,
}

impl Looks {
    /// The signs that the terminal can show.
    pub(super) fn signs(&self) -> Look {
        let locale = Look::of_locale(|key| std::env::var(key).ok());
        Look { unicode: locale.unicode && !self.ascii }
    }
}

impl Play {
    /// Plays until the match is over or the player leaves, and says how to go on.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            let what = "`play` needs a terminal, and standard input or output is none";
            let instead = "`parley-bots join` plays without one, and `parley-bots watch` tells a match line by line";
            return Err(Complaint::input(format!("{what}; {instead}")));
        }
        let look = self.looks.signs();
        let (channel, seat, path) = self.sit_down().await?;
        let token = Token::new(&seat.token).map_err(Complaint::failure)?;
        let (setting, stage) =
            setting(channel.clone(), &token, &seat.address, &seat.match_id, Some(seat.seat), self.looks.tick_ms)
                .await?;
        // While seats are open, whoever takes one must not be missed between two calls.
        let start = if stage == v1::MatchStage::Open { Start::After(0) } else { Start::Now };
        let session =
            Session::new(channel, Settings { start, views: Views::First, ..Settings::new(&seat.match_id, token) });
        let mut screen = Screen::open().map_err(|error| Complaint::failure(format!("the terminal: {error}")))?;
        let played = run(Model::new(setting), look, session, screen.terminal(), EventStream::new()).await;
        drop(screen);
        match played {
            Ok(model) => farewell(&model, &path),
            Err(error) => Err(Complaint::failure(format!("{error}; the seat is kept in {}", path.display()))),
        }
    }

    /// A seat that was kept, or a new one that is kept from now on.
    async fn sit_down(&self) -> Result<(Channel, SavedSeat, PathBuf), Complaint> {
        if let Some(path) = self.seat_file.as_deref().filter(|path| path.exists()) {
            let seat =
                SavedSeat::read(path).map_err(|error| Complaint::input(format!("{}: {error}", path.display())))?;
            let channel = self.server.authority.reach(&seat.address).await?;
            return Ok((channel, seat, path.to_owned()));
        }
        let invitation = self.invitation.token(self.match_id.is_some())?;
        let new = self.new_match.request(&format!("{} against the house", self.name), self.seed)?;
        let channel = self.server.connect().await?;
        let match_id = match &self.match_id {
            Some(match_id) => match_id.clone(),
            None => terminal::lobby::create(channel.clone(), new).await.map_err(refused)?.match_id,
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
        let joined = lobby::join(channel.clone(), &invitation, request).await.map_err(refused)?;
        let path = self.seat_file.clone().unwrap_or_else(|| usual_place(&match_id, |key| std::env::var(key).ok()));
        let seat = SavedSeat {
            address: self.server.address.get().to_owned(),
            match_id,
            seat: joined.seat,
            token: joined.player_token,
        };
        seat.keep(&path)
            .map_err(|error| Complaint::failure(format!("the seat cannot be kept in {}: {error}", path.display())))?;
        Ok((channel, seat, path))
    }
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
    let found = terminal::lobby::find(channel, token, match_id).await.map_err(refused)?;
    let rules = lobby::rules_of(&found).map_err(refused)?;
    let found = found.r#match.unwrap_or_default();
    let stage = found.stage();
    let name = |seat: v1::Seat| if seat.taken { seat.name } else { String::new() };
    let setting = Setting {
        match_id: match_id.to_owned(),
        address: address.to_owned(),
        rules,
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
