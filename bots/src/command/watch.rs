//! `parley-bots watch`: a match without a seat.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use crossterm::event::EventStream;
use parley_bots::connect::{Token, connect};
use parley_bots::session::{Session, SessionError, Settings, Start};
use parley_bots::terminal::model::{Model, Stage};
use parley_bots::terminal::pick::{Picker, describe};
use parley_bots::terminal::run::{pick, run};
use parley_bots::terminal::screen::Screen;
use parley_bots::terminal::{self, plain};
use parley_proto::v1;
use tonic::transport::Channel;

use super::play::{look, setting};
use super::{Complaint, print};

/// Which match, and how it is shown.
#[derive(Args)]
pub(crate) struct Watch {
    /// Where the server is.
    #[arg(long, default_value = "http://localhost:7400")]
    addr: String,
    /// The match. Without it the public matches are listed, to pick one.
    #[arg(long = "match", value_name = "ID")]
    match_id: Option<String>,
    /// The invitation of a private match, or a player's token to see what that player sees.
    #[arg(long, env = "PARLEY_TOKEN", hide_env_values = true, default_value = "")]
    token: String,
    /// Print sentences, one a line, and end with the match. So it is also where standard output is no terminal.
    #[arg(long)]
    plain: bool,
    /// Begin with the first turn, as it always is with a match that is over.
    #[arg(long)]
    from_start: bool,
    /// How many milliseconds each tick of a turn is shown; 0 shows only how the turn ended.
    #[arg(long, value_name = "MS", default_value_t = 350, value_parser = clap::value_parser!(u64).range(..=10_000))]
    tick_ms: u64,
    /// Use no signs beyond ASCII.
    #[arg(long)]
    ascii: bool,
}

impl From<SessionError> for Complaint {
    fn from(error: SessionError) -> Self {
        Self::failure(error)
    }
}

impl Watch {
    /// Watches until the match is over or the viewer leaves.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        let token = Token::new(&self.token).map_err(Complaint::input)?;
        let plain = self.plain || !io::stdout().is_terminal() || !io::stdin().is_terminal();
        let channel = connect(&self.addr).await.map_err(Complaint::failure)?;
        // One reader for both screens: a second one could miss keys that the first has taken.
        let mut keys = None;
        let match_id = match &self.match_id {
            Some(match_id) => match_id.clone(),
            None => {
                let matches = terminal::lobby::list(channel.clone()).await.map_err(Complaint::failure)?;
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
        let (setting, stage) = setting(channel.clone(), &token, &self.addr, &match_id, None, self.tick_ms).await?;
        let begun = stage == v1::MatchStage::Running && !self.from_start;
        let start = if begun { Start::Now } else { Start::After(0) };
        let session = Session::new(channel, Settings { start, ..Settings::new(match_id, token) });
        if plain {
            return plain::tell(session, setting, print_or_stop).await;
        }
        let look = look(self.ascii);
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
