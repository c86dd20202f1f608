//! A match as a service has it: bytes of messages go in and come out, and whatever is said, nothing but orders is kept of it.

use bytes::Bytes;
use parley_core::dice::Seed;
use parley_core::ids::PlayerId;
use parley_games::hosted::{
    AdviceError, AnyGame, Games, HostedGame, HostedSetup, HostedStep, HostedWorkspace, SetupFault, ToldTurn, Viewer,
};
use parley_games::plunder::changes;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;

/// The most tiles of a map.
const MOST_TILES: usize = 10_000;
/// Bytes of any message that stands under the arm of another game.
const OTHER_ARM: &[u8] = b"\x12\x02\x08\x01";
/// Bytes that are no message.
const MALFORMED: &[u8] = b"\x0a\xff";

fn settings(settings: plunder::Settings) -> Vec<u8> {
    v1::GameSettings { game: Some(v1::game_settings::Game::Plunder(settings)) }.encode_to_vec()
}

fn read_settings(bytes: &Bytes) -> plunder::Settings {
    let Some(v1::game_settings::Game::Plunder(settings)) =
        v1::GameSettings::decode(bytes.clone()).expect("settings").game
    else {
        panic!("settings of another game");
    };
    settings
}

fn sheet(orders: plunder::Sheet) -> Vec<u8> {
    v1::Sheet { game: Some(v1::sheet::Game::Plunder(orders)) }.encode_to_vec()
}

fn query(query: plunder::query::Query) -> Vec<u8> {
    let query = plunder::Query { query: Some(query) };
    v1::Query { game: Some(v1::query::Game::Plunder(query)) }.encode_to_vec()
}

/// The naval game.
fn naval() -> &'static dyn AnyGame {
    Games::default().named("plunder").expect("a game of the house")
}

fn setup() -> std::sync::Arc<dyn HostedSetup> {
    naval().plan(None, 2, 7, MOST_TILES).expect("a map of the standard size").0
}

fn game() -> Box<dyn HostedGame> {
    setup().open(Seed::derive(&[1; 32], &[])).expect("an opening")
}

fn view(game: &dyn HostedGame, viewer: Viewer) -> plunder::View {
    let Some(v1::view::Game::Plunder(view)) = v1::View::decode(game.view(viewer)).expect("a view").game else {
        panic!("a view of another game");
    };
    view
}

fn seat(number: u64) -> Viewer {
    Viewer::Seat(PlayerId::new(number).expect("a seat"))
}

#[test]
fn what_settings_leave_open_is_filled_in_and_what_is_kept_elsewhere_left_out() {
    let planned = |game: Option<&[u8]>| naval().plan(game, 2, 7, MOST_TILES).expect("a map");
    for nothing in [None, Some(&b""[..]), Some(&settings(plunder::Settings::default())[..])] {
        let (setup, filled_in) = planned(nothing);
        let plunder::Settings { map, rules, fog, changes } = read_settings(&filled_in);
        let Some(plunder::map_choice::Source::Generated(generated)) = map.and_then(|map| map.source) else {
            panic!("a map that nobody drew");
        };
        assert_eq!((generated.seed, &generated.size[..], fog), (Some(7), "standard", Some(false)));
        assert_eq!((rules.as_str(), changes), ("", None));
        assert_eq!(setup.public_settings(&filled_in), filled_in);
    }
    let fog =
        settings(plunder::Settings { changes: changes::said(&serde_json::json!({"fog": "on"})), ..Default::default() });
    let (setup, filled_in) = planned(Some(&fog));
    let shown = read_settings(&setup.public_settings(&filled_in));
    let mut hidden = read_settings(&filled_in);
    if let Some(plunder::map_choice::Source::Generated(map)) = &mut hidden.map.as_mut().expect("a map").source {
        assert_eq!(map.seed.take(), Some(7));
    }
    assert_eq!((shown.fog, shown), (Some(true), hidden), "with fog, the seed is told to nobody");
}

