//! What is carried, and what it is carried in: items, pouches, backpacks. Their weight, and what lies about.

use lath::prelude::*;

use crate::object::{Carried, Goods, Object, Tags, object};
use crate::tally::News;

/// What is left of an item's life when it is put down somewhere and forgotten.
const FRESH: i16 = 200;

pub(crate) fn item(goods: Goods, town: u16) -> Object {
    Object { tags: Tags::ITEM, goods, town, weight: 2, health: FRESH, ..default() }
}

/// Pouches and backpacks differ in weight only.
pub(crate) fn bag(weight: u32, town: u16) -> Object {
    Object { tags: Tags::BAG, town, weight, health: FRESH, ..default() }
}

/// Everything weighs what it weighs and all that is in it: a sweep along the links of `Carried`, children first.
pub(crate) fn weigh(mut scales: Cascade<Ref<object::load>, (Mut<object::load>, Ref<object::weight>), Carried>) {
    scales.par_up(|inside, (mut load, weight)| {
        *load = *weight + inside.map(|thing| *thing).sum::<u32>();
    });
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

/// Whoever was first gets it, with all that is in it. The others meant the same thing, which is still there, but in somebody's hands.
pub(crate) fn fetch(
    mut fetches: EventReader<Fetch>,
    mut carried: TreeMut<Object, Carried>,
    mut loose: Query<Loose>,
    mut commands: Commands,
) {
    let (mut fetched, mut too_late) = (0, 0);
    for &Fetch { by, thing } in fetches.read() {
        let free = carried.as_tree().parent(thing).is_none();
        let Some(found) = loose.get_mut(thing).filter(|_| free && carried.attach(thing, by).is_ok()) else {
            too_late += 1;
            continue;
        };
        *found.health = FRESH;
        commands.remove_tags(thing, Tags::LOOSE);
        fetched += 1;
    }
    commands.send((News::Fetched, fetched));
    commands.send((News::TooLate, too_late));
}
