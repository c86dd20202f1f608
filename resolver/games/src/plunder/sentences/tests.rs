use parley_proto::plunder::v1::event;

use super::*;
use crate::sentences::names;

/// The viewer's seat.
const ME: u32 = 0;
/// The seat of somebody else.
const BEA: u32 = 1;
/// The viewer's ship and shipyard.
const MINE: u32 = 1;
/// The ship and shipyard of somebody else.
const HERS: u32 = 2;
/// A shipyard of nobody.
const NEUTRAL: u32 = 3;

/// A teller who speaks to the player on [`ME`], or to a spectator.
fn teller(viewer: Option<u32>) -> Teller {
    let mut teller = Teller::new(names([(ME, "Ann"), (BEA, "Bea")])).for_viewer(viewer);
    let unit = |id, owner| plunder::Unit { id, owner, ..plunder::Unit::default() };
    let yard = |id, owner| plunder::Structure { id, owner, ..plunder::Structure::default() };
    teller.look(&plunder::View {
        units: vec![unit(MINE, ME), unit(HERS, BEA)],
        structures: vec![yard(MINE, Some(ME)), yard(HERS, Some(BEA)), yard(NEUTRAL, None)],
        ..plunder::View::default()
    });
    teller
}

fn hex(q: i32, r: i32) -> Option<common::Hex> {
    Some(common::Hex { q, r })
}

fn said(viewer: Option<u32>, what: What) -> String {
    teller(viewer).tell(&plunder::Event { what: Some(what), ..Default::default() }).expect("a sentence")
}

fn gold(player: u32, change: i64, reason: plunder::GoldReason) -> What {
    What::Gold(event::Gold { player, change, reason: reason.into(), balance: 70 })
}

fn met(units: &[(u32, u32)]) -> What {
    let parties = units.iter().map(|&(unit, owner)| event::Party { unit, owner }).collect();
    let site = Some(plunder::Site { place: Some(plunder::site::Place::Hex(common::Hex { q: 3, r: 0 })) });
    What::Met(event::Met { kind: plunder::EncounterKind::Entry.into(), site, parties })
}

fn result(winner: Option<u32>, drawn: &[u32]) -> common::MatchResult {
    use common::match_result::{Draw, Result};
    let drawn = || Result::Draw(Draw { players: drawn.to_vec() });
    common::MatchResult { result: Some(winner.map_or_else(drawn, Result::Winner)) }
}

/// Every kind of event, of and against a player, with her ship and her shipyard.
fn events_of(player: u32, own: u32, other: u32) -> Vec<What> {
    let class = || "ship".to_owned();
    let spawned = |structure| event::Spawned { unit: own, structure, owner: player, class: class(), hex: hex(1, 2) };
    let mut events = vec![
        gold(player, 20, plunder::GoldReason::Income),
        gold(player, -50, plunder::GoldReason::Build),
        What::Deployed(event::Deployed { unit: own, structure: 9, owner: player, hex: hex(1, 2) }),
        What::Queued(event::Queued { structure: own, class: class() }),
        What::Cancelled(event::Cancelled { structure: own, class: class() }),
        What::Repaired(event::Repaired { unit: own, hp: 8 }),
        What::Upgraded(event::Upgraded { unit: own, upgrade: plunder::Upgrade::Sails.into() }),
        What::Skipped(event::Skipped::default()),
        What::Withdrew(event::Withdrew { unit: own, hex: hex(1, 2) }),
        What::Moved(event::Moved { unit: own, from: hex(1, 1), to: hex(1, 2) }),
        What::GaveWay(event::GaveWay { unit: own, from: hex(1, 1), to: hex(1, 2), ..event::GaveWay::default() }),
        What::Appeared(event::Appeared { unit: own, owner: player, class: class(), hex: hex(1, 2) }),
        What::Vanished(event::Vanished { unit: own, from: hex(1, 2) }),
        What::SightChanged(event::SightChanged::default()),
        What::StructureSighted(event::StructureSighted { structure: own, owner: Some(player), hex: hex(1, 2) }),
        What::ContestSighted(event::ContestSighted { hex: hex(1, 2), since: 2, contenders: vec![own, other] }),
        What::Waited(event::Waited::default()),
        What::Blocked(event::Blocked::default()),
        met(&[(own, player)]),
        met(&[(own, player), (other, 1 - player)]),
        What::Exchanged(event::Exchanged { attacker: own, defender: other, ..event::Exchanged::default() }),
        What::Exchanged(event::Exchanged { attacker: other, defender: own, ..event::Exchanged::default() }),
        What::Sunk(event::Sunk { unit: own }),
        What::ContestOpened(event::ContestOpened { hex: hex(1, 2), contenders: vec![own, other] }),
        What::Bombarded(event::Bombarded { unit: own, structure: other, damage: 2 }),
        What::Bombarded(event::Bombarded { unit: other, structure: own, damage: 2 }),
        What::Bombarded(event::Bombarded { unit: own, structure: NEUTRAL, damage: 2 }),
        What::Captured(event::Captured { structure: other, from: Some(1 - player), by: player }),
        What::Captured(event::Captured { structure: own, from: Some(player), by: 1 - player }),
        What::Captured(event::Captured { structure: NEUTRAL, from: None, by: player }),
        What::Spawned(spawned(Some(own))),
        What::Spawned(spawned(None)),
        What::SpawnDelayed(event::SpawnDelayed { structure: own }),
        What::Removed(event::Removed { unit: own }),
        What::Defaulted(event::Defaulted { unit: own }),
        What::Eliminated(event::Eliminated { player, conceded: true }),
        What::Eliminated(event::Eliminated { player, conceded: false }),
        What::Neutralised(event::Neutralised { structure: own }),
        What::Ended(result(Some(player), &[])),
        What::Ended(result(None, &[player, 1 - player])),
        What::Ended(result(None, &[1 - player, player])),
    ];
    use plunder::Choice::{Attack, Proceed, Unspecified, Yield};
    for choice in [Proceed, Yield, Attack, Unspecified] {
        let decided = event::Decided { unit: own, choice: choice.into() };
        events.push(What::Decided(decided));
    }
    use plunder::ContestEnd::{Claimed, Emptied, Expired};
    for end in [Claimed, Emptied, Expired] {
        events.push(What::ContestClosed(event::ContestClosed { hex: hex(1, 2), end: end.into() }));
    }
    events
}

