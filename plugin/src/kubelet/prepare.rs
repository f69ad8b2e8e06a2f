//! What is to be done before kubelet creates a container.

use std::fmt;
use std::future::Future;

use crate::cdi;
use crate::identity::token::Token;
use crate::proto::deviceplugin::ContainerAllocateResponse;

/// Makes the slices of the containers that kubelet is about to create.
pub trait Prepare: Send + Sync + 'static {
    /// Makes the slice of every live container that holds exactly the devices `ids` (one resource's, without order).
    ///
    /// Called again whenever the container is restarted. When this returns `Ok`, the runtime finds all that the answer to
    /// `Allocate` named.
    ///
    /// # Errors
    /// [`Unprepared`]: kubelet does not create the container, and asks again later.
    fn prepare(&self, ids: &[String]) -> impl Future<Output = Result<(), Unprepared>> + Send;

    /// What kubelet is answered for a container that gets the devices `ids`: names, by the random `token`, of what is made before it
    /// is created.
    fn answer(&self, token: Token, _ids: &[String]) -> ContainerAllocateResponse {
        cdi::answer(token)
    }
}

/// Why a container cannot be created now. Kubelet shows it as an event of the pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprepared(pub String);

impl fmt::Display for Unprepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unprepared {}
