//! Answers of HTTP, as far as a node agent needs them.

use std::fmt::Write;
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;

use super::conditions::State;

/// How the text format of Prometheus is announced.
pub const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// What kind of text it is.
    pub content_type: &'static str,
    /// The text.
    pub body: Bytes,
}

impl Answer {
    /// Plain text.
    #[must_use]
    pub fn text(status: StatusCode, text: impl Into<Bytes>) -> Self {
        Self { status, content_type: TEXT, body: text.into() }
    }

    /// Metrics.
    #[must_use]
    pub const fn metrics(body: Bytes) -> Self {
        Self { status: StatusCode::OK, content_type: EXPOSITION, body }
    }

    /// Whether all is well, by a line for each thing that has to be.
    #[must_use]
    pub fn check<'a>(states: impl IntoIterator<Item = (&'a str, State)>) -> Self {
        let (mut status, mut text) = (StatusCode::OK, String::new());
        for (name, state) in states {
            // Writing to a string does not fail.
            let _ = match state {
                Ok(()) => writeln!(text, "[+]{name} ok"),
                Err(reason) => {
                    status = StatusCode::SERVICE_UNAVAILABLE;
                    writeln!(text, "[-]{name} failed: {reason}")
                }
            };
        }
        text.push_str(if status == StatusCode::OK { "ok\n" } else { "failed\n" });
        Self::text(status, text)
    }

    /// Whether every loop goes round.
    #[must_use]
    pub fn alive(silent: Vec<(&'static str, Duration)>) -> Self {
        Self::check(silent.into_iter().map(|(name, since)| {
            (name, Err(format!("its loop has not come round for {} s", since.as_secs())))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_well_is_named_and_is_the_status() {
        assert_eq!(Answer::alive(vec![]), Answer::text(StatusCode::OK, "ok\n"));
        let answer = Answer::check([("cdi", Err("off".to_owned())), ("kubelet", Ok(()))]);
        let text = "[-]cdi failed: off\n[+]kubelet ok\nfailed\n";
        assert_eq!(answer, Answer::text(StatusCode::SERVICE_UNAVAILABLE, text));
        let stuck = Answer::alive(vec![("devices", Duration::from_secs(70))]);
        assert_eq!(stuck.body, "[-]devices failed: its loop has not come round for 70 s\nfailed\n");
    }
}
