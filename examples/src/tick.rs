//! What happens in one tick: systems, in order.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lath::prelude::*;

use crate::dice::Dice;
use crate::sea::{Flag, Harbours, Order, Shell, Ship, Tally, shell, ship};

const SPEED: f32 = 4.0;
const RANGE: f32 = 60.0;
const RELOAD: u32 = 6;
/// A ship that has sunk so many takes the next one as a prize.
const KILLS_PER_PRIZE: u32 = 3;
/// How many ships a look-out compares before choosing the nearest enemy.
const GLANCES: usize = 8;

/// In this order. `sail` and `fire` have nothing in common and may run at the same time; the others wait for what they need.
pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((muster, steer, sail, fire, land, take_prizes, sink));
    schedule.barrier(); // the harbours want to know who is left
    schedule.add(launch);
    schedule
}

/// The live ships at the start of the tick, for the look-outs. Kept to be used again.
pub(crate) struct Roster {
    ships: Vec<Handle<Ship>>,
    seed: u64,
    tick: u32,
}

impl Roster {
    pub(crate) fn new(seed: u64) -> Self {
        Self { ships: Vec::new(), seed, tick: 0 }
    }

    /// Dice of a ship's own for this tick, so that it does not matter which ship rolls first.
    fn dice(&self, number: u32) -> Dice {
        Dice::new(self.seed ^ u64::from(self.tick) << 32 ^ u64::from(number))
    }
}

fn muster(ships: Query<Handle<Ship>>, mut roster: ResMut<Roster>) {
    roster.tick += 1;
    roster.ships.clear();
    roster.ships.extend(&ships);
}

/// A ship that looks for others and makes up its mind.
#[derive(View)]
#[view(Ship)]
struct Steering<'a> {
    who: Handle<Ship>,
    flag: &'a Flag,
    x: &'a f32,
    y: &'a f32,
    number: &'a u32,
    order: &'a mut Order,
    target: &'a mut Handle<Ship>,
    target_number: &'a mut u32,
}

/// A ship as others see it.
#[derive(View)]
#[view(Ship)]
struct Seen<'a> {
    flag: &'a Flag,
    x: &'a f32,
    y: &'a f32,
    number: &'a u32,
}

/// Every ship looks at its target and decides to sail, to fire, or to look out for another one. On all threads: what is written
/// (orders and targets) nobody else reads meanwhile, and what is read (places) nobody writes.
fn steer(mut ships: Query<Steering>, seen: Query<Seen>, roster: Res<Roster>, mut tally: ResMut<Tally>) {
    let (stale, confirmed) = (AtomicU64::new(0), AtomicU64::new(0));
    ships.par_each(|me| {
        let Some(prey) = seen.get(*me.target) else {
            stale.fetch_add(u64::from(!me.target.is_nil()), Relaxed);
            *me.target = look_out(&me, &seen, &roster);
            *me.target_number = seen.get(*me.target).map_or(0, |ship| *ship.number);
            *me.order = Order::LookOut;
            return;
        };
        // A slot is used by many ships, one after the other. The handle must not be fooled by any of them.
        assert_eq!(prey.number, me.target_number, "{:?} of {:?} names another ship", me.target, me.who);
        confirmed.fetch_add(1, Relaxed);

        let (dx, dy) = (prey.x - me.x, prey.y - me.y);
        let distance = (dx * dx + dy * dy).sqrt();
        *me.order = if distance > RANGE {
            Order::Sail { dx: dx / distance * SPEED, dy: dy / distance * SPEED }
        } else {
            Order::Fire { ticks: 1 + distance as u32 / 10 }
        };
    });
    tally.stale_targets += stale.into_inner();
    tally.confirmed += confirmed.into_inner();
}

