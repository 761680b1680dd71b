//! Other versions of the program, which have other structs of the same names, or the same under
//! other names.

use lath::prelude::*;
use lath::{Load, Save, SaveWorld};

use super::copies::Notes;
use super::saves::{saved, written};
use super::things::{Carried, Kin, Layout, Piece, Tags, Text};

/// A later one. Of `Crew`, which is `Person` now, `n` is called `number` and is larger, `heat` is
/// gone, `rare` is at home elsewhere, and `extra` is new. `Ship` is `Vessel`, and `pos` is `place`.
#[allow(missing_docs, reason = "as in `things`")]
pub mod later {
    use super::*;

    #[derive(Thing, Save, Clone, Default)]
    pub struct Person {
        pub extra: u32,
        pub rare: Text,
        #[thing(alias = "n")]
        pub number: u64,
        #[thing(tags)]
        pub tags: Tags,
        #[thing(hot)]
        pub friend: Handle<Person>,
        pub text: Text,
    }

    #[derive(Thing, Save, Clone, Default)]
    #[thing(columns)]
    pub struct Vessel {
        pub small: u8,
        #[thing(cold)]
        pub maybe: Option<u16>,
        #[thing(alias = "pos")]
        pub place: [f64; 2],
        pub n: u32,
        pub crew: Handle<Person>,
        pub link: Handle<Vessel>,
    }
}

/// An early one. Of `Crew` `n` is text, and there is no `rare`.
#[allow(missing_docs, reason = "as in `things`")]
pub mod early {
    use super::*;

    #[derive(Thing, Save, Clone, Default)]
    #[thing(columns)]
    pub struct Crew {
        pub text: Text,
        pub friend: Handle<Crew>,
        pub heat: u32,
        pub n: String,
        #[thing(tags)]
        pub tags: Tags,
    }
}

/// What has not changed, in the other layout.
fn others<L: Layout>(world: &mut World) {
    <L::Other as Layout>::Spark::register(world);
    <L::Other as Layout>::Token::register(world);
    <L::Other as Layout>::Block::register(world);
    <L::Other as Layout>::Ticket::register(world);
    world.saves_resource::<Notes>();
}

fn later<L: Layout>() -> World {
    let mut world = World::new();
    (world.saves::<later::Person>().alias("Crew").tree::<Carried>().tree::<Kin>())
        .convert_plain::<later::person::number, u32>(u64::from);
    world.saves::<later::Vessel>().alias("Ship").tree::<Carried>().tree::<Kin>();
    others::<L>(&mut world);
    world
}

/// What the later version saves after it has loaded a save.
pub fn later_bytes<L: Layout>(bytes: &[u8]) -> Vec<u8> {
    let mut world = later::<L>();
    Load::new().from_bytes(&mut world, bytes).expect("a save of an earlier version");
    saved(&world)
}

/// What the later version writes after it has read a text.
pub fn later_text<L: Layout>(text: &str) -> String {
    let mut world = later::<L>();
    Load::new().from_text(&mut world, text).expect("a text of an earlier version");
    written(&world)
}

/// What the early version saves after it has loaded a save.
pub fn early_bytes<L: Layout>(bytes: &[u8]) -> Vec<u8> {
    let mut world = World::new();
    (world.saves::<early::Crew>().tree::<Carried>().tree::<Kin>())
        .convert_plain::<early::crew::n, u32>(|n| n.to_string());
    <L::Other as Layout>::Ship::register(&mut world);
    others::<L>(&mut world);
    Load::new().from_bytes(&mut world, bytes).expect("a save of a later version");
    saved(&world)
}
