//! A client that knows no rule keeps its board right: it begins with a view and applies the changes that outcomes bring.

use std::collections::BTreeSet;

use parley_bots::arms::Arms;
use parley_core::grid::Grid;
use parley_core::hex::Hex;
use parley_gateway::config::Config;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::change::What as Change;
use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;

use crate::common::naval::Naval;
use crate::common::{Client, Running, bearer, config, id_of, settings};

const TURNS: u32 = 40;

/// A view that is kept up to date by changes. What is patched and was not there must be complete, and what is gone must have
/// been there.
struct Board {
    view: plunder::View,
    seen: BTreeSet<usize>,
}

impl Board {
    fn new(view: plunder::View) -> Self {
        let is_seen = |tile: &usize| view.visible.is_empty() || view.visible[tile / 8] >> (tile % 8) & 1 == 1;
        let seen = (0..view.terrain.len()).filter(is_seen).collect();
        Self { view: plunder::View { visible: Default::default(), ..view }, seen }
    }

    fn tile(&self, hex: Option<parley_proto::common::v1::Hex>) -> usize {
        let grid = Grid::new(self.view.width, self.view.height, self.view.wrap).expect("a grid");
        let hex = hex.expect("a hex");
        grid.tile(Hex::new(hex.q, hex.r)).expect("on the map").index()
    }

    fn apply(&mut self, changes: Option<v1::Changes>) {
        let changes = changes.and_then(Arms::into_plunder).unwrap_or_default();
        changes.changes.into_iter().for_each(|change| self.change(change.what.expect("a change")));
    }

    fn change(&mut self, change: Change) {
        let view = &mut self.view;
        match change {
            Change::Unit(patch) => patch_unit(&mut view.units, patch),
            Change::UnitGone(id) => take_out(&mut view.units, |unit| unit.id == id),
            Change::Structure(patch) => patch_structure(&mut view.structures, patch),
            Change::StructureGone(id) => take_out(&mut view.structures, |structure| structure.id == id),
            Change::Contest(patch) => patch_contest(&mut view.contests, patch),
            Change::ContestGone(hex) => take_out(&mut view.contests, |contest| contest.hex == Some(hex)),
            Change::Player(patch) => {
                let player = view.players.iter_mut().find(|player| player.id == patch.id).expect("a player");
                player.alive = patch.alive.unwrap_or(player.alive);
                player.gold = patch.gold.or(player.gold);
            }
            Change::Sight(sight) => {
                for gained in sight.gained {
                    let tile = self.tile(gained.hex);
                    let mut terrain = self.view.terrain.to_vec();
                    terrain[tile] = gained.terrain as u8;
                    self.view.terrain = terrain.into();
                    assert!(self.seen.insert(tile), "only what was not seen is gained");
                }
                for hex in sight.lost {
                    let tile = self.tile(Some(hex));
                    assert!(self.seen.remove(&tile), "only what was seen is lost");
                }
            }
            Change::Turn(turn) => view.turn = turn,
            Change::Result(result) => view.result = Some(result),
        }
    }

    fn is(&self, view: plunder::View) {
        let other = Self::new(view);
        assert_eq!((&self.view, &self.seen), (&other.view, &other.seen));
    }
}

fn take_out<T>(list: &mut Vec<T>, is_it: impl Fn(&T) -> bool) {
    let place = list.iter().position(is_it).expect("what is gone was there");
    list.remove(place);
}

fn patch_unit(units: &mut Vec<plunder::Unit>, patch: plunder::UnitPatch) {
    let place = units.partition_point(|unit| unit.id < patch.id);
    if units.get(place).is_none_or(|unit| unit.id != patch.id) {
        assert!(patch.class.is_some() && patch.owner.is_some() && patch.hex.is_some() && patch.hp.is_some());
        units.insert(place, plunder::Unit { id: patch.id, ..Default::default() });
    }
    let unit = &mut units[place];
    unit.engagement = patch.engagement.unwrap_or(unit.engagement);
    unit.class = patch.class.unwrap_or_else(|| unit.class.clone());
    unit.owner = patch.owner.unwrap_or(unit.owner);
    unit.hex = patch.hex.or(unit.hex);
    unit.hp = patch.hp.unwrap_or(unit.hp);
    unit.sails = patch.sails.unwrap_or(unit.sails);
    unit.cannons = patch.cannons.unwrap_or(unit.cannons);
    unit.hull = patch.hull.unwrap_or(unit.hull);
    unit.route = patch.route.map_or_else(|| unit.route.clone(), |route| route.path);
}

fn patch_structure(structures: &mut Vec<plunder::Structure>, patch: plunder::StructurePatch) {
    let place = structures.partition_point(|structure| structure.id < patch.id);
    if structures.get(place).is_none_or(|structure| structure.id != patch.id) {
        assert!(patch.owner.is_some() && patch.hex.is_some() && patch.hp.is_some() && patch.queue.is_some());
        structures.insert(place, plunder::Structure { id: patch.id, ..Default::default() });
    }
    let structure = &mut structures[place];
    structure.owner = patch.owner.map_or(structure.owner, |owner| owner.player);
    structure.hex = patch.hex.or(structure.hex);
    structure.hp = patch.hp.unwrap_or(structure.hp);
    if let Some(queue) = patch.queue {
        (structure.queue, structure.queue_known) = (queue.jobs, queue.known);
    }
}

