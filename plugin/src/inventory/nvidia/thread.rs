//! The thread that calls NVML.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use contract::Uuid;
use nvml_gaps::Nvml as Gaps;
use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{EventSet, Nvml};
use nvml_wrapper::{cuda_driver_version_major, cuda_driver_version_minor};
use tokio::sync::oneshot;

use super::{device, links, usage};
use crate::inventory::links::Links;
use crate::inventory::{Driver, GpuUse, Incident, Look, NoAnswer};

/// What is asked. Whoever has asked may have gone since.
pub(super) enum Question {
    /// What the devices are, and what has happened to them.
    Look(Answer<Look>),
    /// How much of them is used.
    Use(Answer<Vec<GpuUse>>),
}

/// Where an answer is waited for.
pub(super) type Answer<T> = oneshot::Sender<Result<T, NoAnswer>>;

/// Incidents of one device that are taken in at one look. More are there at the next one.
const INCIDENTS_MAX: usize = 64;

/// Answers until nobody can ask any more. NVML is opened anew when it has been `open` for so long.
pub(super) fn answer(library: &Path, pci: &Path, open: Duration, questions: &Receiver<Question>) {
    let mut next = questions.recv().ok();
    // Not told yet: what is reported does not get lost when NVML is opened anew.
    let mut incidents = Vec::new();
    while let Some(question) = next {
        next = match Nvml::builder().lib_path(library.as_os_str()).init() {
            Ok(nvml) => Opened::new(&nvml, library, pci, open).answer(question, questions, &mut incidents),
            Err(error) => {
                question.fails(no_answer(library, &error));
                questions.recv().ok()
            }
        };
    }
}

impl Question {
    fn fails(self, error: NoAnswer) {
        // There is nobody left to tell, if this fails.
        let _ = match self {
            Self::Look(answer) => answer.send(Err(error)).is_ok(),
            Self::Use(answer) => answer.send(Err(error)).is_ok(),
        };
    }
}

fn no_answer(library: &Path, error: &NvmlError) -> NoAnswer {
    NoAnswer(format!("{}: {error}", library.display()))
}

/// NVML, opened, and where its devices report incidents.
struct Opened<'a> {
    nvml: &'a Nvml,
    library: &'a Path,
    pci: &'a Path,
    until: Instant,
    /// The same library for what the wrapper does not ask; `None` is as a driver that cannot tell.
    gaps: Option<Gaps>,
    links: Links,
    /// One for each device that has any: a device that is lost does not say any more which one it is.
    events: Vec<(Uuid, EventSet<'a>)>,
}

impl<'a> Opened<'a> {
    fn new(nvml: &'a Nvml, library: &'a Path, pci: &'a Path, open: Duration) -> Self {
        let events = (0..nvml.device_count().unwrap_or(0)).filter_map(|index| {
            let device = nvml.device_by_index(index).ok()?;
            let uuid = device.uuid().ok()?.parse().ok()?;
            let set = nvml.create_event_set().ok()?;
            Some((uuid, device.register_events(EventTypes::CRITICAL_XID_ERROR, set).ok()?))
        });
        let gaps = Gaps::open(library).ok();
        let links = links::all(nvml, gaps.as_ref());
        Self { nvml, library, pci, until: Instant::now() + open, events: events.collect(), gaps, links }
    }

    /// Answers until NVML has to be opened anew for a question, which is returned.
    fn answer(
        &self,
        first: Question,
        questions: &Receiver<Question>,
        incidents: &mut Vec<Incident>,
    ) -> Option<Question> {
        let mut question = first;
        loop {
            let is_good = match question {
                Question::Look(answer) => self.answer_look(answer, incidents),
                Question::Use(answer) => self.answer_use(answer),
            };
            // Until it comes, what the devices report is kept.
            question = questions.recv().ok()?;
            if !is_good || Instant::now() > self.until {
                incidents.extend(self.incidents());
                return Some(question);
            }
        }
    }

    /// Whether everything answers.
    fn answer_look(&self, answer: Answer<Look>, incidents: &mut Vec<Incident>) -> bool {
        incidents.extend(self.incidents());
        let look = self.look().map(|look| Look { incidents: std::mem::take(incidents), ..look });
        let is_good = look.as_ref().is_ok_and(|look| look.broken.is_empty());
        let look = look.map_err(|error| no_answer(self.library, &error));
        if let Err(Ok(unheard)) = answer.send(look) {
            *incidents = unheard.incidents;
        }
        is_good
    }

    /// Whether NVML answers. A device that does not is found by looks.
    fn answer_use(&self, answer: Answer<Vec<GpuUse>>) -> bool {
        let uses = usage::all(self.nvml, self.gaps.as_ref()).map_err(|error| no_answer(self.library, &error));
        let is_good = uses.is_ok();
        let _ = answer.send(uses);
        is_good
    }

    fn look(&self) -> Result<Look, NvmlError> {
        let cuda = self.nvml.sys_cuda_driver_version()?;
        let cuda = [cuda_driver_version_major(cuda), cuda_driver_version_minor(cuda)]
            .map(|part| u32::try_from(part).unwrap_or(0));
        let driver = Driver { version: self.nvml.sys_driver_version()?, cuda: cuda.into() };
        let gaps = self.gaps.as_ref();
        let mut look = Look { driver, links: self.links.clone(), ..Look::default() };
        for index in 0..self.nvml.device_count()? {
            match device::describe(self.nvml, index, gaps, self.pci) {
                Ok(gpu) => {
                    look.unfit.extend(device::unfit(index, gaps).map(|reason| (gpu.uuid, reason)));
                    look.gpus.push(gpu);
                }
                Err(reason) => drop(look.broken.insert(index, reason)),
            }
        }
        Ok(look)
    }

    /// What has been reported, without waiting for more.
    fn incidents(&self) -> Vec<Incident> {
        let of_set = |(uuid, set): &(Uuid, EventSet<'a>)| {
            let events = std::iter::from_fn(|| set.wait(0).ok()).take(INCIDENTS_MAX);
            let incidents = events.filter_map(|event| match event.event_data? {
                XidError::Value(code) => Some(Incident { gpu: Some(*uuid), code }),
                XidError::Unknown => None,
            });
            incidents.collect::<Vec<_>>()
        };
        self.events.iter().flat_map(of_set).collect()
    }
}
