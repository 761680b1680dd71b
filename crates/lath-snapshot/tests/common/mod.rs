//! What several test files share: things of many kinds, and a player that changes a pool at random.

#![allow(dead_code, reason = "each test file uses a part of this")]

#[path = "../../../lath-core/tests/common/dice.rs"]
pub(crate) mod dice;
pub(crate) mod play;
pub(crate) mod things;
pub(crate) mod world;
