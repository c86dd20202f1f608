//! Where in a request something is wrong: paths of field names, with the arm of the game and places counted from 0.

use parley_core::dice::Seed;
use parley_games::hosted::{AdviceError, AnyGame, Games, HostedGame, HostedStep, HostedWorkspace, Viewer};
use parley_games::plunder::changes;
use parley_games::plunder::game::rules::Rules;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::structure_order::Work;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use prost::Message;
use serde_json::{Value, json};

fn hex(q: i32) -> common::Hex {
    common::Hex { q, r: 0 }
}

/// The naval game.
fn plunder() -> &'static dyn AnyGame {
    Games::default().named("plunder").expect("a game of the house")
}

fn naval(settings: plunder::Settings) -> Vec<u8> {
    v1::GameSettings { game: Some(v1::game_settings::Game::Plunder(settings)) }.encode_to_vec()
}

fn drawn(rows: &[&str], starts: &[i32]) -> Option<plunder::MapChoice> {
    let rows = rows.iter().map(|&row| row.to_owned()).collect();
    let starts = starts.iter().copied().map(hex).collect();
    Some(plunder::MapChoice { source: Some(Source::Drawn(plunder::DrawnMap { rows, wrap: false, starts })) })
}

/// Two ships with a shipyard each, four tiles apart: structures 1 and 2, ships 1 and 2.
fn game() -> Box<dyn HostedGame> {
    let changes = changes::said(&json!({"economy": {"start_ships": 1}}));
    let settings = naval(plunder::Settings { map: drawn(&["H...H"], &[0, 4]), changes, ..Default::default() });
    let (setup, _) = plunder().plan(Some(&settings), 2, 7, 100).expect("a match");
    setup.open(Seed::derive(&[1; 32], &[])).expect("an opening")
}

fn order(unit: u32, action: Action) -> plunder::UnitOrder {
    plunder::UnitOrder { unit, action: Some(action), ..Default::default() }
}

fn go(unit: u32, path: &[i32]) -> plunder::UnitOrder {
    order(unit, Action::Move(plunder::Move { path: path.iter().copied().map(hex).collect() }))
}

fn work(structure: u32, work: Option<Work>) -> plunder::StructureOrder {
    plunder::StructureOrder { structure, work }
}

/// The fields that are at fault in a sheet of seat 0.
fn of_sheet(units: Vec<plunder::UnitOrder>, structures: Vec<plunder::StructureOrder>) -> Vec<String> {
    let sheet = plunder::Sheet { units, structures, concede: false };
    let bytes = v1::Sheet { game: Some(v1::sheet::Game::Plunder(sheet)) }.encode_to_vec();
    let game = game();
    let (_, faults) = game.judge(0, &*game.read_sheet(&bytes).expect("a sheet")).expect("a seat");
    faults.into_iter().map(|fault| fault.field).collect()
}

