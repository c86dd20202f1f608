//! Memory that turns leave to each other, one for each thread and whatever games its turns are of.

use std::any::Any;
use std::fmt;

use parley_core::game::Workspace;

use super::HostedRuleset;

/// Memory that turns leave to each other, one for each thread. It carries nothing else.
#[derive(Default)]
pub struct HostedWorkspace {
    /// A workspace for each game that was played on the thread: a few at most.
    games: Vec<Box<dyn Any>>,
}

impl HostedWorkspace {
    /// A workspace without memory yet.
    pub const fn new() -> Self {
        Self { games: Vec::new() }
    }

    /// The memory of turns of a game.
    pub(super) fn of<R: HostedRuleset>(&mut self) -> &mut Workspace<R> {
        let place = self.games.iter().position(|game| game.is::<Workspace<R>>()).unwrap_or_else(|| {
            self.games.push(Box::new(Workspace::<R>::new()));
            self.games.len() - 1
        });
        self.games[place].downcast_mut().expect("the place is that of this game")
    }
}

impl fmt::Debug for HostedWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedWorkspace").field("games", &self.games.len()).finish()
    }
}
