//! What a game says of itself so that it can be hosted, and what follows from that for its matches.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_core::encoding::Encode;
use parley_core::game::{EventOf, Game, Outcome, QuestionOf, Ruleset, Step};
use parley_core::ids::PlayerId;
use parley_core::question::{Answer, AnswerFault, WrongAnswer};
use parley_core::sight::Memory;
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::v1;
use uuid::Uuid;

use super::{
    AdviceError, AnyGame, GameTools, HostedGame, HostedOutcome, HostedSetup, HostedSheet, HostedStep, HostedWorkspace,
    Labels, SaidQuery, SaidSheet, SetupFault, SharedRules, ToldTurn, TurnCounts, Viewer,
};
use crate::replay::account::{Account, account};
use crate::replay::divergence::diverges;
use crate::replay::verify::check;
use crate::replay::{Finding, Options, RecordedRuleset, Replay, Verdict};

/// A game that can be hosted: what it says of itself beside its rules. Whatever a message means is decided here; how a match
/// is driven with it is the same for all games.
pub trait HostedRuleset:
    Ruleset<
        State: Send + Sync,
        Legal: Send + Sync,
        Fault: Send + Sync,
        Subject: Send + Sync,
        Choice: Send + Sync,
        Body: Send + Sync,
        Shortfall: Send + Sync,
        Seen: Send + Sync,
        Turn: Send + Sync,
    > + RecordedRuleset
    + fmt::Debug
    + Send
    + Sync
{
    /// What never changes in a match.
    type Setup: HostedSetup;
    /// Orders as a player said them.
    type Said: SaidSheet;
    /// A question about the game.
    type Query: fmt::Debug + Send + Sync + 'static;

    /// The number of the arm of the game in messages that all games share.
    const ARM: u32;
    /// How many seats a match may have.
    const MOST_PLAYERS: usize;
    /// What things of the game are called where turns are counted and traced.
    const LABELS: Labels;
    /// See [`AnyGame::tools`].
    const TOOLS: Option<&'static dyn GameTools> = None;

    /// What a match for so many is called that nobody gave a name.
    fn match_name(seats: usize) -> String;

    /// See [`AnyGame::plan`].
    fn plan(
        settings: Option<&[u8]>,
        seats: usize,
        random: u64,
        most_tiles: usize,
    ) -> Result<(Self::Setup, Bytes), SetupFault>;

    /// See [`AnyGame::rules`].
    fn rules(text: &str) -> Result<Self::Rules, String>;

    /// See [`AnyGame::rules_of_file`].
    fn rules_of_file(text: &str) -> Result<Self::Rules, String>;

    /// See [`AnyGame::read`].
    fn read(rules: Arc<Self::Rules>, drawn: &[u8]) -> Result<Self::Setup, SetupFault>;

    /// The players who are not eliminated, in order.
    fn living(state: &Self::State) -> impl Iterator<Item = PlayerId>;

    /// Whether a player is not eliminated.
    fn is_alive(state: &Self::State, player: PlayerId) -> bool;

    /// How many units there are.
    fn units(state: &Self::State) -> usize;

    /// How the match ended, once it has.
    fn result(state: &Self::State) -> Option<common::MatchResult>;

    /// See [`HostedGame::read_sheet`].
    fn read_sheet(said: &[u8]) -> Result<Self::Said, String>;

    /// Orders that say nothing.
    fn blank_sheet() -> Self::Said;

    /// The orders of a player as the rules judge them, and what is wrong with those that mean nothing.
    fn sheet(rules: &Self::Rules, player: PlayerId, said: &Self::Said) -> (Self::Sheet, Vec<common::Fault>);

    /// What the rules find wrong with orders that were read from what a player said, as a message with the field that is at
    /// fault.
    fn fault(rules: &Self::Rules, said: &Self::Said, fault: &Self::Fault) -> common::Fault;

    /// What a question is about, as a message.
    fn subject(subject: &Self::Subject) -> Option<common::Subject>;

    /// How many groups of its tick an open turn asks about.
    fn groups(game: &Game<Self>) -> usize;

    /// What a player is told when the turn asks them something, without a deadline; `None` where it asks nothing.
    fn prompt(game: &Game<Self>, player: PlayerId) -> Option<opaque::Prompt>;

    /// What a viewer sees of the state before the turn, as bytes of a `parley.v1.View`.
    fn view(game: &Game<Self>, viewer: Viewer) -> Bytes;

    /// See [`HostedGame::shared`].
    fn shared(game: &Game<Self>, outcome: &Outcome<Self>) -> ToldTurn;

    /// See [`HostedGame::own`].
    fn own(game: &Game<Self>, outcome: &Outcome<Self>, viewer: Viewer) -> ToldTurn;

    /// See [`HostedGame::told`].
    fn told(game: &Game<Self>, outcome: &Outcome<Self>, viewer: Viewer) -> ToldTurn;

    /// Reads the bytes of a `parley.v1.Query`, or says why they ask nothing about this game.
    fn read_query(said: &[u8]) -> Result<Self::Query, AdviceError>;

    /// How much effort it is to answer a viewer, in tiles that are looked at or could be meanwhile.
    fn effort_of(game: &Game<Self>, viewer: Viewer, query: &Self::Query) -> usize;

    /// The answer to a viewer, as far as they may know, as bytes of a `parley.v1.Advice`.
    fn advise(game: &Game<Self>, viewer: Viewer, query: &Self::Query) -> Result<Bytes, AdviceError>;

    /// How often things happened: one number for each counter of [`HostedRuleset::LABELS`].
    fn counts(events: &[EventOf<Self>]) -> Vec<u64>;

    /// The ticks and the groups of a turn, or of a part of it.
    fn course(events: &[EventOf<Self>]) -> TurnCounts;
}

