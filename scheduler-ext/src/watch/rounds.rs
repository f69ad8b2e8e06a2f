//! How often all objects of a kind have been listed, and whether somebody wants them listed anew.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daemon::pulse::Pulse;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long after a failure it may be that something has happened of which nothing has been heard: a watch says nothing when it goes on.
const DOUBTFUL: Duration = Duration::from_secs(10);

/// A list that is wanted gets on within this, or fails: a request that is not answered fails after five minutes.
const STUCK: Duration = Duration::from_secs(600);

/// A list that was asked for, by its number.
type Round = u64;

/// Who wants lists and who reads them.
#[derive(Debug)]
pub(super) struct Rounds {
    wanted: watch::Sender<Round>,
    done: watch::Sender<Round>,
    trouble: Mutex<Trouble>,
    /// A list that is wanted gets on.
    progress: Pulse,
}

/// Why it may be that something has happened of which nothing has been heard.
#[derive(Clone, Copy, Debug, Default)]
struct Trouble {
    is_listing: bool,
    failed: Option<Instant>,
}

impl Default for Rounds {
    fn default() -> Self {
        Self {
            wanted: watch::Sender::new(1),
            done: watch::Sender::new(0),
            trouble: Mutex::default(),
            progress: Pulse::default(),
        }
    }
}

impl Rounds {
    /// The list that is wanted now.
    pub(super) fn wanted(&self) -> Round {
        *self.wanted.borrow()
    }

    /// Waits until a newer list than this one is wanted.
    pub(super) async fn newer(&self, than: Round) {
        // Fails only when `self` is gone.
        let _ = self.wanted.subscribe().wait_for(|wanted| *wanted > than).await;
    }

    /// A list has been begun.
    pub(super) fn begin(&self) {
        self.progress.beat();
        self.trouble().is_listing = true;
    }

    /// Something could not be had.
    pub(super) fn fail(&self) {
        self.progress.beat();
        self.trouble().failed = Some(Instant::now());
    }

    /// Whether a list that is wanted gets on, as far as the API server lets it.
    ///
    /// # Errors
    /// For how long it has not.
    pub(super) fn is_going(&self) -> Result<(), Duration> {
        if *self.done.borrow() == self.wanted() { Ok(()) } else { self.progress.within(STUCK) }
    }

    /// Whether all is heard that happens.
    pub(super) fn is_clear(&self) -> bool {
        let Trouble { is_listing, failed } = *self.trouble();
        !is_listing && failed.is_none_or(|failed| failed.elapsed() > DOUBTFUL)
    }

    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A list that was begun when `round` was wanted has been read.
    pub(super) fn finish(&self, round: Round) {
        self.trouble().is_listing = false;
        self.done.send_if_modified(|done| {
            let is_newer = round > *done;
            *done = round.max(*done);
            is_newer
        });
    }

    /// Whether a list has been read.
    pub(super) fn is_begun(&self) -> bool {
        *self.done.borrow() > 0
    }

    /// Has a list made, and waits until it has been read.
    pub(super) async fn another(&self) {
        if *self.done.borrow() == self.wanted() {
            self.progress.beat();
        }
        let mut round = 0;
        self.wanted.send_modify(|wanted| {
            *wanted += 1;
            round = *wanted;
        });
        let _ = self.done.subscribe().wait_for(|done| *done >= round).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Poll;

    #[tokio::test]
    async fn who_wants_another_list_waits_for_one_that_was_begun_after_that() {
        let rounds = Rounds::default();
        let first = rounds.wanted();
        let mut another = std::pin::pin!(rounds.another());
        assert!(matches!(futures_util::poll!(&mut another), Poll::Pending));
        rounds.finish(first);
        assert!(rounds.is_begun());
        assert!(matches!(futures_util::poll!(&mut another), Poll::Pending));
        rounds.newer(first).await;
        rounds.finish(rounds.wanted());
        another.await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_is_stuck_that_neither_gets_on_nor_fails() {
        let rounds = Rounds::default();
        let wait = async || tokio::time::advance(STUCK + Duration::from_secs(1)).await;
        wait().await;
        assert_eq!(rounds.is_going(), Err(STUCK + Duration::from_secs(1)));
        rounds.fail();
        assert_eq!(rounds.is_going(), Ok(()), "the API server is away");
        rounds.finish(rounds.wanted());
        wait().await;
        assert_eq!(rounds.is_going(), Ok(()), "no list is wanted");
        let mut another = std::pin::pin!(rounds.another());
        assert!(matches!(futures_util::poll!(&mut another), Poll::Pending));
        assert_eq!(rounds.is_going(), Ok(()), "it is wanted from now on");
        wait().await;
        assert!(rounds.is_going().is_err());
    }
}
