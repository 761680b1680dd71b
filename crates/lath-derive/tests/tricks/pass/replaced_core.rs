//! A crate can put itself in the place of `::core`, `::std` and `::alloc`: what it offers there is
//! not used.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![allow(dead_code, non_camel_case_types, unused_imports, unused_macros)]

extern crate self as core;
extern crate self as alloc;
extern crate self as std;

use ::lath_core::derive::std as real;
use ::lath_core::{Field, Fields, Pool, Ref, Thing, View};
use ::lath_schedule::{Params, ResMut, Schedule, World};
use ::lath_snapshot::Save;
use real::{assert, assert_eq};

macro_rules! nowhere { ($($tokens:tt)*) => { 64 }; }
macro_rules! silence { ($($tokens:tt)*) => {}; }
pub(crate) use {nowhere, silence as compile_error};

pub mod mem {
    pub(crate) use crate::nowhere as offset_of;
    pub const fn size_of<X>() -> usize { 1 }
    pub const fn align_of<X>() -> usize { 1 }
}
pub mod primitive {
    pub type usize = ::lath_core::derive::std::primitive::u8;
    pub type u64 = ::lath_core::derive::std::primitive::u8;
    pub type u32 = ::lath_core::derive::std::primitive::u8;
    pub type u8 = ::lath_core::derive::std::primitive::u64;
}
pub mod option {
    pub enum Option<X> { None, Some(X), Perhaps }
}
pub mod result {
    pub enum Result<X, Y> { Ok(X), Err(Y), Perhaps }
}
pub mod marker {
    pub struct PhantomData<X>(X);
    pub trait Copy {}
    pub trait Sized {}
}
pub mod clone {
    pub trait Clone {}
}
pub mod default {
    pub trait Default {}
}

#[derive(Thing, Save)]
#[thing(columns, handle(bits = 32, kind = 1))]
struct Actor {
    a: real::primitive::u8,
    #[thing(kind)]
    kind: real::primitive::bool,
    #[thing(cold)]
    b: real::primitive::u64,
}

impl real::default::Default for Actor {
    fn default() -> Self { Actor { a: 1, kind: true, b: 3 } }
}

#[derive(Thing, real::default::Default)]
struct Row<X> {
    a: real::primitive::u8,
    b: X,
}

#[derive(View)]
#[view(Actor)]
struct Looks<'a> {
    a: &'a mut real::primitive::u8,
    b: real::option::Option<&'a real::primitive::u64>,
}

#[derive(Params)]
struct Wind<'w> {
    wind: ResMut<'w, real::primitive::u64>,
}

fn main() {
    assert_eq!(Actor::FIELDS[2].offset, real::mem::offset_of!(Actor, b));
    assert_eq!((Actor::FIELDS[2].size, Actor::FIELDS[2].align), (8, 8));
    let row = Row::<real::primitive::u64>::FIELDS[1];
    assert_eq!(row.offset, real::mem::offset_of!(Row<real::primitive::u64>, b));
    assert_eq!(<row::b<real::primitive::u64> as Field>::INDEX, 1);

    let mut pool = Pool::new();
    pool.spawn(Actor { a: 1, kind: false, b: 7 });
    pool.view_mut::<Looks>().each(|looks| *looks.a += looks.b.map_or(0, |b| *b as real::primitive::u8));
    pool.view_mut::<Ref<actor::a>>().each(|a| assert_eq!(*a, 8));

    let mut world = World::new();
    world.insert(5u64);
    let mut schedule = Schedule::new();
    schedule.add(|mut wind: Wind| *wind.wind += 1);
    schedule.run(&mut world);
    assert!(*world.resource::<real::primitive::u64>() == 6);
}
