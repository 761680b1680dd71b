//! slotmap: its three maps, by the calls that its documentation shows.
//!
//! `SlotMap` is what it recommends for everything but walks; `HopSlotMap` (deprecated since 1.1,
//! still quicker over holes) and `DenseSlotMap` (packed, with an indirection at every lookup) take
//! part in the walks. There is no bulk insertion: one reserves, then inserts.

use slotmap::DefaultKey;

use crate::store::{Clear, Lookup, SpawnMany, Store, Walk};
use crate::things::Sample;

/// `slotmap::SlotMap`.
pub(crate) struct SlotMapBasic<T>(slotmap::SlotMap<DefaultKey, T>);

/// `slotmap::HopSlotMap`.
#[expect(deprecated, reason = "people still use it, and it walks worn maps faster than `SlotMap`")]
pub(crate) struct SlotMapHop<T>(slotmap::HopSlotMap<DefaultKey, T>);

/// `slotmap::DenseSlotMap`.
pub(crate) struct SlotMapDense<T>(slotmap::DenseSlotMap<DefaultKey, T>);

impl<T> Clear for SlotMapBasic<T> {
    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The three maps share their calls, but no trait.
macro_rules! candidate {
    ($wrapper:ident, $map:ident) => {
        impl<T: Sample> Store<T> for $wrapper<T> {
            type Key = DefaultKey;

            fn new() -> Self {
                #[allow(deprecated, reason = "one of the three is")]
                Self(slotmap::$map::new())
            }

            #[inline(always)]
            fn spawn(&mut self, thing: T) -> DefaultKey {
                self.0.insert(thing)
            }

            #[inline(always)]
            fn despawn(&mut self, key: DefaultKey) {
                self.0.remove(key);
            }
        }

        impl<T: Sample> SpawnMany<T> for $wrapper<T> {
            #[inline(always)]
            fn spawn_many(
                &mut self,
                things: impl ExactSizeIterator<Item = T>,
                keys: &mut Vec<DefaultKey>,
            ) {
                self.0.reserve(things.len());
                keys.extend(things.map(|thing| self.0.insert(thing)));
            }
        }

        impl<T: Sample> Lookup<T> for $wrapper<T> {
            #[inline(always)]
            fn field(&self, key: DefaultKey) -> f32 {
                self.0.get(key).map_or(0.0, T::field)
            }
        }

        impl<T: Sample> Walk<T> for $wrapper<T> {
            #[inline(always)]
            fn walk(&self, see: impl FnMut(&T)) {
                self.0.values().for_each(see);
            }

            #[inline(always)]
            fn walk_mut(&mut self, change: impl FnMut(&mut T)) {
                self.0.values_mut().for_each(change);
            }
        }
    };
}

candidate!(SlotMapBasic, SlotMap);
candidate!(SlotMapHop, HopSlotMap);
candidate!(SlotMapDense, DenseSlotMap);
