//! Two players skirmish, and every frame is played several times: ggrs goes back a few frames after
//! each, plays them again, and compares the checksums.
//!
//! Shows: [`Rollback`] between a session and a world.
//!
//! Run: `cargo run --release -p lath-rollback --example sync_test`

use ggrs::{Config, PlayerType, PredictRepeatLast, SessionBuilder};
use lath_rollback::{Rollback, skirmish};

struct Skirmish;

impl Config for Skirmish {
    type Input = skirmish::Input;
    type InputPredictor = PredictRepeatLast;
    type State = u64; // the frame; the snapshots are in the history
    type Address = String;
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const BACK: usize = 7;
    let mut session = SessionBuilder::<Skirmish>::new()
        .with_num_players(2)?
        .with_max_prediction_window(8)
        .with_check_distance(BACK)
        .add_player(PlayerType::Local, 0)?
        .add_player(PlayerType::Local, 1)?
        .start_synctest_session()?;
    let mut game = Rollback::new(skirmish::world(7), BACK);
    let mut schedule = skirmish::schedule();

    for frame in 0..600u32 {
        // The players press something else every few frames.
        session.add_local_input(0, skirmish::Input((frame / 9 * 5) as u8 & 31))?;
        session.add_local_input(1, skirmish::Input((frame / 7 * 11) as u8 & 31))?;
        let requests = session.advance_frame()?; // an error here is a checksum that differs
        game.follow(requests, |world, inputs| {
            skirmish::advance(world, &mut schedule, [inputs[0].0, inputs[1].0]);
        })?;
    }

    let counts = game.counts();
    assert!(counts.advanced > 7 * 590);
    println!(
        "600 frames, {} of them played again, {} times back: no checksum differs",
        counts.advanced - 600,
        counts.loaded
    );
    Ok(())
}
