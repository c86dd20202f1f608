//! Spectators who are some turns behind get the view of the turn that they were told of last, however large views are.

use std::sync::Arc;

use crate::common::naval::{Naval, recoded};
use crate::sea::{Play, drawn, duel, limits, matches};
use parley_bots::arms::Arms;
use parley_gateway::auth::Gate;
use parley_gateway::config::Config;
use parley_gateway::journal::memory::Memory;
use parley_gateway::limits::Limits;
use parley_gateway::service::Service;
use parley_proto::opaque::v1::play_server::Play as _;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
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
        spectator_delay_turns: 1,
        ..duel().with_map(drawn(&rows, &[(0, 0), (SIDE as i32 - 1, 0)])).with_fog(false)
    };
    let play = Play::begin(&all, settings).await;
    for turn in 1..=TURNS {
        play.lock(0, turn, plunder::Sheet::default()).await;
        play.lock(1, turn, plunder::Sheet::default()).await;
    }
    let gate = Arc::new(Gate::new(Arc::clone(&all.keyring), None, Config::default().gate_limits()));
    let service = Service::new(all, gate);
    let request = v1::GetViewRequest { match_id: play.id.0.to_string() };
    let seen = service.get_view(tonic::Request::new(request)).await.expect("a view").into_inner();
    let seen: v1::GetViewResponse = recoded(&seen);
    let view = seen.view.and_then(Arms::into_plunder).expect("a turn was told of");
    assert!(view.encoded_len() > 16 * 1024, "a view has {} bytes", view.encoded_len());
    assert_eq!((view.turn, seen.phase), (TURNS, v1::Phase::Planning.into()));
}
