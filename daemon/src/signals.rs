//! The signals by which kubelet and people end a program.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Waits until somebody wants the program to end. Signals count from the call on.
///
/// # Errors
/// Signals cannot be listened for.
pub fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    let listen = |kind| {
        signal(kind)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot listen for signals: {error}")))
    };
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        tracing::info!("told to end");
    })
}
