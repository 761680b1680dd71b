//! The books against a map of states, in spaces that have several blocks of groups and a limit in
//! the middle of a group.

use std::collections::BTreeMap;
use std::vec::Vec;

use core::sync::atomic::Ordering::Relaxed;

use super::*;
use fastrand::Rng;

/// What every slot is doing; a slot that is not in the map is free.
#[derive(Clone)]
struct Model {
    limit: u64,
    states: BTreeMap<u32, State>,
    high_water: u32,
}

impl Model {
    fn state(&self, index: u32) -> State {
        match self.states.get(&index) {
            _ if index == 0 || u64::from(index) >= self.limit => State::OutOfUse,
            Some(&state) => state,
            None => State::Free,
        }
    }

    /// Those slots of a group that are doing this.
    fn word(&self, group: u32, wanted: State) -> u64 {
        (0..GROUP)
            .filter(|bit| self.state(group * GROUP + bit) == wanted)
            .fold(0, |word, bit| word | 1 << bit)
    }

    /// Taken, live, claimed, buried.
    fn group(&self, group: u32) -> [u64; 4] {
        let mut words = [u64::from(group == 0), 0, 0, 0];
        for (index, state) in self.states.range(group * GROUP..=group * GROUP + (GROUP - 1)) {
            words[0] |= bit(*index);
            match state {
                State::Live => words[LIVE] |= bit(*index),
                State::Claimed => words[CLAIMED] |= bit(*index),
                State::Buried => words[BURIED] |= bit(*index),
                _ => {}
            }
        }
        words
    }

    /// Notes how many are in use, before one of them is freed.
    fn note_use(&mut self) {
        let used = [State::Live, State::Claimed, State::Buried].map(|state| self.count(state));
        self.high_water = self.high_water.max(used.into_iter().sum());
    }

    fn count(&self, wanted: State) -> u32 {
        self.states.values().filter(|&&state| state == wanted).count() as u32
    }

    /// The first slot from here on that is doing this, and is in the map for it.
    fn first(&self, from: u32, wanted: State) -> Option<u32> {
        self.states.range(from..).find(|&(_, &state)| state == wanted).map(|(&index, _)| index)
    }

    fn next_free(&self, from: u32) -> Option<u32> {
        let mut index = from.max(1);
        while self.states.contains_key(&index) {
            index += 1;
        }
        (u64::from(index) < self.limit).then_some(index)
    }

    /// The lowest gap between taken slots that is wide enough.
    fn free_run(&self, len: u32) -> Option<u32> {
        let mut before = 0;
        for taken in self.states.keys().map(|&index| u64::from(index)).chain([self.limit]) {
            if taken - before > u64::from(len) {
                return Some(before as u32 + 1);
            }
            before = taken;
        }
        None
    }

    /// The first group from here on in which a slot is doing this, and which.
    fn next_group(&self, from: u32, wanted: State) -> Option<(u32, u64)> {
        let group = self.first(from * GROUP, wanted)? / GROUP;
        Some((group, self.word(group, wanted)))
    }

    fn put(&mut self, index: u32, state: State) {
        if state == State::Free {
            self.states.remove(&index)
        } else {
            self.states.insert(index, state)
        };
    }

    fn put_all(&mut self, group: u32, bits: u64, state: State) {
        ones(bits).for_each(|bit| self.put(group * GROUP + bit, state));
    }
}

struct Game {
    slots: Slots,
    model: Model,
    random: Rng,
    before: Model,
}

impl Game {
    fn new(limit: u64, seed: u64) -> Self {
        let model = Model { limit, states: BTreeMap::new(), high_water: 0 };
        Self {
            slots: Slots::new(limit).unwrap(),
            before: model.clone(),
            model,
            random: Rng::with_seed(seed),
        }
    }

