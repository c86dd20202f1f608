//! The one driver of a turn, for every game and for everybody who plays one.
//!
//! A [`Ruleset`] says what a game is: how a sheet is judged, which stages a turn has, who learns what of it. [`Game`] is a
//! match of it and the only way through a turn: sheets are judged and locked, [`Game::advance`] runs the stages, stops
//! where somebody has to be asked, and goes on with the answers. The service, the verifier of replays, the arena, the
//! planner, the load generator and scenario files all play through it, so that none of them can play otherwise.
//!
//! A turn that waits for answers can be thrown away at any moment: the same sheets and the same answers lead to the same
//! place. Memory that turns leave to each other is in a [`Workspace`], which holds nothing else.

use std::fmt;
use std::sync::Arc;

use crate::dice::{Dice, Seed};
use crate::digest::{Commit, Digest};
use crate::encoding::Encode;
use crate::event::Event;
use crate::ids::PlayerId;
use crate::question::{Answer, AnswerFault, Question, Settled, Window};
use crate::sight::Memory;

/// A game of simultaneous turns.
pub trait Ruleset: Sized + 'static {
    /// The name of the game, by which a match says what it is a match of.
    const NAME: &'static str;

    /// The rules that a match pins.
    type Rules: Encode + fmt::Debug + Send + Sync;
    /// What is, between two turns.
    type State: Commit + Clone + fmt::Debug;
    /// The orders of one player as they were said.
    type Sheet;
    /// The orders of one player that are known to be legal.
    type Legal: Clone + fmt::Debug;
    /// A rule that was broken, and how.
    type Fault: Clone + fmt::Debug + fmt::Display;
    /// What a question is about.
    type Subject: Clone + fmt::Debug;
    /// What can be chosen in answer to a question.
    type Choice: Clone + fmt::Debug;
    /// What happens in a turn.
    type Body: Clone + fmt::Debug;
    /// An order that did not do all it asked, and why.
    type Shortfall: Clone + fmt::Debug;
    /// What one player may know of a turn.
    type Seen: Clone + fmt::Debug;
    /// The working copy that the stages of a turn share.
    type Turn: Clone + fmt::Debug;

    /// A stage of the turn, by its place in the list that the rules give; `None` after the last.
    fn stage(rules: &Self::Rules, place: usize) -> Option<Stage<Self>>;

    /// The number of the turn that is planned in a state.
    fn turn_of(state: &Self::State) -> u32;

    /// Whether the match has ended.
    fn is_over(state: &Self::State) -> bool;

    /// What each player remembers at the start of a match, by player; nothing where nothing is hidden from anybody.
    fn first_memories(rules: &Self::Rules, state: &Self::State) -> Vec<(PlayerId, Memory)>;

    /// Judges orders, by what their player remembers where something is hidden.
    fn judge(
        rules: &Self::Rules,
        state: &Self::State,
        sheet: &Self::Sheet,
        memory: Option<&Memory>,
    ) -> Verdict<Self::Legal, Self::Fault>;

    /// The player whose orders these are.
    fn player_of_sheet(sheet: &Self::Sheet) -> PlayerId;

    /// The player whose orders these are, and the turn that they are for.
    fn signature(legal: &Self::Legal) -> (PlayerId, u32);

    /// Takes the inputs of a turn over, maybe into the memory of an earlier one. A player without a sheet has ordered
    /// nothing.
    fn begin(
        earlier: Option<Box<Self::Turn>>,
        rules: &Arc<Self::Rules>,
        state: &Self::State,
        dice: Dice,
        sheets: &[Self::Legal],
    ) -> Box<Self::Turn>;

    /// The limit of a turn that is exceeded, so that it cannot be resolved.
    fn exceeded(turn: &Self::Turn) -> Option<Self::Fault>;

    /// Asserts, in builds that check assertions, what holds after every stage.
    fn assert_invariants(turn: &Self::Turn);

    /// What has happened in a turn so far, in order.
    fn events(turn: &Self::Turn) -> &[EventOf<Self>];

    /// The same list for the driver, who notes the stage of what a stage has appended to it.
    fn events_mut(turn: &mut Self::Turn) -> &mut [EventOf<Self>];

    /// The end of a turn: the state that the next one is planned in, what happened, and what fell short.
    fn finish(turn: &mut Self::Turn) -> (Self::State, Vec<EventOf<Self>>, Vec<Self::Shortfall>);

    /// Lets a turn that is over have the memory of what nobody needs any more.
    fn reclaim(turn: &mut Self::Turn, outcome: Outcome<Self>);

    /// What a player may know of a turn that led from one state to another; what they remember grows by what they saw.
    fn witness(
        rules: &Self::Rules,
        states: (&Self::State, &Self::State),
        happened: (&[EventOf<Self>], &[Self::Shortfall]),
        player: PlayerId,
        memory: &mut Memory,
    ) -> Self::Seen;
}

