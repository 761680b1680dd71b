//! What the game has found in lath, as the programs that it printed.

use lath_simulation::program::Call::*;
use lath_simulation::program::step;
use lath_simulation::{play, play_with_faults};

/// After a restore a tree that nobody had asked for when the snapshot was taken still marked things
/// by itself that were moved, so that the next sweep over what is dirty reached others than it had
/// the first time.
#[test]
fn a_tree_that_was_not_there_forgets_that_marks_were_in_use() {
    play(&[
        step(TakeSnapshot, 0, 0, 0, 22441),
        step(Mark, 0, 0, 0, 41),
        step(RestoreSnapshot, 0, 0, 0, 50383),
    ]);
}

/// The model had thought that only `clear` ends what is reserved.
#[test]
fn a_despawn_of_many_that_panics_may_have_ended_what_was_reserved() {
    play_with_faults(&[
        step(Reserve, 0, 0, 0, 0),
        step(Spawn, 0, 0, 0, 0),
        step(Reserve, 0, 0, 0, 0),
        step(DespawnMany, 0, 5766, 0, 18256),
    ]);
}
