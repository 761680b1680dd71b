//! Images of whole pools: everything that a pool knows, to be kept, compared and put back. For
//! `lath-snapshot`.

use alloc::vec::Vec;
use core::any::TypeId;
use core::cmp::Reverse;
use core::sync::atomic::{AtomicU64, Ordering};

use super::Pool;
use crate::cells::image::{
    Access, Image, ImageBuilder, ImageDelta, PoolState, RestoreError, Source, StateError, TreeState,
};
use crate::reuse::{Order, Reuse};
use crate::slots::ones;
use crate::state::State;
use crate::storage::Storage;
use crate::strips::Snap;
use crate::tree::{Links, Orphans, Relation, Row, Trees};

/// A number that nothing else gets: for pools, and for images.
pub(super) fn next_identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A copy of a pool.
pub struct PoolImage<T: Snap> {
    cells: Image<T>,
    rest: Rest<T>,
    /// What it is a copy of; 0 for none.
    identity: u64,
    /// Two images with the same number are the same.
    serial: u64,
}

/// What a pool knows besides its slots and values.
struct Rest<T: Snap> {
    order: Order,
    /// How many slots had been made.
    made: u64,
    graves: Vec<(u64, u32)>,
    high_water: u32,
    largest_generation: u32,
    /// The tick when the image was taken; 0 if changes were not tracked.
    tick: u64,
    /// The first tick in which changes are later than the image; `None` if changes were not
    /// tracked.
    since: Option<u64>,
    trees: Trees<T>,
}

impl<T: Snap> Rest<T> {
    fn new() -> Self {
        Self {
            order: Order::default(),
            made: 0,
            graves: Vec::new(),
            high_water: 0,
            largest_generation: 0,
            tick: 0,
            since: None,
            trees: Trees::new(),
        }
    }

    /// Takes everything over but trees.
    fn copy(&mut self, from: &Self) {
        let (freed, fresh) = from.order.parts();
        self.order.assign(from.order.reuse(), freed, fresh);
        self.graves.clone_from(&from.graves);
        (self.made, self.high_water, self.largest_generation) =
            (from.made, from.high_water, from.largest_generation);
        (self.tick, self.since) = (from.tick, from.since);
    }

    /// Takes everything from a pool but trees.
    fn read(&mut self, pool: &Pool<T>, access: Access) {
        let (freed, fresh) = pool.order.parts();
        self.order.assign(pool.order.reuse(), freed, fresh);
        self.made = pool.order.made();
        self.graves.clear();
        self.graves.extend(pool.graves.iter().map(|Reverse(grave)| *grave));
        self.high_water = pool.cells.slots().high_water();
        self.largest_generation = pool.counts.largest_generation();
        self.tick = pool.cells.tick();
        // Behind a shared reference the tick cannot be moved on, so that what is changed later in
        // it counts too.
        let tracked = self.tick > 0;
        self.since =
            tracked.then_some(if access == Access::Exclusive { self.tick + 1 } else { self.tick });
    }
}

impl<T: Snap> Pool<T> {
    /// Makes `image` a copy of this pool. Reuses its memory.
    ///
    /// Others may stage and reserve at the same time; what they do may be missing.
    pub fn capture(&self, image: &mut PoolImage<T>) {
        self.capture_with(image, Access::Shared);
    }

    /// As [`capture`](Self::capture), quicker where there are holes, and if changes are tracked,
    /// another tick begins, so that later ones can be told from earlier ones.
    pub fn capture_mut(&mut self, image: &mut PoolImage<T>) {
        self.capture_with(image, Access::Exclusive);
        self.next_tick();
    }

    fn capture_with(&self, image: &mut PoolImage<T>, access: Access) {
        image.serial = 0;
        self.cells.capture(&mut image.cells);
        image.rest.read(self, access);
        image.rest.trees.assign(&self.trees, true);
        (image.identity, image.serial) = (self.identity, next_identity());
    }

    /// Whether an image could be put back; makes memory for it.
    ///
    /// # Errors
    ///
    /// If the pool is too small for it, or memory is refused.
    pub fn make_room_for(&mut self, image: &PoolImage<T>) -> Result<(), RestoreError> {
        self.cells.make_room_for(&image.cells)
    }

