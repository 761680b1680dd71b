//! Copies of worlds in memory: snapshots, a history of them, differences between them.

use std::marker::PhantomData;

use lath::prelude::*;
use lath::{Delta, History, SaveWorld, Snapshot};
use lath_snapshot::image::PoolImage;
use serde::{Deserialize, Serialize};

use super::Setup;
use super::files::File;
use super::garbage;
use super::pool;
use super::prefabs::Prefabs;
use super::requests::Requests;
use super::saves::{self, Saves};
use super::things::{Layout, POOLS, Piece};
use super::world::{empty, look, with_pool};
use crate::answer::{Answer, Ask};
use crate::poison;
use crate::program::Call;

/// How many snapshots are kept at once, and how many ticks a history has.
const KEPT: usize = 3;

/// A resource that is saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    points: u64,
    words: Vec<String>,
}

/// Tells a world what is saved: everything.
pub fn register<L: Layout>(world: &mut World) {
    for number in 0..POOLS {
        with_pool!(L, number, T => T::<L>::register(world));
    }
    world.saves_resource::<Notes>();
}

/// The resource, as looks have it.
pub fn value(world: &World) -> (String, String) {
    let notes = world.try_resource::<Notes>().ok();
    ("notes".into(), format!("{:?}", notes.map(|notes| (notes.points, &notes.words))))
}

/// Makes a world what it was.
pub fn put_back(world: &mut World, before: &Snapshot) {
    before.restore(world).expect("a snapshot of this world fits into it");
}

/// The copies that were made of a world.
pub struct Copies<L: Layout> {
    setup: Setup,
    kept: [Option<Snapshot>; KEPT],
    /// Whether a panic has interrupted what was being done to a snapshot.
    is_torn: [bool; KEPT],
    history: History,
    tick: u64,
    /// Memory that is used again and again.
    delta: Delta,
    saves: Saves,
    file: File,
    prefabs: Prefabs,
    requests: Requests<L>,
    layout: PhantomData<L>,
}

impl<L: Layout> Copies<L> {
    /// No copies yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            setup: setup.clone(),
            kept: [const { None }; KEPT],
            is_torn: [false; KEPT],
            history: History::new(KEPT),
            tick: 0,
            delta: Delta::new(),
            saves: Saves::default(),
            file: File::default(),
            prefabs: Prefabs::new::<L>(),
            requests: Requests::new(setup),
            layout: PhantomData,
        }
    }

    /// A world that was loaded takes the place of the one that was saved. What lies beside things is
    /// not in saves.
    pub fn save_and_load(&self, world: &mut World) {
        let mut loaded = saves::reloaded::<L>(&self.setup, world);
        for number in 0..super::things::POOLS {
            with_pool!(L, number, T => {
                let beside = pool::beside(world.pool::<T<L>>());
                pool::put_all_beside(loaded.pool_mut::<T<L>>(), beside);
            });
        }
        *world = loaded;
    }

    /// Makes a call, if it is about copies.
    pub fn call(&mut self, world: &mut World, ask: &Ask) -> Option<Answer> {
        self.of_memory(world, ask)
            .or_else(|| self.saves.call::<L>(&self.setup, world, ask))
            .or_else(|| self.file.call(world, ask))
            .or_else(|| garbage::call::<L>(&self.setup, &self.saves, world, ask))
            .or_else(|| with_pool!(L, ask.pool, T => self.prefabs.call::<T<L>>(world, ask)))
            .or_else(|| with_pool!(L, ask.pool, T => self.requests.call::<T<L>>(world, ask)))
    }

    /// Calls about copies in memory.
    fn of_memory(&mut self, world: &mut World, ask: &Ask) -> Option<Answer> {
        let (at, other) = (usize::from(ask.v) % KEPT, usize::from(ask.v / 4) % KEPT);
        Some(match ask.call {
            Call::Note => note(world, ask),
            Call::TakeSnapshot => {
                match (ask.b % 3, &mut self.kept[at]) {
                    (0, Some(kept)) => kept.take_into(world).expect("something is saved"),
                    (1, Some(kept)) => kept.take_mut(world).expect("something is saved"),
                    (_, kept) => *kept = Some(taken(world)),
                }
                with_pool!(L, ask.pool, T => {
                    assert!(is_written(world.pool::<T<L>>()), "an image of unwritten memory");
                });
                Answer::Count(self.kept[at].as_ref().map_or(0, Snapshot::checksum))
            }
            Call::RestoreSnapshot => match &self.kept[at] {
                None => Answer::Is(false),
                Some(kept) if ask.b % 4 == 3 => {
                    let mut other = empty::<L>(&self.setup);
                    put_back(&mut other, kept);
                    Answer::Look(Box::new(look::<L>(&other)))
                }
                Some(kept) => {
                    put_back(world, kept);
                    Answer::Count(taken(world).checksum())
                }
            },
            Call::PushHistory => {
                let checksum = taken(world).checksum();
                let pushed = self.history.push(world, self.tick).expect("something is saved");
                assert_eq!(pushed.checksum(), checksum, "pushed beside taken");
                self.tick += 1;
                self.ticks()
            }
            Call::RestoreHistory => {
                let tick = self.tick.saturating_sub(u64::from(ask.v) % (KEPT as u64 + 2));
                if ask.b % 4 == 3 {
                    self.history.forget_from(tick);
                    return Some(self.ticks());
                }
                let known = self.history.get(tick).map(Snapshot::checksum);
                let is = self.history.restore(world, tick).expect("it fits");
                assert_eq!(is, known.is_some(), "whether tick {tick} is remembered");
                if let Some(known) = known {
                    assert_eq!(taken(world).checksum(), known, "tick {tick}");
                    self.tick = tick;
                }
                self.ticks()
            }
            Call::BringUpToDate => match &mut self.kept[at] {
                None => Answer::Is(false),
                Some(kept) => {
                    let now = taken(world);
                    match ask.b % 3 {
                        0 => self.delta.find_since(kept, world),
                        1 => self.delta = Delta::since(kept, world),
                        _ => self.delta = Delta::between(kept, &now).expect("of the same things"),
                    }
                    if std::mem::replace(&mut self.is_torn[at], true) {
                        // A panic has left it half of one and half of another time.
                        assert!(self.delta.apply(kept).is_err(), "a snapshot that is torn");
                        let mut other = empty::<L>(&self.setup);
                        if kept.restore(&mut other).is_ok() {
                            look::<L>(&other);
                        }
                        kept.take_into(world).expect("something is saved");
                    } else {
                        self.delta.apply(kept).expect("it starts from there");
                    }
                    self.is_torn[at] = false;
                    Answer::Count(kept.checksum())
                }
            },
            Call::Between => match (&self.kept[at], &self.kept[other]) {
                (Some(from), Some(to)) => {
                    let delta = Delta::between(from, to).expect("of the same things");
                    let mut copy = taken(world);
                    copy.clone_from(from);
                    if delta.groups() == 0 {
                        assert_eq!(from.checksum(), to.checksum(), "no group differs");
                    }
                    delta.apply(&mut copy).expect("it starts from there");
                    assert_eq!(copy.checksum(), to.checksum(), "a difference applied");
                    assert!(delta.apply(&mut Snapshot::new()).is_err(), "to something else");
                    let mut other = empty::<L>(&self.setup);
                    put_back(&mut other, &copy);
                    Answer::Look(Box::new(look::<L>(&other)))
                }
                _ => Answer::Is(false),
            },
            _ => return None,
        })
    }

    /// The ticks that are remembered, and the next.
    fn ticks(&self) -> Answer {
        let ticks: Vec<u64> = self.history.ticks().collect();
        assert_eq!(self.history.latest(), ticks.last().copied());
        Answer::Words(format!("{ticks:?} {}", self.tick))
    }
}

