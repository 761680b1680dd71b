//! A captain tries the reef three times: back to the chart each time, until one way leads through.
//!
//! Shows: snapshots that are put back, checksums, the same handle after going back, a save as bytes
//! and as text, and a program that has changed in between.
//!
//! Run: `cargo run --example 08_snapshot`

use lath::prelude::*;
use lath::{Load, Write};

#[derive(Thing, Save, Clone, Debug, Default)]
struct Ship {
    name: String,
    hull: i32,
    tows: Handle<Ship>,
}

/// The same ship a year later: `name` is called `title`, `hull` is a float, and there is a flag.
mod later {
    use lath::prelude::*;

    #[derive(Thing, Save, Clone, Debug, Default)]
    pub(crate) struct Ship {
        #[thing(alias = "name")]
        pub(crate) title: String,
        pub(crate) hull: f32,
        pub(crate) tows: Handle<Ship>,
        pub(crate) flag: Option<char>,
    }
}

fn main() -> Result<(), lath::SaveError> {
    let mut world = World::new();
    world.saves::<Ship>();
    let boat = world.spawn(Ship { name: "Minnow".into(), hull: 5, ..default() });
    let ship = world.spawn(Ship { name: "Lath".into(), hull: 30, tows: boat });

    let chart = Snapshot::take(&world)?;
    let checksum = chart.checksum();
    for (way, damage) in [("north", 40), ("south", 31), ("east", 12)] {
        let wreck = world.spawn(Ship { name: format!("wreck of the {way}"), ..default() });
        world.pool_mut::<Ship>().edit(ship, |ship| ship.hull -= damage);
        let hull = world.read(ship).hull;
        println!("{way}: past {wreck}, hull at {hull}");
        if hull > 0 {
            break;
        }
        chart.restore(&mut world)?;
        assert_eq!(Snapshot::take(&world)?.checksum(), checksum);
        assert!(world.get(wreck).is_none()); // and the next one gets the same handle
    }

    let save = Write::new().to_bytes(&Snapshot::take(&world)?)?;
    println!("saved: {} ships", lath::SaveInfo::from_bytes(&save)?.pools[0].live);

    // A year later.
    let mut world = World::new();
    world.saves::<later::Ship>().convert_plain::<later::ship::hull, i32>(|old| old as f32);
    Load::new().from_bytes(&mut world, &save)?;
    let ship = Handle::<later::Ship>::from_bits(ship.to_bits());
    let towed = world.read(world.read(ship).tows);
    println!(
        "loaded: {} tows {}, hull at {:.1}",
        world.read(ship).title,
        towed.title,
        world.read(ship).hull
    );

    let text = Snapshot::take(&world)?.to_text()?;
    Load::new().from_text(&mut world, &text.replace("Minnow", "Pike"))?;
    println!("edited: {} tows {}", world.read(ship).title, world.read(world.read(ship).tows).title);
    Ok(())
}

// Expected output:
//
// north: past 3v1, hull at -10
// south: past 3v1, hull at -1
// east: past 3v1, hull at 18
// saved: 3 ships
// loaded: Lath tows Minnow, hull at 18.0
// edited: Lath tows Pike
