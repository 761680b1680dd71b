//! What is carried, and what it is carried in: items, pouches, backpacks. And what lies about.

use lath::prelude::*;

use crate::object::{Carried, Goods, Object, Tags, object};
use crate::tally::{News, Note};

/// What is left of an item's life when it is put down somewhere and forgotten.
const FRESH: i16 = 200;

pub(crate) fn item(goods: Goods, town: u16) -> Object {
    Object { tags: Tags::ITEM, goods, town, weight: 2, health: FRESH, ..default() }
}

/// Pouches and backpacks differ in weight only.
pub(crate) fn bag(weight: u32, town: u16) -> Object {
    Object { tags: Tags::BAG, town, weight, health: FRESH, ..default() }
}

/// A worker picks up something that lies about.
pub(crate) struct Fetch {
    pub(crate) by: Handle<Object>,
    pub(crate) thing: Handle<Object>,
}

#[derive(View)]
#[view(Object, with = Tags::LOOSE)]
pub(crate) struct Loose<'a> {
    health: &'a mut i16,
}

/// Whoever was first gets it, with all that is in it. The others meant the same thing, which is
/// still there, but in somebody's hands.
pub(crate) fn fetch(
    mut fetches: EventReader<Fetch>,
    mut carried: TreeMut<Object, Carried>,
    mut loose: Query<Loose>,
    mut commands: Commands,
) {
    let (mut fetched, mut too_late) = (0, 0);
    for &Fetch { by, thing } in fetches.read() {
        let free = carried.as_tree().parent(thing).is_none();
        let Some(found) =
            loose.get_mut(thing).filter(|_| free && carried.attach(thing, by).is_ok())
        else {
            too_late += 1;
            continue;
        };
        *found.health = FRESH;
        commands.remove_tags(thing, Tags::LOOSE);
        fetched += 1;
    }
    commands.send(Note(News::Fetched, fetched));
    commands.send(Note(News::TooLate, too_late));
}
