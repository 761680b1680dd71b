//! Columns: struct-of-arrays storage for the pools of lath.
//!
//! `#[thing(columns)]` on a struct keeps each of its fields in arrays of their own. Nothing else in
//! a program changes: pools, handles and views mean the same.
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
//! actors.view_mut::<(Mut<actor::pos>, Ref<actor::vel>)>().each(|(mut pos, vel)| {
//!     for (pos, vel) in pos.iter_mut().zip(*vel) { *pos += vel; }
//! });
//! let seen = actors.read(ada); // a struct of references
//! assert_eq!((seen.pos[0], seen.name.as_str()), (1.0, "Ada"));
//! ```
//!
//! Fields marked `hot` are kept together with the generation, for things that are mostly looked up
//! by handle. Fields marked `cold` are kept apart, and cost nothing for the things that leave them
//! at their default:
//!
//! ```
//! use lath_core::{Handle, Pool, Ref, Thing, View};
//!
//! #[derive(Thing, Default)]
//! #[thing(columns)]
//! struct Actor {
//!     #[thing(hot)] hp: f32,
//!     pos: [f32; 3],
//!     #[thing(cold)] title: String,
//! }
//!
//! #[derive(View)]
//! #[view(Actor)]
//! struct Titled<'a> { hp: &'a f32, title: Option<&'a String> }
//!
//! let mut actors = Pool::new();
//! let queen = actors.spawn(Actor { title: "Queen".into(), ..Default::default() });
//! let nobody = actors.spawn(Actor::default());
//! assert_eq!(actors.read(nobody).title, ""); // reads the default
//! assert_eq!(actors.view::<Titled>().iter().filter(|who| who.title.is_some()).count(), 1);
//!
//! actors.set::<actor::title>(nobody, "Knight".into()).unwrap();
//! assert_eq!(actors.view::<Titled>().iter().filter(|who| who.title.is_some()).count(), 2);
//! assert_eq!(actors.take(queen).unwrap().title, "Queen");
//! ```
//!
//! # Unsafe code
//!
//! Denied but for `columns.rs`, which holds the raw memory, and `cold.rs`, which holds the side
//! tables of cold fields.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod cold;
mod columns;
mod layout;

pub use columns::{CloneFields, Columnar, Columns, Pointers};
