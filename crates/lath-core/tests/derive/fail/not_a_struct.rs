use lath_core::Thing;

#[derive(Thing, Default)]
enum Sort {
    #[default]
    Ore,
}

#[derive(Thing)]
pub union Either {
    a: u32,
    b: f32,
}

fn main() {}
