//! `parley-bots join`: a bot on one seat.

use clap::{ArgGroup, Args};
use parley_bots::backoff::Backoff;
use parley_bots::connect::Token;
use parley_bots::lobby::{LobbyError, patiently};
use parley_bots::play::MatchEnd;
use parley_bots::server::Server;
use parley_bots::session::{Session, SessionError, Settings};
use parley_bots::{lobby, play, policy};
use parley_proto::common::v1::match_result::Result as Ending;
use parley_proto::v1;

use super::create::NewMatch;
use super::{Complaint, REFUSED_ORDERS, print, unguessable};

/// The seed of a policy's random choices where none is given: always the same, so that a bot that is started again on
/// its seat goes on as before.
const USUAL_SEED: u64 = 1;

/// Where to play, and how.
#[derive(Args)]
#[command(group(ArgGroup::new("table").required(true).args(["match_id", "new"])))]
pub(crate) struct Join {
    #[command(flatten)]
    server: Server,
    /// How often in a row the server may be out of reach. The default is a quarter of an hour.
    #[arg(long, value_name = "N", default_value_t = Backoff::default().attempts, help_heading = "Server")]
    attempts: u32,
    /// Take a seat in this match; --new begins one instead.
    #[arg(long = "match", value_name = "ID", help_heading = "Seat")]
    match_id: Option<String>,
    #[command(flatten)]
    invitation: Invitation,
    /// 16 to 64 characters that nobody can guess: who joins the same match with the same ones again gets the same seat
    /// again. Left out: a new seat. Better set in the environment than as a flag.
    #[arg(long, env = "PARLEY_SECRET", hide_env_values = true, value_name = "TEXT", help_heading = "Seat")]
    secret: Option<String>,
    /// What the player is called, up to 40 characters. Left out: after the policy.
    #[arg(long, help_heading = "Seat")]
    name: Option<String>,
    #[command(flatten)]
    new_match: NewMatch,
    /// How to play.
    #[arg(long, default_value = policy::NAMES[1], help_heading = "Bot",
          value_parser = clap::builder::PossibleValuesParser::new(policy::NAMES))]
    policy: String,
    /// What is drawn by lot comes from this number: the map of a new match, and the whims of the policy. Left out: any
    /// map, and the policy plays as with 1.
    #[arg(long, value_name = "N", help_heading = "Bot")]
    seed: Option<u64>,
    /// The span that the bot's calls belong to, as in W3C Trace Context.
    #[arg(
        long,
        env = "TRACEPARENT",
        default_value = "",
        hide_default_value = true,
        value_name = "00-TRACE-SPAN-01",
        help_heading = "Bot"
    )]
    traceparent: String,
}

/// What lets somebody into a private match.
#[derive(Args)]
#[command(next_help_heading = "Seat")]
pub(super) struct Invitation {
    /// The invitation of a private match; better set in the environment than as a flag.
    #[arg(long, env = "PARLEY_INVITATION", hide_env_values = true, value_name = "TOKEN")]
    invitation: Option<String>,
}

impl Invitation {
    /// The token to take a seat with: none in a match of one's own, which nobody has to be invited to.
    pub(super) fn token(&self, is_needed: bool) -> Result<Token, Complaint> {
        let given = self.invitation.as_deref().filter(|_| is_needed).unwrap_or_default();
        Token::new(given.trim()).map_err(|error| Complaint::input(format!("--invitation: {error}")))
    }
}

impl Join {
    /// Plays to the end and says how it ended.
    pub(crate) async fn run(self) -> Result<(), Complaint> {
        let invitation = self.invitation.token(self.match_id.is_some())?;
        let name = self.name.unwrap_or_else(|| self.policy.clone());
        let new = self.new_match.request("", self.seed)?;
        let seed = self.seed.unwrap_or(USUAL_SEED);
        let request_id = self.secret.map_or_else(unguessable, Ok)?;
        let channel = self.server.connect().await?;
        let match_id = match self.match_id {
            Some(match_id) => match_id,
            None => {
                let created = lobby::create(channel.clone(), new).await.map_err(refused)?;
                let match_id = created.r#match.unwrap_or_default().match_id;
                print(&format!("match {match_id}"))?;
                match_id
            }
        };
        let request = v1::JoinMatchRequest { request_id, match_id: match_id.clone(), name, ..Default::default() };
        let backoff = Backoff { attempts: self.attempts, ..Backoff::default() };
        let joined = patiently(backoff, seed, || lobby::join(channel.clone(), &invitation, request.clone()));
        let joined = joined.await.map_err(refused)?;
        let token = Token::new(&joined.player_token).map_err(Complaint::failure)?;
        let rules = patiently(backoff, seed, || lobby::rules(channel.clone(), &token, &match_id));
        let rules = rules.await.map_err(refused)?;
        let policy = policy::named(&self.policy, seed, &rules);
        let policy = policy.ok_or_else(|| Complaint::input(format!("there is no policy {:?}", self.policy)))?;
        let session = Session::new(
            channel,
            Settings { backoff, traceparent: self.traceparent, ..Settings::new(match_id, token) },
        );
        let end = play::play_telling(session, policy, Box::new(super::say)).await.map_err(ended)?;
        print(&in_words(&self.policy, joined.seat, &end))?;
        if end.refused() > 0 { Err(Complaint::told(REFUSED_ORDERS)) } else { Ok(()) }
    }
}

