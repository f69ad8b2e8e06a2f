//! A node as one pod may use it.

use crate::amount::Amount;
use crate::choice::Choice;
use crate::node::Node;
use crate::refusal::Obstacle;
use crate::request::ContainerRequest;

/// A node, and the devices of it that the pod does not accept, whatever is left of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'a> {
    pub node: &'a Node,
    /// By device; empty where all are accepted.
    pub barred: &'a [Option<Obstacle>],
}

impl<'a> Site<'a> {
    /// Asks `choice` about each device of `node`, and writes down in `barred` what it says.
    pub(crate) fn look(
        node: &'a Node,
        choice: &mut Choice<'_>,
        barred: &'a mut Vec<Option<Obstacle>>,
    ) -> Self {
        barred.clear();
        if !choice.is_free() {
            barred.extend(node.devices.iter().map(|device| choice.obstacle(device)));
        }
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
