//! What a turn asks, whom it asks, and what counts: the promises of `question` for any game.

use std::iter;

use parley_core::game::{AdvanceError, Step};
use parley_core::question::{Answer, AnswerFault, Settled, WrongAnswer};
use parley_toy::ruleset::{Body, Game, Question, Workspace};

use super::event;
use super::{game_with, player, resolved};

/// A question to a player about a number, with three things to choose.
fn riddle(id: u64, about: u32) -> Question {
    riddle_of(id, about, &["red", "green", "blue"])
}

fn riddle_of(id: u64, about: u32, options: &[&'static str]) -> Question {
    Question::new(player(id), "riddle", "L2", about, options.to_vec())
}

fn answer(id: u64, question: u32, options: &[u32]) -> Answer {
    Answer { seat: player(id), question, options: options.to_vec() }
}

fn settled(picked: &[u32], defaulted: bool) -> Settled {
    Settled { picked: picked.to_vec(), defaulted }
}

/// A match of three whose turn asks these lists, and has asked the first of them that anybody has to answer.
fn asked(riddles: Vec<Vec<Question>>) -> (Game, Workspace) {
    let (mut game, mut workspace) = (game_with(&[1, 4, 8], 9, riddles), Workspace::new());
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    (game, workspace)
}

/// Player, number and subject of every open question.
fn open(game: &Game) -> Vec<(u8, u32, u32)> {
    game.questions().iter().map(|question| (question.seat.get(), question.id(), question.about)).collect()
}

/// The number of the window among all, and for each player among the own ones.
fn numbers(game: &Game) -> (u32, [Option<u32>; 3]) {
    (game.window(), [0, 1, 2].map(|id| game.window_of(player(id))))
}

#[test]
fn questions_and_windows_are_numbered_for_every_player_apart() {
    let riddles = vec![
        vec![riddle(1, 10), riddle(0, 11), riddle(1, 12)],
        vec![riddle(1, 20)],
        vec![riddle(2, 30), riddle(0, 31), riddle(1, 32)],
    ];
    let (mut game, mut workspace) = asked(riddles.clone());
    assert_eq!(open(&game), [(1, 1, 10), (0, 1, 11), (1, 2, 12)], "in the order in which the stage asked");
    assert_eq!(numbers(&game), (1, [Some(1), Some(1), None]));
    assert_eq!(game.question(player(1), 2), Some(&game.questions()[2]));
    assert_eq!((game.question(player(1), 3), game.question(player(2), 1)), (None, None));

    // A window counts only for those who are asked in it.
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    assert_eq!((open(&game), numbers(&game)), (vec![(1, 3, 20)], (2, [None, Some(2), None])));
    assert_eq!(game.question(player(1), 2), None, "the windows before are closed");
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    assert_eq!(open(&game), [(2, 1, 30), (0, 2, 31), (1, 4, 32)]);
    assert_eq!(numbers(&game), (3, [Some(2), Some(3), Some(1)]));

    // The next turn counts anew, and between turns nothing is asked.
    resolved(game.advance(&mut workspace, &[]));
    assert_eq!((open(&game), numbers(&game)), (vec![], (0, [None; 3])));
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    assert_eq!((open(&game)[0], numbers(&game).0), ((1, 1, 10), 1));
}

#[test]
fn nobody_is_asked_what_is_settled_without_them() {
    let (none, single) = (riddle_of(0, 10, &[]), riddle_of(0, 11, &["red"]));
    let standing = riddle(0, 12).standing(Some(vec![2]));
    let not_standing = riddle(1, 13).standing(None);
    let riddles = vec![
        vec![none.clone(), single.clone(), standing.clone()],
        vec![none, riddle(2, 14), single, standing, not_standing],
    ];
    let (mut game, mut workspace) = asked(riddles);
    assert_eq!(open(&game), [(2, 1, 14), (1, 1, 13)]);
    assert_eq!(numbers(&game), (1, [None, Some(1), Some(1)]), "a list that asks nobody is no window");
    let outcome = resolved(game.advance(&mut workspace, &[answer(1, 1, &[1])]));
    let alone = [settled(&[], false), settled(&[0], false), settled(&[2], false)];
    let [none, single, standing] = alone.clone();
    let both = vec![none, settled(&[0], true), single, standing, settled(&[1], false)];
    let expected = [event(2, Body::Settled(alone.to_vec())), event(2, Body::Settled(both))];
    assert_eq!(outcome.events, expected, "in the order of the stage");
}

#[test]
fn an_answer_counts_in_ascending_order_and_the_default_where_none_came() {
    let several = |id, about| riddle(id, about).several(0, 3, vec![0, 2]);
    let (mut game, mut workspace) = asked(vec![vec![several(0, 10), several(0, 11), several(1, 12), several(1, 13)]]);
    let answers = [answer(1, 2, &[]), answer(0, 2, &[2, 0, 1])];
    let outcome = resolved(game.advance(&mut workspace, &answers));
    let expected =
        vec![settled(&[0, 2], true), settled(&[0, 1, 2], false), settled(&[0, 2], true), settled(&[], false)];
    assert_eq!(outcome.events, [event(2, Body::Settled(expected))]);
}

#[test]
fn everything_that_is_wrong_with_answers_is_said_and_changes_nothing() {
    let two = riddle(0, 10).several(2, 2, vec![0, 1]);
    let (mut game, mut workspace) = asked(vec![vec![two, riddle(0, 11), riddle(1, 12)]]);
    let said = |answers: &[Answer]| {
        let found = game.check(answers).err().unwrap_or_default();
        found
            .into_iter()
            .map(|AnswerFault { seat, question, wrong, .. }| (seat.get(), question, wrong))
            .collect::<Vec<_>>()
    };
    assert_eq!(said(&[answer(0, 1, &[2, 0]), answer(0, 2, &[1]), answer(1, 1, &[2])]), []);
    let bad = [
        answer(0, 3, &[0]),
        answer(2, 1, &[0]),
        answer(0, 0, &[0]),
        answer(0, 1, &[0, 3]),
        answer(0, 1, &[0, 1]),
        answer(1, 1, &[0, 1, 1]),
    ];
    let expected = [
        (0, 3, WrongAnswer::NotAsked),
        (2, 1, WrongAnswer::NotAsked),
        (0, 0, WrongAnswer::NotAsked),
        (0, 1, WrongAnswer::NoSuchOption(3)),
        (0, 1, WrongAnswer::AnsweredTwice),
        (1, 1, WrongAnswer::PickedTwice(1)),
    ];
    assert_eq!(said(&bad), expected);
    for (options, wrong) in [
        (&[0][..], WrongAnswer::TooFew(2)),
        (&[][..], WrongAnswer::TooFew(2)),
        (&[0, 1, 2][..], WrongAnswer::TooMany(2)),
        (&[u32::MAX, 0][..], WrongAnswer::NoSuchOption(u32::MAX)),
    ] {
        assert_eq!(said(&[answer(0, 1, options)]), [(0, 1, wrong)]);
    }
    // A million picks of the same option are one fault, found at once.
    let again: Vec<u32> = iter::repeat_n(1, 1_000_000).collect();
    assert_eq!(said(&[answer(1, 1, &again)]), [(1, 1, WrongAnswer::PickedTwice(1))]);

    let error = game.advance(&mut workspace, &bad[4..]).expect_err("an option is picked twice");
    assert!(matches!(&error, AdvanceError::Answers(faults) if faults.len() == 1), "{error:?}");
    assert_eq!(error.to_string(), "question 1 of player 1 has option 1 picked twice");
    assert_eq!((open(&game).len(), numbers(&game)), (3, (1, [Some(1), Some(1), None])), "everything is still asked");
    resolved(game.advance(&mut workspace, &[]));
}

#[test]
fn an_option_is_picked_by_what_it_is() {
    let (game, _) = asked(vec![vec![riddle(0, 10), riddle(1, 11), riddle(1, 12)]]);
    let last = &game.questions()[2];
    assert_eq!(last.picking(&"blue"), Some(answer(1, 2, &[2])));
    assert_eq!(last.picking(&"yellow"), None);
}
