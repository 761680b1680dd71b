//! Whatever is asked, in whatever order: an answer, a world that is still whole, and never a panic.
//! See `games/requests.rs`.

mod common;
#[path = "games/requests.rs"]
mod requests;

use common::Fixture;
use common::dice::Dice;
use lath_inspect::Request;
use proptest::prelude::*;

#[test]
fn any_requests_are_answered() {
    for seed in 0..64 {
        requests::play(Dice::with_seed(seed), 60);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_address_is_understood_or_refused(target in "\\PC{0,120}") {
        let mut at = Fixture::new();
        let response = at.ask(Request::get(&target));
        prop_assert!(response.status >= 400, "{target:?}");
        let response = at.ask(Request::get(&format!("/api/v1/things?pool=Actor&filter={target}")));
        prop_assert!([200, 400].contains(&response.status), "{target:?}: {response:?}");
    }
}
