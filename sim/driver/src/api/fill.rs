//! Fills. They run in a stream, as real ones on device memory do, and no call waits for them.

use std::ffi::{c_uchar, c_uint, c_ushort};

use crate::abi::{Address, Current, Handle, Size};
use crate::memory::Pattern;
use crate::outcome::Outcome;
use crate::work::{Fill, Node};

fn fill(
    call: &Current,
    (address, pitch): (Address, Size),
    pattern: Pattern,
    (elements, rows): (Size, Size),
    stream: Handle,
) -> Outcome {
    let lane = call.lane(stream.0)?;
    let fill = Fill { address: address.0, pitch: pitch.0 as u64, pattern, shape: (elements.0, rows.0) };
    let node = Node::Fill(fill);
    if lane.capture(call.driver, || node.clone())? {
        return Ok(());
    }
    // SAFETY: a fill touches no host memory of the program's.
    unsafe { node.run(call.driver, &lane) }.map(drop)
}

const ONE: Size = Size(1);
const NO_PITCH: Size = Size(0);
const DEFAULT: Handle = Handle(0);

macro_rules! fills {
    ($($pattern:ident $element:ty: $now:ident $later:ident $rows_now:ident $rows_later:ident;)*) => { $(
        pub(crate) fn $now(call: Current, to: Address, value: $element, elements: Size) -> Outcome {
            fill(&call, (to, NO_PITCH), Pattern::$pattern(value), (elements, ONE), DEFAULT)
        }

        pub(crate) fn $later(
            call: Current,
            to: Address,
            value: $element,
            elements: Size,
            stream: Handle,
        ) -> Outcome {
            fill(&call, (to, NO_PITCH), Pattern::$pattern(value), (elements, ONE), stream)
        }

        pub(crate) fn $rows_now(
            call: Current,
            to: Address,
            pitch: Size,
            value: $element,
            elements: Size,
            rows: Size,
        ) -> Outcome {
            fill(&call, (to, pitch), Pattern::$pattern(value), (elements, rows), DEFAULT)
        }

        pub(crate) fn $rows_later(
            call: Current,
            to: Address,
            pitch: Size,
            value: $element,
            elements: Size,
            rows: Size,
            stream: Handle,
        ) -> Outcome {
            fill(&call, (to, pitch), Pattern::$pattern(value), (elements, rows), stream)
        }
    )* };
}

fills! {
    D8 c_uchar: cuMemsetD8_v2 cuMemsetD8Async cuMemsetD2D8_v2 cuMemsetD2D8Async;
    D16 c_ushort: cuMemsetD16_v2 cuMemsetD16Async cuMemsetD2D16_v2 cuMemsetD2D16Async;
    D32 c_uint: cuMemsetD32_v2 cuMemsetD32Async cuMemsetD2D32_v2 cuMemsetD2D32Async;
}

same! {
    cuMemsetD8_v2: cuMemsetD8 cuMemsetD8_v2_ptds;
    cuMemsetD8Async: cuMemsetD8Async_ptsz;
    cuMemsetD2D8_v2: cuMemsetD2D8 cuMemsetD2D8_v2_ptds;
    cuMemsetD2D8Async: cuMemsetD2D8Async_ptsz;
    cuMemsetD16_v2: cuMemsetD16 cuMemsetD16_v2_ptds;
    cuMemsetD16Async: cuMemsetD16Async_ptsz;
    cuMemsetD2D16_v2: cuMemsetD2D16 cuMemsetD2D16_v2_ptds;
    cuMemsetD2D16Async: cuMemsetD2D16Async_ptsz;
    cuMemsetD32_v2: cuMemsetD32 cuMemsetD32_v2_ptds;
    cuMemsetD32Async: cuMemsetD32Async_ptsz;
    cuMemsetD2D32_v2: cuMemsetD2D32 cuMemsetD2D32_v2_ptds;
    cuMemsetD2D32Async: cuMemsetD2D32Async_ptsz;
}
