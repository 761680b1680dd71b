//! Time, clocks, timers and states come out of a save as they went in, and a save that was made up
//! is refused.

use lath_schedule::{Cooldown, FixedClocks, ResMut, Schedule, State, Time, Timer, World};
use serde_json::{from_str, to_string};

fn through_text<X: serde::Serialize + serde::de::DeserializeOwned>(value: &X) -> X {
    from_str(&to_string(value).unwrap()).unwrap()
}

#[test]
fn timers_go_on_where_they_were() {
    let mut timers = [Timer::once(1.0), Timer::once(0.0), Timer::repeating(0.4)];
    let mut cooldown = Cooldown::new(2.0);
    assert!(cooldown.try_use());
    for timer in &mut timers {
        timer.tick(0.3);
    }
    cooldown.tick(0.5);
    assert!(timers[1].is_done());
    assert_eq!(timers.map(|timer| through_text(&timer)), timers);
    assert_eq!(through_text(&cooldown), cooldown);
    assert_eq!(through_text(&Time { dt: 0.25 }).dt, 0.25);
}

#[test]
fn fixed_steps_take_the_same_steps_after_a_save() {
    let mut schedule = Schedule::new();
    schedule.fixed(10.0, |steps| _ = steps.add(|mut count: ResMut<u32>| *count += 1));
    let run = |schedule: &mut Schedule, world: &mut World| {
        schedule.run(world);
        *world.resource::<u32>()
    };
    let mut world = World::new();
    world.insert(Time { dt: 0.07 });
    world.insert(0_u32);
    assert_eq!(run(&mut schedule, &mut world), 0);

    let mut loaded = World::new();
    loaded.insert(through_text(world.resource::<Time>()));
    loaded.insert(through_text(world.resource::<FixedClocks>()));
    loaded.insert(0_u32);
    for _ in 0..20 {
        assert_eq!(run(&mut schedule, &mut loaded), run(&mut schedule, &mut world));
    }
}

#[test]
fn a_state_is_not_entered_again_and_goes_where_it_was_going() {
    let mut schedule = Schedule::new();
    schedule.transitions::<u8>();
    let mut world = World::new();
    world.insert(State::new(1_u8));
    schedule.run(&mut world);
    world.resource_mut::<State<u8>>().set(2);
    let saved = through_text(world.resource::<State<u8>>());
    assert_eq!(&saved, world.resource::<State<u8>>());
    world.insert(saved);
    schedule.run(&mut world);
    assert_eq!(*world.resource::<State<u8>>().get(), 2);
}

#[test]
fn lengths_of_time_that_cannot_be_are_refused() {
    for text in [
        "[-1.0, 1.0, false]",
        "[0.5, -1.0, true]",
        "[0.5, 1e999, true]",
        "[null, 1.0, true]",
        "[0.0, 0.0, true]",
    ] {
        assert!(from_str::<Timer>(text).is_err(), "{text}");
    }
    assert!(from_str::<Cooldown>("[1.0, -1.0]").is_err());
    let error = from_str::<FixedClocks>("[[0.01, -3.0], []]").unwrap_err().to_string();
    assert!(error.contains("-3 seconds is no length of time"), "{error}");
}
