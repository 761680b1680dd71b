#![expect(
    unsafe_code,
    reason = "clones values out of slots, and into slots, that a caller vouches for"
)]
//! The values of one field that has to be cloned, group by group.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::*;
use crate::strips::ClonedVisitor;

/// The values of a field. A group is empty if none of its slots has one, and otherwise has 64.
pub(crate) struct Kept<F: Field<Value: Clone>> {
    groups: Vec<Vec<Option<F::Value>>>,
}

/// What can be done to the values of a field without knowing which.
pub(super) trait KeptField<T: Snap> {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;

    /// Makes so many groups; those that were there stay.
    fn resize(&mut self, groups: usize);

    /// How many bytes the values take here.
    fn bytes(&self) -> usize;

    /// Clones the values of the slots that `held` says.
    ///
    /// # Safety
    ///
    /// `place` says where each of those slots has its value, to which nobody has exclusive access.
    unsafe fn take(
        &mut self,
        at: usize,
        storage: &T::Storage,
        place: &dyn Fn(u32) -> Place<T>,
        held: u64,
    );

    /// Clones values into slots that hold others.
    ///
    /// # Safety
    ///
    /// `first` is the place of the first slot of a group of this storage. Those slots hold values,
    /// which nobody else uses.
    unsafe fn assign(&self, at: usize, storage: &T::Storage, first: Place<T>, slots: u64);

    /// Clones values into slots whose field holds none. `done` goes up with each that was put
    /// there.
    ///
    /// # Safety
    ///
    /// As for `assign`, but for what the slots hold.
    unsafe fn fill(
        &self,
        at: usize,
        storage: &T::Storage,
        first: Place<T>,
        slots: u64,
        done: &mut u64,
    );

    /// Drops values that `fill` put there.
    ///
    /// # Safety
    ///
    /// As for `assign`; the fields hold none afterwards.
    unsafe fn undo(&self, storage: &T::Storage, first: Place<T>, slots: u64);

    /// Becomes a copy of another of the same field.
    fn copy(&mut self, from: &dyn KeptField<T>);

    /// Makes group `to` a copy of group `at` of another of the same field.
    fn copy_group(&mut self, to: usize, from: &dyn KeptField<T>, at: usize);

    /// Puts groups into another order: the new group `n` is the old group `order[n]`, or empty.
    fn reorder(&mut self, order: &[Option<u32>]);
}

/// A place for every field whose bit is set.
pub(super) fn keep<T: Snap>(fields: u64) -> Vec<Box<dyn KeptField<T>>> {
    struct Make<T: Snap> {
        fields: u64,
        made: Vec<Box<dyn KeptField<T>>>,
    }

    impl<T: Snap> ClonedVisitor<T> for Make<T> {
        fn field<F: Field<Thing = T, Value: Clone>>(&mut self) {
            if self.fields >> F::INDEX & 1 == 1 {
                self.made.push(Box::new(Kept::<F> { groups: Vec::new() }));
            }
        }
    }

    let mut make = Make { fields, made: Vec::new() };
    if fields != 0 {
        T::visit_cloned(&mut make);
    }
    make.made
}

impl<F: Field<Value: Clone>> Kept<F> {
    pub(super) fn get(&self, at: usize, bit: u32) -> Option<&F::Value> {
        self.groups[at].get(bit as usize)?.as_ref()
    }

    pub(super) fn put(&mut self, at: usize, bit: u32, value: F::Value) {
        let group = &mut self.groups[at];
        if group.is_empty() {
            group.resize_with(GROUP as usize, || None);
        }
        group[bit as usize] = Some(value);
    }
}

