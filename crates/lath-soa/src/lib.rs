//! Columns: struct-of-arrays storage for the pools of lath.
//!
//! `#[thing(columns)]` on a struct keeps each of its fields in arrays of their own. Nothing else in a program changes:
//! pools, handles and views mean the same.
//!
//! ```
//! use lath_core::{Mut, Pool, Ref, Thing};
//!
//! #[derive(Thing, Default)]
//! #[thing(columns)]
//! struct Actor { pos: [f32; 3], vel: [f32; 3], name: String }
//!
//! let mut actors = Pool::new();
//! let ada = actors.spawn(Actor { vel: [1.0, 0.0, 0.0], name: "Ada".into(), ..Default::default() });
//! actors.each(|(mut pos, vel): (Mut<actor::pos>, Ref<actor::vel>)| {
//!     for (pos, vel) in pos.iter_mut().zip(*vel) { *pos += vel; }
//! });
//! let seen = actors.read(ada); // a struct of references
//! assert_eq!((seen.pos[0], seen.name.as_str()), (1.0, "Ada"));
//! ```
//!
//! # Unsafe code
//!
//! Denied but for `columns.rs`, which holds the raw memory.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod columns;
mod layout;

pub use columns::{CloneFields, Columnar, Columns, Pointers};
