//! Which devices a pod accepts.

use aho_corasick::AhoCorasick;

use crate::node::Device;
use crate::refusal::Obstacle;
use crate::request::Selection;

/// How many models are remembered: a cluster has a handful.
const MOST: usize = 16;

/// A [`Selection`], to be asked about each device of a cluster.
#[derive(Debug)]
pub(crate) struct Choice {
    models: Names,
    uuids: Names,
    /// What was said of models.
    known: Vec<(String, bool)>,
}

impl Choice {
    pub(crate) fn of(selection: &Selection) -> Self {
        let Selection { models, not_models, uuids, not_uuids } = selection;
        let (models, uuids) = (Names::new(models, not_models), Names::new(uuids, not_uuids));
        Self { models, uuids, known: Vec::new() }
    }

    /// Whether no device is against it.
    pub(crate) const fn is_free(&self) -> bool {
        self.models.are_all() && self.uuids.are_all()
    }

    /// What of a device is against it.
    pub(crate) fn obstacle(&mut self, device: &Device) -> Option<Obstacle> {
        if !self.accepts_model(&device.model) {
            Some(Obstacle::Model)
        } else if !self.uuids.have(&device.uuid) {
            Some(Obstacle::Uuid)
        } else {
            None
        }
    }

    fn accepts_model(&mut self, model: &str) -> bool {
        if self.models.are_all() {
            return true;
        }
        if let Some((_, is_accepted)) = self.known.iter().find(|(known, _)| known == model) {
            return *is_accepted;
        }
        let is_accepted = self.models.have(model);
        if self.known.len() < MOST {
            self.known.push((model.to_owned(), is_accepted));
        }
        is_accepted
    }
}

/// All names that have one of some parts, and none of others, in either case.
#[derive(Debug)]
struct Names {
    /// `None`: any.
    only: Option<AhoCorasick>,
    not: Option<AhoCorasick>,
}

impl Names {
    fn new(only: &[String], not: &[String]) -> Self {
        Self { only: any_of(only), not: any_of(not) }
    }

    const fn are_all(&self) -> bool {
        self.only.is_none() && self.not.is_none()
    }

    fn have(&self, name: &str) -> bool {
        let has_part = |parts: &AhoCorasick| parts.is_match(name);
        self.only.as_ref().is_none_or(has_part) && !self.not.as_ref().is_some_and(has_part)
    }
}

/// Finds any of `parts`, in either case, in the time in which it finds one.
fn any_of(parts: &[String]) -> Option<AhoCorasick> {
    // Names are so short that to look for rare letters first costs more than it spares.
    let finder = || AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).build(parts);
    (!parts.is_empty()).then(|| finder().expect("less than 2 GiB of parts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_remembered_and_more_than_are_remembered_are_answered() {
        let mut choice = Choice::of(&Selection { models: vec!["7".to_owned()], ..Selection::default() });
        for _ in 0..2 {
            for number in 0..2 * MOST {
                let model = format!("model {number}");
                assert_eq!(choice.accepts_model(&model), model.contains('7'), "{model}");
            }
        }
        assert_eq!(choice.known.len(), MOST);
    }

    #[test]
    fn parts_are_found_in_either_case() {
        let names = |only: &[&str], not: &[&str]| {
            let [only, not] =
                [only, not].map(|parts| parts.iter().copied().map(str::to_owned).collect::<Vec<_>>());
            let names = Names::new(&only, &not);
            ["NVIDIA A40", "NVIDIA A800", "H100 é"].map(|name| names.have(name))
        };
        assert_eq!(names(&[], &[]), [true; 3]);
        assert_eq!(names(&["a8", "h1"], &[]), [false, true, true]);
        assert_eq!(names(&[], &["a40", "É"]), [false, true, true], "of other letters only their own case");
        assert_eq!(names(&["nvidia"], &["A80"]), [true, false, false]);
        assert_eq!(names(&[""], &[]), [true; 3]);
    }
}
