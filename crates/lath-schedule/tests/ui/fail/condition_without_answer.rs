use lath_schedule::{IntoSystem, Schedule};

fn sail() {}
fn windy() -> u32 {
    1
}

fn main() {
    Schedule::new().add(sail.run_if(windy));
}
