//! The driver of turns with a game that is not one of ours: what it promises holds for any ruleset.

mod questions;

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::game::{AdvanceError, LockError, Outcome, Step};
use parley_core::grid::Tile;
use parley_core::ids::PlayerId;
use parley_core::question::{Answer, AnswerFault, WrongAnswer};
use parley_toy::ruleset::{Body, Event, Fault, Game, Lanterns, Lights, Question, Row, Walk, Workspace};

fn player(id: u64) -> PlayerId {
    PlayerId::new(id).expect("a small number")
}

/// A match of lanterns at these places of a row of ten, in which so many may come together.
fn game(places: &[u32], most_meetings: usize) -> Game {
    game_with(places, most_meetings, Vec::new())
}

/// The same with riddles at the end of every turn.
fn game_with(places: &[u32], most_meetings: usize, riddles: Vec<Vec<Question>>) -> Game {
    let burning = (0..).zip(places).map(|(id, &at)| (player(id), at)).collect();
    let rules = Arc::new(Row { length: 10, most_meetings, riddles });
    Game::new(rules, Lights { turn: 1, burning }, Seed::from_bytes([1; 32]))
}

fn lock(game: &mut Game, id: u64, step: i32) {
    let legal = game.judge(&Walk::new(player(id), step)).whole().expect("a legal walk");
    game.lock(legal).expect("nothing is locked yet");
}

/// A player insists in the first meeting of a turn.
fn insisting(id: u64) -> Answer {
    Answer { seat: player(id), question: 1, options: vec![1] }
}

/// Something that happened in the stage at a place, which the driver notes.
fn event(stage: u8, body: Body) -> Event {
    Event { stage, tick: None, group: 0, body }
}

fn resolved(step: Result<Step<Lanterns>, AdvanceError<Fault>>) -> Outcome<Lanterns> {
    match step {
        Ok(Step::Resolved(outcome)) => *outcome,
        other => panic!("the turn is over: {other:?}"),
    }
}

#[test]
fn a_turn_that_asks_nobody_is_resolved_at_once_and_chains_its_digest() {
    let (mut game, mut workspace) = (game(&[2, 5], 9), Workspace::new());
    let first = game.digest();
    assert_eq!(first, Digest::genesis(game.rules(), game.state()));
    lock(&mut game, 0, 1);
    // Whoever has locked nothing has ordered nothing.
    let outcome = resolved(game.advance(&mut workspace, &[]));
    assert_eq!(outcome.events, [event(0, Body::Moved(player(0), 3))]);
    assert_eq!((outcome.before.turn, game.turn()), (1, 2));
    assert_eq!(game.digest(), first.then(game.state()));
}

#[test]
fn sheets_are_frozen_once_for_their_turn_and_not_while_it_is_resolved() {
    let (mut game, mut workspace) = (game(&[2, 4], 9), Workspace::new());
    let old = game.judge(&Walk::new(player(1), 0)).legal;
    lock(&mut game, 0, 1);
    let again = game.judge(&Walk::new(player(0), -1)).legal;
    assert_eq!(game.lock(again), Err(LockError::TwoSheets { player: player(0) }));
    lock(&mut game, 1, -1);
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    assert_eq!(game.lock(old.clone()), Err(LockError::Resolving));
    let outcome = resolved(game.advance(&mut workspace, &[insisting(0)]));
    assert_eq!(outcome.events.last(), Some(&event(1, Body::Moved(player(1), 4))), "who does not insist goes back");
    assert!(!game.is_locked(player(0)), "the next turn is planned anew");
    assert_eq!(game.lock(old), Err(LockError::OtherTurn { player: player(1), sheet: 1 }));
}

