//! Things of every kind that pools treat differently, behind one trait.

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Thing, ThingMut, ThingRef};
use lath_schedule::Resident;
use lath_snapshot::Save;
use serde::{Deserialize, Serialize};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u8 { const A = 1; const B = 2; const C = 4; }
}

/// A thing that the player can make, change and look at.
pub(crate) trait Subject: Save + Resident {
    fn new(value: u32) -> Self;
    /// All that there is to see of it.
    fn seen(thing: ThingRef<'_, Self>) -> String;
    fn set(thing: ThingMut<'_, Self>, value: u32);
    fn some_tags(value: u32) -> Self::Tags;
}

fn tags_of(value: u32) -> Tags {
    Tags::from_bits_truncate((value / 7) as u8)
}

/// Rows of plain fields, with padding between them.
#[derive(Thing, Save, Clone, Default, Debug)]
pub(crate) struct PlainRow {
    pub(crate) small: u8,
    pub(crate) value: u32,
    pub(crate) wide: [f64; 2],
    pub(crate) other: Handle<PlainRow>,
    /// `Copy`, but no plain bytes.
    pub(crate) maybe: Option<u16>,
}

impl Subject for PlainRow {
    fn new(value: u32) -> Self {
        let other = Handle::from_bits(u64::from(value | 1) << 32 | 5);
        Self {
            small: value as u8,
            value,
            wide: [f64::from(value); 2],
            other,
            maybe: Some(value as u16),
        }
    }
    fn seen(thing: &Self) -> String {
        format!("{thing:?}")
    }
    fn set(thing: &mut Self, value: u32) {
        (thing.value, thing.maybe) = (value, None);
    }
    fn some_tags(_: u32) -> Self::Tags {
        lath_core::NoTags
    }
}

/// Rows with values that have to be cloned, tags, and handles of few bits, so that slots retire.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(handle(bits = 16, index = 10, kind = 2))]
pub(crate) struct MixedRow {
    #[thing(kind)]
    pub(crate) kind: u8,
    #[thing(tags)]
    pub(crate) tags: Tags,
    pub(crate) name: String,
    pub(crate) value: u32,
    #[thing(skip)]
    pub(crate) cache: Option<Box<u32>>,
}

impl Subject for MixedRow {
    fn new(value: u32) -> Self {
        Self {
            kind: (value % 3) as u8,
            tags: tags_of(value),
            name: format!("row {value}"),
            value,
            cache: None,
        }
    }
    fn seen(thing: &Self) -> String {
        format!("{thing:?}")
    }
    fn set(thing: &mut Self, value: u32) {
        thing.value = value;
        thing.name.push('!');
    }
    fn some_tags(value: u32) -> Tags {
        tags_of(value)
    }
}

/// Columns of plain fields.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
pub(crate) struct PlainColumns {
    pub(crate) pos: [f32; 3],
    #[thing(hot)]
    pub(crate) value: u32,
    pub(crate) small: u8,
    #[thing(tags)]
    pub(crate) tags: Tags,
}

impl Subject for PlainColumns {
    fn new(value: u32) -> Self {
        Self { pos: [value as f32; 3], value, small: value as u8, tags: tags_of(value) }
    }
    fn seen(thing: PlainColumnsRef<'_>) -> String {
        format!("{:?} {} {} {:?}", thing.pos, thing.value, thing.small, thing.tags)
    }
    fn set(thing: PlainColumnsMut<'_>, value: u32) {
        *thing.value = value;
        thing.pos[1] += 1.0;
    }
    fn some_tags(value: u32) -> Tags {
        tags_of(value)
    }
}

/// A value that counts for nothing but has to be cloned.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) numbers: Vec<u16>,
}

/// Columns of every home, plain and not.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
pub(crate) struct MixedColumns {
    pub(crate) value: u32,
    #[thing(hot)]
    pub(crate) label: String,
    #[thing(hot)]
    pub(crate) heat: f32,
    pub(crate) note: Note,
    #[thing(cold)]
    pub(crate) title: String,
    #[thing(cold)]
    pub(crate) rank: u64,
    pub(crate) friends: Vec<Handle<MixedColumns>>,
}

impl Subject for MixedColumns {
    fn new(value: u32) -> Self {
        Self {
            value,
            label: format!("label {value}"),
            heat: value as f32,
            note: Note {
                text: "n".repeat(value as usize % 9),
                numbers: vec![value as u16; value as usize % 4],
            },
            title: if value % 5 == 0 { format!("title {value}") } else { String::new() },
            rank: if value % 7 == 0 { u64::from(value) } else { 0 },
            friends: vec![Handle::from_bits(u64::from(value | 1) << 32 | 1)],
        }
    }
    fn seen(thing: MixedColumnsRef<'_>) -> String {
        let MixedColumnsRef { value, label, heat, note, title, rank, friends } = thing;
        format!("{value} {label} {heat} {note:?} {title} {rank} {friends:?}")
    }
    fn set(thing: MixedColumnsMut<'_>, value: u32) {
        *thing.value = value;
        thing.note.text.push('!');
        if let Some(title) = thing.title {
            title.push('?');
        }
    }
    fn some_tags(_: u32) -> Self::Tags {
        lath_core::NoTags
    }
}
