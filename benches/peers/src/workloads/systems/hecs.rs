//! hecs has no scheduler: the three systems as plain calls.

use hecs::World;

use super::parts;

struct A(f32);
struct B(f32);
struct C(f32);
struct D(f32);
struct E(f32);

pub(super) struct Three(World);

impl super::Three for Three {
    fn new(each: u32) -> Self {
        let mut world = World::new();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            match n / each {
                0 => world.spawn((A(a), B(b))),
                1 => world.spawn((A(a), B(b), C(c))),
                2 => world.spawn((A(a), B(b), C(c), D(d))),
                _ => world.spawn((A(a), B(b), C(c), E(e))),
            };
        }
        Self(world)
    }

    fn run(&mut self) {
        let world = &mut self.0;
        world
            .query_mut::<(&mut A, &mut B)>()
            .into_iter()
            .for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
        world
            .query_mut::<(&mut C, &mut D)>()
            .into_iter()
            .for_each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
        world
            .query_mut::<(&mut C, &mut E)>()
            .into_iter()
            .for_each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        let query = self.0.query_mut::<(&A, &B, Option<&C>)>();
        let mut all: Vec<_> =
            query.into_iter().map(|(a, b, c)| (a.0, b.0, c.map_or(0.0, |c| c.0))).collect();
        all.sort_by(|x, y| x.0.max(x.1).total_cmp(&y.0.max(y.1)));
        all.into_iter().for_each(|(a, _, c)| f(a, c));
    }
}
