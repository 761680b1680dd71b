//! Life and death: who ages, who is buried, what becomes of their things, and who is born.

use lath::prelude::*;

use crate::bag;
use crate::day::Clock;
use crate::dice::Dice;
use crate::object::{Carried, Object, Tags, object};
use crate::pose::{Pose, Vec2};
use crate::tally::{News, Note, Tally};
use crate::town::{Town, Towns, WORKERS};
use crate::worker;

/// How many things there have ever been.
#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Serials(u32);

/// Hooks: called for every object that comes or goes, whichever system gave the command.
pub(crate) fn hooks(world: &mut World) {
    world.on_spawn::<Object>(|world, who| {
        let serials = world.resource_mut::<Serials>();
        serials.0 = serials.0.wrapping_add(1);
        let serial = serials.0;
        world.pool_mut::<Object>().set::<object::serial>(who, serial).ok();
        if who.generation() > 1 {
            world.resource_mut::<Tally>().add(News::Reused, 1);
        }
    });
    world.on_despawn::<Object>(|world, _, object| {
        let news = match object.tags {
            tags if tags.contains(Tags::WORKER) => News::Died,
            tags if tags.contains(Tags::CART) => News::Crashed,
            tags if tags.contains(Tags::LOOSE) => News::Rotten,
            _ => return,
        };
        world.resource_mut::<Tally>().add(news, 1);
    });
}

#[derive(View)]
#[view(Object)]
pub(crate) struct Ageing<'a> {
    tags: &'a Tags,
    step: &'a Vec2,
    food: &'a mut i16,
    health: &'a mut i16,
}

/// Workers grow old, and hungry; carts wear out while they drive; what lies about rots.
pub(crate) fn age(mut things: Query<Ageing>) {
    things.par_each(|me| {
        let tags = *me.tags;
        if tags.contains(Tags::WORKER) {
            *me.food = me.food.saturating_sub(i16::from(!tags.contains(Tags::RIDING)));
            *me.health = me.health.saturating_sub(if *me.food < 0 { 10 } else { 1 });
        } else if tags.contains(Tags::CART) {
            *me.health = me.health.saturating_sub(i16::from(*me.step != Vec2::ZERO));
        } else if tags.contains(Tags::LOOSE) {
            *me.health = me.health.saturating_sub(8);
        }
    });
}

#[derive(View)]
#[view(Object)]
pub(crate) struct Remains<'a> {
    place: &'a Pose,
    town: &'a u16,
}

/// Who has no life left goes, with all that is attached: a cart with its wheels, its mule and its
/// rider. What they carried stays where they were, to be found, and their gold goes to the hall.
pub(crate) fn bury(
    mut things: Query<(Handle<Object>, Ref<object::health>)>,
    remains: Query<Remains>,
    mut gold: Query<Mut<object::gold>>,
    (attached, carried): (Tree<Object>, Tree<Object, Carried>),
    towns: Res<Towns>,
    mut dead: Local<Vec<Handle<Object>>>,
    mut commands: Commands,
) {
    things.each(|(who, health)| {
        if *health <= 0 {
            dead.push(who);
        }
    });
    for who in dead.drain(..) {
        commands.despawn(who);
        for part in std::iter::once(who).chain(attached.descendants(who)) {
            let Some(Remains { place, town }) = remains.get(part) else { continue };
            for thing in carried.children(part) {
                let pose = Pose::at(place.at);
                commands.insert_tags(thing, Tags::LOOSE);
                commands.set::<object::local>(thing, pose);
                commands.set::<object::place>(thing, pose);
                commands.set::<object::town>(thing, *town);
            }
            let left = gold.get_mut(part).map_or(0, |mut gold| std::mem::take(&mut *gold));
            if let Some(mut hall) = gold.get_mut(towns.of(*town).hall) {
                *hall += left;
            }
        }
    }
}

/// Towns that have lost somebody have children.
pub(crate) fn birth(towns: Res<Towns>, clock: Res<Clock>, mut commands: Commands) {
    let mut born = 0;
    for (number, town) in towns.list.iter().enumerate() {
        let missing = WORKERS.saturating_sub(town.workers).min(3);
        settle(number as u16, town, missing, &mut clock.dice(number as u32), &mut commands);
        born += u64::from(missing);
    }
    commands.send(Note(News::Born, born));
}

/// New workers for a town, with a pouch each.
pub(crate) fn settle(
    number: u16,
    town: &Town,
    count: u32,
    dice: &mut Dice,
    commands: &mut Commands,
) {
    for _ in 0..count {
        let pouch = commands.spawn(bag::bag(1, number));
        let worker = commands.spawn(Object { bag: pouch, ..worker::new(number, town, dice) });
        commands.attach_in::<Carried, _>(pouch, worker);
    }
}
