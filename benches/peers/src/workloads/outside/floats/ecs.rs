//! Floats as components of their own; queries that are asked again and again are prepared where that
//! can be done. What sort a thing is of is a component, too.

use bevy_ecs::query::QueryState;
use evenio::prelude::*;
use hecs::PreparedQuery;
use shipyard::{IntoIter, View, ViewMut};

use super::{Five, OfFive, Scalars, sum_of};
use crate::parts::{components, with_kind};
use crate::things::KINDS;

components! {
    struct A(f32);
    struct B(f32);
    struct C(f32);
    struct D(f32);
    struct E(f32);

    struct At(f32);
    struct Speed(f32);
}

type Parts = (A, B, C, D, E);

fn parts(n: f32) -> Parts {
    let Five { a, b, c, d, e } = Five::number(n);
    (A(a), B(b), C(c), D(d), E(e))
}

fn sum(sum: f64, (a, b, c, d, e): (&A, &B, &C, &D, &E)) -> f64 {
    sum + Five { a: a.0, b: b.0, c: c.0, d: d.0, e: e.0 }.sum()
}

fn step((at, speed): (&mut At, &Speed)) {
    at.0 += speed.0;
}

pub(super) struct HecsFive(hecs::World);

impl OfFive for HecsFive {
    fn new() -> Self {
        Self(hecs::World::new())
    }

    fn add(&mut self, n: f32) {
        self.0.spawn(parts(n));
    }

    fn scale(&mut self, by: f32) {
        self.0.query_mut::<&mut A>().into_iter().for_each(|a| a.0 *= by);
        self.0.query_mut::<&mut B>().into_iter().for_each(|b| b.0 *= by);
        self.0.query_mut::<&mut C>().into_iter().for_each(|c| c.0 *= by);
        self.0.query_mut::<&mut D>().into_iter().for_each(|d| d.0 *= by);
        self.0.query_mut::<&mut E>().into_iter().for_each(|e| e.0 *= by);
    }

    fn sum(&mut self) -> f64 {
        self.0.query_mut::<(&A, &B, &C, &D, &E)>().into_iter().fold(0.0, sum)
    }
}

pub(super) struct BevyFive {
    world: bevy_ecs::world::World,
    a: QueryState<&'static mut A>,
    b: QueryState<&'static mut B>,
    c: QueryState<&'static mut C>,
    d: QueryState<&'static mut D>,
    e: QueryState<&'static mut E>,
}

impl OfFive for BevyFive {
    fn new() -> Self {
        let mut world = bevy_ecs::world::World::new();
        Self {
            a: world.query(),
            b: world.query(),
            c: world.query(),
            d: world.query(),
            e: world.query(),
            world,
        }
    }

    fn add(&mut self, n: f32) {
        self.world.spawn(parts(n));
    }

    fn scale(&mut self, by: f32) {
        macro_rules! scale {
            ($($query:ident)+) => {$(
                for mut all in self.$query.contiguous_iter_mut(&mut self.world).expect("in tables") {
                    all.bypass_change_detection().iter_mut().for_each(|one| one.0 *= by);
                }
            )+};
        }
        scale!(a b c d e);
    }

    fn sum(&mut self) -> f64 {
        let world = &mut self.world;
        world.query::<(&A, &B, &C, &D, &E)>().iter(world).fold(0.0, sum)
    }
}

#[derive(GlobalEvent)]
struct Scale(f32);

#[derive(GlobalEvent)]
struct Sum<'a>(&'a mut f64);

pub(super) struct EvenioFive(World);

