//! The program: see the library beside it, which is also linked by the comparison with an older
//! commit (`scripts/before.sh`).

use std::process::ExitCode;

use lath_peers::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    lath_peers::main(lath_peers::all())
}
