//! The colony: a world, what happens in it, and how it is saved.

use std::path::Path;

use lath::inspect::Inspector;
use lath::prelude::*;
use lath::{FixedClocks, Load, Report, SaveError, Write};

use crate::day::{self, Clock, Phase, STEPS_PER_SECOND, TICKS_PER_SECOND};
use crate::founding::{self, Charter};
use crate::life::{self, Serials};
use crate::market::{self, Offer};
use crate::object::{Carried, Object, Tags};
use crate::orders::Order;
use crate::tally::{self, Tally};
use crate::town::{self, Towns};
use crate::{bag, cart, hall, site, worker};

/// What happens in a tick, in this order. Systems that touch different fields, resources and links
/// run at the same time.
fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(day::tick);
    schedule.transitions::<Phase>();
    schedule.add((day::wake.on_enter(Phase::Day), market::close.on_enter(Phase::Night)));

    // What need not be done in every tick.
    schedule.fixed(STEPS_PER_SECOND, |step| {
        step.add((town::survey, cart::weigh, life::age));
        step.add((hall::consume, market::post.while_in(Phase::Day)));
        step.add((site::sprout, life::birth, cart::hire, cart::build));
    });

    // Everybody decides, and goes.
    schedule.add((worker::think, cart::drive, worker::walk));
    schedule.barrier();

    // What they have done is settled.
    schedule.add((
        cart::roll,
        cart::place,
        site::mine,
        bag::fetch,
        hall::deliver,
        hall::dine,
        market::trade,
    ));
    schedule.barrier();

    // Who is buried leaves behind what was given to them in this very tick, too.
    schedule.add(life::bury);
    schedule.barrier();
    schedule.add(tally::ledger);
    schedule
}

/// A world that knows what to save, with nothing in it.
fn empty_world() -> World {
    let mut world = World::new();
    world.saves::<Object>().tree::<Carried>();
    world.saves::<Offer>();
    world.saves_resource::<Charter>();
    world.saves_resource::<Clock>();
    world.saves_resource::<State<Phase>>();
    world.saves_resource::<FixedClocks>();
    world.saves_resource::<Towns>();
    world.saves_resource::<Serials>();
    world.saves_resource::<Tally>();
    world.insert(Time { dt: 1.0 / TICKS_PER_SECOND as f32 });
    life::hooks(&mut world);
    world
}

/// The whole world, and what happens in it.
pub struct Colony {
    /// Who and what there is.
    pub world: World,
    /// What happens in a tick.
    pub schedule: Schedule,
}

impl Colony {
    /// A new one.
    pub fn found(charter: Charter) -> Self {
        let mut world = empty_world();
        // Things come and go; twice as many as at first would be a leak.
        world.pool_mut::<Object>().expect_at_most(charter.things.saturating_mul(2));
        world.pool_mut::<Offer>();
        world.insert(charter);
        world.insert(Clock { seed: charter.seed, tick: 0 });
        world.insert(State::new(Phase::Day));
        world.insert(Towns::new(charter.towns()));
        world.insert(Serials::default());
        world.insert(Tally::default());
        world.run_once(founding::found).expect("all that it needs was put in above");
        Self { world, schedule: schedule() }
    }

    /// A world that knows what to save, with nothing in it, and what would happen in it: to put a
    /// snapshot into.
    pub fn empty() -> Self {
        Self { world: empty_world(), schedule: schedule() }
    }

    /// Goes on where a save has left off.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or what it holds is no colony.
    pub fn load(path: &Path) -> Result<Self, SaveError> {
        let mut world = empty_world();
        Load::new().from_file(&mut world, path)?;
        let complete = world.try_resource::<Towns>().is_ok_and(|towns| !towns.list.is_empty())
            && world.try_resource::<Charter>().is_ok()
            && world.try_resource::<Clock>().is_ok();
        if !complete {
            return Err(SaveError::Damaged { what: "there is no colony in it".into() });
        }
        Ok(Self { world, schedule: schedule() })
    }

