//! Spectators who are some turns behind.

use parley_bots::arms::Arms;
use parley_proto::opaque::v1::play_server::Play;
use parley_proto::plunder::v1::Choice::{Attack, Proceed};
use parley_proto::v1::news::What;
use parley_proto::v1::{self, LockDisclosure};

use crate::orders::{Sheet, along, build, hold, settings, sheet};
use crate::world::{Viewer, World, bearer, in_stopped_time, play};
use crate::{A, B, C};

/// No fog, so that spectators see everything that they see at all.
fn delayed(turns: u32) -> v1::MatchSettings {
    let lock_disclosure = LockDisclosure::Who.into();
    v1::MatchSettings { spectator_delay_turns: turns, lock_disclosure, ..settings(3, false) }
}

/// The sheets of a turn in which something happens.
fn sheets(turn: u32) -> Vec<(u32, Sheet)> {
    let (a, c) = match turn {
        1 => (sheet(vec![along(1, 3, 6)]), sheet(vec![along(7, 8, 5)])),
        2 => (build(sheet(vec![along(2, 3, 4)]), 1), sheet(vec![hold(7)])),
        3 => (sheet(vec![along(2, 4, 5)]), sheet(vec![along(8, 8, 7)])),
        _ => (Sheet::default(), Sheet::default()),
    };
    vec![(A, a), (C, c), (B, sheet(vec![hold(4)]))]
}

fn spectators(world: &World) -> Vec<v1::News> {
    world.streams[&(Viewer::Spectator, true)].news()
}

/// How many news there are up to the opening of a turn, that one included.
fn up_to(news: &[v1::News], turn: u32) -> usize {
    let opens = |news: &v1::News| match &news.what {
        Some(What::TurnOpened(opened)) => opened.turn == turn,
        Some(What::Outcome(outcome)) => outcome.next.as_ref().is_some_and(|opened| opened.turn == turn),
        _ => false,
    };
    1 + news.iter().position(opens).expect("the turn was opened")
}

#[test]
fn delayed_spectators_get_the_same_stream_later() {
    let all = in_stopped_time(async {
        let mut world = World::begin(delayed(0)).await;
        for turn in 1..=5 {
            world.play_turn(sheets(turn), |_| Attack).await;
        }
        spectators(&world)
    });
    assert!(all.iter().filter(|news| matches!(news.what, Some(What::LocksChanged(_)))).count() == 15);
    for delay in [1, 2, 4] {
        in_stopped_time(async {
            let mut world = World::begin(delayed(delay)).await;
            for turn in 1..=5 {
                world.play_turn(sheets(turn), |_| Attack).await;
                let seen = (turn + 1).saturating_sub(delay).max(1);
                let expected = &all[..up_to(&all, seen)];
                assert_eq!(spectators(&world), expected, "{delay} turns behind after turn {turn}");
                let view = world.view(Viewer::Spectator).await;
                assert_eq!(view.cursor, expected.len() as u64);
                let opened = match &expected[expected.len() - 1].what {
                    Some(What::TurnOpened(opened)) => opened,
                    Some(What::Outcome(outcome)) => outcome.next.as_ref().expect("it goes on"),
                    other => panic!("the last news opens a turn, and is not {other:?}"),
                };
                assert_eq!(view.view, opened.view, "{delay} turns behind after turn {turn}");
                let player = world.view(Viewer::Seat(A)).await;
                assert_eq!(
                    player.view.and_then(Arms::into_plunder).expect("a view").turn,
                    turn + 1,
                    "players are not behind"
                );
            }
            let stop = v1::StopMatchRequest {
                request_id: "stop".to_owned(),
                match_id: world.id.clone(),
                reason: "enough".to_owned(),
            };
            let stopped = parley_proto::opaque::v1::admin_server::Admin::stop_match(
                &world.service,
                bearer(Some(&world.host), stop),
            )
            .await;
            stopped.expect("the host stops it");
            world.settle().await;
            let told = spectators(&world);
            assert_eq!(told[..all.len()], all[..], "everything is told at the end");
            assert!(matches!(told[all.len()].what, Some(What::MatchStopped(_))));
            assert_eq!(told.len(), all.len() + 1);
        });
    }
}

/// What happens in the last turns makes no difference to spectators who are that far behind.
#[test]
fn nothing_of_the_last_turns_reaches_delayed_spectators() {
    let world = |busy: bool, end: u32| {
        play(delayed(2), &[Viewer::Spectator], async move |world| {
            for turn in 1..=2 {
                world.play_turn(sheets(turn), |_| Proceed).await;
                world.probe(&format!("after turn {turn}")).await;
            }
            for turn in 3..=end {
                let mut sheets = if busy { sheets(turn) } else { sheets(9) };
                if busy {
                    sheets.swap(0, 2);
                }
                let (seat, first) = sheets.remove(0);
                if busy {
                    world.lock(seat, first).await;
                    world.probe("one may have locked").await;
                } else {
                    world.probe("one may have locked").await;
                    world.lock(seat, first).await;
                }
                world.play_turn(sheets, |_| Attack).await;
                world.probe(&format!("after turn {turn}")).await;
            }
        })
    };
    world(true, 4).assert_same(&world(false, 4));
    assert_ne!(world(true, 5), world(false, 5), "the third turn is told after the fifth");
}

/// From the first turn on, so that a view does not change its form when the first player locks in.
#[test]
fn a_first_lock_does_not_show_to_delayed_spectators() {
    let world = |locks: bool| {
        let settings = v1::MatchSettings { planning_ms: Some(3_600_000), ..delayed(1) };
        play(settings, &[Viewer::Spectator], async move |world| {
            if locks {
                world.lock(A, Sheet::default()).await;
            }
            world.probe("one may have locked").await;
        })
    };
    world(true).assert_same(&world(false));
}

#[test]
fn a_stream_of_a_match_that_is_over_ends() {
    in_stopped_time(async {
        let mut world = World::begin(settings(3, false)).await;
        let gives_up = || Sheet { concede: true, ..Sheet::default() };
        world.play_turn(vec![(A, gives_up()), (B, gives_up()), (C, Sheet::default())], |_| Proceed).await;
        assert!(world.is_over().await);
        let cursor = world.view(Viewer::Spectator).await.cursor;
        let stream = world.watch(None, cursor, false).await.expect("a stream");
        world.settle().await;
        assert_eq!(stream.said(), [b"the end"], "nothing more is told, and nobody waits for it");
        let request =
            v1::WatchRequest { match_id: world.id.clone(), after: cursor + 1, views: false, ..Default::default() };
        assert!(world.service.watch(bearer(None, request)).await.is_err());
    });
}
