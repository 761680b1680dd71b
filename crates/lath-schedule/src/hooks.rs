//! Hooks: what is called when things come and go, or change their tags.

use std::collections::VecDeque;

use lath_core::Handle;
use lath_core::guard::Guard;

use crate::world::{Resident, World};

type OnSpawn<T> = Box<dyn FnMut(&mut World, Handle<T>) + Send + Sync>;
type OnDespawn<T> = Box<dyn FnMut(&mut World, Handle<T>, &T) + Send + Sync>;
type OnTags<T> = Box<
    dyn FnMut(&mut World, Handle<T>, <T as lath_core::Thing>::Tags, <T as lath_core::Thing>::Tags)
        + Send
        + Sync,
>;

/// What hooks are called with.
pub(crate) enum Happened<T: Resident> {
    Spawned(Handle<T>),
    Despawned(Handle<T>, T),
    Tagged(Handle<T>, T::Tags, T::Tags),
}

/// The hooks of one type of things.
#[derive(Default)]
pub(crate) struct Hooks<T: Resident> {
    calls: Calls<T>,
    /// What is still to be heard of.
    pending: VecDeque<Happened<T>>,
    running: bool,
    /// Kept, so that they are allocated once.
    leaving: Vec<Handle<T>>,
    taken: Vec<(Handle<T>, T)>,
}

/// What is called.
#[derive(Default)]
struct Calls<T: Resident> {
    spawn: Vec<OnSpawn<T>>,
    despawn: Vec<OnDespawn<T>>,
    tags: Vec<OnTags<T>>,
}

impl<T: Resident> Calls<T> {
    fn call(&mut self, world: &mut World, happened: &Happened<T>) {
        match happened {
            Happened::Spawned(handle) => self.spawn.iter_mut().for_each(|f| f(world, *handle)),
            Happened::Despawned(handle, thing) => {
                self.despawn.iter_mut().for_each(|f| f(world, *handle, thing))
            }
            Happened::Tagged(handle, before, after) => {
                self.tags.iter_mut().for_each(|f| f(world, *handle, *before, *after));
            }
        }
    }
}

impl<T: Resident> Hooks<T> {
    /// The hooks of a world, made if there are none.
    fn of(world: &mut World) -> &mut Self {
        world.hooked = true;
        let key = world.hidden_key();
        world.types.get_or_insert_with(key, Self::default)
    }

    fn find(world: &mut World) -> Option<&mut Self> {
        world.peek_mut()
    }
}

/// Calls the hooks for something that happened, or notes it if hooks are running already.
#[inline]
pub(crate) fn happened<T: Resident>(world: &mut World, what: impl FnOnce() -> Happened<T>) {
    if !world.hooked {
        return;
    }
    let Some(hooks) = Hooks::<T>::find(world) else { return };
    hooks.pending.push_back(what());
    run::<T>(world);
}

/// Takes a thing out, and all that leaves with it, for hooks that want to know of that. Answers
/// whether there was such a thing; `None` if nobody wants to know.
pub(crate) fn despawn<T: Resident>(world: &mut World, handle: Handle<T>) -> Option<bool> {
    if !world.hooked {
        return None;
    }
    let hooks = Hooks::<T>::find(world)?;
    if hooks.calls.despawn.is_empty() && !hooks.running {
        return None;
    }
    let (mut leaving, mut taken) =
        (std::mem::take(&mut hooks.leaving), std::mem::take(&mut hooks.taken));
    let found = world.present_pool_mut::<T>().is_some_and(|pool| {
        pool.leaving_with(handle, &mut leaving);
        // Children first: whoever is taken takes nobody along then.
        taken.extend(leaving.iter().rev().filter_map(|&one| Some((one, pool.take(one)?))));
        // What is reserved has no value that anybody could hear of.
        !leaving.is_empty() || pool.despawn(handle)
    });
    leaving.clear();
    let Some(hooks) = Hooks::<T>::find(world) else { unreachable!("found above") };
    // All of them are noted before any hook is called: one that panics does not make the others
    // forgotten.
    hooks.pending.extend(taken.drain(..).rev().map(|(one, thing)| Happened::Despawned(one, thing)));
    (hooks.leaving, hooks.taken) = (leaving, taken);
    run::<T>(world);
    Some(found)
}

/// Calls hooks for all that is to be heard of, unless somebody is doing that already.
fn run<T: Resident>(world: &mut World) {
    let Some(hooks) = Hooks::<T>::find(world).filter(|hooks| !hooks.running) else { return };
    // While they run others only note what happens.
    hooks.running = true;
    let calls = std::mem::take(&mut hooks.calls);
    // The hooks are put back, also if one of them panics.
    let mut taken = Guard::new((world, calls), |(world, calls)| {
        let hooks = Hooks::<T>::of(world);
        // Those that were added meanwhile come after those that were there.
        let added = std::mem::replace(&mut hooks.calls, std::mem::take(calls));
        hooks.calls.spawn.extend(added.spawn);
        hooks.calls.despawn.extend(added.despawn);
        hooks.calls.tags.extend(added.tags);
        hooks.running = false;
    });
    while let Some(what) = Hooks::<T>::find(taken.0).and_then(|hooks| hooks.pending.pop_front()) {
        let (world, calls) = &mut *taken;
        calls.call(world, &what);
    }
}

