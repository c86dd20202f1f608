//! What a viewer may not see makes no difference to what that viewer is sent (R14.2).
//!
//! Most tests here play the same match twice, in two worlds that differ only in a secret of somebody else, and compare
//! byte for byte what the others are sent: news, views, answers and refusals alike.

#![allow(unreachable_pub, reason = "the parts of a test are seen by nobody else")]

#[path = "secrecy/delay.rs"]
mod delay;
#[path = "secrecy/logs.rs"]
mod logs;
#[path = "common/naval.rs"]
mod naval;
#[path = "secrecy/orders.rs"]
mod orders;
#[path = "secrecy/pairs.rs"]
mod pairs;
#[path = "secrecy/world.rs"]
mod world;

use std::collections::BTreeSet;

use naval::{Naval, asking, recoded};
use orders::{Sheet, along, build, engaging, go, hold, settings, sheet};
use parley_proto::opaque::v1::play_server::Play;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::Choice::{Attack, Proceed};
use parley_proto::plunder::v1::query::Query;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use parley_proto::v1::LockDisclosure;
use tonic::Request;
use world::{Viewer, World, bearer, in_stopped_time, play, wire};

/// Whose secrets differ, and who looks.
const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;
const OTHERS: [Viewer; 3] = [Viewer::Seat(B), Viewer::Seat(C), Viewer::Spectator];

fn disclosing(disclosure: LockDisclosure, fog: bool) -> v1::MatchSettings {
    v1::MatchSettings { lock_disclosure: disclosure.into(), ..settings(3, fog) }
}

#[test]
fn staged_and_locked_orders_leave_no_trace_before_they_take_effect() {
    for (disclosure, fog) in [
        (LockDisclosure::None, false),
        (LockDisclosure::None, true),
        (LockDisclosure::Count, false),
        (LockDisclosure::Who, false),
        (LockDisclosure::Who, true),
    ] {
        let world = |locked: Sheet, staged: Vec<Sheet>| {
            play(disclosing(disclosure, fog), &OTHERS, async move |world| {
                world.probe("before").await;
                for sheet in staged {
                    world.stage(A, sheet).await;
                }
                world.probe("staged").await;
                world.lock(A, locked).await;
                world.probe("locked").await;
                world.lock(B, Sheet::default()).await;
                world.probe("two locked").await;
            })
        };
        let busy = build(sheet(vec![along(1, 3, 6), engaging(hold(2), plunder::Engagement::Fight)]), 1);
        let one = world(busy.clone(), vec![busy, Sheet { concede: true, ..Sheet::default() }, sheet(vec![hold(3)])]);
        let other = world(Sheet { concede: true, ..Sheet::default() }, Vec::new());
        one.assert_same(&other);
    }
}

#[test]
fn nobody_learns_that_somebody_locked_where_nothing_is_disclosed() {
    let world = |locks: bool| {
        play(disclosing(LockDisclosure::None, false), &OTHERS, async move |world| {
            if locks {
                world.lock(A, sheet(vec![along(1, 3, 6)])).await;
            }
            world.probe("perhaps locked").await;
        })
    };
    world(true).assert_same(&world(false));
}

#[test]
fn a_count_of_locks_does_not_tell_whose_they_are() {
    let world = |first: u32| {
        play(disclosing(LockDisclosure::Count, false), &[Viewer::Seat(B), Viewer::Spectator], async move |world| {
            world.lock(first, Sheet::default()).await;
            world.probe("one locked").await;
        })
    };
    world(A).assert_same(&world(C));
}

#[test]
fn a_disclosed_lock_is_told() {
    let counts = |disclosure| {
        in_stopped_time(async {
            let mut world = World::begin(disclosing(disclosure, false)).await;
            let before = world.streams[&(Viewer::Seat(B), true)].news().len();
            world.lock(A, Sheet::default()).await;
            world.settle().await;
            let news = world.streams[&(Viewer::Seat(B), true)].news().split_off(before);
            let told = news.into_iter().filter_map(|news| match news.what {
                Some(v1::news::What::LocksChanged(locks)) => Some((locks.count, locks.seats)),
                _ => None,
            });
            told.collect::<Vec<_>>()
        })
    };
    assert_eq!(counts(LockDisclosure::None), []);
    assert_eq!(counts(LockDisclosure::Count), [(1, vec![])]);
    assert_eq!(counts(LockDisclosure::Who), [(1, vec![A])]);
}

