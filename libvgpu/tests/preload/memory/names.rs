//! Linear memory that another process opens by its name, and memory of pools that another one imports.

use super::MIB;
use super::tenant::{DEVICE, Tenant, pass, requested};
use crate::machine::{CONTEXT, Machine};
use crate::patience::eventually;

const SIZE: u64 = 40 * MIB;

/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`
const LAZY: u64 = 1;

/// Two processes of a container with a context each.
fn pair(machine: &Machine) -> [Tenant; 2] {
    [0; 2].map(|_| with_context(Tenant::new(machine.limited("2g"))))
}

fn with_context(mut tenant: Tenant) -> Tenant {
    tenant.does("cuCtxCreate_v2 out 0 0".to_owned());
    tenant
}

/// The name of memory, in words.
fn name(tenant: &mut Tenant, call: &str, address: u64) -> String {
    let words = tenant.does(format!("{call} out*8 {address}"));
    words.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn open(tenant: &mut Tenant, name: &str) -> u64 {
    tenant.does(format!("open-memory {name} {LAZY}"))[0]
}

/// The first byte that a process sees at an address.
fn first_byte(tenant: &mut Tenant, address: u64) -> u64 {
    tenant.does(format!("cuMemcpyDtoH_v2 out {address} 8"))[0] & 0xff
}

#[test]
fn opened_memory_is_the_other_s_and_costs_nothing() {
    let machine = Machine::new();
    let [mut one, mut other] = pair(&machine);
    for bytes in [1000, SIZE] {
        let address = one.0.allocate(bytes).unwrap();
        let before = one.0.ask(&format!("fill {address} {bytes} 7"));
        assert_eq!(before, format!("0 0 {bytes}"));
        let name = name(&mut one, "cuIpcGetMemHandle", address);
        let free = other.0.memory().free;
        let opened = open(&mut other, &name);
        assert_eq!((open(&mut other, &name), other.0.memory().free), (opened, free));
        assert_eq!(first_byte(&mut other, opened), 7);
        other.0.ask(&format!("fill {opened} {bytes} 9"));
        assert_eq!(first_byte(&mut one, address), 9);
        assert_eq!(other.code(format!("cuMemFree_v2 {opened}")), 1);
        for _ in 0..2 {
            other.does(format!("cuIpcCloseMemHandle {opened}"));
        }
        assert_eq!(other.code(format!("cuIpcCloseMemHandle {opened}")), 1);
        one.0.free(address);
        assert_eq!((one.0.memory().free, requested(&machine)), (free + bytes, 0));
    }
}

#[test]
fn memory_that_its_owner_frees_while_it_is_open_elsewhere_is_charged_to_him_no_more() {
    let machine = Machine::new();
    let [mut one, mut other] = pair(&machine);
    let free = one.0.memory().free;
    let address = one.0.allocate(SIZE).unwrap();
    let name = name(&mut one, "cuIpcGetMemHandle", address);
    let opened = open(&mut other, &name);
    one.0.free(address);
    // The driver keeps it for who has it open; what it is then charged as is what the driver says of that process.
    let truth = machine.truth();
    assert_eq!(truth[&format!("device.0.process.{}.used", other.0.pid())], CONTEXT + SIZE);
    assert_eq!(requested(&machine), 0);
    eventually("it is seen there", || (other.0.memory().free == free - SIZE).then_some(()));
    other.does(format!("cuIpcCloseMemHandle {opened}"));
    assert_eq!(machine.truth()["device.0.resident"], 2 * CONTEXT);
    eventually("it is seen to be gone", || (other.0.memory().free == free).then_some(()));
}

#[test]
fn a_context_closes_what_was_opened_in_it() {
    let machine = Machine::new();
    let [mut one, mut other] = pair(&machine);
    let address = one.0.allocate(SIZE).unwrap();
    let name = name(&mut one, "cuIpcGetMemHandle", address);
    let opened = open(&mut other, &name);
    let context = other.does("cuCtxGetCurrent out".to_owned())[0];
    other.does(format!("cuCtxDestroy_v2 {context}"));
    one.0.free(address);
    assert_eq!(machine.truth()["device.0.resident"], CONTEXT);
    other.does("cuCtxCreate_v2 out 0 0".to_owned());
    assert_eq!(other.code(format!("cuIpcCloseMemHandle {opened}")), 1);
}

#[test]
fn only_linear_memory_has_a_name_and_only_others_open_it() {
    let machine = Machine::new();
    let answers = [machine.native(), machine.limited("2g")].map(|run| {
        let mut tenant = with_context(Tenant::new(run));
        let linear = tenant.0.allocate(MIB).unwrap();
        let managed = tenant.does(format!("cuMemAllocManaged out {MIB} 1"))[0];
        let pooled = tenant.does(format!("cuMemAllocAsync out {MIB} 0"))[0];
        let mut answers: Vec<String> = [linear + 512, managed, pooled, 5]
            .map(|address| tenant.0.ask(&format!("cuIpcGetMemHandle out*8 {address}")))
            .into();
        let name = name(&mut tenant, "cuIpcGetMemHandle", linear);
        answers.push(tenant.0.ask(&format!("open-memory {name} {LAZY}")));
        answers.push(tenant.0.ask(&format!("open-memory {name} 0")));
        answers.push(tenant.0.ask(&format!("open-memory 1 2 3 4 5 6 7 8 {LAZY}")));
        answers.push(tenant.0.ask(&format!("cuIpcCloseMemHandle {linear}")));
        answers
    });
    assert_eq!(answers[0], ["1", "1", "1", "1", "201", "1", "1", "1"]);
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn an_event_of_another_process_is_waited_for_like_an_own_one() {
    const SHAREABLE: u64 = 2 | 4;
    let machine = Machine::new();
    let [mut one, mut other] = pair(&machine);
    let plain = one.does("cuEventCreate out 2".to_owned())[0];
    assert_eq!(one.code(format!("cuIpcGetEventHandle out*8 {plain}")), 400);
    let event = one.does(format!("cuEventCreate out {SHAREABLE}"))[0];
    let name = name(&mut one, "cuIpcGetEventHandle", event);
    assert_eq!(one.code(format!("open-event {name}")), 201);
    let opened = other.does(format!("open-event {name}"))[0];
    one.does(format!("cuEventRecord {event} 0"));
    other.does(format!("cuStreamWaitEvent 0 {opened} 0"));
    other.does(format!("cuEventRecord {opened} 0"));
    one.does(format!("cuEventSynchronize {event}"));
    other.does(format!("cuEventDestroy_v2 {opened}"));
    one.does(format!("cuEventQuery {event}"));
    one.does(format!("cuEventDestroy_v2 {event}"));
}

#[test]
fn memory_of_a_pool_is_imported_by_its_pool_and_costs_the_importer_nothing() {
    let machine = Machine::new();
    let [mut one, mut other] = pair(&machine);
    let free = one.0.memory().free;
    // Pinned memory of the first device, which can be exported as a descriptor.
    let properties = format!("in={},{DEVICE}", 1 | 1_u64 << 32);
    let pool = one.does(format!("cuMemPoolCreate out {properties}"))[0];
    let address = one.does(format!("cuMemAllocFromPoolAsync out {SIZE} {pool} 0"))[0];
    one.0.ask(&format!("fill {address} {SIZE} 7"));
    let descriptor = one.does(format!("cuMemPoolExportToShareableHandle out {pool} 1 0"))[0];
    let received = pass(&machine, &mut one, descriptor, &mut other);
    let import = other.does(format!("cuMemPoolImportFromShareableHandle out {received} 1 0"))[0];
    let data = name(&mut one, "cuMemPoolExportPointer", address).replace(' ', ",");
    let opened = other.does(format!("cuMemPoolImportPointer out {import} in={data}"))[0];
    assert_eq!(first_byte(&mut other, opened), 7);
    assert_eq!(other.0.memory().free, free - SIZE);
    assert_eq!(other.code(format!("cuMemAllocFromPoolAsync out {MIB} {import} 0")), 1);
    assert_eq!(other.code(format!("cuDeviceSetMemPool 0 {import}")), 1);
    other.does(format!("cuMemFreeAsync {opened} 0"));
    other.does(format!("cuMemPoolDestroy {import}"));
    one.does(format!("cuMemFreeAsync {address} 0"));
    one.does(format!("cuMemPoolDestroy {pool}"));
    one.does("cuCtxSynchronize".to_owned());
    assert_eq!((one.0.memory().free, machine.truth()["device.0.pooled"]), (free, 0));
}

#[test]
fn a_pool_that_was_not_made_for_it_is_not_shared() {
    let machine = Machine::new();
    let mut tenant = with_context(Tenant::new(machine.limited("2g")));
    let pool = tenant.does("cuDeviceGetDefaultMemPool out 0".to_owned())[0];
    assert_eq!(tenant.0.ask(&format!("cuMemPoolExportToShareableHandle out {pool} 1 0")), "1");
    let address = tenant.does(format!("cuMemAllocAsync out {MIB} 0"))[0];
    assert_eq!(tenant.0.ask(&format!("cuMemPoolExportPointer out*8 {address}")), "1");
    assert_eq!(tenant.0.ask("cuMemPoolImportFromShareableHandle out 0 1 0"), "1");
}
