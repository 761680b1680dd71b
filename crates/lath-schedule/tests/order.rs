//! The order of addition is the meaning; `before`, `after`, sets, chains, barriers and conditions
//! change it as they say.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use common::on_threads;
use lath_schedule::{Commands, IntoSystem, Local, Res, ResMut, Schedule, System, World};

#[derive(Default)]
struct Log(Vec<String>);
struct On(bool);

fn world() -> World {
    let mut world = World::new();
    world.insert(Log::default());
    world.insert(On(true));
    world
}

/// A system that notes its name, in a resource: those conflict.
fn noting(name: &'static str) -> System {
    (move |mut log: ResMut<Log>| log.0.push(name.into())).named(name)
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<String> {
    schedule.run(world);
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[test]
fn the_order_of_addition_is_kept_where_systems_conflict() {
    for threads in [1, 2, 4] {
        for seed in 0..5 {
            let mut schedule = on_threads(threads);
            schedule.shuffle(Some(seed));
            let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
            names.into_iter().for_each(|name| _ = schedule.add(noting(name)));
            assert_eq!(run(&mut schedule, &mut world()), names);
            assert_eq!(schedule.order().unwrap(), names);
        }
    }
}

#[test]
fn before_and_after_move_a_system_and_leave_the_others_where_they_are() {
    let mut schedule = on_threads(3);
    schedule.add((
        noting("a").after("d"),
        noting("b"),
        noting("c"),
        noting("d"),
        noting("e").before("b"),
        noting("f"),
    ));
    assert_eq!(run(&mut schedule, &mut world()), ["c", "d", "a", "e", "b", "f"]);
}

#[test]
fn functions_are_labels_and_mean_all_that_were_added_of_them() {
    fn tick(mut log: ResMut<Log>) {
        log.0.push("tick".into());
    }
    let mut schedule = on_threads(3);
    schedule.add((
        tick,
        tick.named("another tick"),
        noting("last").after(tick),
        noting("first").before(tick),
    ));
    assert_eq!(run(&mut schedule, &mut world()), ["first", "tick", "tick", "last"]);
    assert_eq!(schedule.order().unwrap(), ["first", "tick", "another tick", "last"]);
}

#[test]
fn sets_are_ordered_as_wholes() {
    let mut schedule = on_threads(3);
    schedule.add((
        noting("draw").in_set("late"),
        noting("fall").in_set("physics"),
        noting("input"),
        noting("collide").in_set("physics"),
        noting("sound").in_set("late"),
    ));
    schedule.set("late").after("physics");
    schedule.set("physics").after("input");
    assert_eq!(run(&mut schedule, &mut world()), ["input", "fall", "collide", "draw", "sound"]);
}

#[test]
fn a_system_in_several_sets_obeys_all_of_them() {
    let mut schedule = on_threads(2);
    schedule.add((noting("x").in_set("a").in_set("b"), noting("m"), noting("n")));
    schedule.set("a").after("m");
    schedule.set("b").before("n");
    schedule.set("a").run_if(|on: Res<On>| on.0);
    let mut world = world();
    assert_eq!(run(&mut schedule, &mut world), ["m", "x", "n"]);
    world.insert(On(false));
    assert_eq!(run(&mut schedule, &mut world), ["m", "n"]);
}

#[test]
fn links_of_a_chain_wait_for_each_other_although_they_have_nothing_in_common() {
    let place = Arc::new(AtomicU32::new(0));
    let link = |number: u32| {
        let place = place.clone();
        move || assert_eq!(place.fetch_add(1, Ordering::SeqCst), number, "out of turn")
    };
    for seed in 0..10 {
        let mut schedule = on_threads(4);
        schedule.shuffle(Some(seed));
        schedule.chain((link(0), link(1), link(2), link(3)));
        schedule.run(&mut World::new());
        assert_eq!(place.swap(0, Ordering::SeqCst), 4);
    }
}

#[test]
fn commands_are_applied_at_barriers_and_not_before() {
    struct Made;
    for threads in [1, 3] {
        let mut schedule = on_threads(threads);
        schedule.add(|mut commands: Commands| commands.insert(Made));
        schedule.add(|made: Option<Res<Made>>| assert!(made.is_none(), "applied too early"));
        schedule.barrier();
        schedule.add(|made: Option<Res<Made>>| assert!(made.is_some(), "not applied"));
        schedule.add(|mut commands: Commands| commands.remove::<Made>());
        // A system that needs the world alone comes after all commands before it.
        schedule.add(|world: &mut World| assert!(world.try_resource::<Made>().is_err()));
        let mut world = World::new();
        schedule.run(&mut world);
        schedule.run(&mut world);
    }
}

#[test]
fn nothing_crosses_a_barrier() {
    let passed = Arc::new(AtomicU32::new(0));
    for seed in 0..10 {
        let mut schedule = on_threads(4);
        schedule.shuffle(Some(seed));
        for stretch in 0..3 {
            for _ in 0..4 {
                let passed = passed.clone();
                schedule.add(move || {
                    let before = passed.fetch_add(1, Ordering::SeqCst);
                    assert!(
                        (stretch * 4..stretch * 4 + 4).contains(&before),
                        "{before} in stretch {stretch}"
                    );
                });
            }
            schedule.barrier();
        }
        schedule.run(&mut World::new());
        assert_eq!(passed.swap(0, Ordering::SeqCst), 12);
    }
}

#[test]
fn systems_in_no_order_never_overlap() {
    let inside = Arc::new(AtomicBool::new(false));
    let guard = move |inside: &AtomicBool| {
        assert!(!inside.swap(true, Ordering::SeqCst), "two at a time");
        std::thread::sleep(std::time::Duration::from_micros(300));
        inside.store(false, Ordering::SeqCst);
    };
    let mut schedule = on_threads(4);
    for number in 0..8 {
        let (inside, counted) = (inside.clone(), guard);
        let mut system = (move |mut log: ResMut<Log>| {
            counted(&inside);
            log.0.push(number.to_string());
        })
        .named(format!("system {number}"));
        for other in 0..number {
            system = system.unordered_with(format!("system {other}"));
        }
        schedule.add(system);
    }
    for _ in 0..4 {
        schedule.add(|| std::thread::sleep(std::time::Duration::from_micros(100)));
    }
    let mut world = world();
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..50 {
        schedule.shuffle(Some(seed));
        let order = run(&mut schedule, &mut world);
        let mut sorted = order.clone();
        sorted.sort();
        assert_eq!(sorted, ["0", "1", "2", "3", "4", "5", "6", "7"], "each once");
        orders.insert(order);
    }
    assert!(orders.len() > 1, "they are in no order, but always came in the same");
}

#[test]
fn conditions_are_asked_just_before_and_all_must_hold() {
    for threads in [1, 3] {
        let mut world = world();
        let mut schedule = on_threads(threads);
        schedule.add(noting("switch").run_if(|log: Res<Log>| log.0.is_empty()));
        schedule.add(noting("saw it").run_if(|log: Res<Log>| log.0 == ["switch"]));
        schedule.add(noting("never").run_if(|on: Res<On>| on.0).run_if(|| false));
        assert_eq!(run(&mut schedule, &mut world), ["switch", "saw it"]);
        world.resource_mut::<Log>().0.push("x".into());
        assert_eq!(run(&mut schedule, &mut world), ["x"]);
    }
}

#[test]
fn later_conditions_are_not_asked_when_an_earlier_one_does_not_hold() {
    let asked = Arc::new(AtomicU32::new(0));
    let counting = asked.clone();
    let mut schedule = on_threads(2);
    schedule.add(
        (|| ()).run_if(|| false).run_if(move || counting.fetch_add(1, Ordering::Relaxed) == 0),
    );
    schedule.run(&mut World::new());
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

#[test]
fn the_conditions_of_a_set_are_asked_once_per_run_before_its_first_member() {
    for threads in [1, 3] {
        let asked = Arc::new(AtomicU32::new(0));
        let counting = asked.clone();
        let mut world = world();
        let mut schedule = on_threads(threads);
        schedule.add((noting("a").in_set("s"), noting("between"), noting("b").in_set("s")));
        schedule.barrier();
        schedule.add(noting("c").in_set("s"));
        // What members do does not change the answer.
        schedule.add((|mut on: ResMut<On>| on.0 = !on.0).before("c").after("a").named("flip"));
        schedule.set("s").run_if(move |on: Res<On>| {
            counting.fetch_add(1, Ordering::Relaxed);
            on.0
        });
        let seen = run(&mut schedule, &mut world);
        assert_eq!(seen, ["a", "between", "b", "c"]);
        assert_eq!(run(&mut schedule, &mut world), ["between"]);
        assert_eq!(run(&mut schedule, &mut world), ["a", "between", "b", "c"]);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }
}

#[test]
fn a_condition_of_a_set_is_asked_where_the_set_is_put() {
    // The set comes after a system that was added later, and that decides.
    for threads in [1, 3] {
        let mut world = world();
        let mut schedule = on_threads(threads);
        schedule.add(noting("member").in_set("s"));
        schedule.add((|mut on: ResMut<On>| on.0 = !on.0).named("decide"));
        schedule.set("s").after("decide").run_if(|on: Res<On>| on.0);
        assert_eq!(run(&mut schedule, &mut world), [""; 0]);
        assert_eq!(run(&mut schedule, &mut world), ["member"]);
        // The same, said by the other one; and a further condition on the same set.
        let mut schedule = on_threads(threads);
        schedule.add(noting("member").in_set("s"));
        schedule.add((|mut on: ResMut<On>| on.0 = !on.0).named("decide").before("s"));
        schedule.set("s").run_if(|on: Res<On>| on.0);
        assert_eq!(run(&mut schedule, &mut world), [""; 0]);
        schedule.set("s").run_if(|log: Res<Log>| log.0.is_empty());
        schedule.add(noting("other").in_set("s").after("member"));
        assert_eq!(run(&mut schedule, &mut world), ["member", "other"]);
        world.insert(On(false));
        world.resource_mut::<Log>().0.push("x".into());
        assert_eq!(run(&mut schedule, &mut world), ["x"]);
    }
}

#[test]
fn a_member_may_say_that_it_is_the_first_of_its_set() {
    let mut schedule = on_threads(2);
    schedule.add((noting("b").in_set("s"), noting("a").in_set("s").before("s")));
    schedule.set("s").run_if(|on: Res<On>| on.0);
    assert_eq!(run(&mut schedule, &mut world()), ["a", "b"]);
}

#[test]
fn what_a_system_keeps_survives_changes_of_the_schedule() {
    let mut schedule = on_threads(2);
    let counting = |mut runs: Local<u32>, mut log: ResMut<Log>| {
        *runs += 1;
        log.0.push(runs.to_string());
    };
    schedule.add(counting);
    let mut world = world();
    assert_eq!(run(&mut schedule, &mut world), ["1"]);
    schedule.add(|| ());
    schedule.set("empty");
    schedule.barrier();
    assert_eq!(run(&mut schedule, &mut world), ["2"]);
    schedule.add(counting);
    assert_eq!(run(&mut schedule, &mut world), ["3", "1"]);
}

#[test]
fn a_long_row_of_systems_with_a_follower_each_does_not_use_up_the_stack() {
    // Each system has two followers: the next one, and one more. On several threads every step is a
    // fork.
    struct Row(u32);
    let count = 1500;
    let done = Arc::new(AtomicU32::new(0));
    let mut schedule = Schedule::new();
    schedule.parallel_from(std::time::Duration::ZERO);
    for number in 0..count {
        let step = move |mut row: ResMut<Row>| {
            assert_eq!(row.0, number);
            row.0 += 1;
        };
        schedule.add(step.named(format!("step {number}")));
        let done = done.clone();
        let beside = move || _ = done.fetch_add(1, Ordering::Relaxed);
        schedule.add(beside.after(format!("step {number}")));
    }
    let mut world = World::new();
    world.insert(Row(0));
    // On threads that have little of it.
    let threads =
        rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(192 << 10).build().unwrap();
    threads.install(|| schedule.run(&mut world));
    assert_eq!((world.resource::<Row>().0, done.load(Ordering::Relaxed)), (count, count));
}

#[test]
fn the_same_names_in_the_report_as_in_the_order() {
    let mut schedule = on_threads(2);
    schedule.add((noting("a"), noting("b").before("a")));
    schedule.run(&mut world());
    let report = schedule.report();
    let names: Vec<_> = report.lines.iter().map(|line| line.name.to_string()).collect();
    assert_eq!(names, schedule.order().unwrap());
    assert!(report.lines.iter().all(|line| line.runs == 1));
}

#[test]
fn what_is_said_of_a_set_later_does_not_make_earlier_conditions_forget() {
    let mut world = world();
    let mut schedule = on_threads(1);
    schedule.add(noting("member").in_set("red"));
    schedule.set("red").run_if(|mut asked: Local<u32>| {
        *asked += 1;
        *asked != 2
    });
    assert_eq!(run(&mut schedule, &mut world), ["member"]);
    schedule.set("red").run_if(|| true);
    assert_eq!(run(&mut schedule, &mut world), [""; 0], "the second time, as it was asked before");
    assert_eq!(run(&mut schedule, &mut world), ["member"]);
}
