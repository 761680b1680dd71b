//! `Handle<T>`: the name of a thing, and nothing else.
//!
//! From the low bits up: the slot's index, the generation, the kind. Index 0 and generation 0 are
//! never handed out, so all zero bits mean "nothing".
//!
//! # Invariants
//!
//! - **H1** A handle is either all zero or has an index above 0 and an odd generation. Every
//!   constructor keeps this, bits from outside included, and lookups rely on it: a free slot, whose
//!   stamp is even, matches no handle.

use core::any::{TypeId, type_name};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::error::{HandleError, Name};
use crate::generation::{StampBits, is_live};
use crate::thing::{Thing, sealed::Bits};

/// Names one thing of type `T`: 8 bytes by default, `Copy`, and good for as long as you like.
///
/// A handle resolves to the thing that it was made for or, once that is gone, to nothing. The
/// default is [`Handle::NIL`], all zero bits.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Pool, Thing};
///
/// #[derive(Thing, Default)]
/// struct Ship { target: Handle<Ship> }
///
/// let mut ships = Pool::new();
/// let prey = ships.spawn(Ship::default());
/// let hunter = ships.spawn(Ship { target: prey });
///
/// ships.despawn(prey);
/// let other = ships.spawn(Ship::default()); // the same slot, a later generation
/// assert_eq!(other.index(), prey.index());
/// assert!(ships.get(ships.read(hunter).target).is_none());
/// ```
///
/// A handle opens pools of its own type only:
///
/// ```compile_fail,E0308
/// # use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Ship {}
/// # #[derive(Thing, Default)] struct Crew {}
/// let mut ships = Pool::<Ship>::new();
/// let crew = Pool::<Crew>::new();
/// crew.get(ships.spawn(Ship {}));
/// ```
#[repr(transparent)]
pub struct Handle<T: Thing> {
    bits: T::Bits,
}

impl<T: Thing> Handle<T> {
    /// The handle that names nothing. It is the default, and all its bits are zero.
    pub const NIL: Self = Self { bits: T::Bits::ZERO };

    /// How the bits above the index are divided; also where a bad `#[thing(handle(…))]` is refused.
    pub(crate) const STAMP: StampBits = {
        let width = T::Bits::WIDTH;
        assert!(
            T::INDEX_BITS >= 1 && T::INDEX_BITS <= 32,
            "a handle has 1 to 32 bits for the index"
        );
        assert!(
            T::INDEX_BITS + T::KIND_BITS < width,
            "index and kind leave no bit of the handle for the generation"
        );
        let rest = width - T::INDEX_BITS;
        let stamp = if rest > 32 { 32 } else { rest };
        assert!(
            T::KIND_BITS < stamp,
            "kind and generation share at most 32 bits, and the generation needs one"
        );
        StampBits { generation: stamp - T::KIND_BITS, kind: T::KIND_BITS }
    };

    const INDEX_MASK: u64 = (1 << T::INDEX_BITS) - 1;

    /// Makes the handle from parts that a pool vouches for: `index` is above 0 and fits, `stamp` is
    /// odd (H1).
    #[inline(always)]
    pub(crate) fn from_parts(index: u32, stamp: u32) -> Self {
        debug_assert!(index > 0 && u64::from(index) <= Self::INDEX_MASK && is_live(stamp));
        Self { bits: T::Bits::narrow(u64::from(stamp) << T::INDEX_BITS | u64::from(index)) }
    }

    /// Makes the handle that these bits mean, whatever they are: bits that no pool could have made
    /// give [`NIL`](Self::NIL).
    ///
    /// Bits from a save or a packet are safe to use: the handle names a live thing of exactly that
    /// generation, or nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let ship = ships.spawn(Ship {});
    /// assert_eq!(Handle::from_bits(ship.to_bits()), ship);
    /// // An even generation is a free slot's: such bits name nothing.
    /// assert_eq!(Handle::<Ship>::from_bits(2 << 32 | 1), Handle::NIL);
    /// ```
    pub fn from_bits(bits: u64) -> Self {
        let stamp_mask = u64::from(u32::MAX >> (32 - Self::STAMP.generation - Self::STAMP.kind));
        let stamp = bits >> T::INDEX_BITS;
        if stamp <= stamp_mask && is_live(stamp as u32) && bits & Self::INDEX_MASK != 0 {
            Self { bits: T::Bits::narrow(bits) }
        } else {
            Self::NIL
        }
    }

