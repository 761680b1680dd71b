//! How a colony begins: one system, run once.

use std::ops::RangeInclusive;

use lath::prelude::*;

use crate::cart;
use crate::day::Clock;
use crate::dice::Dice;
use crate::hall;
use crate::life;
use crate::object::{Carried, Goods, Object};
use crate::town::{CARTS, SITES, Towns, WORKERS};
use crate::{bag, site};

/// Things that a town has beside what is in its bins: hall and bins, sites, workers with a pouch
/// each, carts of eight parts.
const FIXTURES: u32 = 4 + SITES + 2 * WORKERS + 8 * CARTS;
/// What a town has in all, about.
const PER_TOWN: u32 = 600;

/// What a colony is founded with, and known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Charter {
    /// All chance follows from it.
    pub seed: u64,
    /// How many things there are at first.
    pub things: u32,
}

impl Charter {
    /// How many things a colony can be founded with.
    pub(crate) const THINGS: RangeInclusive<u32> = 1000..=5_000_000;

    pub(crate) fn towns(&self) -> u32 {
        (self.things / PER_TOWN).max(2)
    }
}

/// Halls, bins and what is in them, sites, people and carts: as many things as the charter says,
/// exactly.
pub(crate) fn found(
    charter: Res<Charter>,
    clock: Res<Clock>,
    mut towns: ResMut<Towns>,
    mut commands: Commands,
) {
    let mut dice = clock.dice(0);
    let count = charter.towns();
    let items = charter.things - count * FIXTURES;
    for number in 0..count as u16 {
        let town = towns.of_mut(number);
        town.hall = commands.spawn(hall::hall(number, town, name(&mut dice)));
        for goods in Goods::ALL {
            let shelf = u32::from(number) * 3 + goods.index() as u32;
            let stock = (items + shelf) / (3 * count); // so that all of them together have all items
            let bin = commands.spawn(Object { stock, ..hall::bin(number, goods) });
            commands.attach_in::<Carried, _>(bin, town.hall);
            for _ in 0..stock {
                let item = commands.spawn(bag::item(goods, number));
                commands.attach_in::<Carried, _>(item, bin);
            }
            town.bins[goods.index()] = bin;
        }
        for _ in 0..SITES {
            let site = commands.spawn(site::new(number, town, &mut dice));
            town.sites.push(site);
        }
        for _ in 0..CARTS {
            cart::spawn(number, town, &mut dice, &mut commands);
        }
        life::settle(number, town, WORKERS, &mut dice, &mut commands);
    }
}

fn name(dice: &mut Dice) -> String {
    const FIRST: [&str; 12] =
        ["Arn", "Bel", "Cor", "Dun", "Elm", "Fal", "Gren", "Hol", "Ing", "Kes", "Mar", "Nor"];
    const LAST: [&str; 10] =
        ["wick", "ford", "ham", "stead", "burn", "ley", "mouth", "dale", "gate", "moor"];
    let [first, last] = [dice.pick(&FIRST), dice.pick(&LAST)].map(Option::unwrap_or_default);
    format!("{first}{last}")
}