#[test]
fn settings_that_make_no_sense_are_refused_by_their_field() {
    let refused = |game: &[u8]| match naval().plan(Some(game), 2, 7, MOST_TILES) {
        Err(SetupFault { field, text, .. }) => (field, text),
        Ok(_) => panic!("planned"),
    };
    assert_eq!(refused(MALFORMED).0, "settings.game");
    assert_eq!(refused(OTHER_ARM), ("settings.game".to_owned(), "they are not those of plunder".to_owned()));
    let rules = plunder::Settings { rules: "{".to_owned(), ..Default::default() };
    assert_eq!(refused(&settings(rules)).0, "settings.game.plunder.rules");
    let map =
        |source| plunder::Settings { map: Some(plunder::MapChoice { source: Some(source) }), ..Default::default() };
    let huge = plunder::GeneratedMap { width: 5000, height: 5000, ..Default::default() };
    let huge = map(plunder::map_choice::Source::Generated(huge));
    assert_eq!(refused(&settings(huge)).0, "settings.game.plunder.map.generated");
    let (rows, starts) = (vec!["H..".to_owned()], vec![common::Hex { q: 0, r: 0 }]);
    let drawn = map(plunder::map_choice::Source::Drawn(plunder::DrawnMap { rows, wrap: false, starts }));
    assert_eq!(refused(&settings(drawn)).0, "settings.game.plunder.map.drawn.starts");
}

#[test]
fn what_was_written_down_of_a_setup_is_read_again() {
    let planned = setup();
    let rules = naval().rules(&planned.rules_text()).expect("rules");
    let read = naval().read(rules.clone(), &planned.drawn()).expect("a map");
    assert_eq!((read.drawn(), read.replay_map()), (planned.drawn(), planned.replay_map()));
    assert_eq!(naval().read(rules, MALFORMED).expect_err("no map").field, "settings.game.plunder.map.drawn");
}

#[test]
fn of_a_sheet_nothing_is_kept_but_its_orders() {
    let game = game();
    let ship = view(&*game, seat(0)).units.iter().find(|unit| unit.owner == 0).expect("a ship").id;
    let hold = |unit| plunder::UnitOrder {
        unit,
        action: Some(plunder::unit_order::Action::Hold(plunder::Hold {})),
        ..Default::default()
    };
    let said = sheet(plunder::Sheet { units: vec![hold(ship)], ..Default::default() });
    // Fields that nobody knows, beside the arm and within it.
    let beside = [&b"\x7a\x07planted"[..], &said].concat();
    let within = [&b"\x0a\x09\x7a\x07planted"[..], &said].concat();
    for bytes in [&said[..], &beside, &within] {
        let read = game.read_sheet(bytes).expect("a sheet");
        assert_eq!((read.encode(), read.orders(), read.concedes()), (said.clone().into(), 1, false));
        assert!(game.judge(0, &*read).expect("a seat").1.is_empty());
    }
    let empty = game.read_sheet(&sheet(plunder::Sheet::default())).expect("a sheet");
    assert_eq!([empty.encode(), game.blank_sheet().encode()], [&b"\x0a\x00"[..]; 2]);

    let mut staged =
        game.read_sheet(&sheet(plunder::Sheet { units: vec![hold(ship), hold(9999)], ..Default::default() }));
    let staged = staged.as_mut().expect("a sheet");
    let (_, faults) = game.judge(0, &**staged).expect("a seat");
    staged.drop_faulty(&faults);
    assert_eq!(staged.encode(), said, "what stands is the order without a fault");
    staged.concede();
    assert_eq!((staged.orders(), staged.concedes()), (1, true));
}

#[test]
fn what_is_no_sheet_of_the_game_is_refused_in_a_sentence() {
    let refused = |said| game().read_sheet(said).expect_err("no sheet");
    assert!(refused(MALFORMED).starts_with("it cannot be read: "));
    for nothing in [&b""[..], OTHER_ARM] {
        assert_eq!(refused(nothing), "it is not one of plunder, the game of the match");
    }
}

