use lath_schedule::Schedule;

struct Wind(f32);

fn sail(_: &Wind) {}
fn count(_: u32) {}

fn main() {
    let mut schedule = Schedule::new();
    schedule.add(sail);
    schedule.add(count);
}
