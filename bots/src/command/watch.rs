//! `parley-bots watch`: a match without a seat.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use crossterm::event::EventStream;
use parley_bots::connect::Token;
use parley_bots::server::Server;
use parley_bots::session::{Session, SessionError, Settings, Start, Views};
use parley_bots::terminal::model::{Model, Stage};
use parley_bots::terminal::pick::{Picker, describe};
use parley_bots::terminal::run::{pick, run};
use parley_bots::terminal::screen::Screen;
use parley_bots::terminal::{self, plain};
use parley_proto::v1;
use tonic::transport::Channel;

use super::join::refused;
use super::play::{Looks, setting};
use super::{Complaint, print};

/// Which match, and how it is shown.
#[derive(Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    server: Server,
    /// The match. Without it the public matches are listed, to pick one.
    #[arg(long = "match", value_name = "ID", help_heading = "Match")]
    match_id: Option<String>,
    /// The token of a seat, to see what its player sees, or of a private match its invitation; better set in the
    /// environment than as a flag.
    #[arg(
        long,
        env = "PARLEY_TOKEN",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true,
        help_heading = "Match"
    )]
    token: String,
    /// Begin with the first turn, as it always is with a match that is over.
    #[arg(long, help_heading = "Match")]
    from_start: bool,
    /// Print sentences, one a line, and end with the match. So it is also where standard input or output is no terminal.
    #[arg(long, help_heading = "Screen")]
    plain: bool,
    #[command(flatten)]
    looks: Looks,
}

impl From<SessionError> for Complaint {
    fn from(error: SessionError) -> Self {
        Self::failure(error)
    }
}

impl Watch {
    /// Watches until the match is over or the viewer leaves.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        let token = Token::new(self.token.trim()).map_err(|error| Complaint::input(format!("--token: {error}")))?;
        let plain = self.plain || !io::stdout().is_terminal() || !io::stdin().is_terminal();
        let channel = self.server.connect().await?;
        // One reader for both screens: a second one could miss keys that the first has taken.
        let mut keys = None;
        let match_id = match &self.match_id {
            Some(match_id) => match_id.clone(),
            None => {
                let matches = terminal::lobby::list(channel.clone()).await.map_err(refused)?;
                if matches.is_empty() {
                    return Err(Complaint::failure("there is no public match to watch"));
                }
                if plain {
                    return matches.iter().try_for_each(|found| print(&describe(found)));
                }
                match let_pick(matches, keys.insert(EventStream::new())).await? {
                    Some(match_id) => match_id,
                    None => return Ok(()),
                }
            }
        };
        self.follow(channel, token, match_id, keys, plain).await
    }

    async fn follow(
        &self,
        channel: Channel,
        token: Token,
        match_id: String,
        keys: Option<EventStream>,
        plain: bool,
    ) -> Result<(), Complaint> {
        let (setting, stage) =
            setting(channel.clone(), &token, self.server.address.get(), &match_id, None, self.looks.tick_ms).await?;
        let begun = stage == v1::MatchStage::Running && !self.from_start;
        let start = if begun { Start::Now } else { Start::After(0) };
        let session = Session::new(channel, Settings { start, views: Views::First, ..Settings::new(match_id, token) });
        if plain {
            return plain::tell(session, setting, print_or_stop).await;
        }
        let look = self.looks.signs();
        let mut screen = Screen::open().map_err(no_terminal)?;
        let watched = run(Model::new(setting), look, session, screen.terminal(), keys.unwrap_or_default()).await;
        drop(screen);
        match watched.map_err(Complaint::failure)?.stage() {
            Stage::Over(end) => print(&end.sentence),
            _ => Ok(()),
        }
    }
}

async fn let_pick(matches: Vec<v1::Match>, keys: &mut EventStream) -> Result<Option<String>, Complaint> {
    let mut screen = Screen::open().map_err(no_terminal)?;
    pick(Picker::new(matches), screen.terminal(), keys).await.map_err(Complaint::failure)
}

/// Prints a line; false where nobody reads any more.
fn print_or_stop(line: &str) -> Result<bool, Complaint> {
    match writeln!(io::stdout().lock(), "{line}") {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Complaint::failure(format!("standard output: {error}"))),
    }
}

fn no_terminal(error: io::Error) -> Complaint {
    Complaint::failure(format!("the terminal: {error}"))
}
