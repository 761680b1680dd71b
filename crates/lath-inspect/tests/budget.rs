//! However much is asked, one update does a few slices of it; everybody gets an answer in the end.

mod common;

use std::time::Duration;

use common::{Actor, Fixture, Vec2};
use lath_inspect::{Budget, Request};

fn crowd() -> Fixture {
    let mut at = Fixture::new();
    for number in 0..20_000u32 {
        let pos = Vec2 { x: (number * 7919 % 20_000) as f32, y: 0.0 };
        at.world.spawn(Actor { pos, hp: number as f32, ..Default::default() });
    }
    at
}

#[test]
fn a_long_request_is_answered_over_many_updates_and_quick_ones_overtake_it() {
    let mut at = crowd();
    at.inspector.budget(Budget::Slices(2));
    let line = at.inspector.line();
    let long = line.send(Request::get("/api/v1/things?pool=Actor&sort=pos.x&filter=hp>=0&limit=3"));
    at.inspector.update(&mut at.world, &mut at.schedule);
    let quick = line.send(Request::get("/api/v1/world"));
    let updated = at.inspector.update(&mut at.world, &mut at.schedule);
    assert_eq!((updated.answered, updated.waiting), (1, 1));
    assert_eq!(quick.poll().unwrap().status, 200);
    assert_eq!(long.poll(), None);
    let mut updates = 2;
    let page = loop {
        let updated = at.inspector.update(&mut at.world, &mut at.schedule);
        assert!(updated.slices <= 2, "{updated:?}");
        updates += 1;
        if let Some(response) = long.poll() {
            break response.body;
        }
    };
    assert_eq!(page["total"], 20_010);
    let first = &page["rows"][0]["cells"][1]["text"];
    assert!(first.as_str().unwrap().starts_with("Vec2 { x: 0.0"), "{first}");
    // 20 010 things in slices of 512, a sort in slices of 2048, four rounds of merging: some
    // hundred slices, two per update.
    assert!((40..70).contains(&updates), "{updates} updates");
}

#[test]
fn nobody_works_for_one_who_has_gone() {
    let mut at = crowd();
    at.inspector.budget(Budget::Slices(1));
    let answer = at.inspector.line().send(Request::get("/api/v1/things?pool=Actor&sort=pos.x"));
    assert_eq!(at.inspector.update(&mut at.world, &mut at.schedule).waiting, 1);
    drop(answer);
    let mut slices = 0;
    while at.inspector.update(&mut at.world, &mut at.schedule).waiting > 0 {
        slices += 1;
    }
    assert!(slices < 3, "{slices} slices for nobody");
}

#[test]
fn too_many_at_once_are_told_to_try_again() {
    let at = crowd();
    let line = at.inspector.line();
    let answers: Vec<u16> =
        (0..70).map(|_| line.ask(Request::get("/api/v1/world"), Duration::ZERO).status).collect();
    assert_eq!(answers.iter().filter(|&&status| status == 504).count(), 64);
    assert_eq!(answers.iter().filter(|&&status| status == 503).count(), 6);
}

#[test]
fn an_update_without_requests_does_no_slices() {
    let mut at = crowd();
    let updated = at.inspector.update(&mut at.world, &mut at.schedule);
    assert_eq!((updated.slices, updated.answered, updated.waiting), (0, 0, 0));
}

#[test]
fn a_listener_that_does_not_listen_delays_nobody() {
    let mut at = Fixture::new();
    let beats = at.inspector.line().listen().unwrap();
    for _ in 0..30 {
        at.inspector.update(&mut at.world, &mut at.schedule);
        std::thread::sleep(Duration::from_millis(50)); // fifteen beats at least
    }
    let heard: Vec<_> = beats.try_iter().collect();
    assert_eq!(heard.len(), 8, "as many as are kept for it");
    assert!(heard[0].contains("\"live\":{\"Actor\":10,\"House\":1,\"Spark\":1}"), "{}", heard[0]);
}
