//! Deleting pods at random, the same way each time.

use crate::namespace::Namespace;

/// Whoever deletes pods.
pub struct Deletions(u64);

impl Default for Deletions {
    fn default() -> Self {
        Self(88_172_645_463_325_252)
    }
}

impl Deletions {
    /// Deletes one of the pods that have been bound, wherever it is on its way; says whether there was one.
    pub fn delete_one(&mut self, space: &Namespace) -> bool {
        let random = self.next();
        let bound = ["get", "pods", "--field-selector=spec.nodeName!=", "-o", "name"];
        let names = space.kubectl(&bound).unwrap_or_default();
        let names: Vec<&str> = names.lines().collect();
        let Some(number) = random.checked_rem(u64::try_from(names.len()).unwrap_or(0)) else { return false };
        let name = names[usize::try_from(number).unwrap_or(0)];
        space.kubectl(&["delete", name, "--wait=false"]).is_ok()
    }

    /// Marsaglia's xorshift.
    fn next(&mut self) -> u64 {
        let Self(state) = self;
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }
}
