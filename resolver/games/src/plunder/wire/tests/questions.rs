//! Questions and answers: what a player is asked, what is wrong with answers, and what a replay tells of them.

use parley_core::question::Answer;
use parley_plunder::order::Choice;
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::scenario::Scenario;
use parley_proto::common::v1::subject::Subject as What;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use super::super::{answer, questions, replay_answers};
use super::*;
use crate::hosted::{HostedGame, HostedStep, HostedWorkspace};
use crate::plunder::hosted::prompt;

/// Two encounters that are out of sight of each other: ships of players 0 and 1 in the west, of 1 and 2 in the east, where
/// ship 5 is not asked. In the third tick ship 1 meets ship 6, so that player 0 alone is asked again.
fn asking(fog: &str) -> (Game, Workspace) {
    let ship = |id: u32, owner: u8, q: i32, engagement: &str| json!({"id": id, "owner": owner, "q": q, "r": 0, "hp": 10, "engagement": engagement});
    let step = |unit: u32, path: &[i32]| {
        let path: Vec<[i32; 2]> = path.iter().map(|&q| [q, 0]).collect();
        json!({"unit": unit, "move": path})
    };
    let text = json!({
        "rules": {"fog": fog},
        "seed": "00".repeat(32),
        "turn": 1,
        "map": {"width": 20, "height": 1, "tiles": [".".repeat(20)]},
        "players": [{"id": 0}, {"id": 1}, {"id": 2}],
        "units": [
            ship(1, 0, 0, "ASK"), ship(2, 1, 1, "ASK"), ship(3, 1, 15, "ASK"), ship(4, 2, 16, "ASK"),
            ship(5, 2, 16, "EVADE"), ship(6, 1, 3, "EVADE"),
        ],
        "orders": [step(1, &[1, 2, 3]), step(2, &[0]), step(3, &[16]), step(4, &[15]), step(5, &[15])],
    });
    let scenario = Scenario::parse(&Arc::new(Rules::plunder()), &text.to_string()).expect("a sound scenario");
    let (mut game, mut workspace) = (scenario.game().expect("sheets that fit"), Workspace::new());
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    (game, workspace)
}

fn said(question: u32, options: &[u32]) -> v1::Answer {
    v1::Answer { question, options: options.to_vec() }
}

fn about(unit: u32) -> Option<common::Subject> {
    Some(common::Subject { subject: Some(What::Unit(unit)) })
}

/// Number, group and subject of a question.
type Asked = (u32, u32, Option<common::Subject>);

/// The questions, and the ships of each encounter.
fn told(prompt: &v1::Prompt) -> (Vec<Asked>, Vec<Vec<u32>>) {
    let asked = prompt.questions.iter().map(|asked| (asked.id, asked.group, asked.about));
    let ships = |met: &plunder::Encounter| met.participants.iter().map(|ship| ship.unit).collect();
    let Some(v1::turn_news::Game::Plunder(so_far)) = prompt.so_far.as_ref().and_then(|news| news.game.as_ref()) else {
        panic!("{prompt:?}");
    };
    (asked.collect(), so_far.encounters.iter().map(ships).collect())
}

#[test]
fn a_question_says_everything_that_is_needed_to_answer_it() {
    let (game, _) = asking("off");
    let word = |word: &str| v1::question::Option { choice: Some(v1::question::option::Choice::Word(word.to_owned())) };
    let expected = v1::Question {
        id: 1,
        kind: "encounter".to_owned(),
        rule: "R7.2".to_owned(),
        tick: 1,
        group: 0,
        about: about(1),
        options: vec![word("proceed"), word("attack")],
        min: 1,
        max: 1,
        default: vec![0],
    };
    let asked = prompt(&game, player(0)).expect("the player is asked").questions;
    assert_eq!(asked, [v1::Question { group: 1, ..expected.clone() }]);
    assert_eq!(questions(game.questions(), player(0), &[]), [expected], "without encounters there is no group");
}

#[test]
fn a_group_has_the_number_under_which_the_player_is_told_of_it() {
    let all = |game: &Game| [0, 1, 2].map(|id| told(&prompt(game, player(id)).expect("everybody is asked")));
    let (west, east) = (vec![1, 2], vec![3, 4, 5]);
    let both = vec![west.clone(), east.clone()];
    let middle = (vec![(1, 1, about(2)), (2, 2, about(3))], both.clone());
    let [first, second, third] = all(&asking("off").0);
    assert_eq!(first, (vec![(1, 1, about(1))], both.clone()));
    assert_eq!((&second, third), (&middle, (vec![(1, 2, about(4))], both)));
    let [first, second, third] = all(&asking("on").0);
    assert_eq!(first, (vec![(1, 1, about(1))], vec![west]));
    assert_eq!((second, third), (middle, (vec![(1, 1, about(4))], vec![east])));
}

#[test]
fn a_prompt_counts_the_windows_of_its_player() {
    let (mut game, mut workspace) = asking("off");
    assert_eq!([0, 1, 2].map(|id| prompt(&game, player(id)).map(|prompt| prompt.window)), [Some(1), Some(1), Some(1)]);
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)));
    let again = prompt(&game, player(0)).expect("the player is asked again");
    assert_eq!((again.window, told(&again).0), (2, vec![(2, 3, about(1))]), "groups go on through the turn");
    let options: Vec<_> = again.questions[0].options.iter().filter_map(|option| option.choice.clone()).collect();
    let words = ["yield", "attack"].map(|word| v1::question::option::Choice::Word(word.to_owned()));
    assert_eq!(options, words, "it is an entry now");
    assert!(prompt(&game, player(1)).is_none() && prompt(&game, player(2)).is_none());
}

