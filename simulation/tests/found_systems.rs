//! What the game has found in lath, in the fewest words that show it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lath::prelude::*;
use lath::{Local, Reuse, RunError, SpawnFault};
use lath_simulation::fuse::hushed;
use lath_simulation::memory;

#[global_allocator]
static POISONED: lath_simulation::poison::Poisoned = lath_simulation::poison::Poisoned;

/// A column of cold fields is compared with the default before anything is put there, and that is
/// code of the user's. A thing that panicked then left its handle reserved for ever.
#[test]
fn a_thing_that_panics_on_its_way_in_leaves_no_slot_reserved() {
    #[derive(Clone, Default)]
    struct Secret(Arc<AtomicBool>);

    impl PartialEq for Secret {
        fn eq(&self, _: &Self) -> bool {
            assert!(!self.0.load(Ordering::Relaxed), "while it was compared");
            false
        }
    }

    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Spy {
        #[thing(cold)]
        secret: Secret,
    }

    let mut world = World::new();
    // Somebody may hear of it, so that handles are kept for their things.
    world.on_spawn::<Spy>(|_, _| ());
    let fuse = Arc::new(AtomicBool::new(true));
    let secret = Secret(fuse.clone());
    let mut schedule = Schedule::new();
    schedule.add(move |mut commands: Commands| {
        for _ in 0..3 {
            commands.spawn(Spy { secret: secret.clone() });
        }
    });
    let result = hushed(|| schedule.try_run(&mut world)).expect("it is caught");
    assert!(matches!(result, Err(RunError::Panicked { .. })), "{result:?}");
    let stats = world.pool::<Spy>().stats();
    assert_eq!((stats.live, stats.reserved), (0, 0));

    fuse.store(false, Ordering::Relaxed);
    schedule.run(&mut world);
    assert_eq!(world.pool::<Spy>().stats().live, 3);
}

/// A second condition made the first one begin again: its locals, and the events that it had read.
#[test]
fn what_is_said_of_a_set_later_does_not_make_earlier_conditions_forget() {
    struct Runs(u32);
    let mut world = World::new();
    world.insert(Runs(0));
    let mut schedule = Schedule::new();
    schedule.add((|mut runs: ResMut<Runs>| runs.0 += 1).in_set("red"));
    schedule.set("red").run_if(|mut asked: Local<u32>| {
        *asked += 1;
        *asked == 1
    });
    schedule.run(&mut world);
    schedule.set("red").run_if(|| true);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 1, "it was asked twice by then");
}

/// With a hook on despawn, a handle that was reserved could not be given up through the world.
#[test]
fn the_world_gives_up_a_reserved_handle_whether_or_not_there_are_hooks() {
    #[derive(Thing, Default)]
    struct Ship {}

    for hooked in [false, true] {
        let mut world = World::new();
        if hooked {
            world.on_despawn::<Ship>(|_, _, _| panic!("nothing was there"));
        }
        let handle = world.pool_mut::<Ship>().reserve();
        assert!(world.despawn(handle), "hooked: {hooked}");
        assert_eq!(world.pool::<Ship>().stats().reserved, 0, "hooked: {hooked}");
    }
}

/// A child for whose links there was no memory was taken back by way of a list, for which there was
/// none either: the program ended.
#[test]
fn a_child_for_whose_links_there_is_no_memory_is_taken_back() {
    #[derive(Thing, Default, Debug, Clone)]
    struct Ship {}

    let (mut linked, mut refused) = (1, 0);
    let mut pool = Pool::new();
    pool.set_reuse(Reuse::Lifo);
    let hull = pool.spawn(Ship {});
    pool.tree_mut();
    for n in 0..5000 {
        // Things that are not linked, so that links need memory when things do not.
        let alone: Vec<_> = (0..n % 40).map(|_| pool.spawn(Ship {})).collect();
        alone.into_iter().for_each(|alone| assert!(pool.despawn(alone)));
        match memory::faulty(|| memory::refused(0, || pool.spawn_child(hull, Ship {}))) {
            Ok(_) => linked += 1,
            Err(error) => {
                refused += u32::from(matches!(error.fault, SpawnFault::Link(_)));
                pool.spawn_child(hull, Ship {}).expect("there is memory again");
                linked += 1;
            }
        }
        assert_eq!(pool.len(), linked);
    }
    assert!(refused > 0, "memory was never asked for");
    assert_eq!(pool.tree().child_count(hull), linked - 1);
    assert_eq!(pool.check_invariants(), Ok(()));
}

/// The model had thought that what is live before a run that panics is live or gone after it.
#[test]
fn a_thing_may_be_buried_within_a_run_that_panics() {
    use lath_simulation::play_with_faults;
    use lath_simulation::program::Call::*;
    use lath_simulation::program::step;

    play_with_faults(&[
        step(AddSystem, 0, 0, 0, 6642),
        step(SpawnTree, 5, 0, 0, 0),
        step(AddToOrder, 5, 194, 36298, 8908),
        step(RunSchedule, 0, 0, 0, 6169),
    ]);
}

/// What systems of fixed steps had done stayed in the trace.
#[test]
fn a_trace_that_is_cleared_has_nothing_of_fixed_steps_either() {
    let mut world = World::new();
    world.insert(lath::Time { dt: 0.5 });
    let mut schedule = Schedule::new();
    schedule.fixed(2.0, |steps| _ = steps.add(|| ()));
    schedule.run(&mut world);
    assert!(!schedule.spans().is_empty());
    schedule.clear_trace();
    assert!(schedule.spans().is_empty());
}
