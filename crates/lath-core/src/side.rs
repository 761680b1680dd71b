//! Side tables: values of a type of the user's, for some of the things of a pool. Nothing here
//! knows what a thing is.
//!
//! # Invariants
//!
//! - **B1** A table has values for things that are there, by slot and stamp, and for no others.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use crate::companion::{Companion, Node};
use crate::error::OutOfMemory;
use crate::guard::for_all;
use crate::tree::Orphans;

/// All side tables of a pool, one for each type of values.
#[derive(Default)]
pub(crate) struct Tables {
    list: Vec<Box<dyn AnyTable>>,
}

impl Tables {
    /// Whether nothing was ever put in.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The table of a type, if there is one.
    #[inline]
    pub(crate) fn of<V: 'static>(&self) -> Option<&Table<V>> {
        self.list.iter().find_map(|table| table.as_any().downcast_ref())
    }

    /// The table of a type, if there is one, to be changed.
    #[inline]
    pub(crate) fn of_mut<V: 'static>(&mut self) -> Option<&mut Table<V>> {
        self.list.iter_mut().find_map(|table| table.as_any_mut().downcast_mut())
    }

    /// The table of a type, made if there is none.
    pub(crate) fn find_or_make<V: Value>(&mut self) -> Result<&mut Table<V>, OutOfMemory> {
        if self.of::<V>().is_none() {
            let refused = |_| OutOfMemory { bytes: size_of::<Box<dyn AnyTable>>() };
            self.list.try_reserve(1).map_err(refused)?;
            self.list.push(boxed(Table::<V>::EMPTY)?);
        }
        match self.of_mut() {
            Some(table) => Ok(table),
            None => unreachable!("made just now"),
        }
    }

    /// Becomes a copy of others. If a `Clone` panics nothing has changed.
    ///
    /// # Panics
    ///
    /// If memory is refused.
    pub(crate) fn assign(&mut self, from: &Self) {
        let copies = from.list.iter().map(|table| table.copy());
        let copies = copies.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}"));
        drop(core::mem::replace(&mut self.list, copies));
    }
}

impl Companion for Tables {
    #[inline]
    fn leave(&mut self, who: Node, orphans: Option<Orphans>) -> bool {
        if !self.list.is_empty() {
            for_all(&mut self.list, |table| _ = table.leave(who, orphans));
        }
        false
    }

    fn clear(&mut self) {
        for_all(&mut self.list, |table| table.clear());
    }

    fn check(&self, stamp: &dyn Fn(u32) -> Option<u32>) -> Result<(), &'static str> {
        self.list.iter().try_for_each(|table| table.check(stamp))
    }
}

/// What can be a value in a side table.
pub(crate) trait Value: Clone + Send + Sync + 'static {}

impl<V: Clone + Send + Sync + 'static> Value for V {}

/// So many slots have their values in one allocation.
const PAGE: usize = 64;

/// The values of 64 slots, with the stamps of the things that they are for; none at all until the
/// first comes.
type Page<V> = Vec<Option<(u32, V)>>;

/// The values of one type.
pub(crate) struct Table<V> {
    pages: Vec<Page<V>>,
    len: usize,
}

impl<V> Table<V> {
    const EMPTY: Self = Self { pages: Vec::new(), len: 0 };

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get(&self, (index, stamp): Node) -> Option<&V> {
        let entry = self.pages.get(index as usize / PAGE)?.get(index as usize % PAGE)?;
        entry.as_ref().filter(|entry| entry.0 == stamp).map(|entry| &entry.1)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, (index, stamp): Node) -> Option<&mut V> {
        let entry = self.pages.get_mut(index as usize / PAGE)?.get_mut(index as usize % PAGE)?;
        entry.as_mut().filter(|entry| entry.0 == stamp).map(|entry| &mut entry.1)
    }