#[test]
fn a_turn_is_told_under_the_arm_of_the_game() {
    let (mut game, mut workspace) = (game(), HostedWorkspace::new());
    for seat in 0..2 {
        let (legal, faults) = game.judge(seat, &*game.blank_sheet()).expect("a seat");
        assert!(faults.is_empty());
        game.lock(legal).expect("an open turn");
    }
    let Ok(HostedStep::Resolved(outcome)) = game.advance(&mut workspace, &[]) else { panic!("nobody is asked") };
    let read = |told: ToldTurn| match v1::TurnNews::decode(told.news?).expect("news").game {
        Some(v1::turn_news::Game::Plunder(news)) => Some(news),
        None => panic!("news of another game"),
    };
    let told = |viewer| read(game.told(&*outcome, viewer)).expect("news").events.len();
    assert!([seat(0), seat(1), Viewer::Spectator, Viewer::Everything].into_iter().all(|viewer| told(viewer) > 0));
    // Nobody has a standing order, so that nothing is one player's own.
    assert_eq!(read(game.shared(&*outcome)).expect("news").events.len(), told(Viewer::Spectator));
    assert!(
        [seat(0), seat(1), Viewer::Spectator].map(|viewer| game.own(&*outcome, viewer))
            == [(); 3].map(|()| ToldTurn::default())
    );
    let Some(v1::changes::Game::Plunder(changes)) =
        v1::Changes::decode(game.shared(&*outcome).changes.expect("changes")).expect("changes").game
    else {
        panic!("changes of another game");
    };
    assert!(changes.changes.iter().any(|change| change.what == Some(plunder::change::What::Turn(2))));
    assert_eq!(view(&*game, seat(1)).turn, 2);
}

#[test]
fn questions_about_the_game_are_answered_as_they_were_asked() {
    use plunder::advice::Advice;
    use plunder::query::Query;
    let game = game();
    let view = view(&*game, Viewer::Everything);
    let ship = |owner| view.units.iter().find(|unit| unit.owner == owner).expect("a ship");
    let asked = |viewer, said: Query| {
        let query = game.read_query(&query(said)).expect("a query");
        let effort = game.effort_of(viewer, &query);
        game.advise(viewer, &query).map(|told| match v1::Advice::decode(told).expect("advice").game {
            Some(v1::advice::Game::Plunder(told)) => (effort, told.advice.expect("advice")),
            None => panic!("advice on another game"),
        })
    };
    let options = Query::Options(plunder::OptionsQuery::default());
    let path = Query::Path(plunder::PathQuery { unit: ship(0).id, target: ship(1).hex });
    let odds =
        Query::Odds(plunder::OddsQuery { first: ship(0).id, second: ship(1).id, rounds: 1, ..Default::default() });
    let (effort, told) = asked(seat(0), options).expect("advice");
    assert!(effort > 0 && matches!(told, Advice::Options(told) if told.turn == 1 && !told.units.is_empty()));
    match asked(seat(0), path) {
        Ok((effort, Advice::Path(course))) => assert!(effort > 0 && !course.legs.is_empty()),
        Err(AdviceError::NoCourse { fault, .. }) => assert!(!fault.rule.is_empty()),
        other => panic!("{other:?}"),
    }
    for viewer in [seat(0), Viewer::Spectator] {
        assert!(matches!(asked(viewer, odds), Ok((_, Advice::Odds(odds))) if odds.ships.len() == 2));
    }
    for players_only in [options, path] {
        assert_eq!(asked(Viewer::Spectator, players_only), Err(AdviceError::OnlyPlayers));
    }
    let field = |said: Query| match asked(seat(0), said) {
        Err(AdviceError::Field { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(Query::Path(plunder::PathQuery { unit: 1, target: None })), "query.plunder.path.target");
    let same = plunder::OddsQuery { first: ship(0).id, second: ship(0).id, ..Default::default() };
    assert_eq!(field(Query::Odds(same)), "query.plunder.odds.second");

    let refused = |said: &[u8]| match game.read_query(said) {
        Err(AdviceError::Field { field, text }) => (field, text),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(MALFORMED).0, "query");
    for nothing in [&b""[..], OTHER_ARM] {
        assert_eq!(refused(nothing), ("query", "it is not about plunder, the game of the match".to_owned()));
    }
    assert_eq!(refused(b"\x0a\x00"), ("query.plunder", "nothing is asked".to_owned()));
}
