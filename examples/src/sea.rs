//! The ships, the shells, and what happens in one tick.

use lath::prelude::*;

use crate::dice::Dice;

const WIDTH: f32 = 1000.0;
const SPEED: f32 = 4.0;
const RANGE: f32 = 60.0;
const HULL: i32 = 5;
const RELOAD: u32 = 6;
/// A ship that has sunk so many takes the next one as a prize.
const KILLS_PER_PRIZE: u32 = 3;
/// How many ships a look-out compares before choosing the nearest enemy.
const GLANCES: usize = 8;

/// Whose ship it is. The nil ship has no flag, so nobody hunts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flag {
    #[default]
    None,
    Red,
    Blue,
}

/// One fat struct: everything there is to know about a ship.
#[derive(Thing, Clone, Default)]
pub(crate) struct Ship {
    flag: Flag,
    x: f32,
    y: f32,
    hull: i32,
    reload: u32,
    kills: u32,
    /// The one that this ship is after. Nobody clears it when that one sinks.
    target: Handle<Ship>,
    /// No two ships have the same. Only to show that handles are right: see [`Sea::hunt`].
    number: u32,
    target_number: u32,
}

/// A shell in the air. It holds handles of ships that may sink before it lands.
///
/// Its own handles are small, with 8 bits of generation: a slot retires after 128 shells.
#[derive(Thing, Clone, Default)]
#[thing(handle(bits = 32, index = 24))]
pub(crate) struct Shell {
    by: Handle<Ship>,
    at: Handle<Ship>,
    ticks: u32,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) launched: u32,
    pub(crate) sunk: u64,
    pub(crate) prizes: u64,
    /// Targets that turned out to have sunk.
    pub(crate) stale_targets: u64,
    /// Shells that landed where their target had sunk, whoever has its slot by then.
    pub(crate) splashes: u64,
    /// Lookups that found a ship, and the right one.
    pub(crate) confirmed: u64,
}

/// The whole world.
pub(crate) struct Sea {
    ships: Pool<Ship>,
    shells: Pool<Shell>,
    /// The live ships at the start of the tick, for the look-outs. Kept to be used again.
    roster: Vec<Handle<Ship>>,
    dice: Dice,
    wanted: u32,
    tally: Tally,
}

impl Sea {
    pub(crate) fn new(wanted: u32, seed: u64) -> Self {
        let mut sea = Self {
            ships: Pool::new(),
            shells: Pool::new(),
            roster: Vec::new(),
            dice: Dice::new(seed),
            wanted,
            tally: Tally::default(),
        };
        // Prizes come on top of the ships that the harbours launch. More than that would be a leak.
        sea.ships.expect_at_most(wanted.saturating_mul(2));
        sea.launch(wanted);
        sea
    }

    pub(crate) fn ships(&self) -> &Pool<Ship> {
        &self.ships
    }

