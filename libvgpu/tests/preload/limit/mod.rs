//! What a limit means, judged by what the driver of a simulated GPU saw.

mod arrays;
mod books;
mod contexts;
mod crowd;
mod dead;
mod devices;
mod graphs;
mod green;
mod habits;
mod observed;
mod page;
mod physical;
mod picture;
mod pitched;
mod pools;
mod processes;
mod product;
mod quiet;
mod races;
mod refusals;
mod sizes;
mod storm;
mod together;
mod unlisted;
mod users;
mod values;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
