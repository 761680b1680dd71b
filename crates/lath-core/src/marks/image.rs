//! The marks of some groups, for copies of pools; `#[inline]`, to be compiled with who makes them.

use core::sync::atomic::Ordering::Relaxed;

use super::*;

impl Marks {
    /// The last tick in which some of these fields of a group may have changed. Before marks began,
    /// all did.
    #[inline]
    pub(crate) fn last(&self, group: u32, fields: u64) -> u64 {
        let mark =
            |level: &Level| level.groups.get(group as usize).map_or(0, |mark| mark.load(Relaxed));
        let known = (self.since.load(Relaxed) - 1).max(mark(&self.whole)); // what was before the first tick is not marked
        ones(fields)
            .filter_map(|field| self.fields.get(field as usize))
            .map(mark)
            .fold(known, u64::max)
    }

    /// The same for some groups in a row, raises every `step`th
    /// entry of `ticks`.
    #[inline]
    pub(crate) fn raise(&self, group: u32, fields: u64, ticks: &mut [u64], step: usize) {
        let known = self.since.load(Relaxed) - 1;
        ticks.iter_mut().step_by(step).for_each(|tick| *tick = known);
        let levels = ones(fields).filter_map(|field| self.fields.get(field as usize));
        for level in core::iter::once(&self.whole).chain(levels) {
            let marks = level.groups.get(group as usize..).unwrap_or(&[]);
            for (tick, mark) in ticks.iter_mut().step_by(step).zip(marks) {
                *tick = (*tick).max(mark.load(Relaxed));
            }
        }
    }

    /// Which of 64 groups may have changed as wholes at `since` or later: those from 64 times
    /// `sixty_four` on.
    #[inline]
    pub(crate) fn changed(&self, sixty_four: u32, since: u64) -> u64 {
        match self.since.load(Relaxed) > since {
            true => u64::MAX, // as `last` says
            false => self.whole.changed(sixty_four, since),
        }
    }

    /// In which of them some of these fields may have changed, by themselves.
    #[inline]
    pub(crate) fn changed_in(&self, sixty_four: u32, fields: u64, since: u64) -> u64 {
        let levels = ones(fields).filter_map(|field| self.fields.get(field as usize));
        levels.fold(0, |set, level| set | level.changed(sixty_four, since))
    }
}

impl Level {
    #[inline]
    fn changed(&self, sixty_four: u32, since: u64) -> u64 {
        if self.sixty_fours.get(sixty_four as usize).is_none_or(|mark| mark.load(Relaxed) < since) {
            return 0;
        }
        let marks = self.groups.iter().skip(sixty_four as usize * 64).take(64).enumerate();
        marks.fold(0, |set, (n, mark)| set | u64::from(mark.load(Relaxed) >= since) << n)
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
                    let expected = (0..64).fold(0, |set, n| {
                        set | u64::from(marks.last(sixty_four * 64 + n, fields) >= since) << n
                    });
                    let found = marks.changed(sixty_four, since)
                        | marks.changed_in(sixty_four, fields, since);
                    assert_eq!(found, expected, "{sixty_four} at step {step} of seed {seed}");
                }
            }
        }
    }
}
