//! Workers: they dig, haul, eat, pick things up and sleep, one target after the other.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lath::prelude::*;

use crate::bag::Fetch;
use crate::day::{Clock, Phase};
use crate::dice::Dice;
use crate::hall::{Deliver, FULL, Meal};
use crate::object::{Object, Tags, Task, object};
use crate::pose::{Pose, Vec2};
use crate::site::Strike;
use crate::tally::{News, Note};
use crate::town::{Town, Towns};

const PACE: f32 = 0.8;
const REACH: f32 = 2.0;
const HUNGRY: i16 = 40;
/// Ticks between two strokes, and how many strokes fill the bag.
const STROKE: u16 = 80;
const BAGFUL: u8 = 4;

pub(crate) fn new(number: u16, town: &Town, dice: &mut Dice) -> Object {
    let pose = Pose::at(town.centre + Vec2::new(dice.unit() - 0.5, dice.unit() - 0.5) * 8.0);
    Object {
        tags: Tags::WORKER | Tags::MOVES,
        local: pose,
        place: pose,
        town: number,
        weight: 70,
        health: 20 + dice.below(500) as i16,
        food: HUNGRY + dice.below(60) as i16,
        ..default()
    }
}

/// A worker that is up and about.
#[derive(View)]
#[view(Object, with = Tags::WORKER, without = Tags::ASLEEP | Tags::RIDING)]
pub(crate) struct Worker<'a> {
    who: Handle<Object>,
    serial: &'a u32,
    town: &'a u16,
    place: &'a Pose,
    food: &'a i16,
    task: &'a mut Task,
    target: &'a mut Handle<Object>,
    target_serial: &'a mut u32,
    step: &'a mut Vec2,
    wait: &'a mut u16,
    strokes: &'a mut u8,
}

/// A thing as others see it.
#[derive(View)]
#[view(Object)]
pub(crate) struct Seen<'a> {
    place: &'a Pose,
    serial: &'a u32,
}

/// What became of looking at targets.
#[derive(Default)]
struct Looks {
    stale: AtomicU64,
    confirmed: AtomicU64,
    mistaken: AtomicU64,
}

/// Every worker looks at its target and goes there, or does what it came for, or chooses another.
/// On all threads: what is written nobody else reads meanwhile, and what concerns others is sent to
/// them as an event.
pub(crate) fn think(
    mut workers: Query<Worker>,
    seen: Query<Seen>,
    towns: Res<Towns>,
    clock: Res<Clock>,
    phase: Res<State<Phase>>,
    mut commands: Commands,
) {
    let looks = Looks::default();
    commands.par_each(&mut workers, |mut me, commands| {
        if *me.wait > 0 {
            *me.wait -= 1;
            return;
        }
        let town = towns.of(*me.town);
        if *me.task == Task::Idle {
            me.choose(town, *phase.get(), &seen, &mut clock.dice(*me.serial));
        }
        let Some(there) = seen.get(*me.target) else {
            // Gone: dug up, rotten, or eaten. Perhaps something else is in its slot by now; the
            // handle knows.
            looks.stale.fetch_add(1, Relaxed);
            return me.stop();
        };
        if there.serial != me.target_serial {
            looks.mistaken.fetch_add(1, Relaxed); // a handle has led to another thing than was meant: never
        }
        let way = there.place.at - me.place.at;
        let distance = way.length();
        if distance > REACH {
            *me.step = way * (PACE / distance);
            return;
        }
        looks.confirmed.fetch_add(1, Relaxed);
        *me.step = Vec2::ZERO;
        me.act(town, &seen, commands);
    });
    commands.send(Note(News::StaleTargets, looks.stale.into_inner()));
    commands.send(Note(News::Confirmed, looks.confirmed.into_inner()));
    commands.send(Note(News::Mistaken, looks.mistaken.into_inner()));
}

impl Worker<'_> {
    /// Finds something to do.
    fn choose(&mut self, town: &Town, phase: Phase, seen: &Query<Seen>, dice: &mut Dice) {
        let (task, target) = match phase {
            Phase::Night => (Task::Sleep, town.hall),
            Phase::Day if *self.food < HUNGRY => (Task::Dine, town.hall),
            Phase::Day if dice.below(4) == 0 && !town.loose.is_empty() => {
                (Task::Fetch, dice.pick(&town.loose).unwrap_or_default())
            }
            Phase::Day => (Task::Dig, self.nearest(&town.sites, seen, dice)),
        };
        self.go(task, target, seen);
    }

    /// The nearest of a few sites.
    fn nearest(
        &self,
        sites: &[Handle<Object>],
        seen: &Query<Seen>,
        dice: &mut Dice,
    ) -> Handle<Object> {
        let mut nearest = (f32::INFINITY, Handle::NIL);
        for site in (0..3).filter_map(|_| dice.pick(sites)) {
            let distance = seen
                .get(site)
                .map_or(f32::INFINITY, |site| (site.place.at - self.place.at).length());
            // One that is gone already will do if there is no other: the worker will notice.
            if distance < nearest.0 || nearest.1.is_nil() {
                nearest = (distance, site);
            }
        }
        nearest.1
    }

    fn go(&mut self, task: Task, target: Handle<Object>, seen: &Query<Seen>) {
        (*self.task, *self.target) = (task, target);
        *self.target_serial = seen.get(target).map_or(0, |target| *target.serial);
    }

    fn stop(&mut self) {
        (*self.task, *self.target, *self.step, *self.wait) =
            (Task::Idle, Handle::NIL, Vec2::ZERO, 5);
    }

    /// Does what it came for.
    fn act(&mut self, town: &Town, seen: &Query<Seen>, commands: &mut Commands) {
        let (by, target) = (self.who, *self.target);
        match *self.task {
            Task::Dig => {
                commands.send(Strike { by, site: target });
                *self.wait = STROKE;
                *self.strokes += 1;
                if *self.strokes >= BAGFUL {
                    *self.strokes = 0;
                    self.go(Task::Haul, town.hall, seen);
                }
            }
            Task::Fetch => {
                commands.send(Fetch { by, thing: target });
                self.go(Task::Haul, town.hall, seen);
            }
            Task::Haul => {
                commands.send(Deliver { by });
                self.stop();
            }
            Task::Dine => {
                commands.send(Meal { by });
                self.stop();
                *self.wait = if *self.food > 0 { 20 } else { 60 };
            }
            Task::Sleep => {
                commands.insert_tags(by, Tags::ASLEEP);
                self.stop();
            }
            Task::Idle => {}
        }
    }
}

#[derive(View)]
#[view(Object, with = Tags::MOVES)]
pub(crate) struct Walker<'a> {
    local: &'a mut Pose,
    step: &'a Vec2,
}

/// Everybody takes a step.
pub(crate) fn walk(mut walkers: Query<Walker>) {
    walkers.each(|me| me.local.at = me.local.at + *me.step);
}

const _: () = assert!(HUNGRY < FULL);
