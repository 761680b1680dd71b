//! Sorting a little at a time: a merge sort that can be interrupted.

use std::cmp::Ordering;
use std::collections::VecDeque;

/// How many entries are sorted, or merged, in one step.
const CHUNK: usize = 2048;

/// What things are sorted by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    Number(f64),
    Text(String),
    /// Last, in whatever order is asked for.
    Nothing,
}

impl Key {
    fn compare(&self, other: &Self, descending: bool) -> Ordering {
        let order = match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Nothing, Self::Nothing) => Ordering::Equal,
            (Self::Nothing, _) => return Ordering::Greater,
            (_, Self::Nothing) => return Ordering::Less,
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        };
        if descending { order.reverse() } else { order }
    }
}

/// Something to be sorted: a key and a handle.
type Entry = (Key, u64);

/// Entries in order, in chunks that are turned around: the next one is the last of the first chunk.
/// No chunk is empty.
type Run = VecDeque<Vec<Entry>>;

/// A sort that is under way. Entries that compare as equal stay in their order.
///
/// Everything is in chunks, so that nothing ever has to be done to all entries at once: not even to
/// move or to drop them.
pub(crate) struct Sort {
    descending: bool,
    /// Chunks as they came, the one that is being filled last.
    unsorted: VecDeque<Vec<Entry>>,
    /// Runs of this round, and of the next.
    runs: VecDeque<Run>,
    merged: VecDeque<Run>,
    /// Two runs, and what has been merged of them: whole chunks, and one that is being filled.
    merging: Option<(Run, Run, Run, Vec<Entry>)>,
    handles: Handles,
}

impl Sort {
    pub(crate) fn new(descending: bool) -> Self {
        let (unsorted, runs, merged) = Default::default();
        Self { descending, unsorted, runs, merged, merging: None, handles: Handles::default() }
    }

    /// Adds an entry, before the first step.
    pub(crate) fn push(&mut self, key: Key, bits: u64) {
        match self.unsorted.back_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push((key, bits)),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push((key, bits));
                self.unsorted.push_back(chunk);
            }
        }
    }

    /// Does a bit of the work. Answers whether all is done.
    pub(crate) fn step(&mut self) -> bool {
        if let Some(mut chunk) = self.unsorted.pop_front() {
            let descending = self.descending;
            chunk.sort_by(|one, other| one.0.compare(&other.0, descending));
            chunk.reverse();
            self.runs.push_back([chunk].into());
            return false;
        }
        if self.merging.is_some() {
            self.merge();
            return false;
        }
        match (self.runs.pop_front(), self.runs.pop_front()) {
            (Some(left), Some(right)) => {
                self.merging = Some((left, right, Run::new(), Vec::with_capacity(CHUNK)));
                false
            }
            (Some(last), None) if !self.merged.is_empty() => {
                self.merged.push_back(last);
                false
            }
            // All in one run: its handles are what is wanted.
            (Some(mut last), None) => {
                for chunk in last.drain(..last.len().min(4)) {
                    chunk.into_iter().rev().for_each(|(_, bits)| self.handles.push(bits));
                }
                let done = last.is_empty();
                if !done {
                    self.runs.push_back(last);
                }
                done
            }
            _ if self.merged.is_empty() => true,
            _ => {
                self.runs = std::mem::take(&mut self.merged);
                false
            }
        }
    }

    /// Merges a chunk of two runs.
    fn merge(&mut self) {
        let Some((left, right, whole, chunk)) = &mut self.merging else { return };
        for _ in 0..CHUNK {
            let take_left = match (peek(left), peek(right)) {
                (Some(one), Some(other)) => {
                    one.compare(other, self.descending) != Ordering::Greater
                }
                (one, _) => one.is_some(),
            };
            let from = if take_left { &mut *left } else { &mut *right };
            let Some(entry) = pop(from) else { break };
            chunk.push(entry);
            if chunk.len() == CHUNK {
                let mut full = std::mem::replace(chunk, Vec::with_capacity(CHUNK));
                full.reverse();
                whole.push_back(full);
            }
        }
        if left.is_empty() && right.is_empty() {
            if let Some((_, _, mut whole, mut chunk)) = self.merging.take() {
                if !chunk.is_empty() {
                    chunk.reverse();
                    whole.push_back(chunk);
                }
                self.merged.push_back(whole);
            }
        }
    }

    /// The handles, in order, after the last step.
    pub(crate) fn into_handles(self) -> Handles {
        self.handles
    }
}

fn peek(run: &Run) -> Option<&Key> {
    run.front().and_then(|chunk| chunk.last()).map(|entry| &entry.0)
}

fn pop(run: &mut Run) -> Option<Entry> {
    let chunk = run.front_mut()?;
    let entry = chunk.pop();
    if chunk.is_empty() {
        run.pop_front();
    }
    entry
}

/// Many handles, in chunks.
#[derive(Default)]
pub(crate) struct Handles {
    chunks: Vec<Vec<u64>>,
}

impl Handles {
    pub(crate) fn push(&mut self, bits: u64) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(bits),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(bits);
                self.chunks.push(chunk);
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub(crate) fn get(&self, at: usize) -> Option<u64> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(list: Vec<(Key, u64)>, descending: bool) -> Vec<u64> {
        let mut sort = Sort::new(descending);
        list.into_iter().for_each(|(key, bits)| sort.push(key, bits));
        while !sort.step() {}
        let handles = sort.into_handles();
        assert_eq!(handles.get(handles.len()), None);
        (0..handles.len()).map(|at| handles.get(at).unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn it_sorts_as_the_standard_library_does(length in 0usize..20_000, seed: u64, descending: bool) {
            let mut state = seed | 1;
            let list: Vec<(Key, u64)> = (0..length as u64).map(|at| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let key = match state % 5 {
                    0 => Key::Nothing,
                    1 => Key::Text((state % 7).to_string()),
                    2 => Key::Number(f64::NAN),
                    _ => Key::Number((state % 100) as f64),
                };
                (key, at)
            }).collect();
            let mut expected = list.clone();
            expected.sort_by(|one, other| one.0.compare(&other.0, descending));
            let expected: Vec<u64> = expected.into_iter().map(|(_, at)| at).collect();
            prop_assert_eq!(run(list, descending), expected);
        }
    }

    #[test]
    fn nothing_comes_last_both_ways() {
        let list = || vec![(Key::Nothing, 1), (Key::Number(2.0), 2), (Key::Number(1.0), 3)];
        assert_eq!(run(list(), false), [3, 2, 1]);
        assert_eq!(run(list(), true), [2, 3, 1]);
        assert_eq!(run(Vec::new(), true), Vec::<u64>::new());
    }
}