fn patch_contest(contests: &mut Vec<plunder::Contest>, patch: plunder::ContestPatch) {
    let order = |hex: Option<parley_proto::common::v1::Hex>| hex.map(|hex| (hex.q, hex.r));
    let place = contests.partition_point(|contest| order(contest.hex) < order(patch.hex));
    if contests.get(place).is_none_or(|contest| contest.hex != patch.hex) {
        assert!(patch.since.is_some() && patch.rounds.is_some() && patch.contenders.is_some());
        contests.insert(place, plunder::Contest { hex: patch.hex, ..Default::default() });
    }
    let contest = &mut contests[place];
    contest.since = patch.since.unwrap_or(contest.since);
    contest.rounds = patch.rounds.unwrap_or(contest.rounds);
    contest.contenders = patch.contenders.map_or_else(|| contest.contenders.clone(), |list| list.units);
}

/// A match between two players who are never there, and two house bots that attack them; the players' tokens.
async fn begin(client: &mut Client, fog: bool) -> (String, [String; 2]) {
    let bot = || v1::SeatChoice { house_bot: "raider".to_owned() };
    let seats = vec![v1::SeatChoice::default(), v1::SeatChoice::default(), bot(), bot()];
    let rules = format!(r#"{{"turn_limit": {TURNS}, "elimination": "no_ships_and_no_structures"}}"#);
    let settings = v1::MatchSettings {
        seats,
        planning_ms: Some(10),
        decision_ms: Some(10),
        ..settings(4, 7).with_rules(rules).with_fog(fog)
    };
    let id = id_of(&client.create(settings, Some([9; 32])).await);
    let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
    (id, tokens)
}

/// Everything that a viewer is told of a match until its end.
async fn told(client: &mut Client, id: &str, token: Option<&String>, views: bool, no_changes: bool) -> Vec<v1::News> {
    let watch = v1::WatchRequest { match_id: id.to_owned(), after: 0, views, no_changes };
    let request = token.map_or_else(|| tonic::Request::new(watch.clone()), |token| bearer(token, watch.clone()));
    let mut stream = client.play.watch(request).await.expect("a stream").into_inner();
    let mut told = Vec::new();
    while let Some(response) = stream.message().await.expect("no error") {
        told.extend(response.news);
    }
    told
}

async fn boards_are_right(fog: bool) {
    let server = Running::start(&Config { missed_deadlines_before_expiry: 1000, ..config() }).await;
    let mut client = server.client().await;
    let (id, tokens) = begin(&mut client, fog).await;
    let mut fights = 0;
    for token in [Some(&tokens[0]), Some(&tokens[1]), None] {
        let mut board: Option<Board> = None;
        for news in told(&mut client, &id, token, true, false).await {
            let (changes, opened) = match news.what {
                Some(What::TurnOpened(opened)) => ([None, None], Some(opened)),
                Some(What::Outcome(outcome)) => {
                    let told = [outcome.shared, outcome.own].into_iter().flatten().filter_map(Arms::into_plunder);
                    let is_fight =
                        |event: &plunder::Event| matches!(event.what, Some(plunder::event::What::Exchanged(_)));
                    fights += told.flat_map(|news| news.events).filter(is_fight).count();
                    ([outcome.shared_changes, outcome.own_changes], outcome.next)
                }
                _ => continue,
            };
            let view = opened.and_then(|opened| opened.view).and_then(Arms::into_plunder);
            match &mut board {
                Some(board) => {
                    changes.into_iter().for_each(|changes| board.apply(changes));
                    view.into_iter().for_each(|view| board.is(view));
                }
                None => board = view.map(Board::new),
            }
        }
        let ask = v1::GetViewRequest { match_id: id.clone() };
        let request = token.map_or_else(|| tonic::Request::new(ask.clone()), |token| bearer(token, ask.clone()));
        let last = client.play.get_view(request).await.expect("a view").into_inner();
        let last = last.view.and_then(Arms::into_plunder).expect("a view");
        assert!(last.result.is_some(), "the match is over");
        board.expect("a first view").is(last);
    }
    assert!(fights > 0, "nobody fought");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_changes_are_applied_to_is_the_view_that_the_server_has() {
    boards_are_right(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_fog_a_board_that_changes_are_applied_to_is_the_view_that_the_server_has() {
    boards_are_right(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_declines_changes_is_told_the_same_in_fewer_bytes() {
    let server = Running::start(&Config { missed_deadlines_before_expiry: 1000, ..config() }).await;
    let mut client = server.client().await;
    let (id, tokens) = begin(&mut client, false).await;
    for token in [Some(&tokens[0]), None] {
        let whole = told(&mut client, &id, token, false, false).await;
        let declined = told(&mut client, &id, token, false, true).await;
        let bytes = |told: &[v1::News]| told.iter().map(Message::encoded_len).sum::<usize>();
        assert!(bytes(&declined) < bytes(&whole), "{} and {} bytes", bytes(&declined), bytes(&whole));
        let without = |mut news: v1::News| {
            match &mut news.what {
                Some(What::Outcome(outcome)) => (outcome.shared_changes, outcome.own_changes) = (None, None),
                Some(What::Prompt(prompt)) => prompt.changes = None,
                _ => {}
            }
            news
        };
        assert_eq!(whole.into_iter().map(without).collect::<Vec<_>>(), declined);
    }
    server.stop().await;
}
