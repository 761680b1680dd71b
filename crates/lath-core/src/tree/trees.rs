//! The trees of a pool, by relation, and what they do when a thing leaves.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;
use core::marker::PhantomData;

use super::links::{Links, Row};
use super::relation::{Orphans, Relation};
use crate::handle::Handle;
use crate::thing::Thing;

/// One relation's links.
#[derive(Clone)]
struct Entry {
    relation: TypeId,
    orphans: Orphans,
    links: Box<Links>,
}

/// All trees of a pool. Holds nothing, and allocates nothing, until one is asked for to be changed.
pub(crate) struct Trees<T: Thing> {
    entries: Vec<Entry>,
    /// The things that leave together: kept, so that it is allocated once.
    leaving: Vec<Handle<T>>,
    thing: PhantomData<T>,
}

// By hand: a derive would ask for `T: Clone`.
impl<T: Thing> Clone for Trees<T> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), leaving: Vec::new(), thing: PhantomData }
    }
}

impl<T: Thing> Trees<T> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), leaving: Vec::new(), thing: PhantomData }
    }

    /// Whether no thing was ever linked.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn of<R: Relation>(&self) -> Option<&Links> {
        let entry = self.entries.iter().find(|entry| entry.relation == TypeId::of::<R>())?;
        Some(&entry.links)
    }

    #[inline]
    pub(crate) fn of_mut<R: Relation>(&mut self) -> &mut Links {
        match self.entries.first() {
            Some(first) if first.relation == TypeId::of::<R>() => &mut self.entries[0].links,
            _ => self.find_or_make::<R>(),
        }
    }

    #[inline(never)]
    fn find_or_make<R: Relation>(&mut self) -> &mut Links {
        let number = self.entries.iter().position(|entry| entry.relation == TypeId::of::<R>());
        let number = number.unwrap_or_else(|| {
            let (relation, orphans) = (TypeId::of::<R>(), R::ORPHANS);
            self.entries.push(Entry { relation, orphans, links: Box::default() });
            self.entries.len() - 1
        });
        &mut self.entries[number].links
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Links> {
        self.entries.iter().map(|entry| &*entry.links)
    }

    /// Unlinks a thing that leaves, in every tree, and whoever leaves with it: a list of all of them, the thing first. The
    /// list is to be given back by [`left`](Self::left).
    ///
    /// `own` is what becomes of the thing's own children, if not what each relation says.
    pub(crate) fn leave(&mut self, handle: Handle<T>, own: Option<Orphans>) -> Vec<Handle<T>> {
        let mut leaving = core::mem::take(&mut self.leaving);
        leaving.clear();
        leaving.push(handle);
        let mut done = 0;
        while let Some(&handle) = leaving.get(done) {
            for Entry { orphans, links, .. } in &mut self.entries {
                let orphans = own.filter(|_| done == 0).unwrap_or(*orphans);
                part(links, handle, orphans, &mut leaving);
            }
            done += 1;
        }
        leaving
    }

    /// Takes the list back.
    pub(crate) fn left(&mut self, leaving: Vec<Handle<T>>) {
        self.leaving = leaving;
    }

    /// Forgets all links.
    pub(crate) fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.links.clear();
        }
    }
}

/// Takes a thing out of one tree. Children that go with it are put on the list.
///
/// Those are still linked until it is their turn: that the row of their parent is empty, which otherwise no parent's is
/// (R1), tells that they need not be taken from it.
fn part<T: Thing>(links: &mut Links, handle: Handle<T>, orphans: Orphans, leaving: &mut Vec<Handle<T>>) {
    let index = handle.index();
    links.marks.forget(index);
    let row = links.row(index);
    if row.stamp != handle.stamp() {
        return;
    }
    let parent = (row.parent, links.row(row.parent).stamp);
    if row.first != 0 {
        match orphans {
            Orphans::Despawn => {
                let mut child = row.first;
                while child != 0 {
                    let Row { stamp, next, .. } = links.row(child);
                    leaving.push(Handle::from_parts(child, stamp));
                    child = next;
                }
            }
            Orphans::Adopt if parent.1 != 0 => {
                links.mark_children(index);
                links.hand_over(index, parent, true);
            }
            Orphans::Detach | Orphans::Adopt => {
                links.mark_children(index);
                links.release_children(index);
            }
        }
    }
    if parent.1 != 0 {
        links.unlink(index);
    }
    links.empty(index);
}
