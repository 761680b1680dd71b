#![expect(
    unsafe_code,
    reason = "gives the links of one relation to be changed while others use another"
)]
//! The trees of a pool, by relation, and what they do when a thing leaves.

use alloc::vec::Vec;
use core::any::TypeId;
use core::cell::UnsafeCell;

use super::links::{Linked, Links};
use super::relation::{Attached, Orphans, Relation};
use crate::companion::{Companion, Node};
use crate::error::OutOfMemory;

mod copy;

pub(crate) use copy::TreesDelta;

/// One relation's links.
struct Entry {
    relation: TypeId,
    /// The type's name.
    name: &'static str,
    orphans: Orphans,
    links: UnsafeCell<Links>,
}

// SAFETY: behind a shared reference the links are only looked at, but for `Trees::of_shared`, whose
// caller keeps everyone else away from them.
unsafe impl Sync for Entry {}

impl Entry {
    fn new<R: Relation>() -> Self {
        Self {
            relation: TypeId::of::<R>(),
            name: core::any::type_name::<R>(),
            orphans: R::ORPHANS,
            links: UnsafeCell::default(),
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
#[derive(Default)]
pub struct Trees {
    entries: Vec<Entry>,
}

impl Trees {
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

    /// The links of a relation, made if there are none.
    #[inline]
    pub(crate) fn of_mut<R: Relation>(&mut self) -> Result<&mut Links, OutOfMemory> {
        if !Self::is_default::<R>() || self.entries.is_empty() {
            return self.find_or_make::<R>();
        }
        Ok(self.entries[0].links.get_mut())
    }

    #[inline(never)]
    fn find_or_make<R: Relation>(&mut self) -> Result<&mut Links, OutOfMemory> {
        let number = self.entries.iter().position(|entry| entry.relation == TypeId::of::<R>());
        let number = match number {
            Some(number) => number,
            None => {
                let refused = |_| OutOfMemory { bytes: 2 * size_of::<Entry>() };
                self.entries.try_reserve(2).map_err(refused)?;
                if self.entries.is_empty() && !Self::is_default::<R>() {
                    self.entries.push(Entry::new::<Attached>());
                }
                self.entries.push(Entry::new::<R>());
                self.entries.len() - 1
            }
        };
        Ok(self.entries[number].links.get_mut())
    }

    /// A thing that is linked by the default relation, to have children; `None` if it is not.
    #[inline(always)]
    pub(crate) fn linked(&mut self, parent: Node) -> Option<Linked<'_>> {
        self.entries.first_mut()?.links.get_mut().linked(parent)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Links> {
        self.entries.iter().map(Entry::links)
    }

    /// Tells `left` of all who leave because somebody else did ([`Links::leave`]): out of all trees
    /// by then. Goes on where it was if that has unwound. With several trees a thing may come again.
    #[inline]
    pub(crate) fn each_leaving(&mut self, mut left: impl FnMut(Node)) {
        while let Some(who) = match &mut self.entries[..] {
            [Entry { links, orphans, .. }] => links.get_mut().next_leaving(*orphans),
            _ => self.next_of_several(),
        } {
            left(who);
        }
    }

    #[inline(never)]
    fn next_of_several(&mut self) -> Option<Node> {
        let next = |entry: &mut Entry| entry.links.get_mut().next_leaving(entry.orphans);
        let who = self.entries.iter_mut().find_map(next)?;
        self.leave(who, None);
        Some(who)
    }
}

impl Companion for Trees {
    #[inline]
    fn leave(&mut self, who: Node, orphans: Option<Orphans>) -> bool {
        self.entries.iter_mut().fold(false, |anybody, entry| {
            let orphans = orphans.unwrap_or(entry.orphans);
            entry.links.get_mut().leave(who, orphans) | anybody
        })
    }

    fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.links.get_mut().clear();
        }
    }

    fn check(&self, stamp: &dyn Fn(u32) -> Option<u32>) -> Result<(), &'static str> {
        self.all().try_for_each(|links| links.check(stamp))
    }
}
