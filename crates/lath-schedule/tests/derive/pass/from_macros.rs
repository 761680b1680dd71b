//! Types and names that come out of `macro_rules!`.
use lath_schedule::{Local, Params, Res, Schedule, World};

macro_rules! parameters {
    ($vis:vis $name:ident $field:ident: $ty:ty) => {
        #[derive(Params)]
        $vis struct $name<'w, 's> {
            $vis $field: $ty,
            runs: Local<'s, u32>,
            more: $crate::Seconds<'w>,
        }
    };
}

type Seconds<'w> = Res<'w, f32>;

parameters!(pub(crate) Ticks time: Res<'w, f32>);
parameters!(Runs count: Local<'s, u32>);

fn main() {
    let mut world = World::new();
    world.insert(0.5f32);
    let mut schedule = Schedule::new();
    schedule.add(|mut ticks: Ticks, mut runs: Runs| {
        *runs.count += (*ticks.time * 2.0) as u32;
        *runs.runs += *runs.more as u32;
        *ticks.runs += *ticks.more as u32;
    });
    schedule.run(&mut world);
}
