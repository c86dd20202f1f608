//! The policy that orders nothing.

use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use super::Policy;

/// Orders nothing, and lets others pass.
#[derive(Clone, Copy, Debug)]
pub struct Hold;

impl Policy for Hold {
    fn orders(&mut self, _: &plunder::View) -> plunder::Sheet {
        plunder::Sheet::default()
    }

    fn answers(&mut self, _: &plunder::View, _: &v1::Prompt) -> Vec<v1::Answer> {
        Vec::new()
    }
}
