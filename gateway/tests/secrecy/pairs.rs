//! Random matches in fog, two worlds each: where the resolver says that a viewer saw the same, the viewer was sent the
//! same.

use std::sync::Arc;

use crate::naval::Naval;
use parley_core::dice::Seed;
use parley_core::hex::Direction;
use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_core::sight::Memory;
use parley_games::plunder::game::event::Subject;
use parley_games::plunder::game::mapgen::{self, MapRequest, SizePreset};
use parley_games::plunder::game::order::Choice;
use parley_games::plunder::game::rules::Rules;
use parley_games::plunder::game::ruleset::{Game, Question, Step, Workspace};
use parley_games::plunder::game::start;
use parley_games::plunder::game::state::{State, Unit};
use parley_games::plunder::game::view::{self, Viewer as Eye, Witness};
use parley_games::plunder::wire;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;

use crate::orders::{Sheet, build, engaging, go, hold, sheet};
use crate::world::{SECRET, Transcript, Viewer, play};
use crate::{A, B, C};

const PAIRS: u64 = 120;
const TURNS: u32 = 6;
const SIZE: SizePreset = SizePreset::Large;

/// A small generator of numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % sides
    }
}

/// A world as the resolver alone plays it.
struct Plain(Game);

impl Plain {
    fn new(map_seed: u64) -> Self {
        let rules = Rules::plunder().with_overrides(&serde_json::json!({ "fog": "on" })).expect("rules");
        let request =
            MapRequest { seed: map_seed, width: SIZE.width(), height: SIZE.height(), wrap: false, players: 3 };
        let made = mapgen::generate(&rules, &request).expect("a map");
        let state = start::opening(&rules, Arc::new(made.map), &made.starts).expect("an opening");
        let added: Vec<[u8; 32]> = (0..3).map(|seat| [seat; 32]).collect();
        Self(Game::new(Arc::new(rules), state, Seed::derive(&SECRET, &added)))
    }

    fn rules(&self) -> &Rules {
        self.0.rules()
    }

    fn state(&self) -> &State {
        self.0.state()
    }

    fn memory(&self, seat: u32) -> &Memory {
        self.0.memory(player(seat)).expect("there is fog")
    }

    fn lives(&self, seat: u32) -> bool {
        self.state().result().is_none() && self.state().player(player(seat)).is_some_and(|player| player.alive)
    }

    /// Any orders of a seat that it may give.
    fn orders(&self, seat: u32, dice: &mut Dice) -> Sheet {
        let own = self.state().units().iter().filter(|unit| unit.owner == player(seat));
        let units = own.map(|unit| self.order(seat, unit, dice)).collect();
        let yard = self.state().structures().iter().find(|structure| structure.owner == Some(player(seat)));
        // Ids come from one series for all (R1), so seat 1, which is compared, builds nothing.
        match yard.filter(|yard| seat != B && yard.queue.len() < 3 && dice.roll(3) == 0) {
            Some(yard) => build(sheet(units), yard.id.get()),
            None => sheet(units),
        }
    }

    fn order(&self, seat: u32, unit: &Unit, dice: &mut Dice) -> plunder::UnitOrder {
        let map = self.state().map();
        let domain = self.rules().class(unit.class).domain;
        let mut path = Vec::new();
        let mut here = unit.tile;
        let way = dice.roll(6) as usize;
        for _ in 0..dice.roll(6) {
            let turn = if dice.roll(3) == 0 { dice.roll(6) as usize } else { way };
            let next = map.grid().neighbor(here, Direction::from_index(turn % 6));
            let open = |tile: &_| map.navigable(*tile, domain) && self.memory(seat).contains(*tile);
            let Some(next) = next.filter(open) else { break };
            let hex = map.grid().hex(next);
            path.push(common::Hex { q: hex.q, r: hex.r });
            here = next;
        }
        let order = if path.is_empty() { hold(unit.id.get()) } else { go(unit.id.get(), &path) };
        let order = plunder::UnitOrder { broadside: dice.roll(4) == 0, ..order };
        engaging(order, plunder::Engagement::try_from(dice.roll(5) as i32).expect("one of them"))
    }

    /// Plays a turn and tells what seat 1 and spectators could know of it.
    fn step(&mut self, sheets: &[(u32, Sheet)], choose: impl Fn(u32) -> plunder::Choice) -> String {
        for (seat, said) in sheets {
            let (orders, faults) = wire::sheet(self.rules(), player(*seat), said);
            assert_eq!(faults, []);
            self.0.lock(self.0.judge(&orders).whole().expect("legal orders")).expect("a turn");
        }
        let mut seen = String::new();
        let mut answers = Vec::new();
        let mut workspace = Workspace::new();
        let outcome = loop {
            match self.0.advance(&mut workspace, &answers).expect("good answers") {
                Step::Resolved(outcome) => break outcome,
                Step::Asked => {
                    seen.push_str(&self.shown());
                    answers = self.0.questions().iter().map(|question| answer(question, &choose)).collect();
                }
            }
        };
        let (_, own) = outcome.seen.iter().find(|(seat, _)| *seat == player(B)).expect("everybody sees something");
        seen.push_str(&format!("{own:?}"));
        let mut nothing = Memory::new(self.state().map().grid());
        let mut spectator = Witness::new(self.rules(), &outcome.before, Eye::Spectator);
        let told = spectator.follow(&outcome.events, &mut nothing);
        seen.push_str(&format!("{told:?} {:?}", spectator.finish(self.state())));
        for (eye, memory) in [(eye(B), self.memory(B)), (Eye::Spectator, &nothing)] {
            seen.push_str(&format!("{:?}", view::snapshot(self.rules(), self.state(), eye, memory)));
        }
        seen
    }

