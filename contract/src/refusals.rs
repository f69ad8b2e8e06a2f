//! What the node agent says of pods that it does not start, as far as others act upon it.

/// Said of what another node need not have: the pod may start there, if its claim is made anew.
pub const ELSEWHERE: &str = "(another node may do)";
