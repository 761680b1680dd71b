//! Whole bitsets, for copies of pools.

use super::*;

impl FlatBits {
    /// Makes every word that has memory what `word` says of its number.
    pub(crate) fn assign(&mut self, mut word: impl FnMut(u32) -> u64) {
        for (number, entry) in self.words.iter_mut().enumerate() {
            let new = word(number as u32);
            let old = core::mem::replace(entry, new);
            if old == new {
                continue; // and the summary has known
            }
            self.count = self.count - old.count_ones() + new.count_ones();
            if let Some(summary) = self.summary.get_mut(number >> 6) {
                let bit = 1 << (number & 63);
                *summary = if new != 0 { *summary | bit } else { *summary & !bit };
            }
        }
    }
}
