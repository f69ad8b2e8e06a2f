//! Physical memory that several processes hold.

use sim_model::{
    AllocationRequest, Bytes, DeviceIndex, Machine, MachineConfig, Nanos, PieceState, ProcessId, Refusal,
};

const GPU: Option<DeviceIndex> = Some(DeviceIndex(0));
const MIB: u64 = 1 << 20;
const SIZE: Bytes = Bytes(20 * MIB);

/// A machine and two processes, with pids 1 and 2, that have a context each.
fn machine() -> (Machine, [ProcessId; 2]) {
    let mut machine = Machine::new(&MachineConfig::default(), Nanos(0)).expect("the default machine");
    let processes = [1, 2].map(|pid| machine.attach(pid));
    (machine, processes)
}

fn create(machine: &mut Machine, process: ProcessId) -> PieceState {
    machine.create_piece(process, GPU, SIZE).expect("room")
}

/// Requested and resident bytes of the device.
fn held(machine: &Machine) -> (u64, u64) {
    let device = machine.truth().devices[0];
    (device.requested.0, device.resident.0)
}

/// What a host process has, as the driver tells.
fn used(machine: &Machine, pid: u32) -> u64 {
    machine.truth().processes.iter().filter(|of| of.pid == pid).map(|of| of.used.0).sum()
}

#[test]
fn a_piece_ends_with_its_last_holder() {
    let (mut machine, [one, _]) = machine();
    let piece = create(&mut machine, one);
    assert_eq!(held(&machine), (SIZE.0, SIZE.0));
    machine.hold_piece(one, piece.id, false).expect("it is there");
    machine.drop_piece(one, piece.id).expect("held twice");
    assert_eq!(held(&machine), (SIZE.0, SIZE.0));
    machine.drop_piece(one, piece.id).expect("held once");
    assert_eq!(held(&machine), (0, 0));
    assert_eq!(machine.drop_piece(one, piece.id), Err(Refusal::InvalidValue));
    assert_eq!(machine.take_gone(), [piece.range]);
    assert!(machine.take_gone().is_empty());
}

#[test]
fn sizes_are_whole_chunks_and_memory_of_the_host_is_no_device_s() {
    let (mut machine, [one, _]) = machine();
    for bytes in [0, 1, 3 * MIB] {
        assert_eq!(machine.create_piece(one, GPU, Bytes(bytes)), Err(Refusal::InvalidValue));
    }
    let missing = Some(DeviceIndex(7));
    assert_eq!(machine.create_piece(one, missing, SIZE), Err(Refusal::InvalidDevice));
    let all = Bytes(1 << 40);
    assert_eq!(machine.create_piece(one, GPU, all), Err(Refusal::OutOfMemory));
    assert_eq!(machine.truth().devices[0].refused, 1);
    machine.create_piece(one, None, all).expect("the host's");
    assert_eq!(held(&machine), (0, 0));
}

#[test]
fn contents_of_two_pieces_are_never_at_one_place() {
    let (mut machine, [one, _]) = machine();
    let first = create(&mut machine, one);
    machine.drop_piece(one, first.id).expect("held");
    let second = create(&mut machine, one);
    assert!(second.range.offset.0 >= first.range.offset.0 + SIZE.0);
}

#[test]
fn a_descriptor_keeps_a_piece_that_no_process_holds() {
    let (mut machine, [one, two]) = machine();
    let piece = create(&mut machine, one).id;
    assert_eq!(machine.add_descriptor(two, piece), Err(Refusal::InvalidValue));
    machine.add_descriptor(one, piece).expect("held");
    machine.drop_piece(one, piece).expect("held");
    assert_eq!((held(&machine), used(&machine, 1)), ((SIZE.0, SIZE.0), 0));
    machine.hold_piece(two, piece, false).expect("by the descriptor");
    assert_eq!(used(&machine, 2), SIZE.0);
    machine.drop_descriptor(piece);
    machine.drop_piece(two, piece).expect("held");
    assert_eq!(held(&machine), (0, 0));
}

#[test]
fn what_a_dead_process_created_lives_on_with_those_who_hold_it() {
    let (mut machine, [one, two]) = machine();
    let piece = create(&mut machine, one).id;
    machine.hold_piece(two, piece, false).expect("it is there");
    assert_eq!((used(&machine, 1), used(&machine, 2)), (SIZE.0, 0));
    machine.detach(one);
    assert_eq!((held(&machine), used(&machine, 2)), ((SIZE.0, SIZE.0), SIZE.0));
    machine.detach(two);
    assert_eq!(held(&machine), (0, 0));
}

#[test]
fn shared_memory_of_an_allocation_outlives_it_and_is_not_requested_any_more() {
    for bytes in [Bytes(1000), Bytes(5 * MIB)] {
        let (mut machine, [one, two]) = machine();
        let context = machine.create_context(one, DeviceIndex(0)).expect("room");
        let alone = held(&machine).1;
        let placed = machine.allocate(one, context.id, AllocationRequest::Linear { bytes }).expect("room");
        assert_eq!(machine.share(two, placed.id), Err(Refusal::InvalidValue));
        let (piece, offset) = machine.share(one, placed.id).expect("its own");
        assert_eq!((offset, piece.range.bytes), (Bytes(0), placed.taken));
        assert_eq!(machine.share(one, placed.id), Ok((piece, offset)));
        machine.hold_piece(two, piece.id, true).expect("by name");
        let freed = machine.free(one, placed.id).expect("its own");
        assert_eq!((freed.returned, held(&machine)), (Bytes(0), (0, alone + placed.taken.0)));
        assert_eq!(used(&machine, 2), placed.taken.0);
        machine.drop_piece(two, piece.id).expect("held");
        assert_eq!(held(&machine), (0, alone));
    }
}

#[test]
fn shared_memory_that_nobody_else_holds_goes_with_its_allocation() {
    let (mut machine, [one, two]) = machine();
    let context = machine.create_context(one, DeviceIndex(0)).expect("room");
    let request = AllocationRequest::Linear { bytes: SIZE };
    let placed = machine.allocate(one, context.id, request).expect("room");
    let (piece, _) = machine.share(one, placed.id).expect("its own");
    assert_eq!(machine.free(one, placed.id).expect("its own").returned, SIZE);
    assert_eq!(machine.hold_piece(two, piece.id, true), Err(Refusal::InvalidValue));
    let managed = AllocationRequest::Managed { bytes: SIZE };
    let placed = machine.allocate(one, context.id, managed).expect("room");
    assert_eq!(machine.share(one, placed.id), Err(Refusal::InvalidValue));
}
