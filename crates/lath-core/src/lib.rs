//! Handles that cannot lie, and the pool of things that they name: the core of
//! [lath](https://docs.rs/lath).
//!
//! Declare one fat struct, put its things into a [`Pool`], keep [`Handle`]s for as long as you
//! like:
//!
//! ```
//! use lath_core::{Handle, Pool, Thing};
//!
//! #[derive(Thing, Default)]
//! struct Ship {
//!     hull: f32,
//!     target: Handle<Ship>, // nothing, until told otherwise
//! }
//!
//! let mut ships = Pool::new();
//! let prey = ships.spawn(Ship { hull: 10.0, ..Default::default() });
//! let hunter = ships.spawn(Ship { hull: 50.0, target: prey });
//!
//! ships.edit(prey, |ship| ship.hull -= 20.0);
//! ships.retain(|_, ship| ship.hull > 0.0);
//!
//! // The hunter still holds the handle. It names nothing now, and never anything else.
//! let target = ships[hunter].target;
//! assert!(ships.get(target).is_none());
//! assert_eq!(ships.read(target).hull, 0.0); // the nil thing: `Ship::default()`
//! ```
//!
//! # What is where
//!
//! | module | holds |
//! |---|---|
//! | `handle` | [`Handle`], [`AnyHandle`], [`HandleRange`]: bits, equality, `7v3` |
//! | `generation` | the odd/even counter, and what happens when it is spent |
//! | `thing`, `field` | [`Thing`] and its fields, as types |
//! | `derive` | what the code of the derives calls |
//! | `memory`, `slots` | memory that never moves, and where a slot is; which slots are free |
//! | `storage`, `rows` | where values are kept; columns are in `lath-soa` |
//! | `tags`, `clusters`, `marks` | a bitmap per tag; which tags own which slots; what was changed when |
//! | `view`, `each` | which fields a loop uses, and the loops, compiled twice |
//! | `cells` | slots and values together |
//! | `reuse` | which free slot comes next |
//! | `companion` | what lies beside the slots and hears of what comes and goes: trees, side tables |
//! | `tree` | [`Tree`], [`TreeMut`]: parent, child and sibling links |
//! | `side` | [`Side`], [`SideMut`]: tables of values beside the things |
//! | `strips`, `image` | copies of whole pools, for `lath-snapshot` |
//! | `pool` | [`Pool`]: what users call |
//! | `fixed` | [`FixedPool`]: the same without a heap |
//!
//! # Features
//!
//! `std` (default) finds out whether the processor has AVX2, for the loops over views, and prints
//! the warning of `Pool::expect_at_most`. `parallel` adds loops on several threads, by
//! `rayon-core`. `alloc` (implied) is needed by [`Pool`]; without it the crate offers handles and
//! [`FixedPool`]. `serde` and `bytemuck` implement those crates' traits for handles.
//!
//! # Unsafe code
//!
//! Denied in this crate but for the files that begin with `#![expect(unsafe_code, reason = …)]`,
//! because memory that holds a value or not, at addresses that never change, cannot be had
//! otherwise:
//!
//! | file | why |
//! |---|---|
//! | `memory.rs` | an array that grows and never moves an element |
//! | `zeroed.rs` | lists of zeros that the system has not touched yet |
//! | `lock.rs` | a lock that needs no operating system |
//! | `rows.rs` | slots that hold a value or not |
//! | `prefetch.rs` | asks the processor for memory ahead of its use |
//! | `storage.rs` | declares the unsafe trait between pool and storage |
//! | `field.rs` | declares the unsafe traits that describe the fields of a struct |
//! | `view.rs` | declares the unsafe trait of views; turns pointers to fields into references |
//! | `each.rs` | walks raw runs of slots; calls the loop that is compiled for AVX2 |
//! | `pool/systems.rs`, `tree/trees.rs` | parts of a pool for systems that run at the same time |
//! | `tree/sweep.rs` | hands out a thing beside its relatives, also to several threads |
//! | `cells/*.rs` | decide whether a slot holds a value; hand out several things at once, also to several threads |
//! | `strips.rs`, `rows/strips.rs` | say where values lie, for copies of whole pools |
//! | `plain.rs` | with `bytemuck`: handles as bytes |

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;
// So that the derive's `::lath_core` means this crate in its own tests too.
extern crate self as lath_core;

