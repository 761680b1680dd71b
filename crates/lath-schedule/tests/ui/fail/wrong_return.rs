use lath_schedule::Schedule;

fn answer() -> u32 {
    42
}

fn main() {
    Schedule::new().add(answer);
}
