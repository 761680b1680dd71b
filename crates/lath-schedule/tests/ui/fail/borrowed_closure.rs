use lath_schedule::{ResMut, Schedule, World};

struct Count(u32);

fn main() {
    let mut seen = 0;
    let mut schedule = Schedule::new();
    schedule.add(|count: ResMut<Count>| seen += count.0);
    schedule.run(&mut World::new());
    println!("{seen}");
}
