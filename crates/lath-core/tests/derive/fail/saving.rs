//! What a field says about saves must make sense.

use lath_core::{NoTags, Thing};

#[derive(Thing, Default)]
struct Both {
    #[thing(skip, alias = "old")]
    hull: f32,
}

#[derive(Thing, Default)]
struct NotText {
    #[thing(alias = old)]
    hull: f32,
    #[thing(alias)]
    name: u32,
    #[thing(skip = true)]
    cache: u32,
}

#[derive(Thing, Default)]
struct SkippedTags {
    #[thing(tags, skip)]
    tags: NoTags,
}

fn main() {}
