//! Lifetimes that are left out in a field: the compiler asks for them.
use lath_schedule::{Params, Res};

#[derive(Params)]
struct LeftOut<'w> {
    time: Res<'w, f32>,
    other: Res<f32>,
}

fn main() {}
