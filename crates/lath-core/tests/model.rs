//! Random calls of every kind, against an oracle that never reuses anything: P1 to P3 of the pool.
//!
//! See `common/play.rs` for how to play a failure again, or longer games.

mod common;
#[path = "games/rows.rs"]
mod rows;

use common::play::{Room, play};
use rows::{Little, Middle, MiddleKinds, Once, Plain, Tagged, Tiny, Tiny3, Tiny6, Wide, WideKinds};

#[test]
fn things_without_anything_to_drop_agree_with_the_oracle() {
    play::<Plain>(Room::Growable, 70..76);
    play::<Plain>(Room::Fixed(200), 76..78);
}

#[test]
fn handles_of_64_bits_agree_with_the_oracle() {
    play::<Wide>(Room::Growable, 0..6);
    play::<Wide>(Room::Capacity(300), 6..8);
    play::<Wide>(Room::Fixed(40), 8..12);
}

#[test]
fn handles_of_64_bits_with_kinds_agree_with_the_oracle() {
    play::<WideKinds>(Room::Growable, 12..16);
    play::<WideKinds>(Room::Fixed(200), 16..18);
}

#[test]
fn handles_of_32_bits_agree_with_the_oracle() {
    play::<Middle>(Room::Growable, 18..22);
    play::<MiddleKinds>(Room::Growable, 22..26);
    play::<MiddleKinds>(Room::Fixed(64), 26..30);
}

#[test]
fn handles_of_16_bits_agree_with_the_oracle() {
    play::<Little>(Room::Growable, 30..34);
    play::<Little>(Room::Fixed(1), 34..36);
    play::<Tiny>(Room::Growable, 36..40);
}

#[test]
fn handles_whose_generations_run_out_all_the_time_agree_with_the_oracle() {
    play::<Tiny3>(Room::Growable, 40..46);
    play::<Tiny6>(Room::Growable, 46..52);
    play::<Tiny6>(Room::Fixed(20), 52..56);
    play::<Once>(Room::Growable, 56..60);
}

#[test]
fn things_with_tags_agree_with_the_oracle() {
    play::<Tagged>(Room::Growable, 60..66);
    play::<Tagged>(Room::Fixed(200), 66..70);
}
