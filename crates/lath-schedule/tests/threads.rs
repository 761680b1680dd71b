//! Systems that have nothing in common really run at the same time, and those that do never.

#![cfg(feature = "parallel")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use common::{Meeting, on_threads};
use lath_core::{Handle, Mut, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, PoolRef, Query, Res, ResMut, Schedule, Sweep,
    Tree, TreeMut, World,
};

#[derive(Thing, Default)]
#[thing(columns)]
struct Actor {
    pos: f32,
    vel: f32,
    hp: i32,
    #[thing(cold)]
    name: String,
    #[thing(cold)]
    title: String,
}

#[derive(Thing, Default)]
struct Part {
    wear: u32,
    own: f32,
    all: f32,
}

struct Heat(u32);
struct Light(u32);
struct Bang;

fn world(things: usize) -> World {
    let mut world = World::new();
    world.insert(Heat(0));
    world.insert(Light(0));
    let mut last = Handle::NIL;
    for number in 0..things {
        let (name, title) = (number.to_string(), format!("Dr. {number}"));
        world.spawn(Actor { vel: 1.0, name, title, ..Actor::default() });
        let part = world.spawn(Part { own: 1.0, ..Part::default() });
        if number % 10 != 0 {
            world.pool_mut::<Part>().tree_mut().attach(part, last).unwrap();
        }
        last = part;
    }
    world
}

/// Two systems that wait for each other to have begun. Answers whether they met.
macro_rules! meet {
    (($($one:ty),*), ($($other:ty),*)) => {{
        let meeting = Arc::new(Meeting::default());
        let (here, there) = (meeting.clone(), meeting);
        let mut schedule = on_threads(2);
        schedule.add((move |$(_: $one),*| assert!(here.wait_for(2), "nobody came")).named("one"));
        schedule.add((move |$(_: $other),*| assert!(there.wait_for(2), "nobody came")).named("other"));
        for _ in 0..3 {
            schedule.run(&mut world(1));
        }
    }};
}

#[test]
fn systems_with_nothing_in_common_run_at_the_same_time() {
    meet!((), ());
    meet!((ResMut<Heat>), (ResMut<Light>));
    meet!((Res<Heat>, ResMut<Light>), (Res<Heat>));
    meet!((Query<Mut<actor::pos>>), (Query<Mut<actor::hp>>, ResMut<Heat>));
    meet!((Query<Mut<actor::pos>>), (Query<Ref<actor::vel>>, Commands));
    meet!((Query<Mut<part::wear>>), (Query<Mut<part::own>>));
    meet!((Query<Option<Mut<actor::name>>>), (Query<Option<Mut<actor::title>>>));
    meet!((TreeMut<Part>), (Query<&mut Part>));
    meet!((TreeMut<Part>), (PoolRef<Part>));
    meet!((Tree<Part>), (Tree<Part>));
    meet!((Commands), (Commands));
    meet!((EventReader<Bang>), (EventReader<Bang>));
    meet!((Sweep<Ref<part::all>, (Ref<part::own>, Mut<part::all>)>), (Query<Mut<part::wear>>));
}

/// Systems that must never run at the same time: whoever is inside is counted.
macro_rules! apart {
    (($($one:ty),*), ($($other:ty),*)) => {{
        let inside = Arc::new(AtomicI32::new(0));
        let (here, there) = (inside.clone(), inside);
        fn visit(inside: &AtomicI32) {
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "both at the same time");
            std::thread::sleep(std::time::Duration::from_micros(200));
            inside.fetch_sub(1, Ordering::SeqCst);
        }
        let mut schedule = on_threads(3);
        schedule.add(move |$(_: $one),*| visit(&here));
        schedule.add(move |$(_: $other),*| visit(&there));
        schedule.add(|| ());
        let mut world = world(1);
        for _ in 0..10 {
            schedule.run(&mut world);
        }
    }};
}

