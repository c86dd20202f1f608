//! Policies of the naval game as players of seats, who see bytes.

use std::sync::Arc;

use bytes::Bytes;
use parley_core::game::Ruleset;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::Plunder;
use parley_proto::opaque::v1 as opaque;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;

use super::{NAMES, Policy, answers, defaults, is_slow, named};
use crate::arms::Arms;
use crate::board::LiveView;
use crate::seat_player::{GamePolicies, Look, SeatPlayer};

/// A policy, and the view that it is to think about.
pub struct PolicyPlayer {
    policy: Box<dyn Policy>,
    view: LiveView,
}

impl PolicyPlayer {
    /// A player who does what a policy says, and has seen nothing yet.
    pub fn new(policy: Box<dyn Policy>) -> Self {
        Self { policy, view: LiveView::default() }
    }

    fn seen(&self) -> Option<Look> {
        let plunder::View { turn, seat, players, result, .. } = self.view.view()?;
        let alive = seat.is_some_and(|seat| players.iter().any(|player| player.id == seat && player.alive));
        Some(Look { turn: *turn, alive, result: result.clone() })
    }
}

fn sheet(orders: plunder::Sheet) -> Bytes {
    v1::Sheet::of_plunder(orders).encode_to_vec().into()
}

impl SeatPlayer for PolicyPlayer {
    fn look(&mut self, view: &[u8]) -> Option<Look> {
        self.view.take_over(v1::View::decode(view).ok()?).ok()?;
        self.seen()
    }

    fn follows_changes(&self) -> bool {
        true
    }

    fn follow(&mut self, changes: &[Bytes]) -> Option<Look> {
        for list in changes {
            self.view.change(&v1::Changes::decode(&list[..]).ok()?.into_plunder()?.changes);
        }
        self.seen()
    }

    fn orders(&mut self) -> Bytes {
        sheet(self.view.view().map_or_else(plunder::Sheet::default, |view| self.policy.orders(view)))
    }

    fn no_orders(&self) -> Bytes {
        sheet(plunder::Sheet::default())
    }

    fn answers(&mut self, prompt: &opaque::Prompt) -> Vec<v1::Answer> {
        let opaque::Prompt { turn, window, so_far, deadline, questions, changes } = prompt.clone();
        // What cannot be read tells nothing, and its questions are still to be answered.
        let so_far = so_far.and_then(|news| v1::TurnNews::decode(news).ok());
        let changes = changes.and_then(|changes| v1::Changes::decode(changes).ok());
        let prompt = v1::Prompt { turn, window, so_far, deadline, questions, changes };
        match self.view.view() {
            Some(view) => answers(&mut *self.policy, view, &prompt),
            None => defaults(&prompt),
        }
    }
}

/// The policies of the naval game.
pub struct PlunderPolicies;

impl GamePolicies for PlunderPolicies {
    fn game(&self) -> &'static str {
        Plunder::NAME
    }

    fn names(&self) -> &'static [&'static str] {
        NAMES
    }

    fn is_slow(&self, policy: &str) -> bool {
        is_slow(policy)
    }

    fn player(&self, policy: &str, seed: u64, rules: &str) -> Result<Box<dyn SeatPlayer>, String> {
        let rules = Arc::new(Rules::from_json(rules).map_err(|error| error.to_string())?);
        let policy = named(policy, seed, &rules).ok_or_else(|| format!("there is no policy {policy:?}"))?;
        Ok(Box::new(PolicyPlayer::new(policy)))
    }
}
