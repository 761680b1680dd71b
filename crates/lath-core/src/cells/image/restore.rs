#![expect(
    unsafe_code,
    reason = "writes to the memory of slots, of which it knows which hold values"
)]
//! Putting the image of a pool back.

use core::fmt;

use super::*;

/// Why an image cannot be put back into a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The image is of nothing: it was never taken, or a panic has interrupted that.
    Empty,
    /// The pool cannot have as many slots as the image uses.
    TooSmall {
        /// The last slot that the image uses.
        slot: u32,
        /// The last slot that the pool can have.
        limit: u32,
    },
    /// Memory was refused.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => out.write_str(
                "there is nothing to put back: the snapshot was never taken, or not to the end",
            ),
            Self::TooSmall { slot, limit } => write!(
                out,
                "slot {slot} is in use, but the pool has {limit} slots at most: make it larger before putting this back"
            ),
            Self::OutOfMemory(error) => error.fmt(out),
        }
    }
}

impl core::error::Error for RestoreError {}

impl From<OutOfMemory> for RestoreError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

/// Drops what was cloned into slots that are not in use yet, if a later `Clone` panics.
struct Filling<'a, T: Snap> {
    cells: &'a Cells<T>,
    image: &'a Image<T>,
    /// The field that is being filled, and the group.
    field: usize,
    at: usize,
    /// The slots of that group that are filled.
    done: u64,
}

impl<T: Snap> Filling<'_, T> {
    /// Clones every field that has to be cloned into the slots that get a value.
    fn fill(mut self) {
        while self.field < self.image.kept.len() {
            while self.at < self.image.numbers.len() {
                let (first, slots) =
                    (self.cells.first_place(self.image.numbers[self.at]), self.new_slots(self.at));
                // SAFETY: the first place of a group of this storage. The slots hold no value, so
                // that nobody uses their memory: the caller of `restore` has the pool exclusively.
                unsafe {
                    self.image.kept[self.field].fill(
                        self.at,
                        &self.cells.values,
                        first,
                        slots,
                        &mut self.done,
                    )
                };
                self.at += 1;
                self.done = 0;
            }
            self.field += 1;
            self.at = 0;
        }
        // Last, as are the bitmaps: if a `Clone` panics, tags are what they were.
        for at in 0..self.image.numbers.len() {
            self.cells.put_tags(self.image, at, self.image.held(at));
        }
        core::mem::forget(self);
    }

    /// The slots of a group that get a value and have none.
    fn new_slots(&self, at: usize) -> u64 {
        self.image.held(at) & !self.cells.held_in(self.image.numbers[at])
    }
}

impl<T: Snap> Drop for Filling<'_, T> {
    fn drop(&mut self) {
        for (field, kept) in self.image.kept.iter().enumerate().take(self.field + 1) {
            for at in 0..self.image.numbers.len() {
                let slots = match (field, at) {
                    before if before < (self.field, self.at) => self.new_slots(at),
                    here if here == (self.field, self.at) => self.done,
                    _ => break,
                };
                // SAFETY: the first place of a group of this storage; `fill` has put values there,
                // and nobody has them.
                unsafe {
                    kept.undo(
                        &self.cells.values,
                        self.cells.first_place(self.image.numbers[at]),
                        slots,
                    )
                };
            }
        }
    }
}

impl<T: Snap> Image<T> {
    /// The groups before `end` that the image does not have.
    fn gaps(&self, end: u64) -> impl Iterator<Item = Range<u32>> {
        let starts = core::iter::once(0).chain(self.runs.iter().map(|run| run.group + run.len));
        let ends = self.runs.iter().map(|run| run.group).chain(core::iter::once(end as u32)); // there are 2^26 groups
        starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end)
    }
}

impl<T: Snap> Cells<T> {
    /// The slots of a group that hold a value, slot 0 not counted.
    pub(crate) fn held_in(&self, number: u32) -> u64 {
        let [_, live, claimed, buried] = self.slots.group(number);
        let staged =
            ones(claimed).filter(|bit| self.main_stamp(number * GROUP + bit).is_some_and(is_live));
        live | buried | staged.fold(0, |set, bit| set | 1 << bit)
    }

