//! What a service may ask of any game, of what its matches are pinned to, and of a match.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::v1;
use uuid::Uuid;

use super::{AdviceError, GameTools, HostedWorkspace, Labels, SetupFault, SharedRules, TurnCounts, Viewer};
use crate::replay::account::Account;
use crate::replay::{Finding, Options, Replay, Verdict};

/// A game that a service can host.
pub trait AnyGame: Send + Sync {
    /// The name of the game, by which a match says what it is a match of.
    fn name(&self) -> &'static str;

    /// The number of its arm in messages that all games share.
    fn arm(&self) -> u32;

    /// How many seats a match may have.
    fn most_players(&self) -> usize;

    /// What things of the game are called where turns are counted and traced.
    fn labels(&self) -> &'static Labels;

    /// What a match for so many is called that nobody gave a name.
    fn match_name(&self, seats: usize) -> String;

    /// A match for so many seats as the bytes of a `parley.v1.GameSettings` ask for it, and the settings with everything filled
    /// in that they leave open: the map is drawn by `random` where they name no seed. A map has at most so many tiles. What
    /// is written down as it is used is not among the settings: the rules, and the map as drawn.
    fn plan(
        &self,
        settings: Option<&[u8]>,
        seats: usize,
        random: u64,
        most_tiles: usize,
    ) -> Result<(Arc<dyn HostedSetup>, Bytes), SetupFault>;

    /// Rules that were written down as [`HostedSetup::rules_text`].
    fn rules(&self, text: &str) -> Result<SharedRules, String>;

    /// Rules as people write them into files, or why they are none.
    fn rules_of_file(&self, text: &str) -> Result<SharedRules, String>;

    /// A match under rules of this game on a map, as both were written down: [`HostedSetup::rules_text`] and
    /// [`HostedSetup::drawn`].
    fn read(&self, rules: SharedRules, drawn: &[u8]) -> Result<Arc<dyn HostedSetup>, SetupFault>;

    /// Plays a replay again and notes in a verdict how far it is true.
    fn verify(&self, replay: &Replay<'_>, options: &Options, verdict: &mut Verdict) -> Result<(), Finding>;

    /// The first thing that would have come otherwise in a replay under other rules of this game.
    fn diverges(&self, replay: &Replay<'_>, rules: &SharedRules) -> Result<(), Finding>;

    /// Tells a replay in sentences, or one turn of it, with the ids of traces that the caller knows.
    fn account(
        &self,
        replay: &Replay<'_>,
        only: Option<u32>,
        trace_of: &dyn Fn(Uuid, u32) -> [u8; 16],
    ) -> Result<Account, Finding>;

    /// What the command line asks of the game; `None` where it has no files of rules and scenarios.
    fn tools(&self) -> Option<&'static dyn GameTools>;
}

impl fmt::Debug for dyn AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What never changes in a match.
pub trait HostedSetup: fmt::Debug + Send + Sync + 'static {
    /// What everybody may know of settings that [`AnyGame::plan`] has filled in.
    fn public_settings(&self, game: &Bytes) -> Bytes;

    /// Every name in the rules, which whoever plays by them reads, and the field of the settings that has rules.
    fn names(&self) -> Vec<(&'static str, String)>;

    /// How many players there are.
    fn players(&self) -> usize;

    /// How many tiles the map has.
    fn tiles(&self) -> usize;

    /// How many units the match begins with.
    fn first_units(&self) -> usize;

    /// Whether fog hides the map from players.
    fn has_fog(&self) -> bool;

    /// The rules as they are written down.
    fn rules_text(&self) -> String;

    /// The hash of the rules, which pins them.
    fn rules_hash(&self) -> Digest;

    /// The map as it is written down, with the starts.
    fn drawn(&self) -> Bytes;

    /// The map as replays have it, where the rest of a replay does not say it already.
    fn replay_map(&self) -> Option<v1::ReplayMap>;

    /// The match at its first turn.
    fn open(&self, seed: Seed) -> Result<Box<dyn HostedGame>, String>;

    /// The match between two turns, as it was written down: its state, the digest of that, and in fog what each player
    /// remembers.
    fn restore(
        &self,
        seed: Seed,
        state: &[u8],
        digest: Digest,
        memories: &[Bytes],
    ) -> Result<Box<dyn HostedGame>, String>;
}

/// Orders as a player said them, under the arm of their game.
pub trait SaidSheet: Any + fmt::Debug + Send + Sync {
    /// How many orders there are.
    fn orders(&self) -> usize;

    /// Whether the player gives up with these orders.
    fn concedes(&self) -> bool;

    /// Lets the player give up with these orders.
    fn concede(&mut self);

    /// Leaves out the orders that have a fault, and those for what cannot be there.
    fn drop_faulty(&mut self, faults: &[common::Fault]);

    /// The orders as bytes of a `parley.v1.Sheet`, which depend on nothing but the orders: whatever else stood in the bytes
    /// that they were read from is gone.
    fn encode(&self) -> Bytes;
}

/// Orders that are known to be legal in the turn that they were judged in.
#[derive(Debug)]
pub struct HostedSheet(pub(super) Box<dyn Any + Send + Sync>);

/// A question about a game that was read.
#[derive(Debug)]
pub struct SaidQuery(pub(super) Box<dyn Any + Send + Sync>);

/// What is told of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldTurn {
    /// The bytes of a `parley.v1.TurnNews`: what happened. `None` where nothing is told.
    pub news: Option<Bytes>,
    /// The bytes of a `parley.v1.Changes`: how the board changes with it. `None` where it does not.
    pub changes: Option<Bytes>,
}

/// Where a turn stands.
#[derive(Debug)]
pub enum HostedStep {
    /// Players have to answer before the turn goes on.
    Asked,
    /// The turn is over.
    Resolved(Box<dyn HostedOutcome>),
}

/// What a turn came to.
pub trait HostedOutcome: Any + fmt::Debug + Send + Sync {
    /// The number of the turn that was resolved.
    fn turn(&self) -> u32;

