//! A match in memory for tests: what a server would say, computed by the resolver.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use parley_core::dice::Seed;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::question::Answer;
use parley_core::sight::Memory;
use parley_games::plunder::hosted::prompt;
use parley_games::plunder::wire;
use parley_plunder::map::{Map, MapText};
use parley_plunder::options::{structure_options, unit_options};
use parley_plunder::order::OrderSheet;
use parley_plunder::preview::{Chart, Survey, course};
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::start::opening;
use parley_plunder::view::{Viewer, Witness, sight_of, snapshot};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use serde_json::json;
use tonic::Status;

use super::model::{Ask, CallResult, Model, Setting};
use crate::arms::Arms;
use crate::session::{Item, Link};

/// A match of two that is played by a test.
pub(super) struct Sketch {
    game: Game,
    memory: Memory,
    cursor: u64,
    /// What seat 0 has staged or locked, as the server saw it.
    pub(super) staged: Option<plunder::Sheet>,
    pub(super) locked: Option<plunder::Sheet>,
    pub(super) answered: Vec<v1::Answer>,
    pub(super) conceded: bool,
    /// The orders of the other player.
    pub(super) theirs: plunder::Sheet,
}

impl Sketch {
    /// Two players with a ship each, six tiles apart: ship 1 of seat 0 at (0, 0), ship 2 of seat 1 at (6, 0). Land is
    /// at (3, 1).
    pub(super) fn duel(fog: &str) -> Self {
        Self::new(&["H.....H", "...#...", "......."], &[(0, 0), (6, 0)], fog, 1)
    }

    pub(super) fn new(rows: &[&str], starts: &[(i32, i32)], fog: &str, ships: u32) -> Self {
        let rules = Rules::plunder().with_overrides(&json!({"fog": fog, "economy": {"start_ships": ships}}));
        let rules = Arc::new(rules.expect("rules"));
        let tiles: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        let (width, height) = (tiles[0].len() as u64, tiles.len() as u64);
        let map = Map::compile(&MapText { width, height, wrap: false, tiles }, &rules).expect("a map");
        let starts: Vec<_> =
            starts.iter().map(|&(q, r)| map.grid().tile(Hex::new(q, r)).expect("on the map")).collect();
        let state = opening(&rules, Arc::new(map), &starts).expect("a state");
        let memory = Memory::new(state.map().grid());
        Self {
            game: Game::new(rules, state, Seed::from_bytes([3; 32])),
            memory,
            cursor: 0,
            staged: None,
            locked: None,
            answered: Vec::new(),
            conceded: false,
            theirs: plunder::Sheet::default(),
        }
    }

    /// A screen for seat 0, or for a spectator, with the first turn on it.
    pub(super) fn model(&mut self, seat: Option<u32>) -> Model {
        let mut model = Model::new(Setting {
            match_id: "01890000-0000-7000-8000-000000000001".to_owned(),
            address: "http://localhost:7400".to_owned(),
            rules: Arc::clone(self.game.rules()),
            seats: vec!["Ann".to_owned(), "Bea".to_owned()],
            seat,
            pace_ms: 0,
        });
        model.on_link(Link::Up);
        let opened = self.opened(seat);
        model.on_item(self.news(v1::news::What::TurnOpened(opened)));
        self.serve(&mut model);
        model
    }

    pub(super) fn news(&mut self, what: v1::news::What) -> Item {
        self.cursor += 1;
        Item::News(Box::new(v1::News { cursor: self.cursor, what: Some(what) }))
    }

    fn viewer(seat: Option<u32>) -> Viewer {
        seat.map_or(Viewer::Spectator, |seat| Viewer::Seat(PlayerId::new(seat.into()).expect("a player")))
    }

    pub(super) fn view(&mut self, seat: Option<u32>) -> plunder::View {
        let viewer = Self::viewer(seat);
        let (rules, state) = (self.game.rules(), self.game.state());
        self.memory.learn(&sight_of(rules, state, viewer));
        wire::view(rules, &snapshot(rules, state, viewer, &self.memory))
    }

    fn opened(&mut self, seat: Option<u32>) -> v1::TurnOpened {
        v1::TurnOpened { turn: self.game.turn(), deadline_ms: 0, view: Some(v1::View::of_plunder(self.view(seat))) }
    }

    /// Answers everything that the model of seat 0 asks.
    pub(super) fn serve(&mut self, model: &mut Model) {
        while let Some(ask) = model.next_ask() {
            let answer = self.answer(ask);
            model.on_answer(answer);
        }
    }

