//! A node as one pod may use it.

use crate::amount::Amount;
use crate::node::Node;
use crate::refusal::Obstacle;
use crate::request::{ContainerRequest, Selection};

/// A node, and the devices of it that the pod does not accept, whatever is left of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'a> {
    pub node: &'a Node,
    /// By device; empty where all are accepted.
    pub barred: &'a [Option<Obstacle>],
}

impl<'a> Site<'a> {
    /// Asks `selection` about each device of `node`, and writes down in `barred` what it says.
    pub(crate) fn look(
        node: &'a Node,
        selection: &Selection,
        models: &mut Models,
        barred: &'a mut Vec<Option<Obstacle>>,
    ) -> Self {
        barred.clear();
        if selection.accepts_all_models() && !selection.names_devices() {
            return Self { node, barred };
        }
        barred.extend(node.devices.iter().map(|device| {
            if !models.are_accepted(&device.model, selection) {
                Some(Obstacle::Model)
            } else if !selection.accepts_uuid(&device.uuid) {
                Some(Obstacle::Uuid)
            } else {
                None
            }
        }));
        Self { node, barred }
    }

    /// What `container` needs of a device, when there is room for it beside what is claimed.
    pub(crate) fn need(&self, container: &ContainerRequest, device: usize) -> Result<Amount, Obstacle> {
        if let Some(Some(obstacle)) = self.barred.get(device) {
            return Err(*obstacle);
        }
        let device = &self.node.devices[device];
        let need = container.need(device, self.node);
        device.admits(need).map(|()| need)
    }
}

/// How many models are remembered: a cluster has a handful.
const MOST: usize = 16;

/// What a selection says of models that it has been asked about.
#[derive(Debug, Default)]
pub(crate) struct Models(Vec<(String, bool)>);

impl Models {
    fn are_accepted(&mut self, model: &str, selection: &Selection) -> bool {
        if selection.accepts_all_models() {
            return true;
        }
        if let Some((_, is_accepted)) = self.0.iter().find(|(known, _)| known == model) {
            return *is_accepted;
        }
        let is_accepted = selection.accepts_model(model);
        if self.0.len() < MOST {
            self.0.push((model.to_owned(), is_accepted));
        }
        is_accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_remembered_and_more_than_are_remembered_are_answered() {
        let selection = Selection { models: vec!["7".to_owned()], ..Selection::default() };
        let mut models = Models::default();
        for _ in 0..2 {
            for number in 0..2 * MOST {
                let model = format!("model {number}");
                assert_eq!(models.are_accepted(&model, &selection), model.contains('7'), "{model}");
            }
        }
        assert_eq!(models.0.len(), MOST);
    }
}
