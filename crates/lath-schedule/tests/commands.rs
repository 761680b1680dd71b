//! Every command does what it says, in order, with handles that are known at once; on things that
//! have died it does nothing, and is counted.

mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use common::on_threads;
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Orphans, Pool, Ref, Relation, Reuse, Thing};
use lath_schedule::{CommandCounts, Commands, Query, Schedule, World};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u16 {
        const A = 1;
        const B = 2;
        const C = 4;
    }
}

#[derive(Thing, Default, Debug)]
struct Crew {
    #[thing(tags)]
    tags: Tags,
    number: u32,
    #[thing(cold)]
    name: String,
}

fn crew(number: u32) -> Crew {
    Crew { number, ..Crew::default() }
}

enum Carried {}
impl Relation for Carried {
    const ORPHANS: Orphans = Orphans::Detach;
}

/// Runs one system that gives commands, once.
fn give(world: &mut World, f: impl FnOnce(&mut Commands) + Send + 'static) -> CommandCounts {
    let before = world.command_counts();
    let mut f = Some(f);
    world.run_once(move |mut commands: Commands| f.take().unwrap()(&mut commands)).unwrap();
    assert_eq!(world.pool_mut::<Crew>().check_invariants(), Ok(()));
    let after = world.command_counts();
    CommandCounts { applied: after.applied - before.applied, missed: after.missed - before.missed }
}

#[test]
fn every_command_does_what_it_says() {
    struct Score(u32);
    struct Bang(u32);
    let mut world = World::new();
    let [ada, lin, eve] = [1, 2, 3].map(|number| world.spawn(crew(number)));
    world.insert(Bang(0));
    let counts = give(&mut world, move |commands| {
        assert!(commands.is_empty());
        let bob = commands.spawn(crew(4));
        commands.attach(lin, ada);
        commands.attach(eve, ada);
        commands.attach_first(bob, ada);
        commands.attach_in::<Carried, _>(ada, bob);
        commands.attach_in::<Carried, _>(eve, bob);
        commands.detach_in::<Carried, _>(eve);
        commands.detach(eve);
        commands.set_tags(ada, Tags::A | Tags::B);
        commands.insert_tags(ada, Tags::C);
        commands.remove_tags(ada, Tags::A);
        commands.set::<crew::number>(lin, 20);
        commands.set::<crew::name>(lin, "Lin".into());
        commands.insert(Score(7));
        commands.remove::<Bang>();
        commands.send(Bang(1));
        commands.run(|world| world.resource_mut::<Score>().0 += 1);
        commands.despawn(eve);
        assert_eq!(commands.len(), 18);
    });
    assert_eq!(counts, CommandCounts { applied: 18, missed: 0 });
    let pool = world.pool::<Crew>();
    let bob = pool.tree().first_child(ada).unwrap();
    assert_eq!(pool.read(bob).number, 4);
    assert!(pool.tree().children(ada).eq([bob, lin]));
    assert!(pool.tree_of::<Carried>().children(bob).eq([ada]));
    assert_eq!(pool.tags(ada), Tags::B | Tags::C);
    assert_eq!((pool.read(lin).number, pool.read(lin).name.as_str()), (20, "Lin"));
    assert!(!pool.contains(eve));
    assert_eq!(world.resource::<Score>().0, 8);
    assert!(world.try_resource::<Bang>().is_err());
    assert_eq!(world.events_mut::<Bang>().iter().map(|bang| bang.0).collect::<Vec<_>>(), [1]);
}

#[test]
fn commands_about_the_dead_do_nothing_and_are_counted() {
    struct Score;
    let mut world = World::new();
    let [dead, alive] = [1, 2].map(|number| world.spawn(crew(number)));
    world.despawn(dead);
    let counts = give(&mut world, move |commands| {
        commands.despawn(dead);
        commands.attach(dead, alive);
        commands.attach(alive, dead);
        commands.attach_first(alive, dead);
        commands.attach(alive, alive); // a circle
        commands.attach_in::<Carried, _>(dead, dead);
        commands.detach(dead);
        commands.detach_in::<Carried, _>(dead);
        commands.set_tags(dead, Tags::A);
        commands.insert_tags(dead, Tags::A);
        commands.remove_tags(dead, Tags::A);
        commands.set::<crew::number>(dead, 3);
        commands.set::<crew::name>(Handle::NIL, "nobody".into());
        commands.remove::<Score>();
    });
    assert_eq!(counts, CommandCounts { applied: 0, missed: 14 });
    assert_eq!(world.pool::<Crew>().len(), 1);
    // Dead by an earlier command of the same run.
    let counts = give(&mut world, move |commands| {
        let child = commands.spawn(crew(3));
        commands.attach(child, alive);
        commands.despawn(alive);
        commands.set::<crew::number>(child, 4);
        commands.despawn(child);
    });
    assert_eq!(counts, CommandCounts { applied: 3, missed: 2 });
    assert!(world.pool::<Crew>().is_empty());
}

