//! A panic in the user's code reaches the caller with the system's name; the others finish or never
//! start; the world and the schedule work afterwards; nothing leaks and nothing is dropped twice.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use common::counted::{Count, Token};
use common::on_threads;
use lath_core::{Handle, Mut, Pool, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, Local, Query, Res, ResMut, RunError, Schedule,
    Time, World,
};

const THREADS: [usize; 3] = [1, 2, 4];

#[derive(Thing, Default)]
struct Ship {
    number: u32,
    hull: f32,
    #[thing(cold)]
    cargo: Option<Token>,
}

#[derive(Default)]
struct Log(Vec<&'static str>);

/// Whether those that can panic do.
#[derive(Clone, Default)]
struct Fuse(Arc<AtomicBool>);

impl Fuse {
    fn lit() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    fn put_out(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn blow(&self, why: &str) {
        if self.0.load(Ordering::Relaxed) {
            panic!("{why}");
        }
    }
}

/// The name of the system that panicked, and its message.
#[track_caller]
fn panicked(result: Result<(), RunError>) -> (String, String) {
    match result {
        Err(RunError::Panicked { system, payload }) => {
            (system.name.to_string(), payload.message().unwrap_or("?").to_owned())
        }
        other => panic!("{other:?} where a panic was expected"),
    }
}

#[track_caller]
fn assert_sound(world: &World) {
    assert_eq!(world.pool::<Ship>().check_invariants(), Ok(()));
    assert_eq!(world.pool::<Ship>().stats().reserved, 0, "slots are reserved for nobody");
}

fn spawn_one(mut commands: Commands) {
    commands.spawn(Ship { number: 1, ..Ship::default() });
}

fn fleet(ships: u32) -> World {
    let mut world = World::new();
    world.insert(Log::default());
    for number in 0..ships {
        world.spawn(Ship { number, ..Ship::default() });
    }
    world.pool_mut::<Ship>();
    world
}

#[test]
fn a_panic_in_a_system_is_returned_with_its_name_and_those_that_wait_for_it_do_not_run() {
    for threads in THREADS {
        let fuse = Fuse::lit();
        let others = Arc::new(AtomicU32::new(0));
        let mut schedule = on_threads(threads);
        schedule.add((|mut log: ResMut<Log>| log.0.push("before")).named("before"));
        let bad = fuse.clone();
        schedule.add(
            (move |mut log: ResMut<Log>| {
                bad.blow("no fuel");
                log.0.push("bad");
            })
            .named("bad"),
        );
        schedule.add((|mut log: ResMut<Log>| log.0.push("after")).named("after"));
        for _ in 0..10 {
            let others = others.clone();
            schedule.add(move || {
                others.fetch_add(1, Ordering::Relaxed);
            });
        }
        schedule.barrier().add(|mut log: ResMut<Log>| log.0.push("late"));

        let mut world = fleet(1);
        let (name, message) = panicked(schedule.try_run(&mut world));
        assert_eq!((name.as_str(), message.as_str()), ("bad", "no fuel"), "on {threads} threads");
        assert_eq!(world.resource::<Log>().0, ["before"]);
        assert!(others.load(Ordering::Relaxed) <= 10);

        let unwound = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world))).unwrap_err();
        let text = unwound.downcast_ref::<String>().unwrap();
        assert!(
            text.contains("`bad`") && text.contains("panics.rs") && text.contains("no fuel"),
            "{text}"
        );

        fuse.put_out();
        world.resource_mut::<Log>().0.clear();
        others.store(0, Ordering::Relaxed);
        schedule.run(&mut world);
        assert_eq!(world.resource::<Log>().0, ["before", "bad", "after", "late"]);
        assert_eq!(others.load(Ordering::Relaxed), 10);
    }
}

#[cfg(feature = "parallel")]
#[test]
fn of_several_that_panic_the_first_in_order_is_named_when_all_have_begun() {
    // Two systems that wait for each other to have begun: both panic.
    let meet = Arc::new(common::Meeting::default());
    let mut schedule = on_threads(3);
    for name in ["one", "two"] {
        let meet = meet.clone();
        let bad = move || -> () {
            assert!(meet.wait_for(2), "nobody else came");
            panic!("both");
        };
        schedule.add(bad.named(name));
    }
    assert_eq!(panicked(schedule.try_run(&mut World::new())).0, "one");
}

