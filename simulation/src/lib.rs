//! The game that plays everything.
//!
//! A random [program] of all public calls is played by several worlds and by an obviously
//! right [model]. After every step all of them must agree about everything that can be seen,
//! handles included.
//!
//! ```text
//!   seed or bytes ──▶ program ──▶ game ──▶ adapter ──▶ lath, along several routes
//!                                  │
//!                                  └─────▶ model       what should have been answered, and be seen
//! ```
//!
//! A program that fails is [made shorter](mod@shrink) and printed as a test.
//! `scripts/world.sh MINUTES [SEED]` plays.

pub mod adapter;
pub mod answer;
pub mod body;
pub mod command;
pub mod faults;
pub mod fuse;
pub mod game;
pub mod known;
pub mod memory;
pub mod model;
pub mod poison;
pub mod program;
pub mod shrink;
pub mod spec;

use std::sync::{Mutex, PoisonError};

use game::{Crowd, try_play};
use program::{Step, to_rust};

/// Plays a program along all routes.
///
/// # Panics
///
/// If it fails: with a shorter program that fails as well, as the text of a test.
pub fn play(program: &[Step]) {
    play_by(program, Crowd::All);
}

/// Plays a program in which callbacks panic.
///
/// # Panics
///
/// As [`play`].
pub fn play_with_faults(program: &[Step]) {
    play_by(program, Crowd::Faults);
}

fn play_by(program: &[Step], crowd: Crowd) {
    /// One game at a time: fuses, and the count of values, are those of the process.
    static GAME: Mutex<()> = Mutex::new(());
    let _alone = GAME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(failure) = try_play(program, crowd) {
        panic!("{}", explain(program, crowd, failure));
    }
}

/// Makes a program that fails shorter, and says in the words of a test how it fails.
pub fn explain(program: &[Step], crowd: Crowd, failure: game::Failure) -> String {
    let (program, failure) = shrink::shrink(program, crowd, failure);
    let call = if crowd == Crowd::Faults { "play_with_faults" } else { "play" };
    format!("{failure}\n\n{}", to_rust(&program, call, &failure.to_string()))
}
