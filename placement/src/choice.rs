//! Which devices a pod accepts.

use std::collections::HashSet;

use memchr::memchr2_iter;

use crate::node::Device;
use crate::refusal::Obstacle;
use crate::request::Selection;

/// How many models are remembered: a cluster has a handful.
const MOST: usize = 16;

/// A [`Selection`], to be asked about each device of a cluster.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    models: Names<'a>,
    uuids: Names<'a>,
    /// What was said of models.
    known: Vec<(String, bool)>,
}

impl<'a> Choice<'a> {
    pub(crate) fn of(selection: &'a Selection) -> Self {
        let Selection { models, not_models, uuids, not_uuids } = selection;
        let models = Names { only: Parts::new(models), not: Parts::new(not_models) };
        let uuids = Names { only: Parts::new(uuids), not: Parts::new(not_uuids) };
        Self { models, uuids, known: Vec::new() }
    }

    /// Whether no device is against it.
    pub(crate) fn is_free(&self) -> bool {
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
struct Names<'a> {
    /// None: any.
    only: Parts<'a>,
    not: Parts<'a>,
}

impl Names<'_> {
    fn are_all(&self) -> bool {
        self.only.all.is_empty() && self.not.all.is_empty()
    }

    fn have(&self, name: &str) -> bool {
        let name = name.as_bytes();
        (self.only.all.is_empty() || self.only.are_in(name)) && !self.not.are_in(name)
    }
}

/// Parts of names.
#[derive(Debug)]
struct Parts<'a> {
    /// The shortest first.
    all: Vec<&'a [u8]>,
    /// All in small letters: one that is as long as a name is the name, as in a list of UUIDs, of which none has to be looked at.
    whole: HashSet<Vec<u8>>,
}

impl<'a> Parts<'a> {
    fn new(parts: &'a [String]) -> Self {
        let mut all: Vec<_> = parts.iter().map(String::as_bytes).collect();
        all.sort_unstable_by_key(|part| part.len());
        let whole = all.iter().map(|part| part.to_ascii_lowercase()).collect();
        Self { all, whole }
    }

    /// Whether any is a part of `name`.
    fn are_in(&self, name: &[u8]) -> bool {
        let (shorter, others) = self.all.split_at(self.all.partition_point(|part| part.len() < name.len()));
        let may_be_whole = others.first().is_some_and(|part| part.len() == name.len());
        shorter.iter().any(|part| has_part(name, part))
            || may_be_whole && self.whole.contains(&name.to_ascii_lowercase())
    }
}

/// Whether `part` is somewhere in `name`, in either case. Most places are told by their ends: UUIDs may begin alike.
fn has_part(name: &[u8], part: &[u8]) -> bool {
    let Some(last) = part.last() else { return true };
    let Some(ends) = name.get(part.len() - 1..) else { return false };
    let mut places = memchr2_iter(last.to_ascii_lowercase(), last.to_ascii_uppercase(), ends);
    places.any(|place| name[place..place + part.len()].eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_model_is_remembered_and_more_than_are_remembered_are_answered() {
        let selection = Selection { models: vec!["7".to_owned()], ..Selection::default() };
        let mut choice = Choice::of(&selection);
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
                [only, not].map(|parts| parts.iter().map(ToString::to_string).collect::<Vec<_>>());
            let names = Names { only: Parts::new(&only), not: Parts::new(&not) };
            ["NVIDIA A40", "NVIDIA A800", "H100 é"].map(|name| names.have(name))
        };
        assert_eq!(names(&[], &[]), [true; 3]);
        assert_eq!(names(&["a8", "h1"], &[]), [false, true, true]);
        assert_eq!(names(&[], &["a40", "É"]), [false, true, true], "of other letters only their own case");
        assert_eq!(names(&["nvidia"], &["A80"]), [true, false, false]);
        assert_eq!(names(&["", "a name that is longer than any of them"], &[]), [true; 3]);
        assert_eq!(names(&[], &["NVIDIA A4", "nvidia a40", "NVIDIA A8000"]), [false, true, true]);
        assert_eq!(names(&["0"], &["a4", "a 8"]), [false, true, true]);
    }

    proptest! {
        #[test]
        fn a_part_is_found_wherever_it_is(
            name in "[aA0é-]{0,8}",
            parts in prop::collection::vec("[aA0é-]{0,9}", 0..4),
        ) {
            let folded = name.to_ascii_lowercase();
            let is_in = parts.iter().any(|part| folded.contains(&part.to_ascii_lowercase()));
            prop_assert_eq!(Parts::new(&parts).are_in(name.as_bytes()), is_in);
        }
    }
}
