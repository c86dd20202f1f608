//! What every answer to the network passes on its way out, whatever protocol it speaks.
//!
//! The bytes of an answer are counted from the moment at which they exist until the network has taken them. This is the
//! last place that answers pass before HTTP has them, behind the translation to gRPC-web: whatever is copied or encoded
//! later would not be counted. A large message leaves in pieces, so that somebody who reads slowly is seen to read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;

use super::budget::{BudgetAccount, Full, Open, Reservation};
use super::calls::too_much;

/// How many bytes the largest piece has that is handed over at once. A peer that reads takes one within the time after
/// which it counts as one that does not.
const PIECE: usize = 64 * 1024;
/// How many bytes a piece of an answer is counted with beside its own.
const PIECE_COST: usize = 512;

/// An answer whose bytes are counted until the network has taken them, and which counts as open on its connection.
pub(super) struct CountedAnswer {
    body: Body,
    /// Whether the trailers can say why an answer ends that cannot be sent whole; otherwise it breaks off.
    has_trailers: bool,
    /// The account of whoever pays for the answer; `None` for another server of the cluster.
    account: Option<Arc<BudgetAccount>>,
    /// What is left of the last message, and the room that it takes.
    rest: Option<(Bytes, Arc<Reservation>)>,
    ended: bool,
    _open: Open,
    /// What the request takes as long as it is open, where nobody else counts that.
    _call: Option<Reservation>,
}

impl CountedAnswer {
    pub(super) fn new(
        body: Body,
        has_trailers: bool,
        account: Option<Arc<BudgetAccount>>,
        open: Open,
        call: Option<Reservation>,
    ) -> Self {
        Self { body, has_trailers, account, rest: None, ended: false, _open: open, _call: call }
    }

    /// The next piece of what is left of the last message.
    fn next_piece(&mut self) -> Option<Bytes> {
        let (mut bytes, room) = self.rest.take()?;
        let piece = room.hold_piece(bytes.split_to(PIECE.min(bytes.len())));
        self.rest = (!bytes.is_empty()).then_some((bytes, room));
        Some(piece)
    }

    /// The end of an answer for which there is no room.
    fn end(&mut self, full: Full) -> Option<Result<Frame<Bytes>, axum::Error>> {
        self.ended = true;
        self.body = Body::empty();
        let status = Status::from(too_much(full));
        if !self.has_trailers {
            return Some(Err(axum::Error::new(status)));
        }
        let mut trailers = HeaderMap::new();
        // The status fits into headers: it is one of ours.
        let _ = status.add_header(&mut trailers);
        Some(Ok(Frame::trailers(trailers)))
    }
}

impl HttpBody for CountedAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(piece) = self.next_piece() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            other => return Poll::Ready(other),
        };
        let Some(account) = &self.account else { return Poll::Ready(Some(Ok(frame))) };
        let data = match frame.into_data() {
            Ok(data) => data,
            Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
        };
        let room = match account.reserve(data.len() + PIECE_COST) {
            Ok(room) => room,
            Err(full) => return Poll::Ready(self.end(full)),
        };
        if data.len() <= PIECE {
            return Poll::Ready(Some(Ok(Frame::data(room.hold(data)))));
        }
        self.rest = Some((data, Arc::new(room)));
        Poll::Ready(self.next_piece().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_none() && (self.ended || self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.rest.as_ref().map_or(0, |(bytes, _)| bytes.len() as u64);
        let mut hint = if self.ended { SizeHint::with_exact(0) } else { self.body.size_hint() };
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + left);
        }
        hint.set_lower(hint.lower() + left);
        hint
    }
}
