//! How much clients may ask for.

use std::time::Duration;

/// Answers are waited for, and an answer is kept until it is read: twice as long as API servers wait, and as long as Prometheus does.
const ANSWER_READ_WITHIN: Duration = Duration::from_secs(10);

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// Whether one more closes another one, instead of waiting until one is closed. So whoever only holds connections open keeps
    /// nobody out.
    pub makes_room: bool,
    /// How long a client may take to send the head of a request, and to be silent between two of them. `None`: for ever.
    pub head_within: Option<Duration>,
    /// The most bytes of a head, and of what else is received before it is looked at. `None`: what hyper takes.
    pub head_bytes: Option<usize>,
    /// How long a client may take to read an answer, once no more of it can be sent unread. `None`: for ever.
    pub answer_read_within: Option<Duration>,
    /// A connection is for one request, and is over within this. `None`: for as many as come.
    pub one_request_within: Option<Duration>,
}

impl Limits {
    /// For kube-scheduler, from this machine or pod. Its connections stay open between requests: to close one is to lose the
    /// request that comes at that moment, and with it a try to place a pod.
    pub const SCHEDULER: Self = Self {
        connections: 1024,
        makes_room: false,
        head_within: None,
        head_bytes: None,
        answer_read_within: None,
        one_request_within: None,
    };

    /// For pages, and whoever reaches this machine.
    pub const PAGES: Self = Self {
        connections: 64,
        makes_room: true,
        head_within: Some(Duration::from_secs(5)),
        head_bytes: None,
        answer_read_within: Some(ANSWER_READ_WITHIN),
        one_request_within: None,
    };

    /// For API servers, which have a connection for each call that they wait for, and whoever else reaches this machine.
    pub const WEBHOOK: Self = Self {
        connections: 512,
        makes_room: true,
        head_within: Some(Duration::from_secs(30)),
        head_bytes: Some(64 << 10),
        answer_read_within: Some(ANSWER_READ_WITHIN),
        one_request_within: None,
    };
}
