//! A claim in a pod's annotations, in either form: whoever may annotate pods has written it.
//!
//! Promised: what is read can be written, and is then read as the same; what is refused is refused in one short line.

use contract::claim::Claim;

/// Reads `input` in both forms.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let pod = "3f1c2a9e-1d2b-4c3d-8e4f-0123456789ab".parse().expect("a uid");
    for claim in [Claim::decode(&text), Claim::from_pre_allocated(&text, pod, "node".to_owned())] {
        match claim {
            Ok(claim) => assert_eq!(Claim::decode(&claim.encode()), Ok(claim)),
            Err(refusal) => {
                let refusal = refusal.to_string();
                assert!(refusal.lines().count() == 1 && refusal.len() < 1000, "{refusal}");
            }
        }
    }
}
