//! A pool that is a stack, as in llama.cpp: it grows at its end, in memory whose handle is let go of at once, and goes back
//! as a whole, by one call that undoes all mappings.

use crate::memory::{
    Trouble, create_if_there_is_room, expect, fill, map, release, reserve, unmap, unreserve,
};

/// Addresses of the pool.
const MOST: usize = 32 << 30;

/// What it grows by, one after the other.
const STEPS: [usize; 4] = [2 << 20, 6 << 20, 30 << 20, 10 << 20];

pub(crate) fn run(bytes: usize) -> Result<(), Trouble> {
    let start = reserve(MOST)?;
    let mut size = 0;
    let mut steps = 0;
    for step in STEPS.into_iter().cycle() {
        if size + step > bytes {
            break;
        }
        let Some(handle) = create_if_there_is_room(step)? else { break };
        map(start + size as u64, step, handle)?;
        release(handle)?;
        size += step;
        steps += 1;
    }
    println!("{} MiB in {steps} steps", size >> 20);
    if size > 0 {
        fill(start, 5, size)?;
        expect(start, 5, size)?;
        unmap(start, size)?;
    }
    Ok(unreserve(start, MOST)?)
}
