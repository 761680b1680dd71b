//! The calls that the player makes, each with what the oracle expects of it.

use lath_core::{Handle, HandleError, HandleRange, Reuse, SideFault, SpawnFault, TagSet};

use super::Subject;
use super::oracle::{Fate, Oracle, forge, name};
use super::play::Player;

impl<T: Subject> Player<T> {
    pub(super) fn spawn(&mut self) {
        let (value, kind, tags) = (self.new_value(), self.new_kind(), self.new_tags());
        if let Some(slot) = self.oracle.next_slot(self.capacity(), tags) {
            let expected = self.next_handle_in(slot, kind);
            assert_eq!(self.pool.spawn(T::new(value, kind, tags)), expected);
            self.oracle.begin(expected, Fate::Live(value), tags);
        }
    }

    pub(super) fn try_spawn(&mut self) {
        let (value, tags) = (self.new_value(), self.new_tags());
        let kind = if self.chance(5) { 1 << T::KIND_BITS } else { self.new_kind() };
        let thing = T::new(value, kind, tags);
        let expected = match self.oracle.next_slot(self.capacity(), tags) {
            _ if thing.kind() >> T::KIND_BITS != 0 => {
                Err(SpawnFault::KindTooLarge { kind, bits: T::KIND_BITS })
            }
            Some(slot) => Ok(self.next_handle_in(slot, thing.kind())),
            None => Err(self.full()),
        };
        let got = self.pool.try_spawn(thing);
        match &got {
            Ok(handle) => self.oracle.begin(*handle, Fate::Live(value), tags),
            Err(error) => assert_eq!(error.value.value(), value, "another value was given back"),
        }
        assert_eq!(got.map_err(|error| error.fault), expected);
    }

    pub(super) fn spawn_many(&mut self) {
        // Sometimes so many that several groups of 64 slots are full.
        let most = if self.chance(20) { self.random.usize(..200) } else { self.random.usize(..12) };
        let looked_at = self.random.usize(..=most);
        let mut things = Vec::new();
        let mut expected = Vec::new();
        // The order of free slots changes with every spawn, so the oracle goes first.
        let capacity = self.capacity();
        for _ in 0..most {
            let tags = self.new_tags();
            let Some(slot) = self.oracle.next_slot(capacity, tags) else { break };
            if self.oracle.reuse == Reuse::Fifo && slot > capacity {
                break; // never-used slots come first, and how many there will be is the pool's business
            }
            let (value, kind) = (self.new_value(), self.new_kind());
            let handle = self.next_handle_in(slot, kind);
            self.oracle.begin(handle, Fate::Live(value), tags);
            things.push(T::new(value, kind, tags));
            expected.push(handle);
        }
        let mut handles = self.pool.spawn_many(things);
        assert_eq!(handles.size_hint(), (expected.len(), Some(expected.len())));
        for expected in expected.into_iter().take(looked_at) {
            assert_eq!(handles.next(), Some(expected));
        }
    }

    pub(super) fn spawn_range(&mut self) {
        let n = if self.chance(5) { self.oracle.limit.min(200) } else { self.random.u32(..12) };
        let kind = self.new_kind();
        let odd_one = (n > 1 && T::KIND_BITS > 0 && self.chance(10)).then(|| self.random.u32(1..n));
        let first_value = self.last_value + 1;
        self.last_value += u64::from(n);
        let tags_of = |value: u64| if Oracle::<T>::TAGGED { value / 2 % 4 } else { 0 };
        let got = self.pool.spawn_range(n, |i| {
            let kind = if odd_one == Some(i) { kind ^ 1 } else { kind };
            T::new(first_value + u64::from(i), kind, tags_of(first_value + u64::from(i)))
        });
        if n == 0 {
            return assert_eq!(got, Ok(HandleRange::EMPTY));
        }
        let Some(first) = self.oracle.free_run(n) else { return assert_eq!(got, Err(self.full())) };
        let generation =
            (first..first + n).map(|index| self.oracle.generation(index)).max().unwrap() + 1;
        if let Some(i) = odd_one {
            let handle = name(forge::<T>(first + i, generation, kind));
            let fault = HandleError::WrongKind { handle, kind, expected: kind ^ 1 };
            return assert_eq!(got, Err(SpawnFault::Handle(fault)));
        }
        let range = got.unwrap();
        assert_eq!(range, HandleRange::new(forge(first, generation, kind), n).unwrap());
        for (handle, value) in range.iter().zip(first_value..) {
            self.oracle.begin(handle, Fate::Live(value), tags_of(value));
        }
    }

