mod assume;
mod nodes;
mod pods;
mod scene;
