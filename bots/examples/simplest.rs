//! The simplest bot: joins a match and plays it to its end.
//!
//! `cargo run -p parley-bots --example simplest -- http://localhost:7400 MATCH SECRET`, where the secret is 16 to 64
//! characters of your own: whoever runs it again with the same one gets the same seat.

use parley_bots::connect::{Token, connect};
use parley_bots::policy::{Asked, Policy};
use parley_bots::session::{Session, Settings};
use parley_bots::{lobby, play};
use parley_proto::v1;

struct Fearless;

impl Policy for Fearless {
    fn orders(&mut self, _: &v1::View) -> v1::OrderSheet {
        v1::OrderSheet::default()
    }

    fn decide(&mut self, _: &v1::View, _: Asked<'_>) -> v1::Choice {
        v1::Choice::Attack
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [server, match_id, request_id] = std::array::from_fn(|n| std::env::args().nth(n + 1).unwrap_or_default());
    let channel = connect(&server).await?;
    let join = v1::JoinMatchRequest { request_id, match_id: match_id.clone(), ..Default::default() };
    let seat = lobby::join(channel.clone(), &Token::NONE, join).await?;
    let settings = Settings::new(match_id, Token::new(&seat.player_token)?);
    let end = play::play(Session::new(channel, settings), Box::new(Fearless)).await?;
    eprintln!("seat {}: {end:?}", seat.seat);
    Ok(())
}
