use lath_core::Thing;
use lath_core::bitflags::bitflags;

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const A = 1;
    }
}

#[derive(Thing, Default)]
struct HotAndCold {
    #[thing(hot, cold)]
    hp: f32,
}

#[derive(Thing, Default)]
struct ColdTags {
    #[thing(cold, tags)]
    tags: Tags,
}

#[derive(Thing, Default)]
struct Valued {
    #[thing(hot = true)]
    hp: f32,
}

#[derive(Thing, Default)]
#[thing(rows, columns)]
struct TwoLayouts {}

fn main() {}
