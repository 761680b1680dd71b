//! Parameters that are another type each time that they are asked.
#![forbid(unsafe_code)]

use lath_schedule::{Local, Params, Res, ResMut};
use lath_tricks::{by_turns, replace_by};

#[derive(Params)]
struct Exclusive<'w> {
    wind: by_turns!(exclusive: Res<'w, u32>; ResMut<'w, u32>),
}

#[derive(Params)]
struct Shared<'w> {
    wind: by_turns!(shared: ResMut<'w, u32>; Res<'w, u32>),
}

#[derive(Params)]
struct Another<'w> {
    wind: by_turns!(another: ResMut<'w, u32>; ResMut<'w, u64>),
}

#[derive(Params)]
#[replace_by(struct Changed<'w> { wind: ResMut<'w, u32> })]
struct Changed<'w> {
    wind: Res<'w, u32>,
}

#[derive(Params)]
#[replace_by(struct More<'w> { wind: Res<'w, u32>, more: ResMut<'w, u32> })]
struct More<'w> {
    wind: Res<'w, u32>,
}

#[derive(Params)]
#[replace_by(struct Kept<'w> { wind: ResMut<'static, u32>, of: Res<'w, u32> })]
struct Kept<'w> {
    wind: ResMut<'w, u32>,
    of: Res<'w, u32>,
}

#[derive(Params)]
#[replace_by(struct KeptLocal<'s> { own: &'static mut u32, of: Local<'s, u32> })]
struct KeptLocal<'s> {
    own: Local<'s, u32>,
    of: Local<'s, u32>,
}

fn main() {}
