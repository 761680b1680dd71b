//! What lath is known to do wrong, found by the game. Each is a test that must fail, with the issue
//! that will mend it: then it leaves this list, and what `src/known.rs` keeps away from the game
//! comes back.

use lath::prelude::*;

#[global_allocator]
static POISONED: lath_simulation::poison::Poisoned = lath_simulation::poison::Poisoned;

/// Passes as long as something is wrong.
fn must_fail(issue: u32, shows: impl FnOnce() + std::panic::UnwindSafe) {
    assert!(
        lath_simulation::fuse::hushed(shows).is_err(),
        "this is right now: take it from the list of known failures, with issue {issue}"
    );
}

/// What was read after a snapshot is not read again when that is put back.
#[test]
fn a_rollback_puts_back_which_events_were_read() {
    struct Shot(u32);
    #[derive(Default)]
    struct Hits(u32);

    must_fail(24, || {
        let mut world = World::new();
        world.insert(Hits(0));
        let mut schedule = Schedule::new();
        schedule.add(|mut shots: EventReader<Shot>, mut hits: ResMut<Hits>| {
            hits.0 += shots.read().map(|shot| shot.0).sum::<u32>();
        });
        schedule.run(&mut world);
        world.send(Shot(1));
        let before = Snapshot::take(&world).expect("a snapshot");
        schedule.run(&mut world);
        before.restore(&mut world).expect("it is put back");
        schedule.run(&mut world);
        assert_eq!(world.resource::<Hits>().0, 2, "the shot was fired after the snapshot, too");
    });
}

/// `before` moves what is named behind what it does not mention.
#[test]
fn before_moves_nothing_but_the_system_that_says_it() {
    fn first() {}
    fn second() {}
    fn last() {}
    must_fail(25, || {
        let mut schedule = Schedule::new();
        schedule.add((first, second, last.before(first)));
        assert_eq!(schedule.order().unwrap(), ["last", "first", "second"]);
    });
}

/// A system may come before one that lies before a barrier: it belongs to that stage then.
#[test]
fn before_crosses_a_barrier() {
    fn first() {}
    fn last() {}
    must_fail(25, || {
        let mut schedule = Schedule::new();
        schedule.add(first).barrier().add(last.before(first));
        assert_eq!(schedule.order().unwrap(), ["last", "first"]);
    });
}

/// Readers are registered by the first run, and hear nothing of what was sent until then.
#[test]
fn what_is_sent_before_the_first_run_is_read_by_the_first_run() {
    struct Bang;
    struct Heard(usize);
    must_fail(25, || {
        let mut world = World::new();
        world.insert(Heard(0));
        let mut schedule = Schedule::new();
        schedule.add(|mut bangs: EventReader<Bang>, mut heard: ResMut<Heard>| {
            heard.0 += bangs.read().count();
        });
        world.send(Bang);
        schedule.run(&mut world);
        assert_eq!(world.resource::<Heard>().0, 1);
    });
}
