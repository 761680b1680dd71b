//! Carts: a bed with four wheels, a rider, and a mule with a backpack in which there is a pouch.
//!
//! Wheels, rider and mule are attached: they are where the cart is, and go when it goes. Mule,
//! backpack and pouch are carried: what is in the pouch makes the cart heavy. The mule is in both
//! trees.

use lath::prelude::*;

use crate::bag;
use crate::day::Clock;
use crate::dice::Dice;
use crate::hall::Stores;
use crate::market::{Arrival, GLANCES, Offer};
use crate::object::{Carried, Errand, Goods, Object, Tags, object};
use crate::pose::{Pose, Vec2};
use crate::tally::{News, Note};
use crate::town::{CARTS, Town, Towns};

const PACE: f32 = 1.5;
const REACH: f32 = 3.0;
/// A cart of this weight drives half as fast as an empty one.
const HEAVY: f32 = 400.0;
/// A cart is made of so much wood.
const WOOD: u32 = 10;
const SEAT: Vec2 = Vec2::new(0.5, 0.0);
const MULE: Vec2 = Vec2::new(-1.0, 0.0);
const WHEELS: [Vec2; 4] =
    [Vec2::new(1.5, 1.0), Vec2::new(1.5, -1.0), Vec2::new(-1.5, 1.0), Vec2::new(-1.5, -1.0)];
/// How far a wheel turns for each unit of way: a direction, as near to one as a few digits come.
const ROLL: Vec2 = Vec2::new(0.8, 0.6);

/// A cart in all its parts, by way of commands. It has no rider yet.
pub(crate) fn spawn(number: u16, town: &Town, dice: &mut Dice, commands: &mut Commands) {
    let part = |tags: Tags, at: Vec2, weight: u32| Object {
        tags: tags | Tags::MOVES,
        local: Pose::at(at),
        place: Pose::at(town.centre + at),
        town: number,
        weight,
        health: 1,
        ..default()
    };
    let pouch = commands.spawn(bag::bag(1, number));
    let health = 20 + dice.below(300) as i16;
    let cart = commands.spawn(Object {
        bag: pouch,
        health,
        local: Pose::at(town.centre),
        ..part(Tags::CART, Vec2::ZERO, 60)
    });
    for at in WHEELS {
        let wheel = commands.spawn(part(Tags::WHEEL, at, 10));
        commands.attach(wheel, cart);
    }
    let mule = commands.spawn(part(Tags::MULE, MULE, 90));
    let backpack = commands.spawn(bag::bag(4, number));
    commands.attach(mule, cart);
    commands.attach_in::<Carried, _>(mule, cart);
    commands.attach_in::<Carried, _>(backpack, mule);
    commands.attach_in::<Carried, _>(pouch, backpack);
}

#[derive(View)]
#[view(Object, with = Tags::CART)]
pub(crate) struct Cart<'a> {
    who: Handle<Object>,
    serial: &'a u32,
    place: &'a Pose,
    load: &'a u32,
    rider: &'a Handle<Object>,
    local: &'a mut Pose,
    step: &'a mut Vec2,
    wait: &'a mut u16,
    errand: &'a mut Errand,
    deal: &'a mut Handle<Offer>,
    bound_for: &'a mut u16,
}

/// Carts look for an offer, and drive to where they are bound for. Without a rider they stand
/// still.
pub(crate) fn drive(
    mut carts: Query<Cart>,
    riders: Query<Ref<object::food>>,
    offers: Query<&Offer>,
    towns: Res<Towns>,
    clock: Res<Clock>,
    mut commands: Commands,
) {
    commands.par_each(&mut carts, |me, commands| {
        *me.step = Vec2::ZERO;
        if *me.wait > 0 || !riders.contains(*me.rider) {
            *me.wait = me.wait.saturating_sub(1);
            return;
        }
        if *me.errand == Errand::None {
            let mut dice = clock.dice(*me.serial);
            let thought_of = (0..GLANCES).filter_map(|_| {
                let town = towns.near(*me.bound_for, &mut dice);
                let deal = towns.of(town).offers[dice.below(3) as usize];
                offers.get(deal).map(|offer| (offer.price, deal, town))
            });
            let Some((_, deal, town)) = thought_of.min_by_key(|&(price, ..)| price) else {
                *me.wait = 30; // the market is closed
                return;
            };
            (*me.deal, *me.bound_for, *me.errand) = (deal, town, Errand::Buy);
        }
        let way = towns.of(*me.bound_for).centre - me.place.at;
        let distance = way.length();
        if distance < REACH {
            return commands.send(Arrival { cart: me.who });
        }
        me.local.dir = way * (1.0 / distance);
        *me.step = me.local.dir * (PACE * HEAVY / (HEAVY + *me.load as f32));
    });
}

