//! The ships, the shells, and the world that they are in.

use lath::prelude::*;

use crate::dice::Dice;
use crate::tick;

const HULL: i32 = 5;
const WIDTH: f32 = 1000.0;

/// Whose ship it is. The nil ship has no flag, so nobody hunts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flag {
    #[default]
    None,
    Red,
    Blue,
}

/// What a ship is about to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Order {
    #[default]
    LookOut,
    Sail {
        dx: f32,
        dy: f32,
    },
    /// At a target that is so many ticks away for a shell.
    Fire {
        ticks: u32,
    },
}

/// One fat struct: everything there is to know about a ship.
#[derive(Thing, Clone, Default)]
pub(crate) struct Ship {
    pub(crate) flag: Flag,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) order: Order,
    pub(crate) hull: i32,
    pub(crate) reload: u32,
    pub(crate) kills: u32,
    /// The one that this ship is after. Nobody clears it when that one sinks.
    pub(crate) target: Handle<Ship>,
    /// No two ships have the same. Only to show that handles are right: `steer` in `tick.rs` looks.
    pub(crate) number: u32,
    pub(crate) target_number: u32,
}

/// A shell in the air. It holds handles of ships that may sink before it lands.
///
/// Its own handles are small, with 8 bits of generation: a slot retires after 128 shells.
#[derive(Thing, Clone, Default)]
#[thing(handle(bits = 32, index = 24))]
pub(crate) struct Shell {
    pub(crate) by: Handle<Ship>,
    pub(crate) at: Handle<Ship>,
    pub(crate) ticks: u32,
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

/// Sends out new ships: red ones from the west, blue ones from the east.
pub(crate) struct Harbours {
    pub(crate) wanted: u32,
    dice: Dice,
}

impl Harbours {
    pub(crate) fn launch(&mut self, tally: &mut Tally) -> Ship {
        tally.launched += 1;
        let (flag, west) = if tally.launched % 2 == 0 { (Flag::Red, 0.0) } else { (Flag::Blue, 0.75) };
        let (x, y) = ((west + self.dice.unit() / 4.0) * WIDTH, self.dice.unit() * WIDTH);
        Ship { flag, x, y, hull: HULL, number: tally.launched, ..default() }
    }
}

/// The whole world, and what happens in it.
pub(crate) struct Sea {
    world: World,
    schedule: Schedule,
}

impl Sea {
    /// `threads` is for those who want another number than there are processors.
    pub(crate) fn new(wanted: u32, seed: u64, threads: Option<usize>) -> Self {
        let mut world = World::new();
        let (mut harbours, mut tally) = (Harbours { wanted, dice: Dice::new(seed) }, Tally::default());
        let ships = world.pool_mut::<Ship>();
        // Prizes come on top of the ships that the harbours launch. More than that would be a leak.
        ships.expect_at_most(wanted.saturating_mul(2));
        ships.spawn_many((0..wanted).map(|_| harbours.launch(&mut tally)));
        world.pool_mut::<Shell>();
        world.insert(harbours);
        world.insert(tally);
        world.insert(tick::Roster::new(seed));
        world.on_despawn::<Ship>(|world, _, _| world.resource_mut::<Tally>().sunk += 1);

        let mut schedule = tick::schedule();
        if let Some(threads) = threads {
            schedule.threads(threads);
        }
        Self { world, schedule }
    }

    pub(crate) fn ships(&self) -> &Pool<Ship> {
        self.world.pool()
    }

    pub(crate) fn shells(&self) -> &Pool<Shell> {
        self.world.pool()
    }

    pub(crate) fn tally(&self) -> &Tally {
        self.world.resource()
    }

    pub(crate) fn tick(&mut self) {
        self.schedule.run(&mut self.world);
    }

    /// How long each system takes, as a table.
    pub(crate) fn report(&self) -> String {
        self.schedule.report().to_string()
    }

    /// Whether the pools' own bookkeeping holds; if not, a sentence about what does not.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        self.ships().check_invariants()?;
        self.shells().check_invariants()
    }

    /// Everything that can be seen of the world, in one number (FNV-1a).
    pub(crate) fn checksum(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut mix = |value: u64| {
            for byte in value.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        for (who, ship) in self.ships() {
            mix(who.to_bits());
            mix(ship.target.to_bits());
            mix(u64::from(ship.x.to_bits()) << 32 | u64::from(ship.y.to_bits()));
            mix((ship.hull as u64) << 32 | u64::from(ship.number));
        }
        for (who, shell) in self.shells() {
            mix(who.to_bits());
            mix(shell.by.to_bits());
            mix(shell.at.to_bits());
            mix(u64::from(shell.ticks));
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ships: u32, ticks: u32, seed: u64, threads: Option<usize>) -> Sea {
        let mut sea = Sea::new(ships, seed, threads);
        for _ in 0..ticks {
            sea.tick();
        }
        sea
    }

    #[test]
    fn the_seed_decides_the_battle() {
        assert_eq!(after(200, 150, 7, None).checksum(), after(200, 150, 7, None).checksum());
        assert_ne!(after(200, 150, 7, None).checksum(), after(200, 150, 8, None).checksum());
    }

    #[test]
    fn the_threads_do_not() {
        let one = after(6000, 60, 7, Some(1)); // more than one chunk of ships
        for threads in [2, 4] {
            let several = after(6000, 60, 7, Some(threads));
            assert_eq!((several.checksum(), several.tally()), (one.checksum(), one.tally()), "{threads} threads");
        }
    }

    #[test]
    fn slots_are_reused_under_handles_that_still_wait_for_the_old_ship() {
        let sea = after(300, 400, 1, None);
        let (tally, stats) = (sea.tally(), sea.ships().stats());
        assert!(tally.stale_targets > 0 && tally.splashes > 0 && tally.prizes > 0, "{tally:?}");
        assert!(stats.largest_generation > 1 && stats.high_water < tally.launched, "{stats:?}");
        assert_eq!(u64::from(tally.launched), tally.sunk + sea.ships().len() as u64);
        assert_eq!(sea.check(), Ok(()));
    }
}
