use lath_core::{Handle, Mut, Thing};
use lath_schedule::{Query, Schedule};

#[derive(Thing, Default)]
struct Ship {
    hull: f32,
}

fn swap(mut ships: Query<Mut<ship::hull>>) {
    let mut one = ships.get_mut(Handle::NIL).unwrap();
    let mut other = ships.get_mut(Handle::NIL).unwrap();
    std::mem::swap(&mut *one, &mut *other);
}

fn main() {
    Schedule::new().add(swap);
}
