//! `raw` for spawning and churn: a `Vec` of rows that doubles, with a generation and the next free
//! place in each row.
//!
//! What an expert writes in ten minutes, without `unsafe`: `push` while nothing is free, otherwise
//! the place that was freed last. A row's generation is odd while the row is live. `push` builds
//! the thing in place; there is no copy from the stack. Doubling moves the rows unless what follows
//! them on the heap happens to be free.

use crate::store::{Clear, Lookup, SpawnMany, Store};
use crate::things::Sample;

/// Index and generation.
#[derive(Clone, Copy)]
pub(crate) struct RawKey {
    pub(super) index: u32,
    pub(super) generation: u32,
}

/// No free place.
const NONE: u32 = u32::MAX;

struct Row<T> {
    generation: u32,
    next_free: u32,
    thing: T,
}

/// The rows, and the first of the free places that are chained through them: [`NONE`] at the end.
pub(crate) struct RawRows<T> {
    rows: Vec<Row<T>>,
    first_free: u32,
}

impl<T: Sample> Store<T> for RawRows<T> {
    type Key = RawKey;

    fn new() -> Self {
        Self { rows: Vec::new(), first_free: NONE }
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> RawKey {
        if let Some(row) = self.rows.get_mut(self.first_free as usize) {
            let index = self.first_free;
            self.first_free = row.next_free;
            row.generation += 1;
            row.thing = thing;
            return RawKey { index, generation: row.generation };
        }
        let index = self.rows.len() as u32;
        self.rows.push(Row { generation: 1, next_free: NONE, thing });
        RawKey { index, generation: 1 }
    }

    #[inline(always)]
    fn despawn(&mut self, key: RawKey) {
        match self.rows.get_mut(key.index as usize) {
            Some(row) if row.generation == key.generation => {
                row.generation += 1;
                row.next_free = self.first_free;
                self.first_free = key.index;
            }
            _ => {}
        }
    }
}

/// Reserves once, extends without a check per row, then counts the keys out: only ever used on rows
/// without free places.
impl<T: Sample> SpawnMany<T> for RawRows<T> {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<RawKey>) {
        assert!(self.first_free == NONE, "no workload fills holes in bulk");
        let first = self.rows.len() as u32;
        self.rows.extend(things.map(|thing| Row { generation: 1, next_free: NONE, thing }));
        keys.extend((first..self.rows.len() as u32).map(|index| RawKey { index, generation: 1 }));
    }
}

/// Forgets the generations, too: of an array that is thrown away no key should be kept.
impl<T> Clear for RawRows<T> {
    fn clear(&mut self) {
        self.rows.clear();
        self.first_free = NONE;
    }
}

impl<T: Sample> Lookup<T> for RawRows<T> {
    #[inline(always)]
    fn field(&self, key: RawKey) -> f32 {
        match self.rows.get(key.index as usize) {
            Some(row) if row.generation == key.generation => row.thing.field(),
            _ => 0.0,
        }
    }
}
