//! The game that plays everything.
//!
//! A random [program](program) of all public calls is played by several worlds and by an obviously right
//! [model](model). After every step all of them must agree about everything that can be seen, handles included.
//!
//! ```text
//!   seed or bytes ──▶ program ──▶ game ──▶ adapter ──▶ lath, along several routes
//!                                  │
//!                                  └─────▶ model       what should have been answered, and be seen
//! ```
//!
//! A program that fails is [made shorter](shrink) and printed as a test. `scripts/world.sh MINUTES [SEED]` plays.

pub mod adapter;
pub mod answer;
pub mod body;
pub mod fuse;
pub mod game;
pub mod model;
pub mod program;
pub mod shrink;

use game::{Crowd, try_play};
use program::{Step, to_rust};

/// Plays a program along all routes.
///
/// # Panics
///
/// If it fails: with a shorter program that fails as well, as the text of a test.
pub fn play(program: &[Step]) {
    if let Err(failure) = try_play(program, Crowd::All) {
        let (program, failure) = shrink::shrink(program, Crowd::All, failure);
        panic!("{failure}\n\n{}", to_rust(&program, &failure.to_string()));
    }
}
