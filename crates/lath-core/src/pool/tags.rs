//! The tags of things: asking for them and changing them.

use super::Pool;
use crate::handle::Handle;
use crate::tags::TagSet;
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// The tags of the thing that `handle` names; none if there is no such thing.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Thing, bitflags::bitflags};
    ///
    /// bitflags! {
    ///     #[derive(Clone, Copy, Default, Debug, PartialEq)]
    ///     struct Tags: u32 { const ITEM = 1; const FROZEN = 2; }
    /// }
    ///
    /// #[derive(Thing, Default)]
    /// struct Actor { #[thing(tags)] tags: Tags }
    ///
    /// let mut actors = Pool::new();
    /// let sword = actors.spawn(Actor { tags: Tags::ITEM });
    /// actors.insert_tags(sword, Tags::FROZEN);
    /// assert_eq!(actors.tags(sword), Tags::ITEM | Tags::FROZEN);
    /// assert_eq!(actors.read(sword).tags, actors.tags(sword)); // the field follows
    /// assert_eq!(actors.tags(Handle::NIL), Tags::empty());
    /// ```
    #[inline]
    pub fn tags(&self, handle: Handle<T>) -> T::Tags {
        self.cells.tags(handle).unwrap_or_else(|| T::Tags::narrow(0))
    }

    /// Whether the thing that `handle` names has all of these tags.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing, bitflags::bitflags};
    /// # bitflags! { #[derive(Clone, Copy, Default)] struct Tags: u32 { const ITEM = 1; const FROZEN = 2; } }
    /// # #[derive(Thing, Default)] struct Actor { #[thing(tags)] tags: Tags }
    /// let mut actors = Pool::new();
    /// let sword = actors.spawn(Actor { tags: Tags::ITEM });
    /// assert!(actors.has(sword, Tags::ITEM));
    /// assert!(!actors.has(sword, Tags::ITEM | Tags::FROZEN));
    /// ```
    #[inline]
    pub fn has(&self, handle: Handle<T>, tags: T::Tags) -> bool {
        self.cells.tags(handle).is_some_and(|has| has.widen() & tags.widen() == tags.widen())
    }

    /// Gives the thing that `handle` names exactly these tags. Answers whether there is one.
    ///
    /// # Panics
    ///
    /// If memory for the bitmap of a tag that was never used before is refused; as for the next
    /// two.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing, bitflags::bitflags};
    /// # bitflags! { #[derive(Clone, Copy, Default)] struct Tags: u32 { const ITEM = 1; const FROZEN = 2; } }
    /// # #[derive(Thing, Default)] struct Actor { #[thing(tags)] tags: Tags }
    /// let mut actors = Pool::new();
    /// let sword = actors.spawn(Actor { tags: Tags::ITEM });
    /// actors.set_tags(sword, Tags::FROZEN);
    /// assert!(!actors.has(sword, Tags::ITEM));
    /// ```
    #[inline]
    pub fn set_tags(&mut self, handle: Handle<T>, tags: T::Tags) -> bool {
        self.cells.set_tags(handle, tags.widen())
    }

    /// Gives the thing that `handle` names these tags besides those it has. Answers whether there
    /// is one.
    ///
    /// # Examples
    ///
    /// See [`tags`](Self::tags).
    #[inline(always)] // the tags are known where it is called, and then so is the bitmap
    pub fn insert_tags(&mut self, handle: Handle<T>, tags: T::Tags) -> bool {
        self.cells.change_tags(handle, tags.widen(), 0)
    }

    /// Takes these tags from the thing that `handle` names. Answers whether there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing, bitflags::bitflags};
    /// # bitflags! { #[derive(Clone, Copy, Default)] struct Tags: u32 { const ITEM = 1; const FROZEN = 2; } }
    /// # #[derive(Thing, Default)] struct Actor { #[thing(tags)] tags: Tags }
    /// let mut actors = Pool::new();
    /// let sword = actors.spawn(Actor { tags: Tags::all() });
    /// actors.remove_tags(sword, Tags::FROZEN);
    /// assert_eq!((actors.count_tagged(Tags::ITEM), actors.count_tagged(Tags::FROZEN)), (1, 0));
    /// ```
    #[inline(always)] // the tags are known where it is called, and then so is the bitmap
    pub fn remove_tags(&mut self, handle: Handle<T>, tags: T::Tags) -> bool {
        self.cells.change_tags(handle, 0, tags.widen())
    }

    /// How many live things have all of these tags; for one tag without looking at them.
    ///
    /// # Examples
    ///
    /// See [`remove_tags`](Self::remove_tags).
    pub fn count_tagged(&self, tags: T::Tags) -> usize {
        self.cells.count_tagged(tags.widen())
    }
}
