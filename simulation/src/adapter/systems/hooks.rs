//! Hooks: what hears of things that come, go and change their tags.

use lath::TagSet;
use lath::prelude::*;

use super::{Diary, Digest, Ping, R};
use crate::adapter::pool;
use crate::adapter::things::{Layout, POOLS, Piece};
use crate::adapter::world::with_pool;
use crate::body::Body;
use crate::fuse;
use crate::spec::{Hook, Note, Owner, digest, mix};

/// Adds a hook to a world.
pub(super) fn add<L: Layout>(world: &mut World, hook: &Hook, diary: &Diary) {
    with_pool!(L, hook.pool, T => add_to::<L, T<L>>(world, hook, diary));
}

fn heard(world: &mut World, hook: &Hook, what: u64) {
    let digest = world.resource_mut::<Digest>();
    digest.0 = mix(digest.0 ^ mix(what ^ u64::from(hook.number)));
}

fn add_to<L: Layout, T: Piece>(world: &mut World, hook: &Hook, diary: &Diary) {
    let (hook, diary) = (hook.clone(), diary.clone());
    let salt = hook.salt;
    match hook.on {
        0 => world.on_spawn::<T>(move |world, handle| {
            fuse::burn();
            heard(world, &hook, handle.to_bits());
            match hook.act {
                1 => _ = world.set_tags(handle, T::tags_of((salt % 8) as u8)),
                // A pool that is crowded throws out whoever comes.
                2 if world.pool::<T>().len() > 40 => _ = world.despawn(handle),
                3 => world.send(Ping::new(u64::from(salt))),
                _ => {}
            }
        }),
        1 => world.on_despawn::<T>(move |world, handle, thing| {
            fuse::burn();
            assert!(!world.pool::<T>().contains(handle), "{handle} is told gone, and is there");
            heard(world, &hook, handle.to_bits() ^ digest(&pool::whole(thing)));
            match hook.act {
                1 => world.send(Ping::new(u64::from(salt))),
                2 => {
                    let body = Body::default();
                    let token = pool::make::<L::Token>(&body);
                    let answer = pool::spawned(&body, world.try_spawn(token));
                    diary.note(Owner::Hook(hook.number), Note::Answered(answer));
                }
                3 => world.resource_mut::<R<0>>().0 ^= u64::from(salt),
                _ => {}
            }
        }),
        _ => world.on_tags::<T>(move |world, handle, before, after| {
            fuse::burn();
            heard(world, &hook, handle.to_bits() ^ before.widen() << 32 ^ after.widen());
            if hook.act == 1 {
                world.send(Ping::new(u64::from(salt)));
            }
        }),
    }
}

/// Something happens in every pool of which hooks may have missed the rest of a panic.
pub(super) fn flush<L: Layout>(world: &mut World) {
    for number in 0..POOLS {
        with_pool!(L, number, T => {
            let first = world.pool::<T<L>>().handles().next();
            if let Some(handle) = first {
                let tags = world.pool::<T<L>>().tags(handle);
                world.set_tags(handle, tags);
            } else if let Ok(handle) = world.try_spawn(pool::make::<T<L>>(&Body::default())) {
                world.despawn(handle);
            }
        });
    }
}
