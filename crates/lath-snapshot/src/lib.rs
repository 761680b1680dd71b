//! Snapshots of worlds: roll back, save, load, compare; prefabs.
//!
//! ```
//! use lath_core::{Handle, Thing};
//! use lath_schedule::World;
//! use lath_snapshot::{Load, Save, SaveWorld, Snapshot, Write};
//!
//! #[derive(Thing, Save, Default)]
//! struct Ship {
//!     hull: f32,
//!     target: Handle<Ship>,
//!     name: String,
//! }
//!
//! let mut world = World::new();
//! world.saves::<Ship>(); // once, for each thing and each resource that is to be saved
//!
//! let prey = world.spawn(Ship { hull: 10.0, name: "Prey".into(), ..Default::default() });
//! let hunter = world.spawn(Ship { hull: 50.0, target: prey, name: "Hunter".into() });
//!
//! // In memory: exactly as it was, the next handle included.
//! let before = Snapshot::take(&world)?;
//! world.despawn(prey);
//! before.restore(&mut world)?;
//! assert!(world.get(prey).is_some());
//!
//! // As bytes, or to a file: by field name, so that fields may come, go and be renamed.
//! let save = Write::new().to_bytes(&before)?;
//! let mut tomorrow = World::new();
//! tomorrow.saves::<Ship>();
//! Load::new().from_bytes(&mut tomorrow, &save)?;
//! assert_eq!(tomorrow.read(hunter).target, prey); // handles keep their meaning
//! # Ok::<(), lath_snapshot::SaveError>(())
//! ```
//!
//! # What is where
//!
//! | module | holds |
//! |---|---|
//! | `save` | [`Save`]: what makes a thing one that can be saved |
//! | `registry` | [`SaveWorld`]: what a world saves |
//! | `snapshot`, `history`, `delta` | [`Snapshot`], [`History`], [`Delta`]: copies in memory |
//! | `part`, `pool_part`, `resource_part` | what a snapshot is made of |
//! | `image` | copies of pools, and differences between them, out of blocks that `lath-core` copies |
//! | `file` | [`Write`], [`Load`], [`SaveInfo`]: saves as bytes and as files |
//! | `text` | worlds as text, and [`Prefab`]: a subtree as text, spawned as often as you like |
//! | `bounds` | how deep values may be nested, on the way in and on the way out |
//! | `relink` | [`Linked`]: handles inside values |
//!
//! # Features
//!
//! `text` (default) brings scenes and prefabs, `lz4` compressed saves, `cli` the program `lath`, of
//! which `lath save-info FILE` says what is in a save.
//!
//! There is no unsafe code here: blocks of slots are copied by `lath-core`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// So that the derive's `::lath_snapshot` means this crate in its own tests too.
extern crate self as lath_snapshot;

mod bounds;
mod delta;
mod error;
mod file;
mod history;
#[doc(hidden)] // for tests
pub mod image;
mod part;
mod pool_part;
#[doc(hidden)] // for the derive
pub mod probe;
mod registry;
mod relink;
mod resource_part;
mod save;
mod snapshot;
#[cfg(feature = "text")]
mod text;

pub use delta::{Delta, WrongSnapshot};
pub use error::SaveError;
#[doc(hidden)] // for tests
pub use file::fault;
pub use file::{ColumnInfo, Load, PoolInfo, SaveInfo, Write};
pub use history::History;
pub use lath_derive::CoreSave as Save;
pub use registry::{SaveWorld, SavedPool, SavedResource};
pub use relink::{Linked, Relink};
pub use save::{Raw, Save, SaveVisitor, SavedField, SavedValue};
pub use snapshot::Snapshot;
#[cfg(feature = "text")]
pub use text::prefab::{Prefab, PrefabLibrary, spawn_prefab, spawn_prefab_with};