    pub(super) fn spawn_at(&mut self) {
        let handle = if self.chance(50) { self.some_handle() } else { self.made_up_handle() };
        let kind = if self.chance(90) { handle.kind() } else { self.new_kind() };
        let (value, tags) = (self.new_value(), self.new_tags());
        let expected = self.oracle.may_spawn_at(handle, kind);
        let got = self.pool.spawn_at(handle, T::new(value, kind, tags)).map_err(|error| {
            assert_eq!(error.value.value(), value, "another value was given back");
            error.fault
        });
        assert_eq!(got, expected, "spawn_at({handle}, a thing of kind {kind})");
        if got.is_ok() {
            match self.oracle.fate(handle) {
                Some(Fate::Reserved) => self.oracle.arrives(handle, value, tags),
                _ => self.oracle.begin(handle, Fate::Live(value), tags),
            }
        }
    }

    pub(super) fn despawn(&mut self) {
        let handle = self.some_handle();
        let expected = matches!(
            self.oracle.fate(handle),
            Some(Fate::Live(_) | Fate::Staged(_) | Fate::Reserved)
        );
        assert_eq!(self.pool.despawn(handle), expected, "despawn({handle})");
        if expected {
            self.oracle.becomes(handle, Fate::Dead);
        }
    }

    /// More than it looks ahead, or fewer; some of them twice.
    pub(super) fn despawn_many(&mut self) {
        let handles: Vec<_> = (0..self.random.usize(..40)).map(|_| self.some_handle()).collect();
        let mut expected = 0;
        for &handle in &handles {
            if matches!(
                self.oracle.fate(handle),
                Some(Fate::Live(_) | Fate::Staged(_) | Fate::Reserved)
            ) {
                self.oracle.becomes(handle, Fate::Dead);
                expected += 1;
            }
        }
        assert_eq!(
            self.pool.despawn_many(handles.iter().copied()),
            expected,
            "despawn_many({handles:?})"
        );
    }

    pub(super) fn take(&mut self) {
        let handle = self.some_handle();
        let (expected, tags) = (self.oracle.value(handle), self.oracle.tags(handle));
        let taken = self.pool.take(handle).map(|thing| (thing.value(), thing.tags().widen()));
        assert_eq!(taken, expected.map(|value| (value, tags)), "take({handle})");
        if expected.is_some() {
            self.oracle.becomes(handle, Fate::Dead);
        }
    }

    pub(super) fn despawn_after(&mut self) {
        let (handle, epoch) = (self.some_handle(), self.epoch + self.random.u64(..4));
        let expected = self.oracle.value(handle).is_some();
        assert_eq!(self.pool.despawn_after(handle, epoch), expected, "despawn_after({handle})");
        if expected {
            self.oracle.becomes(handle, Fate::Buried { epoch });
        }
    }

    pub(super) fn reap(&mut self) {
        self.epoch += self.random.u64(..3);
        let due = |fate| {
            if let Fate::Buried { epoch } = fate {
                (epoch <= self.epoch).then_some(epoch)
            } else {
                None
            }
        };
        let mut due: Vec<_> = self
            .oracle
            .lives()
            .filter_map(|life| Some((due(life.fate)?, life.handle.index(), life.handle)))
            .collect();
        due.sort_by_key(|&(epoch, index, _)| (epoch, index));
        assert_eq!(self.pool.reap(self.epoch), due.len() as u32);
        for (.., handle) in due {
            self.oracle.becomes(handle, Fate::Dead);
        }
    }

