//! What can go wrong, in words: which handle, which slot, and what to do about it.

use core::error::Error;
use core::fmt;

/// A handle as messages show it, without its type: `7v3`, or `nil`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The slot.
    pub index: u32,
    /// The life of the slot that the handle names.
    pub generation: u32,
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.index == 0 {
            out.write_str("nil")
        } else {
            write!(out, "{}v{}", self.index, self.generation)
        }
    }
}

/// Why a handle names nothing.
///
/// # Examples
///
/// ```
/// use lath_core::{HandleError, Pool, Thing};
/// # #[derive(Thing, Default)] struct Crew {}
///
/// let mut crew = Pool::new();
/// let ada = crew.spawn(Crew {});
/// crew.despawn(ada);
/// let error = crew.check(ada).unwrap_err();
/// assert!(matches!(error, HandleError::Stale { current: 2, .. }));
/// assert_eq!(error.to_string(), "1v1 is stale: slot 1 is now at generation 2, free");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandleError {
    /// The handle is [`Handle::NIL`](crate::Handle::NIL).
    Nil,
    /// The pool has never had this slot.
    OutOfRange {
        /// The handle.
        handle: Name,
        /// How many slots the pool has.
        slots: u32,
    },
    /// The thing is gone, or this pool never had it.
    Stale {
        /// The handle.
        handle: Name,
        /// The slot's generation now: odd if another thing lives there, even if it is free.
        current: u32,
    },
    /// The thing is gone, and its slot will never be used again: its generations are spent.
    Retired {
        /// The handle.
        handle: Name,
    },
    /// The handle is reserved and its value has not arrived yet.
    Pending {
        /// The handle.
        handle: Name,
    },
    /// Slot and generation are right, but the kind is not the one that the thing was spawned with.
    WrongKind {
        /// The handle.
        handle: Name,
        /// The kind in the handle.
        kind: u32,
        /// The kind that the thing has.
        expected: u32,
    },
    /// The same handle was given twice to a call that needs each thing once.
    Twice {
        /// The handle.
        handle: Name,
    },
    /// There is such a thing, but the view does not see it: it lacks a tag, or has one too many.
    Unseen {
        /// The handle.
        handle: Name,
    },
}

impl fmt::Display for HandleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out: &mut dyn fmt::Write = out; // its `write!` is a call; that of a `Formatter` is copied to each place
        match *self {
            Self::Nil => out.write_str("the handle is nil: it names nothing"),
            Self::OutOfRange { handle, slots } => {
                write!(out, "{handle} is out of range: the pool has {slots} slots")
            }
            Self::Stale { handle, current } => {
                write!(
                    out,
                    "{handle} is stale: slot {} is now at generation {current}",
                    handle.index
                )?;
                if current % 2 == 0 { out.write_str(", free") } else { Ok(()) }
            }
            Self::Retired { handle } => {
                write!(
                    out,
                    "{handle} is stale: slot {} is retired, its generations are spent",
                    handle.index
                )
            }
            Self::Pending { handle } => {
                write!(
                    out,
                    "{handle} is reserved and has no value yet: give it one with `spawn_at`"
                )
            }
            Self::WrongKind { handle, kind, expected } => {
                write!(out, "{handle} has kind {kind}, but the thing there is of kind {expected}")
            }
            Self::Twice { handle } => {
                write!(out, "{handle} was given twice: only the first gets the thing")
            }
            Self::Unseen { handle } => {
                write!(out, "{handle} is not seen: its tags are not those that the view asks for")
            }
        }
    }
}

impl Error for HandleError {}

/// There is not exactly one thing that a view sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleError {
    /// How many there are.
    pub seen: usize,
}

impl fmt::Display for SingleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "the query was asked for the single thing that it sees, but it sees {}",
            self.seen
        )
    }
}

impl Error for SingleError {}