    /// Whether the slots of an image fit, and makes memory for them.
    pub(crate) fn make_room_for(&mut self, image: &Image<T>) -> Result<(), RestoreError> {
        if image.numbers.first() != Some(&0) {
            return Err(RestoreError::Empty);
        }
        let limit = self.slots.limit();
        let mut taken = (0..image.numbers.len()).map(|at| (image.numbers[at], image.words(at)[0]));
        if let Some((number, taken)) = taken.rfind(|(_, taken)| *taken != 0) {
            let slot = number * GROUP + (63 - taken.leading_zeros());
            if u64::from(slot) >= limit {
                return Err(RestoreError::TooSmall { slot, limit: (limit - 1) as u32 });
            }
        }
        self.settle()?;
        self.values.memory_mut().reserve(image.solid())?;
        // The last first: what grows does so once.
        let last = image.numbers.last().map(|number| number * GROUP);
        let old = image.old.iter().map(|(index, _)| *index);
        if let Some(last) = old.filter(|&index| u64::from(index) < limit).chain(last).max() {
            self.make_room(last)?;
        }
        for &number in &image.numbers {
            self.make_room(number * GROUP)?;
        }
        for &(index, _) in image.old.iter().filter(|(index, _)| u64::from(*index) < limit) {
            self.make_room(index)?;
        }
        if Self::TAGGED {
            let last = (self.memory() - 1) as u32;
            let last =
                image.numbers.last().map_or(last, |number| last.max(number * GROUP + GROUP - 1));
            if !self.tags.has_room(last, image.tags) {
                self.tags.grow(last, image.tags)?;
            }
            if self.clustered {
                let mut before = None;
                for owner in (0..image.numbers.len()).map(|at| image.owner(at)) {
                    let new = owner.filter(|_| owner != before);
                    if let Some(tags) = new.filter(|&tags| !self.clusters.has_room(last, tags)) {
                        self.clusters.grow_for(tags, last)?;
                    }
                    before = owner;
                }
            }
        }
        Ok(())
    }

    /// Makes the slots and values what the image says. There is room, and no slot holds a value
    /// where the image has none, if values have to be dropped.
    ///
    /// If a `Clone` panics, some values are those of the image and others are not, and nothing else
    /// has changed.
    ///
    /// `since` is the first tick that is later than the image, if that is of this pool: what has
    /// not been changed since then is left alone.
    pub(crate) fn restore(&mut self, image: &Image<T>, since: Option<u64>) {
        if Image::<T>::CLONED != 0 {
            for (at, &number) in image.numbers.iter().enumerate() {
                if !self.differs(image, at, since) {
                    continue;
                }
                let both = image.held(at) & self.held_in(number);
                let first = self.first_place(number);
                for kept in &image.kept {
                    // SAFETY: the first place of a group of this storage; the slots hold values
                    // (`held_in`), and nobody else uses them (`&mut self`).
                    unsafe { kept.assign(at, &self.values, first, both) };
                }
            }
            Filling { cells: self, image, field: 0, at: 0, done: 0 }.fill();
        }
        // From here on no code of the user's runs, so nothing panics.
        // The last run first: if the image was taken just now, that one is still in the cache.
        for &run in image.runs.iter().rev() {
            self.paste_run(image, run, since);
        }
        self.restore_old_stamps(image);
        self.restore_states(image);
        if Self::TAGGED {
            self.restore_tags(image);
        }
    }

    /// Makes the states of all slots what the image says.
    fn restore_states(&mut self, image: &Image<T>) {
        for gap in image.gaps(self.slots.worn_end().into()) {
            self.slots.assign(gap, |_| [0; 4]);
        }
        for run in &image.runs {
            let (group, places) = (run.group, run.places());
            match image.others.is_empty() {
                true => self.slots.assign_live(group, &image.live[places]),
                false => self.slots.assign(group..group + run.len, |number| {
                    image.words(places.start + (number - group) as usize)
                }),
            }
        }
        self.staged = image.others.iter().map(|others| others.staged.count_ones()).sum();
    }

    /// Goes on from a later tick, if changes are tracked.
    pub(crate) fn raise_tick(&mut self, tick: u64) {
        if let Some(marks) = &mut self.marks {
            marks.tick = marks.tick.max(tick);
        }
    }

    /// Whether a group may differ from what the image says.
    fn differs(&self, image: &Image<T>, at: usize, since: Option<u64>) -> bool {
        match (&self.marks, since) {
            // What is staged is not marked.
            (Some(marks), Some(since)) => {
                let (number, words) = (image.numbers[at], image.words(at));
                marks.last(number, u64::MAX) >= since
                    || words[2] != 0
                    || self.slots.group(number) != words
            }
            _ => true,
        }
    }

    /// Copies the strips and stamps of some groups in a row, those that may differ.
    fn paste_run(&mut self, image: &Image<T>, run: Run, since: Option<u64>) {
        let Range { start: mut at, end } = run.places();
        let known = since.filter(|_| self.marks.is_some());
        while at < end {
            let differs = |at: &usize| self.differs(image, *at, since);
            let count =
                if known.is_some() { (at..end).take_while(differs).count() } else { end - at };
            if count == 0 {
                at += 1;
                continue;
            }
            self.paste(image, run, at..at + count);
            // Whoever has looked before has seen something else.
            if let Some(marks) = &mut self.marks {
                image.numbers[at..at + count].iter().for_each(|number| marks.mark(*number));
            }
            at += count;
        }
    }

