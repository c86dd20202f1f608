//! The vocabulary of Parley: `parley/v1/*.proto` on the wire, `journal/parley/journal/v1/*.proto` on disk.
//!
//! Here is no logic: what a message means is decided by `resolver/`, and who may send it by `gateway/`.

/// Package `parley.v1`: everything that clients see.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated; the protos carry the comments")]
pub mod v1 {
    tonic::include_proto!("parley.v1");
}

/// Package `parley.journal.v1`: what a server writes down for itself.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated; the protos carry the comments")]
pub mod journal {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("parley.journal.v1");
    }
}

/// The compiled descriptors of all protos, comments included, for reflection and for checks of compatibility.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parley.descriptors"));
