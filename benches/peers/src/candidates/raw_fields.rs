//! `raw` for lookups: only the field that is asked for, in an array of its own, with the generation
//! beside it.
//!
//! Eight bytes per thing: one cache line answers both questions, and eight times as many things fit
//! into the cache as with the 100-byte rows of everybody else. The rest of the thing would be kept
//! elsewhere; nobody looks at it here.

use crate::candidates::raw_rows::RawKey;
use crate::store::{Lookup, Store};
use crate::things::Sample;

struct Entry {
    generation: u32,
    field: f32,
}

/// The one field of every thing.
pub(crate) struct RawFields {
    entries: Vec<Entry>,
    free: Vec<u32>,
}

impl<T: Sample> Store<T> for RawFields {
    type Key = RawKey;

    fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }

    fn spawn(&mut self, thing: T) -> RawKey {
        let field = thing.field();
        if let Some(index) = self.free.pop() {
            let entry = &mut self.entries[index as usize];
            *entry = Entry { generation: entry.generation + 1, field };
            return RawKey { index, generation: entry.generation };
        }
        self.entries.push(Entry { generation: 1, field });
        RawKey { index: self.entries.len() as u32 - 1, generation: 1 }
    }

    fn despawn(&mut self, key: RawKey) {
        let entry = &mut self.entries[key.index as usize];
        if entry.generation == key.generation {
            entry.generation += 1;
            self.free.push(key.index);
        }
    }
}

impl<T: Sample> Lookup<T> for RawFields {
    #[inline(always)]
    fn field(&self, key: RawKey) -> f32 {
        match self.entries.get(key.index as usize) {
            Some(entry) if entry.generation == key.generation => entry.field,
            _ => 0.0,
        }
    }
}
