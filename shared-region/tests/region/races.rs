//! Many processes at once, killed at random.

use contract::Bytes;
use shared_region::Member;
use shared_region::snapshot::Snapshot;

use crate::support::{Directory, LIMIT, Part, Random, Role, only_gpu, open};

const PROCESSES: u64 = 64;
const KILLS: u64 = 100;

/// Lets [`PROCESSES`] processes play `part`, kills one at random [`KILLS`] times and starts another in its place; the requests
/// that those did which lived to the end.
fn race(directory: &Directory, part: Part, mut check: impl FnMut()) -> u64 {
    let mut random = Random(0x5eed);
    let mut seed = 1;
    let mut start = || {
        seed += 1;
        Role::start(part, &directory.region(), seed)
    };
    let mut roles: Vec<_> = (0..PROCESSES).map(|_| start()).collect();
    for _ in 0..KILLS {
        let place = usize::try_from(random.below(PROCESSES)).unwrap();
        // Some are killed before they have joined, some in the middle of it.
        roles.swap_remove(place).kill();
        roles.push(start());
        check();
    }
    let ended = roles.into_iter().map(|role| role.ready().finish());
    ended
        .map(|(status, said)| {
            assert!(status.success(), "{status}: {said:?}");
            said.unwrap().parse::<u64>().unwrap()
        })
        .sum()
}

fn assert_nothing_is_left(member: &Member) {
    member.reap().unwrap();
    assert_eq!(member.total(only_gpu()), Bytes::ZERO);
}

#[test]
fn processes_within_their_shares_are_never_refused_whoever_is_killed() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let requests = race(&directory, Part::RaceWithinShare, || {
        assert!(member.total(only_gpu()) <= LIMIT);
        assert!(Snapshot::read(&directory.region()).unwrap().devices[0].adds_up());
    });
    eprintln!("{requests} requests of {PROCESSES} processes within their shares, {KILLS} kills, 0 refusals");
    assert_nothing_is_left(&member);
}

#[test]
fn processes_that_want_more_than_there_is_never_hold_more_than_the_limit() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let mut highest = Bytes::ZERO;
    let requests = race(&directory, Part::RaceBeyondLimit, || {
        for _ in 0..1000 {
            highest = highest.max(member.total(only_gpu()));
        }
        assert!(highest <= LIMIT);
        assert!(Snapshot::read(&directory.region()).unwrap().devices[0].adds_up());
    });
    eprintln!(
        "{requests} requests of {PROCESSES} processes, {KILLS} kills, at most {highest} of {LIMIT} bytes held"
    );
    assert_nothing_is_left(&member);
}

#[test]
fn processes_that_open_a_new_region_together_get_the_same_one() {
    for _ in 0..20 {
        let directory = Directory::new();
        let roles: Vec<_> = (0..8).map(|_| Role::start(Part::Hold, &directory.region(), 3)).collect();
        let roles: Vec<_> = roles.into_iter().map(Role::ready).collect();
        let member = open(&directory.region()).join().unwrap();
        assert_eq!(member.total(only_gpu()), Bytes(24));
        drop(roles);
        assert_nothing_is_left(&member);
    }
}

#[test]
fn threads_of_one_process_share_its_slot() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let device = only_gpu();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    member.reserve(device, Bytes(1), Bytes(4)).unwrap();
                    assert!(member.own(device) <= Bytes(4));
                    member.refund(device, Bytes(1));
                }
            });
        }
    });
    assert_eq!((member.own(device), member.total(device)), (Bytes::ZERO, Bytes::ZERO));
}