    /// A slot near one of the edges: of the space, of a block of groups, of what the sets of groups
    /// have in one word or block.
    fn place(&mut self) -> u32 {
        let edges = [0, 64, 512, 4096, 12_288, 28_672, 64 * 4096, 64 * 4096 * 3, self.model.limit];
        let edge = edges[self.random.usize(..edges.len())];
        let near = (edge + self.random.u64(..400)).saturating_sub(self.random.u64(..400));
        near.clamp(1, self.model.limit - 1) as u32
    }

    /// All, none or any of these.
    fn some(&mut self, bits: u64) -> u64 {
        match self.random.u8(..4) {
            0 => bits & self.random.u64(..),
            _ => bits,
        }
    }

    fn grow(&mut self, index: u32) {
        if !self.slots.has_room(index) {
            self.slots.grow(index).unwrap();
        }
        assert!(self.slots.has_room(index) && self.slots.has_room(index / 2));
    }

    fn step(&mut self) {
        let index = self.place();
        let group = index / GROUP;
        let first = |game: &Self, state| game.model.first(index, state);
        match self.random.u8(..16) {
            0 => {
                if let Some(index) = self.model.next_free(index) {
                    self.grow(index);
                    self.slots.take(index);
                    self.model.put(index, State::Live);
                }
            }
            1 => {
                // All free groups in a row from here on, or some of them.
                let whole = (group..group + self.random.u32(1..200))
                    .take_while(|&group| self.model.word(group, State::Free) == u64::MAX);
                let end = whole.last().map_or(group, |last| last + 1);
                (group..end).for_each(|group| self.grow(group * GROUP));
                self.slots.take_groups(group..end);
                (group..end).for_each(|group| self.model.put_all(group, u64::MAX, State::Live));
            }
            2 | 3 => {
                for group in group..group + self.random.u32(1..20) {
                    let free = self.some(self.slots.free_word(group));
                    assert_eq!(
                        free & !self.model.word(group, State::Free),
                        0,
                        "a slot that is not free, in {group}"
                    );
                    if free != 0 {
                        self.grow(group * GROUP);
                    }
                    self.slots.take_all(group, free);
                    self.model.put_all(group, free, State::Live);
                }
            }
            4 | 5 => {
                for group in group..group + self.random.u32(1..20) {
                    let live = self.some(self.model.word(group, State::Live));
                    if live != 0 {
                        self.model.note_use();
                        self.slots.note_use();
                        self.slots.release_all(group, live);
                        self.model.put_all(group, live, State::Free);
                    }
                }
            }
            6 => {
                if let Some(index) = first(self, State::Live) {
                    self.model.note_use();
                    match self.random.bool() {
                        true => self.slots.release_live::<false>(index),
                        false => self.slots.release(index, false),
                    }
                    self.model.put(index, State::Free);
                }
            }
            7 | 8 => {
                let state = [State::Live, State::Claimed, State::Buried][self.random.usize(..3)];
                if let Some(index) = first(self, state) {
                    let retire = self.random.bool();
                    self.model.note_use();
                    self.slots.release(index, retire);
                    self.model.put(index, if retire { State::OutOfUse } else { State::Free });
                }
            }
            9 => {
                if let Some(index) = first(self, State::OutOfUse) {
                    self.slots.reclaim(index);
                    self.model.put(index, State::Free);
                }
            }
            10 => {
                if let Some(index) = first(self, State::Live) {
                    match self.random.bool() {
                        true => (self.slots.bury(index), self.model.put(index, State::Buried)),
                        false => {
                            (self.slots.unsettle(index), self.model.put(index, State::Claimed))
                        }
                    };
                }
            }
            11 => {
                if let Some(index) = first(self, State::Claimed) {
                    self.slots.settle(index);
                    self.model.put(index, State::Live);
                }
            }
            12 | 13 => {
                for _ in 0..self.random.u32(1..100) {
                    let Some(index) = self.model.next_free(index) else { break };
                    self.grow(index);
                    if self.random.u8(..4) == 0 {
                        self.slots.drop_cursor();
                    }
                    self.slots.claim(index);
                    self.model.put(index, State::Claimed);
                }
            }
            14 => match self.random.u8(..4) {
                0 => self.slots.tidy_claims(),
                1 => self.before = self.model.clone(),
                2 => {
                    // Back to what was; the memory stays.
                    self.model = self.before.clone();
                    self.slots.assign(self.slots.numbers(), |group| self.model.group(group));
                    self.slots.set_high_water(self.model.high_water);
                }
                _ => {
                    // A copy of it all is as good.
                    let mut copy = Slots::new(self.model.limit).unwrap();
                    self.slots.numbers().for_each(|group| copy.grow(group * GROUP).unwrap());
                    copy.assign(self.slots.numbers(), |group| self.slots.group(group));
                    copy.set_high_water(self.slots.high_water());
                    self.slots = copy;
                }
            },
            _ => {
                let mut lowest = self.model.next_free(1);
                for _ in 0..self.random.u32(1..200) {
                    assert_eq!(self.slots.lowest_free(), lowest);
                    let Some(index) = lowest else { break };
                    self.grow(index);
                    let group = self.slots.lowest();
                    if self.slots.cursor() != group || !self.slots.offers() {
                        let free = self.slots.free_word(group);
                        self.slots.move_cursor(group, free);
                    }
                    let offer = self.slots.next_offered().expect("there is a free slot");
                    assert_eq!((offer.index, offer.bit), (index, index % GROUP));
                    offer.take();
                    self.model.put(index, State::Live);
                    lowest = self.model.next_free(index);
                }
            }
        }
    }