#[test]
fn systems_that_conflict_never_run_at_the_same_time() {
    apart!((ResMut<Heat>), (Res<Heat>));
    apart!((Option<Res<Heat>>), (Option<ResMut<Heat>>));
    apart!((Query<Mut<actor::pos>>), (Query<(Ref<actor::vel>, Ref<actor::pos>)>));
    apart!((Query<&mut Part>), (Query<Ref<part::wear>>));
    apart!((Query<Mut<actor::hp>>), (PoolRef<Actor>));
    apart!((TreeMut<Part>), (Tree<Part>));
    apart!((TreeMut<Part>), (Sweep<Ref<part::all>, Mut<part::all>>));
    apart!((EventWriter<Bang>), (EventReader<Bang>));
    apart!((EventWriter<Bang>), (EventWriter<Bang>));
    apart!((&mut World), (Commands));
    apart!((lath_schedule::PoolMut<Actor>), (Query<Handle<Part>>));
}

#[test]
fn a_condition_counts_as_part_of_its_system() {
    let inside = Arc::new(AtomicI32::new(0));
    let mut schedule = on_threads(3);
    for _ in 0..4 {
        let (asking, changing) = (inside.clone(), inside.clone());
        let ask = move |heat: Res<Heat>| {
            let before = heat.0;
            assert_eq!(asking.load(Ordering::SeqCst), 0, "asked while somebody changes it");
            std::thread::sleep(std::time::Duration::from_micros(100));
            assert_eq!(heat.0, before);
            true
        };
        schedule.add((|| ()).run_if(ask));
        schedule.add(move |mut heat: ResMut<Heat>| {
            changing.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_micros(100));
            heat.0 += 1;
            changing.fetch_sub(1, Ordering::SeqCst);
        });
    }
    let mut world = world(0);
    for _ in 0..10 {
        schedule.run(&mut world);
    }
    assert_eq!(world.resource::<Heat>().0, 40);
}

#[test]
fn a_loop_inside_a_system_runs_on_several_threads() {
    let meeting = Arc::new(Meeting::default());
    let mut schedule = on_threads(2);
    schedule.add(move |mut actors: Query<(Mut<actor::pos>, Ref<actor::hp>)>| {
        // Two chunks of 4096 slots; one thing in each waits for the other.
        actors.par_each(|(mut pos, hp)| {
            if *hp == 1 {
                assert!(meeting.wait_for(2), "nobody came");
            }
            *pos += 1.0;
        });
    });
    let mut world = world(8000);
    let all: Vec<_> = world.pool::<Actor>().handles().collect();
    for number in [10, 7000] {
        *world.get_mut(all[number]).unwrap().hp = 1;
    }
    schedule.run(&mut world);
    assert!(world.pool::<Actor>().iter().all(|(_, actor)| *actor.pos == 1.0));
}

#[test]
fn runs_on_several_threads_come_once_each() {
    let mut schedule = on_threads(2);
    schedule.add(|mut actors: Query<Mut<actor::pos>>| {
        actors.par_slices(|pos| pos.iter_mut().for_each(|pos| *pos += 1.0))
    });
    let mut world = world(20_000);
    schedule.run(&mut world);
    assert!(world.pool::<Actor>().iter().all(|(_, actor)| *actor.pos == 1.0));
}

#[test]
fn one_thread_is_the_callers() {
    let here = std::thread::current().id();
    let mut schedule = on_threads(1);
    for _ in 0..4 {
        schedule.add(move |mut actors: Query<Ref<actor::pos>>| {
            assert_eq!(std::thread::current().id(), here);
            actors.par_each(|_| assert_eq!(std::thread::current().id(), here));
        });
    }
    schedule.run(&mut world(5000));
    schedule.threads(3).run_serial(&mut world(5000));
}

