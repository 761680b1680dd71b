//! Time and states are part of a save: fixed steps, transitions and timers go on where they were.

use lath_schedule::{FixedClocks, IntoSystem, ResMut, Schedule, State, Time, Timer, World};
use lath_snapshot::{Load, SaveWorld, Snapshot, Write};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Mode {
    Day,
    Night,
}

#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Log(Vec<(u32, String)>);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Run(u32);

fn schedule() -> Schedule {
    fn note(what: &'static str) -> impl FnMut(ResMut<Log>, ResMut<Run>) + Send {
        move |mut log, run| log.0.push((run.0, what.into()))
    }
    let mut schedule = Schedule::new();
    schedule.add(|mut run: ResMut<Run>, mut mode: ResMut<State<Mode>>| {
        run.0 += 1;
        match run.0 % 7 {
            0 => mode.set(Mode::Day),
            4 => mode.set(Mode::Night),
            _ => {}
        }
    });
    schedule.transitions::<Mode>();
    schedule
        .add(note("dawn").named("dawn").on_enter(Mode::Day))
        .add(note("dusk").named("dusk").on_exit(Mode::Day));
    schedule.fixed(25.0, |steps| {
        steps.add(note("step").named("step"));
    });
    schedule.add(|mut timer: ResMut<Timer>, mut log: ResMut<Log>, run: ResMut<Run>| {
        if timer.tick(0.016) > 0 {
            log.0.push((run.0, "timer".into()));
        }
    });
    schedule
}

fn registered() -> World {
    let mut world = World::new();
    world.saves_resource::<State<Mode>>();
    world.saves_resource::<FixedClocks>();
    world.saves_resource::<Time>();
    world.saves_resource::<Timer>();
    world.saves_resource::<Log>();
    world.saves_resource::<Run>();
    world
}

#[test]
fn a_world_that_is_saved_between_any_two_runs_goes_on_as_if_it_had_not_been() {
    let begin = || {
        let mut world = registered();
        world.insert(State::new(Mode::Day));
        world.insert(Time { dt: 0.016 });
        world.insert(Timer::repeating(0.1));
        world.insert(Log::default());
        world.insert(Run(0));
        world
    };
    let mut straight = begin();
    let mut runs = schedule();
    (0..30).for_each(|_| runs.run(&mut straight));
    let log = straight.resource::<Log>();
    for what in ["dawn", "dusk", "step", "timer"] {
        assert!(log.0.iter().filter(|(_, noted)| noted == what).count() > 1, "{what} in {log:?}");
    }

    for pause in 0..30 {
        let mut world = begin();
        let mut runs = schedule();
        (0..pause).for_each(|_| runs.run(&mut world));
        let bytes = Write::new().to_bytes(&Snapshot::take(&world).unwrap()).unwrap();

        let mut world = registered();
        Load::new().from_bytes(&mut world, &bytes).unwrap();
        let mut runs = schedule();
        (pause..30).for_each(|_| runs.run(&mut world));
        assert_eq!(world.resource::<Log>(), log, "saved after {pause} runs");
        let [mine, its] =
            [&world, &straight].map(|world| Snapshot::take(world).unwrap().checksum());
        assert_eq!(mine, its, "saved after {pause} runs");
    }
}