/// How many kinds of events there are, and which of them this is. A new kind does not compile until it is here.
const KINDS: usize = 32;

const fn kind(what: &What) -> usize {
    match what {
        What::Gold(_) => 0,
        What::Defaulted(_) => 31,
        What::Deployed(_) => 1,
        What::Queued(_) => 2,
        What::Cancelled(_) => 3,
        What::Repaired(_) => 4,
        What::Upgraded(_) => 5,
        What::Skipped(_) => 6,
        What::Withdrew(_) => 7,
        What::Moved(_) => 8,
        What::GaveWay(_) => 9,
        What::Appeared(_) => 10,
        What::Vanished(_) => 11,
        What::SightChanged(_) => 12,
        What::StructureSighted(_) => 13,
        What::ContestSighted(_) => 14,
        What::Waited(_) => 15,
        What::Blocked(_) => 16,
        What::Met(_) => 17,
        What::Decided(_) => 18,
        What::Exchanged(_) => 19,
        What::Sunk(_) => 20,
        What::ContestOpened(_) => 21,
        What::ContestClosed(_) => 22,
        What::Bombarded(_) => 23,
        What::Captured(_) => 24,
        What::Spawned(_) => 25,
        What::SpawnDelayed(_) => 26,
        What::Removed(_) => 27,
        What::Eliminated(_) => 28,
        What::Neutralised(_) => 29,
        What::Ended(_) => 30,
    }
}

/// Verbs of the second person that end with an s.
const RIGHT: [&str; 3] = ["pass", "miss", "press"];

/// What is wrong with how a sentence speaks to its reader; nothing where it is right.
fn fault(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is = |word: &str, what: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case(what);
    for (place, word) in words.iter().enumerate() {
        let capital = word.starts_with('Y');
        if word.to_lowercase().starts_with("you'") {
            return Some(format!("{word} is no English"));
        }
        if (is(word, "you") || is(word, "your")) && capital != (place == 0) {
            return Some(format!("{word} has the wrong first letter"));
        }
        let next = words.get(place + 1).map_or("", |next| next.trim_end_matches(['.', ',', ';']));
        if *word == "You" && next.ends_with('s') && !RIGHT.contains(&next) {
            return Some(format!("{word} {next} is no English"));
        }
    }
    None
}

#[test]
fn every_event_is_told_to_its_player_in_the_second_person() {
    for sentence in ["You's shipyard 1 sinks.", "You receives 5 gold.", "Bea falls to You.", "By your ship and Your."] {
        assert!(fault(sentence).is_some(), "{sentence}");
    }
    assert_eq!(fault("You pass."), None);
    let mut seen = [false; KINDS];
    let (mine, hers) = (events_of(ME, MINE, HERS), events_of(BEA, HERS, MINE));
    for what in mine.into_iter().chain(hers) {
        seen[kind(&what)] = true;
        let Some(sentence) = teller(Some(ME)).tell(&plunder::Event { what: Some(what.clone()), ..Default::default() })
        else {
            let silent = matches!(what, What::Skipped(_) | What::SightChanged(_) | What::Waited(_) | What::Blocked(_));
            assert!(silent, "{what:?} is not told");
            continue;
        };
        assert_eq!(fault(&sentence), None, "{sentence}");
        assert!(!sentence.contains("Ann"), "the viewer is called by name: {sentence}");
        assert!(sentence.ends_with('.'), "{sentence}");
        // Somebody who only watches is told of both by name.
        let watched = said(None, what);
        assert!(!watched.to_lowercase().contains("you"), "{watched}");
    }
    assert!(seen.iter().all(|seen| *seen), "a kind of event was left out: {seen:?}");
}