impl OfFive for EvenioFive {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|scale: Receiver<Scale>, all: Fetcher<&mut A>| {
            all.into_iter().for_each(|a| a.0 *= scale.event.0);
        });
        world.add_handler(|scale: Receiver<Scale>, all: Fetcher<&mut B>| {
            all.into_iter().for_each(|b| b.0 *= scale.event.0);
        });
        world.add_handler(|scale: Receiver<Scale>, all: Fetcher<&mut C>| {
            all.into_iter().for_each(|c| c.0 *= scale.event.0);
        });
        world.add_handler(|scale: Receiver<Scale>, all: Fetcher<&mut D>| {
            all.into_iter().for_each(|d| d.0 *= scale.event.0);
        });
        world.add_handler(|scale: Receiver<Scale>, all: Fetcher<&mut E>| {
            all.into_iter().for_each(|e| e.0 *= scale.event.0);
        });
        world.add_handler(|mut asked: ReceiverMut<Sum>, all: Fetcher<(&A, &B, &C, &D, &E)>| {
            *asked.event.0 = all.iter().fold(0.0, sum);
        });
        Self(world)
    }

    fn add(&mut self, n: f32) {
        let ((a, b, c, d, e), entity) = (parts(n), self.0.spawn());
        self.0.insert(entity, a);
        self.0.insert(entity, b);
        self.0.insert(entity, c);
        self.0.insert(entity, d);
        self.0.insert(entity, e);
    }

    fn scale(&mut self, by: f32) {
        self.0.send(Scale(by));
    }

    fn sum(&mut self) -> f64 {
        let mut sum = 0.0;
        self.0.send(Sum(&mut sum));
        sum
    }
}

pub(super) struct SparseyFive(sparsey::World);

impl OfFive for SparseyFive {
    fn new() -> Self {
        Self(sparsey::World::builder().add_group::<Parts>().build())
    }

    fn add(&mut self, n: f32) {
        self.0.create(parts(n));
    }

    fn scale(&mut self, by: f32) {
        self.0.borrow_mut::<A>().as_mut_slice().iter_mut().for_each(|a| a.0 *= by);
        self.0.borrow_mut::<B>().as_mut_slice().iter_mut().for_each(|b| b.0 *= by);
        self.0.borrow_mut::<C>().as_mut_slice().iter_mut().for_each(|c| c.0 *= by);
        self.0.borrow_mut::<D>().as_mut_slice().iter_mut().for_each(|d| d.0 *= by);
        self.0.borrow_mut::<E>().as_mut_slice().iter_mut().for_each(|e| e.0 *= by);
    }

    fn sum(&mut self) -> f64 {
        self.0.query_all::<(&A, &B, &C, &D, &E)>().iter().fold(0.0, sum)
    }
}

pub(super) struct ShipyardFive(shipyard::World);

impl OfFive for ShipyardFive {
    fn new() -> Self {
        Self(shipyard::World::new())
    }

    fn add(&mut self, n: f32) {
        self.0.add_entity(parts(n));
    }

    fn scale(&mut self, by: f32) {
        self.0.run(|mut all: ViewMut<A>| (&mut all).iter().for_each(|a| a.0 *= by));
        self.0.run(|mut all: ViewMut<B>| (&mut all).iter().for_each(|b| b.0 *= by));
        self.0.run(|mut all: ViewMut<C>| (&mut all).iter().for_each(|c| c.0 *= by));
        self.0.run(|mut all: ViewMut<D>| (&mut all).iter().for_each(|d| d.0 *= by));
        self.0.run(|mut all: ViewMut<E>| (&mut all).iter().for_each(|e| e.0 *= by));
    }

    fn sum(&mut self) -> f64 {
        self.0.run(|a: View<A>, b: View<B>, c: View<C>, d: View<D>, e: View<E>| {
            (&a, &b, &c, &d, &e).iter().fold(0.0, sum)
        })
    }
}

pub(super) struct Hecs {
    world: hecs::World,
    moving: PreparedQuery<(&'static mut At, &'static Speed)>,
}

impl Scalars for Hecs {
    fn new() -> Self {
        Self { world: hecs::World::new(), moving: PreparedQuery::new() }
    }

    fn add(&mut self, sort: usize, n: f32, moves: bool) {
        with_kind!(sort, Sort => match moves {
            true => self.world.spawn((At(n), Speed(n), Sort::default())),
            false => self.world.spawn((At(n), Sort::default())),
        });
    }

    fn step(&mut self) {
        self.moving.query_mut(&mut self.world).for_each(step);
    }

