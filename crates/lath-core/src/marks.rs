//! Change marks: when each group of 64 slots was last written to, field by field.
//!
//! A mark is a tick, kept per group, and once more per 64 groups so that what has not changed is
//! passed over quickly. Views mark the fields that they write; whoever gets a whole thing to
//! change, puts one in or takes one out, marks the whole. A mark says that a group *may* have
//! changed: it is set when access is given. Marks are set behind a shared reference, since several
//! systems may write to different fields at once; they all set the same tick.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::blocks::Coarse;
use crate::slots::ones;

mod image;

pub(crate) struct Marks {
    pub(crate) tick: u64,
    /// What happened before this tick was not marked.
    since: AtomicU64,
    whole: Level,
    fields: Vec<Level>,
}

/// The marks of one field, or of whole things.
struct Level {
    groups: Coarse<AtomicU64>,
    sixty_fours: Coarse<AtomicU64>,
}

impl Marks {
    /// Marks from `tick` on.
    pub(crate) fn new(tick: u64) -> Self {
        Self { tick, since: AtomicU64::new(tick), whole: Level::new(), fields: Vec::new() }
    }

    /// Makes it possible to mark these fields one by one. Fields for which this was not called are
    /// marked as wholes.
    pub(crate) fn prepare(&mut self, fields: u64) {
        while self.fields.len() < 64 - fields.leading_zeros() as usize {
            self.fields.push(Level::new());
        }
    }

    /// Marks a group as a whole.
    pub(crate) fn mark(&self, group: u32) {
        self.note(self.whole.mark(group, self.tick));
    }

    /// Marks some fields of a group.
    pub(crate) fn mark_fields(&self, group: u32, fields: u64) {
        for field in ones(fields) {
            let level = self.fields.get(field as usize).unwrap_or(&self.whole);
            self.note(level.mark(group, self.tick));
        }
    }

    /// If there was no memory for a mark, all counts as changed from now on.
    fn note(&self, marked: Option<()>) {
        if marked.is_none() {
            self.since.store(u64::MAX, Relaxed);
        }
    }

    /// The first group at `from` or later in which the field may have changed after `tick`.
    pub(crate) fn next_changed(&self, field: usize, tick: u64, from: u32) -> Option<u32> {
        if tick < self.since.load(Relaxed) {
            return Some(from);
        }
        let whole = self.whole.next(tick, from);
        let field = self.fields.get(field).and_then(|field| field.next(tick, from));
        match (whole, field) {
            (Some(whole), Some(field)) => Some(whole.min(field)),
            (one, other) => one.or(other),
        }
    }
}

impl Level {
    const fn new() -> Self {
        Self { groups: Coarse::new(), sixty_fours: Coarse::new() }
    }

    /// Sets the mark of a group; `None` if there is no memory.
    fn mark(&self, group: u32, tick: u64) -> Option<()> {
        if self.groups.get(group).is_none() {
            let block = Coarse::<AtomicU64>::bounds(group);
            self.sixty_fours.grow_all(block.start() / 64..=block.end() / 64).ok()?;
            self.groups.grow(group).ok()?;
        }
        self.groups.get(group)?.store(tick, Relaxed);
        self.sixty_fours.get(group / 64)?.store(tick, Relaxed);
        Some(())
    }

    fn next(&self, tick: u64, from: u32) -> Option<u32> {
        let mut group = from;
        loop {
            let Some(sixty_four) = self.sixty_fours.get(group / 64) else {
                // No memory here; there may be marks further on.
                group = Coarse::<AtomicU64>::bounds(group / 64)
                    .end()
                    .checked_add(1)?
                    .checked_mul(64)?;
                continue;
            };
            if sixty_four.load(Relaxed) <= tick {
                group = (group / 64 + 1).checked_mul(64)?;
            } else if self.groups.get(group).is_some_and(|mark| mark.load(Relaxed) > tick) {
                return Some(group);
            } else {
                group = group.checked_add(1)?;
            }
        }
    }
}
