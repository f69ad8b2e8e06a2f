//! The owner of balance and priorities, among slices whose processes are played by this one.

mod cost;
mod world;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use contract::limits_page::{Entry, Page, SharePolicy, effective_word};
use contract::{Percent, Permille, paths};
use monitor::shares::{IDLE_PERIOD, PERIOD};
use shared_region::Region;

use world::{Act, GPU, Tenant, World, words};

#[test]
fn what_one_slice_leaves_unused_another_under_balance_has() {
    let mut world = World::new();
    let greedy = world.start(SharePolicy::Balance, Some(30), 1);
    let modest = world.start(SharePolicy::Balance, Some(70), 1);
    world.pass(&[(&greedy, Act::Wait(300)), (&modest, Act::Nothing)]);
    assert_eq!(world.in_force(&greedy), (999, false));
    assert_eq!(world.in_force(&modest), (700, false));
    world.pass(&[(&greedy, Act::Wait(900)), (&modest, Act::Wait(100))]);
    assert_eq!((world.in_force(&greedy), world.in_force(&modest)), ((300, false), (700, false)));
    world.pass(&[(&greedy, Act::Wait(300)), (&modest, Act::Use(100))]);
    let (share, _) = world.in_force(&greedy);
    assert!((800..900).contains(&share), "{share}");
}

#[test]
fn a_fixed_slice_keeps_its_share_and_what_it_leaves_is_for_those_under_balance() {
    let mut world = World::new();
    let fixed = world.start(SharePolicy::Fixed, Some(50), 1);
    let balanced = world.start(SharePolicy::Balance, Some(20), 1);
    world.pass(&[(&fixed, Act::Nothing), (&balanced, Act::Wait(200))]);
    assert_eq!((world.in_force(&fixed), world.in_force(&balanced)), ((500, false), (999, false)));
    world.pass(&[(&fixed, Act::Wait(500)), (&balanced, Act::Wait(900))]);
    assert_eq!((world.in_force(&fixed), world.in_force(&balanced)), ((500, false), (500, false)));
}

#[test]
fn lower_priorities_stand_back_while_a_higher_one_is_active() {
    let mut world = World::new();
    let high = world.start(SharePolicy::Fixed, None, 0);
    let low = world.start(SharePolicy::Fixed, None, 1);
    world.pass(&[(&high, Act::Use(10)), (&low, Act::Wait(900))]);
    assert_eq!((world.in_force(&high), world.in_force(&low)), ((1000, false), (1000, true)));
    world.pass(&[(&high, Act::Nothing), (&low, Act::Wait(900))]);
    assert_eq!(world.in_force(&low), (1000, false));
}

#[test]
fn a_high_priority_that_is_stopped_in_the_middle_of_a_wait_holds_nobody_back_for_long() {
    let mut world = World::new();
    let high = world.start(SharePolicy::Fixed, Some(50), 0);
    let low = world.start(SharePolicy::Fixed, None, 1);
    let device = Region::open(&high.run.region()).expect("a region").device(GPU).expect("an entry");
    high.process.compute(device).expect("a member").stats.begin_wait();
    world.pass(&[(&low, Act::Wait(900))]);
    assert!(world.in_force(&low).1);
    for _ in 0..3 {
        world.pass(&[(&low, Act::Wait(900))]);
    }
    assert!(!world.in_force(&low).1);
}

#[test]
fn where_there_is_nothing_to_decide_pages_stay_as_they_are() {
    let mut world = World::new();
    let tenants = [30, 40].map(|cores| world.start(SharePolicy::Fixed, Some(cores), 1));
    let before = tenants.each_ref().map(|tenant| words(&tenant.run));
    world.pass(&[(&tenants[0], Act::Wait(300)), (&tenants[1], Act::Wait(400))]);
    assert_eq!(tenants.each_ref().map(|tenant| words(&tenant.run)), before);
    let higher = world.start(SharePolicy::Fixed, Some(30), 0);
    world.pass(&[(&higher, Act::Wait(300))]);
    assert!(words(&tenants[0].run)[effective_word(0)] != 0);
    drop(higher.process);
    drop(higher.run);
    world.adopt();
    world.pass(&[]);
    assert_eq!(words(&tenants[0].run)[effective_word(0)], 0);
}

