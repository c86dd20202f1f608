//! A view and the changes of a turn are the next view, for every viewer through whole matches, on the messages that the
//! service sends.

use std::collections::BTreeSet;
use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::ids::PlayerId;
use parley_games::hosted::{Games, HostedGame, HostedOutcome, HostedStep, HostedWorkspace, ToldTurn, Viewer};
use parley_games::plunder::changes;
use parley_plunder::rules::Rules;
use parley_proto::plunder::v1::event::What as Happened;
use prost::Message;
use serde_json::json;

use super::*;
use crate::news::{Step, Story};
use crate::policy::{self, Policy, named};

/// A match with a policy on each seat, as the service plays it.
struct Match {
    game: Box<dyn HostedGame>,
    workspace: HostedWorkspace,
    policies: Vec<Box<dyn Policy>>,
    /// The views of all seats, and that of somebody without a seat, kept by changes.
    views: Vec<plunder::View>,
    /// The prompts of the turn, with the seats that they were for.
    prompts: Vec<(usize, v1::Prompt)>,
    seen: Counts,
}

/// What was compared, so that no comparison is of nothing.
#[derive(Debug, Default)]
struct Counts {
    fights: usize,
    prompts: usize,
    defaults: usize,
    /// Events that only one viewer is told of, placed among those that all know.
    placed: usize,
    /// The kinds of changes without which the next view would not have come about.
    needed: BTreeSet<&'static str>,
}

fn decode<M: Message + Default>(bytes: &[u8]) -> M {
    M::decode(bytes).expect("a message")
}

fn naval<M: Arms>(message: M) -> M::Plunder {
    message.into_plunder().expect("a message of the naval game")
}

/// The kind of a change.
const fn kind(change: &plunder::Change) -> &'static str {
    match &change.what {
        Some(What::Unit(_)) => "unit",
        Some(What::UnitGone(_)) => "unit_gone",
        Some(What::Structure(_)) => "structure",
        Some(What::StructureGone(_)) => "structure_gone",
        Some(What::Contest(_)) => "contest",
        Some(What::ContestGone(_)) => "contest_gone",
        Some(What::Player(_)) => "player",
        Some(What::Sight(_)) => "sight",
        Some(What::Turn(_)) => "turn",
        Some(What::Result(_)) => "result",
        None => "none",
    }
}

impl Match {
    fn new(overrides: &serde_json::Value, policies: &[&str], seed: u64) -> Self {
        let map = plunder::GeneratedMap { seed: Some(seed), size: "tiny".to_owned(), ..Default::default() };
        let map = plunder::MapChoice { source: Some(plunder::map_choice::Source::Generated(map)) };
        let settings = plunder::Settings { map: Some(map), changes: changes::said(overrides), ..Default::default() };
        let settings = v1::GameSettings::of_plunder(settings).encode_to_vec();
        let hosted = Games::default().named("plunder").expect("a game of the house");
        let (setup, _) = hosted.plan(Some(&settings), policies.len(), 0, 10_000).expect("a match");
        let game = setup.open(Seed::from_bytes([9; 32])).expect("a first turn");
        let rules = Arc::new(Rules::plunder().with_overrides(overrides).expect("rules"));
        let policy = |(number, name): (u64, &&str)| named(name, seed + number, &rules).expect("a policy");
        let policies: Vec<_> = (0..).zip(policies).map(policy).collect();
        let (workspace, prompts) = (HostedWorkspace::new(), Vec::new());
        let mut table = Self { game, workspace, policies, views: Vec::new(), prompts, seen: Counts::default() };
        table.views = (0..=table.policies.len()).map(|seat| table.view(seat)).collect();
        table
    }

    /// Who looks: the player on a seat, or beyond the last one somebody without a seat.
    fn viewer(&self, seat: usize) -> Viewer {
        let player = PlayerId::new(seat as u64).filter(|_| seat < self.policies.len());
        player.map_or(Viewer::Spectator, Viewer::Seat)
    }

    /// What the service would say that a viewer sees.
    fn view(&self, seat: usize) -> plunder::View {
        naval(decode::<v1::View>(&self.game.view(self.viewer(seat))))
    }

    /// Plays a turn, and looks what it is told as.
    fn turn(&mut self) {
        for seat in 0..self.policies.len() {
            if !self.game.is_alive(seat as u8) {
                continue;
            }
            let sheet = v1::Sheet::of_plunder(self.policies[seat].orders(&self.views[seat])).encode_to_vec();
            let said = self.game.read_sheet(&sheet).expect("a sheet");
            let (legal, faults) = self.game.judge(seat as u8, &*said).expect("a seat");
            assert_eq!(faults, []);
            self.game.lock(legal).expect("locked");
        }
        let mut answers = Vec::new();
        loop {
            match self.game.advance(&mut self.workspace, &answers).expect("a turn") {
                HostedStep::Asked => answers = self.answers(),
                HostedStep::Resolved(outcome) => {
                    (0..self.views.len()).for_each(|seat| self.compare(seat, &*outcome));
                    self.prompts.clear();
                    outcome.reclaim(&mut self.workspace);
                    return;
                }
            }
        }
    }

