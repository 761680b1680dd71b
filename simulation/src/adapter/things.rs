//! The things that are played with: six structs, each in rows and in columns.

use std::fmt;

use lath::inspect::Inspect;
use lath::prelude::*;
use lath::{
    CloneStorage, Field, Fields, Orphans, Relation, Resident, Save, SaveWorld, ThingMut, ThingRef,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::body::{Body, Traits};
use crate::fuse;

bitflags! {
    /// The tags of things that have some.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u8 {
        /// The first.
        const A = 1;
        /// The second.
        const B = 2;
        /// The third.
        const C = 4;
    }
}

/// In a bag: what was in it falls out when it goes.
pub struct Carried;

impl Relation for Carried {
    const ORPHANS: Orphans = Orphans::Detach;
}

/// Of a family: the grandparent takes the children.
pub struct Kin;

impl Relation for Kin {
    const ORPHANS: Orphans = Orphans::Adopt;
}

/// Text whose every callback can panic, and which is counted.
pub struct Text(Box<str>);

impl Text {
    /// One that says this.
    pub fn of(text: &str) -> Self {
        fuse::count_owned(1);
        Self(text.into())
    }

    /// What it says.
    pub fn get(&self) -> String {
        self.0.to_string()
    }
}

impl Default for Text {
    fn default() -> Self {
        fuse::burn();
        Self::of("")
    }
}

impl Clone for Text {
    fn clone(&self) -> Self {
        fuse::burn();
        Self::of(&self.0)
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        fuse::count_owned(-1);
        fuse::burn();
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        fuse::burn();
        self.0 == other.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.0)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fuse::burn();
        String::deserialize(deserializer).map(|text| Self::of(&text))
    }
}

/// A number that begins where two cache lines do, with bytes behind it that mean nothing.
#[derive(Clone, Copy, Default, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(128))]
pub struct Wide {
    n: u32,
}

/// A value without size.
#[derive(Clone, Copy, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nothing;

/// A number in whatever form a struct keeps it.
pub trait Number: Copy + Serialize + Send + Sync + 'static {
    /// The number within a field `n`, as the inspector calls it; empty if there is none.
    const COLUMN: &'static str;
    /// How it is written in a prefab.
    fn text(self) -> String;
    /// Keeps a number, or what there is room for.
    fn from_number(n: u32) -> Self;
    /// What was kept.
    fn number(self) -> u32;
}

impl Number for u32 {
    const COLUMN: &'static str = "n";
    fn text(self) -> String {
        self.to_string()
    }
    fn from_number(n: u32) -> Self {
        n
    }
    fn number(self) -> u32 {
        self
    }
}

impl Number for Wide {
    const COLUMN: &'static str = "n.n";
    fn text(self) -> String {
        format!("(n: {})", self.n)
    }
    fn from_number(n: u32) -> Self {
        Self { n }
    }
    fn number(self) -> u32 {
        self.n
    }
}

impl Number for Nothing {
    const COLUMN: &'static str = "";
    fn text(self) -> String {
        "()".into()
    }
    fn from_number(_: u32) -> Self {
        Self
    }
    fn number(self) -> u32 {
        0
    }
}