/// Why a thing could not be spawned; [`SpawnError`] gives the thing back beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnFault {
    /// Every slot is live, reserved, buried or retired, and there can be no more.
    Full {
        /// How many things the pool can hold.
        capacity: u32,
        /// How many slots are retired; [`reclaim_retired`](crate::Pool::reclaim_retired) may bring
        /// them back.
        retired: u32,
    },
    /// The allocator refused.
    OutOfMemory(OutOfMemory),
    /// The value's kind does not fit in the kind bits of the handle.
    KindTooLarge {
        /// The kind.
        kind: u32,
        /// The bits there are.
        bits: u32,
    },
    /// `spawn_at`: the slot is taken by another thing.
    Occupied {
        /// The handle that was asked for.
        handle: Name,
        /// The generation of the thing that is there.
        current: u32,
    },
    /// `spawn_at`: the handle cannot be given out (again).
    Handle(HandleError),
    /// `spawn_child`: the thing could not have been put below its parent.
    Link(LinkError),
}

impl fmt::Display for SpawnFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out: &mut dyn fmt::Write = out; // its `write!` is a call; that of a `Formatter` is copied to each place
        match *self {
            Self::Full { capacity, retired: 0 } => {
                write!(out, "the pool is full: {capacity} of {capacity} slots are taken")
            }
            Self::Full { capacity, retired } => write!(
                out,
                "the pool is full: {capacity} of {capacity} slots are taken, {retired} of them retired; \
                 `reclaim_retired` brings those back once no old handle is left"
            ),
            Self::OutOfMemory(error) => write!(out, "{error}"),
            Self::KindTooLarge { kind, bits } => {
                write!(
                    out,
                    "kind {kind} does not fit in {bits} bits: raise `kind` in `#[thing(handle(…))]`"
                )
            }
            Self::Occupied { handle, current } => {
                write!(
                    out,
                    "{handle} cannot be spawned: slot {} is taken, at generation {current}",
                    handle.index
                )
            }
            Self::Handle(error) => write!(out, "the handle cannot be spawned: {error}"),
            Self::Link(error) => write!(out, "the child cannot be spawned: {error}"),
        }
    }
}

impl Error for SpawnFault {}

/// Who of those that were to be linked an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRole {
    /// The one that was to be moved.
    Child,
    /// The one that was to get a child.
    Parent,
    /// The one that was to get a neighbour.
    Sibling,
}

impl fmt::Display for LinkRole {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Child => "child",
            Self::Parent => "parent",
            Self::Sibling => "sibling",
        })
    }
}

/// Why things could not be linked. Nothing has changed.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, LinkError, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part {}
/// let mut ship = Pool::new();
/// let hull = ship.spawn(Part {});
/// let error = ship.tree_mut().attach(hull, hull).unwrap_err();
/// assert_eq!(error.to_string(), "1v1 cannot be put below itself");
/// let error = ship.tree_mut().attach(hull, Handle::NIL).unwrap_err();
/// assert_eq!(error.to_string(), "there is no such parent: the handle is nil: it names nothing");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkError {
    /// One of the handles names nothing.
    Stale {
        /// Which one.
        role: LinkRole,
        /// Why.
        error: HandleError,
    },
    /// The parent is the child itself, or is below it.
    Cycle {
        /// The thing that was to be moved.
        child: Name,
        /// Where it was to be put: itself, or something below it.
        parent: Name,
        /// How many levels the second is below the first.
        levels: u32,
    },
    /// The sibling has no parent, so that nobody can be put beside it.
    NoParent {
        /// The sibling.
        sibling: Name,
    },
    /// The allocator refused.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for LinkError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out: &mut dyn fmt::Write = out; // its `write!` is a call; that of a `Formatter` is copied to each place
        match *self {
            Self::Stale { role, error } => write!(out, "there is no such {role}: {error}"),
            Self::Cycle { child, levels: 0, .. } => {
                write!(out, "{child} cannot be put below itself")
            }
            Self::Cycle { child, parent, levels } => {
                write!(out, "{child} cannot be put below {parent}, which is below it:\n{child}\n")?;
                match levels {
                    1 => write!(out, "└─ {parent}"),
                    _ => write!(out, "└─ … {} in between\n   └─ {parent}", levels - 1),
                }
            }
            Self::NoParent { sibling } => {
                write!(
                    out,
                    "nothing can be put beside {sibling}, which has no parent: attach that first"
                )
            }
            Self::OutOfMemory(error) => write!(out, "{error}"),
        }
    }
}