#[derive(View)]
#[view(Object, with = Tags::CART)]
pub(crate) struct Laden<'a> {
    who: Handle<Object>,
    load: &'a mut u32,
}

/// What a cart weighs with all that is on it: the mule, the backpack on the mule, the pouch in the
/// backpack, and what is in the pouch.
pub(crate) fn weigh(
    mut carts: Query<Laden>,
    carried: Tree<Object, Carried>,
    weights: Query<Ref<object::weight>>,
) {
    let weight = |thing| weights.get(thing).map_or(0, |weight| *weight);
    carts.par_each(|me| {
        *me.load = weight(me.who) + carried.descendants(me.who).map(weight).sum::<u32>()
    });
}

#[derive(View)]
#[view(Object, with = Tags::WHEEL)]
pub(crate) struct Wheel<'a> {
    who: Handle<Object>,
    local: &'a mut Pose,
}

/// Wheels roll as far as their cart drives.
pub(crate) fn roll(mut wheels: Query<Wheel>, parts: Tree<Object>, steps: Query<Ref<object::step>>) {
    for Wheel { who, local } in &mut wheels {
        let way =
            parts.parent(who).and_then(|cart| steps.get(cart)).map_or(0.0, |step| step.length());
        if way > 0.0 {
            let turned = local.dir.turned(Vec2::EAST + (ROLL - Vec2::EAST) * way);
            local.dir = turned * (1.0 / turned.length());
        }
    }
}

#[derive(View)]
#[view(Object, with = Tags::MOVES)]
pub(crate) struct Moving<'a> {
    local: &'a Pose,
    place: &'a mut Pose,
}

/// Where everything is that moves: carts first, then what is attached to them. A sweep along the
/// links of the default tree.
pub(crate) fn place(mut things: Sweep<Ref<object::place>, Moving>) {
    things.par_down(|parent, me| {
        *me.place = parent.map_or(*me.local, |parent| parent.then(*me.local));
    });
}

#[derive(View)]
#[view(Object, with = Tags::CART)]
pub(crate) struct Seat<'a> {
    who: Handle<Object>,
    town: &'a u16,
    rider: &'a mut Handle<Object>,
}

/// A cart whose rider is no more takes a volunteer of its town. Nobody told it: it asks whether its
/// handle is still good.
pub(crate) fn hire(
    mut carts: Query<Seat>,
    workers: Query<Ref<object::task>>,
    mut towns: ResMut<Towns>,
    mut commands: Commands,
) {
    let mut stale = 0;
    for Seat { who: cart, town, rider } in &mut carts {
        if workers.contains(*rider) {
            continue;
        }
        stale += u64::from(!rider.is_nil());
        *rider = std::mem::take(&mut towns.of_mut(*town).volunteer);
        if workers.contains(*rider) {
            commands.insert_tags(*rider, Tags::RIDING);
            commands.set::<object::local>(*rider, Pose::at(SEAT));
            commands.set::<object::step>(*rider, Vec2::ZERO);
            commands.attach(*rider, cart);
        }
    }
    commands.send(Note(News::StaleRiders, stale));
}

/// Towns that have lost a cart build a new one, if they have the wood.
pub(crate) fn build(mut stores: Stores, clock: Res<Clock>, mut commands: Commands) {
    let mut built = 0;
    for number in 0..stores.towns.list.len() as u16 {
        let wood = stores.towns.of(number).bins[Goods::Wood.index()];
        if stores.towns.of(number).carts < CARTS && stores.count(wood) >= WOOD {
            stores.use_up(wood, WOOD, &mut commands);
            spawn(
                number,
                stores.towns.of(number),
                &mut clock.dice(u32::from(number)),
                &mut commands,
            );
            built += 1;
        }
    }
    commands.send(Note(News::Built, built));
}