/// What the lobby's refusal means to whoever asked.
pub(super) fn refused(error: LobbyError) -> Complaint {
    Complaint::of(error.is_input(), error)
}

/// What a session that cannot go on means to whoever asked.
fn ended(error: SessionError) -> Complaint {
    let input = matches!(&error, SessionError::Refused(refusal) if refusal.is_input());
    Complaint::of(input, error)
}

/// How a match ended for a seat, in a sentence.
fn in_words(policy: &str, seat: u32, end: &MatchEnd) -> String {
    let turn = end.turn;
    let mut text = match (&end.stopped, end.result.as_ref().and_then(|result| result.result.as_ref())) {
        (Some(reason), _) if reason.is_empty() => format!("the match was stopped after turn {turn}"),
        (Some(reason), _) => format!("the match was stopped after turn {turn}: {reason}"),
        (None, Some(Ending::Winner(winner))) if *winner == seat => {
            format!("{policy} on seat {seat} won in turn {turn}")
        }
        (None, Some(Ending::Winner(winner))) => {
            format!("{policy} on seat {seat} lost: seat {winner} won in turn {turn}")
        }
        (None, Some(Ending::Draw(draw))) => {
            let others: Vec<String> =
                draw.players.iter().filter(|&&player| player != seat).map(|player| format!("seat {player}")).collect();
            let others = others.join(" and ");
            match draw.players.contains(&seat) {
                true if others.is_empty() => format!("{policy} on seat {seat} drew in turn {turn}"),
                true => format!("{policy} on seat {seat} drew with {others} in turn {turn}"),
                false => format!("{policy} on seat {seat} lost: {others} drew in turn {turn}"),
            }
        }
        (None, None) => format!("the match ended without a result after turn {turn}"),
    };
    if end.refused() > 0 {
        let (sheets, answers) = (end.refused_sheets, end.refused_answers);
        text.push_str(&format!("; {sheets} of its sheets and {answers} of its answers were refused"));
    }
    text
}

#[cfg(test)]
mod tests {
    use parley_proto::common::v1 as common;

    use super::*;

    fn end(result: Option<Ending>) -> MatchEnd {
        MatchEnd {
            result: result.map(|result| common::MatchResult { result: Some(result) }),
            turn: 9,
            ..MatchEnd::default()
        }
    }

    #[test]
    fn every_end_is_a_sentence() {
        let draw = |players: &[u32]| Some(Ending::Draw(common::match_result::Draw { players: players.to_vec() }));
        let said = |result| in_words("hold", 1, &end(result));
        assert_eq!(said(Some(Ending::Winner(1))), "hold on seat 1 won in turn 9");
        assert_eq!(said(Some(Ending::Winner(0))), "hold on seat 1 lost: seat 0 won in turn 9");
        assert_eq!(said(draw(&[0, 1, 3])), "hold on seat 1 drew with seat 0 and seat 3 in turn 9");
        assert_eq!(said(draw(&[0, 2])), "hold on seat 1 lost: seat 0 and seat 2 drew in turn 9");
        assert_eq!(said(draw(&[1])), "hold on seat 1 drew in turn 9");
        assert_eq!(said(None), "the match ended without a result after turn 9");
        let stopped = MatchEnd { stopped: Some("night".to_owned()), ..end(None) };
        assert_eq!(in_words("hold", 1, &stopped), "the match was stopped after turn 9: night");
        let refused = MatchEnd { refused_sheets: 2, ..end(Some(Ending::Winner(1))) };
        let text = "hold on seat 1 won in turn 9; 2 of its sheets and 0 of its answers were refused";
        assert_eq!(in_words("hold", 1, &refused), text);
    }
}
