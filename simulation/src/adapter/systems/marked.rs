//! Systems of views that filter by tags, which name their fields: written out for each layout.

use lath::prelude::*;
use lath::{Params, System};

use super::{Diary, Ping, R};
use crate::adapter::things::{First, Second, Tags, Text, first, second};
use crate::fuse;
use crate::spec::{self, Note, Owner, mix};

/// Systems that a layout has of its own.
pub trait Marked {
    /// A system of a view that filters by tags.
    fn marked(spec: &spec::System) -> System;
    /// A system of queries of two pools.
    fn two_pools(spec: &spec::System) -> System;
}

/// Several parameters in one.
#[derive(Params)]
pub struct Bundle<'w, 's> {
    from: Res<'w, R<0>>,
    to: ResMut<'w, R<1>>,
    runs: Local<'s, u64>,
    pings: EventReader<'w, Ping>,
}

/// A system of a struct of parameters, and a tuple of some.
pub fn bundle(spec: &spec::System, diary: &Diary) -> System {
    let (salt, diary, owner) = (spec.salt, diary.clone(), Owner::System(spec.number));
    (move |mut bundle: Bundle, (mut more, mut own): (ResMut<R<2>>, Local<u64>)| {
        fuse::burn();
        *bundle.runs += 1;
        *own += 2;
        diary.note(owner, Note::Local(*bundle.runs));
        diary.note(owner, Note::Local(*own));
        let waiting = bundle.pings.len() as u64;
        diary.note(owner, Note::Heard(Vec::new(), waiting));
        bundle.to.0 = mix(bundle.to.0 ^ bundle.from.0 ^ *bundle.runs ^ salt);
        more.0 = mix(more.0 ^ *own ^ waiting);
    })
    .into_system()
}

macro_rules! marked {
    ($layout:ident, $things:ident) => {
        impl Marked for $layout {
            fn marked(spec: &spec::System) -> System {
                #[derive(View)]
                #[view($things::Crew, with = Tags::A, without = Tags::B)]
                struct Crew<'a> {
                    n: &'a mut u32,
                    heat: &'a mut u32,
                    text: &'a mut Text,
                }
                #[derive(View)]
                #[view($things::Spark, with = Tags::B)]
                struct Spark<'a> {
                    n: &'a mut u32,
                    heat: &'a u32,
                }
                #[derive(View)]
                #[view($things::Ticket, without = Tags::C)]
                struct Ticket<'a> {
                    n: &'a mut u32,
                    text: &'a mut Text,
                }
                let salt = spec.salt as u32;
                match spec.pool % 3 {
                    0 => (move |mut crew: Query<Crew>| {
                        crew.each(|crew| {
                            fuse::burn();
                            *crew.n ^= salt;
                            *crew.heat = crew.heat.wrapping_add(*crew.n);
                            *crew.text = Text::of("marked");
                        });
                    })
                    .into_system(),
                    1 => (move |mut sparks: Query<Spark>| {
                        sparks.par_each(|spark| {
                            fuse::burn();
                            *spark.n = spark.n.wrapping_add(*spark.heat ^ salt);
                        });
                    })
                    .into_system(),
                    _ => (move |mut tickets: Query<Ticket>| {
                        for ticket in &mut tickets {
                            fuse::burn();
                            *ticket.n ^= salt;
                            *ticket.text = Text::of("marked");
                        }
                    })
                    .into_system(),
                }
            }

            fn two_pools(spec: &spec::System) -> System {
                let salt = spec.salt as u32;
                match spec.pool % 2 {
                    0 => (move |mut crew: Query<Mut<$things::crew::n>>,
                                ships: Query<Ref<$things::ship::n>>| {
                        fuse::burn();
                        let sum = ships.iter().fold(salt, |sum, n| sum.wrapping_mul(3) ^ *n);
                        crew.par_each(|mut n| *n ^= sum);
                    })
                    .into_system(),
                    _ => {
                        (move |mut ships: Query<(Mut<$things::ship::n>, Handle<$things::Ship>)>,
                               tickets: Query<Ref<$things::ticket::n>>,
                               crew: Query<Ref<$things::crew::heat>>| {
                            fuse::burn();
                            let sum = tickets.iter().fold(salt, |sum, n| sum.wrapping_mul(3) ^ *n);
                            let sum =
                                crew.iter().fold(sum, |sum, heat| sum.wrapping_mul(3) ^ *heat);
                            for (mut n, handle) in &mut ships {
                                *n = n.wrapping_add(sum ^ handle.index());
                            }
                        })
                        .into_system()
                    }
                }
            }
        }
    };
}

marked!(First, first);
marked!(Second, second);
