//! What users of a plain container do instead of tags and kinds: flags in each row, and an `if` in
//! each loop. For `raw`, slotmap and thunderdome; and their loops over everything.

use slotmap::{DefaultKey, SlotMap};
use thunderdome::{Arena, Index};

use crate::candidates::raw_rows::RawKey;
use crate::store::{Kinds, Movers, Tagging};
use crate::things::{Mover, Vec3};

/// A thing with flags.
struct Row<T> {
    thing: T,
    flags: u32,
}

const MATCH: u32 = 1;

impl<T> Row<T> {
    fn new(thing: T, matches: bool) -> Self {
        Self { thing, flags: if matches { MATCH } else { 0 } }
    }

    #[inline(always)]
    fn matches(&self) -> bool {
        self.flags & MATCH != 0
    }
}

struct RawRow {
    generation: u32,
    row: Row<f32>,
}

/// `raw` for tags: a bit in a row, behind the same check of the generation that everybody makes.
/// Nothing is ever taken out.
pub(crate) struct RawTagging(Vec<RawRow>);

impl RawTagging {
    #[inline(always)]
    fn row(&mut self, key: RawKey) -> Option<&mut Row<f32>> {
        self.0
            .get_mut(key.index as usize)
            .filter(|row| row.generation == key.generation)
            .map(|row| &mut row.row)
    }
}

impl Tagging for RawTagging {
    type Key = RawKey;

    fn new() -> Self {
        Self(Vec::new())
    }

    fn spawn(&mut self, data: f32) -> RawKey {
        self.0.push(RawRow { generation: 1, row: Row::new(data, false) });
        RawKey { index: self.0.len() as u32 - 1, generation: 1 }
    }

    fn tag(&mut self, keys: &[RawKey]) {
        for &key in keys {
            if let Some(row) = self.row(key) {
                row.flags |= MATCH;
            }
        }
    }

    fn untag(&mut self, keys: &[RawKey]) {
        for &key in keys {
            if let Some(row) = self.row(key) {
                row.flags &= !MATCH;
            }
        }
    }

    fn tagged(&mut self) -> usize {
        self.0.iter().filter(|row| row.row.matches()).count()
    }
}

type SlotMapOf<T> = SlotMap<DefaultKey, T>;

/// slotmap and thunderdome share these calls, but no trait.
macro_rules! candidates {
    ($map:ident, $key:ty: $movers:ident, $matching:ident, $kinds:ident, $tagging:ident) => {
        /// Movers, all of which match.
        pub(crate) struct $movers($map<Mover>);

        impl Movers for $movers {
            fn new() -> Self {
                Self($map::new())
            }

            fn spawn(&mut self, mover: Mover, _: bool) {
                self.0.insert(mover);
            }

            fn step(&mut self) {
                self.0.iter_mut().for_each(|(_, mover)| mover.step());
            }

            fn positions(&mut self, mut see: impl FnMut(Vec3)) {
                self.0.iter().for_each(|(_, mover)| see(mover.pos));
            }
        }

        /// Movers, some of which have a flag.
        pub(crate) struct $matching($map<Row<Mover>>);

        impl Movers for $matching {
            fn new() -> Self {
                Self($map::new())
            }

            fn spawn(&mut self, mover: Mover, matches: bool) {
                self.0.insert(Row::new(mover, matches));
            }

            fn step(&mut self) {
                self.0
                    .iter_mut()
                    .filter(|(_, row)| row.matches())
                    .for_each(|(_, row)| row.thing.step());
            }

            fn positions(&mut self, mut see: impl FnMut(Vec3)) {
                self.0
                    .iter()
                    .filter(|(_, row)| row.matches())
                    .for_each(|(_, row)| see(row.thing.pos));
            }
        }

        /// Things of 26 kinds in one map: the number that they have in common, the kind, and a
        /// number of its own.
        pub(crate) struct $kinds($map<(f32, usize, f32)>);

        impl Kinds for $kinds {
            fn new() -> Self {
                Self($map::new())
            }

            fn spawn(&mut self, kind: usize, data: f32) {
                self.0.insert((data, kind, 0.0));
            }

            fn scale(&mut self, by: f32) {
                self.0.iter_mut().for_each(|(_, (data, ..))| *data *= by);
            }

            fn data(&mut self, mut see: impl FnMut(f32)) {
                self.0.iter().for_each(|(_, (data, ..))| see(*data));
            }
        }

        /// Numbers whose flag comes and goes.
        pub(crate) struct $tagging($map<Row<f32>>);

        impl Tagging for $tagging {
            type Key = $key;

            fn new() -> Self {
                Self($map::new())
            }

            fn spawn(&mut self, data: f32) -> $key {
                self.0.insert(Row::new(data, false))
            }

            fn tag(&mut self, keys: &[$key]) {
                for &key in keys {
                    if let Some(row) = self.0.get_mut(key) {
                        row.flags |= MATCH;
                    }
                }
            }

            fn untag(&mut self, keys: &[$key]) {
                for &key in keys {
                    if let Some(row) = self.0.get_mut(key) {
                        row.flags &= !MATCH;
                    }
                }
            }

            fn tagged(&mut self) -> usize {
                self.0.iter().filter(|(_, row)| row.matches()).count()
            }
        }
    };
}

candidates!(SlotMapOf, DefaultKey: SlotMapMovers, SlotMapMatching, SlotMapKinds, SlotMapTagging);
candidates!(Arena, Index: ThunderdomeMovers, ThunderdomeMatching, ThunderdomeKinds, ThunderdomeTagging);
