//! lath: `Pool` with things in rows, by the calls that its documentation shows.
//!
//! Walks are written with `for_each`, which runs full groups of 64 slots as one straight loop.

use lath_core::{Fields, Handle, Pool, Rows, Thing};

use crate::store::{Clear, Lookup, SpawnMany, Store, Walk};
use crate::things::Sample;

/// `lath_core::Pool`; lookups by a view, as the documentation says for many of them.
pub(crate) struct LathRows<T: Thing>(Pool<T>);

impl<T: Sample + Thing<Storage = Rows<T>>> Store<T> for LathRows<T> {
    type Key = Handle<T>;

    fn new() -> Self {
        Self(Pool::new())
    }

    fn with_room(things: usize) -> Self {
        Self(Pool::with_capacity(things).expect("there is memory"))
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Handle<T> {
        self.0.spawn(thing)
    }

    #[inline(always)]
    fn despawn(&mut self, key: Handle<T>) {
        self.0.despawn(key);
    }
}

impl<T: Sample + Thing<Storage = Rows<T>>> SpawnMany<T> for LathRows<T> {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Handle<T>>) {
        let mut things = things;
        let count = things.len() as u32;
        let range = self.0.spawn_range(count, move |_| things.next().expect("as many as it said"));
        keys.extend(range.expect("there is room").iter());
    }
}

impl<T: Sample + Thing<Storage = Rows<T>> + Fields> Lookup<T> for LathRows<T> {
    #[inline(always)]
    fn field(&self, key: Handle<T>) -> f32 {
        self.0.get(key).map_or(0.0, T::field)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Handle<T>]) -> u32 {
        let things = self.0.view::<&T>();
        keys.iter()
            .fold(0, |sum, &key| sum.wrapping_add(things.get(key).map_or(0.0, T::field).to_bits()))
    }
}

impl<T: Thing> Clear for LathRows<T> {
    fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T: Sample + Thing<Storage = Rows<T>>> Walk<T> for LathRows<T> {
    #[inline(always)]
    fn walk(&self, mut see: impl FnMut(&T)) {
        self.0.iter().for_each(|(_, thing)| see(thing));
    }

    #[inline(always)]
    fn walk_mut(&mut self, mut change: impl FnMut(&mut T)) {
        self.0.iter_mut().for_each(|(_, thing)| change(thing));
    }
}

/// The same pool; lookups by `read`, which answers with the nil thing instead of an `Option`.
pub(crate) struct LathRowsRead<T: Thing>(LathRows<T>);

impl<T: Sample + Thing<Storage = Rows<T>>> Store<T> for LathRowsRead<T> {
    type Key = Handle<T>;

    fn new() -> Self {
        Self(LathRows::new())
    }

    fn with_room(things: usize) -> Self {
        Self(LathRows::with_room(things))
    }

    fn spawn(&mut self, thing: T) -> Handle<T> {
        self.0.spawn(thing)
    }

    fn despawn(&mut self, key: Handle<T>) {
        self.0.despawn(key);
    }
}

impl<T: Sample + Thing<Storage = Rows<T>>> Lookup<T> for LathRowsRead<T> {
    #[inline(always)]
    fn field(&self, key: Handle<T>) -> f32 {
        self.0.0.read(key).field()
    }
}

/// The same pool; many lookups by `get_many`, and many despawned by `despawn_many`, which fetch
/// memory ahead.
pub(crate) struct LathRowsMany<T: Thing>(LathRows<T>);

impl<T: Sample + Thing<Storage = Rows<T>>> Store<T> for LathRowsMany<T> {
    type Key = Handle<T>;

    fn new() -> Self {
        Self(LathRows::new())
    }

    fn with_room(things: usize) -> Self {
        Self(LathRows::with_room(things))
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Handle<T> {
        self.0.spawn(thing)
    }

    fn despawn(&mut self, key: Handle<T>) {
        self.0.despawn(key);
    }

    #[inline(always)]
    fn despawn_many(&mut self, keys: impl Iterator<Item = Handle<T>>) {
        self.0.0.despawn_many(keys);
    }
}

impl<T: Sample + Thing<Storage = Rows<T>> + Fields> Lookup<T> for LathRowsMany<T> {
    #[inline(always)]
    fn field(&self, key: Handle<T>) -> f32 {
        self.0.field(key)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Handle<T>]) -> u32 {
        let things = self.0.0.view::<&T>().get_many(keys);
        things.fold(0, |sum, thing| sum.wrapping_add(thing.map_or(0.0, T::field).to_bits()))
    }
}

/// A pool that has grown: one that was not told how many things there will be.
pub(crate) struct Grown<S>(S);

impl<T, S: Store<T>> Store<T> for Grown<S> {
    type Key = S::Key;

    fn new() -> Self {
        Self(S::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> S::Key {
        self.0.spawn(thing)
    }

    #[inline(always)]
    fn despawn(&mut self, key: S::Key) {
        self.0.despawn(key);
    }
}

impl<T, S: Lookup<T>> Lookup<T> for Grown<S> {
    #[inline(always)]
    fn field(&self, key: S::Key) -> f32 {
        self.0.field(key)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[S::Key]) -> u32 {
        self.0.sum(keys)
    }
}
