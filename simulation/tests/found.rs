//! What the game has found in lath, as the programs that it printed.

use lath::prelude::*;
use lath_simulation::program::Call::*;
use lath_simulation::program::step;
use lath_simulation::{memory, play, play_with_faults};

#[global_allocator]
static POISONED: lath_simulation::poison::Poisoned = lath_simulation::poison::Poisoned;

/// After a restore a tree that nobody had asked for when the snapshot was taken still marked things
/// by itself that were moved, so that the next sweep over what is dirty reached others than it had
/// the first time.
#[test]
fn a_tree_that_was_not_there_forgets_that_marks_were_in_use() {
    play(&[
        step(TakeSnapshot, 0, 0, 0, 22441),
        step(Mark, 0, 0, 0, 41),
        step(RestoreSnapshot, 0, 0, 0, 50383),
    ]);
}

/// The model had thought that only `clear` ends what is reserved.
#[test]
fn a_despawn_of_many_that_panics_may_have_ended_what_was_reserved() {
    play_with_faults(&[
        step(Reserve, 0, 0, 0, 0),
        step(Spawn, 0, 0, 0, 0),
        step(Reserve, 0, 0, 0, 0),
        step(DespawnMany, 0, 5766, 0, 18256),
    ]);
}

/// The text of a parent named children that are staged, which are not in a text: it could not be
/// read again.
#[test]
fn a_text_does_not_name_children_that_are_staged() {
    play(&[
        step(SpawnMany, 13, 7573, 7005, 53565),
        step(EachWithRest, 7, 0, 0, 0),
        step(Retain, 7, 786, 0, 53974),
        step(Attach, 1, 32964, 50, 0),
        step(WriteText, 0, 0, 0, 14527),
        step(ReadText, 0, 0, 0, 17629),
    ]);
}

/// The list of freed slots has entries that will be passed over, and as many of them as there is
/// memory for: so a world had another checksum than the one that was loaded from its save.
#[test]
fn a_world_has_the_checksum_of_the_one_that_is_loaded_from_its_save() {
    play(&[
        step(SpawnMany, 4, 0, 1, 0),
        step(SetReuse, 4, 0, 0, 1141),
        step(WorldDespawn, 10, 1, 0, 0),
        step(StageFromThreads, 10, 0, 9, 0),
        step(DespawnMany, 10, 4546, 1410, 10436),
        step(TakeSnapshot, 0, 0, 0, 0),
    ]);
}

/// The compiler leaks what is being returned when a local value panics in its `Drop`; here a
/// prefab, while the image that it was made from was dropped.
#[test]
fn a_drop_that_panics_while_a_prefab_is_made_leaks_nothing() {
    play_with_faults(&[
        step(SpawnRange, 4, 0, 34001, 0),
        step(Spawn, 10, 0, 0, 0),
        step(MakePrefab, 10, 37238, 0, 0),
    ]);
}

/// What a world saves is lent out while a save is read, and was lost with a panic in a
/// `Deserialize`; what was reserved for a prefab stayed reserved after one in a `Clone`.
#[test]
fn whichever_callback_of_a_load_or_a_prefab_panics_nothing_is_lost() {
    for fuse in 0..60 {
        play_with_faults(&[
            step(SpawnMany, 0, 0, 485, 4),
            step(Save, 0, 0, 1, 0),
            step(Load, 0, fuse, 0, 0),
            step(Spawn, 0, 0, 0, 4),
            step(MakePrefab, 0, 68, 0, 0),
            step(SpawnPrefab, 0, fuse, 0, 0),
        ]);
    }
}

