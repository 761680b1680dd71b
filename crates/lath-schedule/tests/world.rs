//! What a world does when it is asked for what it does not have: nothing, and nothing comes to be.

use lath_core::{Handle, Thing, bitflags::bitflags};
use lath_schedule::{
    Commands, EventReader, EventWriter, Events, Missing, Schedule, State, Time, World,
};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 { const FROZEN = 1; }
}

#[derive(Thing, Default, Debug)]
struct Ship {
    #[thing(tags)]
    tags: Tags,
    hull: f32,
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Spark {
    heat: f32,
    name: String,
}

struct Bang;

/// Nothing that was asked of it has left a trace.
#[track_caller]
fn assert_empty(world: &World) {
    assert!(!world.has_pool::<Ship>() && !world.has_pool::<Spark>());
    assert!(world.pools().is_empty() && world.resource_names().is_empty(), "{world:?}");
}

#[test]
fn a_thing_that_is_not_there_is_not_given_to_be_changed_and_no_pool_is_made_for_it() {
    let mut world = World::new();
    assert!(world.get_mut(Handle::<Ship>::NIL).is_none());
    assert!(world.get_mut(Handle::<Spark>::from_bits(7 << 32 | 1)).is_none());
    assert!(world.get(Handle::<Ship>::NIL).is_none());
    assert_empty(&world);
}

#[test]
fn the_nil_thing_can_be_read_where_there_is_no_pool() {
    let world = World::new();
    let (ship, spark) = (world.read(Handle::<Ship>::NIL), world.read(Handle::<Spark>::NIL));
    assert_eq!((ship.hull, ship.tags), (0.0, Tags::empty()));
    assert_eq!((*spark.heat, &**spark.name), (0.0, ""));
    assert!(std::ptr::eq(ship, world.read(Handle::<Ship>::from_bits(7 << 32 | 1))), "one for all");
    assert_empty(&world);
}

#[test]
fn the_nil_thing_is_the_default_also_after_the_pool_has_come_and_gone() {
    let mut world = World::new();
    assert_eq!(world.read(Handle::<Ship>::NIL).hull, 0.0);
    let ship = world.spawn(Ship { hull: 3.0, ..Ship::default() });
    assert_eq!((world.read(ship).hull, world.read(Handle::<Ship>::NIL).hull), (3.0, 0.0));
    world.remove_pool::<Ship>();
    assert_eq!(world.read(ship).hull, 0.0);
    assert_empty(&world);
}

#[test]
fn threads_that_read_the_first_nil_things_at_the_same_time_see_the_same_ones() {
    for _ in 0..50 {
        let world = &World::new();
        let address = |flip: bool| {
            if flip {
                world.read(Handle::<Spark>::NIL);
            }
            let ship = world.read(Handle::<Ship>::NIL);
            (&raw const *ship).addr()
        };
        let seen = std::thread::scope(|scope| {
            [false, true, false]
                .map(|flip| scope.spawn(move || address(flip)))
                .map(|thread| thread.join().unwrap())
        });
        assert!(seen.iter().all(|&one| one == seen[0]));
    }
}

#[test]
fn tags_of_a_thing_that_is_not_there_are_not_set_and_no_pool_is_made_for_them() {
    let mut world = World::new();
    world.on_tags::<Ship>(|_, _, _, _| unreachable!("nothing was tagged"));
    assert!(!world.set_tags(Handle::<Ship>::NIL, Tags::FROZEN));
    assert_empty(&world);
}

#[test]
fn a_thing_that_is_not_there_is_not_despawned_with_hooks_and_without() {
    let mut world = World::new();
    assert!(!world.despawn(Handle::<Ship>::NIL));
    world.on_despawn::<Ship>(|_, _, _| unreachable!("nothing was despawned"));
    assert!(!world.despawn(Handle::<Ship>::NIL));
    assert_empty(&world);
}

#[test]
fn commands_about_things_that_are_not_there_are_missed_and_make_no_pool() {
    let mut world = World::new();
    let nobody = Handle::<Ship>::from_bits(7 << 32 | 1);
    let mut schedule = Schedule::new();
    schedule.add(move |mut commands: Commands| {
        commands.despawn(nobody);
        commands.attach(nobody, nobody);
        commands.attach_first(nobody, nobody);
        commands.detach(nobody);
        commands.set_tags(nobody, Tags::FROZEN);
        commands.insert_tags(nobody, Tags::FROZEN);
        commands.remove_tags(nobody, Tags::FROZEN);
        commands.set::<ship::hull>(nobody, 1.0);
        commands.remove::<Time>();
    });
    schedule.run(&mut world);
    assert_eq!((world.command_counts().applied, world.command_counts().missed), (0, 9));
    assert_empty(&world);
}

#[test]
fn what_is_not_there_is_not_taken_away() {
    let mut world = World::new();
    assert!(world.remove_pool::<Ship>().is_none());
    assert_eq!(world.remove::<Time>(), None);
    assert_empty(&world);
}

#[test]
fn asking_for_what_is_not_there_makes_nothing_of_it_known() {
    let mut world = World::new();
    assert!(world.try_pool::<Ship>().is_err());
    assert!(world.try_resource::<Time>().is_err() && world.try_resource_mut::<Time>().is_err());
    assert!(world.pinned::<Time>().is_err() && world.pinned_mut::<Time>().is_err());
    let Missing { present, .. } = world.try_resource::<State<u8>>().unwrap_err();
    assert!(present.is_empty());
    assert_empty(&world);
}

#[test]
fn a_pool_that_takes_the_place_of_another_keeps_its_own_things() {
    let mut world = World::new();
    let old = world.spawn(Ship { hull: 1.0, ..Ship::default() });
    let mut pool = lath_core::Pool::new();
    let new = pool.spawn(Ship { hull: 2.0, ..Ship::default() });
    let before = world.add_pool(pool).unwrap();
    assert_eq!((before.read(old).hull, world.read(new).hull), (1.0, 2.0));
}

#[test]
fn events_that_were_put_in_as_a_resource_are_read_once_and_forgotten() {
    for put_in_first in [true, false] {
        let mut world = World::new();
        if put_in_first {
            world.insert(Events::<Bang>::default());
        }
        let mut schedule = Schedule::new();
        schedule.add(|mut bangs: EventWriter<Bang>| bangs.send(Bang));
        schedule.add(|mut bangs: EventReader<Bang>| assert_eq!(bangs.read().count(), 1));
        for _ in 0..3 {
            schedule.run(&mut world);
            assert!(world.events_mut::<Bang>().is_empty());
        }
    }
}
