//! Saves as bytes and as text, into worlds of either layout, of parts, and of other versions.

use lath::prelude::*;
use lath::{Load, SaveError, SaveWorld, Write};

use super::copies::{Notes, taken};
use super::things::{Layout, POOLS, Piece};
use super::world::{empty, look, with_pool};
use super::{Setup, versions};
use crate::answer::{Answer, Ask};
use crate::poison;
use crate::program::Call;

/// How many saves, and how many texts, are kept at once.
const KEPT: usize = 3;

/// The saves that were made of a world.
#[derive(Default)]
pub struct Saves {
    /// And the checksum of the world.
    bytes: [Option<(Vec<u8>, u64)>; KEPT],
    texts: [Option<String>; KEPT],
}

/// A save of a world.
pub fn saved(world: &World) -> Vec<u8> {
    let (mut last, mut most) = (0, 0);
    let write = Write::new().progress(|done, total| (last, most) = (done, total));
    let bytes = write.to_bytes(&taken(world)).expect("everything can be saved");
    assert_eq!((last, most), (1, 1), "progress to the end");
    assert!(!poison::is_in(&bytes), "a save has memory that nobody has written");
    bytes
}

/// A world as text.
pub fn written(world: &World) -> String {
    let text = taken(world).to_text().expect("everything can be written");
    assert!(!poison::is_in_text(&text), "a text has memory that nobody has written");
    text
}

/// A new world, loaded from a save of another.
pub fn reloaded<L: Layout>(setup: &Setup, world: &World) -> World {
    let mut other = empty::<L>(setup);
    Load::new().from_bytes(&mut other, &saved(world)).expect("a save can be loaded");
    other
}

impl Saves {
    /// A save that was made earlier.
    pub fn bytes(&self, number: u16) -> Option<&[u8]> {
        let saved = self.bytes[usize::from(number) % KEPT].as_ref();
        saved.map(|(bytes, _)| &**bytes)
    }

    /// A text that was written earlier.
    pub fn text(&self, number: u16) -> Option<&str> {
        self.texts[usize::from(number) % KEPT].as_deref()
    }

    /// Makes a call, if it is about saves.
    pub fn call<L: Layout>(
        &mut self,
        setup: &Setup,
        world: &mut World,
        ask: &Ask,
    ) -> Option<Answer> {
        let at = usize::from(ask.v) % KEPT;
        Some(match ask.call {
            Call::Save => {
                let snapshot = taken(world);
                let bytes = match ask.b % 3 {
                    0 => Write::new().compressed().to_bytes(&snapshot).expect("as below"),
                    _ => saved(world),
                };
                self.bytes[at] = Some((bytes, snapshot.checksum()));
                Answer::Done
            }
            Call::Load => match &self.bytes[at] {
                None => Answer::Is(false),
                Some((bytes, _)) if ask.b % 3 == 2 => {
                    let mut other = empty::<L::Other>(setup);
                    Load::new().from_bytes(&mut other, bytes).expect("the same fields by name");
                    Answer::Look(Box::new(look::<L::Other>(&other)))
                }
                Some((bytes, checksum)) => {
                    Load::new().from_bytes(world, bytes).expect("a save of this world");
                    assert_eq!(taken(world).checksum(), *checksum, "after a load");
                    Answer::Is(true)
                }
            },
            Call::LoadPart => match &self.bytes[at] {
                None => Answer::Is(false),
                Some((bytes, _)) => load_part::<L>(setup, world, bytes, ask.b),
            },
            Call::WriteText => {
                self.texts[at] = Some(written(world));
                Answer::Done
            }
            Call::ReadText => match &self.texts[at] {
                None => Answer::Is(false),
                Some(text) => {
                    Load::new().from_text(world, text).expect("a text of this world");
                    Answer::Is(true)
                }
            },
            Call::AcrossVersions => {
                let mut back = empty::<L>(setup);
                let is_later = ask.b % 2 == 0;
                if ask.v % 2 == 0 {
                    let bytes = match is_later {
                        true => versions::later_bytes::<L>(&saved(world)),
                        false => versions::early_bytes::<L>(&saved(world)),
                    };
                    Load::new().from_bytes(&mut back, &bytes).expect("what is new is old again");
                } else {
                    let text = versions::later_text::<L>(&written(world));
                    Load::new().from_text(&mut back, &text).expect("what is new is old again");
                }
                Answer::Look(Box::new(look::<L>(&back)))
            }
            _ => return None,
        })
    }
}

/// A world that saves only some of its pools reads a save of all; and this world reads what that
/// one saves.
fn load_part<L: Layout>(setup: &Setup, world: &mut World, bytes: &[u8], which: u16) -> Answer {
    let which = which % 127 + 1;
    let mut part = empty::<L>(setup);
    // What was registered is a resource of a private type; so the pools move into another world.
    let mut other = World::new();
    for number in 0..POOLS {
        with_pool!(L, number, T => {
            other.add_pool(part.remove_pool::<T<L>>().expect("all pools are there"));
            if which >> number & 1 == 1 {
                T::<L>::register(&mut other);
            }
        });
    }
    if which >> POOLS & 1 == 1 {
        other.saves_resource::<Notes>();
    }
    if which != 127 {
        let refused = Load::new().from_bytes(&mut other, bytes);
        assert!(matches!(refused, Err(SaveError::Unknown { .. })), "{refused:?}");
    }
    Load::new().ignore_unknown().from_bytes(&mut other, bytes).expect("a part of it");
    Load::new().from_bytes(world, &saved(&other)).expect("what is not in it stays");
    Answer::Look(Box::new(look::<L>(&other)))
}
