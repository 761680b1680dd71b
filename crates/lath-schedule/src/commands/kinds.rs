//! What commands there are.

use std::marker::PhantomData;

use lath_core::guard::Guard;
use lath_core::{Field, Fields, Handle, Relation, TagSet};

use super::queue::Command;
use crate::hooks::{self, Happened};
use crate::world::{Resident, World};

pub(super) struct Spawn<T: Resident>(pub(super) Handle<T>, pub(super) T);

impl<T: Resident> Command for Spawn<T> {
    fn apply(self, world: &mut World) -> bool {
        let Self(handle, thing) = self;
        // The thing may panic on its way in: a cold field is compared.
        let mut promised = Guard::new(&mut *world, |world| give_up(world, handle));
        let spawned = promised.pool_mut::<T>().spawn_at(handle, thing).is_ok();
        promised.disarm();
        if spawned {
            hooks::happened(world, || Happened::Spawned(handle));
        }
        spawned
    }

    fn reserve(&self, world: &mut World) {
        // If it is refused, so is the command.
        world.pool_mut::<T>().reserve_at(self.0).ok();
    }

    fn cancel(self, world: &mut World) {
        give_up(world, self.0);
    }
}

/// Frees a slot that was reserved for a thing that does not come.
fn give_up<T: Resident>(world: &mut World, handle: Handle<T>) {
    if let Some(pool) = world.present_pool_mut::<T>().filter(|pool| !pool.contains(handle)) {
        pool.despawn(handle);
    }
}

pub(super) struct Despawn<T: Resident>(pub(super) Handle<T>);

impl<T: Resident> Command for Despawn<T> {
    fn apply(self, world: &mut World) -> bool {
        world.despawn(self.0)
    }
}

/// Where among the children of a parent.
#[derive(Clone, Copy)]
pub(super) enum AttachAt {
    First,
    Last,
}

pub(super) struct Attach<R, T: Resident> {
    child: Handle<T>,
    parent: Handle<T>,
    at: AttachAt,
    relation: PhantomData<fn() -> R>,
}

impl<R, T: Resident> Attach<R, T> {
    pub(super) fn new(child: Handle<T>, parent: Handle<T>, at: AttachAt) -> Self {
        Self { child, parent, at, relation: PhantomData }
    }
}

impl<R: Relation, T: Resident> Command for Attach<R, T> {
    fn apply(self, world: &mut World) -> bool {
        let Some(pool) = world.present_pool_mut::<T>() else { return false };
        let mut tree = pool.tree_of_mut::<R>();
        match self.at {
            AttachAt::First => tree.attach_first(self.child, self.parent).is_ok(),
            AttachAt::Last => tree.attach(self.child, self.parent).is_ok(),
        }
    }
}

pub(super) struct Detach<R, T: Resident>(Handle<T>, PhantomData<fn() -> R>);

impl<R, T: Resident> Detach<R, T> {
    pub(super) fn new(handle: Handle<T>) -> Self {
        Self(handle, PhantomData)
    }
}

impl<R: Relation, T: Resident> Command for Detach<R, T> {
    fn apply(self, world: &mut World) -> bool {
        let pool = world.present_pool_mut::<T>();
        pool.is_some_and(|pool| pool.tree_of_mut::<R>().detach(self.0).is_ok())
    }
}

/// Keeps some tags of a thing and adds others.
pub(super) struct Tag<T: Resident> {
    pub(super) handle: Handle<T>,
    pub(super) keep: u64,
    pub(super) add: u64,
}

impl<T: Resident> Command for Tag<T> {
    fn apply(self, world: &mut World) -> bool {
        let Self { handle, keep, add } = self;
        world.change_tags(handle, |tags| T::Tags::narrow(tags.widen() & keep | add))
    }
}

pub(super) struct Set<F: Field>(pub(super) Handle<F::Thing>, pub(super) F::Value);

impl<F: Field<Thing: Resident + Fields, Value: Send>> Command for Set<F> {
    fn apply(self, world: &mut World) -> bool {
        let pool = world.present_pool_mut::<F::Thing>();
        pool.is_some_and(|pool| pool.set::<F>(self.0, self.1).is_ok())
    }
}

pub(super) struct Insert<R>(pub(super) R);

impl<R: Send + Sync + 'static> Command for Insert<R> {
    fn apply(self, world: &mut World) -> bool {
        world.insert(self.0);
        true
    }
}

pub(super) struct Remove<R>(PhantomData<fn() -> R>);

impl<R> Default for Remove<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R: Send + Sync + 'static> Command for Remove<R> {
    fn apply(self, world: &mut World) -> bool {
        world.remove::<R>().is_some()
    }
}

pub(super) struct Tell<E>(pub(super) E);

impl<E: Send + Sync + 'static> Command for Tell<E> {
    fn apply(self, world: &mut World) -> bool {
        world.send(self.0);
        true
    }
}

pub(super) struct Do<F>(pub(super) F);

impl<F: FnOnce(&mut World) + Send + 'static> Command for Do<F> {
    const DOES_ANYTHING: bool = true;

    fn apply(self, world: &mut World) -> bool {
        (self.0)(world);
        true
    }
}