/// The rule about answers, for those that are to no question.
const ANSWERS: &str = "R7.2";

/// A ruleset as an entry of the registry.
pub struct Hosted<R>(PhantomData<fn() -> R>);

impl<R: HostedRuleset> Hosted<R> {
    /// The entry.
    pub const NEW: Self = Self(PhantomData);
}

impl<R: HostedRuleset> AnyGame for Hosted<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn arm(&self) -> u32 {
        R::ARM
    }

    fn most_players(&self) -> usize {
        R::MOST_PLAYERS
    }

    fn labels(&self) -> &'static Labels {
        const { &R::LABELS }
    }

    fn match_name(&self, seats: usize) -> String {
        R::match_name(seats)
    }

    fn plan(
        &self,
        settings: Option<&[u8]>,
        seats: usize,
        random: u64,
        most_tiles: usize,
    ) -> Result<(Arc<dyn HostedSetup>, Bytes), SetupFault> {
        let (setup, filled_in) = R::plan(settings, seats, random, most_tiles)?;
        Ok((Arc::new(setup), filled_in))
    }

    fn rules(&self, text: &str) -> Result<SharedRules, String> {
        Ok(Arc::new(R::rules(text)?))
    }

    fn rules_of_file(&self, text: &str) -> Result<SharedRules, String> {
        Ok(Arc::new(R::rules_of_file(text)?))
    }

    fn read(&self, rules: SharedRules, drawn: &[u8]) -> Result<Arc<dyn HostedSetup>, SetupFault> {
        let rules = own_rules::<R>(&rules).map_err(|text| SetupFault::new("settings.game", text))?;
        Ok(Arc::new(R::read(rules, drawn)?))
    }

    fn verify(&self, replay: &Replay<'_>, options: &Options, verdict: &mut Verdict) -> Result<(), Finding> {
        check::<R>(replay, options, verdict)
    }

    fn diverges(&self, replay: &Replay<'_>, rules: &SharedRules) -> Result<(), Finding> {
        let rules = own_rules::<R>(rules).map_err(|text| Finding::new("header", "ruleset", text))?;
        diverges::<R>(replay, &rules)
    }

    fn account(
        &self,
        replay: &Replay<'_>,
        only: Option<u32>,
        trace_of: &dyn Fn(Uuid, u32) -> [u8; 16],
    ) -> Result<Account, Finding> {
        account::<R>(replay, only, trace_of)
    }

    fn tools(&self) -> Option<&'static dyn GameTools> {
        R::TOOLS
    }
}

/// Rules as this game knows them, or a sentence where they are another game's.
fn own_rules<R: HostedRuleset>(rules: &SharedRules) -> Result<Arc<R::Rules>, String> {
    Arc::clone(rules).downcast().map_err(|_| format!("the rules are not those of {}", R::NAME))
}

fn player(seat: u8) -> Option<PlayerId> {
    PlayerId::new(seat.into())
}

fn no_seat(seat: u8) -> String {
    format!("there is no seat {seat}")
}

/// Reads the answers of a player.
fn answers(player: PlayerId, said: &[v1::Answer]) -> Vec<Answer> {
    said.iter().map(|said| answer(player, said)).collect()
}

