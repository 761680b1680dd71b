//! Particles in rows: each is a struct of its own, beside the next one.

super::particle!(rows);

/// What happens to them. The same file as for columns.
#[expect(
    clippy::duplicate_mod,
    reason = "systems are compiled against both layouts, and do not change"
)]
#[path = "systems.rs"]
pub mod systems;
