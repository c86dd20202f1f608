//! Calls and answers of a session in as few bytes and allocations as it takes: what is sent is encoded once, and of
//! what comes only that is read which a turn depends on. On the wire they are the messages of `parley.v1`.

use bytes::{BufMut, Bytes, BytesMut};
use parley_proto::v1;
use prost::Message;

/// How many bytes come before a message: whether it is compressed, and its length.
pub(super) const FRAME_BYTES: usize = 5;
/// The longest message that is taken.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// A `SessionRequest` that locks in a sheet which is encoded already.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LockInCall {
    #[prost(uint64, tag = "1")]
    pub(super) call: u64,
    #[prost(message, optional, tag = "4")]
    pub(super) lock_in: Option<EncodedLockIn>,
}

/// A `LockInRequest`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EncodedLockIn {
    #[prost(string, tag = "1")]
    pub(super) request_id: String,
    #[prost(uint32, tag = "3")]
    pub(super) turn: u32,
    #[prost(bytes = "bytes", tag = "4")]
    pub(super) sheet: Bytes,
}

/// A `SessionResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SessionAnswer {
    #[prost(uint64, tag = "1")]
    pub(super) call: u64,
    #[prost(message, optional, tag = "2")]
    pub(super) news: Option<News>,
    #[prost(message, optional, tag = "3")]
    pub(super) opened: Option<v1::SessionOpened>,
    #[prost(message, optional, tag = "5")]
    pub(super) lock_in: Option<LockedIn>,
    #[prost(message, optional, boxed, tag = "7")]
    pub(super) view: Option<Box<v1::GetViewResponse>>,
    #[prost(message, optional, boxed, tag = "10")]
    pub(super) refused: Option<Box<v1::Refusal>>,
}

/// A `LockInResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LockedIn {
    /// An encoded `Receipt`.
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) receipt: Bytes,
}

/// A `News`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct News {
    #[prost(uint64, tag = "1")]
    pub(super) cursor: u64,
    #[prost(message, optional, tag = "2")]
    pub(super) seats_changed: Option<Unread>,
    #[prost(message, optional, tag = "3")]
    pub(super) turn_opened: Option<TurnOpened>,
    #[prost(message, optional, boxed, tag = "6")]
    pub(super) outcome: Option<Box<TurnOutcome>>,
}

/// An `Outcome`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TurnOutcome {
    #[prost(uint32, tag = "1")]
    pub(super) turn: u32,
    #[prost(message, optional, tag = "3")]
    pub(super) next: Option<TurnOpened>,
    #[prost(message, optional, tag = "4")]
    pub(super) ended: Option<v1::MatchEnded>,
    #[prost(message, optional, tag = "6")]
    pub(super) own: Option<TurnNews>,
}

/// A `TurnNews`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TurnNews {
    #[prost(message, optional, tag = "1")]
    pub(super) plunder: Option<Shortfalls>,
}

/// A `TurnNews` of the naval game.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Shortfalls {
    #[prost(message, repeated, tag = "2")]
    pub(super) shortfalls: Vec<Unread>,
}

/// A `TurnOpened`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TurnOpened {
    #[prost(uint32, tag = "1")]
    pub(super) turn: u32,
}

/// A message that only has to be there, and is not read.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Unread {}