    pub(super) fn stage(&mut self) {
        let (value, kind, tags) = (self.new_value(), self.new_kind(), self.new_tags());
        let slot = self.oracle.next_claim(tags);
        let expected = slot.map(|slot| self.next_handle_in(slot, kind)).ok_or_else(|| self.full());
        let got = self.pool.try_stage(T::new(value, kind, tags));
        match &got {
            Ok(handle) => self.oracle.begin(*handle, Fate::Staged(value), tags),
            Err(error) => assert_eq!(error.value.value(), value, "another value was given back"),
        }
        assert_eq!(got.map_err(|error| error.fault), expected);
    }

    pub(super) fn reserve(&mut self) {
        let kind = self.new_kind();
        let slot = self.oracle.next_claim(0);
        let expected = slot.map(|slot| self.next_handle_in(slot, kind)).ok_or_else(|| self.full());
        let got = self.pool.try_reserve_kind(kind);
        assert_eq!(got, expected);
        if let Ok(handle) = got {
            self.oracle.begin(handle, Fate::Reserved, 0);
        }
    }

    pub(super) fn commit(&mut self) {
        let staged: Vec<_> = self.oracle.lives().map(|life| (life.handle, life.fate)).collect();
        let mut expected = 0;
        for (handle, fate) in staged {
            if let Fate::Staged(value) = fate {
                self.oracle.becomes(handle, Fate::Live(value));
                expected += 1;
            }
        }
        assert_eq!(self.pool.commit(), expected);
    }

    pub(super) fn edit(&mut self) {
        let (handle, value) = (self.some_handle(), self.new_value());
        let found = self.pool.edit(handle, |mut thing| T::set(&mut thing, value));
        assert_eq!(found, self.oracle.value(handle).is_some(), "edit({handle})");
        if found {
            self.oracle.change(handle, value);
        }
    }

    pub(super) fn get_mut(&mut self) {
        let (handle, value) = (self.some_handle(), self.new_value());
        let found = self.pool.get_mut(handle).map(|mut thing| {
            let before = T::held(&thing);
            T::set(&mut thing, value);
            before
        });
        assert_eq!(found, self.oracle.value(handle), "get_mut({handle})");
        if found.is_some() {
            self.oracle.change(handle, value);
        }
    }

    pub(super) fn get_disjoint_mut(&mut self) {
        let mut handles = [(); 4].map(|()| self.some_handle());
        if self.chance(30) {
            handles[3] = handles[self.random.usize(..3)];
        }
        let values = handles.map(|_| self.new_value());
        let capacity = self.capacity();
        let mut things = self.pool.get_disjoint_mut(handles);
        // All of them at once first, only then any of them.
        for (thing, value) in things.iter_mut().zip(values) {
            if let Ok(thing) = thing {
                T::set(thing, value);
            }
        }
        let got = things.map(|thing| thing.map(|thing| T::held(&thing)));
        for (i, got) in got.into_iter().enumerate() {
            let twice = handles[..i].contains(&handles[i]) && !handles[i].is_nil();
            let expected = match self.oracle.check(handles[i], capacity) {
                _ if twice => Err(HandleError::Twice { handle: name(handles[i]) }),
                // A slot that was never used may have memory all the same, in a block of
                // `spawn_at`'s.
                Err(HandleError::OutOfRange { handle, .. })
                    if matches!(got, Err(HandleError::Stale { .. })) =>
                {
                    Err(HandleError::Stale { handle, current: 0 })
                }
                answer => answer.map(|()| values[i]),
            };
            assert_eq!(got, expected, "number {i} of get_disjoint_mut({handles:?})");
            if got.is_ok() {
                self.oracle.change(handles[i], values[i]);
            }
        }
    }

    pub(super) fn split(&mut self) {
        let (me, other) = (self.some_handle(), self.some_handle());
        let (value, staged, kind, tags) =
            (self.new_value(), self.new_value(), self.new_kind(), self.new_tags());
        let place = self
            .oracle
            .next_claim(tags)
            .map(|slot| self.next_handle_in(slot, kind))
            .filter(|_| self.chance(30));
        let Some((mut thing, rest)) = self.pool.split(me) else {
            return assert_eq!(self.oracle.value(me), None, "split({me})");
        };
        assert_eq!(Some(T::held(&thing)), self.oracle.value(me), "split({me})");
        let seen = if other == me { None } else { self.oracle.value(other) };
        assert_eq!(rest.get(other).map(T::seen), seen, "{other} beside {me}");
        T::set(&mut thing, value);
        assert_eq!(T::seen(rest.read(other)), seen.unwrap_or(0), "{other} beside {me}");
        assert!(rest.get(me).is_none(), "{me} was given twice");
        if let Some(expected) = place {
            assert_eq!(rest.stage(T::new(staged, kind, tags)), expected);
            assert_eq!(rest.get(expected).map(T::seen), Some(staged));
            self.oracle.begin(expected, Fate::Staged(staged), tags);
        }
        assert_eq!(T::held(&thing), value);
        self.oracle.change(me, value);
    }

