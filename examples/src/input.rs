//! What comes from outside while the colony runs: lines that are typed, and Ctrl-C.

use std::io::stdin;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::orders::Order;

/// Something that somebody wants.
#[derive(Debug)]
pub(crate) enum Input {
    Order(Order),
    /// Save and end.
    Stop,
    /// What was typed means nothing: a sentence about it.
    Unclear(String),
}

/// Listens for Ctrl-C and for `kill`, and, if asked to, to what is typed.
///
/// The first Ctrl-C lets the tick end, saves, and ends the program. The second one ends it at once.
pub(crate) fn listen(to_keys: bool) -> Receiver<Input> {
    let (sender, inputs) = channel();
    let stop = sender.clone();
    let mut asked = false;
    let heard = ctrlc::set_handler(move || {
        if std::mem::replace(&mut asked, true) || stop.send(Input::Stop).is_err() {
            std::process::exit(130);
        }
    });
    if let Err(error) = heard {
        eprintln!("colony: cannot listen for Ctrl-C ({error}): it will end without saving");
    }
    if to_keys {
        thread::spawn(move || {
            for line in stdin().lines() {
                let Ok(line) = line else { break };
                let input = match line.trim() {
                    "" => continue,
                    "q" | "quit" => Input::Stop,
                    text => text.parse().map_or_else(Input::Unclear, Input::Order),
                };
                if sender.send(input).is_err() {
                    break;
                }
            }
        });
    }
    inputs
}
