//! The market: towns offer what they have too much of, carts buy it and sell it where it is dear.

use lath::inspect::Inspect;
use lath::prelude::*;

use crate::day::Clock;
use crate::hall::Stores;
use crate::object::{Errand, Goods, Object, Tags, object};
use crate::tally::{News, Note};
use crate::town::Towns;

/// How many items a town offers at once, how many it keeps for itself, and how many a cart can
/// take.
const LOT: u32 = 24;
const RESERVE: u32 = 30;
const CARGO: u32 = 24;
/// How many towns a trader thinks of.
pub(crate) const GLANCES: u32 = 6;

/// So many items for so much each. Of a pool of its own, with small handles: a slot is used 2048
/// times and then retires.
#[derive(Thing, Save, Inspect, Default)]
#[thing(handle(bits = 32, index = 20))]
pub(crate) struct Offer {
    pub(crate) town: u16,
    pub(crate) goods: Goods,
    pub(crate) price: i32,
    pub(crate) left: u32,
}

/// What an item costs where there are so many.
pub(crate) fn price(stock: u32) -> i32 {
    2 + 400 / (stock as i32 + 10)
}

#[derive(View)]
#[view(Object, with = Tags::BIN)]
pub(crate) struct Bin<'a> {
    stock: &'a u32,
}

/// While the market is open: new prices, and new offers where the old ones are gone.
pub(crate) fn post(
    mut towns: ResMut<Towns>,
    bins: Query<Bin>,
    offers: Query<Handle<Offer>>,
    mut commands: Commands,
) {
    for (number, town) in towns.list.iter_mut().enumerate() {
        for goods in Goods::ALL {
            let at = goods.index();
            let stock = bins.get(town.bins[at]).map_or(0, |bin| *bin.stock);
            town.prices[at] = price(stock);
            if stock > RESERVE && !offers.contains(town.offers[at]) {
                let offer = Offer { town: number as u16, goods, price: town.prices[at], left: LOT };
                town.offers[at] = commands.spawn(offer);
            }
        }
    }
}

/// At dusk all offers are withdrawn. Carts that are on their way will find out.
pub(crate) fn close(offers: Query<Handle<Offer>>, mut commands: Commands) {
    for offer in &offers {
        commands.despawn(offer);
    }
}

/// A cart has come to where it was bound for.
pub(crate) struct Arrival {
    pub(crate) cart: Handle<Object>,
}

#[derive(View)]
#[view(Object, with = Tags::CART)]
pub(crate) struct Trader<'a> {
    serial: &'a u32,
    errand: &'a mut Errand,
    deal: &'a Handle<Offer>,
    bound_for: &'a mut u16,
    bag: &'a Handle<Object>,
}

/// Carts buy what they came for, if the offer still stands, or sell what they have brought.
pub(crate) fn trade(
    mut arrivals: EventReader<Arrival>,
    mut carts: Query<Trader>,
    mut offers: Query<&mut Offer>,
    mut stores: Stores,
    clock: Res<Clock>,
    mut cargo: Local<Vec<Handle<Object>>>,
    mut commands: Commands,
) {
    let (mut bought, mut sold, mut stale) = (0, 0, 0);
    for &Arrival { cart } in arrivals.read() {
        let Some(me) = carts.get_mut(cart) else { continue };
        if *me.errand == Errand::Sell {
            *me.errand = Errand::None;
            let (hall, bins, prices) = market(&stores.towns, *me.bound_for);
            cargo.clear();
            cargo.extend(stores.carried_by(*me.bag));
            for thing in cargo.drain(..) {
                let Some(goods) = stores.kind(thing) else { continue };
                if stores.put(thing, bins[goods]) {
                    stores.pay(hall, cart, prices[goods]);
                    sold += 1;
                }
            }
            continue;
        }
        let Some(offer) = offers.get_mut(*me.deal) else {
            *me.errand = Errand::None; // sold out, or withdrawn
            stale += 1;
            continue;
        };
        let (hall, bins, _) = market(&stores.towns, offer.town);
        for _ in 0..CARGO.min(offer.left) {
            let Some(item) = stores.take(bins[offer.goods.index()]) else { break };
            stores.pack(item, *me.bag);
            stores.pay(cart, hall, offer.price);
            offer.left -= 1;
            bought += 1;
        }
        if offer.left == 0 {
            commands.despawn(*me.deal);
        }
        let mut dice = clock.dice(*me.serial);
        let sampled = (0..GLANCES).map(|_| stores.towns.near(offer.town, &mut dice));
        let dearest = sampled.max_by_key(|&town| stores.towns.of(town).prices[offer.goods.index()]);
        *me.bound_for = dearest.unwrap_or(offer.town);
        *me.errand = Errand::Sell;
    }
    commands.send(Note(News::Bought, bought));
    commands.send(Note(News::Sold, sold));
    commands.send(Note(News::StaleOffers, stale));
}

/// The hall of a town, its bins and its prices.
fn market(towns: &Towns, number: u16) -> (Handle<Object>, [Handle<Object>; 3], [i32; 3]) {
    let town = towns.of(number);
    (town.hall, town.bins, town.prices)
}