    pub(super) fn each_with_rest(&mut self) {
        let mut expected = self.oracle.live().into_iter();
        let Self { pool, oracle, random, last_value, .. } = self;
        let lives: Vec<_> = oracle.lives().map(|life| life.handle).collect();
        pool.each_with_rest(|me, mut thing, rest| {
            assert_eq!(Some((me, T::held(&thing))), expected.next());
            let other = random.choice(lives.iter().copied()).unwrap_or(Handle::NIL);
            let seen = if other == me { None } else { oracle.value(other) };
            assert_eq!(rest.get(other).map(T::seen), seen, "{other} beside {me}");
            assert_eq!(T::seen(rest.read(other)), seen.unwrap_or(0));
            *last_value += 1;
            T::set(&mut thing, *last_value);
            oracle.becomes(me, Fate::Live(*last_value));
            let tags = if Oracle::<T>::TAGGED { random.u64(..4) } else { 0 };
            if let Some(slot) = oracle.next_claim(tags).filter(|_| random.u8(..10) == 0) {
                *last_value += 1;
                let kind = random.u32(..1 << T::KIND_BITS);
                let expected = forge(slot, oracle.generation(slot) + 1, kind);
                assert_eq!(rest.stage(T::new(*last_value, kind, tags)), expected);
                oracle.begin(expected, Fate::Staged(*last_value), tags);
            }
        });
        assert_eq!(expected.next(), None, "not every thing was visited");
    }

    pub(super) fn change_tags(&mut self) {
        let (handle, tags) = (self.some_handle(), self.new_tags());
        let (before, found) = (self.oracle.tags(handle), self.oracle.value(handle).is_some());
        let (got, after) = match self.random.u8(..3) {
            0 => (self.pool.set_tags(handle, T::Tags::narrow(tags)), tags),
            1 => (self.pool.insert_tags(handle, T::Tags::narrow(tags)), before | tags),
            _ => (self.pool.remove_tags(handle, T::Tags::narrow(tags)), before & !tags),
        };
        assert_eq!(got, found, "the tags of {handle}");
        if found {
            self.oracle.set_tags(handle, after);
        }
    }

    pub(super) fn iter_mut(&mut self) {
        let live = self.oracle.live();
        let first_value = self.last_value + 1;
        self.last_value += live.len() as u64;
        // Some by `next`, the rest by `fold`, which takes another road.
        let by_next = self.random.usize(..=live.len());
        let mut things = self.pool.iter_mut();
        assert_eq!(things.len(), live.len());
        let mut visited: Vec<_> = things.by_ref().take(by_next).collect();
        things.for_each(|thing| visited.push(thing));
        for (value, (_, thing)) in (first_value..).zip(&mut visited) {
            T::set(thing, value);
        }
        let visited: Vec<_> = visited.into_iter().map(|(handle, _)| handle).collect();
        assert_eq!(visited, live.iter().map(|&(handle, _)| handle).collect::<Vec<_>>());
        for (value, (handle, _)) in (first_value..).zip(live) {
            self.oracle.change(handle, value);
        }
    }