/// Without fog everything shows but standing orders: engagements, and routes beyond the turn.
#[test]
fn standing_orders_are_never_shown() {
    for fog in [false, true] {
        let world = |engagement, columns: &[i32], broadside| {
            let path: Vec<_> = columns.iter().map(|&column| orders::at(column, 4)).collect();
            play(settings(3, fog), &OTHERS, async move |world| {
                let far = engaging(go(1, &path), engagement);
                let quiet = plunder::UnitOrder { broadside, ..engaging(hold(2), engagement) };
                let rest = [(B, Sheet::default()), (C, Sheet::default())];
                for units in [vec![far, quiet], vec![hold(1)], Vec::new()] {
                    let sheets = [(A, sheet(units))].into_iter().chain(rest.clone()).collect();
                    world.play_turn(sheets, |_| Proceed).await;
                    world.probe("after a turn").await;
                }
            })
        };
        // Three steps are one turn; what comes after them is cancelled in the next.
        let one = world(plunder::Engagement::Ask, &[4, 5, 6], false);
        one.assert_same(&world(plunder::Engagement::Evade, &[4, 5, 6, 5], false));
        one.assert_same(&world(plunder::Engagement::Fight, &[4, 5, 6, 5, 4, 3, 4], false));
        if fog {
            // That a ship finds nothing to fire on is told to its owner.
            one.assert_same(&world(plunder::Engagement::FightIfHealthy, &[4, 5, 6], true));
        }
    }
}

/// A ship that asks its owner and one that answers for itself look the same to the ship that it meets.
#[test]
fn an_engagement_that_leads_to_the_same_is_not_told_from_an_answer() {
    let world = |engagement, choice| {
        play(settings(3, false), &OTHERS, async move |world| {
            let meets = engaging(along(1, 3, 6), engagement);
            let other = engaging(along(7, 8, 5), plunder::Engagement::Evade);
            let sheets = vec![(A, sheet(vec![meets])), (B, Sheet::default()), (C, sheet(vec![other]))];
            world.play_turn(sheets, move |_| choice).await;
            world.probe("after the encounter").await;
        })
    };
    world(plunder::Engagement::Ask, Proceed).assert_same(&world(plunder::Engagement::Evade, Proceed));
    world(plunder::Engagement::Ask, Attack).assert_same(&world(plunder::Engagement::Fight, Attack));
}

/// Seats 0 and 2 meet in tick 3 between columns 5 and 6, and both are asked.
async fn meet(world: &mut World) {
    world.lock(A, sheet(vec![along(1, 3, 6)])).await;
    world.lock(C, sheet(vec![along(7, 8, 5)])).await;
    world.lock(B, Sheet::default()).await;
}

#[test]
fn answers_are_secret_until_the_window_closes() {
    for fog in [false, true] {
        let world = |choice: Option<plunder::Choice>| {
            play(settings(3, fog), &OTHERS, async move |world| {
                meet(world).await;
                world.probe("asked").await;
                assert!(world.view(Viewer::Seat(C)).await.prompt.is_some(), "the other ship is asked");
                if let Some(choice) = choice {
                    assert!(world.answer(A, |_| choice).await);
                }
                world.probe("one has answered").await;
            })
        };
        let silent = world(None);
        silent.assert_same(&world(Some(Attack)));
        silent.assert_same(&world(Some(Proceed)));
    }
}

/// Who else is asked in the same window makes no difference to what somebody is asked.
#[test]
fn those_who_are_asked_do_not_learn_who_else_is() {
    for (fog, engagement, choice) in [
        (false, plunder::Engagement::Evade, Proceed),
        (false, plunder::Engagement::Fight, Attack),
        (true, plunder::Engagement::Evade, Proceed),
    ] {
        let world = |engagement: plunder::Engagement| {
            play(settings(3, fog), &OTHERS, async move |world| {
                world.lock(A, sheet(vec![engaging(along(1, 3, 6), engagement)])).await;
                world.lock(B, Sheet::default()).await;
                world.lock(C, sheet(vec![along(7, 8, 5)])).await;
                assert_eq!(world.answer(A, |_| choice).await, engagement == plunder::Engagement::Ask);
                world.probe("asked").await;
                assert_eq!(world.asked(C).await, (1, vec![1]));
                assert!(world.answer(C, |_| Attack).await);
                world.probe("after the turn").await;
            })
        };
        world(plunder::Engagement::Ask).assert_same(&world(engagement));
    }
}