    /// Makes this pool what the image is a copy of: the same things under the same handles, the
    /// same links, and the same handles for what is spawned next. Capacity stays, and so do the
    /// bound that was expected and whether changes are tracked.
    ///
    /// Handles that were made after the copy was taken are forgotten: their slots and generations
    /// will be handed out again.
    ///
    /// If a `Drop` or a `Clone` panics, the pool is consistent, but some of its things are as
    /// before.
    ///
    /// # Errors
    ///
    /// As [`make_room_for`](Self::make_room_for); nothing changed.
    pub fn restore(&mut self, image: &PoolImage<T>) -> Result<(), RestoreError> {
        self.make_room_for(image)?;
        let PoolImage { cells, rest, identity, .. } = image;
        if T::Storage::NEEDS_DROP {
            self.drop_all_but(cells);
        }
        self.cells.raise_tick(rest.tick);
        self.cells.restore(cells, rest.since.filter(|_| *identity == self.identity));
        let (freed, fresh) = rest.order.parts();
        self.order.assign(rest.order.reuse(), freed, fresh);
        self.order.set_made(rest.made);
        self.graves.clear();
        self.graves.extend(rest.graves.iter().map(|&grave| Reverse(grave)));
        self.cells.set_high_water(rest.high_water);
        self.counts.set_largest_generation(rest.largest_generation);
        self.trees.assign(&rest.trees, false);
        self.update_observed();
        Ok(())
    }

    /// Drops every value in a slot where the image has none. If a `Drop` panics, the others are
    /// dropped all the same.
    fn drop_all_but(&mut self, image: &Image<T>) {
        struct GoOn<'a, T: Snap>(&'a mut Pool<T>, &'a Image<T>);

        impl<T: Snap> GoOn<'_, T> {
            fn run(&mut self) {
                let Self(pool, image) = self;
                let mut from = 0;
                while let Some(number) = pool.cells.slots().next_in_use(from) {
                    for index in ones(pool.cells.held_in(number) & !image.held_in(number))
                        .map(|bit| number * 64 + bit)
                    {
                        pool.drop_slot(index);
                    }
                    from = number + 1;
                }
            }
        }

        impl<T: Snap> Drop for GoOn<'_, T> {
            fn drop(&mut self) {
                self.run();
            }
        }

        let mut guard = GoOn(self, image);
        guard.run();
        core::mem::forget(guard);
    }

    /// Drops the value of a slot that holds one.
    fn drop_slot(&mut self, index: u32) {
        if self.cells.slots().state(index) == State::Buried {
            self.graves.retain(|Reverse((_, buried))| *buried != index);
            self.cells.exhume(index, |_, _| {});
        } else if let Some(handle) = self.cells.handle_at(index) {
            self.despawn_with(handle, Orphans::Detach);
        }
    }

    /// Starts an image for this pool with what is known about its slots, from a save or a packet:
    /// whatever it is, the result can be trusted.
    ///
    /// # Errors
    ///
    /// [`StateError`] if it is not the state of a pool of this thing that fits into this one.
    pub fn image_of_state(&self, state: &PoolState) -> Result<ImageBuilder<T>, StateError> {
        ImageBuilder::new(state, self.cells.slots().limit())
    }
}

impl<T: Snap> PoolImage<T> {
    /// An image of nothing yet: memory to be used.
    pub fn new() -> Self {
        Self { cells: Image::new(), rest: Rest::new(), identity: 0, serial: 0 }
    }

    /// The image that a builder has made, with the rest of the state that it was made from.
    pub fn from_parts(builder: ImageBuilder<T>, state: &PoolState) -> Self {
        let mut image = Self { cells: builder.finish(), ..Self::new() };
        let reuse = [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo][usize::from(state.reuse.min(2))];
        image.rest.order.assign(reuse, state.freed.iter().copied(), state.fresh);
        image.rest.made = state.horizon;
        image.rest.graves.clone_from(&state.graves);
        image.rest.high_water = state.high_water;
        image.rest.largest_generation = state.largest_generation;
        image.rest.tick = state.tick;
        image.serial = next_identity();
        image
    }

    /// The slots and values.
    pub fn things(&self) -> &Image<T> {
        &self.cells
    }

