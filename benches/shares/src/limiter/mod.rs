//! What stands between a program and the device.

mod bucket;
mod naive;
mod trim;

use std::rc::Rc;

use sim_model::{EventId, Nanos, StreamId};
use tracker::launches::Lease;

use crate::process::{Launch, Process};

/// Which limiter a tenant has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None.
    Unlimited,
    /// Waits for every launch and sleeps for what it took too much.
    Naive,
    /// The library's.
    Bucket,
}

/// The limiter of one process.
pub(crate) enum Limiter {
    Unlimited,
    Naive(naive::Naive),
    Bucket(Box<bucket::Bucket>),
}

impl Limiter {
    pub(crate) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Unlimited => Self::Unlimited,
            Kind::Naive => Self::Naive(naive::Naive::default()),
            Kind::Bucket => Self::Bucket(Box::default()),
        }
    }

    /// Launches as soon as the launch may be, for a thread that holds `lease`.
    pub(crate) async fn launch(
        &self,
        process: &Rc<Process>,
        lease: &mut Lease<EventId>,
        launch: &Launch<'_>,
    ) {
        match self {
            Self::Unlimited => process.submit(launch).await,
            Self::Naive(naive) => naive.launch(process, launch).await,
            Self::Bucket(bucket) => bucket.launch(process, lease, launch).await,
        }
    }

    /// A thread is about to wait for a stream. Whether the limiter wants to know for [how long](Self::after_wait).
    pub(crate) async fn before_wait(
        &self,
        process: &Rc<Process>,
        lease: &mut Lease<EventId>,
        stream: StreamId,
    ) -> bool {
        match self {
            Self::Bucket(bucket) => bucket.before_wait(process, lease, stream).await,
            Self::Unlimited | Self::Naive(_) => false,
        }
    }

    /// It has waited since `begin`.
    pub(crate) fn after_wait(&self, process: &Rc<Process>, lease: &mut Lease<EventId>, begin: Nanos) {
        if let Self::Bucket(bucket) = self {
            bucket.after_wait(process, lease, begin);
        }
    }
}
