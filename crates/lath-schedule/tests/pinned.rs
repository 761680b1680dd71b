//! What must stay on one thread does: it is used, changed and dropped there and nowhere else.

mod common;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread::ThreadId;

use common::on_threads;
use lath_schedule::{IntoSystem, PinnedMut, PinnedRes, Res, ResMut, RunError, System, Time, World};

struct Count(u32);

/// Notes on which threads it was dropped.
struct Window(Rc<RefCell<Vec<ThreadId>>>, u32);

impl Drop for Window {
    fn drop(&mut self) {
        self.0.borrow_mut().push(here());
    }
}

fn here() -> ThreadId {
    std::thread::current().id()
}

/// A schedule in which other systems keep all threads busy, before, beside and after.
fn crowded(threads: usize, world: &mut World) -> lath_schedule::Schedule {
    world.insert(Count(0));
    let mut schedule = on_threads(threads);
    for _ in 0..8 {
        schedule.add(|| std::thread::sleep(std::time::Duration::from_micros(50)));
    }
    schedule.add(|mut count: ResMut<Count>| count.0 += 1);
    schedule
}

#[test]
fn systems_with_pinned_resources_run_on_the_calling_thread_in_order() {
    for threads in [1, 3] {
        let mut world = World::new();
        let drops = Rc::new(RefCell::new(Vec::new()));
        world.insert_pinned(Window(drops.clone(), 0));
        let main = here();
        let mut schedule = crowded(threads, &mut world);
        schedule.add(move |mut window: PinnedMut<Window>, count: Res<Count>| {
            assert_eq!(here(), main);
            window.1 = count.0;
        });
        schedule.add(|mut count: ResMut<Count>| count.0 += 100);
        schedule.add(move |window: PinnedRes<Window>, mut count: ResMut<Count>| {
            assert_eq!((here(), window.1 + 100), (main, count.0));
            count.0 = window.1;
        });
        schedule.add((move || assert_eq!(here(), main)).pinned());
        schedule.add((|| ()).run_if(move |_: PinnedRes<Window>| here() == main));
        for run in 1..20 {
            schedule.run(&mut world);
            assert_eq!(world.resource::<Count>().0, run);
        }
        assert!(drops.borrow().is_empty());
        let old = world.insert_pinned(Window(drops.clone(), 7)).unwrap();
        assert_eq!(old.1, 19);
        drop(old);
        drop(world);
        assert_eq!(*drops.borrow(), [main, main]);
    }
}

#[test]
fn local_systems_run_on_the_calling_thread_also_within_fixed_steps() {
    for threads in [1, 3] {
        let runs = Rc::new(Cell::new(0));
        let (direct, stepping) = (runs.clone(), runs.clone());
        let main = here();
        let mut world = World::new();
        world.insert(Time { dt: 0.1 });
        let mut schedule = crowded(threads, &mut world);
        schedule.add(System::local(move || direct.set(direct.get() + 1)));
        schedule.fixed(10.0, move |steps| {
            steps.add(System::local(move || stepping.set(stepping.get() + 10)));
            steps.add((move || assert_eq!(here(), main)).pinned());
            steps.add(|mut count: ResMut<Count>| count.0 += 1);
        });
        for _ in 0..20 {
            schedule.run(&mut world);
        }
        assert_eq!(runs.get(), 20 * 11);
        assert_eq!(Rc::strong_count(&runs), 3);
        drop(schedule);
        assert_eq!(Rc::strong_count(&runs), 1);
    }
}

#[test]
fn within_fixed_steps_alone_pinned_systems_stay_on_the_calling_thread_too() {
    // Nothing else in the schedule says that it must.
    let main = here();
    let mut world = World::new();
    world.insert(Time { dt: 0.1 });
    let mut schedule = crowded(3, &mut world);
    schedule.fixed(10.0, move |steps| {
        steps.add((move || assert_eq!(here(), main)).pinned());
    });
    for _ in 0..20 {
        schedule.run(&mut world);
    }
}

#[test]
fn on_another_thread_the_resource_is_not_there_and_not_dropped() {
    let drops = Rc::new(RefCell::new(Vec::new()));
    let mut world = World::new();
    world.insert_pinned(Window(drops.clone(), 1));
    let mut schedule = on_threads(2);
    schedule.add((|_: PinnedRes<Window>| ()).named("draw"));
    schedule.run(&mut world);
    let mut world = std::thread::spawn(move || {
        assert!(world.pinned::<Window>().is_err() && world.pinned_mut::<Window>().is_err());
        let error = schedule.try_run(&mut world).unwrap_err();
        assert!(matches!(error, RunError::Missing { .. }), "{error}");
        let text = error.to_string();
        for part in ["system `draw`", "no pinned resource", "Window", "on this thread"] {
            assert!(text.contains(part), "{part:?} is missing in {text:?}");
        }
        world
    })
    .join()
    .unwrap();
    assert_eq!(world.pinned_mut::<Window>().unwrap().1, 1, "back home it is there");
    assert!(drops.borrow().is_empty());
    // Dropped elsewhere it is leaked: its `Rc` is not touched.
    let count = Rc::strong_count(&drops);
    std::thread::spawn(move || drop(world)).join().unwrap();
    assert!(drops.borrow().is_empty());
    assert_eq!(Rc::strong_count(&drops), count);
}

#[test]
fn a_pinned_resource_that_is_replaced_elsewhere_is_leaked_and_the_new_one_belongs_there() {
    let drops = Rc::new(RefCell::new(Vec::new()));
    let mut world = World::new();
    world.insert_pinned(Window(drops.clone(), 1));
    let world = std::thread::spawn(move || {
        let other = Rc::new(RefCell::new(Vec::new()));
        assert!(world.insert_pinned(Window(other, 2)).is_none());
        assert_eq!(world.pinned::<Window>().unwrap().1, 2);
        world
    })
    .join()
    .unwrap();
    assert!(world.pinned::<Window>().is_err());
    drop(world);
    assert!(drops.borrow().is_empty());
}

#[test]
fn a_local_system_on_another_thread_is_an_error_and_its_closure_is_not_dropped_there() {
    let seen = Rc::new(Cell::new(0));
    let counting = seen.clone();
    let mut schedule = on_threads(2);
    schedule.add(System::local(move || counting.set(counting.get() + 1)).named("local"));
    schedule.run(&mut World::new());
    std::thread::spawn(move || {
        let error = schedule.try_run(&mut World::new()).unwrap_err().to_string();
        assert!(error.contains("system `local`") && error.contains("another thread"), "{error}");
    })
    .join()
    .unwrap();
    assert_eq!((seen.get(), Rc::strong_count(&seen)), (1, 2));
}
