//! Every kind of change, and the view that follows the news.

mod whole_matches;

use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::change::What;
use parley_proto::v1;

use super::*;
use crate::session::SessionError;

fn hex(q: i32, r: i32) -> common::Hex {
    common::Hex { q, r }
}

fn unit(id: u32) -> plunder::Unit {
    let hex = Some(hex(id as i32, 0));
    let engagement = plunder::Engagement::Ask.into();
    plunder::Unit { id, class: "ship".into(), owner: 1, hex, hp: 10, sails: 1, engagement, ..Default::default() }
}

/// Four by three tiles, of which the last row was never seen.
fn view() -> plunder::View {
    let job = plunder::Job { class: "ship".to_owned(), turns_left: 2 };
    plunder::View {
        seat: Some(1),
        turn: 4,
        width: 4,
        height: 3,
        terrain_keys: vec!["sea".to_owned(), "land".to_owned()],
        terrain: vec![0, 0, 1, 0, 0, 0, 0, 1, 255, 255, 255, 255].into(),
        visible: vec![0b1111_0011, 0].into(),
        players: vec![
            plunder::Player { id: 0, alive: true, gold: None },
            plunder::Player { id: 1, alive: true, gold: Some(50) },
        ],
        units: vec![plunder::Unit { route: vec![hex(1, 0), hex(2, 0)], ..unit(3) }, unit(7)],
        structures: vec![plunder::Structure {
            id: 2,
            owner: Some(1),
            hex: Some(hex(0, 1)),
            hp: 5,
            queue: vec![job],
            queue_known: true,
        }],
        contests: vec![plunder::Contest { hex: Some(hex(1, 1)), since: 3, rounds: 1, contenders: vec![3, 7] }],
        ..plunder::View::default()
    }
}

fn change(what: What) -> plunder::Change {
    plunder::Change { what: Some(what) }
}

/// The view after these changes.
fn changed(changes: impl IntoIterator<Item = What>) -> plunder::View {
    let mut view = view();
    changes.into_iter().for_each(|what| apply(&mut view, &change(what)));
    view
}

/// The view with something else in it.
fn with(how: impl FnOnce(&mut plunder::View)) -> plunder::View {
    let mut view = view();
    how(&mut view);
    view
}

fn patch(id: u32) -> plunder::UnitPatch {
    plunder::UnitPatch { id, ..Default::default() }
}

fn route(path: &[common::Hex]) -> Option<plunder::unit_patch::Route> {
    Some(plunder::unit_patch::Route { path: path.to_vec() })
}

fn contenders(units: &[u32]) -> Option<plunder::contest_patch::Contenders> {
    Some(plunder::contest_patch::Contenders { units: units.to_vec() })
}

#[test]
fn what_a_patch_of_a_unit_does_not_set_stays_as_it_is() {
    let moved = plunder::UnitPatch { hp: Some(4), hex: Some(hex(2, 0)), ..patch(3) };
    let expected = with(|view| (view.units[0].hp, view.units[0].hex) = (4, Some(hex(2, 0))));
    assert_eq!(changed([What::Unit(moved)]), expected);
    let mut same = view();
    apply(&mut same, &plunder::Change::default());
    apply(&mut same, &change(What::Unit(patch(3))));
    assert_eq!(same, view());
}

#[test]
fn what_is_set_to_nothing_is_nothing() {
    let none = plunder::UnitPatch { hp: Some(0), sails: Some(0), engagement: Some(0), route: route(&[]), ..patch(3) };
    let on =
        plunder::UnitPatch { route: route(&[hex(1, 0)]), cannons: Some(2), hull: Some(1), owner: Some(0), ..patch(7) };
    let expected = with(|view| {
        view.units[0] = plunder::Unit { hp: 0, sails: 0, engagement: 0, route: Vec::new(), ..view.units[0].clone() };
        view.units[1] = plunder::Unit { route: vec![hex(1, 0)], cannons: 2, hull: 1, owner: 0, ..unit(7) };
    });
    assert_eq!(changed([What::Unit(none), What::Unit(on)]), expected);
}

