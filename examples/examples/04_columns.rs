//! A forest grows for a year, lightning strikes, and the forester counts what is left.
//!
//! Shows: things as columns, what a lookup gives then, hot and cold fields, setting one field,
//! slices over runs of neighbours, and that a whole thing comes out again.
//!
//! Run: `cargo run --example 04_columns`

use lath::prelude::*;

/// Every field is an array of its own, but for the marked ones.
#[derive(Thing, Debug, Default, PartialEq)]
#[thing(columns)]
struct Tree {
    /// Asked for by handle all the time: kept beside the generation.
    #[thing(hot)]
    heat: f32,
    height: f32,
    growth: f32,
    /// Few trees have one: kept on the heap, for those.
    #[thing(cold)]
    name: String,
}

fn main() {
    let mut forest = Pool::new();
    let oak =
        forest.spawn(Tree { name: "the Old Oak".into(), height: 20.0, growth: 0.5, ..default() });
    let birches: Vec<_> =
        forest.spawn_many((0..9).map(|_| Tree { growth: 1.0, ..default() })).collect();

    grow(&mut forest);
    look(&mut forest, oak, birches[0]);
    burn(&mut forest, birches[3]);
    count(&mut forest);

    // Whole trees go in, and whole trees come out.
    let felled: Tree = forest.take(oak).unwrap();
    assert_eq!(felled, Tree { name: "the Old Oak".into(), height: 20.5, growth: 0.5, heat: 0.0 });
    println!("felled: {} of {} m", felled.name, felled.height);
}

/// A loop over two fields touches two arrays. It would read the same for rows.
fn grow(forest: &mut Pool<Tree>) {
    forest
        .view_mut::<(Mut<tree::height>, Ref<tree::growth>)>()
        .each(|(mut height, growth)| *height += *growth);
    println!("{} trees have grown", forest.len());
}

/// A lookup gives a struct of references: there is no whole tree in memory to refer to.
fn look(forest: &mut Pool<Tree>, oak: Handle<Tree>, birch: Handle<Tree>) {
    let seen: TreeRef = forest.read(oak);
    println!("{} is {} m high", seen.name, seen.height);

    // A cold field that was never set reads as its default. To be written to, it has to be there.
    assert_eq!(forest.read(birch).name, "");
    forest.edit(birch, |birch: TreeMut| {
        assert!(birch.name.is_none());
        *birch.height += 0.5;
    });
    forest.set::<tree::name>(birch, "the Young Birch".into()).unwrap();
    println!("{} is {} m high", forest.read(birch).name, forest.read(birch).height);

    // Setting a field of nothing gives the value back.
    assert_eq!(forest.set::<tree::name>(Handle::NIL, "nobody".into()), Err("nobody".into()));
    let named = forest.view::<Option<Ref<tree::name>>>().iter().flatten().count();
    println!("{named} trees have a name");
}

/// Lightning heats one tree, which is then gone; its handle knows.
fn burn(forest: &mut Pool<Tree>, struck: Handle<Tree>) {
    *forest.view_mut::<Mut<tree::heat>>().get_mut(struck).unwrap() += 900.0;
    forest.retain(|_, tree| *tree.heat < 300.0);
    println!("{}", forest.check(struck).unwrap_err());
}

/// Slices, as the GPU or a file would want them: one per run of neighbours, never over a hole.
fn count(forest: &mut Pool<Tree>) {
    let mut heights: Vec<f32> = Vec::new();
    forest.view_mut::<Ref<tree::height>>().slices(|run: &[f32]| {
        println!("a run of {}", run.len());
        heights.extend_from_slice(run);
    });
    println!("{} m of wood", heights.iter().sum::<f32>());
    assert_eq!(heights.len(), forest.len());
}

// Expected output:
//
// 10 trees have grown
// the Old Oak is 20.5 m high
// the Young Birch is 1.5 m high
// 2 trees have a name
// 5v1 is stale: slot 5 is now at generation 2, free
// a run of 4
// a run of 5
// 29 m of wood
// felled: the Old Oak of 20.5 m