    fn answer(&mut self, ask: Ask) -> CallResult {
        let player = PlayerId::new(0).expect("a player");
        let (rules, state) = (self.game.rules(), self.game.state());
        match ask {
            Ask::Options => {
                let chart = Chart::new(rules, state, player);
                let (grid, mut survey) = (state.map().grid(), Survey::default());
                let units = state.units().iter().filter_map(|u| unit_options(&chart, &mut survey, u.id));
                let units = units.map(|options| wire::unit_options(grid, &options)).collect();
                let yards = state.structures().iter().filter_map(|s| structure_options(&chart, s.id));
                let structures = yards.map(|options| wire::structure_options(rules, &options)).collect();
                let turn = state.turn();
                CallResult::Options(Ok(plunder::Options { turn, units, structures, ..Default::default() }))
            }
            Ask::Course { unit, target } => {
                let chart = Chart::new(rules, state, player);
                let id = UnitId::new(unit.into()).expect("an id");
                let found = course(&chart, &mut Survey::default(), id, Hex::new(target.q, target.r));
                let grid = state.map().grid();
                let found = found.map(|found| wire::course(grid, &found));
                let course = found.map_err(|error| Status::invalid_argument(error.to_string()).into());
                CallResult::Course { unit, target, course }
            }
            Ask::Stage { turn, sheet } => {
                let (said, mut faults) = wire::sheet(rules, player, &sheet);
                faults.extend(self.game.judge(&said).faults);
                self.staged = Some(sheet);
                let faults = faults.iter().map(wire::fault).collect();
                CallResult::Staged { turn, staged: Ok(v1::StageOrdersResponse { standing: 0, faults }) }
            }
            Ask::Lock { turn, sheet } => {
                self.locked = Some(sheet);
                CallResult::Locked { turn, locked: Ok(()) }
            }
            Ask::Answer { answer, .. } => {
                self.answered.push(answer);
                CallResult::Answered(Ok(()))
            }
            Ask::Concede => {
                self.conceded = true;
                CallResult::Conceded(Ok(()))
            }
        }
    }

    fn said(&self, seat: u64, sheet: &plunder::Sheet) -> OrderSheet {
        let (said, faults) = wire::sheet(self.game.rules(), PlayerId::new(seat).expect("a player"), sheet);
        assert_eq!(faults, []);
        said
    }

    /// Plays the turn with what is locked and answered, and tells seat 0, or a spectator, what came of it: a prompt where
    /// an answer is missing, or else the outcome. Only the first window is known to tests.
    pub(super) fn play(&mut self, seat: Option<u32>) -> Item {
        let ours = self.locked.clone().unwrap_or_default();
        let sheets = [self.said(0, &ours), self.said(1, &self.theirs)];
        let (mut game, mut workspace) = (self.game.clone(), Workspace::new());
        for sheet in sheets {
            game.lock(game.judge(&sheet).legal).expect("legal");
        }
        let (state, rules) = (self.game.state().clone(), Arc::clone(self.game.rules()));
        let viewer = Self::viewer(seat);
        let grid = *state.map().grid();
        let mut witness = Witness::new(&rules, &state, viewer);
        let mut step = game.advance(&mut workspace, &[]).expect("no answers");
        if matches!(step, Step::Asked) {
            let ann = PlayerId::new(0).expect("a player");
            if self.answered.is_empty() {
                let prompt = prompt(&game, ann).expect("a prompt");
                return self.news(v1::news::What::Prompt(v1::Prompt { deadline_ms: 60_000, ..prompt }));
            }
            let answers: Vec<Answer> = self.answered.drain(..).map(|said| wire::answer(ann, &said)).collect();
            step = game.advance(&mut workspace, &answers).expect("answers");
        }
        let Step::Resolved(outcome) = step else { panic!("a second window") };
        let seen = witness.follow(&outcome.events, &mut self.memory);
        let shortfalls = witness.shortfalls(&outcome.shortfalls);
        self.game = game;
        self.locked = None;
        let over = self.game.state().result().cloned();
        let ended = over.map(|result| v1::MatchEnded {
            result: Some(wire::result(&result)),
            digest: self.game.digest().as_bytes().to_vec().into(),
            ..v1::MatchEnded::default()
        });
        let news = plunder::TurnNews {
            events: seen.events.iter().map(|event| wire::event(&rules, &grid, event)).collect(),
            shortfalls: shortfalls.iter().map(|shortfall| wire::shortfall(&grid, shortfall)).collect(),
            ..plunder::TurnNews::default()
        };
        let told = v1::Outcome {
            turn: state.turn(),
            own: Some(v1::TurnNews::of_plunder(news)),
            next: if ended.is_none() { Some(self.opened(seat)) } else { None },
            ended,
            ..v1::Outcome::default()
        };
        self.news(v1::news::What::Outcome(told))
    }

    /// The other ship sails along hexes and attacks or evades whom it meets.
    pub(super) fn bea_sails(&mut self, path: &[(i32, i32)], engagement: plunder::Engagement) {
        let path = path.iter().map(|&(q, r)| common::Hex { q, r }).collect();
        let action = Some(plunder::unit_order::Action::Move(plunder::Move { path }));
        let order =
            plunder::UnitOrder { unit: 2, action, engagement: engagement.into(), ..plunder::UnitOrder::default() };
        self.theirs = plunder::Sheet { units: vec![order], ..plunder::Sheet::default() };
    }
}

/// A key by its name: a letter, or `Enter`, `Tab`, `Left` and so on, `^r` for Ctrl-R.
pub(super) fn key(name: &str) -> KeyEvent {
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Tab" => KeyCode::Tab,
        "Esc" => KeyCode::Esc,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Space" => KeyCode::Char(' '),
        "PgUp" => KeyCode::PageUp,
        _ if name.len() == 2 && name.starts_with('^') => {
            let letter = name.chars().nth(1).expect("a letter");
            return KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        }
        _ => KeyCode::Char(name.chars().next().expect("a key")),
    };
    KeyEvent::from(code)
}

/// Presses keys, and lets the server answer after each.
pub(super) fn press(sketch: &mut Sketch, model: &mut Model, keys: &str) {
    for name in keys.split_whitespace() {
        model.on_key(key(name));
        sketch.serve(model);
    }
}