/// A part of a turn.
pub struct Stage<R: Ruleset> {
    /// The name of the stage, as rules say it.
    pub name: &'static str,
    /// Runs the stage: from its start, or from where it asked, with how each of its questions was settled, in the order in
    /// which it asked them.
    pub run: fn(&mut R::Turn, &[Settled]) -> Flow<R>,
}

impl<R: Ruleset> Clone for Stage<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Ruleset> Copy for Stage<R> {}

impl<R: Ruleset> fmt::Debug for Stage<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Something that happened in a turn of a game.
pub type EventOf<R> = Event<<R as Ruleset>::Body>;

/// A question of a game.
pub type QuestionOf<R> = Question<<R as Ruleset>::Subject, <R as Ruleset>::Choice>;

/// How far a stage has come.
pub enum Flow<R: Ruleset> {
    /// The stage is over.
    Done,
    /// The stage goes on when these questions are settled. Any stage may ask, any number of times.
    Ask(Vec<QuestionOf<R>>),
}

/// The legal part of a sheet, and everything that is wrong with the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<L, F> {
    /// The orders that stand.
    pub legal: L,
    /// All faults, in the order of what they are about.
    pub faults: Vec<F>,
}

impl<L, F> Verdict<L, F> {
    /// The sheet if nothing is wrong with it, and otherwise all its faults.
    pub fn whole(self) -> Result<L, Vec<F>> {
        if self.faults.is_empty() { Ok(self.legal) } else { Err(self.faults) }
    }
}

/// Why a sheet cannot be locked, or a turn not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockError {
    /// The match has ended.
    Over,
    /// The turn is being resolved, and its sheets are frozen.
    Resolving,
    /// The sheet was made for another turn.
    OtherTurn {
        /// The player whose sheet it is.
        player: PlayerId,
        /// The turn that the sheet was made for.
        sheet: u32,
    },
    /// The player has a sheet already.
    TwoSheets {
        /// The player who has two sheets.
        player: PlayerId,
    },
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the match is over (R12.2)"),
            Self::Resolving => f.write_str("the turn is being resolved (R5.2)"),
            Self::OtherTurn { player, sheet } => write!(f, "the sheet of player {player} is for turn {sheet} (R5.2)"),
            Self::TwoSheets { player } => write!(f, "player {player} has two sheets (R5.2)"),
        }
    }
}

impl std::error::Error for LockError {}

/// Why a turn does not go on. Nothing has changed, unless the turn exceeds a limit: then it waits to be given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdvanceError<F> {
    /// The match has ended.
    Over,
    /// Something is wrong with the answers.
    Answers(Vec<AnswerFault>),
    /// The turn exceeds a limit, and stays so.
    Exceeded(F),
}

impl<F: fmt::Display> fmt::Display for AdvanceError<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => LockError::Over.fmt(f),
            Self::Exceeded(fault) => fault.fmt(f),
            Self::Answers(faults) => {
                for (place, fault) in faults.iter().enumerate() {
                    write!(f, "{}{fault}", if place == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
        }
    }
}

impl<F: fmt::Debug + fmt::Display> std::error::Error for AdvanceError<F> {}

/// What a turn came to, beside the state that the game has now.
#[derive(Clone, Debug)]
pub struct Outcome<R: Ruleset> {
    /// The state that the turn was planned in.
    pub before: R::State,
    /// What happened, in order.
    pub events: Vec<EventOf<R>>,
    /// Every order that did not do all it asked, and why.
    pub shortfalls: Vec<R::Shortfall>,
    /// What each player may know of the turn, where something is hidden; otherwise nothing, because all may know alike.
    pub seen: Vec<(PlayerId, R::Seen)>,
}

/// Where a turn stands after it was advanced.
#[derive(Debug)]
pub enum Step<R: Ruleset> {
    /// Players must answer [`Game::questions`], or be given up waiting for, before the turn can go on.
    Asked,
    /// The turn is over.
    Resolved(Box<Outcome<R>>),
}

/// Memory that one turn leaves to the next. Nothing is read from it: with or without it, outcomes are the same.
#[derive(Clone, Debug)]
pub struct Workspace<R: Ruleset> {
    turn: Option<Box<R::Turn>>,
    encoding: Vec<u8>,
}

impl<R: Ruleset> Workspace<R> {
    /// A workspace without memory yet.
    pub const fn new() -> Self {
        Self { turn: None, encoding: Vec::new() }
    }

    /// Takes in an outcome that nobody needs any more, so that the next one gets its memory.
    pub fn reclaim(&mut self, outcome: Outcome<R>) {
        if let Some(turn) = self.turn.as_mut() {
            R::reclaim(turn, outcome);
        }
    }
}