/// Everything at once on one pool, for ThreadSanitizer.
#[test]
fn one_pool_is_used_in_many_ways_at_once() {
    let mut schedule = on_threads(4);
    schedule.add(|mut actors: Query<(Mut<actor::pos>, Ref<actor::vel>)>| {
        actors.par_each(|(mut pos, vel)| *pos += *vel)
    });
    schedule.add(|mut actors: Query<Mut<actor::hp>>| actors.each(|mut hp| *hp += 1));
    schedule.add(|mut names: Query<Option<Mut<actor::name>>>| {
        names.iter_mut().flatten().for_each(|mut name| name.push('x'));
    });
    schedule.add(|mut titles: Query<Option<Mut<actor::title>>>| {
        titles.par_each(|title| title.into_iter().for_each(|mut title| title.push('y')));
    });
    schedule.add(|actors: Query<Handle<Actor>>, mut commands: Commands| {
        for (who, number) in actors.iter().zip(0..200) {
            if number % 2 == 0 {
                commands.despawn(who);
            }
            commands.spawn(Actor::default());
        }
    });
    schedule.add(|mut actors: Query<(Handle<Actor>, Ref<actor::vel>)>, mut commands: Commands| {
        commands.par_each(&mut actors, |(who, vel), commands| {
            if *vel == 0.0 {
                commands.set::<actor::vel>(who, 1.0);
                commands.spawn(Part::default());
            }
        });
    });
    schedule.add(|mut parts: Query<Mut<part::wear>>| parts.par_each(|mut wear| *wear += 1));
    schedule.add(|mut parts: Sweep<Ref<part::all>, (Ref<part::own>, Mut<part::all>)>| {
        parts.par_down(|parent, (own, mut all)| *all = *own + parent.map_or(0.0, |parent| *parent));
    });
    schedule.add(
        (|mut tree: TreeMut<Part>, parts: Query<Handle<Part>>| {
            let all: Vec<_> = parts.iter().take(300).collect();
            for pair in all.chunks(2) {
                tree.detach(pair[0]).ok();
                tree.attach(pair[0], pair[pair.len() - 1]).ok();
            }
        })
        .named("relink"),
    );
    schedule.add(|mut heat: ResMut<Heat>| heat.0 += 1);
    schedule.add(|heat: Res<Heat>, mut light: ResMut<Light>| light.0 = heat.0);
    schedule.add(
        (|light: Res<Light>, mut bangs: EventWriter<Bang>| {
            bangs.extend((0..light.0).map(|_| Bang))
        })
        .named("bang"),
    );
    let heard = Arc::new(AtomicU32::new(0));
    for _ in 0..2 {
        let heard = heard.clone();
        schedule.add(move |mut bangs: EventReader<Bang>| {
            _ = heard.fetch_add(bangs.read().count() as u32, Ordering::Relaxed)
        });
    }
    let mut world = world(9000);
    let rounds = 6;
    for _ in 0..rounds {
        schedule.run(&mut world);
    }
    assert_eq!(heard.load(Ordering::Relaxed), 2 * (1..=rounds).sum::<u32>());
    assert_eq!(world.pool::<Actor>().check_invariants(), Ok(()));
    assert_eq!(world.pool::<Part>().check_invariants(), Ok(()));
    assert!(world.pool::<Actor>().iter().any(|(_, actor)| actor.name.ends_with("xxxxxx")));
}

#[test]
fn a_schedule_runs_inside_somebody_elses_threads() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut schedules = [on_threads(3), Schedule::new()];
    schedules[1].parallel_from(std::time::Duration::ZERO);
    for schedule in &mut schedules {
        for _ in 0..5 {
            schedule
                .add(|mut actors: Query<Mut<actor::pos>>| actors.par_each(|mut pos| *pos += 1.0));
            schedule.add(|mut parts: Query<Mut<part::wear>>| parts.par_each(|mut wear| *wear += 1));
        }
    }
    let [one, other] = &mut schedules;
    let [mut here, mut there] = [world(5000), world(5000)];
    threads.install(|| rayon::join(|| one.run(&mut here), || other.run(&mut there)));
    for world in [here, there] {
        assert!(world.pool::<Actor>().iter().all(|(_, actor)| *actor.pos == 5.0));
        assert!(world.pool::<Part>().iter().all(|(_, part)| part.wear == 5));
    }
}
