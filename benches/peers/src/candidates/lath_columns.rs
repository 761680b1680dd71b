//! lath: `Pool` with things in columns. Lookups ask for the one field they read, by `view`.

use lath_core::{Handle, Pool, Ref, Thing};

use crate::store::{Lookup, SpawnMany, Store};
use crate::things::{ColumnFat, ColumnSmall, Fat, HotFat, Sample, Small, column_fat, column_small, hot_fat};

/// A thing that is kept in columns in the place of `T`.
pub(crate) trait InPlaceOf<T>: Thing + From<T> {
    /// The field that lookups read.
    fn field(pool: &Pool<Self>, key: Handle<Self>) -> Option<f32>;

    /// The same of many.
    fn fields(pool: &Pool<Self>, keys: &[Handle<Self>]) -> impl Iterator<Item = Option<f32>>;
}

impl InPlaceOf<Small> for ColumnSmall {
    #[inline(always)]
    fn field(pool: &Pool<Self>, key: Handle<Self>) -> Option<f32> {
        pool.view::<Ref<column_small::x>>(key).map(|x| *x)
    }

    #[inline(always)]
    fn fields(pool: &Pool<Self>, keys: &[Handle<Self>]) -> impl Iterator<Item = Option<f32>> {
        pool.view_many::<Ref<column_small::x>>(keys).map(|found| found.map(|x| *x))
    }
}

impl InPlaceOf<Fat> for ColumnFat {
    #[inline(always)]
    fn field(pool: &Pool<Self>, key: Handle<Self>) -> Option<f32> {
        pool.view::<Ref<column_fat::position>>(key).map(|position| position[0])
    }

    #[inline(always)]
    fn fields(pool: &Pool<Self>, keys: &[Handle<Self>]) -> impl Iterator<Item = Option<f32>> {
        pool.view_many::<Ref<column_fat::position>>(keys).map(|found| found.map(|position| position[0]))
    }
}

impl InPlaceOf<Fat> for HotFat {
    #[inline(always)]
    fn field(pool: &Pool<Self>, key: Handle<Self>) -> Option<f32> {
        pool.view::<Ref<hot_fat::x>>(key).map(|x| *x)
    }

    #[inline(always)]
    fn fields(pool: &Pool<Self>, keys: &[Handle<Self>]) -> impl Iterator<Item = Option<f32>> {
        pool.view_many::<Ref<hot_fat::x>>(keys).map(|found| found.map(|x| *x))
    }
}

/// `lath_core::Pool` of `C`, which is in columns.
pub(crate) struct LathColumns<C: Thing>(Pool<C>);

impl<T: Sample, C: InPlaceOf<T> + 'static> Store<T> for LathColumns<C> {
    type Key = Handle<C>;

    fn new() -> Self {
        Self(Pool::new())
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
        let range = self.0.spawn_range(count, |_| C::from(things.next().expect("as many as it said")));
        keys.extend(range.expect("there is room").iter());
    }
}

impl<T: Sample, C: InPlaceOf<T> + 'static> Lookup<T> for LathColumns<C> {
    #[inline(always)]
    fn field(&self, key: Handle<C>) -> f32 {
        C::field(&self.0, key).unwrap_or(0.0)
    }
}

/// The same pool; many lookups by `view_many`, and many despawned by `despawn_many`, which fetch memory ahead.
pub(crate) struct LathColumnsMany<C: Thing>(LathColumns<C>);

impl<T: Sample, C: InPlaceOf<T> + 'static> Store<T> for LathColumnsMany<C> {
    type Key = Handle<C>;

    fn new() -> Self {
        Self(LathColumns(Pool::new()))
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
        C::fields(&self.0.0, keys).fold(0, |sum, field| sum.wrapping_add(field.unwrap_or(0.0).to_bits()))
    }
}
