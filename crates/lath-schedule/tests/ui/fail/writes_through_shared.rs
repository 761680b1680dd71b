use lath_core::{Mut, Thing};
use lath_schedule::{Query, Schedule};

#[derive(Thing, Default)]
struct Ship {
    hull: f32,
}

fn mend(ships: Query<Mut<ship::hull>>) {
    for mut hull in &ships {
        *hull += 1.0;
    }
}

fn main() {
    Schedule::new().add(mend);
}
