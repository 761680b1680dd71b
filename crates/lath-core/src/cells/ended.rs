//! Many lives that end together: their slots are freed group by group.

use super::*;

/// Slots of one group whose lives have ended and that are still to be freed.
#[derive(Default)]
pub(crate) struct Ended {
    group: u32,
    bits: u64,
}

impl<T: Thing> Cells<T> {
    /// Whether no code of the user's runs when a life ends: nothing is dropped, and there are no
    /// tags to be asked for their bits. Then lives can be ended one by one and their slots be freed
    /// later, as nothing panics in between.
    pub(crate) const PLAIN: bool = !T::Storage::NEEDS_DROP && !Self::TAGGED;

    /// Ends the life that `handle` names, of a thing without anything to drop. Its slot is freed
    /// with others of its group, [`free_ended`](Self::free_ended) at the latest.
    #[inline(always)]
    pub(crate) fn end_plain(&mut self, handle: Handle<T>, ended: &mut Ended) {
        debug_assert!(Self::PLAIN);
        let Some((_, after)) = self.end(handle) else { return };
        if after == SPENT || self.slots.claimed() > 0 {
            unlikely();
            return self.vacate_slowly(handle.index(), after);
        }
        let group = handle.index() / GROUP;
        if group != ended.group {
            self.free_ended(ended);
            ended.group = group;
        }
        ended.bits |= 1 << (handle.index() % GROUP);
    }

    /// Frees the slots of a group whose lives have ended.
    #[inline(never)]
    pub(crate) fn free_ended(&mut self, ended: &mut Ended) {
        let bits = core::mem::take(&mut ended.bits);
        if bits != 0 {
            self.slots.release_all(ended.group, bits);
        }
    }

    /// Ends the lives of all live things, which have nothing to drop.
    pub(crate) fn end_all_plain(&mut self) {
        let mut ended = Ended::default();
        let mut from = 0;
        while let Some((group, live)) = self.slots.next_live(from) {
            for bit in ones(live) {
                if let Some(handle) = self.handle_at(group * GROUP + bit) {
                    self.end_plain(handle, &mut ended);
                }
            }
            self.free_ended(&mut ended);
            from = group + 1;
        }
    }
}
