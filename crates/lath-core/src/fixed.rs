//! `FixedPool<T, N>`: a pool inside a struct, without a heap and without `unsafe`.
//!
//! A slot tells by itself what it is doing, so there are no bitsets: walks look at every slot, and
//! the search for a free one starts where the last one ended. Right for the tens to thousands of
//! things that are kept inline.

mod several;

use core::array;
use core::fmt;

use crate::error::{HandleError, SpawnError, SpawnFault};
use crate::generation::SPENT;
use crate::guard::Guard;
use crate::handle::Handle;
use crate::state::{Sight, State, fitting_kind, may_spawn_at, why_not};
use crate::thing::Thing;

/// A pool of exactly `N` slots, kept inline: in a static, on a stack, in another struct.
///
/// It has the calls of `Pool` that a small pool needs: spawn, spawn at a handle, despawn, take,
/// look up, also several at once, walk, retain, drain, clear. It does not stage, reserve or bury,
/// has no ranges, views or tags' bitmaps. Handles mean the same, and slots are reused lowest first.
///
/// # Examples
///
/// ```
/// use lath_core::{FixedPool, Thing};
///
/// #[derive(Thing, Default, Debug)]
/// #[thing(handle(bits = 16, index = 4))]
/// struct Voice { pitch: f32 }
///
/// let mut voices = FixedPool::<Voice, 8>::new();
/// let a = voices.spawn(Voice { pitch: 440.0 });
/// for _ in 1..8 { voices.spawn(Voice::default()); }
///
/// let error = voices.try_spawn(Voice { pitch: 1.0 }).unwrap_err();
/// assert_eq!(error.value.pitch, 1.0); // given back
/// voices.despawn(a);
/// assert_eq!(voices.read(a).pitch, 0.0); // the nil thing
/// ```
pub struct FixedPool<T: Thing, const N: usize> {
    /// Slot `i` is at `i - 1`.
    slots: [Slot<T>; N],
    nil: T,
    len: usize,
    retired: u32,
    /// No slot below this place is free.
    lowest: usize,
}

#[derive(Clone)]
struct Slot<T> {
    stamp: u32,
    content: Content<T>,
}

#[derive(Clone)]
enum Content<T> {
    Free,
    Live(T),
    Retired,
}

impl<T: Thing, const N: usize> FixedPool<T, N> {
    const CAPACITY: u32 = {
        assert!(N > 0, "a pool of capacity 0 could hold nothing");
        assert!(
            (N as u64) < 1 << T::INDEX_BITS,
            "the capacity is beyond the index bits of the handle"
        );
        N as u32
    };

    /// Makes an empty pool.
    ///
    /// A capacity of zero, or one that the index bits of the handle cannot name, does not compile.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// assert!(FixedPool::<Voice, 8>::new().is_empty());
    /// ```
    ///
    /// ```compile_fail
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// FixedPool::<Voice, 0>::new();
    /// ```
    #[must_use]
    pub fn new() -> Self {
        const { assert!(Self::CAPACITY > 0) };
        let slots = array::from_fn(|_| Slot { stamp: SPENT, content: Content::Free });
        Self { slots, nil: T::default(), len: 0, retired: 0, lowest: 0 }
    }

    /// How many things are live.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// voices.spawn(Voice {});
    /// assert_eq!((voices.len(), voices.capacity()), (1, 8));
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no thing is live.
    ///
    /// # Examples
    ///
    /// See [`new`](Self::new).
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many things it can hold: `N`.
    ///
    /// # Examples
    ///
    /// See [`len`](Self::len).
    pub const fn capacity(&self) -> usize {
        N
    }

    /// Puts a thing into the lowest free slot.
    ///
    /// # Panics
    ///
    /// If the pool is full or the kind does not fit: where that can happen, use
    /// [`try_spawn`](Self::try_spawn).
    ///
    /// # Examples
    ///
    /// See [`FixedPool`].
    pub fn spawn(&mut self, value: T) -> Handle<T> {
        self.try_spawn(value).unwrap_or_else(|error| {
            panic!("cannot spawn a {}: {error}", core::any::type_name::<T>())
        })
    }

    /// Puts a thing into the lowest free slot, or gives it back.
    ///
    /// # Errors
    ///
    /// [`SpawnError`], with the thing inside, if the pool is full or the kind does not fit in the
    /// handle.
    ///
    /// # Examples
    ///
    /// See [`FixedPool`].
    pub fn try_spawn(&mut self, value: T) -> Result<Handle<T>, SpawnError<T>> {
        let bits = Handle::<T>::STAMP;
        let kind = match fitting_kind(bits, value.kind()) {
            Ok(kind) => kind,
            Err(fault) => return Err(SpawnError { value, fault }),
        };
        let free =
            self.slots[self.lowest..].iter().position(|slot| matches!(slot.content, Content::Free));
        let Some(place) = free.map(|offset| self.lowest + offset) else {
            self.lowest = N;
            let fault = SpawnFault::Full { capacity: Self::CAPACITY, retired: self.retired };
            return Err(SpawnError { value, fault });
        };
        self.lowest = place;
        let stamp = bits.stamp(self.slots[place].stamp + 1, kind);
        Ok(self.fill(Handle::from_parts(place as u32 + 1, stamp), value))
    }

