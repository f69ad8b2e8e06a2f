//! Build support for the simulated libraries: from a driver branch's list of exported names to source code.
//!
//! A simulated library is an ordinary library crate (testable, exports nothing) with one function a simulated table
//! row, and a thin shared object a driver branch whose exports are generated here:
//!
//! - each name of the branch becomes an exported *naked tail jump*, so arguments pass untouched whatever their number
//!   and one rule serves names whose signature nobody here knows;
//! - a name with a simulated row jumps to that row's function, every other to one fallback that refuses the call.
//!
//! A shared object is a package of its own, `sim-<library>-<branch>`: a package has one library, and Cargo gives no link
//! arguments, hence no soname, to an example that is a shared object.
//!
//! A branch is then pure data, a text file of names; a table row is simulated unless a list says that it is not.

#![forbid(unsafe_code)]

mod names;
mod render;

pub use names::{NameError, Names};
pub use render::{Exports, TWIN_PREFIX, rows_not_simulated};
