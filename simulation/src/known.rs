//! What the game does not play because lath is known to do it wrong. Each is shown by a test in
//! `tests/known_failures.rs`, which must fail, and goes with the issue that mends it.
//!
//! Side tables are not played where callbacks panic: a restore in which a `Clone` panics leaves rows
//! of things that are gone (R1), which lookups do not see and `check_invariants` tells (issue 23).
//! `SpawnMany, SpawnChild, TakeSnapshot, Despawn, Beside, BringUpToDate` of seed 18 shows it.
//!
//! Cold values, which are put into boxes, are not made while memory is refused.
//!
//! Systems are not played beside copies of the world: a rollback keeps neither the events that were
//! read since nor the locals of systems (issue 24). `a_rollback_puts_back_which_events_were_read`
//! shows it.
