//! What a turn asks about encounters: whom, in which order, and what can be answered (R7.2, R7.3).

use std::sync::Arc;

use parley_plunder::event::{Body, EncounterKind, Subject};
use parley_plunder::order::Choice;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Question, Step, Workspace};
use parley_plunder::scenario::Scenario;
use parley_plunder::stages::Encounter;
use serde_json::{Value, json};

/// Ships as (id, owner, q, engagement) in a row of sixteen tiles, and where they go.
fn game(ships: &[(u32, u8, i32, &str)], ways: &[(u32, &[i32])]) -> Game {
    let ship = |&(id, owner, q, engagement): &(u32, u8, i32, &str)| json!({"id": id, "owner": owner, "q": q, "r": 0, "hp": 10, "engagement": engagement});
    let way = |&(unit, path): &(u32, &[i32])| {
        let path: Vec<[i32; 2]> = path.iter().map(|&q| [q, 0]).collect();
        json!({"unit": unit, "move": path})
    };
    let text = json!({
        "seed": "00".repeat(32),
        "turn": 1,
        "map": {"width": 16, "height": 1, "tiles": [".".repeat(16)]},
        "players": [{"id": 0}, {"id": 1}, {"id": 2}],
        "units": ships.iter().map(ship).collect::<Vec<Value>>(),
        "orders": ways.iter().map(way).collect::<Vec<Value>>(),
    });
    let scenario = Scenario::parse(&Arc::new(Rules::plunder()), &text.to_string()).expect("a sound scenario");
    scenario.game().expect("sheets that fit")
}

/// Seat, number, unit, tick, group and options of a question.
fn told(question: &Question) -> (u8, u32, u32, u8, u32, [Choice; 2]) {
    let Subject::Unit(unit) = question.about else { panic!("only ships meet") };
    let options = question.options.clone().try_into().expect("two options");
    assert_eq!((question.kind, question.rule, question.min, question.max), ("encounter", "R7.2", 1, 1));
    assert_eq!((&question.default[..], &question.standing), (&[0][..], &None), "the peaceful choice is the default");
    (question.seat.get(), question.id(), unit.get(), question.tick, question.group, options)
}

#[test]
fn every_ship_on_ask_is_asked_by_encounter_and_then_by_id() {
    const CROSS: [Choice; 2] = [Choice::Proceed, Choice::Attack];
    const ENTER: [Choice; 2] = [Choice::Yield, Choice::Attack];
    // Nobody is asked in the encounter in the middle, which has its place among the others all the same.
    let ships = [
        (1, 1, 12, "ASK"),
        (2, 0, 11, "ASK"),
        (3, 0, 2, "ASK"),
        (4, 1, 3, "FIGHT"),
        (5, 2, 6, "EVADE"),
        (6, 0, 7, "EVADE"),
        (7, 0, 2, "ASK"),
        (8, 1, 0, "ASK"),
    ];
    let ways: [(u32, &[i32]); 7] = [(1, &[11]), (2, &[12]), (3, &[3]), (5, &[7]), (6, &[6]), (7, &[1]), (8, &[1])];
    let (mut game, mut workspace) = (game(&ships, &ways), Workspace::new());
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    let expected = [
        (0, 1, 7, 1, 1, ENTER),
        (1, 1, 8, 1, 1, ENTER),
        (0, 2, 3, 1, 2, ENTER),
        (1, 2, 1, 1, 4, CROSS),
        (0, 3, 2, 1, 4, CROSS),
    ];
    assert_eq!(game.questions().iter().map(told).collect::<Vec<_>>(), expected);

    // A group is the number of an encounter among those that were announced, which the turn describes whole.
    let encounters = game.open_turn().expect("it waits").encounters();
    let ships = |met: &Encounter| met.participants.iter().map(|ship| ship.unit).collect();
    let described = encounters.iter().map(|met| (met.group, met.kind, ships(met)));
    let announced = game.so_far().iter().filter_map(|event| match &event.body {
        Body::Encounter { kind, units, .. } => Some((event.group, *kind, units.to_vec())),
        _ => None,
    });
    assert_eq!(described.collect::<Vec<_>>(), announced.collect::<Vec<_>>());
    assert_eq!((encounters.len(), encounters[2].kind), (4, EncounterKind::Passing));
    for (group, encounter) in (1..).zip(&encounters) {
        assert_eq!(encounter.group, group);
        let asked = encounter.participants.iter().filter(|ship| ship.asked).map(|ship| Subject::Unit(ship.unit));
        let questions = game.questions().iter().filter(|question| question.group == group);
        assert!(asked.eq(questions.map(|question| question.about)), "those who are asked are those with a question");
    }
}

#[test]
fn answers_reach_the_ships_that_they_are_for() {
    let ships = [(1, 1, 1, "ASK"), (2, 0, 0, "ASK"), (3, 0, 5, "FIGHT"), (4, 1, 6, "ASK"), (5, 1, 6, "ASK")];
    let ways: [(u32, &[i32]); 5] = [(1, &[0]), (2, &[1]), (3, &[6]), (4, &[5]), (5, &[5])];
    let (mut game, mut workspace) = (game(&ships, &ways), Workspace::new());
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    let pick = |at: usize, choice| game.questions()[at].picking(&choice).expect("it can be chosen");
    assert_eq!(game.questions()[2].picking(&Choice::Yield), None, "nobody yields in a passing");
    let answers = [pick(3, Choice::Attack), pick(0, Choice::Proceed)];
    let Ok(Step::Resolved(outcome)) = game.advance(&mut workspace, &answers) else { panic!("everything was asked") };
    let decided = outcome.events.iter().filter_map(|event| match event.body {
        Body::Decided { unit, choice, defaulted, .. } => Some((unit.get(), choice, defaulted)),
        _ => None,
    });
    let expected = [
        (1, Choice::Proceed, false),
        (2, Choice::Proceed, true),
        (3, Choice::Attack, false),
        (4, Choice::Proceed, true),
        (5, Choice::Attack, false),
    ];
    assert_eq!(decided.collect::<Vec<_>>(), expected);
}
