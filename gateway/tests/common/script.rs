//! Orders and answers as a function of the match's number and what a seat sees, so that a match that is played twice
//! is the same match. Ships seek each other and ask what to do when they meet.

use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::structure_order::Work;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use parley_proto::v1::question::option::Choice;

/// The steps from a hex to those around it.
const AROUND: [(i32, i32); 6] = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];
/// The terrain that no ship enters.
const LAND: &str = "land";
/// How many steps a ship is told to go.
const STEPS: usize = 3;

/// A number that looks random and depends on nothing but these.
pub fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |state, part| {
        let state = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    })
}

/// Whether a seat is still in the game.
pub fn is_alive(view: &plunder::View) -> bool {
    view.players.iter().any(|player| Some(player.id) == view.seat && player.alive)
}

/// The orders of a seat for the turn that it sees.
pub fn sheet(number: u64, view: &plunder::View) -> plunder::Sheet {
    let seat = view.seat.expect("a seat's view");
    let own = view.units.iter().filter(|unit| unit.owner == seat);
    plunder::Sheet {
        units: own.map(|unit| unit_order(number, view, unit)).collect(),
        structures: builds(view, seat),
        concede: false,
    }
}

fn unit_order(number: u64, view: &plunder::View, unit: &plunder::Unit) -> plunder::UnitOrder {
    let path = path(number, view, unit);
    let action = if path.is_empty() { Action::Hold(plunder::Hold {}) } else { Action::Move(plunder::Move { path }) };
    plunder::UnitOrder {
        unit: unit.id,
        action: Some(action),
        broadside: mixed(&[number, view.turn.into(), unit.id.into(), 1]).is_multiple_of(4),
        engagement: plunder::Engagement::Ask.into(),
    }
}

/// A walk that leads to the nearest enemy more often than elsewhere.
fn path(number: u64, view: &plunder::View, unit: &plunder::Unit) -> Vec<common::Hex> {
    let mut here = unit.hex.expect("a place");
    let enemies = view.units.iter().filter(|other| other.owner != unit.owner).filter_map(|other| other.hex);
    let target = enemies.min_by_key(|hex| (distance(*hex, here), hex.q, hex.r));
    let mut path = Vec::new();
    for step in 0..STEPS {
        let roll = mixed(&[number, view.turn.into(), unit.id.into(), 2, step as u64]);
        let around = AROUND.map(|(q, r)| common::Hex { q: here.q + q, r: here.r + r });
        let open: Vec<common::Hex> = around.into_iter().filter(|hex| is_open(view, *hex)).collect();
        let next = match target.filter(|_| !roll.is_multiple_of(4)) {
            Some(target) => open.iter().min_by_key(|hex| distance(**hex, target)),
            None => open.get((roll >> 8) as usize % open.len().max(1)),
        };
        let Some(next) = next else { break };
        here = *next;
        path.push(here);
        if target == Some(here) {
            break;
        }
    }
    path
}

fn distance(a: common::Hex, b: common::Hex) -> i32 {
    let (q, r) = (a.q - b.q, a.r - b.r);
    (q.abs() + r.abs() + (q + r).abs()) / 2
}

fn is_open(view: &plunder::View, hex: common::Hex) -> bool {
    let column = hex.q + hex.r.div_euclid(2);
    if hex.r < 0 || column < 0 || column as u32 >= view.width || hex.r as u32 >= view.height {
        return false;
    }
    let terrain = view.terrain[hex.r as usize * view.width as usize + column as usize];
    view.terrain_keys.get(usize::from(terrain)).is_some_and(|key| key != LAND)
}

/// A ship at the first shipyard that builds nothing, where there is gold and room for it.
fn builds(view: &plunder::View, seat: u32) -> Vec<plunder::StructureOrder> {
    const COST: i64 = 50;
    const FLEET: usize = 6;
    let gold = view.players.iter().find(|player| player.id == seat).and_then(|player| player.gold).unwrap_or(0);
    let ships = view.units.iter().filter(|unit| unit.owner == seat).count();
    let mut idle = view.structures.iter().filter(|yard| yard.owner == Some(seat) && yard.queue.is_empty());
    let yard = idle.next().filter(|_| gold >= COST && ships < FLEET);
    let build = |yard: &plunder::Structure| plunder::StructureOrder {
        structure: yard.id,
        work: Some(Work::Build("ship".into())),
    };
    yard.map(build).into_iter().collect()
}

/// The answers of a seat to what it is asked: it attacks, or does what counts without an answer.
pub fn answers(number: u64, prompt: &v1::Prompt) -> Vec<v1::Answer> {
    let answer = |question: &v1::Question| {
        let unit = unit_of(question).expect("a question about a ship");
        let roll = mixed(&[number, prompt.turn.into(), question.tick.into(), unit.into(), 3]);
        let default = v1::Answer { question: question.id, options: question.default.clone() };
        if roll.is_multiple_of(2) { pick(question, "attack") } else { default }
    };
    prompt.questions.iter().map(answer).collect()
}

/// The ship that a question is about.
pub fn unit_of(question: &v1::Question) -> Option<u32> {
    match question.about.as_ref()?.subject {
        Some(common::subject::Subject::Unit(unit)) => Some(unit),
        _ => None,
    }
}

/// The answer to a question that picks the option with a word.
pub fn pick(question: &v1::Question, word: &str) -> v1::Answer {
    let is_meant = |option: &v1::question::Option| option.choice == Some(Choice::Word(word.to_owned()));
    let place = question.options.iter().position(is_meant).unwrap_or_else(|| panic!("no {word} in {question:?}"));
    v1::Answer { question: question.id, options: vec![place as u32] }
}