    /// Puts a thing where `handle` says.
    ///
    /// # Errors
    ///
    /// [`SpawnError`], with the thing inside, if the handle is nil, beyond the capacity, of a
    /// generation that is over or of another kind than the thing, or if the slot is taken.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Voice {}
    /// let (mut here, mut there) = (FixedPool::<Voice, 8>::new(), FixedPool::<Voice, 8>::new());
    /// let voice = here.spawn(Voice {});
    /// there.spawn_at(voice, Voice {}).unwrap();
    /// assert!(there.spawn_at(voice, Voice {}).is_err()); // taken now
    /// ```
    pub fn spawn_at(&mut self, handle: Handle<T>, value: T) -> Result<(), SpawnError<T>> {
        match may_spawn_at(handle, value.kind(), self.sight(handle)) {
            Ok(()) => {
                self.fill(handle, value);
                Ok(())
            }
            Err(fault) => Err(SpawnError { value, fault }),
        }
    }

    fn fill(&mut self, handle: Handle<T>, value: T) -> Handle<T> {
        self.slots[handle.index() as usize - 1] =
            Slot { stamp: handle.stamp(), content: Content::Live(value) };
        self.len += 1;
        handle
    }

    /// Drops the thing that `handle` names and ends its generation. Answers whether there was one.
    ///
    /// # Examples
    ///
    /// See [`FixedPool`].
    pub fn despawn(&mut self, handle: Handle<T>) -> bool {
        self.take(handle).is_some()
    }

    /// Moves the thing that `handle` names out of the pool and ends its generation; `None` if there
    /// is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice { pitch: f32 }
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// let a = voices.spawn(Voice { pitch: 440.0 });
    /// assert_eq!(voices.take(a).map(|voice| voice.pitch), Some(440.0));
    /// assert!(voices.take(a).is_none());
    /// ```
    pub fn take(&mut self, handle: Handle<T>) -> Option<T> {
        self.get(handle)?;
        let place = handle.index() as usize - 1;
        let stamp = Handle::<T>::STAMP.after_death(handle.stamp());
        let content = if stamp == SPENT {
            self.retired += 1;
            Content::Retired
        } else {
            self.lowest = self.lowest.min(place);
            Content::Free
        };
        self.len -= 1;
        match core::mem::replace(&mut self.slots[place], Slot { stamp, content }).content {
            Content::Live(value) => Some(value),
            Content::Free | Content::Retired => unreachable!("`get` found a value here"),
        }
    }