    /// Makes memory for the value of a slot.
    pub(crate) fn make_room(&mut self, index: u32) -> Result<(), OutOfMemory> {
        let number = index as usize / PAGE;
        let refused = |_| OutOfMemory {
            bytes: (number + 1) * size_of::<Page<V>>() + PAGE * size_of::<Option<(u32, V)>>(),
        };
        if number >= self.pages.len() {
            self.pages.try_reserve(number + 1 - self.pages.len()).map_err(refused)?;
            self.pages.resize_with(number + 1, Vec::new);
        }
        let page = &mut self.pages[number];
        if page.is_empty() {
            page.try_reserve_exact(PAGE).map_err(refused)?;
            page.resize_with(PAGE, || None);
        }
        Ok(())
    }

    /// Keeps a value for a thing, for which there is room: answers the one that it had.
    pub(crate) fn insert(&mut self, (index, stamp): Node, value: V) -> Option<V> {
        let entry = &mut self.pages[index as usize / PAGE][index as usize % PAGE];
        let before = entry.replace((stamp, value));
        self.len += usize::from(before.is_none());
        before.map(|(_, value)| value)
    }

    pub(crate) fn remove(&mut self, (index, stamp): Node) -> Option<V> {
        let entry = self.pages.get_mut(index as usize / PAGE)?.get_mut(index as usize % PAGE)?;
        let (_, value) = entry.take_if(|entry| entry.0 == stamp)?;
        self.len -= 1;
        Some(value)
    }

    /// All values, in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Node, &V)> {
        let pages = self.pages.iter().enumerate();
        pages.flat_map(|(number, page)| {
            let entries = (number * PAGE..).zip(page);
            entries.filter_map(|(at, entry)| entry.as_ref().map(|(s, v)| ((at as u32, *s), v)))
        })
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Node, &mut V)> {
        let pages = self.pages.iter_mut().enumerate();
        pages.flat_map(|(number, page)| {
            let entries = (number * PAGE..).zip(page);
            entries.filter_map(|(at, entry)| entry.as_mut().map(|(s, v)| ((at as u32, *s), v)))
        })
    }
}

/// A table on the heap. A `Box` would end the program if it got no memory: a list of one does not.
fn boxed<V: Value>(table: Table<V>) -> Result<Box<dyn AnyTable>, OutOfMemory> {
    let mut one = Vec::new();
    one.try_reserve_exact(1).map_err(|_| OutOfMemory { bytes: size_of::<Table<V>>() })?;
    one.push(table);
    match Box::<[Table<V>; 1]>::try_from(one) {
        Ok(table) => Ok(table),
        Err(_) => unreachable!("it is a list of one"),
    }
}

/// A table, whatever its values are: the only one in a box.
pub(crate) trait AnyTable: Companion + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;

    /// A copy with the same values.
    fn copy(&self) -> Result<Box<dyn AnyTable>, OutOfMemory>;
}

impl<V: Value> AnyTable for [Table<V>; 1] {
    fn as_any(&self) -> &dyn Any {
        &self[0]
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        &mut self[0]
    }

    fn copy(&self) -> Result<Box<dyn AnyTable>, OutOfMemory> {
        let mut copy = Table::EMPTY;
        for (node, value) in self[0].iter() {
            copy.make_room(node.0)?;
            copy.insert(node, value.clone());
        }
        boxed(copy)
    }
}

impl<V> Companion for [Table<V>; 1] {
    fn leave(&mut self, who: Node, _: Option<Orphans>) -> bool {
        drop(self[0].remove(who));
        false
    }

    fn clear(&mut self) {
        self[0].len = 0;
        for_all(&mut self[0].pages, Vec::clear);
    }

    fn check(&self, stamp: &dyn Fn(u32) -> Option<u32>) -> Result<(), &'static str> {
        let [table] = self;
        if table.iter().any(|((index, its), _)| stamp(index) != Some(its)) {
            return Err("B1: a side table has a value for a thing that has gone");
        }
        match table.iter().count() == table.len {
            true => Ok(()),
            false => Err("the values of a side table are counted wrongly"),
        }
    }
}
