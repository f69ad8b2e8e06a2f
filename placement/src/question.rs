//! A pod's request, asked of one node after the other.

use crate::choice::Choice;
use crate::effort::Effort;
use crate::fit;
use crate::kinds::{Kind, kinds};
use crate::needs::{Needs, Room};
use crate::node::Node;
use crate::place::{Placement, Search};
use crate::refusal::{Obstacle, Refusal};
use crate::request::PodRequest;
use crate::site::Site;

/// A pod's request, to be asked of many nodes: what is the same for all of them is found once, and so is memory to work in.
#[derive(Debug)]
pub struct Question<'a> {
    request: &'a PodRequest,
    kinds: Vec<Kind<'a>>,
    choice: Choice<'a>,
    barred: Vec<Option<Obstacle>>,
    needs: Needs,
    search: Search<'a>,
}

impl<'a> Question<'a> {
    /// One for this request.
    #[must_use]
    pub fn new(request: &'a PodRequest) -> Self {
        let (kinds, of) = kinds(&request.containers);
        let search = Search::new(request, of);
        let (choice, barred, needs) = (Choice::of(&request.selection), Vec::new(), Needs::default());
        Self { request, kinds, choice, barred, needs, search }
    }

    /// Whether all containers of the pod find devices here: exactly when [`place`](Self::place) finds them with the same effort.
    ///
    /// # Errors
    /// Why not.
    pub fn fits(&mut self, node: &Node, effort: &mut Effort) -> Result<(), Refusal> {
        self.alone(node)?;
        if self.request.containers.len() > 1 { self.search(node, effort) } else { Ok(()) }
    }

    /// Chooses devices for all containers: the best by topology, then by policy, then the first, for one container after the other,
    /// those first that are the hardest to place. Where that leaves a container without devices, other choices are tried, as many as
    /// `effort` allows.
    ///
    /// # Errors
    /// Why the pod does not fit.
    pub fn place(&mut self, node: &Node, effort: &mut Effort) -> Result<Placement, Refusal> {
        self.alone(node)?;
        self.search(node, effort)?;
        Ok(self.search.placement())
    }

    /// Whether each container would fit alone.
    fn alone(&mut self, node: &Node) -> Result<(), Refusal> {
        let site = Site::look(node, &mut self.choice, &mut self.barred);
        fit::alone(&site, self.request, &self.kinds, &mut self.needs)
    }

    /// Of a node where each container would fit alone.
    fn search(&mut self, node: &Node, effort: &mut Effort) -> Result<(), Refusal> {
        let room = Room { node, needs: &self.needs };
        fit::together(&room, &self.kinds)?;
        let purse = effort.of_one_node();
        let is_placed = self.search.on(&room, &purse);
        effort.settle(&purse);
        match is_placed {
            true => Ok(()),
            false if purse.is_empty() => Err(Refusal::Effort),
            false => Err(Refusal::Together),
        }
    }
}

/// [`Question::place`], on one node.
///
/// # Errors
/// Why the pod does not fit.
pub fn place(node: &Node, request: &PodRequest, effort: &mut Effort) -> Result<Placement, Refusal> {
    Question::new(request).place(node, effort)
}
