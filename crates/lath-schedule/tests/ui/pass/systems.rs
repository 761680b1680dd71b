//! Everything that can be a system.

use std::error::Error;
use std::fmt;

use lath_core::{Handle, Mut, Ref, Thing, View};
use lath_schedule::{
    Sweep, Commands, EventReader, EventWriter, IntoSystem, Local, PinnedMut, PinnedRes, PoolMut, PoolRef, Query, Res,
    ResMut, Schedule, System, Tree, TreeMut, World,
};

#[derive(Thing, Default)]
struct Ship {
    hull: f32,
    speed: f32,
}

#[derive(View)]
#[view(Ship)]
struct Sailing<'a> {
    hull: &'a mut f32,
    speed: &'a f32,
}

struct Wind(f32);
struct Bang;

#[derive(Debug)]
struct Broken;
impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("broken")
    }
}
impl Error for Broken {}

fn nothing() {}
fn views(mut ships: Query<Sailing>, _: Query<Handle<Ship>>) {
    for ship in &mut ships {
        *ship.hull += *ship.speed;
    }
}
fn fields(mut ships: Query<(Mut<ship::hull>, Ref<ship::speed>)>) {
    ships.each(|(mut hull, speed)| *hull += *speed);
}
fn rows(_: Query<&mut Ship>) {}
fn resources(_: Res<Wind>, _: Option<Res<Wind>>, _: Local<u32>) {}
fn mutable(_: ResMut<Wind>, _: EventReader<Bang>) {}
fn pinned(_: PinnedRes<std::rc::Rc<u8>>, _: PinnedMut<std::cell::Cell<u8>>) {}
fn structure(_: Tree<Ship>, _: PoolRef<Ship>, _: EventWriter<Bang>) {}
fn links(_: TreeMut<Ship>) {}
fn sweep(_: Sweep<Ref<ship::hull>, Mut<ship::speed>>) {}
fn pool(_: PoolMut<Ship>) {}
fn world(_: &mut World) {}
fn tuples(_: (Res<Wind>, (Commands, Query<Ref<ship::hull>>))) {}
fn fails() -> Result<(), Broken> {
    Err(Broken)
}
fn fails_with_text() -> Result<(), String> {
    Ok(())
}
fn fails_with_anything() -> Result<(), Box<dyn Error + Send + Sync>> {
    Ok(())
}
fn generic<R: Send + Sync + 'static>(_: Option<Res<R>>) {}
#[rustfmt::skip]
fn sixteen(
    _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>,
    _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Res<Wind>, _: Commands,
) {}

fn main() {
    let mut schedule = Schedule::new();
    schedule.add((nothing, views, fields, rows, resources, mutable, pinned, structure, links, sweep, pool, world));
    schedule.add((tuples, fails, fails_with_text, fails_with_anything, generic::<Wind>, sixteen));
    let owned = String::from("owned");
    schedule.add(move |wind: Res<Wind>| drop((owned.len(), wind.0)));
    schedule.add(nothing.named("other").before(views).after("fields").in_set("s").run_if(|wind: Res<Wind>| wind.0 > 0.0));
    let local = std::rc::Rc::new(1);
    schedule.add(System::local(move || drop(local.clone())));
    fn is_send<T: Send>(_: &T) {}
    is_send(&schedule);
    is_send(&World::new());
}
