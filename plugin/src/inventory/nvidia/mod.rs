//! NVIDIA's devices, by NVML.
//!
//! Calls of NVML may hang for as long as the driver does, and a thread in the driver cannot be stopped. So one thread makes
//! them all, and whoever asks it waits for a limited time.

mod device;
mod links;
mod memory;
mod thread;
mod usage;

use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{Family, GpuUse, Look, NoAnswer};
use thread::{Answer, Question};

/// How long something may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A look.
    pub look: Duration,
    /// NVML is kept open: it does not notice devices that come while it is.
    pub open: Duration,
}

/// The devices of NVIDIA's driver.
pub struct Nvidia {
    questions: SyncSender<Question>,
    library: PathBuf,
    within: Duration,
}

impl Nvidia {
    /// Asks the NVML in this file, with this `patience`. `pci` is where the kernel describes devices,
    /// `/sys/bus/pci/devices`.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(library: PathBuf, pci: PathBuf, patience: Patience) -> std::io::Result<Self> {
        let (questions, asked) = sync_channel(1);
        let (path, Patience { look: within, open }) = (library.clone(), patience);
        std::thread::Builder::new()
            .name("nvml".to_owned())
            .spawn(move || thread::answer(&path, &pci, open, &asked))?;
        Ok(Self { questions, library, within })
    }

    async fn ask<T>(
        &self,
        question: impl FnOnce(Answer<T>) -> Question,
        within: Duration,
    ) -> Result<T, NoAnswer> {
        let (answer, answered) = oneshot::channel();
        match self.questions.try_send(question(answer)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(self.no_answer("still hangs in an earlier call")),
            Err(TrySendError::Disconnected(_)) => return Err(self.no_answer("its thread has ended")),
        }
        match timeout(within, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(self.no_answer("its thread has ended")),
            Err(_) => Err(self.no_answer(&format!("no answer within {within:?}"))),
        }
    }

    fn no_answer(&self, why: &str) -> NoAnswer {
        NoAnswer(format!("{}: {why}", self.library.display()))
    }
}

impl Family for Nvidia {
    async fn look(&self) -> Result<Look, NoAnswer> {
        self.ask(Question::Look, self.within).await
    }

    async fn usage(&self, within: Duration) -> Result<Vec<GpuUse>, NoAnswer> {
        self.ask(Question::Use, within).await
    }
}
