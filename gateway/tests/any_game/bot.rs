//! A house bot for lanterns.

use bytes::Bytes;
use parley_bots::seat_player::{GamePolicies, Look, SeatPlayer};
use parley_proto::opaque::v1 as opaque;
use parley_proto::v1;
use parley_toy::wire::{Sheet, View, of_arm, under_arm};

/// The policies for lanterns: to go to the left as long as there is a row, and to insist.
pub struct LanternPolicies;

/// The one policy.
const LEFTWARD: &str = "leftward";

impl GamePolicies for LanternPolicies {
    fn game(&self) -> &'static str {
        "lanterns"
    }

    fn names(&self) -> &'static [&'static str] {
        &[LEFTWARD]
    }

    fn is_slow(&self, _: &str) -> bool {
        false
    }

    fn player(&self, policy: &str, _: u64, rules: &str) -> Result<Box<dyn SeatPlayer>, String> {
        assert!(policy == LEFTWARD && rules.starts_with("lanterns on a row of "), "{policy} {rules}");
        Ok(Box::new(Leftward(View::default())))
    }
}

/// Goes to the left.
struct Leftward(View);

impl SeatPlayer for Leftward {
    fn look(&mut self, view: &[u8]) -> Option<Look> {
        self.0 = of_arm(view).ok()??;
        let View { turn, seat, burning, .. } = &self.0;
        Some(Look { turn: *turn, alive: seat.is_some_and(|seat| burning.contains(&seat)), result: None })
    }

    fn orders(&mut self) -> Bytes {
        let own = self.0.lanterns.iter().find(|lantern| Some(lantern.seat) == self.0.seat);
        let at = own.and_then(|lantern| lantern.at).unwrap_or(0);
        under_arm(&Sheet { step: if at > 0 { -1 } else { 0 }, gives_up: false })
    }

    fn no_orders(&self) -> Bytes {
        under_arm(&Sheet::default())
    }

    fn answers(&mut self, prompt: &opaque::Prompt) -> Vec<v1::Answer> {
        let insist = |question: &v1::Question| v1::Answer { question: question.id, options: vec![1] };
        prompt.questions.iter().map(insist).collect()
    }
}
