//! States change at transitions, and systems run on the way in, on the way out and meanwhile.

mod common;

use common::on_threads;
use lath_schedule::{IntoSystem, ResMut, Schedule, State, System, World};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Menu,
    Play,
    Pause,
}

#[derive(Default)]
struct Log(Vec<&'static str>);

fn note(text: &'static str) -> System {
    (move |mut log: ResMut<Log>| log.0.push(text)).into_system()
}

fn schedule(threads: usize) -> Schedule {
    let mut schedule = on_threads(threads);
    schedule.transitions::<Mode>();
    schedule.add((note("-menu").on_exit(Mode::Menu), note("-play").on_exit(Mode::Play)));
    schedule.add((
        note("+menu").on_enter(Mode::Menu),
        note("+play").on_enter(Mode::Play),
        note("+pause").on_enter(Mode::Pause),
    ));
    schedule.add((note("menu").while_in(Mode::Menu), note("play").while_in(Mode::Play)));
    schedule
}

fn world() -> World {
    let mut world = World::new();
    world.insert(Log::default());
    world.insert(State::new(Mode::Menu));
    world
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<&'static str> {
    schedule.run(world);
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[test]
fn the_first_state_is_entered_once_and_each_change_is_made_once() {
    for threads in [1, 3] {
        let (mut schedule, mut world) = (schedule(threads), world());
        assert_eq!(run(&mut schedule, &mut world), ["+menu", "menu"]);
        assert_eq!(run(&mut schedule, &mut world), ["menu"]);
        world.resource_mut::<State<Mode>>().set(Mode::Play);
        assert_eq!(*world.resource::<State<Mode>>().get(), Mode::Menu, "not before the transition");
        assert_eq!(run(&mut schedule, &mut world), ["-menu", "+play", "play"]);
        assert_eq!(run(&mut schedule, &mut world), ["play"]);
        world.resource_mut::<State<Mode>>().set(Mode::Pause);
        assert_eq!(run(&mut schedule, &mut world), ["-play", "+pause"]);
        assert_eq!(run(&mut schedule, &mut world), [""; 0]);
    }
}

#[test]
fn asking_for_the_present_state_leaves_it_and_enters_it_again() {
    let (mut schedule, mut world) = (schedule(2), world());
    run(&mut schedule, &mut world);
    world.resource_mut::<State<Mode>>().set(Mode::Menu);
    assert_eq!(run(&mut schedule, &mut world), ["-menu", "+menu", "menu"]);
}

#[test]
fn of_several_wishes_the_last_one_counts() {
    let (mut schedule, mut world) = (schedule(2), world());
    run(&mut schedule, &mut world);
    let mut state = world.resource_mut::<State<Mode>>().clone();
    state.set(Mode::Pause);
    state.set(Mode::Play);
    world.insert(state);
    assert_eq!(run(&mut schedule, &mut world), ["-menu", "+play", "play"]);
}

#[test]
fn a_wish_before_the_first_run_skips_the_first_state() {
    let (mut schedule, mut world) = (schedule(2), world());
    world.resource_mut::<State<Mode>>().set(Mode::Play);
    assert_eq!(run(&mut schedule, &mut world), ["-menu", "+play", "play"]);
}

#[test]
fn a_system_can_ask_for_the_change_and_it_is_made_at_the_next_transition() {
    let (mut schedule, mut world) = (schedule(3), world());
    schedule.add(
        (|mut mode: ResMut<State<Mode>>| mode.set(Mode::Pause)).while_in(Mode::Play).named("tire"),
    );
    schedule.add(|mut mode: ResMut<State<Mode>>, mut log: ResMut<Log>| {
        if *mode.get() == Mode::Menu {
            mode.set(Mode::Play);
            log.0.push("asked");
        }
    });
    assert_eq!(run(&mut schedule, &mut world), ["+menu", "menu", "asked"]);
    assert_eq!(run(&mut schedule, &mut world), ["-menu", "+play", "play"]);
    assert_eq!(run(&mut schedule, &mut world), ["-play", "+pause"]);
    // Two transitions in one run make two changes.
    let mut twice = on_threads(2);
    twice.transitions::<Mode>();
    twice.add((|mut mode: ResMut<State<Mode>>| mode.set(Mode::Menu)).run_if(|| true).named("wish"));
    twice.transitions::<Mode>();
    twice.add(note("+menu").on_enter(Mode::Menu));
    assert_eq!(run(&mut twice, &mut world), ["+menu"]);
}

#[test]
fn states_of_different_types_do_not_know_of_each_other() {
    #[derive(Clone, PartialEq)]
    struct Level(String);
    let mut schedule = schedule(2);
    schedule.transitions::<Level>();
    schedule.add(note("+cave").on_enter(Level("cave".into())));
    let mut world = world();
    world.insert(State::new(Level("wood".into())));
    assert_eq!(run(&mut schedule, &mut world), ["+menu", "menu"]);
    world.resource_mut::<State<Level>>().set(Level("cave".into()));
    assert_eq!(run(&mut schedule, &mut world), ["menu", "+cave"]);
}