/// Reads the answer of a player.
fn answer(player: PlayerId, said: &v1::Answer) -> Answer {
    Answer { seat: player, question: said.question, options: said.options.clone() }
}

/// The field of an answer that is at fault.
fn answer_field(wrong: WrongAnswer, options: &[u32]) -> String {
    let place = match wrong {
        WrongAnswer::NotAsked | WrongAnswer::AnsweredTwice => return "question".to_owned(),
        WrongAnswer::TooFew(_) | WrongAnswer::TooMany(_) => None,
        WrongAnswer::NoSuchOption(option) => options.iter().position(|&picked| picked == option),
        WrongAnswer::PickedTwice(option) => options.iter().rposition(|&picked| picked == option),
    };
    place.map_or_else(|| "options".to_owned(), |place| format!("options[{place}]"))
}

impl<R: HostedRuleset> HostedOutcome for Outcome<R> {
    fn turn(&self) -> u32 {
        R::turn_of(&self.before)
    }

    fn units_before(&self) -> usize {
        R::units(&self.before)
    }

    fn living_before(&self) -> Vec<u8> {
        R::living(&self.before).map(PlayerId::get).collect()
    }

    fn events(&self) -> usize {
        self.events.len()
    }

    fn counts(&self) -> Vec<u64> {
        R::counts(&self.events)
    }

    fn course(&self) -> TurnCounts {
        R::course(&self.events)
    }

    fn reclaim(self: Box<Self>, workspace: &mut HostedWorkspace) {
        workspace.of::<R>().reclaim(*self);
    }
}

/// An outcome of this game; `None` where it is one of another.
fn of_game<R: HostedRuleset>(outcome: &dyn HostedOutcome) -> Option<&Outcome<R>> {
    (outcome as &dyn Any).downcast_ref()
}

impl<R: HostedRuleset> HostedGame for Game<R> {
    fn turn(&self) -> u32 {
        self.turn()
    }

    fn digest(&self) -> Digest {
        self.digest()
    }

    fn encode_state(&self) -> Vec<u8> {
        let mut state = Vec::new();
        self.state().encode_into(&mut state);
        state
    }

    fn encode_memory(&self, seat: u8) -> Option<Vec<u8>> {
        self.memory(player(seat)?).map(Memory::to_bytes)
    }

    fn is_over(&self) -> bool {
        R::is_over(self.state())
    }

    fn result(&self) -> Option<common::MatchResult> {
        R::result(self.state())
    }

    fn units(&self) -> usize {
        R::units(self.state())
    }

    fn is_alive(&self, seat: u8) -> bool {
        player(seat).is_some_and(|player| R::is_alive(self.state(), player))
    }

    fn read_sheet(&self, said: &[u8]) -> Result<Box<dyn SaidSheet>, String> {
        Ok(Box::new(R::read_sheet(said)?))
    }

    fn blank_sheet(&self) -> Box<dyn SaidSheet> {
        Box::new(R::blank_sheet())
    }

    fn judge(&self, seat: u8, said: &dyn SaidSheet) -> Option<(HostedSheet, Vec<common::Fault>)> {
        let said: &R::Said = (said as &dyn Any).downcast_ref()?;
        let (sheet, mut faults) = R::sheet(self.rules(), player(seat)?, said);
        let verdict = self.judge(&sheet);
        faults.extend(verdict.faults.iter().map(|fault| R::fault(self.rules(), said, fault)));
        Some((HostedSheet(Box::new(verdict.legal)), faults))
    }

    fn lock(&mut self, sheet: HostedSheet) -> Result<(), String> {
        let legal: Box<R::Legal> =
            sheet.0.downcast().map_err(|_| format!("the orders are not those of {}", R::NAME))?;
        self.lock(*legal).map_err(|error| error.to_string())
    }