    pub(super) fn side_mut(&mut self) {
        let (handle, value) = (self.some_handle(), self.new_value());
        let (key, there) =
            ((handle.index(), handle.generation()), self.oracle.value(handle).is_some());
        let (before, mut side) = (self.beside.get(&key).copied(), self.pool.side_mut::<u64>());
        let before = before.filter(|(other, _)| *other == handle).map(|(_, value)| value);
        match self.random.u8(..4) {
            0 => {
                assert_eq!(side.remove(handle), before);
                if before.is_some() {
                    self.beside.remove(&key);
                }
            }
            1 => {
                let found = side.get_mut(handle).map(|found| std::mem::replace(found, value));
                assert_eq!(found, before);
                if found.is_some() {
                    self.beside.insert(key, (handle, value));
                }
            }
            _ => match side.insert(handle, value) {
                Ok(found) => {
                    assert!(there);
                    assert_eq!(found, before);
                    self.beside.insert(key, (handle, value));
                }
                Err(error) => {
                    assert!(!there);
                    assert_eq!(error.value, value);
                    let why = self.pool.check(handle).unwrap_err();
                    assert_eq!(error.fault, SideFault::Handle(why));
                }
            },
        }
        let side = self.pool.side::<u64>();
        assert_eq!(side.get(handle).is_some(), side.contains(handle));
    }

    pub(super) fn retain(&mut self) {
        let keep = |value: u64| value % 4 != 0;
        let mut visited = Vec::new();
        self.pool.retain(|handle, thing| {
            visited.push((handle, T::held(&thing)));
            keep(T::held(&thing))
        });
        assert_eq!(visited, self.oracle.live());
        for (handle, _) in visited.into_iter().filter(|&(_, value)| !keep(value)) {
            self.oracle.becomes(handle, Fate::Dead);
        }
    }

    pub(super) fn extract_if(&mut self) {
        let (rest, reach) = (self.random.u64(..3), self.random.usize(..10));
        let wanted = |value: u64| value % 3 == rest;
        let expected: Vec<_> = self
            .oracle
            .live()
            .into_iter()
            .filter(|&(_, value)| wanted(value))
            .take(reach)
            .collect();
        let drained: Vec<_> = self
            .pool
            .extract_if(|_, thing| wanted(T::held(&thing)))
            .take(reach) // and dropped half-way
            .map(|(handle, thing)| (handle, thing.value()))
            .collect();
        assert_eq!(drained, expected);
        for (handle, _) in drained {
            self.oracle.becomes(handle, Fate::Dead);
        }
    }

    pub(super) fn clear(&mut self) {
        self.pool.clear();
        // Live things are freed first, then claimed ones, then buried ones, each in slot order.
        let order = |fate: &Fate| match fate {
            Fate::Live(_) => 0,
            Fate::Staged(_) | Fate::Reserved => 1,
            Fate::Buried { .. } | Fate::Dead => 2,
        };
        let mut lives: Vec<_> = self.oracle.lives().map(|life| (life.handle, life.fate)).collect();
        lives.retain(|(_, fate)| *fate != Fate::Dead);
        lives.sort_by_key(|(_, fate)| order(fate));
        for (handle, _) in lives {
            self.oracle.becomes(handle, Fate::Dead);
        }
    }

    pub(super) fn clone_pool(&mut self) {
        let copy = self.pool.clone();
        assert_eq!(copy.stats(), self.pool.stats());
        let original = std::mem::replace(&mut self.pool, copy);
        if self.chance(50) {
            // Look at the copy once, then go on with the original.
            let original_values = self.idle + self.values();
            self.idle += original_values;
            self.assert_same();
            self.idle -= original_values;
            self.pool = original;
        }
    }

    pub(super) fn set_reuse(&mut self) {
        let reuse = self.random.choice([Reuse::Lowest, Reuse::Lifo, Reuse::Fifo]).unwrap();
        self.pool.set_reuse(reuse);
        self.oracle.set_reuse(reuse);
        assert_eq!(self.pool.reuse(), reuse);
    }

    pub(super) fn shrink(&mut self) {
        self.pool.shrink_to_fit(); // nothing can be seen of it
    }

    /// Only here, and only because the oracle forgets the handles of retired slots at the same
    /// time.
    pub(super) fn reclaim_retired(&mut self) {
        assert_eq!(self.pool.reclaim_retired(), self.oracle.reclaim());
        // Where reclaimed slots come in the order is not promised: start it anew.
        self.pool.set_reuse(self.oracle.reuse);
        self.oracle.set_reuse(self.oracle.reuse);
    }
}
