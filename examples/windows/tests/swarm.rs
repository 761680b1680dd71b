//! The swarm demo: the same particles to the last bit, whatever the layout and the number of
//! threads.

use lath_windows::show::{self, Demo};
use lath_windows::swarm::{Body, Layout, Options, SwarmDemo, checksum, compare, disc, swarm};
use lath_windows::xwd::variety;

/// More than a few blocks, and not a multiple of anything.
const COUNT: u32 = 10_007;

fn bits(bodies: &[Body]) -> Vec<[u32; 5]> {
    bodies
        .iter()
        .map(|body| [body.x, body.y, body.vx, body.vy, body.heat].map(f32::to_bits))
        .collect()
}

#[test]
fn rows_and_columns_give_the_same_positions_on_any_number_of_threads() {
    let start = disc(COUNT);
    let run = |layout, threads| {
        let mut swarm = swarm(layout, &start, 0, threads);
        for _ in 0..50 {
            swarm.tick();
        }
        bits(&swarm.bodies())
    };
    let expected = run(Layout::Rows, 1);
    assert_ne!(expected, bits(&start));
    for (layout, threads) in [(Layout::Columns, 1), (Layout::Rows, 3), (Layout::Columns, 3)] {
        assert!(run(layout, threads) == expected, "{layout:?} on {threads} threads");
    }
}

/// The same as the systems do, one particle at a time and with nothing of lath.
#[test]
fn a_tick_is_what_the_formulas_say() {
    let start = disc(100);
    let mut swarm = swarm(Layout::Columns, &start, 0, 1);
    swarm.tick();
    let wells = lath_windows::swarm::Wells::at(1).0;
    let dt = 1.0 / 60.0;
    for (before, after) in start.iter().zip(swarm.bodies()) {
        let (mut ax, mut ay) = (0.0, 0.0);
        for well in wells {
            let (dx, dy) = (well.x - before.x, well.y - before.y);
            let pull = well.strength / (dx * dx + dy * dy + 900.0);
            ax += dx * pull;
            ay += dy * pull;
        }
        let (vx, vy) = (before.vx + ax * dt, before.vy + ay * dt);
        assert_eq!(
            (after.vx, after.vy, after.x, after.y),
            (vx, vy, before.x + vx * dt, before.y + vy * dt)
        );
    }
}

#[test]
fn switching_while_it_moves_changes_nothing_but_the_layout() {
    let options = |layout, tour| Options { particles: COUNT, layout, threads: vec![1, 2], tour };
    let [mut still, mut switched, mut toured] = [
        options(Layout::Rows, false),
        options(Layout::Columns, false),
        options(Layout::Rows, true),
    ]
    .map(SwarmDemo::new);
    for tick in 0..60 {
        if tick % 7 == 3 {
            switched.press(if tick % 2 == 0 { ' ' } else { 't' });
        }
        still.tick();
        switched.tick();
        toured.tick();
    }
    let expected = bits(&still.swarm().bodies());
    assert!(bits(&switched.swarm().bodies()) == expected);
    assert!(bits(&toured.swarm().bodies()) == expected);
    switched.press('p');
    switched.tick();
    assert!(bits(&switched.swarm().bodies()) == expected);
}

#[test]
fn the_comparison_tries_everything_and_finds_the_same_particles() {
    let runs = compare(&disc(2000), 5, &[1, 2]).unwrap();
    let tried: Vec<_> = runs.iter().map(|run| (run.layout.name(), run.threads)).collect();
    assert_eq!(tried, [("rows", 1), ("columns", 1), ("rows", 2), ("columns", 2)]);
    assert!(runs.iter().all(|run| run.checksum == runs[0].checksum && run.fastest <= run.mean));
}

#[test]
fn the_checksum_sees_every_number() {
    let bodies = disc(3);
    for n in 0..5 {
        let mut other = bodies.clone();
        let Body { x, y, vx, vy, heat } = &mut other[1];
        *[x, y, vx, vy, heat][n] += 1.0;
        assert_ne!(checksum(&other), checksum(&bodies));
    }
}

#[test]
fn there_is_something_to_see() {
    let mut demo = SwarmDemo::new(Options {
        particles: 50_000,
        layout: Layout::Rows,
        threads: vec![1],
        tour: false,
    });
    for _ in 0..30 {
        demo.tick();
    }
    let pixels = show::pixels(&mut demo).unwrap().colors();
    assert!(!variety(&pixels).is_blank(), "{:?}", variety(&pixels));
    assert!(show::svg(&mut demo).contains("data:image/png"));
}
