//! What happened in a turn of the naval game, in one list, each event with its own changes of the board.

use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use crate::arms::Arms;

/// Something that happened, and how the board changed with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What happened.
    pub event: plunder::Event,
    /// The changes of the board; [`apply`](crate::board::apply) applies them.
    pub changes: Vec<plunder::Change>,
}

/// Everything that a viewer learns of a turn, or of a part of it, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// What happened.
    pub steps: Vec<Step>,
    /// How the board changed otherwise, such as what is left of a route.
    pub rest: Vec<plunder::Change>,
}

impl Story {
    /// What an outcome tells. What all viewers know and what only this one does is told in two lists; here the viewer's own
    /// events are where they happened.
    pub fn of_outcome(outcome: &v1::Outcome) -> Self {
        let Self { steps: shared, mut rest } = Self::of(outcome.shared.as_ref(), outcome.shared_changes.as_ref());
        let own = Self::of(outcome.own.as_ref(), outcome.own_changes.as_ref());
        rest.extend(own.rest);
        let mut steps = Vec::with_capacity(shared.len() + own.steps.len());
        let mut shared = shared.into_iter();
        let mut told = 0;
        for step in own.steps {
            let before = (step.event.after as usize).saturating_sub(told);
            steps.extend(shared.by_ref().take(before));
            told += before;
            steps.push(step);
        }
        steps.extend(shared);
        Self { steps, rest }
    }

    /// What a prompt tells of the turn so far.
    pub fn of_prompt(prompt: &v1::Prompt) -> Self {
        Self::of(prompt.so_far.as_ref(), prompt.changes.as_ref())
    }

    /// One list of news, each event with as many of the changes beside them as it says.
    fn of(news: Option<&v1::TurnNews>, changes: Option<&v1::Changes>) -> Self {
        let events = news.and_then(Arms::as_plunder).map_or(&[][..], |news| &news.events);
        let mut rest = changes.and_then(Arms::as_plunder).map_or(&[][..], |changes| &changes.changes);
        let steps = events.iter().map(|event| {
            let (own, others) = rest.split_at((event.changes as usize).min(rest.len()));
            rest = others;
            Step { event: event.clone(), changes: own.to_vec() }
        });
        let steps = steps.collect();
        Self { steps, rest: rest.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use parley_proto::plunder::v1::change::What as Changed;
    use parley_proto::plunder::v1::event::{Sunk, What as Happened};

    use super::*;

    fn event(unit: u32, changes: u32, after: u32) -> plunder::Event {
        plunder::Event { what: Some(Happened::Sunk(Sunk { unit })), changes, after, ..Default::default() }
    }

    fn news(events: &[plunder::Event]) -> Option<v1::TurnNews> {
        Some(v1::TurnNews::of_plunder(plunder::TurnNews { events: events.to_vec(), ..Default::default() }))
    }

    fn gone(units: &[u32]) -> Vec<plunder::Change> {
        units.iter().map(|&unit| plunder::Change { what: Some(Changed::UnitGone(unit)) }).collect()
    }

    fn changes(units: &[u32]) -> Option<v1::Changes> {
        Some(v1::Changes::of_plunder(plunder::Changes { changes: gone(units) }))
    }

    #[test]
    fn own_events_are_placed_after_as_many_shared_ones_as_they_say() {
        let shared = [event(1, 0, 0), event(2, 0, 0), event(3, 0, 0)];
        let own = [event(10, 0, 0), event(11, 0, 2), event(12, 0, 2), event(13, 0, 9)];
        let outcome = v1::Outcome { shared: news(&shared), own: news(&own), ..Default::default() };
        let order = [&own[0], &shared[0], &shared[1], &own[1], &own[2], &shared[2], &own[3]];
        assert!(Story::of_outcome(&outcome).steps.iter().map(|step| &step.event).eq(order));
        let fog = v1::Outcome { own: news(&shared), ..Default::default() };
        assert!(Story::of_outcome(&fog).steps.iter().map(|step| &step.event).eq(&shared));
        assert_eq!(Story::of_outcome(&v1::Outcome::default()), Story::default());
    }

    #[test]
    fn each_event_has_its_own_changes_and_the_rest_comes_last() {
        let shared = [event(1, 2, 0), event(2, 0, 0), event(3, 1, 0)];
        let own = [event(10, 1, 1), event(11, 9, 3)];
        let outcome = v1::Outcome {
            shared: news(&shared),
            shared_changes: changes(&[1, 2, 3, 4]),
            own: news(&own[..1]),
            own_changes: changes(&[10, 11]),
            ..Default::default()
        };
        let step = |event: &plunder::Event, units: &[u32]| Step { event: event.clone(), changes: gone(units) };
        let steps =
            vec![step(&shared[0], &[1, 2]), step(&own[0], &[10]), step(&shared[1], &[]), step(&shared[2], &[3])];
        assert_eq!(Story::of_outcome(&outcome), Story { steps, rest: gone(&[4, 11]) });
        let prompt = v1::Prompt { so_far: news(&own), changes: changes(&[10, 11]), ..Default::default() };
        let steps = vec![step(&own[0], &[10]), step(&own[1], &[11])];
        assert_eq!(Story::of_prompt(&prompt), Story { steps, rest: Vec::new() }, "more than there is, is all there is");
    }
}
