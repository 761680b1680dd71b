//! Safe code that tries to be given what it must not have.

use lath_schedule::{Params, Res, ResMut, Schedule};

struct Wind(u32);

/// A type that differs with the lifetime that it is written with: what a macro makes of it, the derive cannot know.
macro_rules! two_faced {
    ('static) => { Res<'static, Wind> };
    ($of:lifetime) => { ResMut<$of, Wind> };
}

#[test]
fn a_macro_cannot_make_parameters_declare_less_than_they_use() {
    #[derive(Params)]
    struct Sly<'w> {
        wind: two_faced!('w),
    }
    fn one(mut sly: Sly) {
        sly.wind.0 += 1;
    }
    let error = Schedule::new().try_add(|_: Sly, _: Sly| ()).err();
    assert!(error.is_some_and(|error| error.to_string().contains("resource `Wind`")), "two parameters can change one resource");
    fn look(_: Res<Wind>) {}
    let mut schedule = Schedule::new();
    schedule.add((one, look));
    assert!(schedule.explain_pair("one", "look").unwrap().contains("waits for"));
}
