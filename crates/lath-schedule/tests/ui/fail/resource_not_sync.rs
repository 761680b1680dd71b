use lath_schedule::{Res, Schedule};

fn look(_: Res<std::cell::Cell<u32>>) {}

fn main() {
    Schedule::new().add(look);
}
