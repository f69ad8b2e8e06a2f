//! Captures are never broken off by the library, whatever it does meanwhile.

use super::{Grapher, LEFT_FOR_MEMORY, MIB, assert_taken, assert_within_limit};
use crate::machine::Machine;

#[test]
fn in_every_mode_a_capture_survives_what_others_do_at_the_edge_of_the_limit() {
    for mode in 0..3 {
        let machine = Machine::new();
        let mut grapher = Grapher::limited(&machine);
        let exec = grapher.ready(100 * MIB);
        assert_eq!(grapher.launch(exec), "0");
        grapher.wait();
        let capturing = grapher.does("cuStreamCreate out 1")[0];
        grapher.does(&format!("cuStreamBeginCapture_v2 {capturing} {mode}"));
        grapher.does(&format!("cuMemAllocAsync out {} {capturing}", 10 * MIB));
        // Each of these has the library ask, trim or upload: pools and graphs make way for each other.
        let [pooled, refused] = [LEFT_FOR_MEMORY - 90 * MIB, LEFT_FOR_MEMORY + 1]
            .map(|bytes| grapher.puppet.numbers(&format!("cuMemAllocAsync out {bytes} 0")));
        assert_eq!((pooled[0], &*refused), (0, &[2][..]), "mode {mode}");
        assert_eq!(grapher.launch(exec), "2");
        grapher.does(&format!("cuMemFreeAsync {} 0", pooled[1]));
        assert_eq!(grapher.launch(exec), "0");
        assert_eq!(grapher.puppet.ask(&format!("cuStreamIsCapturing {capturing} out")), "0 1", "mode {mode}");
        grapher.does(&format!("cuStreamEndCapture {capturing} out"));
        assert_taken(&machine, 100 * MIB);
    }
}

#[test]
fn in_every_mode_a_capture_survives_launches_in_a_full_slice() {
    for mode in 0..3 {
        let machine = Machine::new();
        let mut grapher = Grapher::limited(&machine);
        let exec = grapher.ready(100 * MIB);
        // Of a size that the graph just fits beside, so that its memory is taken by an upload before it is launched.
        grapher.puppet.allocate(LEFT_FOR_MEMORY - 100 * MIB).unwrap();
        let capturing = grapher.does("cuStreamCreate out 1")[0];
        grapher.does(&format!("cuStreamBeginCapture_v2 {capturing} {mode}"));
        for _ in 0..3 {
            assert_eq!(grapher.launch(exec), "0");
        }
        assert_eq!(grapher.puppet.ask(&format!("cuStreamIsCapturing {capturing} out")), "0 1", "mode {mode}");
        grapher.does(&format!("cuStreamEndCapture {capturing} out"));
        assert_taken(&machine, 100 * MIB);
        assert_within_limit(&machine);
    }
}