    /// Everything but values and links, as plain numbers.
    pub fn state(&self) -> PoolState {
        let mut state = PoolState::default();
        self.cells.write_state(&mut state);
        let (freed, fresh) = self.rest.order.parts();
        state.reuse = self.rest.order.reuse() as u8;
        // Entries that will be passed over are there or not, by how much memory there is for them.
        let still_free: Vec<_> =
            freed.filter(|&(index, stamp)| state.is_free_at(index, stamp)).collect();
        state.freed = still_free;
        (state.fresh, state.horizon) = (fresh, self.rest.made);
        state.graves.clone_from(&self.rest.graves);
        state.graves.sort_unstable();
        state.high_water = self.rest.high_water;
        state.largest_generation = self.rest.largest_generation;
        state.tick = self.rest.tick;
        state
    }

    /// The relations that things are linked by: the type of each, and its name.
    pub fn relations(&self) -> impl Iterator<Item = (TypeId, &'static str)> {
        let linked = |links: &Links| links.rows().iter().any(|row| row.stamp != 0);
        self.rest
            .trees
            .named()
            .filter(move |(_, _, links)| linked(links))
            .map(|(relation, name, _)| (relation, name))
    }

    /// The links of a relation, as plain numbers.
    pub fn tree_state<R: Relation>(&self) -> TreeState {
        let Some(links) = self.rest.trees.of::<R>() else { return TreeState::default() };
        let rows = links.rows().iter().enumerate().filter(|(_, row)| row.stamp != 0);
        let (marked, marks) = links.marked();
        TreeState {
            links: rows
                .map(|(at, row)| (at as u32, [row.parent, row.first, row.last, row.next, row.prev]))
                .collect(),
            marked: marked
                .filter(|&(index, stamp)| self.cells.stamp_of(index) == Some(stamp))
                .map(|(at, _)| at)
                .collect(),
            marks,
        }
    }

    /// Takes over the links of a relation, from a save or a packet.
    ///
    /// # Errors
    ///
    /// [`StateError`] if things are linked that are not there, or the links are not those of a
    /// tree.
    pub fn set_tree_state<R: Relation>(&mut self, state: &TreeState) -> Result<(), StateError> {
        let broken = |what, slot| Err(StateError::Broken { what, slot });
        let mut rows = Vec::new();
        for &(index, [parent, first, last, next, prev]) in &state.links {
            let Some(stamp) = self.cells.stamp_of(index).filter(|stamp| stamp & 1 == 1) else {
                return broken("R1: something is linked that is not there", index);
            };
            if (index as usize) < rows.len() {
                return broken("the links are not in order", index);
            }
            rows.resize(index as usize, Row::default());
            rows.push(Row { stamp, parent, first, last, next, prev });
        }
        if let Err(what) = crate::tree::check_rows(&rows) {
            return broken(what, 0);
        }
        let mut marked = Vec::new();
        for &index in &state.marked {
            match self.cells.stamp_of(index).filter(|stamp| stamp & 1 == 1) {
                Some(stamp) => marked.push((index, stamp)),
                None => return broken("something is marked that is not there", index),
            }
        }
        let links = self.rest.trees.of_mut::<R>();
        links.assign_rows(&rows);
        links.assign_marks(marked.into_iter(), state.marks);
        self.serial = next_identity();
        Ok(())
    }

    /// How many bytes the copy takes, but for what cloned values have on the heap.
    pub fn bytes(&self) -> usize {
        let rows: usize = self.rest.trees.all().map(|links| size_of_val(links.rows())).sum();
        self.cells.bytes() + rows + self.rest.graves.len() * 16
    }
}

impl<T: Snap> Default for PoolImage<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Snap> Clone for PoolImage<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.clone_from(self);
        copy
    }

    /// Reuses what there is.
    fn clone_from(&mut self, from: &Self) {
        self.serial = 0;
        self.cells.clone_from(&from.cells);
        self.rest.copy(&from.rest);
        self.rest.trees.assign(&from.rest.trees, true);
        (self.identity, self.serial) = (from.identity, from.serial);
    }
}

/// What has to be changed in one image to make it another.
pub struct PoolDelta<T: Snap> {
    cells: ImageDelta<T>,
    rest: Rest<T>,
    /// Of each tree: the blocks of 64 rows that differ, and those rows.
    trees: Vec<TreeDelta>,
    /// The image that it starts from, and the one that it leads to.
    from: u64,
    to: (u64, u64),
}

