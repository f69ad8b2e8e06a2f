//! Bodies of reviews, and what all of them together may take of memory.

use std::sync::Arc;

use axum::body::Body;
use futures_util::TryStreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::serve::body::BodyError;

/// The largest review: an object of the 3 MiB that the API server takes, or of half of it before and after.
const LARGEST: usize = 4 << 20;

/// Up to this, a review is read whatever else is under way: there are no more of them than connections. Pods have some KiB.
pub(super) const SMALL: usize = 64 << 10;

/// In what room is counted.
const UNIT: usize = 1 << 10;

/// The bytes of all reviews that are larger, as far as they have come.
const ROOM: usize = 64 << 20;

/// The room that there is for them.
#[derive(Clone, Debug)]
pub(super) struct Hall(Arc<Semaphore>);

impl Default for Hall {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ROOM / UNIT)))
    }
}

impl Hall {
    async fn take(&self, bytes: usize) -> OwnedSemaphorePermit {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.0).acquire_many_owned(units);
        room.await.expect("it is never closed")
    }
}

/// A body, and its room, as long as it is there.
#[derive(Debug, Default)]
pub(super) struct Review {
    pub(super) bytes: Vec<u8>,
    room: Vec<OwnedSemaphorePermit>,
}

/// The whole body, unless it is too large. That is read all the same, and thrown away: who is not read to the end does not read the
/// answer.
///
/// # Errors
/// It is too large, or has broken off.
pub(super) async fn read(body: Body, hall: &Hall) -> Result<Review, BodyError> {
    let (mut stream, mut review, mut length) = (body.into_data_stream(), Review::default(), 0_usize);
    while let Some(part) = stream.try_next().await.map_err(BodyError::Broken)? {
        length = length.saturating_add(part.len());
        if length > LARGEST {
            review = Review::default();
            continue;
        }
        if length > SMALL {
            review.room.push(hall.take(part.len()).await);
        }
        review.bytes.extend_from_slice(&part);
    }
    if length > LARGEST { Err(BodyError::TooLarge(LARGEST)) } else { Ok(review) }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::Bytes;
    use futures_util::{StreamExt, stream};
    use tokio::task::{JoinSet, yield_now};

    use super::*;

    #[tokio::test]
    async fn bodies_that_never_end_take_no_more_than_their_room() {
        const PART: usize = 256 << 10;
        let (hall, sent) = (Hall::default(), Arc::new(AtomicUsize::new(0)));
        let mut clients = JoinSet::new();
        for _ in 0..100 {
            let (hall, sent) = (hall.clone(), Arc::clone(&sent));
            let parts = stream::iter(0..12).map(move |_| {
                sent.fetch_add(PART, Ordering::Relaxed);
                Ok::<_, io::Error>(Bytes::from(vec![b' '; PART]))
            });
            let body = Body::from_stream(parts.chain(stream::pending()));
            clients.spawn(async move { read(body, &hall).await.map(drop) });
        }
        for _ in 0..100 {
            yield_now().await;
        }
        // Of each, what waits for room is in memory as well.
        assert!(sent.load(Ordering::Relaxed) <= ROOM + 100 * PART);
        let small = read(Body::from(vec![b' '; SMALL]), &hall).await.unwrap();
        assert_eq!(small.bytes.len(), SMALL);
        clients.shutdown().await;
        assert_eq!(hall.0.available_permits(), ROOM / UNIT);
    }

    #[tokio::test]
    async fn what_is_too_large_is_thrown_away_and_said() {
        let read =
            |length: usize| async move { read(Body::from(vec![b'x'; length]), &Hall::default()).await };
        assert_eq!(read(LARGEST).await.unwrap().bytes.len(), LARGEST);
        let error = read(LARGEST + 1).await.unwrap_err().to_string();
        assert_eq!(error, "the request is larger than 4 MiB");
    }
}