    fn sum(&mut self) -> u64 {
        self.world.query_mut::<&At>().into_iter().fold(0, |sum, at| sum_of(sum, at.0))
    }
}

pub(super) struct Bevy {
    world: bevy_ecs::world::World,
    moving: QueryState<(&'static mut At, &'static Speed)>,
}

impl Scalars for Bevy {
    fn new() -> Self {
        let mut world = bevy_ecs::world::World::new();
        Self { moving: world.query(), world }
    }

    fn add(&mut self, sort: usize, n: f32, moves: bool) {
        with_kind!(sort, Sort => match moves {
            true => self.world.spawn((At(n), Speed(n), Sort::default())),
            false => self.world.spawn((At(n), Sort::default())),
        });
    }

    fn step(&mut self) {
        let tables = self.moving.contiguous_iter_mut(&mut self.world).expect("in tables");
        for (mut at, speeds) in tables {
            at.bypass_change_detection().iter_mut().zip(speeds).for_each(step);
        }
    }

    fn sum(&mut self) -> u64 {
        let world = &mut self.world;
        world.query::<&At>().iter(world).fold(0, |sum, at| sum_of(sum, at.0))
    }
}

#[derive(GlobalEvent)]
struct Step;

#[derive(GlobalEvent)]
struct SumOf<'a>(&'a mut u64);

pub(super) struct Evenio(World);

impl Scalars for Evenio {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|_: Receiver<Step>, moving: Fetcher<(&mut At, &Speed)>| {
            moving.into_iter().for_each(step);
        });
        world.add_handler(|mut asked: ReceiverMut<SumOf>, all: Fetcher<&At>| {
            *asked.event.0 = all.iter().fold(0, |sum, at| sum_of(sum, at.0));
        });
        Self(world)
    }

    fn add(&mut self, sort: usize, n: f32, moves: bool) {
        let entity = self.0.spawn();
        self.0.insert(entity, At(n));
        if moves {
            self.0.insert(entity, Speed(n));
        }
        with_kind!(sort, Sort => self.0.insert(entity, Sort::default()));
    }

    fn step(&mut self) {
        self.0.send(Step);
    }

    fn sum(&mut self) -> u64 {
        let mut sum = 0;
        self.0.send(SumOf(&mut sum));
        sum
    }
}

pub(super) struct Sparsey(sparsey::World);

impl Scalars for Sparsey {
    fn new() -> Self {
        let mut world = sparsey::World::builder().add_group::<(At, Speed)>().build();
        for sort in 0..KINDS {
            with_kind!(sort, Sort => world.register::<Sort>());
        }
        Self(world)
    }

    fn add(&mut self, sort: usize, n: f32, moves: bool) {
        with_kind!(sort, Sort => match moves {
            true => self.0.create((At(n), Speed(n), Sort::default())),
            false => self.0.create((At(n), Sort::default())),
        });
    }

    fn step(&mut self) {
        let mut moving = self.0.query_all::<(&mut At, &Speed)>();
        let (at, speeds) = moving.slice().expect("a group");
        at.iter_mut().zip(speeds).for_each(step);
    }

    fn sum(&mut self) -> u64 {
        self.0.borrow::<At>().as_slice().iter().fold(0, |sum, at| sum_of(sum, at.0))
    }
}

pub(super) struct Shipyard(shipyard::World);

impl Scalars for Shipyard {
    fn new() -> Self {
        Self(shipyard::World::new())
    }

    fn add(&mut self, sort: usize, n: f32, moves: bool) {
        with_kind!(sort, Sort => match moves {
            true => self.0.add_entity((At(n), Speed(n), Sort::default())),
            false => self.0.add_entity((At(n), Sort::default())),
        });
    }

    fn step(&mut self) {
        self.0.run(|mut at: ViewMut<At>, speeds: View<Speed>| {
            (&mut at, &speeds).iter().for_each(step);
        });
    }

    fn sum(&mut self) -> u64 {
        self.0.run(|at: View<At>| at.iter().fold(0, |sum, at| sum_of(sum, at.0)))
    }
}
