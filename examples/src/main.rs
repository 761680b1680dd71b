//! What `cargo run --release` shows: a colony. Its map is in `lib.rs`.

fn main() -> std::process::ExitCode {
    lath_examples::run()
}
