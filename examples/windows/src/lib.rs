//! Two demos of lath in a window, and the little that they need to draw.
//!
//! | module | holds |
//! |---|---|
//! | [`canvas`] | what can be drawn, on pixels and as SVG |
//! | [`show`] | where frames go: a window, or files |
//! | [`arguments`] | the command line of both demos |
//! | [`hierarchy`] | a solar system and a crane: poses that follow from those of their parents |
//! | [`swarm`] | a million particles, in rows and in columns |
//! | [`xwd`] | pictures of a screen, as the X server Xvfb keeps them: for `scripts/windows.sh` |
//!
//! lath itself draws nothing and opens no window: this is a package of its own, and not built by
//! default.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod canvas;
pub mod hierarchy;
pub mod show;
pub mod swarm;
mod window;
pub mod xwd;