/// A thing that the game can make, look at and change.
pub trait Piece:
    Thing<Storage: CloneStorage<Self>> + Save + Inspect + Resident + Fields + Clone + fmt::Debug
{
    /// The field of its number.
    type N: Field<Thing = Self, Value: Number>;
    /// What it keeps of a body.
    const TRAITS: Traits;
    /// The field of its link, if that may be changed without the others.
    const LINK: &'static str = "";
    /// Makes one.
    fn make(body: &Body) -> Self;
    /// All that there is to see of one.
    fn seen(thing: ThingRef<'_, Self>) -> Body;
    /// All that there is to see of one that may be changed, but for its cold field.
    fn held(thing: &ThingMut<'_, Self>) -> Body;
    /// Changes one as [`Body::change`] does.
    fn change(thing: &mut ThingMut<'_, Self>, value: u16);
    /// Puts text into the cold field, if it has one.
    fn set_rare(pool: &mut Pool<Self>, handle: Handle<Self>, text: &str) -> Option<bool>;
    /// The tags that a number stands for.
    fn tags_of(bits: u8) -> Self::Tags;
    /// Tells a world how its pool is saved.
    fn register(world: &mut World) {
        world.saves::<Self>().tree::<Carried>().tree::<Kin>();
    }
    /// Makes fields that have to say the same say what its link says.
    fn settle(&mut self) {}
}

const fn traits<T: Thing>(name: &'static str) -> Traits {
    let rest = size_of::<Handle<T>>() as u32 * 8 - T::INDEX_BITS;
    Traits {
        name,
        number: true,
        text: false,
        tags: false,
        heat: false,
        rare: false,
        kind_bits: T::KIND_BITS,
        index_bits: T::INDEX_BITS,
        generation_bits: (if rest > 32 { 32 } else { rest }) - T::KIND_BITS,
    }
}

/// The structs of one world. `$star` is what a field of a borrowed thing needs to be assigned to: a
/// `*` in columns, where it is a reference.
macro_rules! things {
    ($crew:ident $ship:ident $spark:ident $token:ident $block:ident $ticket:ident) => {
        /// Fields of every home: plain, on the heap, hot and cold; with tags, so that it is kept in
        /// clusters.
        #[derive(Thing, Save, Inspect, Clone, Default, Debug)]
        #[thing($crew)]
        pub struct Crew {
            #[thing(tags)]
            pub tags: Tags,
            #[thing(alias = "number")]
            pub n: u32,
            pub friend: Handle<Crew>,
            pub text: Text,
            #[thing(hot)]
            pub heat: u32,
            #[thing(cold)]
            pub rare: Text,
        }

        impl Piece for Crew {
            type N = crew::n;
            const LINK: &'static str = "friend";
            const TRAITS: Traits =
                Traits { text: true, tags: true, heat: true, rare: true, ..traits::<Crew>("Crew") };
            fn make(body: &Body) -> Self {
                let (text, rare) = (Text::of(&body.text), Text::of(&body.rare));
                let (tags, friend) = (Self::tags_of(body.tags), Handle::from_bits(body.link));
                Self { tags, n: body.n, friend, text, heat: body.heat, rare }
            }
            fn seen(thing: ThingRef<'_, Self>) -> Body {
                Body {
                    n: thing.n.clone(),
                    text: thing.text.get(),
                    link: thing.friend.to_bits(),
                    tags: thing.tags.bits(),
                    heat: thing.heat.clone(),
                    rare: thing.rare.get(),
                    kind: 0,
                }
            }
            fn held(thing: &ThingMut<'_, Self>) -> Body {
                Body {
                    n: thing.n.clone(),
                    text: thing.text.get(),
                    link: thing.friend.to_bits(),
                    tags: thing.tags.bits(),
                    heat: thing.heat.clone(),
                    ..Body::default()
                }
            }
            fn change(thing: &mut ThingMut<'_, Self>, value: u16) {
                let mut body = Self::held(thing);
                body.change(value);
                set!($crew thing.n = body.n);
                set!($crew thing.text = Text::of(&body.text));
                set!($crew thing.heat = body.heat);
            }
            fn set_rare(pool: &mut Pool<Self>, handle: Handle<Self>, text: &str) -> Option<bool> {
                Some(pool.set::<crew::rare>(handle, Text::of(text)).is_ok())
            }
            fn tags_of(bits: u8) -> Tags {
                Tags::from_bits_truncate(bits)
            }
            fn register(world: &mut World) {
                // As other versions of the program have it.
                (world.saves::<Self>().tree::<Carried>().tree::<Kin>().alias("Person"))
                    .convert_plain::<crew::n, u64>(|n| n as u32)
                    .convert::<crew::n, String>(|n| n.parse().unwrap_or(0));
            }
        }

        /// Plain fields only, with padding between them and no tags.
        #[derive(Thing, Save, Inspect, Clone, Default, Debug)]
        #[thing($ship)]
        pub struct Ship {
            pub small: u8,
            pub n: u32,
            #[thing(alias = "place")]
            pub pos: [f64; 2],
            pub link: Handle<Ship>,
            pub crew: Handle<Crew>,
            pub maybe: Option<u16>,
        }

        impl Piece for Ship {
            type N = ship::n;
            const TRAITS: Traits = traits::<Ship>("Ship");
            fn make(body: &Body) -> Self {
                let (link, crew) = (Handle::from_bits(body.link), Handle::from_bits(body.link));
                // Seven bits: ten such bytes in a row must not look like poison.
                let (small, pos) = (link.to_bits() as u8 & 0x7f, [link.to_bits() as f64; 2]);
                Self { small, n: body.n, pos, link, crew, maybe: Some(body.n as u16) }
            }
            fn seen(thing: ThingRef<'_, Self>) -> Body {
                // Fields that say the same, so that a thing that was put together of two shows.
                let link = thing.link.to_bits();
                let whole = thing.pos.clone() == [link as f64; 2]
                    && thing.small.clone() == link as u8 & 0x7f
                    && thing.crew.to_bits() == link;
                let text = if whole { String::new() } else { "torn".to_owned() };
                Body { n: thing.n.clone(), link: thing.link.to_bits(), text, ..Body::default() }
            }
            fn held(thing: &ThingMut<'_, Self>) -> Body {
                Body { n: thing.n.clone(), link: thing.link.to_bits(), ..Body::default() }
            }
            fn change(thing: &mut ThingMut<'_, Self>, value: u16) {
                let mut body = Self::held(thing);
                body.change(value);
                set!($ship thing.n = body.n);
                set!($ship thing.maybe = None);
            }
            fn set_rare(_: &mut Pool<Self>, _: Handle<Self>, _: &str) -> Option<bool> {
                None
            }
            fn tags_of(_: u8) -> Self::Tags {
                lath::NoTags
            }
            fn register(world: &mut World) {
                world.saves::<Self>().tree::<Carried>().tree::<Kin>().alias("Vessel");
            }
            fn settle(&mut self) {
                *self = Self::make(&Body { n: self.n, link: self.link.to_bits(), ..Body::default() });
            }
        }

        /// Plain fields with tags.
        #[derive(Thing, Save, Inspect, Clone, Default, Debug)]
        #[thing($spark)]
        pub struct Spark {
            #[thing(tags)]
            pub tags: Tags,
            pub n: u32,
            pub link: Handle<Spark>,
            #[thing(hot)]
            pub heat: u32,
        }

        impl Piece for Spark {
            type N = spark::n;
            const LINK: &'static str = "link";
            const TRAITS: Traits = Traits { tags: true, heat: true, ..traits::<Spark>("Spark") };
            fn make(body: &Body) -> Self {
                let (tags, link) = (Self::tags_of(body.tags), Handle::from_bits(body.link));
                Self { tags, n: body.n, link, heat: body.heat }
            }
            fn seen(thing: ThingRef<'_, Self>) -> Body {
                let (n, link, heat) = (thing.n.clone(), thing.link.to_bits(), thing.heat.clone());
                Body { n, link, tags: thing.tags.bits(), heat, ..Body::default() }
            }
            fn held(thing: &ThingMut<'_, Self>) -> Body {
                let (n, link, heat) = (thing.n.clone(), thing.link.to_bits(), thing.heat.clone());
                Body { n, link, tags: thing.tags.bits(), heat, ..Body::default() }
            }
            fn change(thing: &mut ThingMut<'_, Self>, value: u16) {
                let mut body = Self::held(thing);
                body.change(value);
                set!($spark thing.n = body.n);
                set!($spark thing.heat = body.heat);
            }
            fn set_rare(_: &mut Pool<Self>, _: Handle<Self>, _: &str) -> Option<bool> {
                None
            }
            fn tags_of(bits: u8) -> Tags {
                Tags::from_bits_truncate(bits)
            }
        }

        /// A thing without size.
        #[derive(Thing, Save, Inspect, Clone, Default, Debug)]
        #[thing($token)]
        pub struct Token {
            pub n: Nothing,
        }

        impl Piece for Token {
            type N = token::n;
            const TRAITS: Traits = Traits { number: false, ..traits::<Token>("Token") };
            fn make(_: &Body) -> Self {
                Self { n: Nothing }
            }
            fn seen(_: ThingRef<'_, Self>) -> Body {
                Body::default()
            }
            fn held(_: &ThingMut<'_, Self>) -> Body {
                Body::default()
            }
            fn change(_: &mut ThingMut<'_, Self>, _: u16) {}
            fn set_rare(_: &mut Pool<Self>, _: Handle<Self>, _: &str) -> Option<bool> {
                None
            }
            fn tags_of(_: u8) -> Self::Tags {
                lath::NoTags
            }
        }

        /// Over-aligned, with more padding than bytes, and text on the heap.
        #[derive(Thing, Save, Inspect, Clone, Default, Debug)]
        #[thing($block)]
        pub struct Block {
            pub n: Wide,
            pub link: Handle<Block>,
            pub text: Text,
        }

        impl Piece for Block {
            type N = block::n;
            const LINK: &'static str = "link";
            const TRAITS: Traits = Traits { text: true, ..traits::<Block>("Block") };
            fn make(body: &Body) -> Self {
                Self { n: Wide { n: body.n }, link: Handle::from_bits(body.link), text: Text::of(&body.text) }
            }
            fn seen(thing: ThingRef<'_, Self>) -> Body {
                let (n, text) = (thing.n.n, thing.text.get());
                Body { n, link: thing.link.to_bits(), text, ..Body::default() }
            }
            fn held(thing: &ThingMut<'_, Self>) -> Body {
                let (n, text) = (thing.n.n, thing.text.get());
                Body { n, link: thing.link.to_bits(), text, ..Body::default() }
            }
            fn change(thing: &mut ThingMut<'_, Self>, value: u16) {
                let mut body = Self::held(thing);
                body.change(value);
                set!($block thing.n = Wide { n: body.n });
                set!($block thing.text = Text::of(&body.text));
            }
            fn set_rare(_: &mut Pool<Self>, _: Handle<Self>, _: &str) -> Option<bool> {
                None
            }
            fn tags_of(_: u8) -> Self::Tags {
                lath::NoTags
            }
        }

        /// Handles of sixteen bits with a kind, whose slots retire after a few lives.
        #[derive(Thing, Save, Inspect, Clone, Default, Debug)]
        #[thing($ticket, handle(bits = 16, index = 11, kind = 2))]
        pub struct Ticket {
            #[thing(kind)]
            pub kind: u8,
            #[thing(tags)]
            pub tags: Tags,
            pub n: u32,
            pub link: Handle<Ticket>,
            pub text: Text,
        }

        impl Piece for Ticket {
            type N = ticket::n;
            const LINK: &'static str = "link";
            const TRAITS: Traits = Traits { text: true, tags: true, ..traits::<Ticket>("Ticket") };
            fn make(body: &Body) -> Self {
                let (tags, link) = (Self::tags_of(body.tags), Handle::from_bits(body.link));
                Self { kind: body.kind as u8, tags, n: body.n, link, text: Text::of(&body.text) }
            }
            fn seen(thing: ThingRef<'_, Self>) -> Body {
                let (n, link, tags) = (thing.n.clone(), thing.link.to_bits(), thing.tags.bits());
                let (text, kind) = (thing.text.get(), u32::from(thing.kind.clone()));
                Body { n, link, tags, text, kind, ..Body::default() }
            }
            fn held(thing: &ThingMut<'_, Self>) -> Body {
                let (n, link, tags) = (thing.n.clone(), thing.link.to_bits(), thing.tags.bits());
                let (text, kind) = (thing.text.get(), u32::from(thing.kind.clone()));
                Body { n, link, tags, text, kind, ..Body::default() }
            }
            fn change(thing: &mut ThingMut<'_, Self>, value: u16) {
                let mut body = Self::held(thing);
                body.change(value);
                set!($ticket thing.n = body.n);
                set!($ticket thing.text = Text::of(&body.text));
            }
            fn set_rare(_: &mut Pool<Self>, _: Handle<Self>, _: &str) -> Option<bool> {
                None
            }
            fn tags_of(bits: u8) -> Tags {
                Tags::from_bits_truncate(bits)
            }
        }
    };
}

/// Assigns to a field of a thing that was lent out: a field of a struct in rows, a reference in
/// columns.
macro_rules! set {
    (rows $thing:ident . $field:ident = $value:expr) => {
        $thing.$field = $value
    };
    (columns $thing:ident . $field:ident = $value:expr) => {
        *$thing.$field = $value
    };
}

/// The world as it is played.
#[allow(missing_docs, clippy::clone_on_copy, reason = "made by a macro, for rows and for columns")]
pub mod first {
    use super::*;
    things!(columns rows columns rows columns rows);
}

/// The same with every layout the other way round.
#[allow(missing_docs, clippy::clone_on_copy, reason = "made by a macro, for rows and for columns")]
pub mod second {
    use super::*;
    things!(rows columns rows columns rows columns);
}

/// Which structs a world is made of.
pub trait Layout: super::systems::marked::Marked + 'static {
    /// What it is called.
    const NAME: &'static str;
    /// The other one.
    type Other: Layout;
    /// Pool 0.
    type Crew: Piece<Tags = Tags>;
    /// Pool 1.
    type Ship: Piece;
    /// Pool 2.
    type Spark: Piece<Tags = Tags>;
    /// Pool 3.
    type Token: Piece;
    /// Pool 4.
    type Block: Piece;
    /// Pool 5.
    type Ticket: Piece<Tags = Tags>;
}

/// Layouts as they were declared.
pub struct First;

/// Every layout the other way round.
pub struct Second;

impl Layout for First {
    const NAME: &'static str = "the layout as declared";
    type Other = Second;
    type Crew = first::Crew;
    type Ship = first::Ship;
    type Spark = first::Spark;
    type Token = first::Token;
    type Block = first::Block;
    type Ticket = first::Ticket;
}

impl Layout for Second {
    const NAME: &'static str = "the other layout";
    type Other = First;
    type Crew = second::Crew;
    type Ship = second::Ship;
    type Spark = second::Spark;
    type Token = second::Token;
    type Block = second::Block;
    type Ticket = second::Ticket;
}

/// How many pools there are.
pub const POOLS: usize = 6;

/// What the structs of each pool keep.
pub const TRAITS: [Traits; POOLS] = [
    first::Crew::TRAITS,
    first::Ship::TRAITS,
    first::Spark::TRAITS,
    first::Token::TRAITS,
    first::Block::TRAITS,
    first::Ticket::TRAITS,
];