#[test]
fn what_happens_often_reads_well() {
    let me = |what| said(Some(ME), what);
    let cases = [
        (me(gold(ME, 20, plunder::GoldReason::Income)), "You receive 20 gold as income and have 70."),
        (me(gold(ME, -50, plunder::GoldReason::Build)), "You pay 50 gold for a build and have 70."),
        (me(gold(BEA, 9, plunder::GoldReason::Salvage)), "Bea receives 9 gold of salvage and has 70."),
        (
            me(What::Queued(event::Queued { structure: MINE, class: "ship".to_owned() })),
            "Your shipyard 1 takes on the build of a ship.",
        ),
        (me(What::Sunk(event::Sunk { unit: MINE })), "Your ship 1 sinks."),
        (me(What::Sunk(event::Sunk { unit: 77 })), "Ship 77 sinks."),
        (me(What::Defaulted(event::Defaulted { unit: MINE })), "Nobody answered for your ship 1 in time."),
        (
            me(What::Exchanged(event::Exchanged {
                attacker: HERS,
                defender: MINE,
                attacker_dice: vec![6, 1],
                defender_dice: vec![5],
                attacker_loses: 0,
                defender_loses: 2,
            })),
            "Bea's ship 2 rolls 6 1 against your ship 1 with 5; they lose 0 and 2 hp.",
        ),
        (
            me(What::Bombarded(event::Bombarded { unit: MINE, structure: NEUTRAL, damage: 2 })),
            "Your ship 1 bombards the neutral shipyard 3 for 2 hp.",
        ),
        (
            me(What::Captured(event::Captured { structure: HERS, from: Some(BEA), by: ME })),
            "Bea's shipyard 2 falls to you.",
        ),
        (
            me(What::Captured(event::Captured { structure: NEUTRAL, from: None, by: ME })),
            "The neutral shipyard 3 falls to you.",
        ),
        (
            me(What::ContestOpened(event::ContestOpened { hex: hex(3, 0), contenders: vec![MINE, HERS] })),
            "(3, 0) is contested now, by your ship 1 and Bea's ship 2.",
        ),
        (me(met(&[(MINE, ME), (HERS, BEA)])), "Entry encounter at (3, 0): your ship 1 and Bea's ship 2 meet."),
        (me(met(&[(MINE, ME)])), "Entry encounter at (3, 0): your ship 1 meets somebody."),
        (me(What::Eliminated(event::Eliminated { player: ME, conceded: false })), "You are eliminated."),
        (me(What::Eliminated(event::Eliminated { player: ME, conceded: true })), "You give up and are out."),
        (me(What::Eliminated(event::Eliminated { player: BEA, conceded: true })), "Bea gives up and is out."),
        (me(What::Ended(result(Some(ME), &[]))), "You win the match."),
        (me(What::Ended(result(Some(BEA), &[]))), "Bea wins the match."),
        (me(What::Ended(result(None, &[ME, BEA]))), "The match ends in a draw of you and Bea."),
        (said(None, What::Ended(result(None, &[ME, BEA]))), "The match ends in a draw of Ann and Bea."),
        (said(None, What::Sunk(event::Sunk { unit: MINE })), "Ann's ship 1 sinks."),
        (teller(Some(ME)).seated(ME, "Ann", true), "You take seat 0."),
        (teller(Some(ME)).seated(ME, "Ann", false), "You leave seat 0."),
        (teller(Some(ME)).seated(BEA, "Bea", true), "Bea takes seat 1."),
        (teller(Some(ME)).seated(BEA, "Bea", false), "Bea leaves seat 1."),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
}

/// Others would not know who is meant.
#[test]
fn somebody_who_is_called_you_is_told_by_the_seat() {
    let mut teller = Teller::new(names([(0, "You"), (1, "you"), (2, "Bea")])).for_viewer(Some(2));
    assert_eq!(teller.player(0), "You (seat 0)");
    assert_eq!(teller.player(1), "you (seat 1)");
    teller.look(&plunder::View {
        units: vec![plunder::Unit { id: 1, owner: 0, ..plunder::Unit::default() }],
        ..plunder::View::default()
    });
    assert_eq!(teller.ship(1), "You (seat 0)'s ship 1");
}
