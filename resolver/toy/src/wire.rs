//! The messages of the game, written by hand: no proto knows them, and no service can read them.

use bytes::Bytes;
use prost::encoding::{DecodeContext, WireType, decode_key, message, skip_field};
use prost::{DecodeError, Message};

/// The number of the arm of the game in messages that all games share.
pub const ARM: u32 = 1000;

/// How long the row is; 0 where the settings leave it open.
#[derive(Clone, PartialEq, Message)]
pub struct Settings {
    #[prost(uint32, tag = "1")]
    pub length: u32,
}

/// Where the lanterns begin, by seat: what the game has for a map.
#[derive(Clone, PartialEq, Message)]
pub struct Starts {
    #[prost(uint32, repeated, tag = "1")]
    pub places: Vec<u32>,
}

/// Where a lantern is to go.
#[derive(Clone, PartialEq, Message)]
pub struct Sheet {
    #[prost(sint32, tag = "1")]
    pub step: i32,
    #[prost(bool, tag = "2")]
    pub gives_up: bool,
}

/// A lantern that is seen, or something that happened to one: it moved to a place, or went out.
#[derive(Clone, PartialEq, Message)]
pub struct Lantern {
    #[prost(uint32, tag = "1")]
    pub seat: u32,
    #[prost(uint32, optional, tag = "2")]
    pub at: Option<u32>,
}

/// What a viewer sees of the row.
#[derive(Clone, PartialEq, Message)]
pub struct View {
    #[prost(uint32, tag = "1")]
    pub turn: u32,
    #[prost(uint32, optional, tag = "2")]
    pub seat: Option<u32>,
    /// The lanterns in sight.
    #[prost(message, repeated, tag = "3")]
    pub lanterns: Vec<Lantern>,
    /// The places that the viewer has ever seen.
    #[prost(uint32, repeated, tag = "4")]
    pub remembered: Vec<u32>,
    /// The seats whose lanterns burn, wherever they are.
    #[prost(uint32, repeated, tag = "5")]
    pub burning: Vec<u32>,
}

/// What a viewer learns of a turn.
#[derive(Clone, PartialEq, Message)]
pub struct News {
    #[prost(message, repeated, tag = "1")]
    pub events: Vec<Lantern>,
}

/// Asks where the own lantern may go.
#[derive(Clone, PartialEq, Message)]
pub struct Query {}

/// Where it may go.
#[derive(Clone, PartialEq, Message)]
pub struct Advice {
    #[prost(sint32, repeated, tag = "1")]
    pub steps: Vec<i32>,
}

/// A message of the game under its arm of one that all games share.
pub fn under_arm(of_game: &impl Message) -> Bytes {
    let mut bytes = Vec::new();
    message::encode(ARM, of_game, &mut bytes);
    bytes.into()
}

/// The message of the game under its arm; `None` where there is none.
pub fn of_arm<M: Message + Default>(mut bytes: &[u8]) -> Result<Option<M>, DecodeError> {
    let mut found = None;
    while !bytes.is_empty() {
        let (number, kind) = decode_key(&mut bytes)?;
        if number == ARM && kind == WireType::LengthDelimited {
            message::merge(kind, found.get_or_insert_with(M::default), &mut bytes, DecodeContext::default())?;
        } else {
            skip_field(kind, number, &mut bytes, DecodeContext::default())?;
        }
    }
    Ok(found)
}