#[test]
fn pages_at_rest_were_written_twenty_times_a_second() {
    let mut world = World::new();
    let fixed = world.start(SharePolicy::Fixed, Some(30), 1);
    let balanced = [20, 40].map(|cores| world.start(SharePolicy::Balance, Some(cores), 1));
    let before = words(&fixed.run);
    world.pass(&[(&fixed, Act::Wait(300)), (&balanced[0], Act::Wait(700))]);
    assert_eq!((world.in_force(&balanced[0]).0, world.in_force(&fixed).0), (700, 300));
    assert_eq!(words(&fixed.run), before, "it has its own share");
    // What stays the same is written just often enough.
    let effective = || words(&balanced[0].run)[effective_word(0)];
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..40 {
        world.now = world.now.saturating_add(PERIOD);
        fixed.act(Act::Wait(300), world.now);
        balanced[0].act(Act::Wait(700), world.now);
        world.owner.look(world.now);
        seen.insert(effective());
        assert_eq!(world.in_force_after(&balanced[0], Duration::from_millis(740)), (700, false));
    }
    assert!(seen.len() <= 9, "{}", seen.len());
    // Nobody works any more: the last thing that is said is that everybody has his own.
    world.pass(&[]);
    let last = [words(&balanced[0].run), words(&balanced[1].run)];
    world.pass(&[]);
    assert_eq!([words(&balanced[0].run), words(&balanced[1].run)], last);
    assert_eq!(world.in_force(&balanced[0]), (200, false));
}

#[test]
fn without_a_page_that_asks_for_an_owner_there_is_no_next_look() {
    let mut world = World::new();
    let fixed = world.start(SharePolicy::Fixed, Some(30), 1);
    assert_eq!(world.owner.look(world.now), None);
    let balanced = world.start(SharePolicy::Balance, Some(30), 1);
    assert_eq!(world.owner.look(world.now), Some(IDLE_PERIOD));
    world.now = world.now.saturating_add(IDLE_PERIOD);
    balanced.act(Act::Use(10), world.now);
    assert_eq!(world.owner.look(world.now), Some(PERIOD));
    drop(fixed);
}

#[test]
fn where_nobody_works_slices_were_read_twenty_times_a_second() {
    let mut world = World::new();
    let idle = world.start(SharePolicy::Balance, Some(30), 1);
    assert_eq!(world.owner.look(world.now), Some(IDLE_PERIOD));
    // Somebody has asked for a look before it is time.
    idle.act(Act::Use(10), world.now);
    world.now = world.now.saturating_add(PERIOD);
    assert_eq!(world.owner.look(world.now), Some(IDLE_PERIOD));
    world.now = world.now.saturating_add(IDLE_PERIOD);
    assert_eq!(world.owner.look(world.now), Some(PERIOD));
    // Beside one that works, another is seen to begin at once.
    let other = world.start(SharePolicy::Balance, Some(30), 1);
    for act in [Act::Nothing, Act::Wait(300)] {
        world.now = world.now.saturating_add(PERIOD);
        idle.act(Act::Wait(900), world.now);
        other.act(act, world.now);
        world.owner.look(world.now);
    }
    assert_eq!([&idle, &other].map(|tenant| world.in_force(tenant).0), [500, 500]);
}

#[test]
fn what_begins_while_all_are_idle_is_followed_within_a_second() {
    let mut world = World::new();
    let tenants = [30, 30].map(|cores| world.start(SharePolicy::Balance, Some(cores), 1));
    world.pass(&[]);
    world.pass(&[(&tenants[0], Act::Wait(300))]);
    assert_eq!(world.in_force(&tenants[0]), (999, false));
    world.pass(&[]);
    world.pass(&[(&tenants[0], Act::Wait(500)), (&tenants[1], Act::Wait(500))]);
    assert_eq!(tenants.each_ref().map(|tenant| world.in_force(tenant).0), [500, 500]);
}

#[test]
fn what_is_kept_back_is_not_lent() {
    let mut world = World::new();
    let greedy = world.start(SharePolicy::Balance, Some(30), 1);
    world.owner.set_whole(Permille::new(500).expect("a half"));
    world.pass(&[(&greedy, Act::Wait(300))]);
    assert_eq!(world.in_force(&greedy), (500, false));
}

