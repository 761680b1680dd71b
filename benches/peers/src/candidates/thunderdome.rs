//! thunderdome: `Arena`, by the calls that its documentation shows. Bulk insertion is a
//! `with_capacity` and a loop.

use thunderdome::{Arena, Index};

use crate::store::{Lookup, SpawnMany, Store, Walk};
use crate::things::Sample;

/// `thunderdome::Arena`.
pub(crate) struct Thunderdome<T>(Arena<T>);

impl<T: Sample> Store<T> for Thunderdome<T> {
    type Key = Index;

    fn new() -> Self {
        Self(Arena::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Index {
        self.0.insert(thing)
    }

    #[inline(always)]
    fn despawn(&mut self, key: Index) {
        self.0.remove(key);
    }
}

impl<T: Sample> SpawnMany<T> for Thunderdome<T> {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Index>) {
        // An arena cannot reserve later on; every workload starts from an empty one, where this is
        // the same.
        assert!(self.0.is_empty(), "only an empty arena can be replaced by one with room");
        self.0 = Arena::with_capacity(things.len());
        keys.extend(things.map(|thing| self.0.insert(thing)));
    }
}

impl<T: Sample> Lookup<T> for Thunderdome<T> {
    #[inline(always)]
    fn field(&self, key: Index) -> f32 {
        self.0.get(key).map_or(0.0, T::field)
    }
}

impl<T: Sample> Walk<T> for Thunderdome<T> {
    #[inline(always)]
    fn walk(&self, mut see: impl FnMut(&T)) {
        self.0.iter().for_each(|(_, thing)| see(thing));
    }

    #[inline(always)]
    fn walk_mut(&mut self, mut change: impl FnMut(&mut T)) {
        self.0.iter_mut().for_each(|(_, thing)| change(thing));
    }
}
