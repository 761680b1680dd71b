//! lath by views: `each` with an ordinary closure, and tags. The same code for rows and for
//! columns.

use lath_core::{Handle, Mut, Pool, Ref, View};

use crate::store::{self, Movers, Tagging};
use crate::things::{
    ColumnKindred, ColumnLabelled, ColumnMarked, ColumnMover, DT, Kindred, Labelled, Mark, Marked,
    Mover, Vec3, column_kindred, column_marked, column_mover, kindred, marked, mover,
};

macro_rules! movers {
    ($(#[$about:meta])* $candidate:ident, $thing:ident, $field:ident) => {
        $(#[$about])*
        pub(crate) struct $candidate(Pool<$thing>);

        impl Movers for $candidate {
            fn new() -> Self {
                Self(Pool::new())
            }

            fn spawn(&mut self, mover: Mover, _: bool) {
                self.0.spawn(mover.into());
            }

            fn step(&mut self) {
                self.0.view_mut::<(Mut<$field::pos>, Ref<$field::vel>)>().each(|(mut pos, vel)| *pos += *vel * DT);
            }

            fn positions(&mut self, mut see: impl FnMut(Vec3)) {
                self.0.view::<Ref<$field::pos>>().iter().for_each(|pos| see(*pos));
            }
        }
    };
}

movers!(
    /// Movers in rows.
    LathRowMovers, Mover, mover
);
movers!(
    /// Movers in columns.
    LathColumnMovers, ColumnMover, column_mover
);

macro_rules! matching {
    ($(#[$about:meta])* $matching:ident, $view:ident, $thing:ident) => {
        #[derive(View)]
        #[view($thing, with = Mark::MATCH)]
        struct $view<'a> {
            pos: &'a mut Vec3,
            vel: &'a Vec3,
        }

        $(#[$about])*
        pub(crate) struct $matching(Pool<$thing>);

        impl Movers for $matching {
            fn new() -> Self {
                Self(Pool::new())
            }

            fn spawn(&mut self, mover: Mover, matches: bool) {
                self.0.spawn(Marked::new(mover, matches).into());
            }

            fn step(&mut self) {
                self.0.view_mut::<$view>().each(|one| *one.pos += *one.vel * DT);
            }

            fn positions(&mut self, mut see: impl FnMut(Vec3)) {
                self.0.view_mut::<$view>().each(|one| see(*one.pos));
            }
        }
    };
}

matching!(
    /// Movers, some of which have a tag, in rows.
    LathRowMatching, MatchingRow, Marked
);
matching!(
    /// Movers, some of which have a tag, in columns.
    LathColumnMatching, MatchingColumn, ColumnMarked
);

macro_rules! kinds {
    ($(#[$about:meta])* $candidate:ident, $thing:ident, $field:ident) => {
        $(#[$about])*
        pub(crate) struct $candidate(Pool<$thing>);

        impl store::Kinds for $candidate {
            fn new() -> Self {
                Self(Pool::new())
            }

            fn spawn(&mut self, kind: usize, data: f32) {
                self.0.spawn(Kindred::new(kind, data).into());
            }

            fn scale(&mut self, by: f32) {
                self.0.view_mut::<Mut<$field::data>>().each(|mut data| *data *= by);
            }

            fn data(&mut self, mut see: impl FnMut(f32)) {
                self.0.view::<Ref<$field::data>>().iter().for_each(|data| see(*data));
            }
        }
    };
}

kinds!(
    /// 26 kinds as one struct with tags, in rows.
    LathRowKinds, Kindred, kindred
);
kinds!(
    /// 26 kinds as one struct with tags, in columns.
    LathColumnKinds, ColumnKindred, column_kindred
);

macro_rules! tagging {
    ($(#[$about:meta])* $tagging:ident, $thing:ident) => {
        $(#[$about])*
        pub(crate) struct $tagging(Pool<$thing>);

        impl Tagging for $tagging {
            type Key = Handle<$thing>;

            fn new() -> Self {
                Self(Pool::new())
            }

            fn spawn(&mut self, data: f32) -> Self::Key {
                self.0.spawn(Labelled::new(data).into())
            }

            fn tag(&mut self, keys: &[Self::Key]) {
                for &key in keys {
                    self.0.insert_tags(key, Mark::MATCH);
                }
            }

            fn untag(&mut self, keys: &[Self::Key]) {
                for &key in keys {
                    self.0.remove_tags(key, Mark::MATCH);
                }
            }

            fn tagged(&mut self) -> usize {
                self.0.count_tagged(Mark::MATCH)
            }
        }
    };
}

tagging!(
    /// Numbers whose tag comes and goes, in rows.
    LathRowTagging, Labelled
);
tagging!(
    /// Numbers whose tag comes and goes, in columns.
    LathColumnTagging, ColumnLabelled
);
