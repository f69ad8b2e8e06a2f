//! Ties each request to the type of its answer, so that client and server cannot disagree about it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Request;

/// A request and the type of its answer.
pub(crate) trait Call: Into<Request> {
    /// What a granted request is answered with.
    type Reply: Serialize + DeserializeOwned;
}

/// Declares a group of requests: a struct for each, the enum of the group, and the [`Call`] of each.
macro_rules! calls {
    (
        $(#[$group_doc:meta])*
        $group:ident in $variant:ident:
        $($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? } -> $reply:ty;)*
    ) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub(crate) struct $name { $(pub(crate) $field: $ty),* }

            impl $crate::protocol::Call for $name {
                type Reply = $reply;
            }

            impl From<$name> for Request {
                fn from(call: $name) -> Self {
                    Self::$variant($group::$name(call))
                }
            }
        )*

        $(#[$group_doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub(crate) enum $group { $($name($name)),* }
    };
}

pub(super) use calls;