#[test]
fn an_error_counts_like_a_panic() {
    let count = Count::default();
    let mut schedule = on_threads(2);
    let tokens = count.clone();
    let fail = move |mut commands: Commands| -> Result<(), String> {
        let token = tokens.token();
        commands.run(move |_| drop(token));
        commands.spawn(Ship { cargo: Some(tokens.token()), ..Ship::default() });
        Err("out of bounds".into())
    };
    schedule.add(fail.named("fail"));
    let mut world = fleet(3);
    let error = schedule.try_run(&mut world).unwrap_err();
    assert!(matches!(&error, RunError::Failed { system, .. } if system.name == "fail"), "{error}");
    assert_eq!(count.alive(), 0, "commands of a system that failed are dropped");
    assert_eq!(world.pool::<Ship>().len(), 3);
    assert_sound(&world);
}

#[test]
fn a_panic_in_a_loop_on_several_threads_ends_the_loop_and_nothing_of_its_commands_is_done() {
    for threads in THREADS {
        let (count, fuse) = (Count::default(), Fuse::lit());
        let mut world = fleet(20_000);
        let mut schedule = on_threads(threads);
        schedule.add(spawn_one.named("good"));
        let (tokens, bad) = (count.clone(), fuse.clone());
        let spill = move |mut ships: Query<(Handle<Ship>, Ref<ship::number>)>,
                          mut commands: Commands| {
            commands.par_each(&mut ships, |(ship, number), commands| {
                if *number % 10 == 0 {
                    commands.spawn(Ship { cargo: Some(tokens.token()), ..Ship::default() });
                    let token = tokens.token();
                    commands.run(move |_| drop(token));
                    commands.despawn(ship);
                }
                if *number == 9999 {
                    bad.blow("spilled");
                }
            });
        };
        schedule.add(spill.named("spill"));
        let (name, message) = panicked(schedule.try_run(&mut world));
        assert_eq!((name.as_str(), message.as_str()), ("spill", "spilled"), "on {threads} threads");
        assert_eq!(count.alive(), 0, "on {threads} threads");
        assert!((20_000..=20_001).contains(&world.pool::<Ship>().len()));
        assert_sound(&world);

        fuse.put_out();
        let before = world.pool::<Ship>().len();
        schedule.run(&mut world);
        assert_eq!(world.pool::<Ship>().len(), before + 1);
        assert_eq!(count.alive(), 2000);
        assert_sound(&world);
        drop(world);
        assert_eq!(count.alive(), 0);
    }
}

#[test]
fn a_system_that_catches_the_panic_of_its_own_loop_goes_on_giving_commands() {
    for threads in THREADS {
        let count = Count::default();
        let mut world = fleet(20_000);
        let mut schedule = on_threads(threads);
        let tokens = count.clone();
        schedule.add(move |mut ships: Query<Ref<ship::number>>, mut commands: Commands| {
            for _ in 0..2 {
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    commands.par_each(&mut ships, |number, commands| {
                        if *number % 100 == 0 {
                            commands.spawn(Ship { cargo: Some(tokens.token()), ..Ship::default() });
                        }
                        assert_ne!(*number, 19_999);
                    });
                }));
                assert!(caught.is_err());
            }
            for _ in 0..1000 {
                commands.spawn(Ship { cargo: Some(tokens.token()), ..Ship::default() });
            }
        });
        for round in 1..3 {
            schedule.run(&mut world);
            assert_eq!(world.pool::<Ship>().len(), 20_000 + round * 1000);
            assert_eq!(world.command_counts().missed, 0);
            assert_sound(&world);
        }
        drop((world, schedule));
        assert_eq!(count.alive(), 0);
    }
}

