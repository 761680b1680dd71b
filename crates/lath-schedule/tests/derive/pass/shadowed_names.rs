//! The code that the derive writes does not depend on what the names around it mean.
#![no_implicit_prelude]
#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(dead_code, non_camel_case_types)]

use ::lath_schedule::{Local as State, Params as Derive, Res as Resource};

struct Params;
struct Param;
struct Access;
struct World;
struct Missing;
struct Context;
struct PhantomData;
struct Result;
enum Ok {}
struct u32;
mod core {}
mod std {}
mod lath_schedule {}

#[derive(Derive)]
struct Ticks<'w, 's> {
    state: State<'s, ::core::primitive::u32>,
    world: Resource<'w, ::core::primitive::u8>,
    access: Resource<'w, ::core::primitive::u8>,
    context: Resource<'w, ::core::primitive::u8>,
}

fn main() {
    let mut world = ::lath_schedule::World::new();
    world.insert(3u8);
    let mut schedule = ::lath_schedule::Schedule::new();
    schedule.add(|ticks: Ticks| ::std::assert_eq!(*ticks.world, 3));
    schedule.run(&mut world);
}