#[test]
fn faults_of_orders_name_the_field() {
    let hold = |unit| order(unit, Action::Hold(plunder::Hold {}));
    let build = |structure, class: &str| work(structure, Some(Work::Build(class.to_owned())));
    let engaged = plunder::UnitOrder { engagement: 99, ..hold(1) };
    let table = [
        (vec![go(1, &[1, 2, 9])], "units[0].move.path[2]"),
        (vec![go(1, &[2])], "units[0].move.path[0]"),
        (vec![go(1, &[])], "units[0].move.path"),
        (vec![hold(9)], "units[0].unit"),
        (vec![hold(1 << 28)], "units[0].unit"),
        (vec![hold(1), hold(1)], "units[1]"),
        (vec![order(1, Action::Upgrade(77))], "units[0].upgrade"),
        (vec![order(1, Action::Bombard(2))], "units[0].bombard"),
        (vec![order(1, Action::Bombard(u32::MAX))], "units[0].bombard"),
        (vec![order(1, Action::DeployShipyard(plunder::DeployShipyard {}))], "units[0].deploy_shipyard"),
        (vec![engaged], "units[0].engagement"),
        // A bad order before it, for the same ship, is not the one that is meant.
        (vec![hold(9), go(1, &[1, 3])], "units[1].move.path[1]"),
    ];
    for (units, field) in table {
        let found = of_sheet(units, Vec::new());
        assert_eq!(found.first(), Some(&format!("sheet.plunder.{field}")), "{found:?}");
    }
    let table = [
        (vec![build(1, "raft")], "structures[0].build"),
        (vec![work(1, Some(Work::CancelBuild(3)))], "structures[0].cancel_build"),
        (vec![build(2, "ship")], "structures[0].structure"),
        (vec![build(u32::MAX, "ship")], "structures[0].structure"),
        (vec![work(1, None)], "structures[0]"),
        (vec![build(1, "ship"), build(1, "ship")], "structures[1]"),
    ];
    for (structures, field) in table {
        assert_eq!(of_sheet(Vec::new(), structures), [format!("sheet.plunder.{field}")]);
    }
    let twice = vec![order(1, Action::Upgrade(77)), go(1, &[1, 3])];
    assert_eq!(of_sheet(twice, Vec::new()), ["sheet.plunder.units[0].upgrade", "sheet.plunder.units[1].move.path[1]"],);
}

#[test]
fn faults_of_answers_name_the_field() {
    let (mut game, mut workspace) = (game(), HostedWorkspace::new());
    for (seat, path) in [(0, [1, 2]), (1, [3, 2])] {
        let sheet = plunder::Sheet { units: vec![go(u32::from(seat) + 1, &path)], ..Default::default() };
        let sheet = v1::Sheet { game: Some(v1::sheet::Game::Plunder(sheet)) }.encode_to_vec();
        let (legal, faults) = game.judge(seat, &*game.read_sheet(&sheet).expect("a sheet")).expect("a seat");
        assert_eq!(faults, []);
        game.lock(legal).expect("an open turn");
    }
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(HostedStep::Asked)));
    let answer = |question, options: &[u32]| v1::Answer { question, options: options.to_vec() };
    let table = [
        (vec![], vec![], "answers"),
        (vec![answer(1, &[7])], vec![], "answers[0].options[0]"),
        (vec![answer(1, &[0, 7])], vec![], "answers[0].options[1]"),
        (vec![answer(1, &[0, 0])], vec![], "answers[0].options[1]"),
        (vec![answer(1, &[0, 1])], vec![], "answers[0].options"),
        (vec![answer(1, &[])], vec![], "answers[0].options"),
        (vec![answer(1, &[0]), answer(1, &[0])], vec![], "answers[1].question"),
        (vec![answer(1, &[0]), answer(9, &[0])], vec![], "answers[1].question"),
        (vec![answer(1, &[0])], vec![answer(1, &[0])], "answers[0].question"),
    ];
    for (said, given, field) in table {
        let faults = game.check_answers(0, &said, &given);
        assert_eq!(faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(), [field], "{said:?}");
    }
}

#[test]
fn faults_of_settings_name_the_field() {
    let map = |map| plunder::Settings { map, ..Default::default() };
    let said = |value: Value| plunder::Settings { changes: changes::said(&value), ..Default::default() };
    let rules = plunder::Settings { rules: "{".to_owned(), ..Default::default() };
    let table = [
        (rules, "rules"),
        (said(json!({"turn_limit": "soon"})), "changes"),
        (said(json!({"turn_limits": 7})), "changes"),
        (map(drawn(&["H.x.H", "....."], &[0, 4])), "map.drawn.rows[0]"),
        (map(drawn(&["H...H", "...."], &[0, 4])), "map.drawn.rows[1]"),
        (map(drawn(&["H...H"], &[0, 9])), "map.drawn.starts[1]"),
        (map(drawn(&["H...H"], &[0])), "map.drawn.starts"),
        (map(drawn(&["H...H"; 30], &[0, 4])), "map.drawn.rows"),
    ];
    for (settings, field) in table {
        let fault = plunder().plan(Some(&naval(settings)), 2, 7, 100).expect_err("makes no sense");
        let found = fault.faults.first().map_or(fault.field, |fault| fault.field.clone());
        assert_eq!(found, format!("settings.game.plunder.{field}"), "{}", fault.text);
    }
}