#[test]
fn everything_that_is_wrong_with_answers_is_named() {
    let (game, _) = asking("on");
    let faults = |seat, answers: &[v1::Answer], given: &[v1::Answer]| {
        let found = game.check_answers(seat, answers, given);
        found.into_iter().map(|fault| (fault.subject, fault.rule, fault.text)).collect::<Vec<_>>()
    };
    let fault = |subject, text: &str| (subject, "R7.2".to_owned(), text.to_owned());
    assert_eq!(faults(1, &[said(2, &[1]), said(1, &[0])], &[]), []);
    assert_eq!(faults(1, &[said(2, &[1])], &[said(1, &[0])]), []);
    assert_eq!(faults(1, &[], &[]), [fault(None, "no answer is given")]);
    let bad = [said(3, &[0]), said(1, &[2]), said(2, &[0]), said(2, &[0]), said(1, &[])];
    assert_eq!(
        faults(1, &bad, &[said(2, &[0])]),
        [
            fault(None, "question 3 is not asked"),
            fault(about(2), "question 1 has no option 2"),
            fault(about(3), "question 2 is answered twice"),
            fault(about(2), "question 1 is answered twice"),
            fault(about(3), "question 2 has been answered before"),
            fault(about(3), "question 2 has been answered before"),
        ]
    );
    assert_eq!(faults(0, &[said(1, &[])], &[]), [fault(about(1), "question 1 wants at least 1 of its options picked")]);
    let many = "question 1 lets at most 1 of its options be picked";
    assert_eq!(faults(0, &[said(1, &[1, 0])], &[]), [fault(about(1), many)]);
    assert_eq!(
        faults(0, &[said(2, &[0])], &[]),
        [fault(None, "question 2 is not asked")],
        "others' are none of its own"
    );
}

#[test]
fn a_replay_tells_what_counted_by_seat_and_question() {
    let (game, _) = asking("off");
    let told = |seat, question, options: &[u32], defaulted| v1::ReplayAnswer {
        seat,
        question,
        options: options.to_vec(),
        defaulted,
    };
    let attack = game.questions()[2].picking(&Choice::Attack).expect("it can be chosen");
    assert_eq!(attack, answer(player(1), &said(2, &[1])));
    assert_eq!(attack, Answer { seat: player(1), question: 2, options: vec![1] });
    let expected = [told(0, 1, &[0], true), told(1, 1, &[0], true), told(1, 2, &[1], false), told(2, 1, &[0], true)];
    assert_eq!(replay_answers(game.questions(), &[attack]), expected);
}

#[test]
fn a_service_waits_for_everybody_who_is_asked() {
    let mut game: Box<dyn HostedGame> = Box::new(asking("on").0);
    let counts = |game: &dyn HostedGame| (game.window(), game.tick(), game.groups(), game.questions());
    assert_eq!(counts(&*game), (1, 1, 2, 4));
    assert!(game.window_of(2).is_some() && game.window_of(3).is_none() && game.window_of(250).is_none());
    assert_eq!([0, 1, 2, 3].map(|seat| game.window_of(seat)), [Some(1), Some(1), Some(1), None]);
    assert!(game.waits_for(1, &[said(1, &[0])]) && !game.waits_for(1, &[said(1, &[0]), said(2, &[1])]));
    assert!(!game.waits_for(3, &[]));
    assert!(game.takes(1, &[said(2, &[1])]) && !game.takes(0, &[said(2, &[1])]) && !game.takes(250, &[]));
    assert!(game.check_answers(1, &[said(2, &[1])], &[]).is_empty());
    assert_eq!([3, 250].map(|seat| game.check_answers(seat, &[said(1, &[1])], &[]).len()), [1, 1]);
    assert_eq!(game.defaults().len(), 4);
    assert!(game.prompt(2).is_some() && game.prompt(3).is_none() && game.prompt(250).is_none());

    let mut workspace = HostedWorkspace::new();
    let nobody = game.advance(&mut workspace, &[(250, said(1, &[0]))]).expect_err("nobody has that seat");
    assert_eq!(nobody, "there is no seat 250");
    let wrong = game.advance(&mut workspace, &[(0, said(1, &[2])), (3, said(1, &[0]))]).expect_err("both are wrong");
    assert_eq!(wrong, "question 1 of player 0 has no option 2; question 1 of player 3 is not asked");
    assert_eq!(counts(&*game).0, 1, "nothing has changed");
    assert!(matches!(game.advance(&mut workspace, &[(1, said(2, &[1]))]), Ok(HostedStep::Asked)));
    assert_eq!((counts(&*game), game.window_of(0), game.window_of(1)), ((2, 3, 1, 1), Some(2), None));
    assert!(matches!(game.advance(&mut workspace, &[]), Ok(HostedStep::Resolved(_))));
    assert_eq!((counts(&*game), game.defaults()), ((0, 0, 0, 0), vec![]));
}