    /// What seat 1 is asked.
    fn shown(&self) -> String {
        let mut witness = Witness::new(self.rules(), self.state(), eye(B));
        let events = witness.follow(self.0.so_far(), &mut Memory::new(self.state().map().grid()));
        let encounters = witness.encounters(&self.0.open_turn().expect("a turn that waits").encounters());
        if encounters.is_empty() { String::new() } else { format!("{encounters:?} {events:?}") }
    }
}

fn player(seat: u32) -> PlayerId {
    PlayerId::new(seat.into()).expect("a seat")
}

fn eye(seat: u32) -> Eye {
    Eye::Seat(player(seat))
}

/// The answer that attacks where that is chosen for the ship, and otherwise the default, which is peaceful.
fn answer(question: &Question, choose: impl Fn(u32) -> plunder::Choice) -> Answer {
    let Subject::Unit(unit) = question.about else { panic!("a question about no ship") };
    let attack = question.options.iter().position(|choice| *choice == Choice::Attack).expect("ships can attack");
    let is_attack = choose(unit.get()) == plunder::Choice::Attack;
    let options = if is_attack { vec![attack as u32] } else { question.default.clone() };
    Answer { seat: question.seat, question: question.id(), options }
}

/// Ships of seat 1, which builds none, choose the same in both worlds.
fn choice(pair: u64, world: u64, unit: u32) -> plunder::Choice {
    let own = (4..=6).contains(&unit);
    let mut dice = Dice(pair << 20 | u64::from(unit) << 4 | if own { 2 } else { world });
    if dice.roll(2) == 0 { plunder::Choice::Attack } else { plunder::Choice::Proceed }
}

type Turns = Vec<Vec<(u32, Sheet)>>;

/// The turns of two worlds that look the same to seat 1 and to spectators, and whether they are the same.
fn two_worlds(pair: u64) -> ([Turns; 2], bool) {
    let mut worlds = [Plain::new(pair), Plain::new(pair)];
    let mut dice = [Dice(pair), Dice(pair ^ 0xffff_0000_0000), Dice(pair ^ 0xff00_ff00)];
    let mut turns: [Turns; 2] = Default::default();
    let mut same = true;
    for _ in 0..TURNS {
        let own = worlds[0].lives(B).then(|| (B, worlds[0].orders(B, &mut dice[2])));
        let sheets = [0, 1].map(|world| {
            let others = [A, C].into_iter().filter(|&seat| worlds[world].lives(seat));
            let others: Vec<_> = others.map(|seat| (seat, worlds[world].orders(seat, &mut dice[world]))).collect();
            others.into_iter().chain(own.clone()).collect::<Vec<_>>()
        });
        let seen = [0, 1].map(|world| worlds[world].step(&sheets[world], |unit| choice(pair, world as u64, unit)));
        if seen[0] != seen[1] || worlds[0].state().result().is_some() {
            break;
        }
        same = worlds[0].0.digest() == worlds[1].0.digest();
        let [one, other] = sheets;
        turns[0].push(one);
        turns[1].push(other);
    }
    (turns, same)
}

fn sent(pair: u64, world: u64, turns: Turns) -> Transcript {
    let generated =
        plunder::GeneratedMap { seed: Some(pair), size: SIZE.key().to_owned(), ..plunder::GeneratedMap::default() };
    let settings = crate::settings(3, true).with_map(Source::Generated(generated));
    play(settings, &[Viewer::Seat(B), Viewer::Spectator], async move |played| {
        for sheets in turns {
            played.play_turn(sheets, |unit| choice(pair, world, unit)).await;
            played.probe("after a turn").await;
        }
    })
}

#[test]
fn worlds_that_look_the_same_are_sent_the_same() {
    let (mut compared, mut different) = (0, 0);
    for pair in 0..PAIRS {
        let ([one, other], same) = two_worlds(pair);
        if one.is_empty() || same {
            continue;
        }
        compared += one.len();
        different += 1;
        sent(pair, 0, one).assert_same(&sent(pair, 1, other));
    }
    assert!(different > PAIRS / 2, "only {different} pairs of worlds differ");
    assert!(compared > PAIRS as usize, "only {compared} turns were compared");
}
