//! A turn in numbers, for those who count turns and trace them. The words are the game's: whoever counts needs to know none
//! of them.

/// What things of a game are called where its turns are counted and traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The attribute of a span that says how many units there are.
    pub units: &'static str,
    /// The attribute of a span that says how many groups of a tick players are asked about.
    pub groups: &'static str,
    /// What is counted of every turn.
    pub counters: &'static [Counter],
}

/// A number that a game counts in every turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The name of its metric.
    pub name: &'static str,
    /// The label that tells it from other numbers of the same metric.
    pub label: (&'static str, &'static str),
}

/// What happened in a tick, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickCounts {
    /// The number of the tick.
    pub tick: u8,
    /// How often things happened in it, by name.
    pub numbers: [(&'static str, i64); 2],
}

/// Events of a tick that belong together: an encounter, a contest, an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCounts {
    /// The tick of the group.
    pub tick: u8,
    /// What such a group is called.
    pub name: &'static str,
    /// What kind of group it is: the name of the attribute, and the kind.
    pub kind: (&'static str, &'static str),
    /// Its numbers, by name.
    pub numbers: [(&'static str, i64); 2],
}

/// The course of a turn, or of a part of it: its ticks and its groups, each in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnCounts {
    /// The ticks in which something happened.
    pub ticks: Vec<TickCounts>,
    /// The groups of those ticks.
    pub groups: Vec<GroupCounts>,
}