    /// The bits, to be stored or sent; [`from_bits`](Self::from_bits) takes them back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// assert_eq!(Handle::<Ship>::NIL.to_bits(), 0);
    /// ```
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        self.bits.widen()
    }

    /// Whether this is [`NIL`](Self::NIL). A handle that is not nil may still be stale: only its
    /// pool knows.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// assert!(Handle::<Ship>::default().is_nil());
    /// ```
    #[inline(always)]
    pub fn is_nil(self) -> bool {
        self.bits == T::Bits::ZERO
    }

    /// The slot: 0 for nil, otherwise at least 1.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// assert_eq!(Pool::new().spawn(Ship {}).index(), 1);
    /// ```
    #[inline(always)]
    pub fn index(self) -> u32 {
        (self.to_bits() & Self::INDEX_MASK) as u32
    }

    /// The life of the slot: 0 for nil, otherwise odd.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let first = ships.spawn(Ship {});
    /// ships.despawn(first);
    /// assert_eq!((first.generation(), ships.spawn(Ship {}).generation()), (1, 3));
    /// ```
    #[inline(always)]
    pub fn generation(self) -> u32 {
        Self::STAMP.generation_of(self.stamp())
    }

    /// The kind that the thing was spawned with; 0 for things without kinds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// #[derive(Thing, Default)]
    /// #[thing(handle(kind = 4))]
    /// struct Item { #[thing(kind)] sort: u8 }
    ///
    /// let mut items = Pool::new();
    /// assert_eq!(items.spawn(Item { sort: 9 }).kind(), 9); // read off the handle: no lookup
    /// ```
    #[inline(always)]
    pub fn kind(self) -> u32 {
        Self::STAMP.kind_of(self.stamp())
    }

    /// Forgets the type; [`AnyHandle::downcast`] checks it on the way back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let any = Handle::<Ship>::NIL.erase();
    /// assert_eq!(any.downcast::<Crew>(), None);
    /// ```
    pub fn erase(self) -> AnyHandle {
        AnyHandle {
            bits: self.to_bits(),
            thing: TypeId::of::<T>(),
            write: |bits, out| write!(out, "{:?} of {}", Self::from_bits(bits), type_name::<T>()),
        }
    }

    /// What a slot holds while this handle is good: generation and kind.
    #[inline(always)]
    #[doc(hidden)] // for `lath-snapshot`
    pub fn stamp(self) -> u32 {
        (self.to_bits() >> T::INDEX_BITS) as u32
    }

    /// Slot and stamp: a handle without its type.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn node(self) -> (u32, u32) {
        (self.index(), self.stamp())
    }

    /// The handle as error messages show it.
    pub(crate) fn name(self) -> Name {
        Name { index: self.index(), generation: self.generation() }
    }
}

// Written by hand, as are the traits below: a derive would ask for `T: Clone` and so on, but no `T`
// is inside.
impl<T: Thing> Clone for Handle<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing> Copy for Handle<T> {}

impl<T: Thing> Default for Handle<T> {
    fn default() -> Self {
        Self::NIL
    }
}

impl<T: Thing> PartialEq for Handle<T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<T: Thing> Eq for Handle<T> {}

/// By slot first, so that sorted handles are in the order in which a pool is walked.
impl<T: Thing> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.index(), self.stamp()).cmp(&(other.index(), other.stamp()))
    }
}

impl<T: Thing> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Thing> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

/// `7v3`: slot 7, generation 3; with a kind, `7v3k2`; `nil` for nothing.
impl<T: Thing> fmt::Debug for Handle<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.name(), out)?;
        if T::KIND_BITS > 0 && !self.is_nil() { write!(out, "k{}", self.kind()) } else { Ok(()) }
    }
}

impl<T: Thing> fmt::Display for Handle<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, out)
    }
}

/// A handle whose type is known at run time only: for maps that mix things of several types.
///
/// # Examples
///
/// ```
/// # use lath_core::{AnyHandle, Handle, Pool, Thing};
/// # #[derive(Thing, Default)] struct Ship {}
/// # #[derive(Thing, Default)] struct Crew {}
/// let (mut ships, mut crew) = (Pool::new(), Pool::new());
/// let selected: Vec<AnyHandle> = vec![ships.spawn(Ship {}).erase(), crew.spawn(Crew {}).erase()];
///
/// assert!(selected[0] != selected[1]); // both 1v1, but of different things
/// let ship = selected.iter().find_map(|any| any.downcast::<Ship>()).unwrap();
/// assert!(ships.contains(ship));
/// ```
#[derive(Clone, Copy)]
pub struct AnyHandle {
    bits: u64,
    thing: TypeId,
    write: fn(u64, &mut fmt::Formatter<'_>) -> fmt::Result,
}

impl AnyHandle {
    /// The typed handle, or `None` if it names a thing of another type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// assert_eq!(Handle::<Ship>::NIL.erase().downcast::<Ship>(), Some(Handle::NIL));
    /// ```
    pub fn downcast<T: Thing>(self) -> Option<Handle<T>> {
        (self.thing == TypeId::of::<T>()).then(|| Handle::from_bits(self.bits))
    }

    /// The type of the thing that it names.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// assert_eq!(Handle::<Ship>::NIL.erase().thing(), std::any::TypeId::of::<Ship>());
    /// ```
    pub fn thing(self) -> TypeId {
        self.thing
    }

    /// The bits of the typed handle.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// assert_eq!(Handle::<Ship>::NIL.erase().to_bits(), 0);
    /// ```
    pub fn to_bits(self) -> u64 {
        self.bits
    }

