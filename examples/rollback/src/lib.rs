//! Rollback: a world of lath in a session of [ggrs](https://docs.rs/ggrs).
//!
//! ggrs asks a game for three things: save a frame, load a frame, advance by a frame. [`Rollback`]
//! does them with a
//! [`History`]: what ggrs keeps in its cells is the number of the frame alone, and all snapshots share the memory of the ring.
//!
//! `skirmish` is a small game to try it on.

pub mod skirmish;

use ggrs::{Config, GgrsRequest, InputStatus};
use lath_schedule::World;
use lath_snapshot::{History, SaveError, Snapshot};

/// A world that follows the requests of a session.
pub struct Rollback {
    world: World,
    history: History,
    saved: u64,
    loaded: u64,
    advanced: u64,
}

/// What a [`Rollback`] has been asked for so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Frames that were saved.
    pub saved: u64,
    /// Frames that were gone back to.
    pub loaded: u64,
    /// Frames that were played, again or for the first time.
    pub advanced: u64,
}

impl Rollback {
    /// A world, and how many frames back the session may go.
    #[must_use]
    pub fn new(world: World, frames: usize) -> Self {
        // One more than that, for the frame at hand.
        Self { world, history: History::new(frames + 2), saved: 0, loaded: 0, advanced: 0 }
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What was asked for so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { saved: self.saved, loaded: self.loaded, advanced: self.advanced }
    }

    /// Does what a session asks for, in order. `advance` plays one frame with the inputs of all
    /// players.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if the world saves nothing.
    ///
    /// # Panics
    ///
    /// If the session goes back further than was said.
    pub fn follow<C: Config<State = u64>>(
        &mut self,
        requests: Vec<GgrsRequest<C>>,
        mut advance: impl FnMut(&mut World, &[(C::Input, InputStatus)]),
    ) -> Result<(), SaveError> {
        for request in requests {
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    let tick = frame as u64;
                    let checksum = self.history.push(&mut self.world, tick)?.checksum();
                    cell.save(frame, Some(tick), Some(u128::from(checksum)));
                    self.saved += 1;
                }
                GgrsRequest::LoadGameState { cell, .. } => {
                    let Some(tick) = cell.load() else {
                        unreachable!("every cell was saved before")
                    };
                    let there = self.history.restore(&mut self.world, tick)?;
                    assert!(
                        there,
                        "the session goes back to frame {tick}, which is longer ago than was said"
                    );
                    self.loaded += 1;
                }
                GgrsRequest::AdvanceFrame { inputs } => {
                    advance(&mut self.world, &inputs);
                    self.advanced += 1;
                }
            }
        }
        Ok(())
    }

    /// The checksum of the world as it is.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::take`].
    pub fn checksum(&self) -> Result<u64, SaveError> {
        Ok(Snapshot::take(&self.world)?.checksum())
    }
}
