//! Children are things with another component. Who cannot be walked while things come and go has
//! the values or the children collected first, into memory that is kept.

use bevy_ecs::query::QueryState;
use evenio::prelude::*;
use shipyard::{IntoIter, View, ViewMut};

use super::Family;
use crate::parts::components;

components! {
    struct Parent(f32);
    struct Child(f32);
}

pub(super) struct Hecs {
    world: hecs::World,
    values: Vec<f32>,
    children: Vec<hecs::Entity>,
}

impl Family for Hecs {
    fn new() -> Self {
        Self { world: hecs::World::new(), values: Vec::new(), children: Vec::new() }
    }

    fn add(&mut self, value: f32) {
        self.world.spawn((Parent(value),));
    }

    fn bear(&mut self) {
        let parents = self.world.query_mut::<&Parent>().into_iter();
        self.values.extend(parents.map(|parent| parent.0));
        self.world.spawn_batch(self.values.drain(..).map(|value| (Child(value),)));
    }

    fn bury(&mut self) {
        let children = self.world.query_mut::<hecs::With<hecs::Entity, &Child>>();
        self.children.extend(children);
        for child in self.children.drain(..) {
            self.world.despawn(child).expect("is there");
        }
    }

    fn census(&mut self) -> (usize, f64) {
        let count = self.world.len() as usize;
        let parents = self.world.query_mut::<&Parent>().into_iter();
        let sum: f64 = parents.map(|one| f64::from(one.0)).sum();
        let children = self.world.query_mut::<&Child>().into_iter();
        (count, sum + children.map(|one| f64::from(one.0)).sum::<f64>())
    }
}

pub(super) struct Bevy {
    world: bevy_ecs::world::World,
    parents: QueryState<&'static Parent>,
    children: QueryState<bevy_ecs::entity::Entity, bevy_ecs::query::With<Child>>,
    values: Vec<f32>,
    gone: Vec<bevy_ecs::entity::Entity>,
}

impl Family for Bevy {
    fn new() -> Self {
        let mut world = bevy_ecs::world::World::new();
        let (parents, children) = (world.query(), world.query_filtered());
        Self { world, parents, children, values: Vec::new(), gone: Vec::new() }
    }

    fn add(&mut self, value: f32) {
        self.world.spawn(Parent(value));
    }

    fn bear(&mut self) {
        self.values.extend(self.parents.iter(&self.world).map(|parent| parent.0));
        self.world.spawn_batch(self.values.drain(..).map(Child));
    }

    fn bury(&mut self) {
        self.gone.extend(self.children.iter(&self.world));
        for child in self.gone.drain(..) {
            self.world.despawn(child);
        }
    }

    fn census(&mut self) -> (usize, f64) {
        let world = &mut self.world;
        let parents: Vec<f32> = world.query::<&Parent>().iter(world).map(|one| one.0).collect();
        let children: Vec<f32> = world.query::<&Child>().iter(world).map(|one| one.0).collect();
        let all = parents.iter().chain(&children);
        (parents.len() + children.len(), all.copied().map(f64::from).sum())
    }
}

#[derive(GlobalEvent)]
struct Bear;

#[derive(GlobalEvent)]
struct Bury;

#[derive(GlobalEvent)]
struct Census<'a>(&'a mut (usize, f64));

pub(super) struct Evenio(World);

impl Family for Evenio {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(
            |_: Receiver<Bear>,
             parents: Fetcher<&Parent>,
             mut sender: Sender<(Spawn, Insert<Child>)>| {
                for parent in &parents {
                    let child = sender.spawn();
                    sender.insert(child, Child(parent.0));
                }
            },
        );
        world.add_handler(
            |_: Receiver<Bury>,
             children: Fetcher<(EntityId, With<&Child>)>,
             mut sender: Sender<Despawn>| {
                children.iter().for_each(|(child, _)| sender.despawn(child));
            },
        );
        world.add_handler(
            |mut asked: ReceiverMut<Census>,
             parents: Fetcher<&Parent>,
             children: Fetcher<&Child>| {
                let parents = parents.iter().map(|one| one.0);
                let all: Vec<f32> = parents.chain(children.iter().map(|one| one.0)).collect();
                *asked.event.0 = (all.len(), all.into_iter().map(f64::from).sum());
            },
        );
        Self(world)
    }

    fn add(&mut self, value: f32) {
        let parent = self.0.spawn();
        self.0.insert(parent, Parent(value));
    }

    fn bear(&mut self) {
        self.0.send(Bear);
    }

    fn bury(&mut self) {
        self.0.send(Bury);
    }

    fn census(&mut self) -> (usize, f64) {
        let mut census = (0, 0.0);
        self.0.send(Census(&mut census));
        census
    }
}

pub(super) struct Sparsey {
    world: sparsey::World,
    values: Vec<f32>,
    children: Vec<sparsey::Entity>,
}

impl Family for Sparsey {
    fn new() -> Self {
        let world = sparsey::World::builder().register::<Parent>().register::<Child>().build();
        Self { world, values: Vec::new(), children: Vec::new() }
    }

    fn add(&mut self, value: f32) {
        self.world.create((Parent(value),));
    }

    fn bear(&mut self) {
        self.values.extend(self.world.borrow::<Parent>().as_slice().iter().map(|one| one.0));
        self.world.extend(self.values.drain(..).map(|value| (Child(value),)));
    }

    fn bury(&mut self) {
        self.children.extend(self.world.borrow::<Child>().entities());
        for child in self.children.drain(..) {
            self.world.destroy(child);
        }
    }

    fn census(&mut self) -> (usize, f64) {
        let (parents, children) = (self.world.borrow::<Parent>(), self.world.borrow::<Child>());
        let parents = parents.as_slice().iter().map(|one| one.0);
        let all = parents.chain(children.as_slice().iter().map(|one| one.0));
        (self.world.entities().len(), all.map(f64::from).sum())
    }
}

pub(super) struct Shipyard(shipyard::World);

impl Family for Shipyard {
    fn new() -> Self {
        Self(shipyard::World::new())
    }

    fn add(&mut self, value: f32) {
        self.0.add_entity(Parent(value));
    }

    fn bear(&mut self) {
        self.0.run(
            |mut entities: shipyard::EntitiesViewMut,
             parents: View<Parent>,
             mut children: ViewMut<Child>| {
                for parent in parents.iter() {
                    entities.add_entity(&mut children, Child(parent.0));
                }
            },
        );
    }

    fn bury(&mut self) {
        self.0.delete_any::<shipyard::sparse_set::SparseSet<Child>>();
    }

    fn census(&mut self) -> (usize, f64) {
        self.0.run(|parents: View<Parent>, children: View<Child>| {
            let all = parents.iter().map(|one| one.0).chain(children.iter().map(|one| one.0));
            (parents.len() + children.len(), all.map(f64::from).sum())
        })
    }
}
