//! Ties each request to the type of its answer, so that client and server cannot disagree about it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Request;

/// A request and the type of its answer.
pub(crate) trait Call: Into<Request> {
    /// What a granted request is answered with.
    type Reply: Serialize + DeserializeOwned;
}

/// Declares the requests: a struct for each, the enum that travels, and the [`Call`] of each.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? } -> $reply:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub(crate) struct $name { $(pub(crate) $field: $ty),* }

            impl $crate::protocol::Call for $name {
                type Reply = $reply;
            }

            impl From<$name> for Request {
                fn from(call: $name) -> Self {
                    Self::$name(call)
                }
            }
        )*

        /// A request as it travels. New ones go to the end: the position is the code on the wire.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub(crate) enum Request { $($name($name)),* }
    };
}

pub(super) use calls;