impl<R: Ruleset> Default for Workspace<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// A match of a game, from its first state on.
#[derive(Clone, Debug)]
pub struct Game<R: Ruleset> {
    rules: Arc<R::Rules>,
    seed: Seed,
    state: R::State,
    digest: Digest,
    /// What each player remembers, by player; empty where nothing is hidden.
    memories: Vec<(PlayerId, Memory)>,
    /// The sheets that are locked for this turn, in the order in which they came.
    locked: Vec<R::Legal>,
    /// The turn while it waits for answers.
    open: Option<OpenTurn<R>>,
}

/// A turn that waits for answers.
#[derive(Clone, Debug)]
struct OpenTurn<R: Ruleset> {
    turn: Box<R::Turn>,
    /// The place of the stage that asked.
    stage: usize,
    /// What it asked.
    window: Window<R::Subject, R::Choice>,
}

impl<R: Ruleset> Game<R> {
    /// A match at its first state.
    pub fn new(rules: Arc<R::Rules>, state: R::State, seed: Seed) -> Self {
        let digest = Digest::genesis(&rules, &state);
        let memories = R::first_memories(&rules, &state);
        Self::restore(rules, seed, state, digest, memories)
    }

    /// A match between two turns, as it was written down: its state, the digest of that, and what players remember.
    pub fn restore(
        rules: Arc<R::Rules>,
        seed: Seed,
        state: R::State,
        digest: Digest,
        memories: Vec<(PlayerId, Memory)>,
    ) -> Self {
        Self { rules, seed, state, digest, memories, locked: Vec::new(), open: None }
    }

    /// A match in which nothing is hidden from those who judge and look, whatever the rules say: one that is imagined, or
    /// made to be looked at from outside.
    pub fn revealed(rules: Arc<R::Rules>, state: R::State, seed: Seed, digest: Digest) -> Self {
        Self::restore(rules, seed, state, digest, Vec::new())
    }

    /// Puts the match into another state, before any sheet of its turn. What players remember stays.
    pub fn set_state(&mut self, state: &R::State, seed: &Seed, digest: Digest) {
        self.state.clone_from(state);
        (self.seed, self.digest) = (*seed, digest);
        self.give_up();
    }

    /// The rules of the match.
    pub const fn rules(&self) -> &Arc<R::Rules> {
        &self.rules
    }

    /// The seed of the dice.
    pub const fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The state that the turn is planned in; while a turn is resolved, still that.
    pub const fn state(&self) -> &R::State {
        &self.state
    }

    /// The digest of that state, chained with those before (R13.3).
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The state alone, of a match that nobody plays any more.
    pub fn into_state(self) -> R::State {
        self.state
    }

    /// The number of the turn that is planned or resolved.
    pub fn turn(&self) -> u32 {
        R::turn_of(&self.state)
    }

    /// What players remember, by player; empty where nothing is hidden.
    pub fn memories(&self) -> &[(PlayerId, Memory)] {
        &self.memories
    }

    /// What a player remembers; `None` where nothing is hidden.
    pub fn memory(&self, player: PlayerId) -> Option<&Memory> {
        self.memories.iter().find(|(other, _)| *other == player).map(|(_, memory)| memory)
    }

    /// The legal part of a sheet, and everything that is wrong with it.
    pub fn judge(&self, sheet: &R::Sheet) -> Verdict<R::Legal, R::Fault> {
        R::judge(&self.rules, &self.state, sheet, self.memory(R::player_of_sheet(sheet)))
    }

    /// Freezes a player's orders (R5.2). Whoever has locked nothing when the turn begins has ordered nothing.
    pub fn lock(&mut self, legal: R::Legal) -> Result<(), LockError> {
        let (player, sheet) = R::signature(&legal);
        if self.open.is_some() {
            return Err(LockError::Resolving);
        }
        if R::is_over(&self.state) {
            return Err(LockError::Over);
        }
        if sheet != self.turn() {
            return Err(LockError::OtherTurn { player, sheet });
        }
        if self.is_locked(player) {
            return Err(LockError::TwoSheets { player });
        }
        self.locked.push(legal);
        Ok(())
    }

    /// Whether a player's orders are frozen.
    pub fn is_locked(&self, player: PlayerId) -> bool {
        self.locked.iter().any(|legal| R::signature(legal).0 == player)
    }

    /// The questions that the turn waits for, in the order in which they were asked; empty where it waits for none.
    pub fn questions(&self) -> &[QuestionOf<R>] {
        self.open.as_ref().map_or(&[], |open| &open.window.questions)
    }

    /// The question that a player's number stands for, as long as the turn waits for its answer.
    pub fn question(&self, seat: PlayerId, id: u32) -> Option<&QuestionOf<R>> {
        self.open.as_ref()?.window.question(seat, id)
    }

