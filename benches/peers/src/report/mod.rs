//! The forms in which results are shown: one file each.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod svg;
pub(crate) mod text;
