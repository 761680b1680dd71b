//! Where the bytes of an image lie: block by block, and in each strip by strip.
//!
//! ```text
//! 4096 slots of a pool:  | head … |  | pos … |  | name … |  | hp … |     wherever its extents are
//! a run of an image:     | head … | pos … | hp … |                       `name` is cloned, and kept elsewhere
//! ```
//!
//! The blocks of an image are the same for every pool, so that it can be put back into any other.

use super::*;

/// Groups of a block.
pub(super) const BLOCK: u32 = 64;

/// Groups that lie in a row in the image: those of a block, from its first to the last that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first of them, by its number in the pool.
    pub(super) group: u32,
    pub(super) len: u32,
    /// Where the first is in the image.
    pub(super) at: u32,
    /// Where its bytes begin in the image.
    start: usize,
}

impl Run {
    /// Where its groups are in the image.
    pub(super) fn places(self) -> Range<usize> {
        self.at as usize..(self.at + self.len) as usize
    }

    /// The slots of groups at some of these places, counted from the first of the run.
    pub(super) fn rows_of(self, places: &Range<usize>) -> Range<usize> {
        let row = |at: usize| (at - self.at as usize) * GROUP as usize;
        row(places.start)..row(places.end)
    }

    fn rows(self) -> usize {
        (self.len * GROUP) as usize
    }
}

impl<T: Snap> Image<T> {
    /// How many bytes per slot come before each strip that is copied, and in the end how many there
    /// are.
    const BEFORE: [usize; MOST_PARTS + 1] = {
        let (mut before, mut strip, mut sum) = ([0; MOST_PARTS + 1], 0, 0);
        while strip < Self::STRIPS {
            before[strip] = sum;
            if Self::BYTES >> strip & 1 == 1 {
                sum += <T::Storage as Strips<T>>::STRIDES[strip];
            }
            strip += 1;
        }
        before[MOST_PARTS] = sum;
        before
    };

    /// Adds groups after all others.
    pub(super) fn push_run(&mut self, group: u32, len: u32) {
        let (at, start) =
            self.runs.last().map_or((0, 0), |last| (last.at + last.len, Self::end(*last)));
        self.runs.push(Run { group, len, at, start });
        self.numbers.extend(group..group + len);
    }

    /// Where the bytes of a run end.
    fn end(run: Run) -> usize {
        run.start + run.rows() * const { Self::BEFORE[MOST_PARTS] }
    }

    /// How many bytes there are in all runs.
    pub(super) fn bytes_of(runs: &[Run]) -> usize {
        runs.last().map_or(0, |last| Self::end(*last))
    }

    /// Where the element of a strip is that belongs to a slot of a run, counted from the first.
    pub(super) fn element(run: Run, strip: usize, row: usize) -> usize {
        run.start + run.rows() * const { &Self::BEFORE }[strip] + row * Self::stride(strip)
    }

    /// Where the bytes of a group are, in a strip that is copied.
    pub(super) fn group_in(run: Run, at: usize, strip: usize) -> Range<usize> {
        let start = Self::element(run, strip, (at - run.at as usize) * GROUP as usize);
        start..start + GROUP as usize * Self::stride(strip)
    }

    /// Where the bytes of groups at some places, in order, are in a strip that is copied.
    pub(super) fn groups_in(
        runs: &[Run],
        places: &[u32],
        strip: usize,
    ) -> impl Iterator<Item = Range<usize>> {
        let len = GROUP as usize * Self::stride(strip);
        // Where place 0 would be if the run went back so far.
        let (mut runs, mut origin, mut end) = (runs.iter(), 0, 0);
        places.iter().map(move |&at| {
            while at >= end {
                let Some(&run) = runs.next() else { unreachable!("every group is in a run") };
                (origin, end) = (
                    Self::element(run, strip, 0).wrapping_sub(run.at as usize * len),
                    run.at + run.len,
                );
            }
            let start = origin.wrapping_add(at as usize * len);
            start..start + len
        })
    }

    /// How many slots there are, from slot 0 on, up to the first block of which the image has
    /// nothing.
    pub(super) fn solid(&self) -> u64 {
        let (mut end, mut next) = (1, 0);
        for run in self.runs.iter().take_while(|run| {
            let follows = run.group == next;
            next = run.group + BLOCK;
            follows
        }) {
            end = u64::from(run.group + run.len) * u64::from(GROUP);
        }
        end
    }

    /// Whether a group, by its number, is the first of a block.
    pub(super) fn starts_block(number: u32) -> bool {
        number % BLOCK == 0
    }
}