#[test]
fn units_come_go_and_come_again_in_the_order_of_their_ids() {
    let came = plunder::UnitPatch { class: Some("sloop".into()), owner: Some(0), hp: Some(8), ..patch(5) };
    let expected = with(|view| {
        let sloop = plunder::Unit { id: 5, class: "sloop".into(), hp: 8, ..Default::default() };
        view.units.insert(1, sloop);
    });
    assert_eq!(changed([What::Unit(came)]), expected);
    assert_eq!(changed([What::UnitGone(3)]), with(|view| drop(view.units.remove(0))));
    assert_eq!(changed([What::UnitGone(99)]), view());
    let again = plunder::UnitPatch { hp: Some(1), ..patch(3) };
    let expected = with(|view| view.units[0] = plunder::Unit { id: 3, hp: 1, ..Default::default() });
    assert_eq!(changed([What::UnitGone(3), What::Unit(again)]), expected, "nothing is left of what it was before");
}

#[test]
fn a_structure_changes_its_owner_its_hp_and_its_queue() {
    let owner = |player| Some(plunder::structure_patch::Owner { player });
    let queue = Some(plunder::structure_patch::Queue::default());
    let taken = plunder::StructurePatch { id: 2, owner: owner(Some(0)), hp: Some(1), queue, ..Default::default() };
    let expected = with(|view| {
        let yard = &view.structures[0];
        let yard = plunder::Structure { owner: Some(0), hp: 1, queue: Vec::new(), queue_known: false, ..yard.clone() };
        view.structures[0] = yard;
    });
    assert_eq!(changed([What::Structure(taken)]), expected);
    let neutral = plunder::StructurePatch { id: 2, owner: owner(None), ..Default::default() };
    assert_eq!(changed([What::Structure(neutral)]), with(|view| view.structures[0].owner = None));
}

#[test]
fn structures_come_and_go_by_ids_of_their_own() {
    let jobs = vec![plunder::Job { class: "ship".to_owned(), turns_left: 1 }];
    let queue = Some(plunder::structure_patch::Queue { jobs: jobs.clone(), known: true });
    let came = plunder::StructurePatch { id: 1, hex: Some(hex(3, 0)), hp: Some(5), queue, ..Default::default() };
    let expected = with(|view| {
        let (hex, queue_known) = (Some(hex(3, 0)), true);
        view.structures.insert(0, plunder::Structure { id: 1, owner: None, hex, hp: 5, queue: jobs, queue_known });
    });
    assert_eq!(changed([What::Structure(came)]), expected);
    assert_eq!(changed([What::StructureGone(2)]), with(|view| view.structures.clear()));
    assert_eq!(changed([What::StructureGone(3)]), view());
}

#[test]
fn contests_are_known_by_their_tile() {
    let on = plunder::ContestPatch { hex: Some(hex(1, 1)), rounds: Some(2), contenders: contenders(&[7]), since: None };
    let expected = with(|view| (view.contests[0].rounds, view.contests[0].contenders) = (2, vec![7]));
    assert_eq!(changed([What::Contest(on)]), expected);
    let (since, rounds) = (Some(4), Some(1));
    let new = plunder::ContestPatch { hex: Some(hex(-1, 2)), since, rounds, contenders: contenders(&[5, 6]) };
    let expected = with(|view| {
        let contest = plunder::Contest { hex: Some(hex(-1, 2)), since: 4, rounds: 1, contenders: vec![5, 6] };
        view.contests.insert(0, contest);
    });
    assert_eq!(changed([What::Contest(new)]), expected);
    assert_eq!(changed([What::ContestGone(hex(1, 1))]), with(|view| view.contests.clear()));
    assert_eq!(changed([What::ContestGone(hex(1, 0))]), view());
}

#[test]
fn a_player_loses_and_gains() {
    let lost = plunder::PlayerPatch { id: 0, alive: Some(false), gold: None };
    let paid = plunder::PlayerPatch { id: 1, alive: None, gold: Some(-3) };
    let expected = with(|view| (view.players[0].alive, view.players[1].gold) = (false, Some(-3)));
    assert_eq!(changed([What::Player(lost), What::Player(paid)]), expected);
}

fn gained(q: i32, r: i32, terrain: u32) -> plunder::sight_patch::Gained {
    plunder::sight_patch::Gained { hex: Some(hex(q, r)), terrain }
}

