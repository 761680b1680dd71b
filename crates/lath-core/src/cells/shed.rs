//! Memory that is given back, and the stamps of its slots, which are kept: what is spawned there
//! later gets a generation that nobody has a handle of.

use super::*;

impl<T: Thing> Cells<T> {
    /// Gives back the memory at the end in which no slot is in use. Does nothing if there is no
    /// memory for the stamps, which are kept, or if the pool must never allocate.
    pub(crate) fn shrink(&mut self) {
        if !self.clustered || self.settle().is_err() {
            return;
        }
        let in_use = self.slots.last_in_use().map_or(1, |group| (group + 1) * GROUP);
        let end = self.values.memory().end_of_kept(in_use.into());
        let stamps = || {
            let leaving = self.values.memory().ranges().flatten().filter(|&index| index >= end);
            let stamps =
                leaving.filter_map(|index| Some((index as u32, self.stamp(index as u32)?)));
            let used = |&(index, stamp): &(u32, u32)| {
                stamp != SPENT || self.slots.state(index) != State::Free // retired
            };
            stamps.filter(used)
        };
        let mut kept = Vec::new();
        if kept.try_reserve_exact(self.shed.len() + stamps().count()).is_err() {
            return;
        }
        kept.extend(stamps());
        kept.extend(&self.shed);
        kept.sort_unstable();
        self.shed = kept;
        self.values.memory_mut().shrink(in_use.into());
        self.drop_cursor(); // it may be at a group that is gone (C4)
    }

    /// Where the stamp of a slot is kept whose memory was given back.
    pub(super) fn shed_at(&self, index: u32) -> Option<usize> {
        self.shed.binary_search_by_key(&index, |kept| kept.0).ok()
    }

    /// The first slot at `from` or later whose memory was given back after it had been used.
    pub(super) fn next_shed(&self, from: u32) -> Option<u32> {
        let at = self.shed.partition_point(|kept| kept.0 < from);
        self.shed.get(at).map(|kept| kept.0)
    }

    /// Gives slots that have memory again the stamps that they had.
    #[cold]
    pub(super) fn put_back_shed(&mut self) {
        let kept = core::mem::take(&mut self.shed);
        let (back, shed) = kept.iter().partition(|kept| self.values.place(kept.0).is_some());
        self.shed = shed;
        let back: Vec<(u32, u32)> = back;
        back.into_iter().for_each(|(index, stamp)| self.put_stamp(index, stamp));
    }
}
