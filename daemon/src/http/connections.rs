//! Those that are open, and whose turn it is to go when there are too many.

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::Limits;
use super::stream::Answered;

/// Connections, the oldest first. They end with this.
#[derive(Default)]
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: Vec<(AbortHandle, Answered)>,
}

impl Connections {
    /// For one more.
    pub(super) async fn make_room(&mut self, limits: Limits) {
        while self.tasks.try_join_next().is_some() {}
        if self.open.len() < limits.connections {
            return;
        }
        self.open.retain(|(task, _)| !task.is_finished());
        if self.tasks.len() < limits.connections {
            return;
        }
        let answered: Vec<_> = self.open.iter().map(|(_, answered)| answered.last()).collect();
        if limits.makes_room
            && let Some(place) = to_close(&answered)
        {
            self.open.remove(place).0.abort();
        }
        self.tasks.join_next().await;
    }

    pub(super) fn add(&mut self, answered: Answered, connection: impl Future<Output = ()> + Send + 'static) {
        self.open.push((self.tasks.spawn(connection), answered));
    }
}

/// Which of these connections is closed for another one, by when they were last answered: of those that never were and those that
/// were, whichever are more, the one that has waited longest. So who opens many without a word does not close those of who has been
/// answered, nor do many that once were answered keep out who is new.
fn to_close(answered: &[Option<Instant>]) -> Option<usize> {
    let known = answered.iter().flatten().count();
    let is_known = known > answered.len() / 2;
    let group = answered.iter().enumerate().filter(|(_, last)| last.is_some() == is_known);
    group.min_by_key(|(_, last)| **last).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_connection_that_is_used_survives_a_flood_of_silent_ones_and_of_ones_that_were_used_once() {
        let at = |second: u64| Some(Instant::now() + Duration::from_secs(second));
        assert_eq!(to_close(&[]), None);
        assert_eq!(to_close(&[at(5), None, None, None]), Some(1));
        assert_eq!(to_close(&[at(5), at(1), at(2), None]), Some(1));
        assert_eq!(to_close(&[at(5), at(1), None, None]), Some(2));
        assert_eq!(to_close(&[at(5), at(6)]), Some(0));
    }
}
