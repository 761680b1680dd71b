//! What the game has found in lath, as the programs that it printed.
