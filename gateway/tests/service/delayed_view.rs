//! Spectators who are some turns behind get the view of the turn that they were told of last, however large views are.

use std::sync::Arc;

use crate::sea::{Play, drawn, duel, limits, matches};
use parley_gateway::auth::Gate;
use parley_gateway::config::Config;
use parley_gateway::journal::memory::Memory;
use parley_gateway::limits::Limits;
use parley_gateway::service::Service;
use parley_proto::v1;
use parley_proto::v1::play_server::Play as _;
use prost::Message;

/// The number of tiles in a row and of rows: views are so large that only a few of them are read back at once.
const SIDE: usize = 250;
const TURNS: u32 = 30;

#[tokio::test(start_paused = true)]
async fn a_delayed_view_is_that_of_the_newest_turn_also_where_views_are_large() {
    let all = matches(Arc::new(Memory::new()), Limits { map_tiles: SIDE * SIDE, ..limits() });
    let (coast, sea) = (format!("H{}H", ".".repeat(SIDE - 2)), ".".repeat(SIDE));
    let rows: Vec<&str> = std::iter::once(&*coast).chain(std::iter::repeat_n(&*sea, SIDE - 1)).collect();
    let settings = v1::MatchSettings {
        map: drawn(&rows, &[(0, 0), (SIDE as i32 - 1, 0)]),
        fog: Some(false),
        spectator_delay_turns: 1,
        ..duel()
    };
    let play = Play::begin(&all, settings).await;
    for turn in 1..=TURNS {
        play.lock(0, turn, v1::OrderSheet::default()).await;
        play.lock(1, turn, v1::OrderSheet::default()).await;
    }
    let gate = Arc::new(Gate::new(Arc::clone(&all.keyring), None, Config::default().gate_limits()));
    let service = Service::new(all, gate, &[]);
    let request = v1::GetViewRequest { match_id: play.id.0.to_string() };
    let seen = service.get_view(tonic::Request::new(request)).await.expect("a view").into_inner();
    let view = seen.view.expect("a turn was told of");
    assert!(view.encoded_len() > 16 * 1024, "a view has {} bytes", view.encoded_len());
    assert_eq!((view.turn, seen.phase), (TURNS, v1::Phase::Planning.into()));
}