    /// Whether `handle` names a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Handle, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// assert!(!FixedPool::<Voice, 8>::new().contains(Handle::NIL));
    /// ```
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.get(handle).is_some()
    }

    /// Looks at the thing that `handle` names; `None` if there is none.
    ///
    /// # Examples
    ///
    /// See [`take`](Self::take).
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        match self.slots.get((handle.index() as usize).checked_sub(1)?)? {
            Slot { stamp, content: Content::Live(value) } if *stamp == handle.stamp() => {
                Some(value)
            }
            _ => None,
        }
    }

    /// Gives the thing that `handle` names, to be changed; `None` if there is none.
    ///
    /// # Examples
    ///
    /// See [`edit`](Self::edit).
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut T> {
        match self.slots.get_mut((handle.index() as usize).checked_sub(1)?)? {
            Slot { stamp, content: Content::Live(value) } if *stamp == handle.stamp() => {
                Some(value)
            }
            _ => None,
        }
    }

    /// Looks at the thing that `handle` names, or at the nil thing, `T::default()`, if there is
    /// none.
    ///
    /// # Examples
    ///
    /// See [`FixedPool`].
    pub fn read(&self, handle: Handle<T>) -> &T {
        self.get(handle).unwrap_or(&self.nil)
    }

    /// Changes the thing that `handle` names; does nothing, and answers `false`, if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Handle, Thing};
    /// # #[derive(Thing, Default)] struct Voice { pitch: f32 }
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// let a = voices.spawn(Voice::default());
    /// assert!(voices.edit(a, |voice| voice.pitch = 220.0));
    /// assert!(!voices.edit(Handle::NIL, |voice| voice.pitch = 220.0));
    /// ```
    pub fn edit(&mut self, handle: Handle<T>, f: impl FnOnce(&mut T)) -> bool {
        self.get_mut(handle).map(f).is_some()
    }

    /// Says why [`get`](Self::get) finds nothing.
    ///
    /// # Errors
    ///
    /// [`HandleError`]: nil, out of range, stale, retired, or of the wrong kind.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Handle, HandleError, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// assert_eq!(FixedPool::<Voice, 8>::new().check(Handle::NIL), Err(HandleError::Nil));
    /// ```
    pub fn check(&self, handle: Handle<T>) -> Result<(), HandleError> {
        if self.contains(handle) { Ok(()) } else { Err(why_not(handle, self.sight(handle))) }
    }

    fn sight(&self, handle: Handle<T>) -> Sight {
        let slot = (handle.index() as usize).checked_sub(1).and_then(|place| self.slots.get(place));
        let state = match slot.map(|slot| &slot.content) {
            Some(Content::Free) => State::Free,
            Some(Content::Live(_)) => State::Live,
            Some(Content::Retired) | None => State::OutOfUse,
        };
        Sight { state, stamp: slot.map(|slot| slot.stamp), slots: Self::CAPACITY }
    }

    /// Looks at all things, with their handles, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice { pitch: f32 }
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// let [a, _] = [1.0, 2.0].map(|pitch| voices.spawn(Voice { pitch }));
    /// voices.despawn(a);
    /// for (_, voice) in voices.iter_mut() { voice.pitch *= 2.0; }
    /// assert_eq!(voices.iter().map(|(_, voice)| voice.pitch).sum::<f32>(), 4.0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Handle<T>, &T)> {
        (1..).zip(&self.slots).filter_map(|(index, slot)| match &slot.content {
            Content::Live(value) => Some((Handle::from_parts(index, slot.stamp), value)),
            Content::Free | Content::Retired => None,
        })
    }

    /// Gives all things, to be changed, with their handles, in slot order.
    ///
    /// # Examples
    ///
    /// See [`iter`](Self::iter).
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Handle<T>, &mut T)> {
        (1..).zip(&mut self.slots).filter_map(|(index, slot)| match &mut slot.content {
            Content::Live(value) => Some((Handle::from_parts(index, slot.stamp), value)),
            Content::Free | Content::Retired => None,
        })
    }

    /// The handles of all things, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// let a = voices.spawn(Voice {});
    /// assert!(voices.handles().eq([a]));
    /// ```
    pub fn handles(&self) -> impl Iterator<Item = Handle<T>> {
        self.iter().map(|(handle, _)| handle)
    }

    /// Keeps the things for which `keep` says so and despawns the others, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice { pitch: f32 }
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// for pitch in [220.0, 440.0] { voices.spawn(Voice { pitch }); }
    /// voices.retain(|_, voice| voice.pitch > 300.0);
    /// assert_eq!(voices.len(), 1);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T>, &mut T) -> bool) {
        for index in 1..=Self::CAPACITY {
            let Slot { stamp, content: Content::Live(value) } = &mut self.slots[index as usize - 1]
            else {
                continue;
            };
            let handle = Handle::from_parts(index, *stamp);
            if !keep(handle, value) {
                self.despawn(handle);
            }
        }
    }

    /// Despawns everything. Every old handle stays dead.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// let a = voices.spawn(Voice {});
    /// voices.clear();
    /// voices.spawn(Voice {});
    /// assert!(!voices.contains(a));
    /// ```
    ///
    /// If the `Drop` of one thing panics, the others are dropped all the same before the panic goes
    /// on.
    pub fn clear(&mut self) {
        // Goes on when a `Drop` has unwound.
        Guard::new(self, |pool| pool.retain(|_, _| false)).retain(|_, _| false);
    }

    /// Makes retired slots usable again, from generation 1 on. Answers how many. Only for a moment
    /// when no old handle can be left: an old handle of such a slot would name the new thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice {}
    /// assert_eq!(FixedPool::<Voice, 8>::new().reclaim_retired(), 0);
    /// ```
    pub fn reclaim_retired(&mut self) -> u32 {
        for (place, slot) in self.slots.iter_mut().enumerate() {
            if matches!(slot.content, Content::Retired) {
                slot.content = Content::Free;
                self.lowest = self.lowest.min(place);
            }
        }
        core::mem::take(&mut self.retired)
    }
}

impl<T: Thing, const N: usize> Default for FixedPool<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Every handle is good in the copy too.
impl<T: Thing + Clone, const N: usize> Clone for FixedPool<T, N> {
    fn clone(&self) -> Self {
        Self { slots: self.slots.clone(), nil: self.nil.clone(), ..*self }
    }
}

impl<T: Thing + fmt::Debug, const N: usize> fmt::Debug for FixedPool<T, N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}