#[test]
fn a_page_that_was_replaced_is_looked_at_in_its_place() {
    let mut world = World::new();
    let greedy = world.start(SharePolicy::Balance, Some(30), 1);
    world.pass(&[(&greedy, Act::Wait(300))]);
    let path = paths::limits_file(&greedy.run.limits_dir());
    let entry = Entry { cores: Percent::new(20), policy: SharePolicy::Balance, ..Entry::unlimited(GPU) };
    let new = path.with_extension("new");
    fs::write(&new, Page::new(vec![entry]).expect("one entry").encode()).expect("written");
    fs::rename(&new, &path).expect("renamed");
    world.adopt();
    world.pass(&[(&greedy, Act::Wait(300))]);
    assert_eq!(world.in_force(&greedy), (999, false));
}

#[test]
fn a_slice_without_a_limit_was_not_measured_so_its_priority_held_nobody_back() {
    let mut world = World::new();
    let [low, high] = [1, 0].map(|priority| world.start(SharePolicy::Fixed, None, priority));
    world.pass(&[]);
    for tenant in [&low, &high] {
        assert_ne!(
            words(&tenant.run)[effective_word(0)],
            0,
            "programs measure what they do where this is set"
        );
        assert!(!world.in_force(tenant).1);
    }
}

#[test]
fn without_an_owner_every_slice_has_its_own_share_a_second_later() {
    let mut world = World::new();
    let greedy = world.start(SharePolicy::Balance, Some(30), 1);
    let gated = world.start(SharePolicy::Balance, Some(20), 2);
    world.pass(&[(&greedy, Act::Wait(300)), (&gated, Act::Wait(1))]);
    assert_eq!((world.in_force(&greedy), world.in_force(&gated)), ((999, false), (200, true)));
    let later = Duration::from_secs(1);
    assert_eq!(world.in_force_after(&greedy, later), (300, false));
    assert_eq!(world.in_force_after(&gated, later), (200, false));
}

#[test]
fn a_slice_that_writes_rubbish_moves_nobody_below_its_own_share() {
    let mut world = World::new();
    let hostile = world.start(SharePolicy::Balance, Some(10), 1);
    let honest = world.start(SharePolicy::Balance, Some(50), 1);
    honest.act(Act::Nothing, world.now);
    world.pass(&[(&hostile, Act::Wait(100)), (&honest, Act::Wait(500))]);
    // Whoever has mapped what is cut off would die of it: that is the tenant's affair, and here it is this process.
    let Tenant { run, process } = hostile;
    std::mem::forget(process);
    let region = run.region();
    let length = fs::metadata(&region).expect("a file").len();
    let file = File::options().write(true).open(&region).expect("a file");
    let rubbish = vec![0xff; 1 << 16];
    for offset in (4096..length).step_by(rubbish.len()) {
        let part = rubbish.len().min(usize::try_from(length - offset).expect("small"));
        file.write_all_at(&rubbish[..part], offset).expect("written");
    }
    world.pass(&[(&honest, Act::Wait(500))]);
    let (share, is_gated) = world.in_force(&honest);
    assert!(share >= 500 && !is_gated, "{share}");
    // A region that is cut short is none, and a page that is damaged is what it was.
    file.set_len(7).expect("cut");
    let page = File::options().write(true).open(paths::limits_file(&run.limits_dir())).expect("a page");
    page.write_all_at(&[0xff; 4160], 0).expect("written");
    world.pass(&[(&honest, Act::Wait(500))]);
    assert!(world.in_force(&honest).0 >= 500);
}

#[test]
fn a_changed_share_is_divided_by_at_the_next_look() {
    let mut world = World::new();
    let tenants = [50, 50].map(|cores| world.start(SharePolicy::Balance, Some(cores), 1));
    let all = [(&tenants[0], Act::Wait(500)), (&tenants[1], Act::Wait(500))];
    world.pass(&all);
    let path = paths::limits_file(&tenants[0].run.limits_dir());
    let mut file = shared_region::LimitsFile::open(&path).expect("a page");
    let entry = Entry { cores: Percent::new(20), ..file.page().expect("a page").entries()[0] };
    file.replace(&Page::new(vec![entry]).expect("one entry")).expect("changed");
    drop(file);
    assert_eq!(world.in_force(&tenants[0]), (200, false));
    world.pass(&all);
    let shares = tenants.each_ref().map(|tenant| world.in_force(tenant).0);
    // What nobody is entitled to goes to both in proportion.
    assert_eq!(shares.iter().sum::<u16>(), 1000);
    assert!(shares[0].abs_diff(286) <= 1, "{shares:?}");
}
