//! Physical memory that clients and descriptors keep alive.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;

use sim_kernel::{Bytes, Client, Fault, Kind, Refusal};

use super::bed::{Bed, DEVICE, linear, truth};

const SIZE: Bytes = Bytes::from_mib(20);
const INVALID_VALUE: Fault = Fault::Refused(Refusal::InvalidValue);

/// Resident bytes of the first device, of which nobody has a context.
fn resident(observer: &Client) -> Bytes {
    truth(observer).resident
}

#[test]
fn a_descriptor_keeps_memory_until_its_last_copy_is_closed() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let client = bed.client(Kind::Cuda);
    let piece = client.create_piece(Some(DEVICE), SIZE).expect("room").id;
    let descriptor = client.export_piece(piece).expect("its own piece");
    let copy = descriptor.try_clone().expect("a descriptor");
    client.drop_piece(piece).expect("held");
    drop(client);
    assert_eq!(resident(&observer), SIZE);
    drop(descriptor);
    assert_eq!(resident(&observer), SIZE);
    drop(copy);
    assert_eq!(resident(&observer), Bytes(0));
}

#[test]
fn who_imports_a_descriptor_holds_the_same_memory() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let [one, other] = [0; 2].map(|_| bed.client(Kind::Cuda));
    let piece = one.create_piece(Some(DEVICE), SIZE).expect("room");
    let descriptor = one.export_piece(piece.id).expect("its own piece");
    assert_eq!(other.export_piece(piece.id).map(drop), Err(INVALID_VALUE));
    assert_eq!(other.import_piece(descriptor.as_fd()), Ok(piece));
    drop(descriptor);
    one.drop_piece(piece.id).expect("held");
    assert_eq!(resident(&observer), SIZE);
    other.drop_piece(piece.id).expect("held");
    assert_eq!(resident(&observer), Bytes(0));
}

#[test]
fn descriptors_of_other_things_are_refused() {
    let bed = Bed::new();
    let client = bed.client(Kind::Cuda);
    let file: OwnedFd = File::open("/dev/null").expect("the null device").into();
    let (socket, _other) = std::os::unix::net::UnixStream::pair().expect("a socket pair");
    for descriptor in [file, socket.into()] {
        assert_eq!(client.import_piece(descriptor.as_fd()), Err(INVALID_VALUE));
    }
    let observer = bed.client(Kind::Observer);
    let refused = observer.create_piece(Some(DEVICE), SIZE);
    assert_eq!(refused, Err(Fault::Refused(Refusal::NotPermitted)));
}

#[test]
fn memory_of_an_allocation_is_opened_by_its_name_and_that_of_a_piece_is_not() {
    let bed = Bed::new();
    let (owner, context) = bed.tenant();
    let other = bed.client(Kind::Cuda);
    let placed = owner.allocate(context.id, linear(SIZE)).expect("room");
    let (piece, offset) = owner.name_piece(placed.id).expect("its own");
    assert_eq!((offset, other.open_piece(piece.id)), (Bytes(0), Ok(piece)));
    let unnamed = owner.create_piece(Some(DEVICE), SIZE).expect("room");
    assert_eq!(other.open_piece(unnamed.id), Err(INVALID_VALUE));
}

#[test]
fn the_store_is_one_file_for_all_and_forgets_what_is_gone() {
    let bed = Bed::new();
    let [one, other] = [0; 2].map(|_| bed.client(Kind::Cuda));
    let piece = one.create_piece(Some(DEVICE), SIZE).expect("room");
    let [mine, theirs] = [&one, &other].map(|client| File::from(client.store().expect("a store")));
    let byte = |file: &File| {
        let mut byte = [0];
        file.read_exact_at(&mut byte, piece.range.offset.0 + 4096).expect("in the file");
        byte[0]
    };
    mine.write_all_at(&[7], piece.range.offset.0 + 4096).expect("in the file");
    assert_eq!(byte(&theirs), 7);
    one.drop_piece(piece.id).expect("held");
    super::bed::eventually("the pages are given back", || byte(&theirs) == 0);
}
