//! Where the bytes of an image lie: run by run, and in each run as in a block of the pool.
//!
//! ```text
//! a block of a pool:   | head … |  | pos … |  | name … |  | hp … |     with a few cache lines between them
//! a run of an image:   | head … |  | pos … |  | hp … |                 `name` is cloned, and kept elsewhere
//!                      '------ span -------'  ' span '
//! ```
//!
//! A *span* is what lies together in both. So where a run is a whole block it is copied span by
//! span, with what is between the strips: mostly all of it at once. Less than a block is copied
//! strip by strip, and so are blocks that the pool has made together.

use super::*;

/// Groups that lie in a row, in the pool and in the image. A run does not cross the end of a block.
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

/// How the strips of a run lie in an image.
struct Shape {
    /// How many bytes per slot come before each strip.
    before: [usize; MOST_PARTS],
    /// How many bytes per slot there are, and how many besides.
    size: (usize, usize),
    /// The first strip of each span, a bit for each.
    spans: u128,
    /// The last strip of the span that begins with each of those.
    last: [u8; MOST_PARTS],
}

impl<T: Snap> Image<T> {
    const SHAPE: Shape = {
        let (order, strides) =
            (<T::Storage as Strips<T>>::ORDER, <T::Storage as Strips<T>>::STRIDES);
        let mut shape =
            Shape { before: [0; MOST_PARTS], size: (0, 0), spans: 0, last: [0; MOST_PARTS] };
        let (mut n, mut span) = (0, None);
        while n < Self::STRIPS {
            let strip = order[n] as usize;
            if Self::BYTES >> strip & 1 == 1 {
                let first = match span {
                    Some(first) => first,
                    None => strip,
                };
                shape.before[strip] = shape.size.0;
                shape.size =
                    (shape.size.0 + strides[strip], <T::Storage as Strips<T>>::SHIFTS[strip]);
                shape.spans |= 1 << first;
                shape.last[first] = strip as u8;
                span = Some(first);
            } else {
                span = None;
            }
            n += 1;
        }
        shape
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
        let (per_slot, besides) = const { Self::SHAPE.size };
        run.start + run.rows() * per_slot + besides
    }

    /// How many bytes there are in all runs.
    pub(super) fn bytes_of(runs: &[Run]) -> usize {
        runs.last().map_or(0, |last| Self::end(*last))
    }

    /// Where the element of a strip is that belongs to a slot of a run, counted from the first.
    fn element(run: Run, strip: usize, row: usize) -> usize {
        let shift = <T::Storage as Strips<T>>::SHIFTS[strip];
        run.start
            + run.rows() * const { &Self::SHAPE }.before[strip]
            + shift
            + row * Self::stride(strip)
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

    /// What has to be copied for some slots of a run, counted from the first: in pieces that lie
    /// alike in the pool and in the image. Of each, the strip that it begins in and where in the
    /// image it is.
    pub(super) fn pieces(
        run: Run,
        rows: Range<usize>,
        values: &T::Storage,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + use<T> {
        let whole =
            rows == (0..run.rows()) && Self::is_block(run) && values.is_apart(run.group * GROUP);
        let Shape { spans, last, .. } = const { &Self::SHAPE };
        let firsts = if whole { *spans } else { Self::BYTES };
        (0..Self::STRIPS).filter(move |strip| firsts >> strip & 1 == 1).map(move |first| {
            let last = if whole { last[first].into() } else { first };
            (first, Self::element(run, first, rows.start)..Self::element(run, last, rows.end))
        })
    }

    /// How many slots there are, from slot 0 on, up to the first block of which the image has
    /// nothing.
    pub(super) fn solid(&self) -> u64 {
        let (mut end, mut next) = (1, 0);
        for run in &self.runs {
            if u64::from(run.group * GROUP) != next {
                break;
            }
            end = u64::from(run.group + run.len) * u64::from(GROUP);
            next += u64::from(T::Storage::run_len(run.group * GROUP));
        }
        end
    }

    /// Whether a run is all of a block.
    fn is_block(run: Run) -> bool {
        Self::starts_block(run.group)
            && T::Storage::run_len(run.group * GROUP) as usize == run.rows()
    }

    /// Whether a group, by its number, is the first of a block.
    pub(super) fn starts_block(number: u32) -> bool {
        number == 0 || T::Storage::run_len(number * GROUP - 1) == 1
    }
}