    /// Asks about one place all that can be asked.
    fn ask(&mut self) {
        let (slots, model) = (&self.slots, &self.model);
        let len = [1, 2, 60, 64, 65, 130, 1000, model.limit as u32][self.random.usize(..8)];
        assert_eq!(slots.free_run(len), model.free_run(len), "{len} in a row");
        let counts = [slots.live(), slots.claimed(), slots.buried(), slots.retired()];
        assert_eq!(
            counts,
            [State::Live, State::Claimed, State::Buried, State::OutOfUse]
                .map(|state| model.count(state))
        );
        assert_eq!(slots.used(), counts[0] + counts[1] + counts[2]);
        assert_eq!(
            slots.high_water(),
            model.high_water,
            "the most that were in use before one was freed"
        );
        let from = self.place();
        let (slots, model, group) = (&self.slots, &self.model, from / GROUP);
        for index in [from, from - 1, 0, model.limit as u32, model.limit as u32 + 1, u32::MAX] {
            assert_eq!(slots.state(index), model.state(index), "slot {index}");
        }
        assert_eq!(slots.next_free(from), model.next_free(from), "from {from}");
        assert_eq!(slots.next_free(model.limit as u32), None);
        let offered = slots.cursor.free.load(Relaxed);
        if offered != 0 {
            let next = slots.cursor() * GROUP + offered.trailing_zeros();
            assert_eq!(Some(next), model.next_free(1), "not the lowest slot is offered");
        }
        let free = model.word(group, State::Free);
        assert_eq!(slots.free_word(group), free);
        assert_eq!(
            slots.free_in(group),
            (free != 0).then(|| group * GROUP + free.trailing_zeros())
        );
        for group in [group, group + 1, (model.limit / 64) as u32, (model.limit / 64) as u32 + 1] {
            assert_eq!(slots.has_group(group), u64::from(group) * 64 < model.limit);
            assert!(
                slots.has_group(group)
                    || slots.free_word(group) == 0 && slots.free_in(group).is_none()
            );
        }
        assert_eq!(slots.group(group), model.group(group), "group {group}");
        assert_eq!(slots.is_idle(group), model.group(group)[LIVE..] == [0; 3]);
        assert_eq!(slots.next_live(group), model.next_group(group, State::Live));
        assert_eq!(slots.next_claimed(group), model.next_group(group, State::Claimed));
        assert_eq!(slots.next_buried(group), model.next_group(group, State::Buried));
        let in_use = [State::Live, State::Claimed, State::Buried]
            .map(|state| model.next_group(group, state));
        assert_eq!(
            slots.next_in_use(group),
            in_use.into_iter().flatten().map(|(group, _)| group).min()
        );
        assert_eq!(
            slots.last_taken(from),
            model.states.range(from..).next_back().map(|(&index, _)| index)
        );
        let out = model
            .states
            .range(from..)
            .filter(|&(_, &state)| state == State::OutOfUse)
            .map(|(&index, _)| index);
        assert_eq!(slots.out_of_use(from).collect::<Vec<_>>(), out.collect::<Vec<_>>());

        let words = slots.live_words(group);
        let in_row = 40;
        for n in 0..in_row {
            let word = words.get(n as usize).copied().unwrap_or(0);
            assert_eq!(word, model.group(group + n)[LIVE]);
        }
    }

