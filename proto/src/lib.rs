//! The vocabulary of Parley: `parley/**/*.proto` on the wire, `journal/**/*.proto` on disk.
//!
//! Here is no logic: what a message means is decided by `resolver/`, and who may send it by `gateway/`.

/// Packages `parley.common`: what messages of all games are made of.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated; the protos carry the comments")]
pub mod common {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("parley.common.v1");
    }
}

/// Packages `parley.plunder`: the board, the orders, the events and the advice of the naval game.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated; the protos carry the comments")]
pub mod plunder {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("parley.plunder.v1");
    }
}

/// Package `parley.v1`: everything that clients see and that all games share.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated; the protos carry the comments")]
pub mod v1 {
    tonic::include_proto!("parley.v1");
}

/// The same messages for those who hand messages of games on and must not look into them: they are the bytes that were said.
/// On the wire both are the same, but for a field that a sender repeats: here the last one counts. A message that has none of
/// a game in it is the type of [`v1`]; a message of a game is not here at all.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated; the protos carry the comments")]
pub mod opaque {
    /// Package `parley.v1`.
    pub mod v1 {
        include!(concat!(env!("OUT_DIR"), "/opaque/same.rs"));
        include!(concat!(env!("OUT_DIR"), "/opaque/parley.v1.rs"));
    }

    /// Packages `parley.journal`: what a server writes down for itself.
    pub mod journal {
        /// Version 1.
        pub mod v1 {
            include!(concat!(env!("OUT_DIR"), "/opaque/parley.journal.v1.rs"));
        }
    }
}

pub use opaque::journal;

/// The compiled descriptors of all protos, comments included, for reflection and for checks of compatibility.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parley.descriptors"));
