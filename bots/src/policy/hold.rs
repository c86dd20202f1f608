//! The policy that orders nothing.

use parley_proto::v1;

use super::{Asked, Policy};

/// Orders nothing, and lets others pass.
#[derive(Clone, Copy, Debug)]
pub struct Hold;

impl Policy for Hold {
    fn orders(&mut self, _: &v1::View) -> v1::OrderSheet {
        v1::OrderSheet::default()
    }

    fn decide(&mut self, _: &v1::View, asked: Asked<'_>) -> v1::Choice {
        asked.evasion()
    }
}
