//! Saves and texts that somebody has damaged: an error and nothing changed, or a world that is
//! whole.

use lath::prelude::*;
use lath::{Load, Snapshot};
use xxhash_rust::xxh3::xxh3_64;

use super::Setup;
use super::copies::put_back;
use super::saves::{Saves, reloaded, saved, written};
use super::things::Layout;
use super::world::{empty, look};
use crate::answer::{Answer, Ask};
use crate::program::Call;

/// Where the body of a save begins; before it stand the checksum of the body and that of the
/// header.
const BODY: usize = 48;

/// Makes a call, if it is about damaged files.
pub fn call<L: Layout>(
    setup: &Setup,
    saves: &Saves,
    world: &mut World,
    ask: &Ask,
) -> Option<Answer> {
    if ask.call != Call::Garbage {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(u64::from(ask.v) << 16 | u64::from(ask.b));
    for _ in 0..4 {
        match random.u8(..3) {
            0 => damaged_save::<L>(setup, saves, world, &mut random),
            1 => damaged_body::<L>(setup, world, &mut random),
            _ => damaged_text::<L>(setup, saves, world, &mut random),
        }
    }
    Some(Answer::Done)
}

/// Checksums notice whatever is changed.
fn damaged_save<L: Layout>(
    setup: &Setup,
    saves: &Saves,
    world: &mut World,
    random: &mut fastrand::Rng,
) {
    let whole = saved(world);
    let mut bytes = whole.clone();
    damage(&mut bytes, saves.bytes(random.u16(..3)), random);
    let is_one = bytes == whole || (0..3).any(|number| saves.bytes(number) == Some(&*bytes));
    let result = Load::new().snapshot_from_bytes(world, &bytes);
    assert_eq!(result.is_ok(), is_one, "a damaged save");
    if let Ok(snapshot) = result {
        use_it::<L>(setup, &snapshot);
    }
}

/// What is behind the checksums: the same with checksums that are right.
fn damaged_body<L: Layout>(setup: &Setup, world: &mut World, random: &mut fastrand::Rng) {
    let whole = saved(world);
    let mut body = whole[BODY..].to_vec();
    damage(&mut body, Some(&whole[BODY..]), random);
    if let Ok(snapshot) = Load::new().snapshot_from_bytes(world, &sealed(&whole, &body)) {
        use_it::<L>(setup, &snapshot);
    }
}

/// A save with another body.
fn sealed(whole: &[u8], body: &[u8]) -> Vec<u8> {
    let mut save = whole[..16].to_vec();
    let len = (body.len() as u64).to_le_bytes();
    save.extend(len.into_iter().chain(len).chain(xxh3_64(body).to_le_bytes()));
    save.extend(xxh3_64(&save).to_le_bytes());
    save.extend(body);
    save
}

fn damaged_text<L: Layout>(
    setup: &Setup,
    saves: &Saves,
    world: &mut World,
    random: &mut fastrand::Rng,
) {
    let mut bytes = written(world).into_bytes();
    damage(&mut bytes, saves.text(random.u16(..3)).map(str::as_bytes), random);
    let Ok(text) = String::from_utf8(bytes) else { return };
    let mut other = reloaded::<L>(setup, world);
    let before = look::<L>(&other);
    match Load::new().from_text(&mut other, &text) {
        Ok(()) => use_it::<L>(setup, &Snapshot::take(&other).expect("something is saved")),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(look::<L>(&other) == before, "changed by a text that was refused: {error}");
        }
    }
}

/// A world that came of it is whole: it can be looked at, saved and loaded.
fn use_it<L: Layout>(setup: &Setup, snapshot: &Snapshot) {
    let mut other = empty::<L>(setup);
    if snapshot.restore(&mut other).is_err() {
        return; // more slots than a pool has
    }
    let seen = look::<L>(&other);
    let again = reloaded::<L>(setup, &other);
    assert!(look::<L>(&again) == seen, "saved and loaded");
    put_back(&mut other, &Snapshot::take(&again).expect("something is saved"));
    assert!(look::<L>(&other) == seen, "put back");
}

/// Flips, cuts off, doubles, splices.
pub fn damage(bytes: &mut Vec<u8>, other: Option<&[u8]>, random: &mut fastrand::Rng) {
    let at = random.usize(..bytes.len());
    match random.u8(..8) {
        0 => bytes.truncate(at),
        1 => {
            let end = (at + random.usize(..40)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = random.usize(..bytes.len());
            bytes.splice(to..to, piece);
        }
        2 => {
            let other = other.unwrap_or_default();
            let from = at.min(other.len());
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
        3 => {
            let end = (at + random.usize(..40)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => bytes[at] = random.u8(..),
        _ => {
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bytes.len());
                bytes[at] ^= 1 << random.u8(..8);
            }
        }
    }
}
