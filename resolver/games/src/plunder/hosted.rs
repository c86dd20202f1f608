//! The naval game as services host it: encoded messages go in and come out, and what they mean stays inside.

use std::sync::Arc;

use bytes::Bytes;
use parley_core::game::{Outcome, Ruleset};
use parley_core::ids::{ID_BOUND, PlayerId};
use parley_core::sight::Memory;
use parley_plunder::event::{Event, Subject};
use parley_plunder::legality::Fault;
use parley_plunder::order::OrderSheet;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Plunder};
use parley_plunder::state::{MAX_PLAYERS, State};
use parley_plunder::view::{self, Passage, SeenTurn, Viewer, Witness};
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;

use super::advice::{self, SaidQuery};
use super::setup::Setup;
use super::tools::NavalTools;
use super::{tally, wire};
use crate::hosted::{
    AdviceError, GameTools, HostedRuleset, Labels, SaidSheet, SetupFault, ToldTurn, TurnCounts, Viewer as AnyViewer,
};

/// Orders as a player said them, under the arm of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct Said(v1::sheet::Game);

impl Said {
    const fn of(sheet: plunder::Sheet) -> Self {
        Self(v1::sheet::Game::Plunder(sheet))
    }

    const fn orders(&self) -> &plunder::Sheet {
        let v1::sheet::Game::Plunder(sheet) = &self.0;
        sheet
    }

    const fn orders_mut(&mut self) -> &mut plunder::Sheet {
        let v1::sheet::Game::Plunder(sheet) = &mut self.0;
        sheet
    }
}

impl SaidSheet for Said {
    fn orders(&self) -> usize {
        self.orders().units.len() + self.orders().structures.len()
    }

    fn concedes(&self) -> bool {
        self.orders().concede
    }

    fn concede(&mut self) {
        self.orders_mut().concede = true;
    }

    fn drop_faulty(&mut self, faults: &[common::Fault]) {
        use common::subject::Subject as What;
        let is_faulty = |what: What| {
            let of = |fault: &common::Fault| fault.subject.and_then(|subject| subject.subject) == Some(what);
            faults.iter().any(of)
        };
        let exists = |id: u32| id < ID_BOUND;
        let sheet = self.orders_mut();
        sheet.units.retain(|order| exists(order.unit) && !is_faulty(What::Unit(order.unit)));
        sheet.structures.retain(|order| exists(order.structure) && !is_faulty(What::Structure(order.structure)));
    }

    fn encode(&self) -> Bytes {
        let mut bytes = Vec::with_capacity(self.0.encoded_len());
        self.0.encode(&mut bytes);
        bytes.into()
    }
}

/// A viewer as the rules know them.
const fn eyes(viewer: AnyViewer) -> Viewer {
    match viewer {
        AnyViewer::Seat(player) => Viewer::Seat(player),
        AnyViewer::Spectator => Viewer::Spectator,
        AnyViewer::Everything => Viewer::Everything,
    }
}

impl HostedRuleset for Plunder {
    type Setup = Setup;
    type Said = Said;
    type Query = SaidQuery;

    const ARM: u32 = 1;
    const MOST_PLAYERS: usize = MAX_PLAYERS;
    const LABELS: Labels = tally::LABELS;
    const TOOLS: Option<&'static dyn GameTools> = Some(&NavalTools);

    fn match_name(seats: usize) -> String {
        format!("A sea for {seats}")
    }

    fn plan(
        settings: Option<&[u8]>,
        seats: usize,
        random: u64,
        most_tiles: usize,
    ) -> Result<(Setup, Bytes), SetupFault> {
        Setup::plan(settings, seats, random, most_tiles)
    }

    fn rules(text: &str) -> Result<Rules, String> {
        Rules::from_json(text).map_err(|error| error.to_string())
    }

    fn rules_of_file(text: &str) -> Result<Rules, String> {
        Rules::from_yaml(text).map_err(|error| error.to_string())
    }

    fn read(rules: Arc<Rules>, drawn: &[u8]) -> Result<Setup, SetupFault> {
        Setup::read(rules, drawn)
    }

    fn living(state: &State) -> impl Iterator<Item = PlayerId> {
        state.players().iter().filter(|player| player.alive).map(|player| player.id)
    }

    fn is_alive(state: &State, player: PlayerId) -> bool {
        state.player(player).is_some_and(|player| player.alive)
    }

    fn units(state: &State) -> usize {
        state.units().len()
    }

    fn result(state: &State) -> Option<common::MatchResult> {
        state.result().map(wire::result)
    }

    fn read_sheet(said: &[u8]) -> Result<Said, String> {
        let sheet = v1::Sheet::decode(said).map_err(|error| format!("it cannot be read: {error}"))?;
        match sheet.game {
            Some(sheet) => Ok(Said(sheet)),
            None => Err(format!("it is not one of {}, the game of the match", Self::NAME)),
        }
    }

    fn blank_sheet() -> Said {
        Said::of(plunder::Sheet::default())
    }

    fn sheet(rules: &Rules, player: PlayerId, said: &Said) -> (OrderSheet, Vec<common::Fault>) {
        wire::sheet(rules, player, said.orders())
    }

    fn fault(rules: &Rules, said: &Said, fault: &Fault) -> common::Fault {
        wire::order_fault(rules, said.orders(), fault)
    }

    fn subject(subject: &Subject) -> Option<common::Subject> {
        Some(wire::subject(*subject))
    }

    fn groups(game: &Game) -> usize {
        game.open_turn().map_or(0, |turn| turn.encounters().len())
    }

