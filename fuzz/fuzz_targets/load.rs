//! Loads anything: as a save, as the body of a save with the right checksums, and as text. It is a world or an error.

#![no_main]

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Thing};
use lath_schedule::World;
use lath_snapshot::{Load, Save, SaveInfo, SaveWorld, Snapshot, Write};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 { const A = 1; const B = 2; }
}

#[derive(Thing, Save, Clone, Default)]
struct Row {
    #[thing(tags)]
    tags: Tags,
    name: String,
    target: Handle<Row>,
}

#[derive(Thing, Save, Clone, Default)]
#[thing(columns, handle(bits = 32, index = 12))]
struct Columns {
    pos: [f32; 3],
    #[thing(hot)]
    hp: f32,
    #[thing(cold)]
    title: String,
}

fn world() -> World {
    let mut world = World::new();
    world.saves::<Row>();
    world.saves::<Columns>();
    world.saves_resource::<Vec<u32>>();
    world
}

/// A save with this body, and the right checksums for it.
fn with_body(body: &[u8]) -> Vec<u8> {
    let mut file = b"LATHSAVE".to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend([if cfg!(target_endian = "big") { 2 } else { 1 }, 0, 0, 0]);
    file.extend((body.len() as u64).to_le_bytes());
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(xxh3_64(body).to_le_bytes());
    file.extend(xxh3_64(&file).to_le_bytes());
    file.extend(body);
    file
}

fuzz_target!(|bytes: &[u8]| {
    let mut world = world();
    let _ = Load::new().from_bytes(&mut world, bytes);
    let file = with_body(bytes);
    let _ = SaveInfo::from_bytes(&file);
    let _ = Load::new().from_bytes(&mut world, &file);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Load::new().from_text(&mut world, text);
    }
    // Whatever it was: the world is one that can be checked, used, and saved again.
    world.pool_mut::<Row>().check_invariants().unwrap();
    world.pool_mut::<Columns>().check_invariants().unwrap();
    world.spawn(Row::default());
    world.pool_mut::<Columns>().clear();
    let snapshot = Snapshot::take(&world).unwrap();
    let again = Write::new().to_bytes(&snapshot).unwrap();
    Load::new().from_bytes(&mut world, &again).unwrap();
});
