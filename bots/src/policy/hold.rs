//! The policy that orders nothing.

use parley_proto::v1;

use super::Policy;

/// Orders nothing, and lets others pass.
#[derive(Clone, Copy, Debug)]
pub struct Hold;

impl Policy for Hold {
    fn orders(&mut self, _: &v1::View) -> v1::OrderSheet {
        v1::OrderSheet::default()
    }

    fn answers(&mut self, _: &v1::View, _: &v1::Prompt) -> Vec<v1::Answer> {
        Vec::new()
    }
}
