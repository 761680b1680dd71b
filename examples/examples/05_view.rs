//! Frost comes to a village: some walk, some burn, some freeze, and each loop sees only those that
//! it is about.
//!
//! Shows: views as structs and as tuples, filters by tags, changing tags, views by handle, and what
//! a view touches as constants.
//!
//! Run: `cargo run --example 05_view`

use lath::prelude::*;

bitflags! {
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Tags: u32 {
        const WALKS = 1;
        const BURNS = 2;
        const FROZEN = 4;
    }
}

/// Villagers, lanterns and stones: one struct for all. Put `#[thing(columns)]` here and nothing
/// else changes.
#[derive(Thing, Debug, Default)]
struct Being {
    #[thing(tags)]
    tags: Tags,
    name: &'static str,
    at: f32,
    pace: f32,
    warmth: i32,
}

/// Whoever walks and is not frozen.
#[derive(View)]
#[view(Being, with = Tags::WALKS, without = Tags::FROZEN)]
struct Walking<'a> {
    at: &'a mut f32,
    pace: &'a f32,
}

/// Whoever can get cold.
#[derive(View)]
#[view(Being, without = Tags::BURNS | Tags::FROZEN)]
struct Chilly<'a> {
    who: Handle<Being>,
    warmth: &'a mut i32,
}

fn main() {
    let mut village = Pool::new();
    let walks = Tags::WALKS;
    let ada = village.spawn(Being { tags: walks, name: "Ada", pace: 2.0, warmth: 1, ..default() });
    let lantern = village.spawn(Being {
        tags: Tags::BURNS,
        name: "lantern",
        at: 3.0,
        warmth: 90,
        ..default()
    });
    let lin = village.spawn(Being { tags: walks, name: "Lin", pace: 1.0, warmth: 3, ..default() });

    println!("Ada is {ada}, Lin is {lin}, the lantern is {lantern}");

    for hour in 1..=2 {
        village.view_mut::<Walking>().each(|walker| *walker.at += *walker.pace);
        frost(&mut village);
        println!("hour {hour}: {}", report(&village));
    }
    assert_eq!(village.count_tagged(Tags::FROZEN), 1);

    // A view of one thing, by handle: `None` if it is gone, or not what the view sees.
    assert!(village.view_mut::<Walking>().get_mut(ada).is_none()); // frozen
    if let Some(walker) = village.view_mut::<Walking>().get_mut(lin) {
        *walker.at = 0.0;
    }

    // Lin brings the lantern. Tags are changed through the pool, and nothing moves.
    let mut places = village.view_mut::<(Mut<being::at>, Ref<being::warmth>)>();
    let (mut light, heat) = places.get_mut(lantern).unwrap();
    *light = 2.0;
    let heat = *heat;
    *village.view_mut::<Mut<being::warmth>>().get_mut(ada).unwrap() += heat;
    village.remove_tags(ada, Tags::FROZEN);
    println!("thawed:  {}", report(&village));

    // What a view touches is known before anything runs: one bit per field, in the order of
    // declaration.
    assert_eq!((Walking::READS, Walking::WRITES, Chilly::WRITES), (0b01000, 0b00100, 0b10000));
    println!(
        "walking and freezing touch other fields: {}",
        Walking::WRITES & (Chilly::READS | Chilly::WRITES) == 0
    );
}

/// Everyone who can gets colder; who has no warmth left freezes.
fn frost(village: &mut Pool<Being>) {
    let mut frozen = Vec::new();
    village.view_mut::<Chilly>().each(|being| {
        *being.warmth -= 1;
        if *being.warmth <= 0 {
            frozen.push(being.who);
        }
    });
    for who in frozen {
        village.insert_tags(who, Tags::FROZEN);
    }
}

/// Where everybody is, through a tuple that nobody had to declare. In slot order.
fn report(village: &Pool<Being>) -> String {
    let all = village.view::<(Ref<being::name>, Ref<being::at>, Ref<being::tags>)>().iter();
    let words: Vec<_> = all
        .map(|(name, at, tags)| {
            format!(
                "{} at {}{}",
                *name,
                *at,
                if tags.contains(Tags::FROZEN) { " (frozen)" } else { "" }
            )
        })
        .collect();
    words.join(", ")
}

// Expected output:
//
// Ada is 1v1, Lin is 3v1, the lantern is 2v1
// hour 1: Ada at 2 (frozen), lantern at 3, Lin at 1
// hour 2: Ada at 2 (frozen), lantern at 3, Lin at 2
// thawed:  Ada at 2, lantern at 2, Lin at 0
// walking and freezing touch other fields: true
