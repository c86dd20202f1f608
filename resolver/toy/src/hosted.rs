//! What the game brings to be hosted.

use std::sync::Arc;

use bytes::Bytes;
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::game::{Outcome, Ruleset};
use parley_core::grid::{Grid, Tile};
use parley_core::ids::PlayerId;
use parley_core::sight::Memory;
use parley_games::hosted::{
    AdviceError, AnyGame, Counter, Hosted, HostedGame, HostedRuleset, HostedSetup, Labels, SaidSheet, SetupFault,
    TickCounts, ToldTurn, TurnCounts, Viewer,
};
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::v1;

use crate::ruleset::{Body, Event, Fault, Game, Lanterns, Lights, Row, Walk};
use crate::wire::{self, of_arm, under_arm};

/// The entry of the game for registries.
pub static LANTERNS: &dyn AnyGame = &Hosted::<Lanterns>::NEW;

/// The length of a row for which settings name none.
const LENGTH: u32 = 10;
/// How far apart lanterns begin.
const APART: usize = 2;
/// The field of requests that says where a lantern is to go.
const STEP: &str = "sheet.lanterns.step";
/// What rules are written down as, before the length of the row.
const RULES: &str = "lanterns on a row of ";

/// A row, and where the lanterns begin.
#[derive(Debug)]
pub struct Setup {
    row: Arc<Row>,
    starts: Vec<u32>,
}

/// Orders as a player said them.
#[derive(Clone, Debug, PartialEq)]
pub struct Said(wire::Sheet);

impl SaidSheet for Said {
    fn orders(&self) -> usize {
        usize::from(self.0.step != 0)
    }

    fn concedes(&self) -> bool {
        self.0.gives_up
    }

    fn concede(&mut self) {
        self.0.gives_up = true;
    }

    fn drop_faulty(&mut self, _: &[common::Fault]) {
        self.0.step = 0;
    }

    fn encode(&self) -> Bytes {
        under_arm(&self.0)
    }
}

/// The row for rules that were written down.
pub(crate) fn row(text: &str) -> Result<Row, String> {
    let length = text.trim().strip_prefix(RULES).and_then(|length| length.parse().ok());
    let length = length.filter(|length| (1..=64).contains(length)).ok_or("these are no rules of lanterns")?;
    Ok(Row { length, most_meetings: usize::MAX, riddles: Vec::new() })
}

/// A state as it was encoded.
pub(crate) fn lights(state: &[u8]) -> Option<Lights> {
    let (turn, burning) = state.split_first_chunk()?;
    let (burning, rest) = burning.as_chunks::<5>();
    let lantern = |[seat, at @ ..]: &[u8; 5]| Some((PlayerId::new((*seat).into())?, u32::from_le_bytes(*at)));
    let burning = burning.iter().map(lantern).collect::<Option<_>>()?;
    rest.is_empty().then_some(Lights { turn: u32::from_le_bytes(*turn), burning })
}

impl Setup {
    fn of(row: Row, starts: Vec<u32>) -> Result<Self, SetupFault> {
        let fits = starts.len() <= Lanterns::MOST_PLAYERS && starts.iter().all(|start| *start < row.length);
        if !fits {
            return Err(SetupFault::new("settings.game", "the row is too short for so many lanterns"));
        }
        Ok(Self { row: Arc::new(row), starts })
    }

    fn grid(&self) -> Option<Grid> {
        Grid::new(self.row.length, 1, false)
    }
}

