//! Safe code that tries to be given what it must not have.

use lath_core::{Handle, Mut, Pool, Ref, Thing};
use lath_schedule::{Commands, Params, PoolMut, Query, Res, ResMut, Schedule, World};

struct Wind(u32);

/// A type that differs with the lifetime that it is written with: what a macro makes of it, the
/// derive cannot know.
macro_rules! two_faced {
    ('static) => { Res<'static, Wind> };
    ($of:lifetime) => { ResMut<$of, Wind> };
}

#[test]
fn a_macro_cannot_make_parameters_declare_less_than_they_use() {
    #[derive(Params)]
    struct Sly<'w> {
        wind: two_faced!('w),
    }
    fn one(mut sly: Sly) {
        sly.wind.0 += 1;
    }
    let error = Schedule::new().try_add(|_: Sly, _: Sly| ()).err();
    assert!(
        error.is_some_and(|error| error.to_string().contains("resource `Wind`")),
        "two parameters can change one resource"
    );
    fn look(_: Res<Wind>) {}
    let mut schedule = Schedule::new();
    schedule.add((one, look));
    assert!(schedule.explain_pair("one", "look").unwrap().contains("waits for"));
}

#[derive(Thing, Default)]
struct Actor {
    hp: u32,
}

/// Resources of many types, so that the places of two worlds are numbered differently.
fn a_world(backwards: bool) -> World {
    let mut world = World::new();
    let inserts: [fn(&mut World); 3] = [
        |world| assert!(world.insert(Wind(1)).is_none()),
        |world| assert!(world.insert(7u8).is_none()),
        |world| drop(world.add_pool(Pool::<Actor>::new())),
    ];
    if backwards {
        inserts.iter().rev().for_each(|insert| insert(&mut world));
    } else {
        inserts.iter().for_each(|insert| insert(&mut world));
    }
    world
}

/// Systems that touch all of it, at the same time where they can.
fn systems(schedule: &mut Schedule) {
    schedule.add(|mut wind: ResMut<Wind>| wind.0 += 1);
    schedule.add(|mut byte: ResMut<u8>| *byte += 1);
    schedule.add(|mut actors: Query<Mut<actor::hp>>| actors.each(|mut hp| *hp += 1));
    schedule.add(|mut commands: Commands| assert!(!commands.spawn(Actor { hp: 1 }).is_nil()));
}

#[test]
fn a_world_that_is_replaced_during_a_run_is_used_as_what_it_is() {
    for threads in [1, 2] {
        let mut schedule = Schedule::new();
        schedule.threads(threads).parallel_from(std::time::Duration::ZERO);
        systems(&mut schedule);
        let mut other = Some(a_world(true));
        schedule.add(move |world: &mut World| {
            if let Some(other) = other.take() {
                *world = other;
            }
        });
        systems(&mut schedule);
        let mut world = a_world(false);
        schedule.run(&mut world);
        assert_eq!(
            (world.resource::<Wind>().0, *world.resource::<u8>(), world.pool::<Actor>().len()),
            (2, 8, 1)
        );
        schedule.run(&mut world);
        assert_eq!(
            (world.resource::<Wind>().0, *world.resource::<u8>(), world.pool::<Actor>().len()),
            (4, 10, 3)
        );
    }
}

#[test]
fn a_world_that_is_swapped_and_swapped_back_is_used_as_what_it_is() {
    let mut schedule = Schedule::new();
    let aside = std::sync::Arc::new(std::sync::Mutex::new(a_world(true)));
    let swap = move || {
        let aside = aside.clone();
        move |world: &mut World| std::mem::swap(world, &mut *aside.lock().unwrap())
    };
    systems(&mut schedule);
    schedule.add(swap());
    systems(&mut schedule);
    schedule.add(swap());
    systems(&mut schedule);
    let mut world = a_world(false);
    for round in 1..4 {
        schedule.run(&mut world);
        assert_eq!(
            (world.resource::<Wind>().0, *world.resource::<u8>()),
            (1 + 2 * round, 7 + 2 * round as u8)
        );
        assert_eq!(world.pool::<Actor>().check_invariants(), Ok(()));
    }
}

#[test]
fn a_command_and_a_hook_may_replace_the_world() {
    let mut schedule = Schedule::new();
    schedule.add(|mut commands: Commands| commands.run(|world| *world = a_world(true)));
    schedule.barrier();
    systems(&mut schedule);
    let mut world = a_world(false);
    schedule.run(&mut world);
    assert_eq!((world.resource::<Wind>().0, *world.resource::<u8>()), (2, 8));

    let mut world = a_world(false);
    world.on_spawn::<Actor>(|world, _| *world = a_world(true));
    world.spawn(Actor { hp: 1 });
    assert_eq!((world.pool::<Actor>().len(), world.resource::<Wind>().0), (0, 1));
    world.spawn(Actor { hp: 1 }); // the hook has come along
    assert_eq!(
        (world.pool::<Actor>().len(), world.pool::<Actor>().check_invariants()),
        (0, Ok(()))
    );
}

#[test]
fn a_pool_that_is_swapped_for_another_has_things_of_its_own() {
    let mut schedule = Schedule::new();
    let mut other: Pool<Actor> = (10..13).map(|hp| Actor { hp }).collect();
    schedule.add(|mut actors: Query<(Handle<Actor>, Mut<actor::hp>)>| {
        actors.each(|(_, mut hp)| *hp += 1)
    });
    schedule.add(move |mut actors: PoolMut<Actor>| std::mem::swap(&mut *actors, &mut other));
    schedule.add(|actors: Query<Ref<actor::hp>>| assert!(actors.iter().all(|hp| *hp >= 1)));
    let mut world = World::new();
    let ada = world.spawn(Actor { hp: 0 });
    schedule.run(&mut world);
    assert_eq!(world.pool::<Actor>().len(), 3);
    schedule.run(&mut world);
    assert_eq!(world.read(ada).hp, 1); // was aside for a run
}