type Make = fn() -> Pool<Crew>;

/// What several systems and a loop spawned, as they were told: handle and number.
type Told = Arc<Mutex<Vec<(Handle<Crew>, u32)>>>;

/// Three systems that spawn at the same time, one of them in a loop on several threads, one of them
/// before and after it.
fn spawners(threads: usize, told: &Told, each: u32) -> Schedule {
    let mut schedule = on_threads(threads);
    for system in 0..2 {
        let told = told.clone();
        schedule.add(move |mut commands: Commands| {
            for number in 0..each {
                let number = system * 1_000_000 + number;
                let tags = Tags::from_bits_truncate(number as u16 & 7);
                let Ok(handle) = commands.try_spawn(Crew { tags, ..crew(number) }) else { return };
                told.lock().unwrap().push((handle, number));
            }
        });
    }
    let told = told.clone();
    schedule.add(move |mut all: Query<Ref<crew::number>>, mut commands: Commands| {
        let spawn = |number: u32, commands: &mut Commands| {
            let tags = Tags::from_bits_truncate(number as u16 & 3);
            if let Ok(handle) = commands.try_spawn(Crew { tags, ..crew(number) }) {
                told.lock().unwrap().push((handle, number));
            }
        };
        spawn(2_000_000, &mut commands);
        for round in 3..5 {
            commands.par_each(&mut all, |number, commands| {
                if *number % 7 == 0 {
                    spawn(round * 1_000_000 + *number % 1_000_000, commands);
                }
            });
            spawn(2_000_000 + round, &mut commands);
        }
    });
    schedule
}

#[test]
fn handles_that_were_told_are_those_of_the_things_in_every_kind_of_pool() {
    let mut expected = None;
    for threads in [1, 2, 4] {
        let mut all_told = Vec::new();
        let kinds: [(&str, Make); 6] = [
            ("lowest", Pool::new),
            ("last freed", || {
                let mut pool = Pool::new();
                pool.set_reuse(Reuse::Lifo);
                pool
            }),
            ("first freed", || {
                let mut pool = Pool::new();
                pool.set_reuse(Reuse::Fifo);
                pool
            }),
            ("fixed and large", || Pool::fixed(70_000).unwrap()),
            ("fixed", || Pool::fixed(7_000).unwrap()),
            ("fixed and full", || Pool::fixed(5_010).unwrap()),
        ];
        for (kind, make) in kinds {
            let mut world = World::new();
            let mut pool = make();
            let old: Vec<_> = (0..5_000).map(|number| pool.spawn(crew(number))).collect();
            old.iter().step_by(3).for_each(|&who| _ = pool.despawn(who));
            if kind == "fixed and full" {
                (0..1665).for_each(|number| _ = pool.spawn(crew(number)));
            }
            world.add_pool(pool);
            let told = Told::default();
            let mut schedule = spawners(threads, &told, 200);
            for round in 0..3 {
                let before = world.pool::<Crew>().len();
                schedule.run(&mut world);
                let mut told = std::mem::take(&mut *told.lock().unwrap());
                told.sort();
                assert!(!told.is_empty(), "{kind}, round {round}: nobody got anything");
                let handles: BTreeSet<_> = told.iter().map(|&(handle, _)| handle).collect();
                assert_eq!(handles.len(), told.len(), "{kind}: a handle was told twice");
                for &(handle, number) in &told {
                    assert_eq!(
                        world.get(handle).map(|crew| crew.number),
                        Some(number),
                        "{kind}: {handle:?}"
                    );
                }
                assert_eq!(world.pool::<Crew>().len(), before + told.len());
                assert_eq!(world.command_counts().missed, 0);
                assert_eq!(world.pool::<Crew>().check_invariants(), Ok(()), "{kind}");
                // Half of them go, so that the next round finds holes.
                told.iter().step_by(2).for_each(|&(handle, _)| _ = world.despawn(handle));
                all_told.extend(told);
            }
        }
        assert_eq!(
            expected.get_or_insert(all_told.clone()),
            &all_told,
            "other handles on {threads} threads"
        );
    }
}

#[test]
fn in_a_full_pool_the_thing_is_given_back_and_spawn_says_what_is_wrong() {
    let mut world = World::new();
    world.add_pool(Pool::<Crew>::fixed(2).unwrap());
    let mut schedule = on_threads(2);
    for _ in 0..2 {
        schedule.add(|mut commands: Commands| {
            commands.spawn(crew(1)); // each has a share of one
            let refused = commands.try_spawn(crew(7)).unwrap_err();
            assert_eq!(refused.value.number, 7);
        });
    }
    schedule.run(&mut world);
    assert_eq!(world.pool::<Crew>().len(), 2);
    let error = world
        .run_once(|mut commands: Commands| _ = commands.spawn(crew(1)))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot spawn a") && error.contains("Crew") && error.contains('2'),
        "{error}"
    );
}