#[cfg(feature = "alloc")]
mod cells;
#[cfg(feature = "alloc")]
mod clusters;
#[cfg(feature = "alloc")]
mod companion;
#[doc(hidden)] // for the derives
pub mod derive;
#[cfg(feature = "alloc")]
mod each;
mod error;
mod field;
mod fixed;
#[cfg(feature = "alloc")]
mod flat;
mod generation;
#[doc(hidden)] // for `lath-schedule`
pub mod guard;
mod handle;
#[cfg(feature = "alloc")]
mod lock;
#[cfg(feature = "alloc")]
mod marks;
#[cfg(feature = "alloc")]
#[doc(hidden)] // for `lath-soa`
pub mod memory;
#[cfg(feature = "bytemuck")]
mod plain;
#[cfg(feature = "alloc")]
mod pool;
#[cfg(feature = "alloc")]
#[doc(hidden)] // for `lath-soa`
pub mod prefetch;
#[cfg(feature = "alloc")]
mod reuse;
#[cfg(feature = "alloc")]
mod rows;
#[cfg(feature = "serde")]
mod serial;
#[cfg(feature = "alloc")]
mod side;
#[cfg(feature = "alloc")]
mod slots;
mod state;
#[cfg(feature = "alloc")]
mod storage;
#[cfg(feature = "alloc")]
#[doc(hidden)] // for the derive and `lath-snapshot`
pub mod strips;
mod tags;
mod thing;
#[cfg(feature = "parallel")]
#[doc(hidden)] // for `lath-schedule`
pub mod threads;
#[cfg(feature = "alloc")]
mod tree;
#[cfg(feature = "alloc")]
mod view;
#[cfg(feature = "alloc")]
mod wait;
#[cfg(feature = "alloc")]
mod zeroed;

/// What it takes to copy a pool and to put a copy back, for `lath-snapshot`: see
/// `cells/blocks/mod.rs` and `pool/blocks.rs`.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod blocks {
    pub use crate::cells::blocks::{BLOCK, Block, BlockBuilder, BlockReader, Ledger, RestoreError};
    pub use crate::clusters::COMMON;
    pub use crate::companion::{Companions, CompanionsDelta};
    pub use crate::pool::next_identity;
    pub use crate::slots::ones;
    pub use crate::tree::Row;
}

/// The crate whose flags are tags, for the code that the derive writes and for everyone who
/// declares tags.
pub use bitflags;
pub use error::{
    CapacityError, HandleError, LinkError, LinkRole, Name, OutOfMemory, SideError, SideFault,
    SingleError, SpawnError, SpawnFault,
};
pub use field::{Field, FieldInfo, FieldVisitor, Fields, Home};
pub use fixed::FixedPool;
pub use handle::{AnyHandle, Handle, HandleRange};
pub use lath_derive::{CoreThing as Thing, CoreView as View};
pub use tags::{NoTags, TagBits, TagSet};
#[cfg(not(feature = "alloc"))]
pub use thing::Rows;
pub use thing::{HandleBits, Thing};

#[cfg(feature = "alloc")]
pub use cells::{GetMany, Iter, IterMut, Lane, Others, ViewIter, Views, Workers};
#[cfg(feature = "alloc")]
pub use pool::{Excess, ExtractIf, Pool, Side, SideMut, SpawnMany, Stats};
#[cfg(feature = "alloc")]
pub use reuse::Reuse;
#[cfg(feature = "alloc")]
pub use rows::Rows;
#[cfg(feature = "alloc")]
pub use storage::{CloneStorage, Storage, ThingMut, ThingRef};
#[cfg(feature = "alloc")]
pub use tree::{
    Ancestors, Attached, Branch, ChildViews, Children, Cursor, Descendants, LinksAndThings,
    LinksOnly, Orphans, PostOrder, Reach, Relation, Remap, Sweep, TakenTree, Things, Tree, TreeMut,
};
#[cfg(feature = "alloc")]
pub use view::{FieldBase, Mut, PlaceOf, Ref, Slices, StorageOf, View};
