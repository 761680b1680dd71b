use lath_core::Thing;
use lath_core::bitflags::bitflags;

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const A = 1;
    }

    #[derive(Clone, Copy, Default)]
    struct TooWide: u128 {
        const A = 1;
    }
}

#[derive(Thing, Default)]
struct NotFlags {
    #[thing(tags)]
    tags: u32,
}

#[derive(Thing, Default)]
struct MoreThan64 {
    #[thing(tags)]
    tags: TooWide,
}

fn main() {}
