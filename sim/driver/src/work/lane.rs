//! Which stream a call means.

use std::cell::RefCell;
use std::sync::Arc;

use cuda_sys::CUresult;
use sim_kernel::{ContextId, Operation, StreamId, StreamKind};

use super::{Graph, Node, Stream};
use crate::context::{Context, current};
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// What stream 0 means to an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    /// The context's stream that waits for all blocking ones.
    Legacy,
    /// A stream of the thread's own (symbols that end in `_ptds` and `_ptsz`).
    PerThread,
}

/// `CU_STREAM_LEGACY`.
const LEGACY: usize = 1;
/// `CU_STREAM_PER_THREAD`.
const PER_THREAD: usize = 2;

/// A stream of a living context, and the way to queue work in it.
#[derive(Debug)]
pub(crate) struct Lane {
    /// What the machine calls it.
    pub(crate) id: StreamId,
    /// Its context.
    pub(crate) context: Arc<Context>,
    /// The stream that the program created, if it is none of the default ones.
    pub(crate) stream: Option<Arc<Stream>>,
}

impl Lane {
    /// The stream of a handle; a default one is the current context's.
    pub(crate) fn of(driver: &Driver, handle: usize, default: DefaultStream) -> Outcome<Self> {
        match (handle, default) {
            (0, DefaultStream::Legacy) | (LEGACY, _) => {
                let context = current()?;
                Ok(Self { id: context.life()?.legacy_stream, context, stream: None })
            }
            (0, DefaultStream::PerThread) | (PER_THREAD, _) => {
                let context = current()?;
                Ok(Self { id: of_this_thread(driver, context.life()?.id)?, context, stream: None })
            }
            _ => {
                let stream = driver.streams.get(handle).ok_or(CUresult::INVALID_HANDLE)?;
                let context = Arc::clone(&stream.owner);
                context.check()?;
                Ok(Self { id: stream.id, context, stream: Some(stream) })
            }
        }
    }

    /// Takes a piece of work into the graph that the stream captures; false when it captures none.
    pub(crate) fn capture(&self, driver: &Driver, node: impl FnOnce() -> Node) -> Outcome<bool> {
        match &self.stream {
            Some(stream) => stream.capturing.take(driver, stream.handle, node),
            None => self.refuse_capture(driver).map(|()| false),
        }
    }

    /// Lets `add` add to the graph that the stream captures; `None` when it captures none.
    pub(crate) fn captured<T>(
        &self,
        add: impl FnOnce(&Arc<Graph>) -> Outcome<(usize, T)>,
    ) -> Outcome<Option<T>> {
        self.stream.as_ref().map_or(Ok(None), |stream| stream.capturing.add(stream.handle, add))
    }

    /// Breaks off a capture for the sake of what no capture can hold; in the legacy stream, those that it would wait for.
    pub(crate) fn refuse_capture(&self, driver: &Driver) -> Outcome {
        match &self.stream {
            Some(stream) => stream.capturing.refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED),
            None => Stream::refuse_all(&self.implied(driver)?, CUresult::STREAM_CAPTURE_IMPLICIT),
        }
    }

    /// Refuses to say anything of the legacy stream while one captures that it waits for.
    pub(crate) fn refuse_implied(&self, driver: &Driver) -> Outcome {
        if self.implied(driver)?.is_empty() { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_IMPLICIT) }
    }

    /// Streams that capture, and that what is given to this one would have to wait for.
    fn implied(&self, driver: &Driver) -> Outcome<Vec<Arc<Stream>>> {
        let life = self.context.life()?;
        if self.id != life.legacy_stream {
            return Ok(Vec::new());
        }
        let mut streams = Stream::capturing_in(driver, life.id);
        streams.retain(|stream| !stream.is_independent());
        Ok(streams)
    }

    /// Queues an operation; what can be captured was offered to [`Lane::capture`] before.
    pub(crate) fn enqueue(&self, driver: &Driver, operation: Operation) -> Outcome {
        self.refuse_capture(driver)?;
        driver.client.enqueue(self.id, operation).map_err(code)?;
        self.context.note_work();
        Ok(())
    }

    /// Waits for what is queued.
    pub(crate) fn synchronize(&self, driver: &Driver) -> Outcome {
        self.refuse_capture(driver)?;
        driver.client.synchronize_stream(self.id).map_err(code)
    }
}

/// The default streams of a thread, one a context that it used.
struct OwnStreams(Vec<(ContextId, StreamId)>);

impl Drop for OwnStreams {
    fn drop(&mut self) {
        if let Ok(driver) = Driver::get() {
            for (_, stream) in &self.0 {
                // Streams of a context that is gone are gone already, which is as good.
                let _ = driver.client.destroy_stream(*stream);
            }
        }
    }
}

thread_local! {
    static OWN: RefCell<OwnStreams> = const { RefCell::new(OwnStreams(Vec::new())) };
}

fn of_this_thread(driver: &Driver, context: ContextId) -> Outcome<StreamId> {
    let find_or_make = |own: &RefCell<OwnStreams>| {
        let known = own.borrow().0.iter().find(|(owner, _)| *owner == context).map(|(_, stream)| *stream);
        if let Some(stream) = known {
            return Ok(stream);
        }
        let stream = driver.client.create_stream(context, StreamKind::Blocking).map_err(code)?;
        own.borrow_mut().0.push((context, stream));
        Ok(stream)
    };
    OWN.try_with(find_or_make).map_err(|_| CUresult::DEINITIALIZED)?
}