/// An image of a group that is not full had the slots between as well, which nobody had written.
#[test]
fn an_image_holds_no_memory_that_nobody_has_written() {
    use lath::prelude::*;
    use lath_simulation::adapter::copies::is_written;
    use lath_simulation::adapter::things::{Piece, first, second};
    use lath_simulation::body::{Body, Id};

    fn all_is_written<T: Piece>() -> bool {
        let mut pool = Pool::<T>::new();
        let things: Vec<_> = (0..10).map(|n| pool.spawn(T::make(&Body::new(n, Id::NIL)))).collect();
        assert!(pool.despawn(things[7]));
        is_written(&pool)
    }
    assert!(all_is_written::<first::Spark>() && all_is_written::<second::Spark>());
    assert!(all_is_written::<first::Ship>() && all_is_written::<second::Ship>());
    assert!(all_is_written::<first::Crew>() && all_is_written::<second::Crew>());
}

/// A `Clone` that panicked on the way back left the tags of the snapshot beside the bitmaps of the
/// pool.
#[test]
fn a_clone_that_panics_while_a_snapshot_is_put_back_leaves_tags_as_they_were() {
    play_with_faults(&[
        step(Spawn, 0, 0, 5553, 0),
        step(Spawn, 0, 0, 0, 0),
        step(WorldDespawn, 0, 12242, 0, 0),
        step(Save, 0, 0, 0, 49358),
        step(WorldTags, 0, 12194, 0, 46961),
        step(Spawn, 0, 0, 0, 0),
        step(TakeSnapshot, 0, 0, 0, 0),
        step(WorldSpawn, 0, 0, 0, 0),
        step(BringUpToDate, 0, 0, 0, 0),
        step(Load, 0, 0, 0, 27812),
        step(RestoreSnapshot, 0, 0, 0, 26394),
    ]);
}

/// The mark of a thing that had gone took the place of that of the next one in its slot, in images and
/// in what was put back from them.
#[test]
fn a_snapshot_knows_the_mark_of_a_thing_from_that_of_the_one_before() {
    play(&[
        step(WorldSpawn, 2, 0, 0, 0),
        step(Spawn, 8, 0, 0, 0),
        step(Mark, 8, 0, 0, 33225),
        step(Stage, 2, 0, 0, 0),
        step(InspectorSpawns, 14, 0, 44649, 0),
        step(InspectorUndoes, 0, 0, 0, 0),
        step(WorldDespawn, 2, 40226, 0, 0),
        step(SpawnTree, 14, 0, 0, 0),
        step(TakeSnapshot, 0, 0, 0, 0),
    ]);
}

/// After something that was staged found no memory, slots that became free were passed over by what
/// was staged next.
#[test]
fn what_is_staged_takes_the_lowest_slot_also_after_a_refusal() {
    play_with_faults(&[
        step(Spawn, 3, 0, 0, 0),
        step(Reserve, 3, 0, 0, 0),
        step(CloneOver, 3, 0, 0, 0),
        step(WithoutMemory, 3, 0, 31752, 0),
        step(Despawn, 3, 47330, 0, 0),
        step(EachWithRest, 3, 0, 0, 0),
    ]);
}

/// The list of a pool's relations grew without asking, and so did what a relation starts with: the
/// program ended.
#[test]
fn a_first_child_for_whose_links_there_is_no_memory_is_refused() {
    #[derive(Thing, Default, Debug)]
    struct Ship {}

    for given in 0.. {
        let mut pool = Pool::new();
        let hull = pool.spawn(Ship {});
        let child = memory::faulty(|| memory::refused(given, || pool.spawn_child(hull, Ship {})));
        assert_eq!(pool.check_invariants(), Ok(()));
        assert_eq!(pool.len(), if child.is_ok() { 2 } else { 1 }, "after {given} allocations");
        if child.is_ok() {
            assert!(given >= 2, "the list of relations and the links take memory");
            break;
        }
    }
}

/// A copy of a pool had no room for the tags, and the owners, of groups that are far from all
/// others: no filter saw them there.
#[test]
fn a_copy_of_a_pool_knows_the_tags_of_what_is_far_away() {
    play(&[step(SpawnAt, 0, 7178, 3357, 0), step(CascadeDirty, 0, 0, 0, 0)]);
}