    fn prompt(game: &Game, player: PlayerId) -> Option<opaque::Prompt> {
        let v1::Prompt { turn, window, so_far, deadline, questions, changes } = prompt(game, player)?;
        let so_far = so_far.map(|news| news.encode_to_vec().into());
        let changes = changes.map(|changes| changes.encode_to_vec().into());
        Some(opaque::Prompt { turn, window, so_far, deadline, questions, changes })
    }

    fn view(game: &Game, viewer: AnyViewer) -> Bytes {
        let (rules, state) = (game.rules(), game.state());
        let own = if let AnyViewer::Seat(player) = viewer { game.memory(player) } else { None };
        let blank;
        let memory = match own {
            Some(memory) => memory,
            None => {
                blank = Memory::new(state.map().grid());
                &blank
            }
        };
        let view = wire::view(rules, &view::snapshot(rules, state, eyes(viewer), memory));
        v1::View { game: Some(v1::view::Game::Plunder(view)) }.encode_to_vec().into()
    }

    fn shared(game: &Game, outcome: &Outcome<Self>) -> ToldTurn {
        if game.rules().fog() { ToldTurn::default() } else { encode(game, outcome, &passage(game, outcome).shared()) }
    }

    fn own(game: &Game, outcome: &Outcome<Self>, viewer: AnyViewer) -> ToldTurn {
        if game.rules().fog() {
            return Self::told(game, outcome, viewer);
        }
        let AnyViewer::Seat(player) = viewer else { return ToldTurn::default() };
        let own = passage(game, outcome).own(player);
        let ToldTurn { news, changes } = encode(game, outcome, &own);
        let is_news = !own.events.is_empty() || !own.shortfalls.is_empty();
        ToldTurn { news: news.filter(|_| is_news), changes: changes.filter(|_| !own.changes.is_empty()) }
    }

    fn told(game: &Game, outcome: &Outcome<Self>, viewer: AnyViewer) -> ToldTurn {
        let seen = outcome.seen.iter().find(|(player, _)| viewer == AnyViewer::Seat(*player));
        match seen {
            Some((_, seen)) => encode(game, outcome, seen),
            // Memory is of tiles that fog hides, and here is no fog, or nobody who could lift it.
            None => {
                let mut memory = Memory::new(outcome.before.map().grid());
                encode(game, outcome, &passage(game, outcome).told(eyes(viewer), &mut memory))
            }
        }
    }

    fn read_query(said: &[u8]) -> Result<SaidQuery, AdviceError> {
        SaidQuery::read(said)
    }

    fn effort_of(game: &Game, viewer: AnyViewer, query: &SaidQuery) -> usize {
        advice::effort_of(game, eyes(viewer), query)
    }

    fn advise(game: &Game, viewer: AnyViewer, query: &SaidQuery) -> Result<Bytes, AdviceError> {
        let advice = advice::advise(game, eyes(viewer), query)?;
        Ok(v1::Advice { game: Some(v1::advice::Game::Plunder(advice)) }.encode_to_vec().into())
    }

    fn counts(events: &[Event]) -> Vec<u64> {
        tally::counts(events)
    }

    fn course(events: &[Event]) -> TurnCounts {
        tally::course(events)
    }
}

/// A turn that has led to the state that the game is in.
fn passage<'a>(game: &'a Game, outcome: &'a Outcome<Plunder>) -> Passage<'a> {
    let Outcome { before, events, shortfalls, .. } = outcome;
    Passage { rules: game.rules(), before, after: game.state(), events, shortfalls }
}

fn encode(game: &Game, outcome: &Outcome<Plunder>, seen: &SeenTurn) -> ToldTurn {
    let (rules, grid) = (game.rules(), outcome.before.map().grid());
    ToldTurn {
        news: Some(news_bytes(wire::news(rules, grid, seen))),
        changes: Some(changes_bytes(wire::changes(rules, grid, &seen.changes))),
    }
}

fn news_bytes(news: plunder::TurnNews) -> Bytes {
    v1::TurnNews { game: Some(v1::turn_news::Game::Plunder(news)) }.encode_to_vec().into()
}

fn changes_bytes(changes: plunder::Changes) -> Bytes {
    v1::Changes { game: Some(v1::changes::Game::Plunder(changes)) }.encode_to_vec().into()
}

/// What a player is told when the turn asks them something, without a deadline; `None` where it asks nothing.
pub fn prompt(game: &Game, player: PlayerId) -> Option<v1::Prompt> {
    let (window, turn) = (game.window_of(player)?, game.open_turn()?);
    let (rules, state) = (game.rules(), game.state());
    let grid = state.map().grid();
    let mut witness = Witness::new(rules, state, Viewer::Seat(player));
    let mut memory = game.memory(player).cloned().unwrap_or_else(|| Memory::new(grid));
    let seen = witness.follow(game.so_far(), &mut memory);
    let met = witness.encounters(&turn.encounters());
    let encounters = met.iter().map(|encounter| wire::encounter(grid, encounter)).collect();
    let news = wire::news(rules, grid, &seen);
    let so_far = v1::turn_news::Game::Plunder(plunder::TurnNews { encounters, ..news });
    let changes = v1::changes::Game::Plunder(wire::changes(rules, grid, &seen.changes));
    Some(v1::Prompt {
        turn: game.turn(),
        window,
        so_far: Some(v1::TurnNews { game: Some(so_far) }),
        deadline: None,
        questions: wire::questions(game.questions(), player, &met),
        changes: Some(v1::Changes { game: Some(changes) }),
    })
}
