//! What each request does: `docs/inspector-api.md` says what it takes and gives.

pub(crate) mod change;
pub(crate) mod map;
pub(crate) mod schedule;
pub(crate) mod thing;
pub(crate) mod things;
pub(crate) mod tree;
pub(crate) mod world;
