//! The plan as data: the same systems, edges and times that the words and the drawings have.

use lath_core::{Mut, Ref, Thing};
use lath_schedule::{Commands, IntoSystem, Query, Schedule, Time, World};

#[derive(Thing, Default)]
struct Ship {
    pos: f32,
    hull: f32,
}

fn sail(mut ships: Query<Mut<ship::pos>>) {
    ships.each(|mut pos| *pos += 1.0);
}
fn rust(mut ships: Query<(Ref<ship::pos>, Mut<ship::hull>)>) {
    ships.each(|(pos, mut hull)| *hull -= *pos);
}
fn build(mut commands: Commands) {
    commands.spawn(Ship::default());
}
fn ring() {}
fn count(_: &mut World) {}

#[test]
fn systems_edges_and_spans_agree_with_what_is_said_in_words() {
    let mut schedule = Schedule::new();
    schedule.add((sail, rust, build)).add(count).add(ring.run_if(|| true)).measure_all(true);
    let outline = schedule.outline().unwrap();
    let names: Vec<_> = outline.systems.iter().map(|system| system.name.as_str()).collect();
    assert_eq!(names, schedule.order().unwrap());
    assert_eq!(names, ["sail", "rust", "build", "count", "ring"]);
    let [sail, rust, build, count, ring] = [0, 1, 2, 3, 4].map(|at| &outline.systems[at]);
    assert_eq!((sail.stage, rust.stage), (1, 1));
    assert!(count.stage > sail.stage && ring.stage > count.stage);
    assert_eq!(count.alone.as_deref(), Some("needs `&mut World`"));
    assert!(build.commands && !sail.commands && ring.conditional && !sail.conditional);
    assert!(sail.added_at.contains("outline.rs:"), "{}", sail.added_at);
    let edge = outline.edges.iter().find(|edge| edge.before == 0 && edge.after == 1).unwrap();
    assert_eq!(edge.reason, "field `pos` of `Ship`");
    assert!(outline.edges.iter().all(|edge| edge.before < edge.after && edge.after < names.len()));
    // A drawing has the same edges.
    assert_eq!(schedule.dot().unwrap().matches(" -> ").count(), outline.edges.len());

    let mut world = World::new();
    world.spawn(Ship::default());
    schedule.run(&mut world);
    let mut ran: Vec<_> = schedule.spans().iter().map(|span| span.system.to_string()).collect();
    ran.sort();
    assert_eq!(ran, ["build", "count", "ring", "rust", "sail"]);
}

#[test]
fn fixed_steps_are_named_after_what_runs_them() {
    let mut schedule = Schedule::new();
    schedule.add(sail).measure_all(true);
    schedule.fixed(100.0, |steps| {
        steps.add(rust).measure_all(true);
    });
    let outline = schedule.outline().unwrap();
    let names: Vec<_> = outline.systems.iter().map(|system| system.name.clone()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names[2].ends_with(" / rust"), "{names:?}");
    assert!(outline.edges.iter().all(|edge| edge.before < 3 && edge.after < 3));

    let mut world = World::new();
    world.insert(Time { dt: 0.02 });
    world.spawn(Ship::default());
    schedule.run(&mut world);
    let spans = schedule.spans();
    let steps: Vec<_> = spans.iter().filter(|span| *span.system == *names[2]).collect();
    assert_eq!(steps.len(), 2, "two steps of a hundredth in a fiftieth: {spans:?}");
    let outer = spans.iter().find(|span| *span.system == *names[0]).unwrap();
    assert!(steps.iter().all(|step| step.began >= outer.began), "on one clock: {spans:?}");
}