    /// Writes the colony beside the file and renames it: the old save is there until the new one is
    /// whole.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        Write::new().to_file(&Snapshot::take(&self.world)?, path)
    }

    /// The same for the same colony after the same number of ticks, whatever the threads did and
    /// wherever it was saved meanwhile.
    pub fn checksum(&self) -> u64 {
        Snapshot::take(&self.world).map_or(0, |snapshot| snapshot.checksum())
    }

    pub(crate) fn tick(&mut self) {
        self.schedule.run(&mut self.world);
    }

    /// Tells an inspector what there is to see.
    pub fn show(inspector: &mut Inspector) {
        inspector.pool_and_tree::<Object, Carried>().pool::<Offer>();
    }

    /// Does something to it from outside.
    pub fn order(&mut self, order: Order) {
        order.carry_out(&mut self.world).expect("the colony has all that orders need");
    }

    pub(crate) fn threads(&mut self, threads: usize) {
        self.schedule.threads(threads);
    }

    pub(crate) fn charter(&self) -> Charter {
        *self.world.resource()
    }

    pub(crate) fn clock(&self) -> &Clock {
        self.world.resource()
    }

    pub(crate) fn tally(&self) -> &Tally {
        self.world.resource()
    }

    pub(crate) fn objects(&self) -> &Pool<Object> {
        self.world.pool()
    }

    pub(crate) fn offers(&self) -> &Pool<Offer> {
        self.world.pool()
    }

    /// How long each system takes.
    pub(crate) fn report(&self) -> Report {
        self.schedule.report()
    }

    /// Whether all is as it should be; if not, a sentence about what is not.
    ///
    /// # Errors
    ///
    /// That sentence.
    pub fn check(&self) -> Result<(), String> {
        Self::check_world(&self.world)
    }

    /// The same for the world of one.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn check_world(world: &World) -> Result<(), String> {
        let objects = world.pool::<Object>();
        objects.check_invariants()?;
        world.pool::<Offer>().check_invariants()?;
        objects.tree().check()?;
        let carried = objects.tree_of::<Carried>();
        carried.check()?;
        for (number, goods, bin) in world.resource::<Towns>().bins() {
            let (stock, found) = (*objects.read(bin).stock as usize, carried.child_count(bin));
            if stock != found {
                return Err(format!(
                    "the {goods:?} bin of town {number} has {found} items in it and counts {stock}"
                ));
            }
        }
        let lost = objects.iter().find(|(who, object)| {
            let portable = object.tags.intersects(Tags::ITEM | Tags::BAG);
            portable && carried.parent(*who).is_some() == object.tags.contains(Tags::LOOSE)
        });
        match lost {
            Some((who, object)) => Err(format!(
                "{who:?} ({:?}) is neither carried nor lying about, or both",
                object.tags
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::object;
    use crate::tally::News;

    fn after(ticks: u32) -> Colony {
        let mut colony = Colony::found(Charter { seed: 3, things: 2000 });
        (0..ticks).for_each(|_| colony.tick());
        colony
    }

    #[test]
    fn a_colony_is_founded_with_exactly_as_many_things_as_were_asked_for() {
        for things in [1000, 1999, 2000, 12_345] {
            let colony = Colony::found(Charter { seed: 1, things });
            assert_eq!(colony.objects().len(), things as usize);
            assert_eq!(colony.check(), Ok(()));
        }
    }

    #[test]
    fn what_the_dead_were_given_as_they_died_lies_about_like_the_rest() {
        let mut colony = after(300);
        for _ in 0..40 {
            colony.tick();
            let before = Snapshot::take(&colony.world).unwrap();
            // Everybody has lost their bag and is about to die. Who comes to the hall is still
            // given a new one.
            let workers = colony.world.pool_mut::<Object>();
            workers.view_mut::<(Ref<object::tags>, Mut<object::health>, Mut<object::bag>)>().each(
                |(tags, mut health, mut bag)| {
                    if tags.contains(Tags::WORKER) {
                        (*health, *bag) = (0, Handle::NIL);
                    }
                },
            );
            colony.tick();
            assert_eq!(colony.check(), Ok(()), "after tick {}", colony.clock().tick);
            before.restore(&mut colony.world).unwrap();
        }
    }

    #[test]
    fn gold_goes_from_hand_to_hand_and_is_neither_made_nor_lost() {
        let gold = |colony: &Colony| {
            colony
                .objects()
                .view::<Ref<object::gold>>()
                .iter()
                .map(|gold| i64::from(*gold))
                .sum::<i64>()
        };
        let colony = after(700);
        assert!(colony.tally().of(News::Sold) > 0 && colony.tally().of(News::Died) > 0);
        assert_eq!(gold(&colony), gold(&after(0)));
    }

    #[test]
    fn a_pouch_is_in_a_backpack_on_a_mule_on_a_cart_and_moves_with_it() {
        let colony = after(300);
        let (objects, carried) = (colony.objects(), colony.objects().tree_of::<Carried>());
        let carts: Vec<_> = objects.handles().filter(|&who| objects.has(who, Tags::CART)).collect();
        assert!(!carts.is_empty());
        for cart in carts {
            let way: Vec<_> = carried.ancestors(*objects.read(cart).bag).collect();
            assert_eq!((way.len(), way.last()), (3, Some(&cart)));
            assert!(objects.has(way[1], Tags::MULE) && objects.tree().parent(way[1]) == Some(cart));
            let away = (objects.read(way[1]).place.at - objects.read(cart).place.at).length();
            assert!((away - 1.0).abs() < 0.001, "the mule is {away} away from its cart");
        }
    }
}
