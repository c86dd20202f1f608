//! `parley-bots join`: a bot on one seat.

use clap::Args;
use parley_bots::connect::{Token, connect};
use parley_bots::session::{Session, Settings};
use parley_bots::{lobby, play, policy};
use parley_proto::v1;

use super::{Complaint, print, unguessable};

/// Where to play, and how.
#[derive(Args)]
pub(crate) struct Join {
    /// Where the server is.
    #[arg(long, default_value = "http://localhost:7400")]
    addr: String,
    /// The match.
    #[arg(long = "match", value_name = "ID")]
    match_id: String,
    /// How to play.
    #[arg(long, default_value = "wander", value_parser = clap::builder::PossibleValuesParser::new(policy::NAMES))]
    policy: String,
    /// What the player is called.
    #[arg(long)]
    name: Option<String>,
    /// The invitation of a private match.
    #[arg(long, env = "PARLEY_TOKEN", hide_env_values = true, default_value = "")]
    token: String,
    /// The same seed plays the same way.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Join {
    /// Plays to the end and says how it ended.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        let invitation = Token::new(&self.token).map_err(Complaint::input)?;
        let channel = connect(&self.addr).await.map_err(Complaint::failure)?;
        let request = v1::JoinMatchRequest {
            request_id: unguessable()?,
            match_id: self.match_id.clone(),
            name: self.name.unwrap_or_else(|| self.policy.clone()),
            ..Default::default()
        };
        let seat = lobby::join(channel.clone(), &invitation, request).await.map_err(Complaint::failure)?;
        let token = Token::new(&seat.player_token).map_err(Complaint::failure)?;
        let rules = lobby::rules(channel.clone(), &token, &self.match_id).await.map_err(Complaint::failure)?;
        let policy = policy::named(&self.policy, self.seed, &rules);
        let policy = policy.ok_or_else(|| Complaint::input(format!("there is no policy {:?}", self.policy)))?;
        let session = Session::new(channel, Settings::new(self.match_id, token));
        let end = play::play(session, policy).await.map_err(Complaint::failure)?;
        print(&format!("seat {}: {end:?}", seat.seat))
    }
}
