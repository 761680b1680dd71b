//! What the game does not play because lath is known to do it wrong. Each is shown by a test in
//! `tests/known_failures.rs`, which must fail, and goes with the issue that mends it.
//!
//! Links are not made while memory is refused: the list of a pool's relations and that of what was
//! marked grow without asking, and end the program (issue 23).
//! `a_first_child_for_whose_links_there_is_no_memory_is_refused` shows the first. Neither are cold
//! values, which are put into boxes.
//!
//! Systems are not played beside copies of the world: a rollback keeps neither the events that were
//! read since nor the locals of systems (issue 24). `a_rollback_puts_back_which_events_were_read`
//! shows it.
