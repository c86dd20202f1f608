//! The vocabulary of Parley on the wire, generated from `parley/v1/*.proto`.
//!
//! Here is no logic: what a message means is decided by `resolver/`, and who may send it by `gateway/`.

/// Package `parley.v1`.
#[allow(missing_docs, clippy::all, reason = "generated; the protos carry the comments")]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/parley.v1.rs"));
}

/// The compiled descriptors of all protos, comments included, for reflection and for checks of compatibility.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parley.descriptors"));
