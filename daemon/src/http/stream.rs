//! A connection of which is known whether it has been answered, and which does not wait for ever for who does not read.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// When a connection was last answered, if it was.
#[derive(Clone, Debug, Default)]
pub(super) struct Answered(Arc<Mutex<Option<Instant>>>);

impl Answered {
    pub(super) fn last(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// See the [module](self).
pub(super) struct Watched<S> {
    stream: S,
    answered: Answered,
    /// From the first byte that cannot be written until all are.
    read_within: Option<Duration>,
    patience: Option<Pin<Box<Sleep>>>,
    has_written: bool,
}

impl<S: AsyncWrite + Unpin> Watched<S> {
    pub(super) fn new(stream: S, answered: Answered, read_within: Option<Duration>) -> Self {
        Self { stream, answered, read_within, patience: None, has_written: false }
    }

    /// What comes of writing, unless that has waited for too long.
    fn unless_late<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let (Poll::Pending, Some(within)) = (&written, self.read_within) else { return written };
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(within)));
        ready!(patience.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the answer was not read in time")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.has_written = true;
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.unless_late(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.unless_late(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        ready!(self.unless_late(cx, flushed))?;
        self.patience = None;
        if std::mem::take(&mut self.has_written) {
            self.answered.now();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.unless_late(cx, closed)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const WITHIN: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn who_reads_an_answer_byte_by_byte_is_given_up() {
        let (mut client, server) = duplex(16);
        let answered = Answered::default();
        let mut server = Watched::new(server, answered.clone(), Some(WITHIN));
        let reading = tokio::spawn(async move {
            while client.read_u8().await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        });
        let error = server.write_all(&[b'x'; 1000]).await.unwrap_err();
        assert_eq!((error.kind(), answered.last()), (io::ErrorKind::TimedOut, None));
        reading.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_may_take_its_time() {
        let (mut client, server) = duplex(16);
        let answered = Answered::default();
        let mut server = Watched::new(server, answered.clone(), Some(WITHIN));
        for _ in 0..3 {
            let before = Instant::now();
            let write = async {
                server.write_all(&[b'x'; 32]).await.unwrap();
                server.flush().await.unwrap();
            };
            let read = async {
                sleep(WITHIN.mul_f32(0.9)).await;
                client.read_exact(&mut [0; 32]).await.unwrap();
            };
            tokio::join!(write, read);
            assert!(answered.last() > Some(before));
        }
    }
}
