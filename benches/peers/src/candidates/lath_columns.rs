//! lath: `Pool` with things in columns. Lookups ask for the one field they read, by a view.

use lath_core::{Handle, Pool, Ref, Thing, View};

use crate::store::{Clear, Lookup, SpawnMany, Store};
use crate::things::{
    ColumnFat, ColumnSmall, Fat, HotFat, Sample, Small, column_fat, column_small, hot_fat,
};

/// A thing that is kept in columns in the place of `T`.
pub(crate) trait InPlaceOf<T>: Thing + From<T> {
    /// What lookups look at.
    type Seen: View<Thing = Self>;

    /// The field that they read.
    fn field(seen: <Self::Seen as View>::Item<'_>) -> f32;
}

impl InPlaceOf<Small> for ColumnSmall {
    type Seen = Ref<'static, column_small::health>;

    #[inline(always)]
    fn field(seen: Ref<'_, column_small::health>) -> f32 {
        *seen
    }
}

impl InPlaceOf<Fat> for ColumnFat {
    type Seen = Ref<'static, column_fat::health>;

    #[inline(always)]
    fn field(seen: Ref<'_, column_fat::health>) -> f32 {
        *seen
    }
}

impl InPlaceOf<Fat> for HotFat {
    type Seen = Ref<'static, hot_fat::health>;

    #[inline(always)]
    fn field(seen: Ref<'_, hot_fat::health>) -> f32 {
        *seen
    }
}

/// `lath_core::Pool` of `C`, which is in columns.
pub(crate) struct LathColumns<C: Thing>(Pool<C>);

impl<T: Sample, C: InPlaceOf<T> + 'static> Store<T> for LathColumns<C> {
    type Key = Handle<C>;

    fn new() -> Self {
        Self(Pool::new())
    }

    fn with_room(things: usize) -> Self {
        Self(Pool::with_capacity(things).expect("there is memory"))
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Handle<C> {
        self.0.spawn(thing.into())
    }

    #[inline(always)]
    fn despawn(&mut self, key: Handle<C>) {
        self.0.despawn(key);
    }
}

impl<T: Sample, C: InPlaceOf<T> + 'static> SpawnMany<T> for LathColumns<C> {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Handle<C>>) {
        let mut things = things;
        let count = things.len() as u32;
        let range =
            self.0.spawn_range(count, move |_| C::from(things.next().expect("as many as it said")));
        keys.extend(range.expect("there is room").iter());
    }
}

impl<T: Sample, C: InPlaceOf<T> + 'static> Lookup<T> for LathColumns<C> {
    #[inline(always)]
    fn field(&self, key: Handle<C>) -> f32 {
        self.0.view::<C::Seen>().get(key).map_or(0.0, C::field)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Handle<C>]) -> u32 {
        let things = self.0.view::<C::Seen>();
        keys.iter()
            .fold(0, |sum, &key| sum.wrapping_add(things.get(key).map_or(0.0, C::field).to_bits()))
    }
}

impl<C: Thing> Clear for LathColumns<C> {
    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The same pool; many lookups by `get_many`, and many despawned by `despawn_many`, which fetch
/// memory ahead.
pub(crate) struct LathColumnsMany<C: Thing>(LathColumns<C>);

impl<T: Sample, C: InPlaceOf<T> + 'static> Store<T> for LathColumnsMany<C> {
    type Key = Handle<C>;

    fn new() -> Self {
        Self(LathColumns(Pool::new()))
    }

    fn with_room(things: usize) -> Self {
        Self(LathColumns::with_room(things))
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Handle<C> {
        self.0.spawn(thing)
    }

    fn despawn(&mut self, key: Handle<C>) {
        self.0.0.despawn(key);
    }

    #[inline(always)]
    fn despawn_many(&mut self, keys: impl Iterator<Item = Handle<C>>) {
        self.0.0.despawn_many(keys);
    }
}

impl<T: Sample, C: InPlaceOf<T> + 'static> Lookup<T> for LathColumnsMany<C> {
    #[inline(always)]
    fn field(&self, key: Handle<C>) -> f32 {
        self.0.field(key)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Handle<C>]) -> u32 {
        let things = self.0.0.view::<C::Seen>().get_many(keys);
        things.fold(0, |sum, thing| sum.wrapping_add(thing.map_or(0.0, C::field).to_bits()))
    }
}
