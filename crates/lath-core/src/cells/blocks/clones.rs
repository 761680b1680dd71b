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

/// The values of a field.
pub(super) struct List<F: Field<Value: Clone>> {
    groups: Vec<Group<F::Value>>,
}

/// The values of the slots of a group that have one, in order.
struct Group<V> {
    has: u64,
    values: Vec<V>,
}

/// What can be done to the values of a field without knowing which.
pub(super) trait Clones<T: Snap>: Any {
    /// Makes so many groups; those that were there stay.
    fn resize(&mut self, groups: usize);

    /// How many bytes the values take here.
    fn bytes(&self) -> usize;

    /// Makes the `nth` group clones of the values that some slots have, or none.
    ///
    /// # Safety
    ///
    /// `place` says where each of these slots has its value, to which nobody has exclusive access.
    unsafe fn take(
        &mut self,
        nth: usize,
        storage: &T::Storage,
        slots: u64,
        place: &dyn Fn(u32) -> Place<T>,
    );

    /// Makes the `nth` group clones of some values of a group of another list of the same field.
    fn copy(&mut self, nth: usize, from: &dyn Clones<T>, at: usize, slots: u64);

    /// Clones values of the `nth` group into slots that hold others.
    ///
    /// # Safety
    ///
    /// `first` is the place of the first slot of a group of this storage. These slots hold values,
    /// which nobody else uses, in the pool as in the list, but for fields without a strip.
    unsafe fn assign(&self, nth: usize, storage: &T::Storage, first: Place<T>, slots: u64);

    /// Moves the values of the `nth` group into their slots, whose field holds none.
    ///
    /// # Safety
    ///
    /// `first` is the place of the first slot of a group of this storage. The field holds no value
    /// there, and nobody else uses its memory.
    unsafe fn put(&mut self, nth: usize, storage: &T::Storage, first: Place<T>);
}

/// A list for every field whose bit is set.
pub(super) fn lists<T: Snap>(fields: u64) -> Vec<Box<dyn Clones<T>>> {
    struct Make<T: Snap> {
        fields: u64,
        made: Vec<Box<dyn Clones<T>>>,
    }

    impl<T: Snap> ClonedVisitor<T> for Make<T> {
        fn field<F: Field<Thing = T, Value: Clone>>(&mut self) {
            if self.fields >> F::INDEX & 1 == 1 {
                self.made.push(Box::new(List::<F> { groups: Vec::new() }));
            }
        }
    }

    let mut make = Make { fields, made: Vec::new() };
    if fields != 0 {
        T::visit_cloned(&mut make);
    }
    make.made
}

impl<F: Field<Value: Clone>> List<F> {
    pub(super) fn get(&self, nth: u32, bit: u32) -> Option<&F::Value> {
        self.groups[nth as usize].get(bit)
    }

    pub(super) fn clear(&mut self, nth: u32) {
        self.groups[nth as usize].set(core::iter::empty());
    }

    /// Adds the value of a slot after those that have one.
    pub(super) fn push(&mut self, nth: u32, bit: u32, value: F::Value) {
        let Group { has, values } = &mut self.groups[nth as usize];
        values.push(value);
        *has |= 1 << bit;
    }
}

impl<V: Clone> Group<V> {
    fn get(&self, bit: u32) -> Option<&V> {
        (self.has >> bit & 1 == 1).then(|| &self.values[rank(self.has, bit)])
    }

    /// Becomes clones of these values. Reuses what the old ones have on the heap.
    fn set<'a>(&mut self, values: impl Iterator<Item = (u32, &'a V)>)
    where
        V: 'a,
    {
        let mut count = 0;
        self.has = 0;
        for (bit, value) in values {
            match self.values.get_mut(count) {
                Some(old) => old.clone_from(value),
                None => self.values.push(value.clone()),
            }
            self.has |= 1 << bit;
            count += 1;
        }
        self.values.truncate(count);
    }
}

impl<T: Snap, F: Field<Thing = T, Value: Clone>> Clones<T> for List<F> {
    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, || Group { has: 0, values: Vec::new() });
    }

    fn bytes(&self) -> usize {
        self.groups.iter().map(|group| size_of_val(&*group.values)).sum()
    }

    unsafe fn take(
        &mut self,
        nth: usize,
        storage: &T::Storage,
        slots: u64,
        place: &dyn Fn(u32) -> Place<T>,
    ) {
        self.groups[nth].set(ones(slots).filter_map(|bit| {
            // SAFETY: the slot holds a value there (by the caller), which nobody changes for as
            // long as it is looked at here.
            let value = unsafe { storage.optional::<F>(place(bit)).map(|value| &*value) };
            value.map(|value| (bit, value))
        }));
    }

    fn copy(&mut self, nth: usize, from: &dyn Clones<T>, at: usize, slots: u64) {
        let Some(from) = (from as &dyn Any).downcast_ref::<Self>() else {
            unreachable!("lists are in the order of fields")
        };
        let (from, to) = (&from.groups[at], &mut self.groups[nth]);
        let count = (from.has & slots).count_ones() as usize;
        to.values.reserve(count.saturating_sub(to.values.len()));
        to.set(ones(from.has & slots).filter_map(|bit| Some((bit, from.get(bit)?))));
    }

    unsafe fn assign(&self, nth: usize, storage: &T::Storage, first: Place<T>, slots: u64) {
        for bit in ones(slots) {
            // SAFETY: both places are of this storage and in one group; the slot holds a value that
            // nobody else uses (by the caller). Only fields without a strip are put or dropped: all
            // others have a value here as there.
            unsafe {
                let place = T::Storage::step(first, bit);
                match (storage.optional::<F>(place), self.groups[nth].get(bit)) {
                    (Some(old), Some(new)) => (*old).clone_from(new),
                    (None, Some(new)) => storage.put_field::<F>(place, new.clone()),
                    (Some(_), None) => storage.drop_field::<F>(place),
                    (None, None) => {}
                }
            }
        }
    }

    unsafe fn put(&mut self, nth: usize, storage: &T::Storage, first: Place<T>) {
        let Group { has, values } = &mut self.groups[nth];
        for (bit, value) in ones(core::mem::take(has)).zip(values.drain(..)) {
            // SAFETY: both places are of this storage and in one group; the field holds no value,
            // and nobody else uses its memory (by the caller).
            unsafe { storage.put_field::<F>(T::Storage::step(first, bit), value) };
        }
    }
}
