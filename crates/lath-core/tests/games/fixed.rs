//! Random calls of every kind on a `FixedPool`, against the same oracle as `Pool`.

use lath_core::{FixedPool, Handle, Reuse, SpawnFault, Thing};

use crate::common::counted;
use crate::common::dice::Dice;
use crate::common::oracle::{Fate, Oracle, forge, last_generation};

#[derive(Thing, Clone, Default)]
#[thing(handle(bits = 16, index = 10, kind = 3))] // three bits of generation: slots retire often
struct Voice {
    value: u64,
    #[thing(kind)]
    kind: u32,
    _token: counted::Token,
}

const SLOTS: usize = 12;

pub(crate) fn play(mut random: Dice, steps: usize) {
    counted::start_anew();
    let mut pool = FixedPool::<Voice, SLOTS>::new();
    let mut oracle = Oracle::<Voice>::new(SLOTS as u32, true);
    oracle.reuse = Reuse::Lowest;
    for step in 0..steps {
        if !random.next_step() {
            break;
        }
        let at = format!("step {step} of {random}");
        let value = step as u64 + 1;
        let handle = some_handle(&mut random, &oracle);
        match random.u8(..15) {
            0..3 => {
                let kind = random.u32(..9);
                let retired = oracle.retired().len() as u32;
                let expected = match oracle.lowest_free() {
                    _ if kind > 7 => Err(SpawnFault::KindTooLarge { kind, bits: 3 }),
                    Some(slot) => Ok(forge(slot, oracle.generation(slot) + 1, kind)),
                    None => Err(SpawnFault::Full { capacity: SLOTS as u32, retired }),
                };
                let got = pool.try_spawn(Voice { value, kind, ..Default::default() });
                match &got {
                    Ok(handle) => oracle.begin(*handle, Fate::Live(value), 0),
                    Err(error) => assert_eq!(error.value.value, value, "given back at {at}"),
                }
                assert_eq!(got.map_err(|error| error.fault), expected, "{at}");
            }
            3..5 => {
                let kind = if random.u8(..10) > 0 { handle.kind() } else { random.u32(..8) };
                let got = pool.spawn_at(handle, Voice { value, kind, ..Default::default() });
                let expected = oracle.may_spawn_at(handle, kind);
                assert_eq!(
                    got.as_ref().map_err(|error| error.fault),
                    expected.as_ref().map_err(|&fault| fault),
                    "{at}"
                );
                match got {
                    Ok(()) => oracle.begin(handle, Fate::Live(value), 0),
                    Err(error) => assert_eq!(error.value.value, value, "given back at {at}"),
                }
            }
            5..7 => {
                let expected = oracle.value(handle);
                assert_eq!(pool.despawn(handle), expected.is_some(), "{at}");
                if expected.is_some() {
                    oracle.becomes(handle, Fate::Dead);
                }
            }
            7 => {
                let expected = oracle.value(handle);
                assert_eq!(pool.take(handle).map(|voice| voice.value), expected, "{at}");
                if expected.is_some() {
                    oracle.becomes(handle, Fate::Dead);
                }
            }
            8 => {
                let found = pool.edit(handle, |voice| voice.value = value);
                assert_eq!(found, oracle.value(handle).is_some(), "{at}");
                if found {
                    oracle.change(handle, value);
                }
            }
            9 => {
                for (handle, voice) in pool.iter_mut() {
                    voice.value += 1;
                    oracle.change(handle, voice.value);
                }
            }
            10 => {
                let dead = random.u64(..5);
                pool.retain(|_, voice| voice.value % 5 != dead);
                for (handle, value) in oracle.live() {
                    if value % 5 == dead {
                        oracle.becomes(handle, Fate::Dead);
                    }
                }
            }
            11 => pool = pool.clone(),
            12 => {
                let dead = random.u64(..5);
                let few = random.usize(..10);
                let taken = pool.extract_if(|_, voice| voice.value % 5 == dead).take(few);
                let taken: Vec<_> = taken.map(|(handle, voice)| (handle, voice.value)).collect();
                let expected =
                    oracle.live().into_iter().filter(|(_, value)| value % 5 == dead).take(few);
                assert_eq!(taken, expected.collect::<Vec<_>>(), "{at}");
                taken.into_iter().for_each(|(handle, _)| oracle.becomes(handle, Fate::Dead));
            }
            13 => {
                let handles =
                    [handle, some_handle(&mut random, &oracle), some_handle(&mut random, &oracle)];
                let answers = pool.get_disjoint_mut(handles);
                for (i, answer) in answers.into_iter().enumerate() {
                    match answer {
                        Ok(voice) => {
                            assert!(!handles[..i].contains(&handles[i]), "{at}");
                            assert_eq!(Some(voice.value), oracle.value(handles[i]), "{at}");
                            voice.value += 1;
                            oracle.change(handles[i], voice.value);
                        }
                        Err(lath_core::HandleError::Twice { .. }) => {
                            assert!(handles[..i].contains(&handles[i]), "{at}")
                        }
                        Err(error) => {
                            assert_eq!(oracle.check(handles[i], SLOTS as u32), Err(error), "{at}")
                        }
                    }
                }
            }
            _ if random.u8(..4) == 0 => {
                pool.clear();
                for (handle, _) in oracle.live() {
                    oracle.becomes(handle, Fate::Dead);
                }
            }
            _ => assert_eq!(pool.reclaim_retired(), oracle.reclaim(), "{at}"),
        }
        assert_same(&pool, &oracle, &at);
    }
    drop(pool);
    counted::assert_all_dropped_once("at the end");
}

fn some_handle(random: &mut Dice, oracle: &Oracle<Voice>) -> Handle<Voice> {
    match random.u8(..4) {
        0 => {
            let index = random.u32(..SLOTS as u32 + 3);
            let generation = oracle.generation(index) + random.u32(..4);
            forge(index, generation.min(last_generation::<Voice>()) | 1, random.u32(..8))
        }
        1 => random
            .choice(oracle.lives().map(|life| life.handle).collect::<Vec<_>>())
            .unwrap_or(Handle::NIL),
        _ => random.choice(oracle.live()).map_or(Handle::NIL, |(handle, _)| handle),
    }
}

/// Everything that a caller could observe about `pool` agrees with `oracle`.
fn assert_same(pool: &FixedPool<Voice, SLOTS>, oracle: &Oracle<Voice>, at: &str) {
    let live = oracle.live();
    assert_eq!(
        pool.iter().map(|(handle, voice)| (handle, voice.value)).collect::<Vec<_>>(),
        live,
        "{at}"
    );
    assert!(pool.handles().eq(live.iter().map(|&(handle, _)| handle)), "{at}");
    assert_eq!((pool.len(), pool.is_empty()), (live.len(), live.is_empty()), "{at}");
    let beyond = [Handle::NIL, forge(SLOTS as u32 + 1, 1, 0), forge(1023, 7, 7)];
    for handle in oracle.lives().map(|life| life.handle).chain(beyond) {
        assert_eq!(
            pool.get(handle).map(|voice| voice.value),
            oracle.value(handle),
            "{handle} at {at}"
        );
        assert_eq!(pool[handle].value, pool.read(handle).value, "{handle} at {at}");
        assert_eq!(pool.read(handle).value, oracle.value(handle).unwrap_or(0), "{handle} at {at}");
        assert_eq!(pool.check(handle), oracle.check(handle, SLOTS as u32), "{handle} at {at}");
    }
    counted::assert_none_dropped_twice(at);
    assert_eq!(counted::alive(), live.len() + 1, "values, and the nil thing, at {at}");
}
