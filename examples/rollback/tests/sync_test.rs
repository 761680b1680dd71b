//! Thousands of frames in a session that goes back after each of them: no checksum ever differs.
//! And one that would be found out if a snapshot forgot something.

use ggrs::{Config, GgrsError, PlayerType, PredictRepeatLast, SessionBuilder, SyncTestSession};
use lath_rollback::{Rollback, skirmish};
use lath_schedule::{Schedule, World};
use skirmish::Input;

struct Skirmish;

impl Config for Skirmish {
    type Input = Input;
    type InputPredictor = PredictRepeatLast;
    type State = u64;
    type Address = String;
}

fn session(back: usize) -> SyncTestSession<Skirmish> {
    SessionBuilder::new()
        .with_num_players(2)
        .and_then(|builder| {
            builder
                .with_max_prediction_window(10)
                .with_check_distance(back)
                .add_player(PlayerType::Local, 0)
        })
        .and_then(|builder| builder.add_player(PlayerType::Local, 1))
        .and_then(SessionBuilder::start_synctest_session)
        .unwrap()
}

/// Keys of both players, at random but the same on every run.
fn keys(frame: u64) -> [Input; 2] {
    [0x9E37_79B9_7F4A_7C15u64, 0xC2B2_AE3D_27D4_EB4F]
        .map(|odd| Input((frame / 6).wrapping_mul(odd).rotate_left(17) as u8 & 31))
}

fn play(
    session: &mut SyncTestSession<Skirmish>,
    game: &mut Rollback,
    frames: u64,
    mut advance: impl FnMut(&mut World, [Input; 2]),
) -> Result<(), GgrsError> {
    for frame in 0..frames {
        for (player, input) in keys(frame).into_iter().enumerate() {
            session.add_local_input(player, input)?;
        }
        let requests = session.advance_frame()?;
        game.follow(requests, |world, inputs| advance(world, [inputs[0].0, inputs[1].0])).unwrap();
    }
    Ok(())
}

fn plain_run(mut schedule: Schedule, frames: u64) -> World {
    let mut world = skirmish::world(3);
    (0..frames).for_each(|frame| skirmish::advance(&mut world, &mut schedule, keys(frame)));
    world
}

#[test]
fn thousands_of_frames_are_played_again_without_a_difference() {
    const FRAMES: u64 = 4000;
    let (mut session, mut game, mut schedule) =
        (session(8), Rollback::new(skirmish::world(3), 8), skirmish::schedule());
    play(&mut session, &mut game, FRAMES, |world, inputs| {
        skirmish::advance(world, &mut schedule, inputs)
    })
    .unwrap();
    assert!(game.counts().loaded > FRAMES - 20);
    assert!(skirmish::score(game.world()).iter().sum::<u32>() > 50, "not much has happened");
    // And the result is that of a game that was played once, straight on.
    let straight = plain_run(skirmish::schedule(), FRAMES);
    let checksum = lath_snapshot::Snapshot::take(&straight).unwrap().checksum();
    assert_eq!(game.checksum().unwrap(), checksum);
    game.world().pool::<skirmish::Body>().check_invariants().unwrap();
}

#[test]
fn tracking_changes_makes_no_difference() {
    let mut world = skirmish::world(3);
    world.pool_mut::<skirmish::Body>().track_changes();
    let (mut session, mut game, mut schedule) =
        (session(5), Rollback::new(world, 5), skirmish::schedule());
    play(&mut session, &mut game, 1500, |world, inputs| {
        skirmish::advance(world, &mut schedule, inputs)
    })
    .unwrap();
    let checksum =
        lath_snapshot::Snapshot::take(&plain_run(skirmish::schedule(), 1500)).unwrap().checksum();
    assert_eq!(game.checksum().unwrap(), checksum);
}

#[test]
fn what_is_not_part_of_the_state_is_found_out() {
    let (mut session, mut game, mut schedule) =
        (session(4), Rollback::new(skirmish::world(3), 4), skirmish::schedule());
    let mut outside = 0u8; // goes on when the world goes back
    let result = play(&mut session, &mut game, 500, |world, [one, two]| {
        outside = outside.wrapping_add(1);
        skirmish::advance(world, &mut schedule, [Input(one.0 ^ u8::from(outside % 3 == 0)), two]);
    });
    assert!(matches!(result, Err(GgrsError::MismatchedChecksum { .. })));
}
