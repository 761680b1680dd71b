//! `raw` for walks: the things packed in one `Vec`, no holes, a plain loop over the slice.
//!
//! Taking one out moves the last one into its place; two arrays of numbers remember who is where.
//! Nothing walks faster, and nothing that keeps things in their places has to.

use crate::store::{Store, Walk};
use crate::things::Sample;

/// Packed things; a key is the number of a thing and is never used again.
pub(crate) struct RawPacked<T> {
    things: Vec<T>,
    key_at: Vec<u32>,
    place_of: Vec<u32>,
}

impl<T: Sample> Store<T> for RawPacked<T> {
    type Key = u32;

    fn new() -> Self {
        Self { things: Vec::new(), key_at: Vec::new(), place_of: Vec::new() }
    }

    fn spawn(&mut self, thing: T) -> u32 {
        let key = self.place_of.len() as u32;
        self.place_of.push(self.things.len() as u32);
        self.things.push(thing);
        self.key_at.push(key);
        key
    }

    fn despawn(&mut self, key: u32) {
        let place = self.place_of[key as usize] as usize;
        self.things.swap_remove(place);
        self.key_at.swap_remove(place);
        if let Some(&moved) = self.key_at.get(place) {
            self.place_of[moved as usize] = place as u32;
        }
    }
}

impl<T: Sample> Walk<T> for RawPacked<T> {
    #[inline(always)]
    fn walk(&self, see: impl FnMut(&T)) {
        self.things.iter().for_each(see);
    }

    #[inline(always)]
    fn walk_mut(&mut self, change: impl FnMut(&mut T)) {
        self.things.iter_mut().for_each(change);
    }
}