    /// Copies the strips and stamps of some groups of a run, all but slot 0.
    fn paste(&mut self, image: &Image<T>, run: Run, places: Range<usize>) {
        let number = image.numbers[places.start];
        let side_by_side = self.side_by_side(number);
        if side_by_side < places.len() {
            let middle = places.start + side_by_side;
            self.paste(image, run, places.start..middle);
            return self.paste(image, run, middle..places.end);
        }
        let mut rows = run.rows_of(&places);
        let skip = u32::from(number == 0); // the nil thing stays
        rows.start += skip as usize;
        self.slots.note_worn(image.numbers[places.end - 1]);
        // SAFETY: both places are of this storage and in one group.
        let first = unsafe { T::Storage::step(self.first_place(number), skip) };
        for strip in Image::<T>::byte_strips() {
            let start = Image::<T>::element(run, strip, rows.start);
            let from = &image.bytes[start..start + rows.len() * Image::<T>::stride(strip)];
            // SAFETY: the slots lie side by side, as was asked above, so there are as many
            // elements, and nobody else uses them (`&mut self`). Where slots hold values, those are
            // of plain fields, to be overwritten by others (I1), or nobody will look at them any
            // more; other slots will have a stamp that says that they hold none.
            unsafe {
                self.values
                    .strip(first, strip)
                    .cast::<MaybeUninit<u8>>()
                    .copy_from_nonoverlapping(from.as_ptr(), from.len())
            };
        }
        if !Image::<T>::STAMPS_IN_STRIP {
            let stamps = &image.stamps[places.start * GROUP as usize..places.end * GROUP as usize];
            for (index, &stamp) in (number * GROUP..).zip(stamps).skip(skip as usize) {
                self.put_stamp(index, stamp);
            }
        }
    }

    /// Sets a stamp; what that means for the slot is the caller's business.
    fn put_stamp(&mut self, index: u32, stamp: u32) {
        if let Some(place) = self.values.place(index) {
            // SAFETY: the place is of this storage.
            unsafe { T::Storage::stamp(place).write(stamp) };
            self.slots.note_worn(index / GROUP);
        }
    }

    /// Sets the stamps of all slots that are not in the groups of the image.
    fn restore_old_stamps(&mut self, image: &Image<T>) {
        for chunk in 0..self.values.memory().chunks() {
            let Some(slots) = self.values.memory().chunk(chunk) else { continue };
            let group = u64::from(GROUP);
            for number in (slots.start / group) as u32..(slots.end / group) as u32 {
                if image.place_of(number).is_none() && self.has_stamps(number) {
                    self.clear_stamps(number);
                }
            }
        }
        let limit = self.slots.limit();
        for &(index, stamp) in image.old.iter().filter(|(index, _)| u64::from(*index) < limit) {
            self.put_stamp(index, stamp);
        }
    }

    /// Sets the stamps of a group, which has memory, to 0.
    fn clear_stamps(&mut self, number: u32) {
        for index in (0..GROUP).map(|bit| number * GROUP + bit) {
            self.put_stamp(index, SPENT);
        }
        self.mark(number * GROUP);
    }

    /// Makes the bitmaps and the owners what the image says.
    pub(super) fn restore_tags(&mut self, image: &Image<T>) {
        let count = image.tags.count_ones() as usize;
        self.tags.assign(|tag, number| match image.place_of(number) {
            Some(at) if image.tags >> tag & 1 == 1 => {
                let rank = (image.tags & ((1 << tag) - 1)).count_ones() as usize;
                image.maps[at * count + rank]
            }
            _ => 0,
        });
        if self.clustered {
            self.clusters.assign(&self.slots, |number| image.owner(image.place_of(number)?));
        }
    }

    /// Writes the tags of some slots of a group beside their values, and into them, if bytes did
    /// not bring them.
    fn put_tags(&self, image: &Image<T>, at: usize, slots: u64) {
        if !Self::TAGGED || Image::<T>::STAMPS_IN_STRIP {
            return;
        }
        let first = self.first_place(image.numbers[at]);
        for bit in ones(slots) {
            let tags = T::Tags::narrow(image.tags_of(at, bit));
            // SAFETY: both places are of this storage and in one group; the slot holds a value, or
            // all its fields do, and nobody else uses it: callers have the cells exclusively.
            unsafe { self.values.set_tags(T::Storage::step(first, bit), tags) };
        }
    }
}
