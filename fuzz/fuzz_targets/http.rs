//! What a client may send to the inspector: a head and a body in pieces, whatever they are. What
//! can be understood is asked.

#![no_main]

#[path = "../../crates/lath-inspect/tests/common/mod.rs"]
mod common;
// The parser is not public, and so is compiled once more here; it needs one module of its crate.
#[path = "../../crates/lath-inspect/src/http/parse.rs"]
#[allow(dead_code, reason = "the target uses a part of it")]
mod parse;
#[path = "../../crates/lath-inspect/tests/games/requests.rs"]
#[allow(dead_code, reason = "the target `requests` plays with the rest")]
mod requests;
#[path = "../../crates/lath-inspect/src/response.rs"]
#[allow(dead_code, reason = "the target uses a part of it")]
mod response;

use std::io::{self, Read};
use std::time::Duration;

use common::Fixture;
use lath_inspect::Request;
use libfuzzer_sys::fuzz_target;
use parse::Timed;

/// Gives its bytes in pieces.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

impl Timed for Pieces<'_> {
    fn set_time(&self, _: Duration) -> io::Result<()> {
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&piece, bytes)) = bytes.split_first() else { return };
    let read = parse::read(&mut Pieces(bytes, 1 + usize::from(piece)), Duration::from_secs(60));
    let Ok(Some((head, body))) = read else { return };
    let mut at = Fixture::new();
    let request = match head.method.as_str() {
        "GET" => Ok(Request::get(&head.target)),
        _ => Request::from_bytes(&Request::get(&head.target).path, &body),
    };
    match request {
        Ok(request) => _ = requests::ask(&mut at, request),
        Err(response) => assert!(response.status >= 400),
    }
    requests::check(&at);
});