    /// The number of the open window among all windows of the turn, counted from 1; 0 where the turn waits for nothing.
    /// Only those who write a match down may know it: to players it would say that others were asked.
    pub fn window(&self) -> u32 {
        self.open.as_ref().map_or(0, |open| open.window.number())
    }

    /// The number of the open window among those of the turn in which a player is asked, counted from 1; `None` where the
    /// player is not asked in it.
    pub fn window_of(&self, seat: PlayerId) -> Option<u32> {
        self.open.as_ref()?.window.number_of(seat)
    }

    /// The working copy of a turn that waits for answers.
    pub fn open_turn(&self) -> Option<&R::Turn> {
        self.open.as_ref().map(|open| &*open.turn)
    }

    /// Whether the turn is being resolved and waits for answers.
    pub const fn is_asking(&self) -> bool {
        self.open.is_some()
    }

    /// What has happened so far in a turn that waits for answers.
    pub fn so_far(&self) -> &[EventOf<R>] {
        self.open.as_ref().map_or(&[], |open| R::events(&open.turn))
    }

    /// Everything that is wrong with answers to [`Game::questions`], or to some of them. Nothing is asked before the turn
    /// begins, so that no answer is right then.
    pub fn check(&self, answers: &[Answer]) -> Result<(), Vec<AnswerFault>> {
        match &self.open {
            Some(open) => open.window.check(answers),
            None => Window::<R::Subject, R::Choice>::none().check(answers),
        }
    }

    /// Goes on with the turn as far as it can: from the locked sheets, or from the answers to what it asked last. A
    /// question without an answer gets its default. Faulty answers change nothing.
    pub fn advance(
        &mut self,
        workspace: &mut Workspace<R>,
        answers: &[Answer],
    ) -> Result<Step<R>, AdvanceError<R::Fault>> {
        if self.open.is_none() && R::is_over(&self.state) {
            return Err(AdvanceError::Over);
        }
        self.check(answers).map_err(AdvanceError::Answers)?;
        let mut open = self.open.take().unwrap_or_else(|| self.begin(workspace));
        let mut settled = open.window.close(answers);
        while let Some(stage) = R::stage(&self.rules, open.stage) {
            if let Some(fault) = R::exceeded(&open.turn) {
                self.open = Some(open);
                return Err(AdvanceError::Exceeded(fault));
            }
            let told = R::events(&open.turn).len();
            let flow = (stage.run)(&mut open.turn, &std::mem::take(&mut settled));
            // Rules list far fewer stages than a byte can count.
            let place = u8::try_from(open.stage).unwrap_or(u8::MAX);
            R::events_mut(&mut open.turn)[told..].iter_mut().for_each(|event| event.stage = place);
            match flow {
                Flow::Done => open.stage += 1,
                Flow::Ask(questions) => match open.window.open(questions) {
                    Some(alone) => settled = alone,
                    None => {
                        self.open = Some(open);
                        return Ok(Step::Asked);
                    }
                },
            }
            R::assert_invariants(&open.turn);
        }
        Ok(Step::Resolved(Box::new(self.finish(open.turn, workspace))))
    }

    /// Throws a turn away that waits for answers or cannot be resolved, with the sheets that were locked for it.
    pub fn give_up(&mut self) {
        self.open = None;
        self.locked.clear();
    }

    /// Puts the match into another state, and gives the one that it was in.
    pub fn swap_state(&mut self, state: R::State) -> R::State {
        self.give_up();
        std::mem::replace(&mut self.state, state)
    }

    /// Begins the turn with the sheets that are locked.
    fn begin(&self, workspace: &mut Workspace<R>) -> OpenTurn<R> {
        let dice = Dice::new(&self.seed, self.turn());
        let turn = R::begin(workspace.turn.take(), &self.rules, &self.state, dice, &self.locked);
        OpenTurn { turn, stage: 0, window: Window::none() }
    }

    /// Takes over what a turn came to, and lets everybody remember what they saw of it.
    fn finish(&mut self, mut turn: Box<R::Turn>, workspace: &mut Workspace<R>) -> Outcome<R> {
        let (state, events, shortfalls) = R::finish(&mut turn);
        workspace.turn = Some(turn);
        self.digest = self.digest.chain(&state, &mut workspace.encoding);
        let before = std::mem::replace(&mut self.state, state);
        self.locked.clear();
        let (rules, after, happened) = (&self.rules, &self.state, (&events[..], &shortfalls[..]));
        let seen = |(player, memory): &mut (PlayerId, Memory)| {
            (*player, R::witness(rules, (&before, after), happened, *player, memory))
        };
        let seen = self.memories.iter_mut().map(seen).collect();
        Outcome { before, events, shortfalls, seen }
    }
}