impl HostedSetup for Setup {
    fn public_settings(&self, game: &Bytes) -> Bytes {
        game.clone()
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn players(&self) -> usize {
        self.starts.len()
    }

    fn tiles(&self) -> usize {
        self.row.length as usize
    }

    fn first_units(&self) -> usize {
        self.starts.len()
    }

    fn has_fog(&self) -> bool {
        true
    }

    fn rules_text(&self) -> String {
        format!("{RULES}{}", self.row.length)
    }

    fn rules_hash(&self) -> Digest {
        Digest::of(self.rules_text().as_bytes())
    }

    fn drawn(&self) -> Bytes {
        prost::Message::encode_to_vec(&wire::Starts { places: self.starts.clone() }).into()
    }

    fn replay_map(&self) -> Option<v1::ReplayMap> {
        None
    }

    fn open(&self, seed: Seed) -> Result<Box<dyn HostedGame>, String> {
        let seats = (0..).filter_map(PlayerId::new);
        let burning = seats.zip(self.starts.iter().copied()).collect();
        Ok(Box::new(Game::new(Arc::clone(&self.row), Lights { turn: 1, burning }, seed)))
    }

    fn restore(
        &self,
        seed: Seed,
        state: &[u8],
        digest: Digest,
        memories: &[Bytes],
    ) -> Result<Box<dyn HostedGame>, String> {
        let state = lights(state).ok_or("this is no state of lanterns")?;
        let grid = self.grid().ok_or("there is no such row")?;
        let read = |bytes: &Bytes| Memory::from_bytes(&grid, bytes).ok_or("the memory of another row");
        let memories = (0..).filter_map(PlayerId::new).zip(memories.iter().map(read));
        let memories = memories.map(|(player, memory)| Ok((player, memory?))).collect::<Result<_, &str>>()?;
        Ok(Box::new(Game::restore(Arc::clone(&self.row), seed, state, digest, memories)))
    }
}

/// The place of a player's lantern, while it burns.
fn place(state: &Lights, player: PlayerId) -> Option<u32> {
    state.burning.iter().find(|(other, _)| *other == player).map(|(_, at)| *at)
}

fn news<'a>(events: impl IntoIterator<Item = &'a Event>) -> Bytes {
    let told = |event: &Event| match &event.body {
        Body::Moved(player, at) => Some(wire::Lantern { seat: player.get().into(), at: Some(*at) }),
        Body::WentOut(player) => Some(wire::Lantern { seat: player.get().into(), at: None }),
        Body::Settled(_) => None,
    };
    under_arm(&wire::News { events: events.into_iter().filter_map(told).collect() })
}

impl HostedRuleset for Lanterns {
    type Setup = Setup;
    type Said = Said;
    type Query = wire::Query;

    const ARM: u32 = wire::ARM;
    const MOST_PLAYERS: usize = 8;
    const LABELS: Labels = Labels {
        units: "lanterns.burning",
        groups: "lanterns.meetings",
        counters: &[
            Counter { name: "lanterns_total", label: ("what", "moved") },
            Counter { name: "lanterns_total", label: ("what", "went_out") },
        ],
    };

    fn match_name(seats: usize) -> String {
        format!("{seats} lanterns")
    }

    fn plan(settings: Option<&[u8]>, seats: usize, _: u64, most_tiles: usize) -> Result<(Setup, Bytes), SetupFault> {
        let refuse = |text: String| SetupFault::new("settings.game", text);
        let settings = of_arm::<wire::Settings>(settings.unwrap_or_default());
        let settings = settings.map_err(|error| refuse(error.to_string()))?.unwrap_or_default();
        let length = if settings.length == 0 { LENGTH } else { settings.length };
        if length as usize > most_tiles {
            return Err(refuse(format!("a row has at most {most_tiles} tiles here")));
        }
        let row = row(&format!("{RULES}{length}")).map_err(refuse)?;
        let starts = (0..).step_by(APART).take(seats).collect();
        Ok((Setup::of(row, starts)?, under_arm(&wire::Settings { length })))
    }

    fn rules(text: &str) -> Result<Row, String> {
        row(text)
    }

    fn rules_of_file(text: &str) -> Result<Row, String> {
        row(text)
    }

    fn read(rules: Arc<Row>, drawn: &[u8]) -> Result<Setup, SetupFault> {
        let starts: wire::Starts =
            prost::Message::decode(drawn).map_err(|error| SetupFault::new("settings.game", error))?;
        let row = Row { length: rules.length, most_meetings: rules.most_meetings, riddles: Vec::new() };
        Setup::of(row, starts.places)
    }

    fn living(state: &Lights) -> impl Iterator<Item = PlayerId> {
        state.burning.iter().map(|(player, _)| *player)
    }

    fn is_alive(state: &Lights, player: PlayerId) -> bool {
        state.burning.iter().any(|(burning, _)| *burning == player)
    }

    fn units(state: &Lights) -> usize {
        state.burning.len()
    }

    fn result(state: &Lights) -> Option<common::MatchResult> {
        use common::match_result::{Draw, Result};
        let result = match state.burning[..] {
            [] => Result::Draw(Draw::default()),
            [(winner, _)] => Result::Winner(winner.get().into()),
            _ => return None,
        };
        Some(common::MatchResult { result: Some(result) })
    }

    fn read_sheet(said: &[u8]) -> Result<Said, String> {
        let sheet = of_arm(said).map_err(|error| format!("it cannot be read: {error}"))?;
        sheet.map(Said).ok_or_else(|| format!("it is not one of {}", Self::NAME))
    }

    fn blank_sheet() -> Said {
        Said(wire::Sheet::default())
    }

    fn sheet(_: &Row, player: PlayerId, said: &Said) -> (Walk, Vec<common::Fault>) {
        (Walk { player, step: said.0.step, gives_up: said.0.gives_up }, Vec::new())
    }

