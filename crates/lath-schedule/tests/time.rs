//! Fixed steps use up the time that has passed, no more and no less; timers and cooldowns.

mod common;

use common::on_threads;
use lath_schedule::{Cooldown, FixedClocks, FixedTime, Res, ResMut, Schedule, Time, Timer, World};

struct Steps(Vec<f32>);

fn stepping(hz: f64) -> Schedule {
    let mut schedule = on_threads(2);
    schedule.fixed(hz, |steps| {
        steps.add(|mut steps: ResMut<Steps>, time: Res<Time>, fixed: Res<FixedTime>| {
            assert_eq!(time.dt, fixed.step);
            steps.0.push(time.dt);
        });
    });
    schedule
}

fn world() -> World {
    let mut world = World::new();
    world.insert(Steps(Vec::new()));
    world.insert(Time::default());
    world
}

/// Runs with such a time step; answers how many steps there were, and how far the next one is.
fn pass(schedule: &mut Schedule, world: &mut World, dt: f32) -> (usize, f32) {
    world.resource_mut::<Time>().dt = dt;
    let before = world.resource::<Steps>().0.len();
    schedule.run(world);
    assert_eq!(world.resource::<Time>().dt, dt, "as it was");
    let steps = world.resource::<Steps>().0.len() - before;
    let fixed = *world.resource::<FixedTime>();
    assert_eq!(fixed.steps as usize, steps);
    assert!((0.0..=1.0).contains(&fixed.alpha), "{fixed:?}");
    (steps, fixed.alpha)
}

#[test]
fn steps_are_taken_as_time_passes_and_alpha_says_how_far_the_next_one_is() {
    let (mut schedule, mut world) = (stepping(10.0), world());
    let near = |(steps, alpha): (usize, f32), expected: (usize, f32)| {
        assert_eq!(steps, expected.0);
        assert!((alpha - expected.1).abs() < 1e-4, "{alpha} is not {}", expected.1);
    };
    near(pass(&mut schedule, &mut world, 0.0), (0, 0.0));
    near(pass(&mut schedule, &mut world, 0.05), (0, 0.5));
    near(pass(&mut schedule, &mut world, 0.07), (1, 0.2));
    near(pass(&mut schedule, &mut world, 0.33), (3, 0.5));
    near(pass(&mut schedule, &mut world, 0.05), (1, 0.0));
    assert!(world.resource::<Steps>().0.iter().all(|&dt| dt == 0.1));
}

#[test]
fn no_step_is_lost_and_none_is_won_in_the_long_run() {
    for (hz, dt, runs) in [
        (60.0, 1.0 / 60.0, 6000),
        (50.0, 1.0 / 144.0, 7200),
        (30.0, 0.021, 5000),
        (128.0, 1.0 / 59.94, 6000),
    ] {
        let (mut schedule, mut world) = (stepping(hz), world());
        let total: usize = (0..runs).map(|_| pass(&mut schedule, &mut world, dt as f32).0).sum();
        let expected = f64::from(dt as f32) * f64::from(runs) * hz;
        assert!(
            (total as f64 - expected).abs() <= 1.0,
            "{total} steps at {hz} Hz where {expected} fit"
        );
        assert_eq!(world.resource::<FixedTime>().given_up, 0.0);
    }
}

#[test]
fn steps_of_one_length_come_one_per_run_and_not_none_and_then_two() {
    // As numbers of single precision, some of these times are a little longer than a step and some
    // a little shorter.
    for hz in [10.0, 30.0, 50.0, 60.0, 100.0, 144.0] {
        let (mut schedule, mut world) = (stepping(hz), world());
        for run in 0..300 {
            assert_eq!(
                pass(&mut schedule, &mut world, (1.0 / hz) as f32).0,
                1,
                "in run {run} at {hz} Hz"
            );
        }
    }
}

#[test]
fn a_run_that_is_late_catches_up_to_the_limit_and_says_what_it_gave_up() {
    let (mut schedule, mut world) = (stepping(10.0), world());
    let (steps, alpha) = pass(&mut schedule, &mut world, 100.05);
    assert_eq!(steps, 8);
    assert!((alpha - 0.5).abs() < 1e-3, "{alpha}: what is less than a step is kept");
    assert!((world.resource::<FixedTime>().given_up - 99.2).abs() < 1e-3);
    assert_eq!(pass(&mut schedule, &mut world, 0.0).0, 0, "it is given up, not postponed");
    // A time that no number of steps can be counted for.
    assert_eq!(pass(&mut schedule, &mut world, f32::MAX).0, 8);
    assert!(world.resource::<FixedTime>().given_up.is_finite());
    assert_eq!(pass(&mut schedule, &mut world, 0.1).0, 1);

    let mut none = Schedule::new();
    none.fixed_limit(10.0, 0, |steps| {
        steps.add(|mut steps: ResMut<Steps>| steps.0.push(0.0));
    });
    assert_eq!(pass(&mut none, &mut self::world(), 1.0).0, 0);
}

