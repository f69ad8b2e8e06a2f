//! Physical memory that is mapped to arrays without memory, tile by tile.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use sim_kernel::ContextId;

use crate::address::Space;
use crate::handles::lock;
use crate::memory::Physical;
use crate::outcome::Outcome;
use crate::process::Driver;

/// A place for memory in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tile {
    /// All of it.
    Whole,
    /// A page of the tail of a layer.
    Tail { layer: u32, page: u64 },
    /// A tile of a level of a layer, by its place among them in each direction.
    Level { level: u32, layer: u32, place: [u32; 3] },
}

/// What is mapped to arrays and mipmapped arrays, by handle. Changed with the space locked.
#[derive(Debug, Default)]
pub(crate) struct Bindings(Mutex<HashMap<usize, Bound>>);

#[derive(Debug)]
struct Bound {
    context: ContextId,
    tiles: BTreeMap<Tile, Arc<Physical>>,
}

impl Bindings {
    /// Maps memory to tiles of an array, or unmaps what is there.
    pub(super) fn change(
        &self,
        driver: &Driver,
        space: &Space,
        (array, context): (usize, ContextId),
        tiles: &[Tile],
        memory: Option<&Arc<Physical>>,
    ) -> Outcome {
        let mut all = lock(&self.0);
        let bound = all.entry(array).or_insert_with(|| Bound { context, tiles: BTreeMap::new() });
        for tile in tiles {
            let before = match memory {
                Some(memory) => {
                    memory.mapped(space);
                    bound.tiles.insert(*tile, Arc::clone(memory))
                }
                None => bound.tiles.remove(tile),
            };
            before.map_or(Ok(()), |before| before.unmapped(driver, space))?;
        }
        Ok(())
    }

    /// An array is gone.
    pub(super) fn forget(&self, driver: &Driver, array: usize) -> Outcome {
        self.drop_those(driver, |handle, _| handle == array)
    }

    /// A context is gone with its arrays.
    pub(super) fn forget_context(&self, driver: &Driver, context: ContextId) -> Outcome {
        self.drop_those(driver, |_, bound| bound.context == context)
    }

    fn drop_those(&self, driver: &Driver, is_gone: impl Fn(usize, &Bound) -> bool) -> Outcome {
        let space = lock(&driver.space);
        let gone: Vec<_> = lock(&self.0).extract_if(|handle, bound| is_gone(*handle, bound)).collect();
        let mut memory = gone.iter().flat_map(|(_, bound)| bound.tiles.values());
        memory.try_for_each(|memory| memory.unmapped(driver, &space))
    }
}