#[test]
fn things_of_a_type_that_there_are_none_of_make_their_pool() {
    for threads in [1, 3] {
        let told = Told::default();
        let mut world = World::new();
        let mut schedule = on_threads(threads);
        for system in 0..3 {
            let told = told.clone();
            schedule.add(move |mut commands: Commands| {
                for number in 0..100 {
                    told.lock()
                        .unwrap()
                        .push((commands.spawn(crew(system * 100 + number)), system * 100 + number));
                }
            });
        }
        schedule.run(&mut world);
        assert_eq!(world.pool::<Crew>().len(), 300);
        for (handle, number) in told.lock().unwrap().iter() {
            assert_eq!(world.read(*handle).number, *number);
        }
    }
}

#[test]
fn a_closure_that_spawns_cannot_take_slots_that_were_promised() {
    let mut world = World::new();
    let counts = give(&mut world, |commands| {
        let early = commands.spawn(crew(1));
        commands.run(|world| {
            for number in 100..200 {
                world.spawn(crew(number));
                world.pool_mut::<Crew>().spawn(crew(number));
            }
        });
        let late = commands.spawn(crew(2));
        commands.run(move |world| {
            assert_eq!((world.read(early).number, world.read(late).number), (1, 2));
        });
    });
    assert_eq!(counts.missed, 0);
    assert_eq!(world.pool::<Crew>().len(), 202);
}

#[test]
fn a_closure_that_clears_the_pool_takes_the_promises_with_it_and_nothing_breaks() {
    let mut world = World::new();
    world.spawn(crew(0));
    give(&mut world, |commands| {
        commands.spawn(crew(1));
        commands.run(|world| world.pool_mut::<Crew>().clear());
        let late = commands.spawn(crew(2));
        commands.attach(late, late);
    });
    let counts = give(&mut world, |commands| {
        commands.run(|world| drop(world.remove_pool::<Crew>()));
        commands.spawn(crew(3));
    });
    assert_eq!(counts.applied + counts.missed, 2);
    assert_eq!(world.pool::<Crew>().stats().reserved, 0);
}

#[test]
fn a_closure_can_give_its_own_commands_by_running_systems() {
    let mut world = World::new();
    give(&mut world, |commands| {
        commands.spawn(crew(1));
        commands.run(|world| {
            world.run_once(|mut commands: Commands| _ = commands.spawn(crew(10))).unwrap();
        });
        commands.spawn(crew(2));
    });
    let mut numbers: Vec<_> = world.pool::<Crew>().iter().map(|(_, crew)| crew.number).collect();
    numbers.sort();
    assert_eq!(numbers, [1, 2, 10]);
    assert_eq!(world.command_counts().missed, 0);
}

#[test]
fn commands_of_every_size_and_alignment_are_kept_whole() {
    #[repr(align(64))]
    struct Wide([u8; 64]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut world = World::new();
    let seeing = seen.clone();
    give(&mut world, move |commands| {
        for number in 0..50u8 {
            let [a, b, c, d] = [(); 4].map(|()| seeing.clone());
            commands.run(move |_| a.lock().unwrap().push(number));
            let wide = Wide([number; 64]);
            commands.run(move |_| {
                let wide = wide;
                assert_eq!((&raw const wide).addr() % 64, 0);
                b.lock().unwrap().push(wide.0[63]);
            });
            let large = [u64::from(number); 100];
            commands.run(move |_| c.lock().unwrap().push(large[99] as u8));
            commands.run(|_| ());
            let text = number.to_string();
            commands.run(move |_| d.lock().unwrap().push(text.parse().unwrap()));
        }
    });
    let expected: Vec<_> = (0..50).flat_map(|number| [number; 4]).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn commands_of_a_loop_come_in_slot_order_between_those_before_and_after_it() {
    for threads in [1, 2, 4] {
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut world = World::new();
        (0..20_000).for_each(|number| _ = world.spawn(crew(number)));
        let mut schedule = on_threads(threads);
        let logging = log.clone();
        schedule.add(move |mut all: Query<Ref<crew::number>>, mut commands: Commands| {
            let note = |number: u32, commands: &mut Commands| {
                let log = logging.clone();
                commands.run(move |_| log.lock().unwrap().push(number));
            };
            note(1_000_000, &mut commands);
            commands.par_each(&mut all, |number, commands| {
                if *number % 5 == 0 {
                    note(*number, commands);
                }
            });
            note(2_000_000, &mut commands);
        });
        schedule.run(&mut world);
        let expected: Vec<_> =
            [1_000_000].into_iter().chain((0..20_000).step_by(5)).chain([2_000_000]).collect();
        assert_eq!(*log.lock().unwrap(), expected);
    }
}