struct TreeDelta {
    /// Its number among the trees.
    tree: usize,
    rows: usize,
    version: u64,
    blocks: Vec<(u32, Vec<Row>)>,
}

impl<T: Snap> PoolDelta<T> {
    /// No difference yet: memory to be used.
    pub fn new() -> Self {
        Self { cells: ImageDelta::new(), rest: Rest::new(), trees: Vec::new(), from: 0, to: (0, 0) }
    }

    /// Becomes the difference between an image and the pool as it is now. If the image is of this
    /// pool and changes are tracked, only what was changed since is looked at; otherwise everything
    /// counts as changed.
    pub fn since(&mut self, image: &PoolImage<T>, pool: &Pool<T>) {
        self.from = 0; // until all is found: a `Clone` may panic
        let since = image.rest.since.filter(|_| image.identity == pool.identity);
        self.cells.find(&image.cells, Source::Pool(&pool.cells), since);
        self.rest.read(pool, Access::Shared);
        self.find_trees(&image.rest.trees, &pool.trees, image.identity == pool.identity);
        (self.from, self.to) = (image.serial, (pool.identity, next_identity()));
    }

    /// Becomes the difference between two images.
    pub fn between(&mut self, old: &PoolImage<T>, new: &PoolImage<T>) {
        self.from = 0;
        let same = old.identity == new.identity && old.identity != 0;
        self.cells.find(&old.cells, Source::Image(&new.cells), old.rest.since.filter(|_| same));
        self.rest.copy(&new.rest);
        self.find_trees(&old.rest.trees, &new.rest.trees, same);
        (self.from, self.to) = (old.serial, (new.identity, new.serial));
    }

    fn find_trees(&mut self, old: &Trees<T>, new: &Trees<T>, same: bool) {
        self.rest.trees.assign_kinds(new);
        self.trees.clear();
        for (tree, (relation, _, links)) in new.named().enumerate() {
            let before =
                old.named().find(|(other, ..)| *other == relation).map(|(.., links)| links);
            let unchanged =
                same && before.is_some_and(|before| before.version() == links.version());
            let before = before.map_or(&[][..], Links::rows);
            let blocks = links.rows().chunks(64).enumerate();
            let differ =
                blocks.filter(|(n, rows)| !unchanged && before.chunks(64).nth(*n) != Some(rows));
            let blocks = differ.map(|(n, rows)| (n as u32, rows.to_vec())).collect();
            self.trees.push(TreeDelta {
                tree,
                rows: links.rows().len(),
                version: links.version(),
                blocks,
            });
        }
    }

    /// Whether this starts from that image.
    pub fn starts_from(&self, image: &PoolImage<T>) -> bool {
        image.serial == self.from && self.from != 0
    }

    /// Turns the image that this starts from into the one that it leads to.
    ///
    /// Answers whether that was the image; if not, nothing changed.
    #[must_use]
    pub fn apply(&self, image: &mut PoolImage<T>) -> bool {
        if !self.starts_from(image) {
            return false;
        }
        image.serial = 0;
        self.cells.apply(&mut image.cells);
        image.rest.copy(&self.rest);
        image.rest.trees.keep_only(&self.rest.trees);
        for delta in &self.trees {
            let marks = self.rest.trees.links(delta.tree);
            image.rest.trees.patch(delta.tree, &self.rest.trees, |links| {
                links.patch(delta.rows, &delta.blocks, delta.version, marks);
            });
        }
        (image.identity, image.serial) = self.to;
        true
    }

    /// How many groups of 64 slots differ.
    pub fn groups(&self) -> usize {
        self.cells.len()
    }

    /// How many bytes the difference takes, but for what cloned values have on the heap.
    pub fn bytes(&self) -> usize {
        let rows = self
            .trees
            .iter()
            .flat_map(|tree| &tree.blocks)
            .map(|(_, rows)| size_of_val(&**rows))
            .sum::<usize>();
        self.cells.bytes() + rows + self.rest.graves.len() * 16
    }
}

impl<T: Snap> Default for PoolDelta<T> {
    fn default() -> Self {
        Self::new()
    }
}