/// Ships of seats 0 and 2 meet in tick 1, where at most seat 0 is asked, and others of theirs in tick 2, where seat 2 is asked.
/// Windows and questions are counted for each seat alone, so that seat 2 does not learn by them that the turn waited before.
#[test]
fn a_window_before_does_not_show_to_those_who_were_not_asked_in_it() {
    for (fog, engagement, choice) in [
        (false, plunder::Engagement::Evade, Proceed),
        (false, plunder::Engagement::Fight, Attack),
        (true, plunder::Engagement::Evade, Proceed),
        (true, plunder::Engagement::Fight, Attack),
    ] {
        let world = |engagement: plunder::Engagement| {
            play(settings(3, fog), &OTHERS, async move |world| {
                let (lower, last) = (|column| orders::at(column, 5), |_| Proceed);
                let a = sheet(vec![along(1, 3, 5), go(2, &[lower(3), lower(4)])]);
                let c = sheet(vec![along(7, 8, 6), go(8, &[lower(7)])]);
                world.play_turn(vec![(A, a), (B, Sheet::default()), (C, c)], last).await;
                world.probe("side by side").await;

                let asks = engaging(along(1, 5, 6), engagement);
                let a = vec![asks, engaging(go(2, &[lower(5), lower(6)]), plunder::Engagement::Evade)];
                let answers = engaging(along(7, 6, 5), plunder::Engagement::Evade);
                let c = vec![answers, engaging(go(8, &[lower(6), lower(5)]), plunder::Engagement::Ask)];
                world.lock(A, sheet(a)).await;
                world.lock(B, Sheet::default()).await;
                world.lock(C, sheet(c)).await;
                assert_eq!(world.answer(A, |_| choice).await, engagement == plunder::Engagement::Ask);
                world.probe("asked in tick 2").await;
                assert_eq!(world.asked(C).await, (1, vec![1]));
                assert!(world.answer(C, last).await);
                world.probe("after the turn").await;
                assert_eq!(world.turn().await, 3);
            })
        };
        world(plunder::Engagement::Ask).assert_same(&world(engagement));
    }
}

/// A turn that waits for others looks like a turn that others still plan, to the living and to the eliminated.
#[test]
fn a_window_does_not_show_to_those_who_are_not_asked() {
    for fog in [false, true] {
        let world = |meets: bool| {
            let watching = [Viewer::Seat(B), Viewer::Seat(D), Viewer::Spectator];
            play(settings(4, fog), &watching, async move |world| {
                let gives_up = Sheet { concede: true, ..Sheet::default() };
                let nothing = [A, B, C].map(|seat| (seat, Sheet::default()));
                world.play_turn(nothing.into_iter().chain([(D, gives_up)]).collect(), |_| Proceed).await;
                world.lock(A, sheet(vec![along(1, 3, 6)])).await;
                if meets {
                    world.lock(C, sheet(vec![along(7, 8, 5)])).await;
                }
                world.probe("the turn waits, for whatever").await;
                world.lock(B, Sheet::default()).await;
                world.probe("the turn still waits").await;
                assert_eq!(world.view(Viewer::Seat(A)).await.prompt.is_some(), meets);
            })
        };
        world(true).assert_same(&world(false));
    }
}

/// In fog, fights, builds and ways of others out of sight make no difference at all.
#[test]
fn what_happens_out_of_sight_makes_no_difference() {
    let watching = [Viewer::Seat(B), Viewer::Spectator];
    let busy = play(settings(3, true), &watching, async |world| {
        meet(world).await;
        assert!(world.answer(A, |_| Attack).await);
        assert!(world.answer(C, |_| Attack).await);
        world.probe("turn 2").await;
        let chase = plunder::UnitOrder { broadside: true, ..hold(1) };
        let turn = build(sheet(vec![chase, along(2, 3, 5)]), 1);
        far_turn(world, turn, build(sheet(vec![along(8, 8, 6), hold(7)]), 3), 2).await;
        far_turn(world, sheet(vec![along(2, 5, 7)]), sheet(vec![hold(8)]), 3).await;
        far_turn(world, Sheet::default(), Sheet::default(), 4).await;
        far_turn(world, Sheet::default(), Sheet::default(), 5).await;
    });
    let quiet = play(settings(3, true), &watching, async |world| {
        world.lock(A, Sheet::default()).await;
        world.lock(C, Sheet::default()).await;
        world.lock(B, Sheet::default()).await;
        world.probe("turn 2").await;
        let upgrade = orders::order(1, Action::Upgrade(plunder::Upgrade::Sails.into()));
        far_turn(world, sheet(vec![upgrade]), Sheet::default(), 2).await;
        far_turn(world, sheet(vec![go(1, &[orders::at(3, 3)])]), Sheet::default(), 3).await;
        far_turn(world, Sheet::default(), Sheet::default(), 4).await;
        far_turn(world, Sheet::default(), Sheet::default(), 5).await;
    });
    busy.assert_same(&quiet);
}

/// A turn in which seat 1 sails about by itself.
async fn far_turn(world: &mut World, a: Sheet, c: Sheet, turn: i32) {
    let own = sheet(vec![along(4, 23 + turn, 24 + turn), hold(5)]);
    let own = if turn == 2 { sheet(vec![along(4, 25, 26)]) } else { own };
    world.play_turn(vec![(A, a), (C, c), (B, own)], |unit| if unit == 8 { Attack } else { Proceed }).await;
    world.probe(&format!("turn {}", turn + 1)).await;
}

