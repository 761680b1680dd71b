//! How systems are handed from thread to thread, in every interleaving. Nothing unless compiled
//! with `--cfg loom`, as `scripts/loom.sh` does.

#[cfg(loom)]
#[path = "common/loom.rs"]
mod model;
