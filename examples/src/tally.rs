//! What has happened so far: systems send notes, and the ledger adds it up.

use lath::prelude::*;
use serde::{Deserialize, Serialize};

/// How often something has happened in a tick: an event.
///
/// Each system counts for itself and sends the sum as a command. If all of them wrote to one
/// `Tally`, they would have to wait for each other.
pub(crate) struct Note(pub(crate) News, pub(crate) u64);

/// Something that is worth counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    Mined,
    Stored,
    Bought,
    Sold,
    Eaten,
    Used,
    Fetched,
    /// Bags that were torn; what was in them was adopted.
    Torn,
    Born,
    Died,
    Built,
    Crashed,
    /// Things that nobody picked up in time.
    Rotten,
    /// Slots that were used again.
    Reused,
    /// Handles of targets, of offers and of riders that were good and turned out to be stale.
    StaleTargets,
    StaleOffers,
    StaleRiders,
    /// Things that somebody else had picked up before.
    TooLate,
    /// Lookups that found the thing that was meant, and another one: there are none of those.
    Confirmed,
    Mistaken,
}

impl News {
    const COUNT: usize = Self::Mistaken as usize + 1;
}

/// How often everything has happened.
#[derive(Clone, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally([u64; News::COUNT]);

impl Tally {
    pub(crate) fn of(&self, news: News) -> u64 {
        self.0[news as usize]
    }

    pub(crate) fn add(&mut self, news: News, count: u64) {
        self.0[news as usize] += count;
    }
}

/// Reads the notes. Comes last, so that none is unread when the colony is saved.
pub(crate) fn ledger(mut notes: EventReader<Note>, mut tally: ResMut<Tally>) {
    for &Note(news, count) in notes.read() {
        tally.add(news, count);
    }
}
