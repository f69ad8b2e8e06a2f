use super::*;

fn piece(bytes: u64) -> Piece {
    Piece {
        device: DeviceIndex::new(0).expect("a region has a first device"),
        ordinal: 0,
        bytes: Bytes(bytes),
    }
}

/// A piece of 64 bytes called 7.
fn created() -> (Physical, PieceId) {
    let mut physical = Physical::default();
    physical.create(7, piece(64));
    let id = physical.find(7).expect("just created");
    (physical, id)
}

#[test]
fn a_piece_ends_with_its_only_handle() {
    let (mut physical, id) = created();
    assert_eq!(physical.released(7, id), [piece(64)]);
    assert_eq!((physical.find(7), physical.released(7, id)), (None, vec![]));
}

#[test]
fn a_piece_that_is_held_elsewhere_stays() {
    let (mut physical, id) = created();
    physical.hold(id);
    assert_eq!(physical.released(7, id), []);
    assert_eq!(physical.unmapped(id), [piece(64)]);
    physical.hold(id);
}

#[test]
fn a_mapping_keeps_a_piece_that_has_been_released() {
    let (mut physical, id) = created();
    physical.map(0x1000, 64, id);
    physical.map(0x2000, 32, id);
    assert_eq!((physical.released(7, id), physical.find(7)), (vec![], None));
    assert_eq!(physical.mapped_at(0x103f), Some(id));
    assert_eq!((physical.mapped_at(0x1040), physical.mapped_at(0x2020)), (None, None));
    let undone = physical.take_mappings(0x1000, 0x2000);
    assert_eq!(
        undone.iter().map(|of| (of.address, of.bytes)).collect::<Vec<_>>(),
        [(0x1000, 64), (0x2000, 32)]
    );
    assert_eq!(physical.unmapped(id), []);
    assert_eq!(physical.unmapped(id), [piece(64)]);
}

#[test]
fn a_retained_handle_is_released_as_often_as_it_was_taken() {
    for other in [7, 8] {
        let (mut physical, id) = created();
        physical.retain(other, id);
        assert_eq!(physical.released(7, id), []);
        assert_eq!(physical.find(other), Some(id));
        assert_eq!(physical.released(other, id), [piece(64)]);
        assert_eq!(physical.find(other), None);
    }
}

#[test]
fn mappings_that_were_not_undone_stay() {
    let (mut physical, id) = created();
    physical.map(0x1000, 64, id);
    let kept = physical.take_mappings(0x1000, 1);
    assert_eq!(physical.mapped_at(0x1000), None);
    physical.put_back(kept);
    assert_eq!(physical.mapped_at(0x1000), Some(id));
}

#[test]
fn a_slow_release_does_not_end_the_next_piece_of_that_handle() {
    let (mut physical, old) = created();
    physical.create(7, piece(128));
    assert_eq!(physical.released(7, old), [piece(64)]);
    let new = physical.find(7).expect("still there");
    assert_eq!(physical.released(7, new), [piece(128)]);
}

#[test]
fn an_export_that_comes_back_keeps_the_piece() {
    let (mut physical, id) = created();
    physical.export(3, id);
    assert_eq!((physical.exported_as(3), physical.exported_as(4)), (Some(id), None));
    physical.retain(9, id);
    assert_eq!(physical.released(7, id), []);
    assert!(physical.orphans().is_empty());
}

#[test]
fn what_others_can_hold_is_given_back_when_they_cannot_any_more() {
    let (mut physical, id) = created();
    physical.export(3, id);
    physical.export(4, id);
    assert_eq!(physical.released(7, id), []);
    assert_eq!(physical.orphans(), [Orphan { piece: piece(64), exports: vec![3, 4] }]);
    assert_eq!(physical.orphaned(piece(0).device), Bytes(64));
    assert_eq!(physical.settle_orphans(|orphan| orphan.exports.contains(&4)), []);
    assert_eq!(physical.settle_orphans(|_| false), [piece(64)]);
    assert_eq!(physical.settle_orphans(|_| false), []);
}

#[test]
fn an_orphan_that_comes_back_is_its_own_again() {
    let (mut physical, id) = created();
    physical.export(3, id);
    assert_eq!(physical.released(7, id), []);
    assert!(!physical.adopt(9, 4) && physical.adopt(9, 3) && !physical.adopt(9, 3));
    let back = physical.find(9).expect("adopted");
    assert_eq!(physical.exported_as(3), Some(back));
    assert_eq!((physical.released(9, back), physical.orphans().len()), (vec![], 1));
}

#[test]
fn imports_cost_nothing_and_are_known_until_they_are_released() {
    let mut physical = Physical::default();
    physical.import(7, Some(piece(0).device));
    let id = physical.find(7).expect("imported");
    physical.map(0x1000, 64, id);
    assert_eq!(physical.released(7, id), []);
    assert!(physical.holds_imports());
    assert_eq!(physical.imported(piece(0).device), Bytes(64));
    assert_eq!(physical.unmapped(id), []);
    assert_eq!(physical.imported(piece(0).device), Bytes::ZERO);
    assert!(!physical.holds_imports() && physical.orphans().is_empty());
}

#[test]
fn a_multicast_object_keeps_what_is_bound_to_it_until_it_is_unbound_or_gone() {
    for unbinds in [true, false] {
        let (mut physical, id) = created();
        physical.create_multicast(20);
        let object = physical.find(20).expect("just created");
        physical.bind(object, None, 128, id);
        assert_eq!(physical.released(7, id), []);
        assert_eq!(physical.unbound(object, 1, 128, 64), []);
        assert_eq!(physical.unbound(object, 0, 0, 128), []);
        if unbinds {
            assert_eq!(physical.unbound(object, 0, 128, 64), [piece(64)]);
            assert_eq!(physical.released(20, object), []);
        } else {
            physical.map(0x1000, 64, object);
            assert_eq!(physical.released(20, object), []);
            assert_eq!(physical.unmapped(object), [piece(64)]);
        }
    }
}

#[test]
fn what_was_imported_and_passed_on_is_never_known_to_be_gone() {
    let mut physical = Physical::default();
    physical.import(7, Some(piece(0).device));
    let id = physical.find(7).expect("imported");
    physical.export(3, id);
    assert_eq!(physical.released(7, id), []);
    assert!(physical.holds_imports() && physical.orphans().is_empty());
}