    pub(crate) fn shells(&self) -> &Pool<Shell> {
        &self.shells
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    pub(crate) fn tick(&mut self) {
        self.hunt();
        self.land();
        self.sink();
        let missing = self.wanted.saturating_sub(self.ships.len() as u32);
        self.launch(missing.div_ceil(8));
    }

    /// Every ship looks at its target and sails, fires or looks out for another one. Prizes are staged: the walk goes on
    /// over the ships that were there when it began.
    fn hunt(&mut self) {
        let Self { ships, shells, roster, dice, tally, .. } = self;
        roster.clear();
        roster.extend(ships.handles());
        ships.each_with_rest(|who, me, rest| {
            me.reload = me.reload.saturating_sub(1);
            let Some(prey) = rest.get(me.target) else {
                tally.stale_targets += u64::from(!me.target.is_nil());
                me.target = look_out(me, roster, rest, dice);
                me.target_number = rest.read(me.target).number;
                return;
            };
            // A slot is used by many ships, one after the other. The handle must not be fooled by any of them.
            assert_eq!(prey.number, me.target_number, "{:?} of {who:?} names another ship", me.target);
            tally.confirmed += 1;

            let (dx, dy) = (prey.x - me.x, prey.y - me.y);
            let distance = (dx * dx + dy * dy).sqrt();
            if distance > RANGE {
                me.x += dx / distance * SPEED;
                me.y += dy / distance * SPEED;
            } else if me.reload == 0 {
                me.reload = RELOAD;
                shells.spawn(Shell { by: who, at: me.target, ticks: 1 + distance as u32 / 10 });
            }
            if me.kills >= KILLS_PER_PRIZE {
                me.kills = 0;
                tally.prizes += 1;
                tally.launched += 1;
                let prize =
                    Ship { flag: me.flag, x: me.x, y: me.y, hull: 1, number: tally.launched, ..Ship::default() };
                rest.stage(prize);
            }
        });
        ships.commit();
    }

    /// Shells that have flown their time come down on their target, or on the water where it used to be.
    fn land(&mut self) {
        let Self { ships, shells, tally, .. } = self;
        let landing = shells.drain_where(|_, shell| {
            shell.ticks -= 1;
            shell.ticks == 0
        });
        for (_, shell) in landing {
            match ships.get_disjoint_mut([shell.at, shell.by]) {
                [Ok(prey), gunner] => {
                    prey.hull -= 1;
                    if let (0, Ok(gunner)) = (prey.hull, gunner) {
                        gunner.kills += 1;
                    }
                }
                [Err(_), _] => tally.splashes += 1,
            }
        }
    }

    fn sink(&mut self) {
        let before = self.ships.len();
        self.ships.retain(|_, ship| ship.hull > 0);
        self.tally.sunk += (before - self.ships.len()) as u64;
    }

    /// The harbours send out `n` ships: red ones from the west, blue ones from the east.
    fn launch(&mut self, n: u32) {
        let Self { ships, dice, tally, .. } = self;
        ships.spawn_many((0..n).map(|_| {
            tally.launched += 1;
            let (flag, west) = if tally.launched % 2 == 0 { (Flag::Red, 0.0) } else { (Flag::Blue, 0.75) };
            let (x, y) = ((west + dice.unit() / 4.0) * WIDTH, dice.unit() * WIDTH);
            Ship { flag, x, y, hull: HULL, number: tally.launched, ..Ship::default() }
        }));
    }

    /// Whether the pools' own bookkeeping holds; if not, a sentence about what does not.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        self.ships.check_invariants()?;
        self.shells.check_invariants()
    }

    /// Everything that can be seen of the world, in one number (FNV-1a).
    pub(crate) fn checksum(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut mix = |value: u64| {
            for byte in value.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        for (who, ship) in &self.ships {
            mix(who.to_bits());
            mix(ship.target.to_bits());
            mix(u64::from(ship.x.to_bits()) << 32 | u64::from(ship.y.to_bits()));
            mix((ship.hull as u64) << 32 | u64::from(ship.number));
        }
        for (_, shell) in &self.shells {
            mix(shell.by.to_bits());
            mix(shell.at.to_bits());
            mix(u64::from(shell.ticks));
        }
        hash
    }
}

/// The nearest of a few enemies picked at random; nil if none of them was one.
fn look_out(me: &Ship, roster: &[Handle<Ship>], rest: &Rest<'_, Ship>, dice: &mut Dice) -> Handle<Ship> {
    let distance = |other: &Ship| (other.x - me.x) * (other.x - me.x) + (other.y - me.y) * (other.y - me.y);
    let mut nearest = (f32::INFINITY, Handle::NIL);
    for _ in 0..GLANCES {
        let other = roster[dice.below(roster.len())];
        let enemy = rest.get(other).filter(|ship| ship.flag != me.flag);
        if let Some(distance) = enemy.map(distance).filter(|&distance| distance < nearest.0) {
            nearest = (distance, other);
        }
    }
    nearest.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ships: u32, ticks: u32, seed: u64) -> Sea {
        let mut sea = Sea::new(ships, seed);
        for _ in 0..ticks {
            sea.tick();
        }
        sea
    }

    #[test]
    fn the_seed_decides_the_battle() {
        assert_eq!(after(200, 150, 7).checksum(), after(200, 150, 7).checksum());
        assert_ne!(after(200, 150, 7).checksum(), after(200, 150, 8).checksum());
    }

    #[test]
    fn slots_are_reused_under_handles_that_still_wait_for_the_old_ship() {
        let sea = after(300, 400, 1);
        let (tally, stats) = (sea.tally(), sea.ships().stats());
        assert!(tally.stale_targets > 0 && tally.splashes > 0 && tally.prizes > 0, "{tally:?}");
        assert!(stats.largest_generation > 1 && stats.high_water < tally.launched, "{stats:?}");
        assert_eq!(sea.check(), Ok(()));
    }
}
