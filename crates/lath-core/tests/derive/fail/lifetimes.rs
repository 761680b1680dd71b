use lath_core::Thing;

#[derive(Thing, Default)]
struct Label<'a> {
    text: &'a str,
}

#[derive(Thing, Default)]
struct Two<'long: 'short, 'short, X: 'long>(Option<&'long X>, Option<&'short X>);

fn main() {}
