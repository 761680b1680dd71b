use lath_core::Thing;
use lath_core::bitflags::bitflags;

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const A = 1;
    }
}

#[derive(Thing, Default)]
struct Twice {
    #[thing(tags)]
    tags: Tags,
    hp: f32,
    #[thing(tags)]
    more: Tags,
}

#[derive(Thing, Default)]
struct TwiceInTuple(#[thing(tags)] Tags, #[thing(tags)] Tags);

#[derive(Thing, Default)]
#[thing(handle(kind = 2))]
struct TagsAndKind {
    #[thing(tags, kind)]
    kind: u32,
}

fn main() {}
