//! The rules of lanterns.
//!
//! Every lantern goes one tile to the left, to the right, or stays. Lanterns that come to the same tile are asked whether
//! they insist; whoever does not goes back, and where several insist all of them go out. Who is left alone has won. A
//! player sees the tiles next to the own lantern and remembers those that were seen. Then a turn asks what its rules list, one
//! list after the other, and tells how that was settled, which matters to nobody. At its end go out the lanterns of those who
//! give up.

use std::fmt;
use std::sync::Arc;

use parley_core::dice::Dice;
use parley_core::digest::Commit;
use parley_core::encoding::Encode;
use parley_core::event;
use parley_core::game::{self, Flow, Outcome, QuestionOf, Ruleset, Stage, Verdict};
use parley_core::grid::{Grid, Tile};
use parley_core::ids::PlayerId;
use parley_core::question::Settled;
use parley_core::sight::Memory;

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct Lanterns;

pub type Game = game::Game<Lanterns>;
pub type Workspace = game::Workspace<Lanterns>;
pub type Event = event::Event<Body>;
pub type Question = QuestionOf<Lanterns>;

/// How long the row is, how often lanterns may come together in one turn, and what is asked at its end.
#[derive(Debug)]
pub struct Row {
    pub length: u32,
    pub most_meetings: usize,
    pub riddles: Vec<Vec<Question>>,
}

/// The row before a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lights {
    pub turn: u32,
    /// Where each lantern that burns is, by player.
    pub burning: Vec<(PlayerId, u32)>,
}

/// Where a lantern is to go: -1, 0 or 1.
#[derive(Clone, Debug)]
pub struct Walk {
    pub player: PlayerId,
    pub step: i32,
    /// Whether the lantern goes out at the end of the turn.
    pub gives_up: bool,
}

impl Walk {
    /// A walk of somebody who goes on.
    pub const fn new(player: PlayerId, step: i32) -> Self {
        Self { player, step, gives_up: false }
    }
}

/// A walk that stays on the row.
#[derive(Clone, Debug)]
pub struct LegalWalk {
    player: PlayerId,
    turn: u32,
    to: u32,
    gives_up: bool,
}

/// What happened to a lantern, or how riddles were settled that were asked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Moved(PlayerId, u32),
    WentOut(PlayerId),
    Settled(Vec<Settled>),
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub &'static str);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A turn in work.
#[derive(Clone, Debug)]
pub struct Turn {
    before: Lights,
    after: Lights,
    events: Vec<Event>,
    /// Who stands where others stand.
    met: Vec<(PlayerId, u32)>,
    rules: Arc<Row>,
    /// How many lists of riddles were asked.
    riddles: usize,
    /// Who gives up.
    leaving: Vec<PlayerId>,
}

impl Encode for Row {
    fn encode_into(&self, out: &mut Vec<u8>) {
        out.extend(self.length.to_le_bytes());
    }
}

impl Encode for Lights {
    fn encode_into(&self, out: &mut Vec<u8>) {
        out.extend(self.turn.to_le_bytes());
        for (player, at) in &self.burning {
            out.push(player.get());
            out.extend(at.to_le_bytes());
        }
    }
}

impl Commit for Lights {
    fn encode_map_into(&self, _: &mut Vec<u8>) {}
}

impl Turn {
    /// Those who stand where others stand.
    fn meetings(&self) -> Vec<(PlayerId, u32)> {
        let together = |at: u32| self.after.burning.iter().filter(|(_, other)| *other == at).count() > 1;
        self.after.burning.iter().filter(|(_, at)| together(*at)).copied().collect()
    }
}

fn walk(turn: &mut Turn, _: &[Settled]) -> Flow<Lanterns> {
    for ((player, from), (_, to)) in turn.before.burning.iter().zip(&turn.after.burning) {
        if from != to {
            turn.events.push(Event::new(None, 0, Body::Moved(*player, *to)));
        }
    }
    Flow::Done
}

/// Asks those who came together, and goes on when they have answered.
fn meet(turn: &mut Turn, settled: &[Settled]) -> Flow<Lanterns> {
    if turn.met.is_empty() {
        turn.met = turn.meetings();
        let options = || vec!["give way", "insist"];
        let question = |&(player, tile): &(PlayerId, u32)| Question::new(player, "meeting", "L1", tile, options());
        let questions: Vec<Question> = turn.met.iter().map(question).collect();
        return if questions.is_empty() { Flow::Done } else { Flow::Ask(questions) };
    }
    assert_eq!(turn.met.len(), settled.len(), "every question is settled");
    let answered: Vec<_> = turn.met.iter().zip(settled).map(|(&met, settled)| (met, settled.picked == [1])).collect();
    let (mut back, mut out) = (Vec::new(), Vec::new());
    for &((player, tile), insists) in &answered {
        let rivals = answered.iter().filter(|((_, other), insists)| *other == tile && *insists).count();
        match (insists, rivals) {
            (true, 1) => {}
            (true, _) => out.push(player),
            (false, _) => back.push(player),
        }
    }
    for (place, (player, at)) in turn.after.burning.iter_mut().enumerate() {
        if back.contains(player) && *at != turn.before.burning[place].1 {
            *at = turn.before.burning[place].1;
            turn.events.push(Event::new(None, 0, Body::Moved(*player, *at)));
        }
    }
    turn.events.extend(out.iter().map(|player| Event::new(None, 0, Body::WentOut(*player))));
    turn.after.burning.retain(|(player, _)| !out.contains(player));
    Flow::Done
}

