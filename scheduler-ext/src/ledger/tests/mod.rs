mod assume;
mod nodes;
mod pods;
pub(crate) mod scene;
mod sequences;
