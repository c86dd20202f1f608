//! The first bytes of a connection, which say whether it speaks HTTP/2.
//!
//! Hyper reads them too, but waits for them for ever. So they are read here within a time, and given back.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// The first bytes that an HTTP/2 client sends.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection whose first bytes were read ahead.
pub(super) struct Rewound<I> {
    ahead: [u8; PREFACE.len()],
    /// The part of these bytes that is still to be read again.
    start: usize,
    end: usize,
    io: I,
}

/// Reads until it is clear whether the client speaks HTTP/2.
pub(super) async fn read<I: AsyncRead + Unpin>(mut io: I) -> io::Result<Rewound<I>> {
    let mut ahead = [0; PREFACE.len()];
    let mut end = 0;
    while end < PREFACE.len() && ahead[..end] == PREFACE[..end] {
        match io.read(&mut ahead[end..]).await? {
            0 => break,
            more => end += more,
        }
    }
    Ok(Rewound { ahead, start: 0, end, io })
}

impl<I: AsyncRead + Unpin> AsyncRead for Rewound<I> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.start == self.end {
            return Pin::new(&mut self.io).poll_read(cx, buffer);
        }
        let fits = buffer.remaining().min(self.end - self.start);
        buffer.put_slice(&self.ahead[self.start..self.start + fits]);
        self.start += fits;
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Rewound<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
