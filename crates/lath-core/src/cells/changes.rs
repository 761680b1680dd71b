//! Marking what is given away to be changed.

use alloc::boxed::Box;

use super::*;
use crate::marks::Marks;
use crate::view::View;

impl<T: Thing> Cells<T> {
    pub(crate) fn track_changes(&mut self) {
        let end = self.slots.numbers().end;
        self.marks.get_or_insert_with(|| Box::new(Marks::new(1))).grow(end);
        self.set_observed(true);
    }

    pub(crate) fn tracks_changes(&self) -> bool {
        self.marks.is_some()
    }

    pub(crate) fn tick(&self) -> u64 {
        self.marks.as_ref().map_or(0, |marks| marks.tick)
    }

    pub(crate) fn next_tick(&mut self) -> u64 {
        self.marks.as_mut().map_or(0, |marks| {
            marks.tick += 1;
            marks.tick
        })
    }

    /// Makes it possible to mark the fields that a view writes one by one, behind a shared
    /// reference.
    pub(crate) fn prepare_marks(&mut self, fields: u64) {
        if let Some(marks) = &mut self.marks {
            marks.prepare(fields, self.slots.numbers().end);
        }
    }

    /// Marks the group of a slot.
    #[inline(always)]
    pub(super) fn mark(&self, index: u32) {
        if let Some(marks) = &self.marks {
            marks.mark(index / GROUP);
        }
    }

    /// Marks the group of a slot that has just been filled.
    pub(crate) fn mark_spawned(&self, index: u32) {
        self.mark(index);
    }

    /// Marks all groups that have a live slot.
    #[inline]
    pub(super) fn mark_all(&self) {
        if let Some(marks) = &self.marks {
            let mut from = 0;
            while let Some((group, _)) = self.slots.next_live(from) {
                marks.mark(group);
                from = group + 1;
            }
        }
    }

    /// Marks the fields that a view writes, in the groups in which it sees anything, while others
    /// may write to other fields.
    #[inline]
    pub(crate) fn mark_seen<V: View<Thing = T>>(&self) {
        let (true, Some(marks)) = (V::WRITES != 0, &self.marks) else { return };
        let filter = self.filter::<V>();
        let mut from = 0;
        while let Some(group) = filter.next(from) {
            if filter.word(group) != 0 {
                marks.mark_fields(group, V::WRITES);
            }
            from = group + 1;
        }
    }

    /// Marks the fields that a view writes, in the group of the thing that a handle names.
    #[inline(always)]
    pub(super) fn mark_given<V: View<Thing = T>>(&self, handle: Handle<T>) {
        if V::WRITES != 0 && self.marks.is_some() && self.contains(handle) {
            self.mark_fields(handle.index(), V::WRITES);
        }
    }

    /// Marks some fields, in the group of a slot.
    #[inline]
    pub(crate) fn mark_fields(&self, index: u32, fields: u64) {
        if let (true, Some(marks)) = (fields != 0, &self.marks) {
            marks.mark_fields(index / GROUP, fields);
        }
    }

    /// The live things of the groups in which a field may have changed after `tick`.
    pub(crate) fn changed_since(&self, field: usize, tick: u64) -> impl Iterator<Item = Handle<T>> {
        let next_group = move |from: u32| match &self.marks {
            Some(marks) => marks.next_changed(field, tick, from),
            None => Some(from),
        };
        let mut from = 0;
        let groups = core::iter::from_fn(move || {
            loop {
                let changed = next_group(from)?;
                let (group, live) = self.slots.next_live(changed)?;
                from = group;
                if next_group(group)? == group {
                    from = group + 1;
                    return Some((group, live));
                }
            }
        });
        groups.flat_map(move |(group, live)| {
            ones(live).filter_map(move |bit| self.handle_at(group * GROUP + bit))
        })
    }
}
