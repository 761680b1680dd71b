//! A world to which things happen, and snapshots of it that are taken, put back, brought up to date
//! by differences, saved and loaded, in any order. What could be seen when one was taken can be
//! seen when it is put back.

use lath_schedule::World;
use lath_snapshot::{Delta, History, Load, Snapshot};

use crate::common::dice::Dice;
use crate::common::play::play as change;
use crate::common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow};
use crate::common::world::{Score, empty_like, happen, lively, save, seen};

/// A snapshot, and what could be seen when it was taken.
struct Kept {
    snapshot: Snapshot,
    seen: String,
}

struct Game {
    world: World,
    kept: Vec<Kept>,
    history: History,
    /// What could be seen at the ticks of the history.
    past: Vec<(u64, String)>,
    tick: u64,
    random: Dice,
}

/// As many as a history holds.
const TICKS: usize = 3;

/// Plays at most so many steps.
pub(crate) fn play(mut random: Dice, steps: usize) {
    let name = random.to_string();
    let world = lively(&mut random, 8);
    let mut game = Game {
        world,
        kept: Vec::new(),
        history: History::new(TICKS),
        past: Vec::new(),
        tick: 0,
        random,
    };
    for step in 0..steps {
        if !game.random.next_step() {
            break;
        }
        game.step(&format!("step {step} of {name}"));
    }
}

impl Game {
    fn step(&mut self, at: &str) {
        match self.random.u8(..24) {
            0..8 => self.change_one(),
            8..11 => self.take(),
            11..15 => self.put_back(at),
            15..18 => self.bring_up_to_date(at),
            18 | 19 => self.save_and_load(at),
            20 | 21 => self.push(),
            _ => self.go_back(at),
        }
    }

    fn change_one(&mut self) {
        let Self { world, random, .. } = self;
        let calls = random.usize(1..8);
        match random.u8(..5) {
            0 => _ = change(world.pool_mut::<PlainRow>(), random, calls),
            1 => _ = change(world.pool_mut::<MixedRow>(), random, calls),
            2 => _ = change(world.pool_mut::<PlainColumns>(), random, calls),
            3 => _ = change(world.pool_mut::<MixedColumns>(), random, calls),
            _ => world.resource_mut::<Score>().points += random.u64(..4),
        }
    }

    /// Into a new snapshot, or over an old one.
    fn take(&mut self) {
        let seen = seen(&self.world);
        let old = self
            .random
            .choice(0..self.kept.len())
            .filter(|_| self.kept.len() > 3 || self.random.bool());
        let at = old.unwrap_or(self.kept.len());
        if old.is_none() {
            self.kept.push(Kept { snapshot: Snapshot::new(), seen: String::new() });
        }
        let kept = &mut self.kept[at];
        match self.random.bool() {
            true => kept.snapshot.take_into(&self.world).unwrap(),
            false => kept.snapshot.take_mut(&mut self.world).unwrap(),
        }
        kept.seen = seen;
        assert_eq!(kept.snapshot.checksum(), Snapshot::take(&self.world).unwrap().checksum());
    }

    fn put_back(&mut self, at: &str) {
        let Some(number) = self.random.choice(0..self.kept.len()) else { return };
        let Kept { snapshot, seen: was } = &self.kept[number];
        snapshot.restore(&mut self.world).unwrap();
        assert_eq!(&seen(&self.world), was, "{at}");
        self.check(at);
    }

    /// One of the kept snapshots becomes one of now, by what has changed since.
    fn bring_up_to_date(&mut self, at: &str) {
        let Some(number) = self.random.choice(0..self.kept.len()) else { return };
        let now = Snapshot::take(&self.world).unwrap();
        let kept = &mut self.kept[number];
        let delta = match self.random.bool() {
            true => Delta::since(&kept.snapshot, &self.world),
            false => Delta::between(&kept.snapshot, &now).unwrap(),
        };
        delta.apply(&mut kept.snapshot).unwrap();
        assert_eq!(kept.snapshot.checksum(), now.checksum(), "{at}");
        kept.seen = seen(&self.world);
    }

    /// Goes on in the world that was loaded, after both have answered alike.
    fn save_and_load(&mut self, at: &str) {
        let bytes = save(&self.world);
        let mut other = empty_like(&self.world);
        Load::new().from_bytes(&mut other, &bytes).unwrap_or_else(|error| panic!("{error}, {at}"));
        assert_eq!(seen(&other), seen(&self.world), "{at}");
        let seed = self.random.u64(..);
        let (mut mine, mut its) = (Dice::with_seed(seed), Dice::with_seed(seed));
        assert_eq!(
            happen(&mut self.world, &mut mine, 3),
            happen(&mut other, &mut its, 3),
            "later, {at}"
        );
        assert_eq!(seen(&other), seen(&self.world), "later, {at}");
        self.world = other;
        self.check(at);
    }

    fn push(&mut self) {
        self.past.push((self.tick, seen(&self.world)));
        if self.past.len() > TICKS {
            self.past.remove(0);
        }
        self.history.push(&mut self.world, self.tick).unwrap();
        self.tick += 1;
    }

    fn go_back(&mut self, at: &str) {
        let by = self.random.u64(..TICKS as u64 + 2);
        let tick = self.tick.saturating_sub(by);
        let was = self.past.iter().position(|(known, _)| *known == tick);
        assert_eq!(self.history.restore(&mut self.world, tick).unwrap(), was.is_some(), "{at}");
        if let Some(was) = was {
            assert_eq!(seen(&self.world), self.past[was].1, "{at}");
            self.past.truncate(was);
            self.history.forget_from(tick);
            self.tick = tick;
            self.check(at);
        }
    }

    fn check(&self, at: &str) {
        assert_eq!(self.world.pool::<PlainRow>().check_invariants(), Ok(()), "{at}");
        assert_eq!(self.world.pool::<MixedRow>().check_invariants(), Ok(()), "{at}");
        assert_eq!(self.world.pool::<PlainColumns>().check_invariants(), Ok(()), "{at}");
        assert_eq!(self.world.pool::<MixedColumns>().check_invariants(), Ok(()), "{at}");
    }
}
