//! Particles in columns: each field is an array of its own.

super::particle!(columns);

/// What happens to them. The same file as for rows.
#[expect(
    clippy::duplicate_mod,
    reason = "systems are compiled against both layouts, and do not change"
)]
#[path = "systems.rs"]
pub mod systems;