/// Asks one list of riddles after the other.
fn riddle(turn: &mut Turn, settled: &[Settled]) -> Flow<Lanterns> {
    if turn.riddles > 0 {
        turn.events.push(Event::new(None, 0, Body::Settled(settled.to_vec())));
    }
    let Some(riddles) = turn.rules.riddles.get(turn.riddles) else { return Flow::Done };
    turn.riddles += 1;
    Flow::Ask(riddles.clone())
}

/// Lets the lanterns of those go out who give up.
fn leave(turn: &mut Turn, _: &[Settled]) -> Flow<Lanterns> {
    let leaves = |player: &PlayerId| turn.leaving.contains(player);
    let out = turn.after.burning.iter().map(|(player, _)| *player).filter(leaves);
    let events: Vec<Event> = out.map(|player| Event::new(None, 0, Body::WentOut(player))).collect();
    turn.events.extend(events);
    turn.after.burning.retain(|(player, _)| !turn.leaving.contains(player));
    Flow::Done
}

impl Ruleset for Lanterns {
    const NAME: &'static str = "lanterns";

    type Rules = Row;
    type State = Lights;
    type Sheet = Walk;
    type Legal = LegalWalk;
    type Fault = Fault;
    type Subject = u32;
    type Choice = &'static str;
    type Body = Body;
    type Shortfall = ();
    type Seen = Vec<Event>;
    type Turn = Turn;

    fn stage(_: &Row, place: usize) -> Option<Stage<Self>> {
        let stages: [Stage<Self>; 4] = [
            Stage { name: "walk", run: walk },
            Stage { name: "meet", run: meet },
            Stage { name: "riddle", run: riddle },
            Stage { name: "leave", run: leave },
        ];
        stages.get(place).copied()
    }

    fn turn_of(state: &Lights) -> u32 {
        state.turn
    }

    fn is_over(state: &Lights) -> bool {
        state.burning.len() < 2
    }

    fn first_memories(rules: &Row, state: &Lights) -> Vec<(PlayerId, Memory)> {
        let grid = Grid::new(rules.length, 1, false).expect("a row");
        state.burning.iter().map(|&(player, _)| (player, Memory::new(&grid))).collect()
    }

    fn judge(rules: &Row, state: &Lights, sheet: &Walk, _: Option<&Memory>) -> Verdict<LegalWalk, Fault> {
        let at = state.burning.iter().find(|(player, _)| *player == sheet.player).map_or(0, |(_, at)| *at);
        let to = at.checked_add_signed(sheet.step).filter(|to| *to < rules.length && sheet.step.abs() <= 1);
        let legal =
            LegalWalk { player: sheet.player, turn: state.turn, to: to.unwrap_or(at), gives_up: sheet.gives_up };
        Verdict { legal, faults: if to.is_some() { Vec::new() } else { vec![Fault("off the row")] } }
    }

    fn player_of_sheet(sheet: &Walk) -> PlayerId {
        sheet.player
    }

    fn signature(legal: &LegalWalk) -> (PlayerId, u32) {
        (legal.player, legal.turn)
    }

    fn begin(_: Option<Box<Turn>>, rules: &Arc<Row>, state: &Lights, _: Dice, sheets: &[LegalWalk]) -> Box<Turn> {
        let mut after = state.clone();
        for (player, at) in &mut after.burning {
            *at = sheets.iter().find(|sheet| sheet.player == *player).map_or(*at, |sheet| sheet.to);
        }
        let leaving = sheets.iter().filter(|sheet| sheet.gives_up).map(|sheet| sheet.player).collect();
        let (events, met, riddles) = Default::default();
        Box::new(Turn { before: state.clone(), after, events, met, rules: Arc::clone(rules), riddles, leaving })
    }

    fn exceeded(turn: &Turn) -> Option<Fault> {
        (turn.meetings().len() > turn.rules.most_meetings).then_some(Fault("too many meetings"))
    }

    fn assert_invariants(_: &Turn) {}

    fn events(turn: &Turn) -> &[Event] {
        &turn.events
    }

    fn events_mut(turn: &mut Turn) -> &mut [Event] {
        &mut turn.events
    }

    fn finish(turn: &mut Turn) -> (Lights, Vec<Event>, Vec<()>) {
        let after = Lights { turn: turn.after.turn + 1, burning: std::mem::take(&mut turn.after.burning) };
        (after, std::mem::take(&mut turn.events), Vec::new())
    }

    fn reclaim(turn: &mut Turn, outcome: Outcome<Self>) {
        turn.events = outcome.events;
    }

    fn witness(
        _: &Row,
        (before, _): (&Lights, &Lights),
        (events, _): (&[Event], &[()]),
        player: PlayerId,
        memory: &mut Memory,
    ) -> Vec<Event> {
        let place = |who: PlayerId| before.burning.iter().find(|(other, _)| *other == who).map(|(_, at)| *at);
        let Some(own) = place(player) else { return Vec::new() };
        let near_tiles: Vec<Tile> = (own.saturating_sub(1)..=own + 1).map(|at| Tile::from_index(at as usize)).collect();
        memory.learn_tiles(&near_tiles);
        let near = |who: PlayerId| place(who).is_some_and(|at| at.abs_diff(own) <= 1);
        let seen = |event: &&Event| match &event.body {
            Body::Moved(who, _) | Body::WentOut(who) => near(*who),
            Body::Settled(_) => false,
        };
        events.iter().filter(seen).cloned().collect()
    }
}