#[test]
fn several_rates_in_one_schedule_have_clocks_of_their_own() {
    struct Fast(u32);
    struct Slow(u32);
    let mut schedule = on_threads(2);
    schedule.fixed(100.0, |steps| {
        steps.add(|mut fast: ResMut<Fast>| fast.0 += 1);
    });
    schedule.fixed(10.0, |steps| {
        steps.add(|mut slow: ResMut<Slow>| slow.0 += 1);
    });
    let mut world = World::new();
    world.insert(Time { dt: 0.025 });
    world.insert(Fast(0));
    world.insert(Slow(0));
    for _ in 0..40 {
        schedule.run(&mut world);
    }
    assert_eq!((world.resource::<Fast>().0, world.resource::<Slow>().0), (100, 10));
    assert_eq!(world.resource::<FixedClocks>().left.len(), 2);
}

#[test]
fn the_clock_belongs_to_the_world() {
    let (mut schedule, mut one, mut other) = (stepping(10.0), world(), world());
    assert_eq!(pass(&mut schedule, &mut one, 0.09).0, 0);
    assert_eq!(pass(&mut schedule, &mut other, 0.05).0, 0);
    assert_eq!(pass(&mut schedule, &mut one, 0.02).0, 1);
    // Rolled back: the time that was left over comes back with the resource.
    let saved = one.resource::<FixedClocks>().clone();
    let after = pass(&mut schedule, &mut one, 0.25);
    one.insert(saved);
    assert_eq!(pass(&mut schedule, &mut one, 0.25), after);
}

#[test]
fn without_a_time_no_time_passes() {
    let mut schedule = stepping(10.0);
    let mut world = World::new();
    world.insert(Steps(Vec::new()));
    schedule.run(&mut world);
    assert!(world.resource::<Steps>().0.is_empty());
}

#[test]
fn a_repeating_timer_fires_as_often_as_its_period_fits() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        let period = 0.01 + random.f32();
        let mut timer = Timer::repeating(period);
        let (mut fired, mut time) = (0u32, 0.0f64);
        for _ in 0..100 {
            let dt = random.f32() * 2.0;
            fired += timer.tick(dt);
            time += f64::from(dt);
            assert!((0.0..=1.0).contains(&timer.progress()) && !timer.is_done());
        }
        let fits = time / f64::from(period);
        assert!(
            (f64::from(fired) - fits).abs() <= 1.0 + fits * 1e-3,
            "{fired} times where {fits} fit"
        );
    }
}

#[test]
fn timers_are_not_confused_by_odd_times() {
    for dt in [f32::NAN, -1.0, f32::NEG_INFINITY, 0.0] {
        let (mut once, mut again, mut gun) =
            (Timer::once(1.0), Timer::repeating(1.0), Cooldown::new(1.0));
        assert!(gun.try_use());
        for _ in 0..3 {
            assert_eq!((once.tick(dt), again.tick(dt)), (0, 0), "{dt}");
            gun.tick(dt);
        }
        assert!(!gun.is_ready() && once.progress() == 0.0);
    }
    for dt in [f32::INFINITY, f32::MAX, 1e30] {
        let (mut once, mut again, mut gun) =
            (Timer::once(1.0), Timer::repeating(0.001), Cooldown::new(1.0));
        assert!(gun.try_use());
        assert_eq!((once.tick(dt), once.tick(dt)), (1, 0));
        assert!(again.tick(dt) > 1_000_000);
        assert!(again.tick(0.0005) <= 1 && again.progress() <= 1.0);
        gun.tick(dt);
        assert!(gun.is_ready());
    }
    assert_eq!(Timer::once(0.0).tick(0.0), 1);
    let mut tiny = Timer::repeating(f32::MIN_POSITIVE);
    assert!(tiny.tick(1.0) > 0);
    assert!(Cooldown::new(0.0).try_use());
}

#[test]
fn a_timer_that_fired_once_can_be_started_again() {
    let mut fuse = Timer::once(1.0);
    assert_eq!((fuse.tick(0.5), fuse.progress()), (0, 0.5));
    assert_eq!((fuse.tick(0.5), fuse.progress(), fuse.is_done()), (1, 1.0, true));
    fuse.restart();
    assert_eq!((fuse.tick(0.9), fuse.is_done(), fuse.tick(0.2)), (0, false, 1));
}
