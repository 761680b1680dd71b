#![expect(
    unsafe_code,
    reason = "gives the links of one relation to be changed while others use another"
)]
//! The trees of a pool, by relation, and what they do when a thing leaves.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;
use core::cell::UnsafeCell;
use core::marker::PhantomData;

use super::links::{Links, Row};
use super::relation::{Attached, Orphans, Relation};
use crate::handle::Handle;
use crate::thing::Thing;

mod copy;

pub use copy::TreesDelta;

/// One relation's links.
struct Entry {
    relation: TypeId,
    /// The type's name.
    name: &'static str,
    orphans: Orphans,
    links: Box<UnsafeCell<Links>>,
}

// SAFETY: behind a shared reference the links are only looked at, but for `Trees::of_shared`, whose
// caller keeps everyone else away from them.
unsafe impl Sync for Entry {}

impl Clone for Entry {
    fn clone(&self) -> Self {
        Self { links: Box::new(UnsafeCell::new(self.links().clone())), ..*self }
    }
}

impl Entry {
    fn new<R: Relation>() -> Self {
        Self {
            relation: TypeId::of::<R>(),
            name: core::any::type_name::<R>(),
            orphans: R::ORPHANS,
            links: Box::default(),
        }
    }

    #[inline(always)]
    fn links(&self) -> &Links {
        // SAFETY: nobody has them exclusively: that takes `&mut self`, or `of_shared`, whose caller
        // vouches for it.
        unsafe { &*self.links.get() }
    }
}

/// All trees of a pool. Holds nothing, and allocates nothing, until one is asked for to be changed.
pub struct Trees<T: Thing> {
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
    /// No trees.
    #[expect(clippy::new_without_default, reason = "nobody needs trees by default")]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), leaving: Vec::new(), thing: PhantomData }
    }

    /// Whether no thing was ever linked.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The default relation is always the first, if there is any: that is known without a search.
    #[inline(always)]
    fn is_default<R: Relation>() -> bool {
        TypeId::of::<R>() == TypeId::of::<Attached>()
    }

    #[inline]
    pub(crate) fn of<R: Relation>(&self) -> Option<&Links> {
        let is_it = |entry: &&Entry| Self::is_default::<R>() || entry.relation == TypeId::of::<R>();
        self.entries.iter().find(is_it).map(Entry::links)
    }

    /// The links of a relation, if there are any, to be changed behind a shared reference.
    ///
    /// # Safety
    ///
    /// For as long as the result lives nobody else uses the links of this relation.
    #[expect(clippy::mut_from_ref, reason = "which is why it is unsafe")]
    pub(crate) unsafe fn of_shared<R: Relation>(&self) -> Option<&mut Links> {
        let entry = self.entries.iter().find(|entry| entry.relation == TypeId::of::<R>())?;
        // SAFETY: used by nobody else (by the caller).
        Some(unsafe { &mut *entry.links.get() })
    }

    /// The links of the relations in which children leave with their parents.
    pub(crate) fn despawning(&self) -> impl Iterator<Item = &Links> {
        self.entries.iter().filter(|entry| entry.orphans == Orphans::Despawn).map(Entry::links)
    }

    #[inline]
    pub(crate) fn of_mut<R: Relation>(&mut self) -> &mut Links {
        if !Self::is_default::<R>() || self.entries.is_empty() {
            return self.find_or_make::<R>();
        }
        self.entries[0].links.get_mut()
    }

    #[inline(never)]
    fn find_or_make<R: Relation>(&mut self) -> &mut Links {
        if self.entries.is_empty() {
            self.entries.push(Entry::new::<Attached>());
        }
        let number = self.entries.iter().position(|entry| entry.relation == TypeId::of::<R>());
        let number = number.unwrap_or_else(|| {
            self.entries.push(Entry::new::<R>());
            self.entries.len() - 1
        });
        self.entries[number].links.get_mut()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Links> {
        self.entries.iter().map(Entry::links)
    }

    /// Starts the list of those who leave with a thing. It is to be given back by
    /// [`left`](Self::left).
    pub(crate) fn leave(&mut self, handle: Handle<T>) -> Vec<Handle<T>> {
        let mut leaving = core::mem::take(&mut self.leaving);
        leaving.clear();
        leaving.push(handle);
        leaving
    }

    /// Unlinks a thing that leaves, in every tree, and puts those on the list who leave with it.
    /// `orphans` is what becomes of its children, if not what each relation says.
    #[inline]
    pub(crate) fn part(
        &mut self,
        handle: Handle<T>,
        orphans: Option<Orphans>,
        leaving: &mut Vec<Handle<T>>,
    ) {
        for entry in &mut self.entries {
            part(entry.links.get_mut(), handle, orphans.unwrap_or(entry.orphans), leaving);
        }
    }

    /// Unlinks a thing that leaves, in every tree, if nothing is below it in any. Answers whether
    /// that is so.
    #[inline]
    pub(crate) fn part_leaf(&mut self, handle: Handle<T>) -> bool {
        let has_children = |entry: &Entry| {
            let row = entry.links().row(handle.index());
            row.first != 0 && row.stamp == handle.stamp()
        };
        if self.entries.iter().any(has_children) {
            return false;
        }
        let nobody = &mut Vec::new();
        self.part(handle, None, nobody);
        debug_assert!(nobody.is_empty());
        true
    }

    /// Unlinks a thing and all below it, and tells `leaving` of each, if that is all there is to
    /// do: there is one tree, whose children go with their parents. Answers whether it was.
    #[inline]
    pub(crate) fn part_all(&mut self, top: Handle<T>, mut leaving: impl FnMut(Handle<T>)) -> bool {
        let [Entry { links, orphans: Orphans::Despawn, .. }] = &mut self.entries[..] else {
            return false;
        };
        let links = links.get_mut();
        links.marks.forget(top.index());
        leaving(top);
        if links.row(top.index()).stamp == top.stamp() {
            links.unlink_and_empty(top.index(), |child, stamp| {
                leaving(Handle::from_parts(child, stamp))
            });
        }
        true
    }

    /// Takes the list back.
    pub(crate) fn left(&mut self, leaving: Vec<Handle<T>>) {
        self.leaving = leaving;
    }

    /// Forgets all links.
    pub(crate) fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.links.get_mut().clear();
        }
    }
}

/// Takes a thing out of one tree. Children that go with it are put on the list.
///
/// Those are still linked until it is their turn: that the row of their parent is empty, which
/// otherwise no parent's is (R1), tells that they need not be taken from it.
#[inline(always)]
fn part<T: Thing>(
    links: &mut Links,
    handle: Handle<T>,
    orphans: Orphans,
    leaving: &mut Vec<Handle<T>>,
) {
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
                    let Row { stamp, next, .. } = links.leave(child);
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