    fn advance(&mut self, workspace: &mut HostedWorkspace, said: &[(u8, v1::Answer)]) -> Result<HostedStep, String> {
        let read = |(seat, said): &(u8, v1::Answer)| {
            player(*seat).map(|player| answer(player, said)).ok_or_else(|| no_seat(*seat))
        };
        let answers: Vec<Answer> = said.iter().map(read).collect::<Result<_, _>>()?;
        match self.advance(workspace.of::<R>(), &answers) {
            Ok(Step::Asked) => Ok(HostedStep::Asked),
            Ok(Step::Resolved(outcome)) => Ok(HostedStep::Resolved(outcome)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn give_up(&mut self) {
        self.give_up();
    }

    fn window(&self) -> u32 {
        self.window()
    }

    fn window_of(&self, seat: u8) -> Option<u32> {
        self.window_of(player(seat)?)
    }

    fn tick(&self) -> u32 {
        self.questions().first().map_or(0, |question| question.tick.into())
    }

    fn groups(&self) -> usize {
        R::groups(self)
    }

    fn questions(&self) -> usize {
        self.questions().len()
    }

    fn waits_for(&self, seat: u8, given: &[v1::Answer]) -> bool {
        let given: BTreeSet<u32> = given.iter().map(|given| given.question).collect();
        self.questions().iter().any(|asked| asked.seat.get() == seat && !given.contains(&asked.id()))
    }

    fn takes(&self, seat: u8, said: &[v1::Answer]) -> bool {
        player(seat).is_some_and(|player| self.check(&answers(player, said)).is_ok())
    }

    fn check_answers(&self, seat: u8, said: &[v1::Answer], given: &[v1::Answer]) -> Vec<common::Fault> {
        let Some(player) = player(seat) else {
            return vec![common::Fault { rule: "R1".to_owned(), text: no_seat(seat), ..Default::default() }];
        };
        let fault = |place: usize, part: String, wrong: &str| {
            let number = said[place].question;
            let asked = self.question(player, number);
            common::Fault {
                subject: asked.and_then(|asked| R::subject(&asked.about)),
                rule: asked.map_or(ANSWERS, |asked| asked.rule).to_owned(),
                text: format!("question {number} {wrong}"),
                field: format!("answers[{place}].{part}"),
            }
        };
        let of_wrong = |found: &AnswerFault| {
            let part = answer_field(found.wrong, &said[found.place].options);
            fault(found.place, part, &found.wrong.to_string())
        };
        let wrong = self.check(&answers(player, said)).err().unwrap_or_default();
        let mut faults: Vec<common::Fault> = wrong.iter().map(of_wrong).collect();
        let given: BTreeSet<u32> = given.iter().map(|given| given.question).collect();
        let again = said.iter().enumerate().filter(|(_, said)| given.contains(&said.question));
        faults.extend(again.map(|(place, _)| fault(place, "question".to_owned(), "has been answered before")));
        if said.is_empty() {
            let (rule, text, field) = (ANSWERS.to_owned(), "no answer is given".to_owned(), "answers".to_owned());
            faults.push(common::Fault { subject: None, rule, text, field });
        }
        faults
    }

    fn defaults(&self) -> Vec<v1::ReplayAnswer> {
        let default = |asked: &QuestionOf<R>| v1::ReplayAnswer {
            seat: asked.seat.get().into(),
            question: asked.id(),
            options: asked.default.clone(),
            defaulted: true,
        };
        let mut defaults: Vec<v1::ReplayAnswer> = self.questions().iter().map(default).collect();
        defaults.sort_by_key(|answer| (answer.seat, answer.question));
        defaults
    }

    fn prompt(&self, seat: u8) -> Option<opaque::Prompt> {
        R::prompt(self, player(seat)?)
    }

    fn view(&self, viewer: Viewer) -> Bytes {
        R::view(self, viewer)
    }

    fn shared(&self, outcome: &dyn HostedOutcome) -> ToldTurn {
        of_game(outcome).map(|outcome| R::shared(self, outcome)).unwrap_or_default()
    }

    fn own(&self, outcome: &dyn HostedOutcome, viewer: Viewer) -> ToldTurn {
        of_game(outcome).map(|outcome| R::own(self, outcome, viewer)).unwrap_or_default()
    }

    fn told(&self, outcome: &dyn HostedOutcome, viewer: Viewer) -> ToldTurn {
        of_game(outcome).map(|outcome| R::told(self, outcome, viewer)).unwrap_or_default()
    }

    fn read_query(&self, said: &[u8]) -> Result<SaidQuery, AdviceError> {
        Ok(SaidQuery(Box::new(R::read_query(said)?)))
    }

    fn effort_of(&self, viewer: Viewer, query: &SaidQuery) -> usize {
        query.0.downcast_ref().map_or(0, |query| R::effort_of(self, viewer, query))
    }

    fn advise(&self, viewer: Viewer, query: &SaidQuery) -> Result<Bytes, AdviceError> {
        let other = || AdviceError::field("query", format!("it is not about {}, the game of the match", R::NAME));
        R::advise(self, viewer, query.0.downcast_ref().ok_or_else(other)?)
    }

    fn course_so_far(&self) -> TurnCounts {
        R::course(self.so_far())
    }
}
