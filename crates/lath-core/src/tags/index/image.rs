//! The bitmaps of all tags, for copies of pools.

use super::*;

impl<T: TagSet> TagIndex<T> {
    /// The tags that have a bitmap.
    pub(crate) fn in_use(&self) -> u64 {
        let used = self.maps().iter().enumerate().filter(|(_, map)| map.has_room(0));
        used.fold(0, |set, (bit, _)| set | 1 << bit)
    }

    /// Which slots of a group have a tag.
    #[inline]
    pub(crate) fn word(&self, bit: u32, group: u32) -> u64 {
        self.maps().get(bit as usize).map_or(0, |map| map.word(group))
    }

    /// Makes the bitmap of every tag what `word` says of it, group by group, where there is memory.
    pub(crate) fn assign(&mut self, mut word: impl FnMut(u32, u32) -> u64) {
        for (bit, map) in self.maps.as_mut().iter_mut().enumerate() {
            map.assign(|group| word(bit as u32, group));
        }
    }
}
