//! Measuring: all interposers take turns, round by round, and one that fails is left out with its reason.

use crate::document::{self, Document, Figure, Outcome};
use crate::figure::{Measured, Spread};
use crate::goal::{Bound, Verdict};
use crate::metric::{Better, Line, Metric, Relation};
use crate::options::{On, Options};
use crate::{metrics, output};
use anyhow::{Context, Error, Result, bail, ensure};
use benches::interposer::Interposer;
use benches::machine;
use benches::running::Hung;
use benches::subject::{Setting, Subject, stage};
use benches::work::{Place, Work};
use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

/// Times that an interposer may hang before it is tried no more.
const PATIENCE: usize = 2;

/// An interposer, and why it is tried no more, if it is not.
struct Candidate {
    subject: Subject,
    hung: usize,
    given_up: Option<String>,
}

/// Measures what is asked for, and prints each metric when it is done.
///
/// # Errors
/// The arguments name something that is not there, or the work fails natively, so that there is nothing to compare with.
pub(crate) fn run(options: &Options) -> Result<Document> {
    let metrics = chosen(options)?;
    let mut candidates = candidates(options)?;
    let (began, start) = (SystemTime::now(), Instant::now());
    let device = device(&candidates)?;
    let mut document = Document {
        schema: "vgpu-report-1",
        command: std::env::args().collect(),
        began: humantime::format_rfc3339_seconds(began).to_string(),
        seconds: 0,
        on: if options.on == On::Sim { "sim" } else { "card" },
        device,
        machine: machine::describe(),
        load: machine::load(),
        rounds: options.rounds(),
        interposers: candidates.iter().map(Candidate::describe).collect(),
        metrics: Vec::new(),
        omitted: metrics::OMITTED.to_vec(),
    };
    output::table::head(&document);
    for candidate in &mut candidates {
        candidate.try_out()?;
    }
    for metric in &metrics {
        let measured = measure(metric, &mut candidates, options);
        output::table::metric(&measured);
        document.metrics.push(measured);
    }
    document.seconds = start.elapsed().as_secs();
    output::table::foot(&document);
    Ok(document)
}

/// What everything runs on.
fn device(candidates: &[Candidate]) -> Result<String> {
    let native = candidates.first().context("nothing to measure")?;
    let told = native.subject.tell(Setting::Native, Work::Device, 1);
    let told =
        told.context("no device can be used; --on sim is the simulated one, --on card needs a driver")?;
    Ok(told.trim().to_owned())
}

/// The metrics and lines that are asked for.
fn chosen(options: &Options) -> Result<Vec<Metric>> {
    let contains = |metric: &Metric, wanted: &str| {
        format!("{} {}", metric.id, metric.name).to_lowercase().contains(&wanted.to_lowercase())
    };
    let mut chosen = metrics::all();
    let is_none = |wanted: &&String| !chosen.iter().any(|metric| contains(metric, wanted));
    if let Some(wanted) = options.filters.iter().find(is_none) {
        bail!("no metric is called {wanted:?}; `report --list` names them");
    }
    let filters = &options.filters;
    chosen.retain(|metric| filters.is_empty() || filters.iter().any(|wanted| contains(metric, wanted)));
    chosen.retain(|metric| !options.quick || metric.lines.iter().any(|line| line.quick));
    ensure!(!chosen.is_empty(), "nothing of {} is measured with --quick; leave that out", filters.join(", "));
    Ok(chosen)
}

/// Nothing first, and what is to be compared with it.
fn candidates(options: &Options) -> Result<Vec<Candidate>> {
    let stage = stage()?;
    let named = if options.interposers.is_empty() { &["vgpu".to_owned()] } else { &*options.interposers };
    let parsed = named.iter().map(|text| Interposer::parse(text, &stage).context("--interposer"));
    let parsed: Vec<Interposer> = parsed.collect::<Result<_>>()?;
    let mut names = BTreeSet::new();
    if let Some(twice) = parsed.iter().find(|interposer| !names.insert(&interposer.name)) {
        bail!("--interposer: two are called {:?}; give one of them another name", twice.name);
    }
    let patience = Duration::from_secs(options.patience.get().into());
    let native = Subject::at(&stage, options.on.place(), patience)?;
    let others = parsed.into_iter().filter(|interposer| interposer.library.is_some());
    let others = others.map(|interposer| native.behind(interposer)).collect::<Result<Vec<_>>>()?;
    Ok(std::iter::once(native).chain(others).map(Candidate::new).collect())
}

/// All lines of a metric.
fn measure(metric: &Metric, candidates: &mut [Candidate], options: &Options) -> document::Metric {
    let lines = metric.lines.iter().filter(|line| line.quick || !options.quick);
    document::Metric {
        id: metric.id,
        name: metric.name,
        unit: metric.unit,
        better: match metric.better {
            Better::Less => "less",
            Better::More => "more",
            Better::Nearest => "nearest",
        },
        measures: metric.measures,
        published: metric.published,
        lines: lines.map(|line| measure_line(line, candidates, options)).collect(),
    }
}

