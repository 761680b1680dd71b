//! Hooks hear of things that come, go and change their tags, where commands are applied, in order.

mod common;

use common::on_threads;
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Orphans, Pool, Relation, Reuse, Thing};
use lath_schedule::{Commands, PoolMut, Query, Schedule, World};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 {
        const LOUD = 1;
        const QUICK = 2;
    }
}

#[derive(Thing, Default, Clone, Debug)]
struct Crew {
    #[thing(tags)]
    tags: Tags,
    name: &'static str,
}

#[derive(Thing, Default, Debug)]
struct Ghost {}

fn crew(name: &'static str) -> Crew {
    Crew { name, tags: Tags::empty() }
}

#[derive(Default)]
struct Log(Vec<String>);

fn note(world: &mut World, text: String) {
    world.resource_mut::<Log>().0.push(text);
}

fn take_log(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

/// A world that notes all that happens.
fn world() -> World {
    let mut world = World::new();
    world.insert(Log::default());
    world.on_spawn::<Crew>(|world, who| {
        let name = world.read(who).name;
        note(world, format!("+{name}"));
    });
    world.on_despawn::<Crew>(|world, who, was| {
        assert!(world.get(who).is_none(), "the handle is stale by then");
        note(world, format!("-{}", was.name));
    });
    world.on_tags::<Crew>(|world, who, before, after| {
        let name = world.read(who).name;
        note(world, format!("{name}:{}>{}", before.bits(), after.bits()));
    });
    world
}

#[test]
fn hooks_hear_of_what_the_world_does() {
    let mut world = world();
    let ada = world.spawn(crew("ada"));
    let lin = world.try_spawn(crew("lin")).unwrap();
    assert!(world.set_tags(ada, Tags::LOUD));
    assert!(world.despawn(lin) && !world.despawn(lin) && !world.set_tags(lin, Tags::LOUD));
    world.pool_mut::<Crew>().spawn(crew("nobody")); // not through the world
    assert_eq!(take_log(&mut world), ["+ada", "+lin", "ada:0>1", "-lin"]);
}

#[test]
fn hooks_hear_of_commands_in_the_order_of_the_schedule_on_any_number_of_threads() {
    for threads in [1, 2, 4] {
        let mut world = world();
        let mut schedule = on_threads(threads);
        for name in ["a", "b", "c"] {
            schedule.add(move |mut commands: Commands| {
                let who = commands.spawn(crew(name));
                commands.insert_tags(who, Tags::QUICK);
                commands.run(move |world| note(world, format!("({name})")));
                commands.despawn(who);
            });
        }
        schedule.add(|crew: Query<Handle<Crew>>| assert!(crew.is_empty()));
        world.pool_mut::<Crew>();
        schedule.run(&mut world);
        let expected = ["a", "b", "c"]
            .map(|n| [format!("+{n}"), format!("{n}:0>2"), format!("({n})"), format!("-{n}")]);
        assert_eq!(take_log(&mut world), expected.concat());
    }
}

#[test]
fn several_hooks_are_called_in_the_order_in_which_they_were_added_also_those_added_by_a_hook() {
    let mut world = World::new();
    world.insert(Log::default());
    world.on_spawn::<Crew>(|world, _| {
        note(world, "one".into());
        if world.resource::<Log>().0.len() == 1 {
            world.on_spawn::<Crew>(|world, _| note(world, "three".into()));
        }
    });
    world.on_spawn::<Crew>(|world, _| note(world, "two".into()));
    world.spawn(crew(""));
    assert_eq!(take_log(&mut world), ["one", "two"]);
    world.insert(Log(vec!["".into()]));
    world.spawn(crew(""));
    assert_eq!(take_log(&mut world), ["", "one", "two", "three"]);
}

#[test]
fn what_a_hook_does_is_heard_of_after_it_and_by_other_types_at_once() {
    let mut world = world();
    world.on_despawn::<Crew>(|world, _, was| {
        if was.name == "ada" {
            world.spawn(crew("successor"));
            world.spawn(Ghost {});
            note(world, "end of hook".into());
        }
    });
    world.on_spawn::<Ghost>(|world, ghost| {
        note(world, "ghost".into());
        world.despawn(ghost);
    });
    let ada = world.spawn(crew("ada"));
    world.despawn(ada);
    assert_eq!(take_log(&mut world), ["+ada", "-ada", "ghost", "end of hook", "+successor"]);
    assert!(world.pool::<Ghost>().is_empty());
}

#[test]
fn all_that_leave_with_a_thing_are_heard_of_parents_first() {
    let mut world = world();
    let [ship, mast, flag, oar] =
        ["ship", "mast", "flag", "oar"].map(|name| world.spawn(crew(name)));
    let mut tree = world.pool_mut::<Crew>().tree_mut();
    tree.attach(mast, ship).unwrap();
    tree.attach(oar, ship).unwrap();
    tree.attach(flag, mast).unwrap();
    take_log(&mut world);
    assert!(world.despawn(ship));
    assert_eq!(take_log(&mut world), ["-ship", "-mast", "-oar", "-flag"]);
    assert!(world.pool::<Crew>().is_empty());
    assert_eq!(world.pool::<Crew>().check_invariants(), Ok(()));
}

/// Children go to the grandparent.
enum Rank {}
impl Relation for Rank {
    const ORPHANS: Orphans = Orphans::Adopt;
}

/// A second relation in which children go along.
enum Bound {}
impl Relation for Bound {}

#[test]
fn with_and_without_hooks_the_same_things_leave_and_the_same_links_stay() {
    for round in 0..200 {
        let mut random = fastrand::Rng::with_seed(round);
        let mut pool = Pool::new();
        let all: Vec<_> = (0..30).map(|_| pool.spawn(crew("x"))).collect();
        for _ in 0..40 {
            let [child, parent] = [(); 2].map(|()| all[random.usize(..all.len())]);
            match random.u8(..3) {
                0 => pool.tree_mut().attach(child, parent).ok(),
                1 => pool.tree_of_mut::<Rank>().attach(child, parent).ok(),
                _ => pool.tree_of_mut::<Bound>().attach(child, parent).ok(),
            };
        }
        let mut plain = World::new();
        plain.add_pool(pool.clone());
        let mut hooked = world();
        hooked.add_pool(pool);
        for _ in 0..3 {
            let victim = all[random.usize(..all.len())];
            assert_eq!(plain.despawn(victim), hooked.despawn(victim));
            let [one, two] = [&plain, &hooked].map(|world| world.pool::<Crew>());
            assert!(one.handles().eq(two.handles()), "round {round}: others left");
            for who in one.handles() {
                assert_eq!(one.tree().parent(who), two.tree().parent(who), "round {round}");
                assert_eq!(
                    one.tree_of::<Bound>().parent(who),
                    two.tree_of::<Bound>().parent(who),
                    "round {round}"
                );
                assert_eq!(
                    one.tree_of::<Rank>().parent(who),
                    two.tree_of::<Rank>().parent(who),
                    "round {round}"
                );
                let children =
                    |pool: &Pool<Crew>| pool.tree_of::<Rank>().children(who).collect::<Vec<_>>();
                assert_eq!(
                    children(one),
                    children(two),
                    "round {round}: another order of children"
                );
            }
            assert_eq!(two.check_invariants(), Ok(()));
        }
    }
}

#[test]
fn a_hook_that_spawns_cannot_take_slots_that_were_promised() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut world = World::new();
        let mut pool = Pool::new();
        pool.set_reuse(reuse);
        let old: Vec<_> = (0..200).map(|_| pool.spawn(crew("old"))).collect();
        old.iter().step_by(2).for_each(|&who| _ = pool.despawn(who));
        world.add_pool(pool);
        world.on_spawn::<Crew>(|world, who| {
            if world.read(who).name == "new" {
                world.spawn(crew("extra"));
            }
        });
        let mut schedule = on_threads(2);
        schedule.add(|mut commands: Commands| {
            let mut last = Handle::NIL;
            for _ in 0..150 {
                let new = commands.spawn(crew("new"));
                commands.attach(new, last);
                last = new;
            }
        });
        schedule.run(&mut world);
        assert_eq!(world.pool::<Crew>().len(), 100 + 300);
        assert_eq!(world.command_counts().missed, 1, "the first has nobody to be attached to");
        assert_eq!(world.pool::<Crew>().check_invariants(), Ok(()));
        assert_eq!(world.pool::<Crew>().stats().reserved, 0);
    }
}

#[test]
fn what_is_done_to_the_pool_itself_is_not_heard_of() {
    let mut world = world();
    world.spawn(crew("ada"));
    let mut schedule = Schedule::new();
    schedule.add(|mut pool: PoolMut<Crew>| {
        pool.clear();
        pool.spawn(crew("lin"));
    });
    schedule.run(&mut world);
    assert_eq!(take_log(&mut world), ["+ada"]);
}
