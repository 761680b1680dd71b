//! What the game does not play because lath is known to do it wrong. Each is shown by a test in
//! `tests/known_failures.rs`, which must fail, and goes with the issue that mends it.
//!
//! Links are not made while memory is refused: the list of a pool's relations and that of what was
//! marked grow without asking, and end the program (issue 23).
//! `a_first_child_for_whose_links_there_is_no_memory_is_refused` shows the first.

use crate::program::{Call, Step};

/// Whether a program asks for what is known to fail only when layouts are compared:
/// `first_in_first_out_hands_out_the_same_slots_in_every_layout`.
pub fn depends_on_layout(program: &[Step]) -> bool {
    program.iter().any(|step| step.call == Call::SetReuse && step.v % 3 == 2)
}