    fn fault(_: &Row, _: &Said, fault: &Fault) -> common::Fault {
        let (rule, text, field) = ("L0".to_owned(), fault.0.to_owned(), STEP.to_owned());
        common::Fault { subject: None, rule, text, field }
    }

    fn subject(_: &u32) -> Option<common::Subject> {
        None
    }

    fn groups(game: &Game) -> usize {
        game.questions().len() / 2
    }

    fn prompt(game: &Game, player: PlayerId) -> Option<opaque::Prompt> {
        let window = game.window_of(player)?;
        let mut memory = game.memory(player)?.clone();
        let so_far =
            Self::witness(game.rules(), (game.state(), game.state()), (game.so_far(), &[]), player, &mut memory);
        let option = |word: &&str| {
            let choice = v1::question::option::Choice::Word((*word).to_owned());
            v1::question::Option { choice: Some(choice) }
        };
        let own = game.questions().iter().filter(|asked| asked.seat == player);
        let questions = own.map(|asked| v1::Question {
            id: asked.id(),
            kind: asked.kind.to_owned(),
            rule: asked.rule.to_owned(),
            options: asked.options.iter().map(option).collect(),
            min: asked.min,
            max: asked.max,
            default: asked.default.clone(),
            ..v1::Question::default()
        });
        let (turn, so_far) = (game.turn(), Some(news(&so_far)));
        Some(opaque::Prompt { turn, window, so_far, questions: questions.collect(), ..Default::default() })
    }

    fn view(game: &Game, viewer: Viewer) -> Bytes {
        let state = game.state();
        let (seat, here) = match viewer {
            Viewer::Seat(player) => (Some(player), place(state, player)),
            Viewer::Spectator | Viewer::Everything => (None, None),
        };
        let is_seen = |at: u32| viewer == Viewer::Everything || here.is_some_and(|here| here.abs_diff(at) <= 1);
        let lantern = |(player, at): &(PlayerId, u32)| wire::Lantern { seat: player.get().into(), at: Some(*at) };
        let memory = seat.and_then(|player| game.memory(player));
        let is_known = |at: &u32| memory.is_some_and(|memory| memory.contains(Tile::from_index(*at as usize)));
        under_arm(&wire::View {
            turn: state.turn,
            seat: seat.map(|player| player.get().into()),
            lanterns: state.burning.iter().filter(|(_, at)| is_seen(*at)).map(lantern).collect(),
            remembered: (0..game.rules().length).filter(is_known).collect(),
            burning: state.burning.iter().map(|(player, _)| player.get().into()).collect(),
        })
    }

    fn shared(_: &Game, _: &Outcome<Self>) -> ToldTurn {
        ToldTurn::default()
    }

    fn own(game: &Game, outcome: &Outcome<Self>, viewer: Viewer) -> ToldTurn {
        Self::told(game, outcome, viewer)
    }

    fn told(_: &Game, outcome: &Outcome<Self>, viewer: Viewer) -> ToldTurn {
        let told = match viewer {
            Viewer::Everything => news(&outcome.events),
            Viewer::Spectator => news(&[]),
            Viewer::Seat(player) => {
                let seen = outcome.seen.iter().filter(|(other, _)| *other == player);
                news(seen.flat_map(|(_, events)| events))
            }
        };
        ToldTurn { news: Some(told), changes: None }
    }

    fn read_query(said: &[u8]) -> Result<wire::Query, AdviceError> {
        let query = of_arm(said).map_err(|error| AdviceError::field("query", error.to_string()))?;
        query.ok_or_else(|| AdviceError::field("query", format!("it is not about {}", Self::NAME)))
    }

    fn effort_of(_: &Game, _: Viewer, _: &wire::Query) -> usize {
        1
    }

    fn advise(game: &Game, viewer: Viewer, _: &wire::Query) -> Result<Bytes, AdviceError> {
        let Viewer::Seat(player) = viewer else { return Err(AdviceError::OnlyPlayers) };
        let can = |step: &i32| game.judge(&Walk::new(player, *step)).faults.is_empty();
        Ok(under_arm(&wire::Advice { steps: (-1..=1).filter(can).collect() }))
    }

    fn counts(events: &[Event]) -> Vec<u64> {
        let moved = events.iter().filter(|event| matches!(event.body, Body::Moved(..))).count();
        let out = events.iter().filter(|event| matches!(event.body, Body::WentOut(_))).count();
        vec![moved as u64, out as u64]
    }

    fn course(events: &[Event]) -> TurnCounts {
        let counts = Self::counts(events);
        let numbers = [("lanterns.moved", counts[0] as i64), ("lanterns.went_out", counts[1] as i64)];
        TurnCounts { ticks: vec![TickCounts { tick: 1, numbers }], groups: Vec::new() }
    }
}
