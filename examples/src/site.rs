//! Sites: fields, forests and seams. Workers dig there until nothing is left, and new ones come up
//! elsewhere.

use lath::prelude::*;

use crate::bag;
use crate::day::Clock;
use crate::dice::Dice;
use crate::object::{Carried, Goods, Object, Tags, object};
use crate::pose::{Pose, Vec2};
use crate::tally::{News, Note};
use crate::town::{ACRE, SITES, Town, Towns};

/// A bag is torn once in so many strokes.
const STROKES_PER_BAG: u32 = 200;

/// A site somewhere around a town. Half of them are of what the town is known for.
pub(crate) fn new(number: u16, town: &Town, dice: &mut Dice) -> Object {
    let goods = match dice.below(2) {
        0 => Goods::ALL[usize::from(number) % 3],
        _ => Goods::ALL[dice.below(3) as usize],
    };
    let way = Vec2::new(dice.unit() - 0.5, dice.unit() - 0.5) * (ACRE * 0.9);
    let pose = Pose::at(town.centre + way);
    Object {
        tags: Tags::SITE,
        local: pose,
        place: pose,
        town: number,
        goods,
        ore: 40 + dice.below(80),
        health: 1,
        ..default()
    }
}

/// A worker hits a site. Workers say so all at once, on all threads; what comes of it is settled
/// one after the other, by `mine`.
pub(crate) struct Strike {
    pub(crate) by: Handle<Object>,
    pub(crate) site: Handle<Object>,
}

#[derive(View)]
#[view(Object, with = Tags::SITE)]
pub(crate) struct Site<'a> {
    goods: &'a Goods,
    town: &'a u16,
    ore: &'a mut u32,
}

/// Every stroke is an item in the bag of the worker, until the site is used up.
pub(crate) fn mine(
    mut strikes: EventReader<Strike>,
    mut sites: Query<Site>,
    bags: Query<Ref<object::bag>>,
    clock: Res<Clock>,
    mut commands: Commands,
) {
    let (mut mined, mut torn) = (0, 0);
    let mut dice = clock.dice(0);
    for &Strike { by, site } in strikes.read() {
        let Some(Site { goods, town, ore }) = sites.get_mut(site).filter(|site| *site.ore > 0)
        else {
            continue; // others have taken the last of it in this very tick
        };
        *ore -= 1;
        if *ore == 0 {
            commands.despawn(site);
        }
        // The handle of what is spawned is good at once.
        let item = commands.spawn(bag::item(*goods, *town));
        let bag = bags.get(by).map(|bag| *bag).unwrap_or_default();
        commands.attach_in::<Carried, _>(item, if bags.contains(bag) { bag } else { by });
        mined += 1;
        if dice.below(STROKES_PER_BAG) == 0 && bags.contains(bag) {
            commands.despawn(bag); // all that was in it is in the hands of the worker now
            torn += 1;
        }
    }
    commands.send(Note(News::Mined, mined));
    commands.send(Note(News::Torn, torn));
}

/// Where sites are missing new ones come up, in the slots of old ones as often as not.
pub(crate) fn sprout(towns: Res<Towns>, clock: Res<Clock>, mut commands: Commands) {
    for (number, town) in towns.list.iter().enumerate() {
        let missing = SITES.saturating_sub(town.sites.len() as u32);
        let mut dice = clock.dice(number as u32);
        for _ in 0..missing.min(2) {
            commands.spawn(new(number as u16, town, &mut dice));
        }
    }
}
