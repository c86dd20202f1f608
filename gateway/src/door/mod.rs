//! The door of the service.

use std::net::IpAddr;

/// Where a call comes from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);
