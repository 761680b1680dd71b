//! Events are read once by every reader, kept until all have read them, and no longer.

mod common;

use std::sync::{Arc, Mutex};

use common::counted::Count;
use common::on_threads;
use lath_schedule::{Commands, EventReader, EventWriter, IntoSystem, Res, Schedule, Time, World};

struct Bang(u32);
struct Switch(bool);

/// What was heard, by whom.
type Heard = Arc<Mutex<Vec<(&'static str, u32)>>>;

fn listener(name: &'static str, heard: &Heard) -> impl FnMut(EventReader<Bang>) + Send + 'static {
    let heard = heard.clone();
    move |mut bangs: EventReader<Bang>| {
        let expected = bangs.len();
        let read: Vec<_> = bangs.read().map(|bang| (name, bang.0)).collect();
        assert_eq!(read.len(), expected);
        assert!(bangs.is_empty() && bangs.read().next().is_none());
        heard.lock().unwrap().extend(read);
    }
}

/// What one of them heard since this was last asked.
fn take(heard: &Heard, name: &str) -> Vec<u32> {
    let mut heard = heard.lock().unwrap();
    let (his, others) = heard.drain(..).partition(|&(who, _)| who == name);
    *heard = others;
    let his: Vec<(&str, u32)> = his;
    his.into_iter().map(|(_, bang)| bang).collect()
}

/// Sends two events in every run: 1 and 2, 3 and 4.
fn sender() -> impl FnMut(EventWriter<Bang>) + Send + 'static {
    let mut sent = 0;
    move |mut bangs: EventWriter<Bang>| {
        bangs.send(Bang(sent + 1));
        bangs.extend([Bang(sent + 2)]);
        sent += 2;
    }
}

#[test]
fn readers_after_the_sender_hear_in_the_same_run_and_readers_before_in_the_next() {
    for threads in [1, 3] {
        let heard = Heard::default();
        let mut schedule = on_threads(threads);
        schedule.add((
            listener("before", &heard),
            sender(),
            listener("after", &heard),
            listener("too", &heard),
        ));
        let mut world = World::new();
        schedule.run(&mut world);
        assert_eq!(
            (take(&heard, "before"), take(&heard, "after"), take(&heard, "too")),
            (vec![], vec![1, 2], vec![1, 2])
        );
        schedule.run(&mut world);
        assert_eq!(take(&heard, "before"), [1, 2]);
        assert_eq!((take(&heard, "after"), take(&heard, "too")), (vec![3, 4], vec![3, 4]));
        assert_eq!(world.events_mut::<Bang>().len(), 2, "kept for the one that comes before");
    }
}

#[test]
fn events_wait_for_a_reader_that_does_not_run() {
    let heard = Heard::default();
    let mut schedule = on_threads(2);
    schedule.add((sender(), listener("always", &heard)));
    schedule.add(listener("sometimes", &heard).run_if(|on: Res<Switch>| on.0));
    let mut world = World::new();
    world.insert(Switch(false));
    for _ in 0..3 {
        schedule.run(&mut world);
    }
    assert_eq!(world.events_mut::<Bang>().len(), 6);
    assert_eq!(
        (take(&heard, "always"), take(&heard, "sometimes")),
        (vec![1, 2, 3, 4, 5, 6], vec![])
    );
    world.insert(Switch(true));
    schedule.run(&mut world);
    assert_eq!(
        (take(&heard, "always"), take(&heard, "sometimes")),
        (vec![7, 8], (1..=8).collect())
    );
    assert!(world.events_mut::<Bang>().is_empty());
}

#[test]
fn fixed_steps_hear_each_event_once_however_many_steps_there_are() {
    let heard = Heard::default();
    let mut schedule = on_threads(2);
    schedule.add(sender());
    let step = listener("step", &heard);
    schedule.fixed(10.0, move |steps| {
        steps.add(step);
    });
    let mut world = World::new();
    world.insert(Time { dt: 0.04 }); // no step in the first two runs, one in the third
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(take(&heard, "step"), []);
    schedule.run(&mut world);
    assert_eq!(take(&heard, "step"), [1, 2, 3, 4, 5, 6]);
    world.resource_mut::<Time>().dt = 0.5; // five steps in one run
    schedule.run(&mut world);
    assert_eq!(take(&heard, "step"), [7, 8]);
    assert!(world.events_mut::<Bang>().is_empty());
}

#[test]
fn the_cap_says_what_it_dropped_to_the_world_and_to_the_reader() {
    let mut world = World::new();
    world.insert(Switch(false));
    world.events_mut::<Bang>().set_cap(Some(3));
    let mut schedule = Schedule::new();
    schedule.add(sender());
    let missed = Arc::new(Mutex::new(Vec::new()));
    let noting = missed.clone();
    let slow = move |mut bangs: EventReader<Bang>| {
        let missing = bangs.missed();
        let read: Vec<_> = bangs.read().map(|bang| bang.0).collect();
        assert_eq!(bangs.missed(), 0, "reading resets it");
        noting.lock().unwrap().push((missing, read));
    };
    schedule.add(slow.run_if(|on: Res<Switch>| on.0));
    for _ in 0..4 {
        schedule.run(&mut world);
    }
    assert_eq!((world.events_mut::<Bang>().len(), world.events_mut::<Bang>().dropped()), (3, 5));
    world.insert(Switch(true));
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(*missed.lock().unwrap(), [(7, vec![8, 9, 10]), (0, vec![11, 12])]);
    world.events_mut::<Bang>().set_cap(Some(0));
    schedule.run(&mut world);
    assert_eq!(missed.lock().unwrap().last().unwrap(), &(2, vec![]));
    world.events_mut::<Bang>().set_cap(None);
    schedule.run(&mut world);
    assert_eq!(missed.lock().unwrap().last().unwrap(), &(0, vec![15, 16]));
}

#[test]
fn events_that_nobody_reads_are_gone_after_the_run_and_dropped_once() {
    let count = Count::default();
    let mut world = World::new();
    let mut schedule = Schedule::new();
    let tokens = count.clone();
    schedule.add(move |mut bangs: EventWriter<common::counted::Token>| bangs.send(tokens.token()));
    for _ in 0..3 {
        schedule.run(&mut world);
        assert_eq!(count.alive(), 0);
    }
    world.send(count.token());
    assert_eq!(count.alive(), 1);
    schedule.run(&mut world);
    assert_eq!(count.alive(), 0);
}

#[test]
fn readers_that_are_gone_keep_no_events() {
    let heard = Heard::default();
    let mut world = World::new();
    // A schedule that is dropped, and systems that are run once.
    let mut gone = Schedule::new();
    gone.add(listener("gone", &heard));
    gone.run(&mut world);
    drop(gone);
    for _ in 0..3 {
        world.run_once(listener("once", &heard)).unwrap();
    }
    let mut schedule = Schedule::new();
    schedule.add(sender());
    for _ in 0..3 {
        schedule.run(&mut world);
        assert!(world.events_mut::<Bang>().is_empty(), "kept for a reader that never comes");
    }
}

#[test]
fn readers_keep_their_place_when_the_schedule_changes() {
    let heard = Heard::default();
    let mut world = World::new();
    let mut schedule = on_threads(2);
    schedule.add((listener("early", &heard), sender()));
    schedule.run(&mut world);
    schedule.add(listener("new", &heard));
    schedule.run(&mut world);
    assert_eq!(take(&heard, "early"), [1, 2], "sent before the change, and not read yet");
    assert_eq!(take(&heard, "new"), [3, 4], "registered after those");
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(take(&heard, "early"), [3, 4, 5, 6]);
    assert_eq!(world.events_mut::<Bang>().len(), 2);
}

#[test]
fn two_schedules_on_one_world_each_hear_everything() {
    let heard = Heard::default();
    let mut world = World::new();
    let (mut one, mut two) = (Schedule::new(), Schedule::new());
    one.add((sender(), listener("one", &heard)));
    two.add(listener("two", &heard));
    two.run(&mut world);
    for _ in 0..3 {
        one.run(&mut world);
    }
    two.run(&mut world);
    assert_eq!(take(&heard, "one"), [1, 2, 3, 4, 5, 6]);
    assert_eq!(take(&heard, "two"), [1, 2, 3, 4, 5, 6]);
    one.run(&mut world);
    two.run(&mut world);
    assert_eq!((take(&heard, "two"), world.events_mut::<Bang>().len()), (vec![7, 8], 0));
}

#[test]
fn what_is_sent_by_commands_from_the_world_and_by_systems_comes_in_the_order_of_the_schedule() {
    for threads in [1, 3] {
        let heard = Heard::default();
        let mut schedule = on_threads(threads);
        schedule.add(listener("early", &heard));
        schedule.add(|mut commands: Commands| commands.send(Bang(2)));
        schedule.add(|mut bangs: EventWriter<Bang>| bangs.send(Bang(1)));
        schedule.add(|mut commands: Commands| commands.run(|world| world.send(Bang(3))));
        schedule.barrier();
        schedule.add(listener("late", &heard));
        let mut world = World::new();
        schedule.run(&mut world);
        world.send(Bang(4));
        schedule.run(&mut world);
        assert_eq!(take(&heard, "early"), [1, 2, 3, 4]);
        assert_eq!(take(&heard, "late"), [1, 2, 3, 4, 1, 2, 3]);
    }
}

#[test]
fn a_reader_that_stops_early_has_read_all_the_same() {
    let mut schedule = Schedule::new();
    schedule.add((sender(), |mut bangs: EventReader<Bang>| {
        assert_eq!(bangs.read().take(1).count(), 1);
        assert!(bangs.is_empty());
    }));
    let mut world = World::new();
    schedule.run(&mut world);
    assert!(world.events_mut::<Bang>().is_empty());
    world.send(Bang(0));
    world.events_mut::<Bang>().clear();
    schedule.run(&mut world);
}

#[test]
fn events_that_no_system_reads_are_named_in_the_explanation() {
    struct Bang;
    struct Whisper;
    struct Tick;
    fn fire(_: EventWriter<Bang>) {}
    fn burst(_: EventWriter<Bang>, _: EventWriter<Whisper>) {}
    fn beat(_: EventWriter<Tick>) {}
    fn listen(_: EventReader<Whisper>) {}
    let mut schedule = Schedule::new();
    schedule.add((fire, burst));
    schedule.fixed(10.0, |step| {
        step.add((beat, listen));
    });
    let said = schedule.explain().unwrap();
    assert!(
        said.contains(
            "events of type `Bang` are sent by fire, burst, and no system here reads them\n"
        ),
        "{said}"
    );
    assert!(
        said.contains("events of type `Tick` are sent by beat, and no system here reads them\n"),
        "{said}"
    );
    assert!(!said.contains("Whisper` are sent"), "{said}");
}