/// Islands and shipyards that nobody has seen are nowhere: not in views, not in refusals, not in courses.
#[test]
fn the_sea_beyond_the_own_sight_makes_no_difference() {
    let world = |island: &[(i32, i32)]| {
        let mut settings = settings(3, true);
        let map = settings.naval().map.as_mut().and_then(|map| map.source.as_mut());
        if let Some(plunder::map_choice::Source::Drawn(drawn)) = map {
            for &(column, row) in island {
                drawn.rows[row as usize].replace_range(column as usize..=column as usize, "#");
            }
        }
        play(settings, &[Viewer::Seat(B), Viewer::Spectator], async |world| {
            world.probe("at the start").await;
            let sheets = vec![(A, Sheet::default()), (B, sheet(vec![along(4, 25, 24)])), (C, Sheet::default())];
            world.play_turn(sheets, |_| Proceed).await;
            world.probe("after a turn").await;
        })
    };
    world(&[]).assert_same(&world(&[(20, 4), (19, 4), (19, 5), (18, 3), (22, 0), (25, 9), (24, 9)]));
}

/// Something hidden is refused in the words that something is refused in that does not exist.
#[test]
fn what_is_hidden_is_refused_like_what_does_not_exist() {
    in_stopped_time(async {
        let mut world = World::begin(settings(3, true)).await;
        let (id, token) = (world.id.clone(), world.tokens[B as usize].clone());
        let mut odds = Vec::new();
        for hidden in [1, 7, 4000] {
            for (first, second) in [(4, hidden), (hidden, 4), (hidden, hidden)] {
                let query = Query::Odds(plunder::OddsQuery { first, second, ..Default::default() });
                odds.push(wire(world.service.advise(bearer(Some(&token), recoded(&asking(&id, query)))).await));
            }
        }
        assert_eq!(odds[..3], odds[3..6], "two hidden ships");
        assert_eq!(odds[..3], odds[6..], "a hidden ship and none");
        assert!(odds.iter().all(|odds| !odds.starts_with(b"ok")));

        let mut texts = Vec::new();
        for (unit, structure) in [(1, 1), (7, 3), (4000, 4000)] {
            let orders = vec![orders::order(4, Action::Bombard(structure)), hold(unit)];
            let faults = world.stage(B, sheet(orders)).await.faults;
            let named = format!("structure {structure}");
            let text = faults.iter().map(|fault| format!("{} {}", fault.rule, fault.text.replace(&named, "structure")));
            texts.push(text.collect::<BTreeSet<_>>());
        }
        assert_eq!(texts[0].len(), 2);
        assert_eq!(texts[0], texts[2], "a hidden ship and shipyard, and none");
        assert_eq!(texts[1], texts[2], "a hidden ship and shipyard, and none");
    });
}

/// Whoever gives a seat back does not see what the next player sees.
#[test]
fn a_seat_that_was_given_back_is_not_followed_any_more() {
    in_stopped_time(async {
        let mut world = World::found(settings(3, true)).await;
        let first = world.join(B, "first").await.expect("a seat").into_inner().player_token;
        let stream = world.watch(Some(first.clone()), 0, true).await.expect("a stream");
        let leave = v1::LeaveMatchRequest { request_id: "leave".to_owned(), match_id: world.id.clone() };
        let left =
            parley_proto::opaque::v1::lobby_server::Lobby::leave_match(&world.service, bearer(Some(&first), leave))
                .await;
        left.expect("left");
        for seat in [A, B, C] {
            world.tokens.push(world.join(seat, "second").await.expect("a seat").into_inner().player_token);
        }
        world.settle().await;
        let opened = |news: &v1::News| matches!(news.what, Some(v1::news::What::TurnOpened(_)));
        assert!(!stream.news().iter().any(opened), "the match opened for whoever is gone");
        assert_eq!(stream.said().last().map(Vec::as_slice), Some(&b"the end"[..]));
        let again = world.follow(Viewer::Seat(B), true).await;
        world.settle().await;
        assert!(again.news().iter().any(opened), "the new player is told");
        let request = v1::GetViewRequest { match_id: world.id.clone() };
        let view = world.service.get_view(bearer(Some(&first), request)).await;
        assert_eq!(view.expect_err("no view").code(), tonic::Code::PermissionDenied);
        let request = v1::GetViewRequest { match_id: world.id.clone() };
        assert!(world.service.get_view(Request::new(request)).await.expect("a view").into_inner().view.is_some());
    });
}
