//! `cuArray3DCreate`, `cuMipmappedArrayCreate`: planes, boxes and layers, of some levels.

use super::{Attempt, Kind, any};
use crate::medley::player::Thread;
use crate::medley::random::Random;

/// Bytes of an element, as a format of channels and their number.
const ELEMENTS: [(u64, u64, u64); 5] =
    [(1, 0x01, 1), (2, 0x10, 1), (4, 0x20, 1), (8, 0x20, 2), (16, 0x20, 4)];

/// `CUDA_ARRAY3D_LAYERED`
const LAYERED: u64 = 1;

/// The most elements in one direction.
const LONGEST: u64 = 16_384;

/// The calls that give arrays back.
#[derive(Default)]
pub(super) struct Arrays(Vec<String>);

#[derive(Clone, Copy)]
struct Shape {
    element: (u64, u64, u64),
    extents: [u64; 3],
    flags: u64,
    /// `None`: an array without others.
    levels: Option<u64>,
}

impl Kind for Arrays {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let shape = Shape::any(random);
        let [width, height, depth] = shape.extents;
        let (_, format, channels) = shape.element;
        let descriptor = format!("in={width},{height},{depth},{},{}", format | channels << 32, shape.flags);
        let (create, destroy) = match shape.levels {
            None => (format!("cuArray3DCreate_v2 out {descriptor}"), "cuArrayDestroy"),
            Some(levels) => {
                (format!("cuMipmappedArrayCreate out {descriptor} {levels}"), "cuMipmappedArrayDestroy")
            }
        };
        let (code, written) = thread.call(&create);
        self.0.extend(written.first().map(|array| format!("{destroy} {array}")));
        Attempt::of(code, shape.bytes())
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        thread.does(&any(&mut self.0, random));
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl Shape {
    fn any(random: &mut Random) -> Self {
        let element = ELEMENTS[random.index(ELEMENTS.len())];
        let elements = random.bytes().div_ceil(element.0);
        let width = 1 + random.below(elements.min(LONGEST));
        let depth = if random.one_in(3) { 1 + random.below(16) } else { 0 };
        let height = (elements / width / depth.max(1)).clamp(1, LONGEST);
        let flags = if depth > 0 && random.one_in(2) { LAYERED } else { 0 };
        let levels = random.one_in(3).then(|| 1 + random.below(5));
        Self { element, extents: [width, height, depth], flags, levels }
    }

    /// What the simulated driver makes of it: tiles of 64 bytes by 8 rows, and pages of 64 KiB.
    fn bytes(&self) -> u64 {
        let [width, height, depth] = self.extents;
        let is_layered = self.flags == LAYERED;
        let longest = width.max(height).max(if is_layered { 1 } else { depth });
        let levels = self.levels.unwrap_or(1).min(u64::from(longest.ilog2()) + 1);
        let of_level = |level: u64| {
            let halved = |extent: u64| (extent >> level).max(1);
            let slices = if is_layered { depth } else { halved(depth) };
            (halved(width) * self.element.0).next_multiple_of(64)
                * halved(height).next_multiple_of(8)
                * slices
        };
        (0..levels).map(of_level).sum::<u64>().next_multiple_of(64 << 10)
    }
}