    /// How many units there were before the turn.
    fn units_before(&self) -> usize;

    /// The seats whose players were not eliminated before the turn.
    fn living_before(&self) -> Vec<u8>;

    /// How many events the turn had.
    fn events(&self) -> usize;

    /// How often things happened in the turn: one number for each of [`Labels::counters`].
    fn counts(&self) -> Vec<u64>;

    /// The ticks and the groups of the turn.
    fn course(&self) -> TurnCounts;

    /// Gives the memory of an outcome that nobody needs any more to the next turns.
    fn reclaim(self: Box<Self>, workspace: &mut HostedWorkspace);
}

/// A match, from its first turn on.
pub trait HostedGame: fmt::Debug + Send + Sync {
    /// The number of the turn that is planned or resolved.
    fn turn(&self) -> u32;

    /// The digest before the turn.
    fn digest(&self) -> Digest;

    /// The state before the turn, as its digest covers it.
    fn encode_state(&self) -> Vec<u8>;

    /// In fog, what a seat remembers.
    fn encode_memory(&self, seat: u8) -> Option<Vec<u8>>;

    /// Whether the match has ended.
    fn is_over(&self) -> bool;

    /// How the match ended, once it has.
    fn result(&self) -> Option<common::MatchResult>;

    /// How many units there are.
    fn units(&self) -> usize;

    /// Whether the player of a seat is not eliminated.
    fn is_alive(&self, seat: u8) -> bool;

    /// Reads the bytes of a `parley.v1.Sheet`, or says in one sentence why they are no orders in this game.
    fn read_sheet(&self, said: &[u8]) -> Result<Box<dyn SaidSheet>, String>;

    /// Orders that say nothing.
    fn blank_sheet(&self) -> Box<dyn SaidSheet>;

    /// The legal part of a seat's orders, and everything that is wrong with them. `None` where there is no such seat, or the
    /// orders are of another game.
    fn judge(&self, seat: u8, said: &dyn SaidSheet) -> Option<(HostedSheet, Vec<common::Fault>)>;

    /// Freezes the orders of a seat.
    fn lock(&mut self, sheet: HostedSheet) -> Result<(), String>;

    /// Goes on with the turn: from its sheets, or from the answers of seats to what it asked, which were checked.
    fn advance(&mut self, workspace: &mut HostedWorkspace, answers: &[(u8, v1::Answer)]) -> Result<HostedStep, String>;

    /// Throws a turn away that cannot be resolved.
    fn give_up(&mut self);

    /// The number of the window that is open among all windows of the turn, counted from 1; 0 where nothing is asked. It is
    /// not for players, because it tells that others were asked.
    fn window(&self) -> u32;

    /// The number of the open window among those of the turn in which a seat is asked, counted from 1; `None` where the
    /// seat is not asked in it.
    fn window_of(&self, seat: u8) -> Option<u32>;

    /// The tick that the turn asks about; 0 where it asks nothing.
    fn tick(&self) -> u32;

    /// How many groups of its tick the turn asks about, such as encounters.
    fn groups(&self) -> usize;

    /// How many answers the turn waits for.
    fn questions(&self) -> usize;

    /// Whether a seat is asked something that the answers which it has given leave open.
    fn waits_for(&self, seat: u8, given: &[v1::Answer]) -> bool;

    /// Whether answers of a seat could be taken: they are right ones to what it is asked.
    fn takes(&self, seat: u8, answers: &[v1::Answer]) -> bool;

    /// Everything that is wrong with the answers of a seat, beside those that it has given before.
    fn check_answers(&self, seat: u8, said: &[v1::Answer], given: &[v1::Answer]) -> Vec<common::Fault>;

    /// What counts for every open question where nobody answers it, as a replay tells it.
    fn defaults(&self) -> Vec<v1::ReplayAnswer>;

    /// What a seat is told when it is asked something, without a deadline: time is not the game's.
    fn prompt(&self, seat: u8) -> Option<opaque::Prompt>;

    /// What a viewer sees of the state before the turn, as bytes of a `parley.v1.View`.
    fn view(&self, viewer: Viewer) -> Bytes;

    /// What all viewers are told alike of the turn that led to the state of the match. Under fog that is nothing.
    fn shared(&self, outcome: &dyn HostedOutcome) -> ToldTurn;

    /// What a viewer is told of that turn beside what all are told alike: under fog everything, otherwise what an owner alone
    /// knows, which may be nothing.
    fn own(&self, outcome: &dyn HostedOutcome, viewer: Viewer) -> ToldTurn;

    /// Everything that a viewer is told of that turn, in one list.
    fn told(&self, outcome: &dyn HostedOutcome, viewer: Viewer) -> ToldTurn;

    /// Reads the bytes of a `parley.v1.Query`, or says why they ask nothing about this game.
    fn read_query(&self, said: &[u8]) -> Result<SaidQuery, AdviceError>;

    /// How much effort it is to answer a viewer, in tiles that are looked at or could be meanwhile.
    fn effort_of(&self, viewer: Viewer, query: &SaidQuery) -> usize;

    /// The answer to a viewer, as far as they may know, as bytes of a `parley.v1.Advice`.
    fn advise(&self, viewer: Viewer, query: &SaidQuery) -> Result<Bytes, AdviceError>;

    /// The ticks and the groups of a turn that waits for answers, as far as it has come.
    fn course_so_far(&self) -> TurnCounts;
}
