//! Every input in `corpus/` once more: seeds, and what a search has found to be worth keeping.

use std::fs;
use std::path::Path;

use vgpu_fuzz::TARGETS;

#[test]
fn what_was_found_before_is_found_no_more() {
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let mut inputs = 0;
        for entry in fs::read_dir(&folder).expect("a corpus") {
            let path = entry.expect("readable").path();
            // A failure is known by the last name that is printed.
            println!("{}", path.display());
            target(&fs::read(path).expect("an input"));
            inputs += 1;
        }
        assert!(inputs > 0, "{} has no inputs", folder.display());
        target(&[]);
    }
}
