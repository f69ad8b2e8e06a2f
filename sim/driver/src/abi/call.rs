//! In which state of the driver a call is possible.

use std::sync::Arc;

use cuda_sys::{CUresult, Stream};

use crate::context::{Context, current};
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::work::{DefaultStream, Lane};

/// What a body needs of the driver, as its first parameter.
pub(crate) trait FromCall: Sized {
    /// The state, or the error that the call gets in another one. `stream` is the table's word for what stream 0 means
    /// to the symbol.
    fn from_call(stream: Stream) -> Outcome<Self>;
}

/// Nothing: the call is possible at any time.
#[derive(Debug)]
pub(crate) struct Any;

/// An initialised driver.
#[derive(Debug)]
pub(crate) struct Ready {
    /// The driver.
    pub(crate) driver: &'static Driver,
    default_stream: DefaultStream,
}

/// An initialised driver and a usable current context.
#[derive(Debug)]
pub(crate) struct Current {
    /// The driver.
    pub(crate) driver: &'static Driver,
    /// The current context.
    pub(crate) context: Arc<Context>,
    default_stream: DefaultStream,
}

impl FromCall for Any {
    fn from_call(_: Stream) -> Outcome<Self> {
        Ok(Self)
    }
}

impl FromCall for Ready {
    fn from_call(stream: Stream) -> Outcome<Self> {
        Ok(Self { driver: Driver::get()?, default_stream: default_stream(stream) })
    }
}

impl FromCall for Current {
    fn from_call(stream: Stream) -> Outcome<Self> {
        let driver = Driver::get()?;
        Ok(Self { driver, context: current()?, default_stream: default_stream(stream) })
    }
}

impl Ready {
    /// The stream of a handle.
    pub(crate) fn lane(&self, handle: usize) -> Outcome<Lane> {
        Lane::of(self.driver, handle, self.default_stream)
    }

    /// The context of a handle, alive or not; the current one for null.
    pub(crate) fn context(&self, handle: usize) -> Outcome<Arc<Context>> {
        if handle == 0 {
            return current();
        }
        self.driver.contexts.get(handle).ok_or(CUresult::INVALID_CONTEXT)
    }
}

impl Current {
    /// The stream of a handle.
    pub(crate) fn lane(&self, handle: usize) -> Outcome<Lane> {
        Lane::of(self.driver, handle, self.default_stream)
    }
}

/// A symbol that takes no stream works in the legacy one.
fn default_stream(stream: Stream) -> DefaultStream {
    match stream {
        Stream::Any | Stream::Legacy => DefaultStream::Legacy,
        Stream::Ptds => DefaultStream::PerThread,
    }
}
