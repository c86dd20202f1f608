//! Small integer names of what every game has: players and units.

use std::fmt;

/// Ids of things that dice are rolled for are below this bound, so that two of them and a tick
/// fit into the block counter of the dice (R1, R13.2).
pub const ID_BOUND: u32 = 1 << 28;

/// The highest id a player can have; the values above it are used inside as markers.
pub const MAX_PLAYER_ID: u8 = 249;

/// A player of a match; seats are numbered from 0, but any increasing ids will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(u8);

impl PlayerId {
    /// The player with this number, or `None` above [`MAX_PLAYER_ID`].
    pub const fn new(id: u64) -> Option<Self> {
        if id <= MAX_PLAYER_ID as u64 { Some(Self(id as u8)) } else { None }
    }

    /// The id as a plain number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Declares an id type whose numbers are below [`ID_BOUND`]; each kind of thing of a game has a type of its own.
#[macro_export]
macro_rules! bounded_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this number, or `None` at or above the bound of ids.
            pub const fn new(id: u64) -> Option<Self> {
                if id < $crate::ids::ID_BOUND as u64 { Some(Self(id as u32)) } else { None }
            }

            /// The id as a plain number.
            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

bounded_id!(
    /// A unit; given in order of creation and never reused (R1).
    UnitId
);
