//! A program that is played by one world in which things go wrong: callbacks panic, and memory is
//! refused.
//!
//! Before some of the steps a fuse is lit, so that the n-th callback within the step panics,
//! whichever it is. What is there afterwards must be something that could be left: nothing that is
//! dead has risen, nothing has come that nobody made, all invariants hold, and in the end
//! everything that was made has been dropped.

use crate::adapter::Setup;
use crate::adapter::systems::Threads;
use crate::adapter::things::{First, Layout, Second};
use crate::adapter::world::{Real, Route};
use crate::answer::Answer;
use crate::fuse;
use crate::game::{Failure, Game, message};
use crate::memory;
use crate::program::Step;

/// How many of the steps have no fuse.
const SAFE: u16 = 3;

/// Plays a program in which callbacks panic, in the layout that its first step says.
pub fn try_play(program: &[Step]) -> Result<(), Failure> {
    match program.first() {
        Some(step) if step.b % 2 == 1 => play_in::<Second>(program),
        _ => play_in::<First>(program),
    }
}

fn play_in<L: Layout>(program: &[Step]) -> Result<(), Failure> {
    let setup = Setup::of(program);
    let owned = fuse::owned();
    let mut game =
        Game::of(&setup, vec![Box::new(Real::<L>::new(&setup, Route::Straight, Threads::Many(2)))]);
    for (number, step) in program.iter().enumerate() {
        if game.skips(*step) {
            continue;
        }
        let ask = game.ask(*step);
        let fails = |what| Failure { step: number, ask: format!("{ask:?}, with a fuse"), what };
        let length = step.a.wrapping_mul(31).wrapping_add(step.v);
        if length % (SAFE + 1) == 0 {
            memory::faulty(|| game.step(&ask)).map_err(fails)?;
            continue;
        }
        fuse::light(length % 61 % 12 + 1);
        let answer = fuse::hushed(|| memory::faulty(|| game.side().play(&ask)));
        let burned = fuse::put_out();
        let notes = game.side().notes();
        let planted =
            |answer: &Answer| answer.panic().is_some_and(|text| text.contains(fuse::MESSAGE));
        match answer {
            Ok(answer) if burned && planted(&answer) => {
                game.side().settle();
                game.adopt(&ask).map_err(fails)?;
            }
            Ok(answer) => {
                game.hear(notes);
                game.judged(&ask, &answer).map_err(fails)?;
            }
            Err(panic) if burned => {
                let text = message(&*panic);
                if !text.contains(fuse::MESSAGE) {
                    return Err(fails(format!(
                        "another panic than the one that was planted: {text}"
                    )));
                }
                if ask.call.can_be_repeated() {
                    game.again(&ask).map_err(fails)?;
                } else {
                    game.side().settle();
                    game.adopt(&ask).map_err(fails)?;
                }
            }
            Err(panic) => return Err(fails(message(&*panic))),
        }
    }
    drop(game);
    match fuse::owned() - owned {
        0 => Ok(()),
        left => {
            let what = format!("{left} values were not dropped, or dropped twice");
            Err(Failure { step: program.len(), ask: "the end".into(), what })
        }
    }
}