impl<T: Snap, F: Field<Thing = T, Value: Clone>> KeptField<T> for Kept<F> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, Vec::new);
    }

    fn bytes(&self) -> usize {
        self.groups.iter().map(|group| group.len() * size_of::<Option<F::Value>>()).sum()
    }

    unsafe fn take(
        &mut self,
        at: usize,
        storage: &T::Storage,
        place: &dyn Fn(u32) -> Place<T>,
        held: u64,
    ) {
        let group = &mut self.groups[at];
        for bit in 0..GROUP {
            let value = if held >> bit & 1 == 1 {
                // SAFETY: the slot holds a value there (by the caller), which nobody changes for as
                // long as it is looked at here.
                unsafe { storage.optional::<F>(place(bit)).map(|value| &*value) }
            } else {
                None
            };
            match value {
                Some(value) => {
                    if group.is_empty() {
                        group.resize_with(GROUP as usize, || None);
                    }
                    match &mut group[bit as usize] {
                        Some(old) => old.clone_from(value),
                        none => *none = Some(value.clone()),
                    }
                }
                None if group.is_empty() => {}
                None => group[bit as usize] = None,
            }
        }
    }

    unsafe fn assign(&self, at: usize, storage: &T::Storage, first: Place<T>, slots: u64) {
        for bit in ones(slots) {
            // SAFETY: both places are of this storage and in one group; the slot holds a value that
            // nobody else uses (by the caller). A field that has a strip has a value wherever its
            // slot holds one, here as there (I1), so that only fields without one are put or
            // dropped.
            unsafe {
                let place = T::Storage::step(first, bit);
                match (storage.optional::<F>(place), self.get(at, bit)) {
                    (Some(old), Some(new)) => (*old).clone_from(new),
                    (None, Some(new)) => storage.put_field::<F>(place, Some(new.clone())),
                    (Some(_), None) => storage.drop_field::<F>(place),
                    (None, None) => {}
                }
            }
        }
    }

    unsafe fn fill(
        &self,
        at: usize,
        storage: &T::Storage,
        first: Place<T>,
        slots: u64,
        done: &mut u64,
    ) {
        for bit in ones(slots) {
            let value = self.get(at, bit).cloned();
            // SAFETY: both places are of this storage and in one group; the field holds no value,
            // and nobody else uses its memory (by the caller). It is `None` only for a field
            // without a strip (I1).
            unsafe { storage.put_field::<F>(T::Storage::step(first, bit), value) };
            *done |= 1 << bit;
        }
    }

    unsafe fn undo(&self, storage: &T::Storage, first: Place<T>, slots: u64) {
        for bit in ones(slots) {
            // SAFETY: both places are of this storage and in one group; the field holds a value
            // that `fill` put there (by the caller), or has no strip.
            unsafe { storage.drop_field::<F>(T::Storage::step(first, bit)) };
        }
    }

    fn copy(&mut self, from: &dyn KeptField<T>) {
        let Some(from) = from.as_any().downcast_ref::<Self>() else {
            unreachable!("fields are kept in order")
        };
        self.groups.resize_with(from.groups.len(), Vec::new);
        for (to, from) in self.groups.iter_mut().zip(&from.groups) {
            copy_values(to, from);
        }
    }

    fn copy_group(&mut self, to: usize, from: &dyn KeptField<T>, at: usize) {
        let Some(from) = from.as_any().downcast_ref::<Self>() else {
            unreachable!("fields are kept in order")
        };
        copy_values(&mut self.groups[to], &from.groups[at]);
    }

    fn reorder(&mut self, order: &[Option<u32>]) {
        let mut old = core::mem::take(&mut self.groups);
        let take = |at: &Option<u32>| {
            at.map_or_else(Vec::new, |at| core::mem::take(&mut old[at as usize]))
        };
        self.groups = order.iter().map(take).collect();
    }
}

/// As `clone_from`, but the values inside are reused too.
fn copy_values<V: Clone>(to: &mut Vec<Option<V>>, from: &[Option<V>]) {
    to.resize_with(from.len(), || None);
    for (to, from) in to.iter_mut().zip(from) {
        match (to, from) {
            (Some(to), Some(from)) => to.clone_from(from),
            (to, from) => *to = from.clone(),
        }
    }
}