#[test]
fn a_panic_in_a_condition_is_that_of_its_system_or_of_its_set() {
    for threads in THREADS {
        let fuse = Fuse::lit();
        let mut schedule = on_threads(threads);
        let bad = fuse.clone();
        let asked = move || {
            bad.blow("asked too much");
            true
        };
        schedule.add((|mut log: ResMut<Log>| log.0.push("one")).named("one").run_if(asked.clone()));
        schedule.add((|mut log: ResMut<Log>| log.0.push("two")).named("two").in_set("late"));
        let mut world = fleet(1);
        assert_eq!(panicked(schedule.try_run(&mut world)), ("one".into(), "asked too much".into()));
        fuse.put_out();
        schedule.run(&mut world);
        assert_eq!(world.resource::<Log>().0, ["one", "two"]);

        fuse.0.store(true, Ordering::Relaxed);
        let mut schedule = on_threads(threads);
        schedule.add((|mut log: ResMut<Log>| log.0.push("two")).in_set("late"));
        schedule.set("late").run_if(asked);
        assert_eq!(panicked(schedule.try_run(&mut world)).0, "condition of set late");
        fuse.put_out();
        schedule.run(&mut world);
        assert_eq!(world.resource::<Log>().0, ["one", "two", "two"]);
    }
}

#[test]
fn after_a_panic_in_a_command_the_rest_of_that_system_is_given_up_and_the_other_systems_are_done() {
    for threads in THREADS {
        let (count, fuse) = (Count::default(), Fuse::lit());
        let mut schedule = on_threads(threads);
        for name in ["one", "two", "three"] {
            let (tokens, fuse) = (count.clone(), fuse.clone());
            let give = move |mut commands: Commands| {
                let ship = |number| Ship { number, cargo: Some(tokens.token()), ..Ship::default() };
                let first = commands.spawn(ship(1));
                let (token, fuse) = (tokens.token(), fuse.clone());
                commands.run(move |world| {
                    assert!(world.get(first).is_some(), "commands are applied in order");
                    let _dropped_in_the_panic = &token;
                    if name == "two" {
                        fuse.blow("in a command");
                    }
                });
                let second = commands.spawn(ship(2));
                commands.attach(second, first);
                let token = tokens.token();
                commands.run(move |_| drop(token));
            };
            schedule.add(give.named(name));
        }
        let mut world = fleet(0);
        let (name, message) = panicked(schedule.try_run(&mut world));
        assert_eq!((name.as_str(), message.as_str()), ("two", "in a command"));
        let numbers: Vec<_> = world.pool::<Ship>().iter().map(|(_, ship)| ship.number).collect();
        assert_eq!(numbers.iter().filter(|&&number| number == 1).count(), 3);
        assert_eq!(numbers.iter().filter(|&&number| number == 2).count(), 2);
        assert_eq!(count.alive(), 5);
        assert_sound(&world);

        fuse.put_out();
        schedule.run(&mut world);
        assert_eq!((world.pool::<Ship>().len(), count.alive()), (11, 11));
        assert_sound(&world);
        drop((world, schedule));
        assert_eq!(count.alive(), 0);
    }
}

