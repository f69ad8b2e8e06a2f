//! The parts that processes play.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use contract::Bytes;
use policy::compute::{Nanos, Share};
use shared_region::{DeviceIndex, Member, MemoryClass, Refusal, Refused, Region};

use super::role::{Part, say};
use super::{GPU, LIMIT, Random, open};

/// Processes that race, at most.
const RACERS: u64 = 64;

pub(super) fn play(part: Part, path: &Path, number: u64) {
    match part {
        Part::Hold => hold(path, number),
        Part::HoldWithoutMain => hold_without_main(path, number),
        Part::Exec => exec(path, number),
        Part::ForkAndHold => fork_and_hold(path, number),
        Part::CloseAll => close_all(path, number),
        Part::RaceWithinShare => race_within_share(path, number),
        Part::RaceBeyondLimit => race_beyond_limit(path, number),
        Part::ReapForEver => reap_for_ever(path),
        Part::WaitForTurn => wait_for_turn(path, number),
        Part::WithoutSystemCalls => without_system_calls(path),
        _ => match Region::open(path) {
            Ok(_) => say("opened"),
            Err(error) => say(&error.to_string()),
        },
    }
}

pub(super) fn join(path: &Path) -> (Member, DeviceIndex) {
    let region = open(path);
    (region.join().unwrap(), region.device(GPU).unwrap())
}

fn wait_for_turn(path: &Path, launches: u64) {
    let (member, device) = join(path);
    let compute = member.compute(device).unwrap();
    compute.stats.launched(launches, Nanos(7));
    compute.stats.begin_wait();
    let _ = compute.finish.reserve(Nanos(7), Share::from_percent(30).unwrap(), Nanos(5));
    say("ready");
    wait_for_the_end();
}

/// Waits until the starter of this process closes its input.
pub(super) fn wait_for_the_end() {
    let mut rest = Vec::new();
    std::io::stdin().read_to_end(&mut rest).unwrap();
}

/// Does `request` in bursts, with pauses so that dozens of racers share two cores, until the starter of this process closes its
/// input; says how often.
fn race(mut request: impl FnMut()) {
    const BURST: u64 = 256;
    const PAUSE_MS: i32 = 20;
    let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    let mut requests = 0;
    let mut over = false;
    say("ready");
    while !over {
        (0..BURST).for_each(|_| request());
        requests += BURST;
        // SAFETY: `input` is one live pollfd for the call.
        over = unsafe { libc::poll(&raw mut input, 1, PAUSE_MS) } > 0;
    }
    say(&requests.to_string());
}

fn hold(path: &Path, bytes: u64) {
    let (member, device) = join(path);
    member.charge(device, Bytes(bytes));
    say("ready");
    wait_for_the_end();
    // As a program that ends without calling destructors.
    core::mem::forget(member);
}

fn hold_without_main(path: &Path, bytes: u64) {
    let path = path.to_owned();
    std::thread::spawn(move || {
        hold(&path, bytes);
        std::process::exit(0);
    });
    // The harness runs this on a thread of its own; the main one waits for it for ever.
    loop {
        std::thread::park();
    }
}

fn exec(path: &Path, bytes: u64) {
    let (member, device) = join(path);
    member.charge(device, Bytes(bytes));
    say("ready");
    let mut go = [0];
    std::io::stdin().read_exact(&mut go).unwrap();
    let error = Command::new("cat").exec();
    unreachable!("{error}");
}

fn fork_and_hold(path: &Path, bytes: u64) {
    let (member, device) = join(path);
    member.charge(device, Bytes(bytes));
    // SAFETY: the child only reads and ends.
    if unsafe { libc::fork() } == 0 {
        let mut byte = 0_u8;
        // SAFETY: `byte` is live for the call, which waits for the end of the input.
        unsafe { libc::read(0, (&raw mut byte).cast(), 1) };
        // SAFETY: nothing of the parent's is to be cleaned up here.
        unsafe { libc::_exit(0) };
    }
    say("ready");
    wait_for_the_end();
    core::mem::forget(member);
}

fn close_all(path: &Path, bytes: u64) {
    let (member, device) = join(path);
    for descriptor in 3..1024 {
        // SAFETY: nothing that this process still uses has a descriptor above 2; that the region does not is the point.
        unsafe { libc::close(descriptor) };
    }
    member.charge(device, Bytes(bytes));
    say("ready");
    wait_for_the_end();
    core::mem::forget(member);
}

fn race_within_share(path: &Path, seed: u64) {
    let (member, device) = join(path);
    let share = LIMIT.0 / RACERS;
    let mut random = Random(seed);
    race(|| {
        let room = share - member.own(device).0;
        let bytes = Bytes(random.below(room + 1));
        if random.below(2) == 0 {
            let verdict = member.reserve_or_reap(device, bytes, LIMIT).map(drop);
            assert_eq!(verdict, Ok(()), "{bytes} bytes beside {} of {share}", member.own(device));
        } else {
            let held = member.own(device).0;
            member.refund(device, Bytes(random.below(held + 1)));
        }
    });
}

fn race_beyond_limit(path: &Path, seed: u64) {
    let (member, device) = join(path);
    let mut random = Random(seed);
    race(|| {
        if random.below(2) == 0 {
            let bytes = Bytes(random.below(LIMIT.0 / 8));
            match member.reserve(device, bytes, LIMIT) {
                Ok(()) => assert!(member.total(device) <= LIMIT),
                Err(Refused::Total) if random.below(16) == 0 => drop(member.reap().unwrap()),
                Err(Refused::Total) => {}
                Err(refused) => assert_eq!(refused, Refused::OwnUse),
            }
        } else {
            let held = member.own(device).0;
            member.refund(device, Bytes(random.below(held + 1)));
        }
    });
}

fn reap_for_ever(path: &Path) {
    let (member, _) = join(path);
    say("ready");
    loop {
        member.reap().unwrap();
    }
}

fn without_system_calls(path: &Path) {
    let (member, device) = join(path);
    // A forbidden call ends only the thread that makes it.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(10));
        std::process::exit(1);
    });
    // SAFETY: this thread, to which the mode applies, makes only the calls that it allows; that the region makes none is the point.
    let status = unsafe { libc::prctl(libc::PR_SET_SECCOMP, 1, 0, 0, 0) };
    let text: &[u8] = if status == 0 { b"says: done\n" } else { b"says: not permitted\n" };
    if status == 0 {
        for _ in 0..1000 {
            let granted = member.reserve(device, Bytes(1000), LIMIT);
            let refused = member.reserve(device, LIMIT, LIMIT);
            member.charge(device, Bytes(1));
            member.refund(device, Bytes(1001));
            member.refused(device, Refusal { class: MemoryClass::Linear, bytes: LIMIT, at: 1 });
            if granted.is_err() || refused.is_ok() || member.total(device) != Bytes::ZERO {
                return;
            }
        }
    }
    // SAFETY: `text` is live for the call.
    unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
    loop {
        core::hint::spin_loop();
    }
}