    fn key(&self) -> (TypeId, u64) {
        (self.thing, self.bits)
    }
}

// By hand: function pointers have no meaningful equality.
impl PartialEq for AnyHandle {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for AnyHandle {}

impl Hash for AnyHandle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for AnyHandle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.write)(self.bits, out)
    }
}

impl<T: Thing> From<Handle<T>> for AnyHandle {
    fn from(handle: Handle<T>) -> Self {
        handle.erase()
    }
}

/// Names a contiguous run of things by its first handle and a length: the key frames of a curve,
/// the wagons of a train.
///
/// All things of a run share one generation, so every single handle follows from the range. Each of
/// them lives and dies by itself.
///
/// # Examples
///
/// ```
/// # use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Key { time: f32 }
/// let mut keys = Pool::new();
/// let curve = keys.spawn_range(4, |i| Key { time: i as f32 }).unwrap();
///
/// keys.despawn(curve.get(2).unwrap());
/// let times: Vec<_> = curve.iter().filter_map(|key| keys.get(key)).map(|key| key.time).collect();
/// assert_eq!(times, [0.0, 1.0, 3.0]);
/// ```
pub struct HandleRange<T: Thing> {
    first: Handle<T>,
    len: u32,
}

impl<T: Thing> HandleRange<T> {
    /// The range of no things.
    pub const EMPTY: Self = Self { first: Handle::NIL, len: 0 };

    /// Names `len` things from `first` on: for ranges that come from a save or a packet.
    ///
    /// # Errors
    ///
    /// [`HandleError::Nil`] for a range of something that starts at nil,
    /// [`HandleError::OutOfRange`] if the run would pass the last index that a handle can hold.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, HandleRange, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Key {}
    /// let mut keys = Pool::new();
    /// let [_, key] = [(); 2].map(|()| keys.spawn(Key {}));
    /// assert_eq!(HandleRange::new(key, 3).unwrap().iter().count(), 3);
    /// assert!(HandleRange::new(key, u32::MAX).is_err());
    /// ```
    pub fn new(first: Handle<T>, len: u32) -> Result<Self, HandleError> {
        let largest = Handle::<T>::INDEX_MASK;
        match len {
            0 => Ok(Self::EMPTY),
            _ if first.is_nil() => Err(HandleError::Nil),
            _ if u64::from(first.index()) + u64::from(len) - 1 > largest => {
                Err(HandleError::OutOfRange { handle: first.name(), slots: largest as u32 })
            }
            _ => Ok(Self { first, len }),
        }
    }

    /// The handle of the first thing; nil if the range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{HandleRange, Thing};
    /// # #[derive(Thing, Default)] struct Key {}
    /// assert!(HandleRange::<Key>::EMPTY.first().is_nil());
    /// ```
    pub fn first(self) -> Handle<T> {
        self.first
    }

    /// How many things it names, dead or alive.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{HandleRange, Thing};
    /// # #[derive(Thing, Default)] struct Key {}
    /// assert_eq!(HandleRange::<Key>::default().len(), 0);
    /// ```
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether it names nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{HandleRange, Thing};
    /// # #[derive(Thing, Default)] struct Key {}
    /// assert!(HandleRange::<Key>::EMPTY.is_empty());
    /// ```
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The handle of thing `i` of the run, or `None` past its end.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Key {}
    /// let run = Pool::new().spawn_range(3, |_| Key {}).unwrap();
    /// assert_eq!(run.get(0), Some(run.first()));
    /// assert_eq!(run.get(3), None);
    /// ```
    pub fn get(self, i: u32) -> Option<Handle<T>> {
        (i < self.len).then(|| Handle::from_parts(self.first.index() + i, self.first.stamp()))
    }

    /// All handles of the run, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Key {}
    /// let run = Pool::new().spawn_range(3, |_| Key {}).unwrap();
    /// assert_eq!(run.iter().map(|key| key.index()).collect::<Vec<_>>(), [1, 2, 3]);
    /// ```
    pub fn iter(self) -> impl ExactSizeIterator<Item = Handle<T>> + DoubleEndedIterator + Clone {
        // An iterator of the standard library's, which a `Vec` trusts to be as long as it says.
        let (first, stamp) = (self.first.index(), self.first.stamp());
        (0..self.len).map(move |i| Handle::from_parts(first + i, stamp))
    }
}

impl<T: Thing> Clone for HandleRange<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing> Copy for HandleRange<T> {}

impl<T: Thing> Default for HandleRange<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T: Thing> PartialEq for HandleRange<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.first, self.len) == (other.first, other.len)
    }
}

impl<T: Thing> Eq for HandleRange<T> {}

impl<T: Thing> Hash for HandleRange<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.first, self.len).hash(state);
    }
}

/// `7v3+4`: four things from slot 7 on, all of generation 3.
impl<T: Thing> fmt::Debug for HandleRange<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}+{}", self.first, self.len)
    }
}
