//! Towns: who and what belongs to each, as far as the last survey knows.

use lath::prelude::*;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::market::Offer;
use crate::object::{Goods, Object, Tags, Task, object};
use crate::pose::Vec2;

/// Towns lie on a grid, so far apart.
pub(crate) const ACRE: f32 = 64.0;
pub(crate) const WORKERS: u32 = 90;
pub(crate) const CARTS: u32 = 4;
pub(crate) const SITES: u32 = 24;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Town {
    pub(crate) centre: Vec2,
    pub(crate) hall: Handle<Object>,
    /// One for each of the goods.
    pub(crate) bins: [Handle<Object>; 3],
    pub(crate) prices: [i32; 3],
    /// Nobody clears them when an offer is sold out or withdrawn: their handles are stale then.
    pub(crate) offers: [Handle<Offer>; 3],

    // What the last survey has found. By the time that somebody goes there it may be gone.
    pub(crate) workers: u32,
    pub(crate) carts: u32,
    pub(crate) sites: Vec<Handle<Object>>,
    pub(crate) loose: Vec<Handle<Object>>,
    /// Somebody who has nothing to bring home.
    pub(crate) volunteer: Handle<Object>,
}

/// All towns, row by row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Towns {
    pub(crate) list: Vec<Town>,
    pub(crate) columns: u32,
}

impl Towns {
    /// So many towns, with nothing in them.
    pub(crate) fn new(count: u32) -> Self {
        let columns = (count as f32).sqrt().ceil() as u32;
        let centre = |number: u32| {
            Vec2::new((number % columns) as f32 + 0.5, (number / columns) as f32 + 0.5) * ACRE
        };
        Self {
            list: (0..count).map(|number| Town { centre: centre(number), ..default() }).collect(),
            columns,
        }
    }

    /// A town by its number. Whatever the number is, there is one: it may have been edited in the
    /// inspector.
    pub(crate) fn of(&self, number: u16) -> &Town {
        &self.list[self.place_of(number)]
    }

    pub(crate) fn of_mut(&mut self, number: u16) -> &mut Town {
        let place = self.place_of(number);
        &mut self.list[place]
    }

    fn place_of(&self, number: u16) -> usize {
        usize::from(number) % self.list.len()
    }

    /// Some town, not far from another.
    pub(crate) fn near(&self, number: u16, dice: &mut Dice) -> u16 {
        let columns = self.columns as i32;
        let (dx, dy) = (dice.below(7) as i32 - 3, dice.below(7) as i32 - 3);
        (i32::from(number) + dx + dy * columns).rem_euclid(self.list.len() as i32) as u16
    }

    /// How wide and how high all of it is.
    pub(crate) fn size(&self) -> Vec2 {
        Vec2::new(self.columns as f32, (self.list.len() as u32).div_ceil(self.columns) as f32)
            * ACRE
    }

    /// All bins: where they are, and what they are for.
    pub(crate) fn bins(&self) -> impl Iterator<Item = (usize, Goods, Handle<Object>)> {
        self.list.iter().enumerate().flat_map(|(number, town)| {
            Goods::ALL.into_iter().map(move |goods| (number, goods, town.bins[goods.index()]))
        })
    }
}

#[derive(View)]
#[view(Object, with = Tags::WORKER, without = Tags::RIDING | Tags::ASLEEP)]
pub(crate) struct Free<'a> {
    who: Handle<Object>,
    town: &'a u16,
    task: &'a Task,
}

#[derive(View)]
#[view(Object, with = Tags::WORKER)]
pub(crate) struct Worker<'a> {
    town: &'a u16,
}

#[derive(View)]
#[view(Object, with = Tags::CART)]
pub(crate) struct Cart<'a> {
    town: &'a u16,
}

#[derive(View)]
#[view(Object, with = Tags::SITE)]
pub(crate) struct Site<'a> {
    who: Handle<Object>,
    town: &'a u16,
}

#[derive(View)]
#[view(Object, with = Tags::LOOSE)]
pub(crate) struct Loose<'a> {
    who: Handle<Object>,
    town: &'a u16,
}

/// Counts and notes what belongs to each town, a few times a second.
pub(crate) fn survey(
    mut towns: ResMut<Towns>,
    workers: Query<Worker>,
    free: Query<Free>,
    carts: Query<Cart>,
    sites: Query<Site>,
    loose: Query<Loose>,
) {
    for town in &mut towns.list {
        (town.workers, town.carts, town.volunteer) = (0, 0, Handle::NIL);
        town.sites.clear();
        town.loose.clear();
    }
    workers.iter().for_each(|worker| towns.of_mut(*worker.town).workers += 1);
    carts.iter().for_each(|cart| towns.of_mut(*cart.town).carts += 1);
    for worker in free.iter().filter(|worker| *worker.task != Task::Haul) {
        towns.of_mut(*worker.town).volunteer = worker.who;
    }
    sites.iter().for_each(|site| towns.of_mut(*site.town).sites.push(site.who));
    loose.iter().for_each(|thing| towns.of_mut(*thing.town).loose.push(thing.who));
}
