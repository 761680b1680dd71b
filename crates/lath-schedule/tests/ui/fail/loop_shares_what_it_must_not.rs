use lath_core::{Mut, Thing};
use lath_schedule::{Query, ResMut, Schedule};

#[derive(Thing, Default)]
struct Ship {
    hull: f32,
}

struct Count(u32);

fn count(mut ships: Query<Mut<ship::hull>>, mut count: ResMut<Count>) {
    ships.par_each(|_| count.0 += 1);
}

fn main() {
    Schedule::new().add(count);
}