/// All rounds of a line. Whoever fails in one is not asked again.
fn measure_line(line: &Line, candidates: &mut [Candidate], options: &Options) -> document::Line {
    let mut found: Vec<Result<Vec<f64>, String>> = candidates.iter().map(|_| Ok(Vec::new())).collect();
    for _ in 0..options.rounds() {
        for (candidate, found) in candidates.iter_mut().zip(&mut found) {
            if let Ok(figures) = found {
                match candidate.probe(line) {
                    Ok(figure) => figures.push(figure),
                    Err(reason) => *found = Err(reason),
                }
            }
        }
    }
    let native = found.first().and_then(|native| native.as_ref().ok()).cloned();
    let goal = line.goal.map(|goal| (goal.row, goal.bound(options.on.place())));
    let is_noise = native.as_deref().zip(goal).is_some_and(|(native, (_, bound))| is_noise(native, bound));
    let is_unclear = line.by_the_clock && (is_noise || is_busy(native.as_deref()));
    let figure = |(candidate, found): (&Candidate, Result<Vec<f64>, String>)| Figure {
        interposer: candidate.subject.interposer().name.clone(),
        outcome: match found {
            Ok(figures) => {
                let measured = Measured::of(&figures, native.as_deref(), line.relation);
                let verdict = match goal {
                    Some(_) if !candidate.is_something() => None,
                    Some(_) if is_unclear => Some(Verdict::Inconclusive),
                    Some((_, bound)) => bound.judge(&measured),
                    None => None,
                };
                Outcome::Measured { measured, verdict }
            }
            Err(reason) => Outcome::Absent { reason },
        },
    };
    document::Line {
        name: line.name,
        goal: goal.map(|(row, bound)| document::Goal { row, text: bound.to_string() }),
        figures: candidates.iter().zip(found).map(figure).collect(),
    }
}

/// Whether the machine had no time for what was measured: more wants to run than it has processors, or the same work takes now so
/// long and now so long without any interposer.
fn is_busy(native: Option<&[f64]>) -> bool {
    const WIDE: f64 = 0.1;
    let processors = u32::try_from(machine::processors()).map_or(f64::MAX, f64::from);
    let varies =
        native.map(Spread::of).is_some_and(|spread| spread.most - spread.least > WIDE * spread.median);
    varies || machine::load().is_some_and(|load| load > 2.0 * processors)
}

/// Whether the same work usually differs by more from one round to the next, natively, than it may take longer.
fn is_noise(native: &[f64], bound: Bound) -> bool {
    let Bound::Times(most) = bound else { return false };
    let steps: Vec<f64> = native.windows(2).map(|rounds| (rounds[1] / rounds[0] - 1.0).abs()).collect();
    !steps.is_empty() && Spread::of(&steps).median > most - 1.0
}

impl Candidate {
    const fn new(subject: Subject) -> Self {
        Self { subject, hung: 0, given_up: None }
    }

    fn describe(&self) -> document::Subject {
        let Interposer { name, library, environment, .. } = self.subject.interposer().clone();
        document::Subject { name, library, environment }
    }

    fn is_something(&self) -> bool {
        self.subject.interposer().library.is_some()
    }

    /// Starts a program, so that one that starts none is not asked for everything else.
    fn try_out(&mut self) -> Result<()> {
        for setting in [Setting::Unlimited, Setting::Limited] {
            let answer = self.subject.ask::<2>(setting, Work::Start, 1);
            match answer {
                Ok(_) => {}
                Err(error) if self.is_something() => {
                    self.given_up = Some(format!("it starts no program: {error:#}"));
                    return Ok(());
                }
                Err(error) => {
                    return Err(error.context("without an interposer; is there a driver and a device?"));
                }
            }
        }
        Ok(())
    }

    /// Measures once.
    fn probe(&mut self, line: &Line) -> Result<f64, String> {
        if let Some(reason) = line.not_on_a_card.filter(|_| self.subject.place() == Place::Card) {
            return Err(reason.to_owned());
        }
        match (line.relation, &self.given_up) {
            (Relation::Apart(reason), _) if !self.is_something() => return Err(reason.to_owned()),
            (_, Some(reason)) => return Err(reason.clone()),
            _ => {}
        }
        (line.probe)(&self.subject).map_err(|error| self.failed(&error))
    }

    fn failed(&mut self, error: &Error) -> String {
        self.hung += usize::from(error.is::<Hung>());
        let reason = format!("{error:#}");
        if self.hung >= PATIENCE && self.is_something() {
            self.given_up =
                Some(format!("it was given up after it had hung {PATIENCE} times; the last: {reason}"));
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_more_than_a_program_may_become_slower_is_noise() {
        let goal = Bound::Times(1.005);
        assert!(is_noise(&[1.0, 1.02, 1.0], goal) && !is_noise(&[1.0, 1.004, 1.001], goal));
        assert!(!is_noise(&[1.0, 2.0], Bound::AtMost(1.0)) && !is_noise(&[1.0], goal));
    }
}
