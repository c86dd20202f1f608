//! The game as the driver of turns sees it.

use std::sync::Arc;

use parley_core::dice::Dice;
use parley_core::game::{self, Ruleset, Stage};
use parley_core::ids::PlayerId;
use parley_core::sight::Memory;

use crate::event::{Body, Event, Shortfall, Subject};
use crate::legality::{Fault, LegalSheet, Verdict, judge, judge_charted};
use crate::order::{Choice, OrderSheet};
use crate::rules::Rules;
use crate::stages::{self, MAX_EXCHANGES, Turn};
use crate::state::State;
use crate::view::{Passage, SeenTurn, Viewer, sight_of};

/// The naval game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plunder;

/// A match of the naval game.
pub type Game = game::Game<Plunder>;
/// What a turn of it asks a player.
pub type Question = game::QuestionOf<Plunder>;
/// What a turn of it came to.
pub type Outcome = game::Outcome<Plunder>;
/// Where a turn of it stands.
pub type Step = game::Step<Plunder>;
/// Memory that its turns leave to each other.
pub type Workspace = game::Workspace<Plunder>;

impl Ruleset for Plunder {
    const NAME: &'static str = "plunder";

    type Rules = Rules;
    type State = State;
    type Sheet = OrderSheet;
    type Legal = LegalSheet;
    type Fault = Fault;
    type Subject = Subject;
    type Choice = Choice;
    type Body = Body;
    type Shortfall = Shortfall;
    type Seen = SeenTurn;
    type Turn = Turn;

    fn stage(rules: &Rules, place: usize) -> Option<Stage<Self>> {
        rules.stages().get(place).map(|&stage| stages::stage(stage))
    }

    fn turn_of(state: &State) -> u32 {
        state.turn()
    }

    fn is_over(state: &State) -> bool {
        state.result().is_some()
    }

    fn first_memories(rules: &Rules, state: &State) -> Vec<(PlayerId, Memory)> {
        if !rules.fog() {
            return Vec::new();
        }
        let remember = |player: PlayerId| {
            let mut memory = Memory::new(state.map().grid());
            memory.learn(&sight_of(rules, state, Viewer::Seat(player)));
            (player, memory)
        };
        state.players().iter().map(|player| remember(player.id)).collect()
    }

    fn judge(rules: &Rules, state: &State, sheet: &OrderSheet, memory: Option<&Memory>) -> Verdict {
        match memory {
            Some(memory) => judge_charted(rules, state, sheet, &|tile| memory.contains(tile)),
            None => judge(rules, state, sheet),
        }
    }

    fn player_of_sheet(sheet: &OrderSheet) -> PlayerId {
        sheet.player
    }

    fn signature(legal: &LegalSheet) -> (PlayerId, u32) {
        (legal.player(), legal.turn())
    }

    fn begin(
        earlier: Option<Box<Turn>>,
        rules: &Arc<Rules>,
        state: &State,
        dice: Dice,
        sheets: &[LegalSheet],
    ) -> Box<Turn> {
        Turn::begin(earlier, rules, state, dice, sheets)
    }

    fn exceeded(turn: &Turn) -> Option<Fault> {
        let fault = || Fault::new(None, "R8.1", format!("the turn has more than {MAX_EXCHANGES} exchanges"));
        turn.has_too_many_exchanges().then(fault)
    }

    fn assert_invariants(turn: &Turn) {
        turn.assert_invariant();
    }

    fn events(turn: &Turn) -> &[Event] {
        turn.events()
    }

    fn events_mut(turn: &mut Turn) -> &mut [Event] {
        turn.events_mut()
    }

    fn finish(turn: &mut Turn) -> (State, Vec<Event>, Vec<Shortfall>) {
        turn.finish()
    }

    fn reclaim(turn: &mut Turn, outcome: Outcome) {
        turn.reclaim(outcome);
    }

    fn witness(
        rules: &Rules,
        (before, after): (&State, &State),
        (events, shortfalls): (&[Event], &[Shortfall]),
        player: PlayerId,
        memory: &mut Memory,
    ) -> SeenTurn {
        Passage { rules, before, after, events, shortfalls }.told(Viewer::Seat(player), memory)
    }
}