#[test]
fn faults_of_queries_name_the_field() {
    use plunder::query::Query;
    let path = |unit, target| Query::Path(plunder::PathQuery { unit, target });
    let odds = |first, second| Query::Odds(plunder::OddsQuery { first, second, ..Default::default() });
    let table = [
        (path(1, None), "path.target"),
        (path(9, Some(hex(3))), "path.unit"),
        (path(1, Some(hex(99))), "path.target"),
        (odds(9, 2), "odds.first"),
        (odds(1, 1), "odds.second"),
    ];
    let game = game();
    for (query, field) in table {
        let bytes = plunder::Query { query: Some(query) };
        let bytes = v1::Query { game: Some(v1::query::Game::Plunder(bytes)) }.encode_to_vec();
        let asked = game.read_query(&bytes).expect("a query");
        let viewer = Viewer::Seat(parley_core::ids::PlayerId::new(0).expect("a seat"));
        let found = match game.advise(viewer, &asked).expect_err("makes no sense") {
            AdviceError::Field { field, .. } => field.to_owned(),
            AdviceError::NoCourse { fault, .. } => fault.field,
            AdviceError::OnlyPlayers => panic!("a player asks"),
        };
        assert_eq!(found, format!("query.plunder.{field}"));
    }
}

/// Before there were messages for changes they were said as JSON: the rules, and with them their hash, are the same.
#[test]
fn the_same_changes_make_the_same_rules() {
    for changed in [
        json!({}),
        json!({"turn_limit": 10}),
        json!({"economy": {"start_ships": 1, "income": 25}, "fog": "on", "name": "Anna's"}),
        json!({"stages": ["income", "movement", "reckoning"], "elimination": "no_ships_and_no_structures"}),
    ] {
        let meant = Rules::plunder().with_overrides(&changed);
        let settings = plunder::Settings { changes: changes::said(&changed), ..Default::default() };
        let planned = plunder().plan(Some(&naval(settings)), 2, 7, 10_000);
        let (meant, planned) = match (meant, planned) {
            (Ok(meant), Ok((planned, _))) => (meant, planned),
            (Err(error), Err(fault)) => {
                assert_eq!(fault.text, error.to_string());
                continue;
            }
            other => panic!("{changed}: {other:?}"),
        };
        assert_eq!((planned.rules_hash(), planned.rules_text()), (meant.hash(), meant.to_json()), "{changed}");
        // The whole rules as a file, which JSON is too, are the same again.
        let whole = plunder::Settings { rules: meant.to_json(), ..Default::default() };
        let (again, _) = plunder().plan(Some(&naval(whole)), 2, 7, 10_000).expect("the same rules");
        assert_eq!(again.rules_hash(), meant.hash());
    }
}

#[test]
fn changes_are_over_the_file_where_there_is_one() {
    let file = Rules::plunder().with_overrides(&json!({"turn_limit": 7, "name": "of the file"})).expect("rules");
    let settings = plunder::Settings {
        rules: file.to_json(),
        changes: changes::said(&json!({"turn_limit": 9})),
        ..Default::default()
    };
    let (planned, _) = plunder().plan(Some(&naval(settings)), 2, 7, 10_000).expect("rules");
    let meant = Rules::plunder().with_overrides(&json!({"turn_limit": 9, "name": "of the file"})).expect("rules");
    assert_eq!(planned.rules_hash(), meant.hash());
}