/// The nearest of a few enemies picked at random; nil if none of them was one.
fn look_out(me: &Steering<'_>, seen: &Query<Seen>, roster: &Roster) -> Handle<Ship> {
    let mut dice = roster.dice(*me.number);
    let distance = |other: Seen<'_>| (other.x - me.x) * (other.x - me.x) + (other.y - me.y) * (other.y - me.y);
    let mut nearest = (f32::INFINITY, Handle::NIL);
    for _ in 0..GLANCES {
        let other = roster.ships[dice.below(roster.ships.len())];
        let enemy = seen.get(other).filter(|ship| ship.flag != me.flag);
        if let Some(distance) = enemy.map(distance).filter(|&distance| distance < nearest.0) {
            nearest = (distance, other);
        }
    }
    nearest.1
}

fn sail(mut ships: Query<(Mut<ship::x>, Mut<ship::y>, Ref<ship::order>)>) {
    ships.each(|(mut x, mut y, order)| {
        if let Order::Sail { dx, dy } = *order {
            *x += dx;
            *y += dy;
        }
    });
}

#[derive(View)]
#[view(Ship)]
struct Guns<'a> {
    who: Handle<Ship>,
    order: &'a Order,
    target: &'a Handle<Ship>,
    reload: &'a mut u32,
}

/// Shells are put in when all systems of this tick are done with the shells that there are. Their handles are the same on any number
/// of threads.
fn fire(mut guns: Query<Guns>, mut commands: Commands) {
    guns.par_each_with(&mut commands, |guns, commands| {
        *guns.reload = guns.reload.saturating_sub(1);
        if let (Order::Fire { ticks }, 0) = (*guns.order, *guns.reload) {
            *guns.reload = RELOAD;
            commands.spawn(Shell { by: guns.who, at: *guns.target, ticks });
        }
    });
}

#[derive(View)]
#[view(Shell)]
struct Flying<'a> {
    shell: Handle<Shell>,
    ticks: &'a mut u32,
    at: &'a Handle<Ship>,
    by: &'a Handle<Ship>,
}

/// Shells that have flown their time come down on their target, or on the water where it used to be.
fn land(
    mut shells: Query<Flying>,
    mut hulls: Query<Mut<ship::hull>>,
    mut kills: Query<Mut<ship::kills>>,
    mut tally: ResMut<Tally>,
    mut commands: Commands,
) {
    for flying in &mut shells {
        *flying.ticks -= 1;
        if *flying.ticks > 0 {
            continue;
        }
        commands.despawn(flying.shell);
        let Some(mut hull) = hulls.get_mut(*flying.at) else {
            tally.splashes += 1;
            continue;
        };
        *hull -= 1;
        if let (0, Some(mut kills)) = (*hull, kills.get_mut(*flying.by)) {
            *kills += 1;
        }
    }
}

#[derive(View)]
#[view(Ship)]
struct Winner<'a> {
    kills: &'a mut u32,
    flag: &'a Flag,
    x: &'a f32,
    y: &'a f32,
}

fn take_prizes(mut ships: Query<Winner>, mut tally: ResMut<Tally>, mut commands: Commands) {
    for Winner { kills, flag, x, y } in &mut ships {
        if *kills >= KILLS_PER_PRIZE {
            *kills = 0;
            tally.prizes += 1;
            tally.launched += 1;
            commands.spawn(Ship { flag: *flag, x: *x, y: *y, hull: 1, number: tally.launched, ..default() });
        }
    }
}

/// What is sunk is counted by a hook: see `sea.rs`.
fn sink(ships: Query<(Handle<Ship>, Ref<ship::hull>)>, mut commands: Commands) {
    for (ship, hull) in &ships {
        if *hull <= 0 {
            commands.despawn(ship);
        }
    }
}

fn launch(
    ships: Query<Handle<Ship>>,
    mut harbours: ResMut<Harbours>,
    mut tally: ResMut<Tally>,
    mut commands: Commands,
) {
    let missing = harbours.wanted.saturating_sub(ships.count() as u32);
    for _ in 0..missing.div_ceil(8) {
        commands.spawn(harbours.launch(&mut tally));
    }
}