#[test]
fn after_a_panic_in_a_hook_the_hooks_are_still_there_and_hear_of_everything() {
    let mut world = fleet(0);
    let fuse = Fuse::lit();
    let bad = fuse.clone();
    world.on_spawn::<Ship>(move |world, ship| {
        if world.read(ship).number == 2 {
            bad.blow("in a hook");
        }
        world.resource_mut::<Log>().0.push("spawned");
    });
    let bad = fuse.clone();
    world.on_despawn::<Ship>(move |world, _, ship| {
        world.resource_mut::<Log>().0.push("sunk");
        if ship.number == 1 {
            bad.blow("on the way down");
        }
    });
    let mut schedule = on_threads(2);
    let spawn = |mut commands: Commands| {
        let first = commands.spawn(Ship { number: 1, ..Ship::default() });
        for number in [2, 3] {
            let child = commands.spawn(Ship { number, ..Ship::default() });
            commands.attach(child, first);
        }
    };
    schedule.add(spawn.named("spawn"));
    assert_eq!(panicked(schedule.try_run(&mut world)), ("spawn".into(), "in a hook".into()));
    // The thing is there; what came after in that system was given up.
    assert_eq!(world.pool::<Ship>().len(), 2);
    assert_eq!(world.resource::<Log>().0, ["spawned"]);
    assert_sound(&world);

    world.pool_mut::<Ship>().clear();
    fuse.put_out();
    schedule.run(&mut world);
    assert_eq!(world.resource::<Log>().0, ["spawned"; 4]);

    // All that leave together are heard of, although the first hook panics.
    fuse.0.store(true, Ordering::Relaxed);
    world.resource_mut::<Log>().0.clear();
    let sink = |tops: Query<(Handle<Ship>, Ref<ship::number>)>, mut commands: Commands| {
        for (ship, number) in &tops {
            if *number == 1 {
                commands.despawn(ship);
            }
        }
    };
    let mut sinking = on_threads(1);
    sinking.add(sink.named("sink"));
    assert_eq!(panicked(sinking.try_run(&mut world)), ("sink".into(), "on the way down".into()));
    assert!(world.pool::<Ship>().is_empty());
    fuse.put_out();
    world.spawn(Ship::default());
    assert_eq!(world.resource::<Log>().0, ["sunk", "sunk", "sunk", "spawned"]);
}

#[test]
fn bombs_among_commands_that_are_given_up_do_not_keep_the_others_from_being_dropped() {
    for threads in THREADS {
        let count = Count::default();
        let fuse = Fuse::lit();
        let mut schedule = on_threads(threads);
        let (tokens, bad) = (count.clone(), fuse.clone());
        let give = move |mut commands: Commands| {
            for _ in 0..3 {
                let (token, bomb) = (tokens.token(), tokens.bomb());
                commands.run(move |_| drop(token));
                commands.run(move |_| bomb.defuse());
                commands.spawn(Ship { cargo: Some(tokens.token()), ..Ship::default() });
            }
            bad.blow("after giving commands");
            let bomb = tokens.bomb();
            commands.run(|_| panic!("a command"));
            commands.run(move |_| drop(bomb));
            commands.spawn(Ship { cargo: Some(tokens.bomb()), ..Ship::default() });
            commands.spawn(Ship { cargo: Some(tokens.token()), ..Ship::default() });
        };
        schedule.add(give.named("give"));
        let others = Arc::new(AtomicU32::new(0));
        let ran = others.clone();
        schedule.add(
            (move |mut commands: Commands| {
                let ran = ran.clone();
                commands.run(move |_| _ = ran.fetch_add(1, Ordering::Relaxed));
            })
            .after("give"),
        );
        let mut world = fleet(0);
        // The system fails, and three of its commands panic when they are dropped.
        assert_eq!(
            panicked(schedule.try_run(&mut world)),
            ("give".into(), "after giving commands".into())
        );
        assert_eq!(count.alive(), 0);
        assert_sound(&world);
        // A command fails, and of those after it two panic when they are given up.
        fuse.put_out();
        assert_eq!(panicked(schedule.try_run(&mut world)), ("give".into(), "a command".into()));
        assert_eq!(count.alive(), 3);
        assert_eq!(world.pool::<Ship>().len(), 3);
        assert_eq!(others.load(Ordering::Relaxed), 1, "the other system's commands were applied");
        assert_sound(&world);
    }
}

