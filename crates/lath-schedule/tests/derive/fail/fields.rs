//! Fields that are no parameters, or borrow for too long.
use lath_schedule::{Params, Res, ResMut};

#[derive(Params)]
struct Value<'w> {
    time: Res<'w, f32>,
    count: u32,
}

#[derive(Params)]
struct ForEver<'w> {
    time: ResMut<'w, f32>,
    other: Res<'static, f32>,
}

fn main() {}