    /// Everything, group by group.
    fn compare(&self) {
        assert_eq!(self.slots.check(), Ok(()));
        let last = self.model.states.keys().next_back().map_or(0, |last| last / GROUP);
        let numbers = self.slots.numbers();
        assert!(last < numbers.end && last < self.slots.worn_end().max(1));
        for group in numbers {
            assert_eq!(self.slots.group(group), self.model.group(group), "group {group}");
        }
    }
}

#[test]
fn memory_for_a_slot_far_away_that_was_never_used_is_not_walked() {
    let mut slots = Slots::new(1 << 32).unwrap();
    slots.grow(1 << 26).unwrap();
    assert!(slots.numbers().count() > 1 << 16);
    assert_eq!((slots.worn(0).count(), slots.check()), (1, Ok(())));
    slots.take(130);
    assert_eq!((slots.worn(0).count(), slots.check()), (3, Ok(())));
    slots.grow((1 << 26) + 64).unwrap();
    slots.take((1 << 26) + 64);
    assert_eq!(
        slots.worn(4).last().map(|(number, [_, live, ..])| (number, live)),
        Some(((1 << 20) + 1, 1))
    );
}

#[test]
fn slots_do_what_a_map_of_states_says() {
    for (limit, steps) in
        [(2, 20), (64, 60), (65, 60), (1000, 200), (4160, 300), (30_001, 400), (900_001, 300)]
    {
        let mut game = Game::new(limit, limit);
        for _ in 0..steps {
            game.step();
            game.ask();
            if game.random.u8(..16) == 0 {
                game.compare();
            }
        }
        game.compare();
    }
}

#[test]
fn the_only_slot_of_the_last_group_is_found_when_the_groups_before_are_full() {
    for groups in 1..4u32 {
        let mut slots = Slots::new(u64::from(groups) * 64 + 1).unwrap();
        slots.grow(groups * GROUP).unwrap();
        for group in 0..groups {
            slots.take_all(group, slots.free_word(group));
        }
        let last = groups * GROUP;
        assert_eq!(
            (slots.next_free(1), slots.lowest_free(), slots.free_run(1)),
            (Some(last), Some(last), Some(last))
        );
        slots.take(last);
        assert_eq!(
            (slots.next_free(1), slots.lowest_free(), slots.free_run(1)),
            (None, None, None)
        );
    }
}

#[test]
fn the_largest_space_ends_at_the_last_index() {
    let slots = Slots::new(1 << 32).unwrap();
    let (last, group) = (u32::MAX, u32::MAX / GROUP);
    assert_eq!((slots.next_free(last), slots.state(last)), (Some(last), State::Free));
    assert_eq!((slots.free_word(group), slots.free_in(group)), (u64::MAX, Some(last - 63)));
    assert_eq!((slots.free_run(1000), slots.free_run(last)), (Some(1), Some(1)));
    let slots = Slots::new((1 << 32) - 1).unwrap();
    assert_eq!((slots.next_free(last), slots.state(last)), (None, State::OutOfUse));
    assert_eq!((slots.free_word(group), slots.free_run(last)), (u64::MAX >> 1, None));
}
