//! The hierarchy demo: poses follow from those of parents, links change while everything moves, and
//! there is something to see.

use lath_windows::hierarchy::{Hierarchy, Part, Pose, reach};
use lath_windows::show::{self, Demo};
use lath_windows::xwd::variety;

use lath::prelude::*;

fn named(parts: &Pool<Part>, name: &str) -> Handle<Part> {
    parts
        .handles()
        .find(|part| *parts.read(*part).name == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

fn close(a: Pose, b: Pose) -> bool {
    a.at.iter().zip(b.at).all(|(a, b)| (a - b).abs() < 0.01)
}

#[test]
fn every_part_is_where_its_ancestors_say() {
    let mut demo = Hierarchy::new();
    for _ in 0..500 {
        demo.tick();
    }
    let parts = demo.parts();
    for part in parts.handles() {
        // The slow way: from the root down, each time.
        let mut line: Vec<_> = parts.tree().ancestors(part).collect();
        line.reverse();
        line.push(part);
        let expected = line.iter().fold(Pose::default(), |world, part| {
            let part = parts.read(*part);
            let pose = world.then(*part.local);
            if *part.hangs { Pose { turn: part.local.turn, ..pose } } else { pose }
        });
        assert!(close(*parts.read(part).world, expected), "{} is elsewhere", parts.read(part).name);
    }
}

#[test]
fn there_and_back_again_is_the_same_place() {
    let parent = Pose { at: [30.0, -20.0], turn: 1.2 };
    let local = Pose { at: [5.0, 7.0], turn: -0.4 };
    assert!(close(parent.then(local).seen_from(parent), local));
}

#[test]
fn the_arm_ends_where_it_should_and_stretches_when_it_cannot() {
    for x in [-400.0, -300.0, -120.0, -20.0] {
        let [boom, arm] = reach([x, -150.0]);
        let end = Pose { at: [0.0, 0.0], turn: boom }
            .then(Pose { at: [235.0, 0.0], turn: arm })
            .point([200.0, 0.0]);
        assert!((end[0] - x).abs() < 0.1 && (end[1] + 150.0).abs() < 0.1, "{x}: {end:?}");
    }
    assert!(reach([-9000.0, 0.0]).iter().all(|angle| angle.is_finite()));
    assert!(reach([0.0, 0.0]).iter().all(|angle| angle.is_finite()));
}

#[test]
fn crates_move_from_one_pallet_to_the_other_and_back() {
    let mut demo = Hierarchy::new();
    let [left, right, hook] = ["left", "right", "hook"].map(|name| named(demo.parts(), name));
    let crates = ["red", "blue", "green", "yellow"].map(|name| named(demo.parts(), name));
    let below = |demo: &Hierarchy, root| demo.parts().tree().descendants(root).count();
    assert_eq!((below(&demo, left), below(&demo, right)), (4, 0));

    let (mut seen_right, mut seen_back, mut lifted) = (false, false, 0);
    for _ in 0..12_000 {
        demo.tick();
        let parts = demo.parts();
        let (on_left, on_right, on_hook) =
            (below(&demo, left), below(&demo, right), below(&demo, hook));
        assert_eq!(on_left + on_right + on_hook, 4, "a crate is nowhere");
        assert!(on_hook <= 1, "two crates on the hook");
        lifted += usize::from(on_hook == 1);
        seen_right |= on_right == 4;
        seen_back |= seen_right && on_left == 4;
        // Nobody is below the ground.
        for part in crates {
            assert!(parts.read(part).world.at[1] < 582.0, "{:?}", parts.read(part).world);
        }
    }
    assert!(seen_right && seen_back, "the crane did not come round");
    assert!(lifted > 1000);
}

#[test]
fn a_planet_goes_with_all_that_is_attached_and_the_probe_finds_another() {
    let mut demo = Hierarchy::new();
    for _ in 0..400 {
        demo.tick();
    }
    let uranus = named(demo.parts(), "uranus");
    let before = demo.parts().len();
    demo.press('d');
    assert!(!demo.parts().contains(uranus));
    assert_eq!(demo.parts().len(), before - 6); // the planet, two moons, three orbits
    // The probe goes down with whatever it circles, and the next one is launched, until there are
    // no planets left.
    for planets_left in (0..6).rev() {
        demo.press('d');
        for _ in 0..400 {
            demo.tick();
        }
        let parts = demo.parts();
        let probe = parts.handles().find(|part| *parts.read(*part).name == "probe");
        assert_eq!(probe.is_some(), planets_left > 0, "with {planets_left} planets");
        let host = probe.and_then(|probe| parts.tree().parent(probe));
        assert_eq!(host.is_some(), planets_left > 0, "with {planets_left} planets");
    }
    demo.press('d');
    assert!(demo.parts().contains(named(demo.parts(), "sun")));
    demo.press('r');
    assert_eq!(demo.parts().len(), Hierarchy::new().parts().len());
}

#[test]
fn a_pause_stops_everything_and_a_picture_changes_nothing() {
    let picture = |demo: &mut Hierarchy| show::pixels(demo).unwrap().colors();
    let mut demo = Hierarchy::new();
    demo.tick();
    let before = picture(&mut demo);
    demo.press(' ');
    demo.tick();
    assert_eq!(picture(&mut demo), before);
    demo.press(' ');
    demo.tick();
    assert_ne!(picture(&mut demo), before);
}

#[test]
fn frames_are_the_same_every_time_and_there_is_something_to_see() {
    let frame = || {
        let mut demo = Hierarchy::new();
        for _ in 0..200 {
            demo.tick();
        }
        (show::pixels(&mut demo).unwrap().colors(), show::svg(&mut demo))
    };
    let (pixels, svg) = frame();
    assert!(!variety(&pixels).is_blank(), "{:?}", variety(&pixels));
    assert!(svg.matches("<circle").count() > 400);
    assert!((pixels, svg) == frame());
}