impl World {
    /// Calls `f` whenever a thing of a type has been put in through the world or by commands; with
    /// the handle.
    ///
    /// Hooks run where commands are applied, in the order of the commands, and in the order in
    /// which they were added. What a hook itself puts in or takes out is heard of after it. Things
    /// that are put straight into the pool are not heard of, nor those that come and go because a
    /// snapshot is put back: whoever restores one brings what hooks keep up to date by itself, or
    /// keeps it in the world, where it is restored too.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// struct Launched(u32);
    /// let mut world = World::new();
    /// world.insert(Launched(0));
    /// world.on_spawn::<Ship>(|world, _ship| world.resource_mut::<Launched>().0 += 1);
    /// world.spawn(Ship {});
    /// assert_eq!(world.resource::<Launched>().0, 1);
    /// ```
    pub fn on_spawn<T: Resident>(
        &mut self,
        f: impl FnMut(&mut World, Handle<T>) + Send + Sync + 'static,
    ) {
        Hooks::<T>::of(self).calls.spawn.push(Box::new(f));
    }

    /// Calls `f` whenever a thing of a type has been taken out through the world or by commands;
    /// with the handle, which is stale by then, and the thing as it was. What leaves with a thing
    /// is heard of after it, thing by thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship { gold: u32 }
    /// struct Sunk(u32);
    /// let mut world = World::new();
    /// world.insert(Sunk(0));
    /// world.on_despawn::<Ship>(|world, _, ship| world.resource_mut::<Sunk>().0 += ship.gold);
    /// let ship = world.spawn(Ship { gold: 7 });
    /// world.despawn(ship);
    /// assert_eq!(world.resource::<Sunk>().0, 7);
    /// ```
    pub fn on_despawn<T: Resident>(
        &mut self,
        f: impl FnMut(&mut World, Handle<T>, &T) + Send + Sync + 'static,
    ) {
        Hooks::<T>::of(self).calls.despawn.push(Box::new(f));
    }

    /// Calls `f` whenever the tags of a thing of a type have been changed through the world or by
    /// commands; with the handle, and the tags before and after.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{bitflags::bitflags, Thing};
    /// # use lath_schedule::World;
    /// bitflags! { #[derive(Clone, Copy, Default)] struct Tags: u8 { const FROZEN = 1; } }
    /// #[derive(Thing, Default)]
    /// struct Ship { #[thing(tags)] tags: Tags }
    /// struct Thaws(u32);
    ///
    /// let mut world = World::new();
    /// world.insert(Thaws(0));
    /// world.on_tags::<Ship>(|world, _ship, before, after| {
    ///     if before.difference(after).contains(Tags::FROZEN) {
    ///         world.resource_mut::<Thaws>().0 += 1;
    ///     }
    /// });
    /// let ship = world.spawn(Ship { tags: Tags::FROZEN });
    /// world.set_tags(ship, Tags::empty());
    /// assert_eq!(world.resource::<Thaws>().0, 1);
    /// ```
    pub fn on_tags<T: Resident>(
        &mut self,
        f: impl FnMut(&mut World, Handle<T>, T::Tags, T::Tags) + Send + Sync + 'static,
    ) {
        Hooks::<T>::of(self).calls.tags.push(Box::new(f));
    }

    /// Changes the tags of a thing. Hooks [on tags](Self::on_tags) hear of it. Answers whether
    /// there is such a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing, bitflags::bitflags};
    /// # use lath_schedule::World;
    /// bitflags! { #[derive(Clone, Copy, Default)] struct Tags: u8 { const FROZEN = 1; } }
    /// #[derive(Thing, Default)]
    /// struct Ship { #[thing(tags)] tags: Tags }
    ///
    /// let mut world = World::new();
    /// let ship = world.spawn(Ship::default());
    /// assert!(world.set_tags(ship, Tags::FROZEN));
    /// assert!(world.pool().has(ship, Tags::FROZEN));
    /// assert!(!world.set_tags(Handle::<Ship>::NIL, Tags::FROZEN)); // there is no such ship
    /// ```
    pub fn set_tags<T: Resident>(&mut self, handle: Handle<T>, tags: T::Tags) -> bool {
        self.change_tags(handle, |_| tags)
    }

    pub(crate) fn change_tags<T: Resident>(
        &mut self,
        handle: Handle<T>,
        change: impl FnOnce(T::Tags) -> T::Tags,
    ) -> bool {
        let Some(pool) = self.present_pool_mut::<T>().filter(|pool| pool.contains(handle)) else {
            return false;
        };
        let before = pool.tags(handle);
        let after = change(before);
        pool.set_tags(handle, after);
        happened(self, || Happened::Tagged(handle, before, after));
        true
    }
}