/// Encodes a message with its length before it.
pub(super) fn frame(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(FRAME_BYTES + length);
    bytes.put_u8(0);
    bytes.put_u32(length as u32);
    // The capacity of the buffer is the encoded length, so that encoding cannot fail.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}

/// Takes the first whole message out of the bytes that have come; `None` where more bytes have to come first.
pub(super) fn take_frame(bytes: &mut Bytes) -> Result<Option<Bytes>, &'static str> {
    let Some((head, rest)) = bytes.split_first_chunk::<FRAME_BYTES>() else { return Ok(None) };
    if head[0] != 0 {
        return Err("a message is compressed, though nobody asked for it");
    }
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if length > MAX_MESSAGE_BYTES {
        return Err("a message is longer than any should be");
    }
    if rest.len() < length {
        return Ok(None);
    }
    let message = bytes.slice(FRAME_BYTES..FRAME_BYTES + length);
    *bytes = bytes.slice(FRAME_BYTES + length..);
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use parley_proto::common::v1 as common;
    use parley_proto::plunder::v1 as plunder;
    use parley_proto::v1::session_request::What as Call;
    use parley_proto::v1::session_response::What as Said;

    use super::*;
    use crate::arms::Arms;

    fn sheet() -> v1::Sheet {
        let path = vec![common::Hex { q: 3, r: -4 }];
        let action = Some(plunder::unit_order::Action::Move(plunder::Move { path }));
        let units = vec![plunder::UnitOrder { unit: 300, action, ..Default::default() }];
        v1::Sheet::of_plunder(plunder::Sheet { units, ..Default::default() })
    }

    fn heard(what: Said) -> SessionAnswer {
        let bytes: Bytes = v1::SessionResponse { call: 7, what: Some(what) }.encode_to_vec().into();
        SessionAnswer::decode(bytes).expect("an answer")
    }

    #[test]
    fn a_lock_in_is_the_one_of_the_protos() {
        let lock_in = EncodedLockIn { request_id: "9".to_owned(), turn: 9, sheet: sheet().encode_to_vec().into() };
        let mut bytes = frame(&LockInCall { call: 5, lock_in: Some(lock_in) });
        let message = take_frame(&mut bytes).expect("a frame").expect("whole");
        let request = v1::LockInRequest {
            request_id: "9".to_owned(),
            turn: 9,
            sheet: Some(sheet()),
            ..v1::LockInRequest::default()
        };
        let expected = v1::SessionRequest { call: 5, what: Some(Call::LockIn(request)), ..Default::default() };
        assert_eq!(v1::SessionRequest::decode(message).expect("a call"), expected);
    }

    #[test]
    fn answers_are_the_ones_of_the_protos() {
        let receipt = v1::Receipt { turn: 4, leaf: 9, ..Default::default() };
        let answer = heard(Said::LockIn(v1::LockInResponse { receipt: Some(receipt.clone()) }));
        assert_eq!(answer.call, 7);
        let kept = answer.lock_in.expect("a receipt").receipt;
        assert_eq!(v1::Receipt::decode(kept).expect("a receipt"), receipt);

        let ended = v1::MatchEnded { digest: vec![5; 32].into(), ..Default::default() };
        let news = plunder::TurnNews {
            events: vec![plunder::Event::default(); 3],
            shortfalls: vec![plunder::Shortfall::default(); 2],
            ..Default::default()
        };
        let outcome = v1::Outcome {
            turn: 30,
            own: Some(v1::TurnNews::of_plunder(news)),
            next: Some(v1::TurnOpened { turn: 31, ..Default::default() }),
            ended: Some(ended.clone()),
            ..v1::Outcome::default()
        };
        let news = v1::News { cursor: 12, what: Some(v1::news::What::Outcome(outcome)) };
        let news = heard(Said::News(news)).news.expect("news");
        let outcome = news.outcome.expect("an outcome");
        let told = outcome.own.and_then(|news| news.plunder).expect("news of the naval game");
        assert_eq!((news.cursor, outcome.turn, told.shortfalls.len()), (12, 30, 2));
        assert_eq!((outcome.next, outcome.ended), (Some(TurnOpened { turn: 31 }), Some(ended)));

        let opened = v1::news::What::TurnOpened(v1::TurnOpened { turn: 1, ..Default::default() });
        let news = heard(Said::News(v1::News { cursor: 2, what: Some(opened) })).news.expect("news");
        assert_eq!(news.turn_opened, Some(TurnOpened { turn: 1 }));
        let changed = v1::news::What::SeatsChanged(v1::SeatsChanged::default());
        let news = heard(Said::News(v1::News { cursor: 1, what: Some(changed) })).news.expect("news");
        assert!(news.seats_changed.is_some());

        let opened = v1::SessionOpened { seat: Some(0) };
        assert_eq!(heard(Said::Opened(opened)).opened, Some(opened));
        let view = v1::GetViewResponse { locked: true, ..Default::default() };
        assert_eq!(heard(Said::GetView(view.clone())).view, Some(Box::new(view)));
        let refusal = v1::Refusal { reason: "OTHER_TURN".to_owned(), ..Default::default() };
        assert_eq!(heard(Said::Refused(refusal.clone())).refused, Some(Box::new(refusal)));
    }

    #[test]
    fn a_message_is_taken_when_all_of_it_has_come() {
        let both = [frame(&sheet()), frame(&v1::SessionOpened { seat: Some(3) })].concat();
        let first = FRAME_BYTES + sheet().encoded_len();
        for come in 0..=both.len() {
            let mut bytes = Bytes::copy_from_slice(&both[..come]);
            let mut taken = Vec::new();
            while let Some(message) = take_frame(&mut bytes).expect("no fault") {
                taken.push(message);
            }
            let expected = usize::from(come >= first) + usize::from(come == both.len());
            assert_eq!(taken.len(), expected, "{come}");
        }
        let mut compressed = Bytes::from_static(&[1, 0, 0, 0, 0]);
        assert!(take_frame(&mut compressed).is_err());
        let mut endless = Bytes::from_static(&[0, 255, 255, 255, 255]);
        assert!(take_frame(&mut endless).is_err());
    }
}
