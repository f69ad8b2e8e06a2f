//! What all large bodies together may take of memory.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Up to this, a body is read whatever else is under way: there are no more of them than connections. Pods have some KiB.
pub const SMALL: usize = 64 << 10;

/// In what room is counted.
const UNIT: usize = 1 << 10;

/// The bytes of all bodies that are larger, as far as they have come.
const ROOM: usize = 64 << 20;

/// The room that there is for them.
#[derive(Clone, Debug)]
pub struct Hall(Arc<Semaphore>);

impl Default for Hall {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ROOM / UNIT)))
    }
}

/// What a body has of it, as long as this is there.
#[derive(Debug, Default)]
pub(super) struct Room(Option<OwnedSemaphorePermit>);

impl Hall {
    /// Waits until `room` is enough for so many bytes, however many parts they have come in.
    pub(super) async fn widen(&self, room: &mut Room, bytes: usize) {
        let taken = room.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = bytes.div_ceil(UNIT).saturating_sub(taken);
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let more = Arc::clone(&self.0).acquire_many_owned(missing).await.expect("it is never closed");
        match &mut room.0 {
            Some(room) => room.merge(more),
            none => *none = Some(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::{Body, Bytes};
    use futures_util::{StreamExt, stream};
    use tokio::task::{JoinSet, yield_now};

    use super::*;
    use crate::serve::body::collect;

    #[tokio::test]
    async fn bodies_that_never_end_take_no_more_than_their_room() {
        const PART: usize = 256 << 10;
        const MOST: usize = 4 << 20;
        let (hall, sent) = (Hall::default(), Arc::new(AtomicUsize::new(0)));
        let mut clients = JoinSet::new();
        for _ in 0..100 {
            let (hall, sent) = (hall.clone(), Arc::clone(&sent));
            let parts = stream::iter(0..12).map(move |_| {
                sent.fetch_add(PART, Ordering::Relaxed);
                Ok::<_, io::Error>(Bytes::from(vec![b' '; PART]))
            });
            let body = Body::from_stream(parts.chain(stream::pending()));
            clients.spawn(async move { collect(body, MOST, Some(&hall)).await.map(drop) });
        }
        for _ in 0..100 {
            yield_now().await;
        }
        // Of each, what waits for room is in memory as well.
        assert!(sent.load(Ordering::Relaxed) <= ROOM + 100 * PART);
        let small = collect(Body::from(vec![b' '; SMALL]), MOST, Some(&hall)).await.unwrap();
        assert_eq!(small.bytes.len(), SMALL);
        clients.shutdown().await;
        assert_eq!(hall.0.available_permits(), ROOM / UNIT);
    }

    #[tokio::test]
    async fn bytes_that_come_one_by_one_take_no_more_room_than_others() {
        const MANY: usize = 8 * UNIT;
        let hall = Hall::default();
        let first = stream::iter([Bytes::from(vec![b' '; SMALL])]);
        let parts = first.chain(stream::iter(0..MANY).map(|_| Bytes::from_static(b" ")));
        let body = Body::from_stream(parts.map(Ok::<_, io::Error>));
        let whole = collect(body, usize::MAX, Some(&hall)).await.unwrap();
        assert_eq!(whole.bytes.len(), SMALL + MANY);
        assert_eq!(hall.0.available_permits(), (ROOM - SMALL - MANY) / UNIT);
        drop(whole);
        assert_eq!(hall.0.available_permits(), ROOM / UNIT);
    }
}
