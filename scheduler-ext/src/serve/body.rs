//! Bodies of requests.

use std::time::Duration;

use axum::body::Body;
use futures_util::TryStreamExt;
use serde::Deserialize;
use tokio::time::timeout;

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

/// The whole body, if it is no larger than `most`. What is too large is read all the same, and thrown away: who is not
/// read to the end does not read the answer.
///
/// # Errors
/// It is too large, too slow, or has broken off.
pub async fn read(body: Body, most: usize) -> Result<Vec<u8>, BodyError> {
    let all = async {
        let (mut stream, mut whole, mut length) = (body.into_data_stream(), Vec::new(), 0_usize);
        while let Some(part) = stream.try_next().await.map_err(BodyError::Broken)? {
            length = length.saturating_add(part.len());
            if length <= most {
                whole.extend_from_slice(&part);
            } else {
                whole = Vec::new();
            }
        }
        if length <= most { Ok(whole) } else { Err(BodyError::TooLarge(most)) }
    };
    timeout(WITHIN, all).await.unwrap_or(Err(BodyError::TooSlow))
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
