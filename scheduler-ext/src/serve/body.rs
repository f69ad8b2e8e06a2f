//! Bodies of requests.

use std::time::Duration;

use axum::body::Body;
use futures_util::TryStreamExt;
use serde::Deserialize;
use tokio::time::timeout;

use super::hall::{Hall, Room, SMALL};

/// A body has come within this; kube-scheduler waits no longer for its answer.
const WITHIN: Duration = Duration::from_secs(30);

/// Why a request cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It is longer than so many bytes.
    #[error("the request is larger than {} MiB", .0 >> 20)]
    TooLarge(usize),
    /// Its sender has stopped half way.
    #[error("the request did not come within {} s", WITHIN.as_secs())]
    TooSlow,
    /// Its sender has gone half way.
    #[error("the request broke off: {0}")]
    Broken(axum::Error),
    /// It is no JSON, or not what was to be sent.
    #[error("the request cannot be understood: {0}")]
    Malformed(serde_json::Error),
}

/// A body, and its room, as long as it is there.
#[derive(Debug, Default)]
pub struct Whole {
    /// What it is.
    pub bytes: Vec<u8>,
    room: Room,
}

/// The whole body, if it is no larger than `most`; beyond [`SMALL`], each part waits for room in `hall`, if there is one. What is too
/// large is read all the same, and thrown away: who is not read to the end does not read the answer.
///
/// # Errors
/// It is too large, or has broken off.
pub async fn collect(body: Body, most: usize, hall: Option<&Hall>) -> Result<Whole, BodyError> {
    let (mut stream, mut whole, mut length) = (body.into_data_stream(), Whole::default(), 0_usize);
    while let Some(part) = stream.try_next().await.map_err(BodyError::Broken)? {
        length = length.saturating_add(part.len());
        if length > most {
            whole = Whole::default();
            continue;
        }
        if let Some(hall) = hall.filter(|_| length > SMALL) {
            hall.widen(&mut whole.room, length).await;
        }
        whole.bytes.extend_from_slice(&part);
    }
    if length > most { Err(BodyError::TooLarge(most)) } else { Ok(whole) }
}

/// The same for kube-scheduler, which sends a few at a time: within [`WITHIN`], and without a hall.
///
/// # Errors
/// It is too large, too slow, or has broken off.
pub async fn read(body: Body, most: usize) -> Result<Vec<u8>, BodyError> {
    let whole = timeout(WITHIN, collect(body, most, None)).await;
    whole.map_or(Err(BodyError::TooSlow), |whole| Ok(whole?.bytes))
}

/// What it says.
///
/// # Errors
/// [`BodyError::Malformed`].
pub fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, BodyError> {
    serde_json::from_slice(body).map_err(BodyError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_too_large_is_said_with_what_helps() {
        assert_eq!(read(Body::from("1234"), 4).await.unwrap(), b"1234");
        let error = read(Body::from(vec![b'x'; (1 << 20) + 1]), 1 << 20).await.unwrap_err().to_string();
        assert!(error.contains("larger than 1 MiB"), "{error}");
    }
}
