//! Makes a program that fails shorter and simpler, as long as it fails.

use crate::game::{Crowd, Failure, try_play};
use crate::program::Step;

/// The shortest and simplest program that was found, and how it fails.
pub fn shrink(program: &[Step], crowd: Crowd, failure: Failure) -> (Vec<Step>, Failure) {
    let mut best = (program[..program.len().min(failure.step + 1)].to_vec(), failure);
    let mut tries = 2000;
    loop {
        let before = best.0.clone();
        let mut length = best.0.len() / 2;
        while length > 0 {
            let mut at = 0;
            while at < best.0.len() {
                let mut shorter = best.0.clone();
                shorter.drain(at..(at + length).min(best.0.len()));
                if !better(&mut best, shorter, crowd, &mut tries) {
                    at += length;
                }
            }
            length /= 2;
        }
        for at in 0..best.0.len() {
            let Some(step) = best.0.get(at).copied() else { break };
            for simpler in step.simpler() {
                let mut program = best.0.clone();
                program[at] = simpler;
                if better(&mut best, program, crowd, &mut tries) {
                    break;
                }
            }
        }
        if best.0 == before || tries == 0 {
            return best;
        }
    }
}

/// Takes a program if it fails too.
fn better(
    best: &mut (Vec<Step>, Failure),
    program: Vec<Step>,
    crowd: Crowd,
    tries: &mut u32,
) -> bool {
    if *tries == 0 {
        return false;
    }
    *tries -= 1;
    match try_play(&program, crowd) {
        Ok(()) => false,
        Err(failure) => {
            let mut program = program;
            program.truncate(failure.step + 1);
            *best = (program, failure);
            true
        }
    }
}