#[test]
fn a_stage_asks_and_goes_on_with_the_answers_wherever_it_was_begun_again() {
    let begin = || {
        let mut game = game(&[2, 4, 8], 9);
        lock(&mut game, 0, 1);
        lock(&mut game, 1, -1);
        game
    };
    let (mut game, mut workspace) = (begin(), Workspace::new());
    let not_asked = |id| AnswerFault { seat: player(id), question: 1, place: 0, wrong: WrongAnswer::NotAsked };
    assert_eq!(game.check(&[insisting(0)]), Err(vec![not_asked(0)]), "nothing is asked yet");
    assert!(game.advance(&mut workspace, &[insisting(0)]).is_err() && !game.is_asking());
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    assert_eq!(game.questions().iter().map(|question| question.seat).collect::<Vec<_>>(), [player(0), player(1)]);
    assert_eq!(game.so_far(), [event(0, Body::Moved(player(0), 3)), event(0, Body::Moved(player(1), 3))]);
    assert_eq!(game.state().turn, 1, "nothing has happened yet");

    // Faulty answers change nothing, and a turn that is thrown away comes to the same place again.
    assert_eq!(game.check(&[insisting(2)]), Err(vec![not_asked(2)]));
    assert!(game.advance(&mut workspace, &[insisting(2)]).is_err() && game.is_asking());
    let both = [insisting(0), insisting(1)];
    let mut again = begin();
    assert!(matches!(again.advance(&mut Workspace::new(), &[]), Ok(Step::Asked)));
    for game in [&mut game, &mut again] {
        let outcome = resolved(game.advance(&mut workspace, &both));
        assert_eq!(outcome.events[2..], [event(1, Body::WentOut(player(0))), event(1, Body::WentOut(player(1)))]);
    }
    assert_eq!((game.digest(), game.state()), (again.digest(), again.state()));
    assert!(!game.is_asking() && game.questions().is_empty());

    // One lantern is left: the match is over, and nothing more can be locked or resolved.
    let late = game.judge(&Walk::new(player(2), 1)).legal;
    assert_eq!(game.lock(late), Err(LockError::Over));
    assert!(matches!(game.advance(&mut workspace, &[]), Err(AdvanceError::Over)));
}

#[test]
fn a_turn_beyond_a_limit_is_not_resolved_however_often_it_is_tried() {
    let (mut game, mut workspace) = (game(&[2, 4], 1), Workspace::new());
    lock(&mut game, 0, 1);
    lock(&mut game, 1, -1);
    for _ in 0..2 {
        let error = game.advance(&mut workspace, &[]).expect_err("two lanterns come together");
        assert_eq!(
            (error.clone(), error.to_string()),
            (AdvanceError::Exceeded(Fault("too many meetings")), "too many meetings".to_owned())
        );
    }
    assert_eq!(game.turn(), 1);
    // Who gives it up may plan the turn anew.
    game.give_up();
    assert!(!game.is_asking() && !game.is_locked(player(0)));
    lock(&mut game, 0, -1);
    resolved(game.advance(&mut workspace, &[]));
}

#[test]
fn everybody_sees_and_remembers_only_what_is_near() {
    let (mut game, mut workspace) = (game(&[2, 3, 8], 9), Workspace::new());
    (0..3).for_each(|id| lock(&mut game, id, if id == 0 { -1 } else { 1 }));
    let outcome = resolved(game.advance(&mut workspace, &[]));
    let seen: Vec<usize> = outcome.seen.iter().map(|(_, events)| events.len()).collect();
    assert_eq!((outcome.events.len(), seen), (3, vec![2, 2, 1]));
    let remembered = |id: u64, at: usize| game.memory(player(id)).expect("it is dark").contains(Tile::from_index(at));
    assert!(remembered(0, 1) && remembered(0, 3) && !remembered(0, 8) && remembered(2, 8));

    // A match that was written down goes on as the one that was not.
    let memories = game.memories().to_vec();
    let mut restored =
        Game::restore(Arc::clone(game.rules()), *game.seed(), game.state().clone(), game.digest(), memories);
    for game in [&mut game, &mut restored] {
        resolved(game.advance(&mut workspace, &[]));
    }
    assert_eq!((game.digest(), game.memories()), (restored.digest(), restored.memories()));
}
