use std::sync::Mutex;

use lath_schedule::{Res, Schedule};

struct Wind(f32);

static KEPT: Mutex<Vec<&'static Wind>> = Mutex::new(Vec::new());

fn keep(wind: Res<Wind>) {
    let wind: &Wind = &wind;
    KEPT.lock().unwrap().push(wind);
}

fn for_ever(_: Res<'static, Wind>) {}

fn main() {
    Schedule::new().add(keep).add(for_ever);
}