    /// What the policies answer; every third question is left to its default.
    fn answers(&mut self) -> Vec<(u8, v1::Answer)> {
        let mut answers = Vec::new();
        for (seat, policy) in self.policies.iter_mut().enumerate() {
            let Some(told) = self.game.prompt(seat as u8) else { continue };
            let prompt = v1::Prompt {
                turn: told.turn,
                window: told.window,
                so_far: told.so_far.map(|bytes| decode(&bytes)),
                questions: told.questions,
                changes: told.changes.map(|bytes| decode(&bytes)),
                deadline: None,
            };
            let said = policy::answers(&mut **policy, &self.views[seat], &prompt);
            answers.extend(said.into_iter().filter(|answer| answer.question % 3 > 0).map(|said| (seat as u8, said)));
            self.prompts.push((seat, prompt));
        }
        answers
    }

    /// An outcome as a stream tells it.
    fn outcome(&self, seat: usize, outcome: &dyn HostedOutcome) -> v1::Outcome {
        let read = |told: ToldTurn| (told.news.map(|news| decode(&news)), told.changes.map(|list| decode(&list)));
        let (shared, shared_changes) = read(self.game.shared(outcome));
        let (own, own_changes) = read(self.game.own(outcome, self.viewer(seat)));
        let next = Some(v1::TurnOpened { turn: self.game.turn(), ..Default::default() });
        v1::Outcome { turn: outcome.turn(), shared, own, shared_changes, own_changes, next, ..Default::default() }
    }

    fn compare(&mut self, seat: usize, outcome: &dyn HostedOutcome) {
        let (before, after) = (self.views[seat].clone(), self.view(seat));
        let told = self.outcome(seat, outcome);
        let all: Vec<&plunder::Change> = changes(&told).collect();
        assert_eq!(applied(&before, all.iter().copied()), after, "seat {seat} after turn {}", outcome.turn());
        let story = Story::of_outcome(&told);
        let steps = story.steps.iter().flat_map(|step| &step.changes).chain(&story.rest);
        assert_eq!(applied(&before, steps), after, "seat {seat} step by step after turn {}", outcome.turn());
        for dropped in all.iter().map(|change| kind(change)).collect::<BTreeSet<_>>() {
            if applied(&before, all.iter().copied().filter(|change| kind(change) != dropped)) != after {
                self.seen.needed.insert(dropped);
            }
        }
        self.compare_prompts(seat, &before, &story);
        let happened = |what: fn(&Happened) -> bool| {
            story.steps.iter().filter(|step| step.event.what.as_ref().is_some_and(what)).count()
        };
        self.seen.fights += happened(|what| matches!(what, Happened::Exchanged(_)));
        self.seen.defaults += happened(|what| matches!(what, Happened::Defaulted(_)));
        self.seen.placed += story.steps.iter().filter(|step| step.event.after > 0).count();
        self.views[seat] = after;
    }

    /// What a prompt has told is what the outcome begins with, and the board is the same so far.
    fn compare_prompts(&mut self, seat: usize, before: &plunder::View, story: &Story) {
        for (_, prompt) in self.prompts.iter().filter(|(asked, _)| *asked == seat) {
            let so_far = Story::of_prompt(prompt);
            let begin = &story.steps[..so_far.steps.len()];
            let bare = |step: &Step| plunder::Event { group: 0, changes: 0, after: 0, ..step.event.clone() };
            assert!(so_far.steps.iter().map(bare).eq(begin.iter().map(bare)), "seat {seat} in turn {}", prompt.turn);
            let prompted = so_far.steps.iter().flat_map(|step| &step.changes).chain(&so_far.rest);
            let begun = begin.iter().flat_map(|step| &step.changes);
            let without_secrets = |mut view: plunder::View| {
                // Standing orders come last in the outcome.
                view.units.iter_mut().for_each(|unit| (unit.engagement, unit.route) = (0, Vec::new()));
                view
            };
            assert_eq!(without_secrets(applied(before, prompted)), without_secrets(applied(before, begun)));
            self.seen.prompts += 1;
        }
    }
}

fn applied<'a>(view: &plunder::View, changes: impl IntoIterator<Item = &'a plunder::Change>) -> plunder::View {
    let mut view = view.clone();
    changes.into_iter().for_each(|change| apply(&mut view, change));
    view
}

/// Plays matches until the last turn of each, and tells what was compared.
fn compared(fog: &str) -> Counts {
    let mut all = Counts::default();
    for seed in 1..=3 {
        let overrides = json!({"fog": fog, "turn_limit": 40});
        let mut table = Match::new(&overrides, &["raider", "random", "cautious"], seed);
        while !table.game.is_over() {
            table.turn();
        }
        let Counts { fights, prompts, defaults, placed, needed } = table.seen;
        all.fights += fights;
        all.prompts += prompts;
        all.defaults += defaults;
        all.placed += placed;
        all.needed.extend(needed);
    }
    all
}

#[test]
fn without_fog_a_view_and_its_changes_are_the_next_view() {
    let seen = compared("off");
    assert!(seen.fights > 0 && seen.prompts > 0 && seen.defaults > 0 && seen.placed > 0, "{seen:?}");
    let needed = ["contest", "contest_gone", "player", "result", "structure", "turn", "unit", "unit_gone"];
    assert_eq!(seen.needed, needed.into());
}

#[test]
fn in_fog_a_view_and_its_changes_are_the_next_view() {
    let seen = compared("on");
    assert!(seen.fights > 0 && seen.prompts > 0 && seen.defaults > 0 && seen.placed == 0, "{seen:?}");
    let needed = [
        "contest",
        "contest_gone",
        "player",
        "result",
        "sight",
        "structure",
        "structure_gone",
        "turn",
        "unit",
        "unit_gone",
    ];
    assert_eq!(seen.needed, needed.into());
}
