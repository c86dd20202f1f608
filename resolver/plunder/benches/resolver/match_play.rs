//! Recorded small matches for the benchmark of whole turns.

use std::sync::Arc;

use parley_core::digest::Digest;
use parley_core::hex::{Direction, Hex};
use parley_core::ids::PlayerId;
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::scenario::Scenario;
use parley_plunder::state::{Engagement, State};

use crate::fleet::Random;

const MAP: [&str; 14] = [
    "~~~~~~~~~~~~~~~~~~~~",
    "~~..H#~~~~~~~~#H..~~",
    "~~...##~~~~~~##...~~",
    "~~~....~~~~~~....~~~",
    "~~~~~~~~.##.~~~~~~~~",
    "~~~~~~~.####.~~~~~~~",
    "~~~~~~~.H##H.~~~~~~~",
    "~~~~~~~~....~~~~~~~~",
    "~~~~~~~~~~~~~~~~~~~~",
    "~~~....~~~~~~....~~~",
    "~~...##~~~~~~##...~~",
    "~~..H#~~~~~~~~#H..~~",
    "~~~...~~~~~~~~...~~~",
    "~~~~~~~~~~~~~~~~~~~~",
];

/// A match of four players with six ships each: where it starts, and the orders of every turn.
pub(crate) struct SmallMatch {
    rules: Arc<Rules>,
    scenario: Scenario,
    turns: Vec<Vec<OrderSheet>>,
    /// Ships afloat, summed over the turns.
    pub(crate) ships: usize,
}

impl SmallMatch {
    /// Plays a match with random orders and writes them down.
    pub(crate) fn record(turns: usize, seed: u64) -> Self {
        let rules = Arc::new(Rules::plunder());
        let scenario = Scenario::parse(&rules, &opening()).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut recorded = Self { rules, scenario, turns: Vec::new(), ships: 0 };
        let mut random = Random::new(seed);
        let (mut game, mut workspace) = (recorded.begin(), Workspace::new());
        for _ in 0..turns {
            let sheets: Vec<OrderSheet> = (0..4).map(|player| sheet(game.state(), player, &mut random)).collect();
            recorded.ships += game.state().units().len();
            turn(&mut game, &mut workspace, &sheets);
            recorded.turns.push(sheets);
            if game.state().result().is_some() {
                break;
            }
        }
        recorded
    }

    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    /// Plays it again from the start, checking orders and chaining digests, and returns the last one.
    pub(crate) fn replay(&self) -> Digest {
        let (mut game, mut workspace) = (self.begin(), Workspace::new());
        for sheets in &self.turns {
            turn(&mut game, &mut workspace, sheets);
        }
        game.digest()
    }

    /// The match at its start.
    fn begin(&self) -> Game {
        Game::revealed(Arc::clone(&self.rules), self.scenario.state.clone(), self.scenario.seed, Digest::of(&[]))
    }

    /// The state the match starts from.
    pub(crate) fn start(&self) -> &State {
        &self.scenario.state
    }
}

/// Plays a turn in which nobody is asked.
fn turn(game: &mut Game, workspace: &mut Workspace, sheets: &[OrderSheet]) {
    for sheet in sheets {
        game.lock(game.judge(sheet).legal).expect("fits");
    }
    match game.advance(workspace, &[]) {
        Ok(Step::Resolved(outcome)) => workspace.reclaim(*outcome),
        other => panic!("nobody is asked: {other:?}"),
    }
}

fn opening() -> String {
    let corners = [(4, 1), (15, 1), (4, 11), (15, 11)];
    let mut units = Vec::new();
    let mut structures = Vec::new();
    for (player, (column, row)) in corners.into_iter().enumerate() {
        let q = column - row / 2;
        let engagement = ["EVADE", "FIGHT_IF_HEALTHY"];
        for ship in 0..6 {
            let id = 1 + player * 6 + ship;
            let engagement = engagement[ship / 4];
            units.push(format!(
                r#"{{"id":{id},"owner":{player},"q":{q},"r":{row},"hp":10,"engagement":"{engagement}"}}"#
            ));
        }
        structures.push(format!(r#"{{"id":{},"owner":{player},"q":{q},"r":{row},"hp":20}}"#, player + 1));
    }
    let players: Vec<String> = (0..4).map(|id| format!(r#"{{"id":{id}}}"#)).collect();
    format!(
        r#"{{"seed":"{}","turn":1,"map":{{"width":20,"height":14,"tiles":["{}"]}},"players":[{}],"units":[{}],"structures":[{}]}}"#,
        "5a".repeat(32),
        MAP.join("\",\""),
        players.join(","),
        units.join(","),
        structures.join(","),
    )
}

/// A random walk of three steps for most ships, and a build now and then.
fn sheet(state: &State, player: u64, random: &mut Random) -> OrderSheet {
    let player = PlayerId::new(player).expect("a small number");
    let mut sheet = OrderSheet::empty(player);
    let map = state.map();
    for unit in state.units().iter().filter(|u| u.owner == player) {
        let mut here = unit.tile;
        let mut path: Vec<Hex> = Vec::new();
        while path.len() < 3 {
            let next = map.grid().neighbor(here, Direction::from_index(random.below(6) as usize));
            if let Some(next) = next.filter(|&t| map.navigable(t, parley_plunder::rules::Domain::Naval)) {
                path.push(map.grid().hex(next));
                here = next;
            }
        }
        let engagement = (unit.engagement == Engagement::Ask).then_some(Engagement::Evade);
        let (action, broadside) = (Some(Action::Move(path)), random.below(8) == 0);
        sheet.units.push(UnitOrder { unit: unit.id, action, broadside, engagement });
    }
    for structure in state.structures().iter().filter(|s| s.owner == Some(player) && s.queue.is_empty()) {
        if state.fleet_size(player) < 6 {
            let class = Rules::plunder().class_ids().next().expect("a class");
            sheet.structures.push(StructureOrder { structure: structure.id, work: Work::Build(class) });
        }
    }
    sheet
}
