mod assume;
mod nodes;
mod nominated;
mod pods;
pub(crate) mod scene;
mod sequences;