#[test]
fn sight_is_gained_with_the_ground_and_lost_without_forgetting_it() {
    let patch = plunder::SightPatch {
        gained: vec![gained(2, 0, 1), gained(0, 2, 1), gained(3, 2, 0)],
        // Beyond the first tile there is no map.
        lost: vec![hex(0, 1), hex(0, 3), hex(4, 0), hex(-1, 1), hex(i32::MAX, i32::MAX), hex(0, -1)],
    };
    let expected = with(|view| {
        view.terrain = vec![0, 0, 1, 0, 0, 0, 0, 1, 255, 1, 255, 255].into();
        view.visible = vec![0b1110_0111, 0b10].into();
    });
    assert_eq!(changed([What::Sight(patch)]), expected);
}

#[test]
fn a_view_in_which_everything_is_seen_has_no_bits() {
    let dark = [(2, 0), (3, 0), (-1, 2), (0, 2), (1, 2), (2, 2)];
    let all = plunder::SightPatch { gained: dark.map(|(q, r)| gained(q, r, 0)).to_vec(), lost: Vec::new() };
    let mut view = changed([What::Sight(all)]);
    assert!(view.visible.is_empty());
    apply(&mut view, &change(What::Sight(plunder::SightPatch { gained: Vec::new(), lost: vec![hex(1, 2)] })));
    assert_eq!(view.visible[..], [0xFF, 0b1011]);
}

#[test]
fn the_turn_and_the_result_are_said() {
    let result = common::MatchResult { result: Some(common::match_result::Result::Winner(1)) };
    let expected = with(|view| (view.turn, view.result) = (5, Some(result.clone())));
    assert_eq!(changed([What::Turn(5), What::Result(result)]), expected);
}

fn told(turn: u32) -> v1::View {
    let units = vec![plunder::Unit { hp: turn, ..unit(7) }];
    v1::View::of_plunder(plunder::View { turn, units, ..plunder::View::default() })
}

/// The news of a turn, whose only ship has as many hp as turns have begun. Their cursor is that of the turn.
fn outcome(turn: u32, with_changes: bool) -> v1::News {
    let list = |what| with_changes.then(|| v1::Changes::of_plunder(plunder::Changes { changes: vec![change(what)] }));
    let outcome = v1::Outcome {
        turn,
        next: Some(v1::TurnOpened { turn: turn + 1, ..Default::default() }),
        shared_changes: list(What::Unit(plunder::UnitPatch { hp: Some(turn + 1), ..patch(7) })),
        own_changes: list(What::Turn(turn + 1)),
        ..Default::default()
    };
    v1::News { cursor: turn.into(), what: Some(v1::news::What::Outcome(outcome)) }
}

#[test]
fn a_live_view_follows_the_news() {
    let mut live = LiveView::default();
    live.follow(&mut outcome(1, true)).expect("followed");
    assert_eq!(live.view(), None, "nobody has told a view yet");
    let mut asked = v1::GetViewResponse { view: Some(told(4)), cursor: 3, ..Default::default() };
    live.see(&mut asked).expect("seen");
    for (turn, seen) in [(2, 4), (3, 4), (4, 5), (5, 6)] {
        live.follow(&mut outcome(turn, true)).expect("followed");
        assert_eq!(live.view(), told(seen).as_plunder(), "after turn {turn}");
    }
    let mut old = v1::GetViewResponse { view: Some(told(4)), cursor: 3, ..Default::default() };
    live.see(&mut old).expect("seen");
    assert_eq!(live.view(), told(6).as_plunder(), "an answer that is older than the news is not taken");
}

#[test]
fn a_live_view_takes_over_views_and_ends_where_changes_are_missing() {
    let mut live = LiveView::default();
    let opened = v1::TurnOpened { turn: 1, view: Some(told(1)), ..Default::default() };
    let what = Some(v1::news::What::TurnOpened(opened));
    live.follow(&mut v1::News { cursor: 1, what }).expect("followed");
    assert_eq!(live.view(), told(1).as_plunder());
    live.follow(&mut outcome(2, false)).expect("followed");
    assert_eq!(live.view(), None);
    let mut with_view = outcome(3, false);
    let Some(v1::news::What::Outcome(said)) = &mut with_view.what else { panic!("an outcome") };
    said.next = Some(v1::TurnOpened { turn: 4, view: Some(told(4)), ..Default::default() });
    live.follow(&mut with_view).expect("followed");
    assert_eq!(live.view(), told(4).as_plunder());
    let mut other = v1::GetViewResponse { view: Some(v1::View::default()), cursor: 9, ..Default::default() };
    assert_eq!(live.see(&mut other), Err(SessionError::UnknownGame));
}
