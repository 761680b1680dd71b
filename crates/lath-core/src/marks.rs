//! Change marks: when each group of 64 slots was last written to, field by field.
//!
//! A mark is a tick, kept per group, and once more per 64 groups so that what has not changed is
//! passed over quickly. Views mark the fields that they write; whoever gets a whole thing to
//! change, puts one in or takes one out, marks the whole. A mark says that a group *may* have
//! changed: it is set when access is given. Marks are set behind a shared reference, since several
//! systems may write to different fields at once; they all set the same tick.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::OutOfMemory;
use crate::slots::ones;
use crate::zeroed::extend;

pub(crate) struct Marks {
    pub(crate) tick: u64,
    /// What happened before this tick was not marked.
    since: AtomicU64,
    whole: Level,
    fields: Vec<Level>,
}

/// The marks of one field, or of whole things.
#[derive(Default)]
struct Level {
    groups: Vec<AtomicU64>,
    sixty_fours: Vec<AtomicU64>,
}

impl Marks {
    /// Marks from `tick` on.
    pub(crate) fn new(tick: u64) -> Self {
        Self { tick, since: AtomicU64::new(tick), whole: Level::default(), fields: Vec::new() }
    }

    /// Makes it possible to mark these fields one by one, in the groups before `end`. Fields for
    /// which this was not called are marked as wholes.
    pub(crate) fn prepare(&mut self, fields: u64, end: u32) {
        while self.fields.len() < 64 - fields.leading_zeros() as usize {
            if self.fields.try_reserve(1).is_err() {
                return;
            }
            let mut level = Level::default();
            _ = level.grow(end); // refused: what cannot be marked counts as changed
            self.fields.push(level);
        }
    }

    /// Makes it possible to mark the groups before `end`. If there is no memory for that, all counts
    /// as changed once a group is to be marked that has none.
    pub(crate) fn grow(&mut self, end: u32) {
        for level in self.fields.iter_mut().chain([&mut self.whole]) {
            _ = level.grow(end);
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

    /// Raises some ticks, of groups in a row, to the last tick in which some of these fields may
    /// have changed in each. Before marks began, all did.
    pub(crate) fn raise(&self, group: u32, fields: u64, ticks: &mut [u64]) {
        ticks.fill(self.since.load(Relaxed) - 1); // what was before the first tick is not marked
        let levels = ones(fields).filter_map(|field| self.fields.get(field as usize));
        for level in core::iter::once(&self.whole).chain(levels) {
            let marks = level.groups.get(group as usize..).unwrap_or(&[]);
            for (tick, mark) in ticks.iter_mut().zip(marks) {
                *tick = (*tick).max(mark.load(Relaxed));
            }
        }
    }

    /// Which of 64 groups may have changed as wholes at `since` or later: those from 64 times
    /// `sixty_four` on.
    pub(crate) fn changed(&self, sixty_four: u32, since: u64) -> u64 {
        match self.since.load(Relaxed) > since {
            true => u64::MAX, // as `last` says
            false => self.whole.changed(sixty_four, since),
        }
    }

    /// In which of them some of these fields may have changed, by themselves.
    pub(crate) fn changed_in(&self, sixty_four: u32, fields: u64, since: u64) -> u64 {
        let levels = ones(fields).filter_map(|field| self.fields.get(field as usize));
        levels.fold(0, |set, level| set | level.changed(sixty_four, since))
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
    fn grow(&mut self, end: u32) -> Result<(), OutOfMemory> {
        extend(&mut self.sixty_fours, end.div_ceil(64) as usize)?;
        extend(&mut self.groups, end as usize)
    }

    /// Sets the mark of a group; `None` if there is no memory.
    fn mark(&self, group: u32, tick: u64) -> Option<()> {
        let (mark, above) =
            (self.groups.get(group as usize)?, self.sixty_fours.get(group as usize / 64)?);
        mark.store(tick, Relaxed);
        above.store(tick, Relaxed);
        Some(())
    }

    fn changed(&self, sixty_four: u32, since: u64) -> u64 {
        if self.sixty_fours.get(sixty_four as usize).is_none_or(|mark| mark.load(Relaxed) < since) {
            return 0;
        }
        let marks = self.groups.iter().skip(sixty_four as usize * 64).take(64).enumerate();
        marks.fold(0, |set, (n, mark)| set | u64::from(mark.load(Relaxed) >= since) << n)
    }

    fn next(&self, tick: u64, from: u32) -> Option<u32> {
        let mut group = from as usize;
        loop {
            if self.sixty_fours.get(group / 64)?.load(Relaxed) <= tick {
                group = (group / 64 + 1) * 64;
            } else if self.groups.get(group)?.load(Relaxed) > tick {
                return Some(group as u32);
            } else {
                group += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_64_groups_is_what_is_said_of_each() {
        for seed in 0..4 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut marks = Marks::new(1 + seed % 2);
            marks.grow(6000);
            marks.prepare(0b1011, 6000);
            for step in 0..300 {
                marks.tick += u64::from(random.u8(..4) == 0);
                let group = [random.u32(..300), random.u32(..300), 5000 + random.u32(..70)]
                    [random.usize(..3)];
                match random.bool() {
                    true => marks.mark(group),
                    false => marks.mark_fields(group, random.u64(..16)),
                }
                let (since, fields) =
                    (marks.tick.saturating_sub(random.u64(..5)), random.u64(..16));
                for sixty_four in (0..6).chain(77..80) {
                    let mut ticks = [0; 64];
                    marks.raise(sixty_four * 64, fields, &mut ticks);
                    let expected =
                        (0..64).fold(0, |set, n| set | u64::from(ticks[n as usize] >= since) << n);
                    let found = marks.changed(sixty_four, since)
                        | marks.changed_in(sixty_four, fields, since);
                    assert_eq!(found, expected, "{sixty_four} at step {step} of seed {seed}");
                }
            }
        }
    }
}
