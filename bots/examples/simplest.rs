//! The simplest bot: `cargo run -p parley-bots --example simplest -- http://localhost:7400 MATCH SECRET`
use parley_bots::{connect, lobby, play, policy, policy::Answerable, session};
use parley_plunder::rules::{Domain, Rules};
use parley_proto::{plunder::v1 as plunder, plunder::v1::unit_order::Action, v1};

struct Sailor(std::sync::Arc<Rules>);

impl policy::Policy for Sailor {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let Some(sea) = policy::Sea::read(&self.0, view) else { return plunder::Sheet::default() };
        let sail = |unit: &plunder::Unit| {
            let around = sea.grid().neighbors(sea.tile(unit.hex.as_ref()?)?).map(|(_, tile)| tile);
            let open: Vec<_> = around.filter(|tile| sea.is_open(*tile, Domain::Naval)).collect();
            let next = open.get((unit.id + view.turn) as usize % open.len().max(1))?;
            let action = Some(Action::Move(plunder::Move { path: vec![sea.hex(*next)] }));
            Some(plunder::UnitOrder { unit: unit.id, action, ..Default::default() })
        };
        let own = view.units.iter().filter(|unit| view.seat == Some(unit.owner));
        plunder::Sheet { units: own.filter_map(sail).collect(), ..Default::default() }
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        prompt.questions.iter().map(|question| question.pick("attack")).collect()
    }
}

pub(crate) async fn sail([server, match_id, key]: [String; 3]) -> Result<play::MatchEnd, Box<dyn std::error::Error>> {
    let channel = connect::connect(&server).await?;
    let request = v1::JoinMatchRequest { request_id: key, match_id: match_id.clone(), ..Default::default() };
    let token = connect::Token::new(&lobby::join(channel.clone(), &connect::Token::NONE, request).await?.player_token)?;
    let sailor = Sailor(lobby::rules(channel.clone(), &token, &match_id).await?);
    let session = session::Session::new(channel, session::Settings::new(match_id, token));
    Ok(play::play(session, Box::new(sailor)).await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    sail(std::array::from_fn(|n| std::env::args().nth(n + 1).unwrap_or_default())).await.map(|end| eprintln!("{end:?}"))
}