#[test]
fn a_bomb_in_a_thing_a_resource_or_an_event_is_survived() {
    struct Hold(Token);
    struct Bang(#[expect(dead_code, reason = "is dropped")] Token);
    let count = Count::default();
    let mut world = fleet(0);
    let ship = world.spawn(Ship { cargo: Some(count.bomb()), ..Ship::default() });
    let mut schedule = on_threads(2);
    schedule.add((move |mut commands: Commands| commands.despawn(ship)).named("sink"));
    assert_eq!(panicked(schedule.try_run(&mut world)), ("sink".into(), "a bomb went off".into()));
    assert_eq!((world.pool::<Ship>().len(), count.alive()), (0, 0));
    assert_sound(&world);
    schedule.run(&mut world);

    for remove in [false, true] {
        world.insert(Hold(count.bomb()));
        let mut schedule = on_threads(2);
        let tokens = count.clone();
        let replace = move |mut commands: Commands| match remove {
            true => commands.remove::<Hold>(),
            false => commands.insert(Hold(tokens.token())),
        };
        schedule.add(replace.named("replace"));
        assert_eq!(
            panicked(schedule.try_run(&mut world)),
            ("replace".into(), "a bomb went off".into())
        );
        assert_eq!(count.alive(), i64::from(!remove), "the new one is in, the old one is gone");
        assert_eq!(world.try_resource::<Hold>().is_ok(), !remove);
        if let Some(Hold(token)) = world.remove() {
            drop(token);
        }
    }

    // Two events, one of them a bomb: what comes after is read once.
    let mut schedule = on_threads(2);
    let tokens = count.clone();
    schedule.add(move |mut bangs: EventWriter<Bang>, mut sent: Local<u32>| {
        bangs.send(Bang(if *sent == 0 { tokens.bomb() } else { tokens.token() }));
        bangs.send(Bang(tokens.token()));
        *sent += 1;
    });
    let heard = Arc::new(AtomicU32::new(0));
    let hearing = heard.clone();
    schedule.add(move |mut bangs: EventReader<Bang>| {
        _ = hearing.fetch_add(bangs.read().count() as u32, Ordering::Relaxed)
    });
    let unwound = catch_unwind(AssertUnwindSafe(|| schedule.try_run(&mut world)));
    assert!(unwound.is_err());
    for round in 1..4 {
        assert_eq!(heard.load(Ordering::Relaxed), 2 * round);
        assert_eq!(count.alive(), 0);
        schedule.run(&mut world);
    }
}

#[test]
fn a_panic_in_fixed_steps_names_the_system_inside_and_the_time_is_as_before() {
    let mut schedule = on_threads(2);
    schedule.fixed(10.0, |steps| {
        steps.add((|| -> () { panic!("in a step") }).named("stepping"));
    });
    let mut world = fleet(0);
    world.insert(Time { dt: 0.25 });
    assert_eq!(panicked(schedule.try_run(&mut world)), ("stepping".into(), "in a step".into()));
    assert_eq!(world.resource::<Time>().dt, 0.25);
}

#[test]
fn a_local_whose_default_panics_does_not_spoil_the_others() {
    static FUSE: AtomicBool = AtomicBool::new(true);
    struct Moody;
    impl Default for Moody {
        fn default() -> Self {
            assert!(!FUSE.load(Ordering::Relaxed), "not today");
            Self
        }
    }
    let mut schedule = on_threads(2);
    schedule.add((
        |mut runs: Local<u32>, mut log: ResMut<Log>| {
            *runs += 1;
            if *runs == 1 {
                log.0.push("first");
            }
        },
        |_: Local<Moody>, mut log: ResMut<Log>| log.0.push("moody"),
    ));
    let mut world = fleet(0);
    assert!(catch_unwind(AssertUnwindSafe(|| schedule.try_run(&mut world))).is_err());
    assert!(world.resource::<Log>().0.is_empty());
    FUSE.store(false, Ordering::Relaxed);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Log>().0, ["first", "moody"]);
}

#[test]
fn a_world_and_a_schedule_that_are_dropped_drop_everything_once() {
    let count = Count::default();
    {
        let mut world = World::new();
        world.insert(count.token());
        world.add_pool(Pool::<Ship>::new());
        world.spawn(Ship { cargo: Some(count.token()), ..Ship::default() });
        world.send(count.token());
        let held = count.token();
        world.on_spawn::<Ship>(move |_, _| _ = &held);
        let mut schedule = Schedule::new();
        let held = count.token();
        schedule.add(move |_: Res<Token>, mut hulls: Query<Mut<ship::hull>>| {
            let _here = &held;
            hulls.each(|mut hull| *hull += 1.0);
        });
        schedule.run(&mut world);
        assert_eq!(count.alive(), 4, "the event that nobody reads is gone");
    }
    assert_eq!(count.alive(), 0);
}