/// Whether all that an image of a pool holds was written by somebody. Padding within values is
/// nobody's, and things without size and over-aligned ones have little else.
pub fn is_written<T: Piece>(pool: &Pool<T>) -> bool {
    let mut image = PoolImage::new();
    image.capture(pool);
    matches!(T::TRAITS.name, "Token" | "Block") || !poison::is_in_what(16, || image.clone())
}

/// A snapshot of now.
pub fn taken(world: &World) -> Snapshot {
    Snapshot::take(world).expect("something is saved")
}

fn note(world: &mut World, ask: &Ask) -> Answer {
    if ask.b % 4 == 0 {
        return Answer::Is(world.remove::<Notes>().is_some());
    }
    let was = world.try_resource::<Notes>().is_ok();
    if !was {
        world.insert(Notes::default());
    }
    let notes = world.resource_mut::<Notes>();
    notes.points += u64::from(ask.v);
    notes.words.push(format!("word {}", ask.v));
    notes.words.truncate(3);
    Answer::Is(was)
}

/// The last few steps, to be undone and made again.
#[derive(Default)]
pub struct Rewind {
    before: Snapshot,
    done: Vec<(Ask, Answer)>,
    most: usize,
}

impl Rewind {
    /// Whether it is time.
    pub fn is_long(&self) -> bool {
        self.done.len() >= self.most
    }

    /// Notes what the world is like before the first of some steps.
    pub fn begin(&mut self, world: &World, ask: &Ask) {
        if self.done.is_empty() {
            self.before.take_into(world).expect("something is saved");
            self.most = 1 + usize::from(ask.v) % 7;
        }
    }

    /// Notes a step.
    pub fn note(&mut self, ask: &Ask, answer: &Answer) {
        self.done.push((ask.clone(), answer.clone()));
    }

    /// What the world was like, and the steps since; `None` if there were none.
    pub fn take(&mut self) -> Option<(Snapshot, Vec<(Ask, Answer)>)> {
        let done = std::mem::take(&mut self.done);
        (!done.is_empty()).then(|| (self.before.clone(), done))
    }
}
