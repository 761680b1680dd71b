//! JSON that is nested deeper than any stack is an error.

use lath_inspect::Request;

#[test]
fn a_request_that_is_nested_deeper_than_any_stack_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = |levels: usize| {
            format!("{{\"value\":{}1{}}}", open.repeat(levels), close.repeat(levels))
        };
        let read = |levels| Request::from_bytes("/api/v1/set", deep(levels).as_bytes());
        assert!(read(100).is_ok());
        let error = read(100_000).unwrap_err();
        assert_eq!(error.status, 400);
    }
}
