use lath_schedule::Schedule;

fn main() {
    let count = std::rc::Rc::new(1);
    Schedule::new().add(move || drop(count.clone()));
}