impl Error for LinkError {}

/// A thing that could not be spawned, and why. Nothing changed, and the thing is in here.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, SpawnFault, Thing};
/// # #[derive(Thing, Default, Debug)] struct Crew { name: String }
///
/// let mut boat = Pool::fixed(1).unwrap();
/// boat.spawn(Crew { name: "Ada".into() });
/// let error = boat.try_spawn(Crew { name: "Lin".into() }).unwrap_err();
/// assert_eq!(error.fault, SpawnFault::Full { capacity: 1, retired: 0 });
/// assert_eq!(error.value.name, "Lin"); // given back
/// ```
pub struct SpawnError<T> {
    /// The thing, given back.
    pub value: T,
    /// Why.
    pub fault: SpawnFault,
}

// By hand, as `Display` and `Error` below: none of them needs anything of `T`.
impl<T> fmt::Debug for SpawnError<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SpawnError").field("fault", &self.fault).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for SpawnError<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(out)
    }
}

impl<T> Error for SpawnError<T> {}

/// A value that was not put into a side table, and why: [`SideMut::insert`](crate::SideMut::insert).
/// Holds the value.
///
/// # Examples
///
/// ```
/// # use lath_core::{Handle, Pool, SideFault, Thing};
/// # #[derive(Thing, Default)] struct Ship {}
/// let mut ships = Pool::<Ship>::new();
/// let error = ships.side_mut::<String>().insert(Handle::NIL, "Ada".to_string()).unwrap_err();
/// assert_eq!(error.to_string(), "there is no such thing: the handle is nil: it names nothing");
/// assert_eq!((error.value.as_str(), error.fault), ("Ada", SideFault::Handle(lath_core::HandleError::Nil)));
/// ```
pub struct SideError<V> {
    /// The value.
    pub value: V,
    /// Why.
    pub fault: SideFault,
}

/// Why a value cannot be put into a side table.
///
/// # Examples
///
/// ```
/// # use lath_core::{Pool, SideFault, Thing};
/// # #[derive(Thing, Default)] struct Ship {}
/// let mut ships = Pool::new();
/// let gone = ships.spawn(Ship {});
/// ships.despawn(gone);
/// let error = ships.side_mut::<u32>().insert(gone, 1).unwrap_err();
/// assert!(matches!(error.fault, SideFault::Handle(_)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SideFault {
    /// The handle names nothing.
    Handle(HandleError),
    /// Memory was refused.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for SideFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handle(error) => write!(out, "there is no such thing: {error}"),
            Self::OutOfMemory(error) => write!(out, "{error}"),
        }
    }
}

impl Error for SideFault {}

// By hand, as for `SpawnError`.
impl<V> fmt::Debug for SideError<V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SideError").field("fault", &self.fault).finish_non_exhaustive()
    }
}

impl<V> fmt::Display for SideError<V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(out)
    }
}

impl<V> Error for SideError<V> {}

/// The allocator refused, or the size does not fit into the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How many bytes were asked for.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "out of memory: {} bytes for more slots were refused", self.bytes)
    }
}

impl Error for OutOfMemory {}

/// Why a pool of this capacity cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapacityError {
    /// A pool of no slots could hold nothing.
    Zero,
    /// More slots than the index bits of the handle can name.
    TooLarge {
        /// What was asked for.
        capacity: usize,
        /// The most there can be.
        largest: u32,
    },
    /// The allocator refused.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for CapacityError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out: &mut dyn fmt::Write = out; // its `write!` is a call; that of a `Formatter` is copied to each place
        match *self {
            Self::Zero => {
                out.write_str("a pool of capacity 0 could hold nothing: ask for at least 1")
            }
            Self::TooLarge { capacity, largest } => write!(
                out,
                "a capacity of {capacity} is beyond the index bits of the handle, which name at most {largest} slots: \
                 raise `index` in `#[thing(handle(…))]`"
            ),
            Self::OutOfMemory(error) => write!(out, "{error}"),
        }
    }
}

impl Error for CapacityError {}

impl From<OutOfMemory> for CapacityError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}
