//! Halls: where items are stored in bins, eaten, and used up.

use lath::prelude::*;

use crate::bag;
use crate::day::Clock;
use crate::object::{Carried, Goods, Object, Tags, object};
use crate::pose::Pose;
use crate::tally::{News, Note};
use crate::town::{Town, Towns};

/// What a meal costs, and what an item is worth to the hall.
const MEAL: i32 = 2;
const WAGE: i32 = 1;
pub(crate) const FULL: i16 = 100;
/// Smiths and builders use up one of so many items, a few times a second.
const PART_USED: u32 = 16;

pub(crate) fn hall(number: u16, town: &Town, name: String) -> Object {
    let pose = Pose::at(town.centre);
    Object {
        tags: Tags::HALL,
        local: pose,
        place: pose,
        town: number,
        gold: 5000,
        health: 1,
        name,
        ..default()
    }
}

pub(crate) fn bin(number: u16, goods: Goods) -> Object {
    Object { tags: Tags::BIN, town: number, goods, health: 1, ..default() }
}

#[derive(View)]
#[view(Object, with = Tags::ITEM)]
pub(crate) struct Item<'a> {
    goods: &'a Goods,
}

/// What several systems need to move items in and out of bins, and gold from hand to hand:
/// parameters in a struct.
#[derive(Params)]
pub(crate) struct Stores<'w> {
    pub(crate) towns: Res<'w, Towns>,
    carried: TreeMut<'w, Object, Carried>,
    items: Query<'w, Item<'w>>,
    stock: Query<'w, Mut<'w, object::stock>>,
    gold: Query<'w, Mut<'w, object::gold>>,
}

impl Stores<'_> {
    /// What an item is, as the number of the bin that it belongs into; `None` if the thing is not
    /// an item.
    pub(crate) fn kind(&self, thing: Handle<Object>) -> Option<usize> {
        self.items.get(thing).map(|item| item.goods.index())
    }

    /// How many items are in a bin.
    pub(crate) fn count(&mut self, bin: Handle<Object>) -> u32 {
        self.stock.get_mut(bin).map_or(0, |stock| *stock)
    }

    /// Takes an item out of a bin, if there is one. It belongs to nobody then: see to it.
    pub(crate) fn take(&mut self, bin: Handle<Object>) -> Option<Handle<Object>> {
        let item = self.carried.as_tree().first_child(bin)?;
        self.carried.detach(item).ok()?;
        if let Some(mut stock) = self.stock.get_mut(bin) {
            *stock = stock.saturating_sub(1);
        }
        Some(item)
    }

    /// Takes up to `count` items out of a bin and uses them up. Answers how many there were.
    pub(crate) fn use_up(
        &mut self,
        bin: Handle<Object>,
        count: u32,
        commands: &mut Commands,
    ) -> u32 {
        (0..count).map_while(|_| self.take(bin)).map(|item| commands.despawn(item)).count() as u32
    }

    /// Puts an item into a bin, wherever it was. Answers whether both are there.
    pub(crate) fn put(&mut self, item: Handle<Object>, bin: Handle<Object>) -> bool {
        let put = self.carried.attach(item, bin).is_ok();
        if let (true, Some(mut stock)) = (put, self.stock.get_mut(bin)) {
            *stock += 1;
        }
        put
    }

    /// Puts an item into somebody's bag.
    pub(crate) fn pack(&mut self, item: Handle<Object>, bag: Handle<Object>) {
        self.carried.attach(item, bag).ok();
    }

    /// All that somebody carries, bags within bags included.
    pub(crate) fn carried_by(&self, who: Handle<Object>) -> impl Iterator<Item = Handle<Object>> {
        self.carried.as_tree().descendants(who)
    }

    /// Gold goes from hand to hand. Who has none owes it; if one of them is gone, nobody pays.
    pub(crate) fn pay(&mut self, from: Handle<Object>, to: Handle<Object>, amount: i32) {
        if self.gold.contains(from) && self.gold.contains(to) {
            *self.gold.get_mut(from).expect("is there") -= amount;
            *self.gold.get_mut(to).expect("is there") += amount;
        }
    }
}

/// A worker has come to the hall with what it carries.
pub(crate) struct Deliver {
    pub(crate) by: Handle<Object>,
}

#[derive(View)]
#[view(Object, with = Tags::WORKER)]
pub(crate) struct Bearer<'a> {
    town: &'a u16,
    bag: &'a mut Handle<Object>,
}

/// Items go from the worker's bags into the bins of the hall. Bags that were found are given away,
/// and who has lost theirs gets a new one.
pub(crate) fn deliver(
    mut deliveries: EventReader<Deliver>,
    mut stores: Stores,
    mut bearers: Query<Bearer>,
    mut scratch: Local<Vec<Handle<Object>>>,
    mut commands: Commands,
) {
    let mut stored = 0;
    for &Deliver { by } in deliveries.read() {
        let Some(Bearer { town, bag }) = bearers.get_mut(by) else { continue };
        let (hall, bins) = (stores.towns.of(*town).hall, stores.towns.of(*town).bins);
        let mut wage = 0;
        scratch.clear();
        scratch.extend(stores.carried_by(by));
        for thing in scratch.drain(..) {
            match stores.kind(thing) {
                Some(kind) => wage += i32::from(stores.put(thing, bins[kind])),
                None if thing != *bag => commands.despawn(thing),
                None => {}
            }
        }
        stores.pay(hall, by, wage * WAGE);
        stored += wage as u64;
        if stores.carried_by(by).all(|thing| thing != *bag) {
            *bag = commands.spawn(bag::bag(1, *town));
            commands.attach_in::<Carried, _>(*bag, by);
        }
    }
    commands.send(Note(News::Stored, stored));
}

/// A worker has come to the hall to eat.
pub(crate) struct Meal {
    pub(crate) by: Handle<Object>,
}

#[derive(View)]
#[view(Object, with = Tags::WORKER)]
pub(crate) struct Eater<'a> {
    town: &'a u16,
    food: &'a mut i16,
}

pub(crate) fn dine(
    mut meals: EventReader<Meal>,
    mut stores: Stores,
    mut eaters: Query<Eater>,
    mut commands: Commands,
) {
    let mut eaten = 0;
    for &Meal { by } in meals.read() {
        let Some(Eater { town, food }) = eaters.get_mut(by) else { continue };
        let (hall, granary) =
            (stores.towns.of(*town).hall, stores.towns.of(*town).bins[Goods::Grain.index()]);
        if stores.use_up(granary, 1, &mut commands) == 1 {
            *food = FULL;
            stores.pay(by, hall, MEAL);
            eaten += 1;
        }
    }
    commands.send(Note(News::Eaten, eaten));
}

/// What is in the bins is used up little by little, the more there is the faster.
pub(crate) fn consume(mut stores: Stores, clock: Res<Clock>, mut commands: Commands) {
    let mut used = 0;
    let mut dice = clock.dice(1);
    for number in 0..stores.towns.list.len() {
        for bin in stores.towns.list[number].bins {
            let count = (stores.count(bin) + dice.below(PART_USED)) / PART_USED;
            used += u64::from(stores.use_up(bin, count, &mut commands));
        }
    }
    commands.send(Note(News::Used, used));
}
