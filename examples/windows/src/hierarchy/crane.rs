//! A crane that stacks crates: boom, arm, rope and hook, each on the one before it. To lift a crate
//! is to attach it to the hook; to put it down is to attach it to what it stands on.

use lath::prelude::*;

use super::parts::{Part, Pose, Shape, part};
use crate::canvas::Point;

const BOOM: f32 = 235.0;
const ARM: f32 = 200.0;
/// Where the crane stands, and where its boom turns.
const BASE: f32 = 232.0;
const JOINT: Point = [0.0, -74.0];
/// How high the end of the arm is carried.
const HEIGHT: f32 = -240.0;
/// Where the pallets are.
const PALLETS: [f32; 2] = [-150.0, 40.0];
/// A crate, or the height of what is stacked.
const CRATE: f32 = 40.0;
/// From the hook's origin to what hangs on it.
const HOOK: f32 = 12.0;
/// The rope when nothing is being lifted or put down.
const SHORT: f32 = 28.0;
const COLORS: [(&str, u32); 4] =
    [("red", 0xd9604c), ("blue", 0x4c86c6), ("green", 0x6fae6a), ("yellow", 0xe0b04c)];

/// The parts that move, and what the crane is doing.
pub struct Crane {
    /// What everything stands on.
    pub yard: Handle<Part>,
    boom: Handle<Part>,
    arm: Handle<Part>,
    rope: Handle<Part>,
    hook: Handle<Part>,
    pallets: [Handle<Part>; 2],
    /// What hangs on the hook, if anything.
    load: Handle<Part>,
    /// Which of the pallets is being cleared.
    from: usize,
    doing: Doing,
    /// The end of the arm, and how fast it moves sideways.
    tip: f32,
    speed: f32,
    length: f32,
    swing: f32,
    swing_speed: f32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    Travelling,
    Lowering,
    Raising,
}

/// The fields that the crane works with.
#[derive(View)]
#[view(Part)]
pub(super) struct Posed<'a> {
    local: &'a mut Pose,
    world: &'a Pose,
    shape: &'a mut Shape,
}

/// Makes the yard, the crane on it, and two pallets, one of them with crates.
pub(super) fn build(parts: &mut Pool<Part>, at: Point) -> Crane {
    let yard = parts.spawn(Part::new("yard", at[0], at[1]));
    let mut on = |parent, part| {
        parts.spawn_child(parent, part).expect("the parent was made just now, and the pool grows")
    };
    let pallets = [("left", PALLETS[0]), ("right", PALLETS[1])].map(|(name, x)| {
        on(yard, Part::new(name, x, -6.0).looks(Shape::Box([-28.0, 0.0], [28.0, 6.0]), 0x7a6248))
    });
    let mut below = pallets[0];
    for (n, (name, color)) in COLORS.into_iter().enumerate() {
        let y = if n == 0 { 0.0 } else { -CRATE };
        below = on(below, Part::new(name, 0.0, y).looks(crate_shape(), color));
    }

    let base = on(
        yard,
        Part::new("crane", BASE, 0.0).looks(Shape::Cab([-44.0, -66.0], [44.0, 0.0]), 0xc98a2e),
    );
    let boom = on(
        base,
        Part::new("boom", JOINT[0], JOINT[1]).looks(Shape::Beam(BOOM, 17.0, 12.0), 0xe7a93a),
    );
    let arm = on(boom, Part::new("arm", BOOM, 0.0).looks(Shape::Beam(ARM, 12.0, 7.0), 0xf0be5e));
    let rope =
        Part { hangs: true, ..Part::new("rope", ARM, 0.0).looks(Shape::Rope(SHORT), 0xb8bfcc) };
    let rope = on(arm, rope);
    let hook = on(
        rope,
        Part::new("hook", 0.0, SHORT).looks(Shape::Box([-7.0, 0.0], [7.0, HOOK]), 0x8f98a8),
    );
    Crane {
        yard,
        boom,
        arm,
        rope,
        hook,
        pallets,
        load: Handle::NIL,
        from: 0,
        doing: Doing::Travelling,
        tip: PALLETS[1],
        speed: 0.0,
        length: SHORT,
        swing: 0.0,
        swing_speed: 0.0,
    }
}

/// The crane works: over a pallet, down, and up again.
pub(super) fn operate(
    mut crane: ResMut<Crane>,
    mut tree: TreeMut<Part>,
    mut parts: Query<Posed>,
    time: Res<Time>,
) {
    let crane = &mut *crane;
    let dt = time.dt;
    let pallet = crane.pallets[if crane.load.is_nil() { crane.from } else { 1 - crane.from }];
    // The last crate of those that stand on each other, or the pallet.
    let top = tree.as_tree().descendants(pallet).last().unwrap_or(pallet);
    match crane.doing {
        Doing::Travelling => {
            let goal = PALLETS[usize::from(pallet == crane.pallets[1])];
            if crane.travel(goal, dt) {
                crane.doing = Doing::Lowering;
            }
        }
        Doing::Lowering => {
            let (Some(ground), Some(hook)) =
                (world(&mut parts, top), world(&mut parts, crane.hook))
            else {
                return;
            };
            let stack = if top == pallet { 0.0 } else { CRATE };
            let load = if crane.load.is_nil() { 0.0 } else { CRATE };
            let gap = (ground.at[1] - stack) - (hook.at[1] + HOOK + load);
            crane.travel(crane.tip, dt);
            crane.length += gap.clamp(-2.0, 130.0 * dt);
            if gap < 0.5 {
                crane.change_hands(&mut tree, &mut parts, pallet, top);
                crane.doing = Doing::Raising;
            }
        }
        Doing::Raising => {
            crane.travel(crane.tip, dt);
            crane.length = (crane.length - 130.0 * dt).max(SHORT);
            if crane.length == SHORT {
                crane.doing = Doing::Travelling;
            }
        }
    }
    crane.pose(&mut parts);
}

impl Crane {
    /// Takes the top crate, or puts down the one that hangs on the hook. An empty pallet: from now
    /// on the other is cleared.
    fn change_hands(
        &mut self,
        tree: &mut TreeMut<Part>,
        parts: &mut Query<Posed>,
        pallet: Handle<Part>,
        top: Handle<Part>,
    ) {
        if !self.load.is_nil() {
            let local = Pose::at(0.0, if top == pallet { 0.0 } else { -CRATE });
            if hang(tree, parts, self.load, top, local) {
                self.load = Handle::NIL;
            }
        } else if top == pallet {
            self.from = 1 - self.from;
        } else if hang(tree, parts, top, self.hook, Pose::at(0.0, HOOK + CRATE)) {
            self.load = top;
        }
    }

    /// Moves the end of the arm, starting and stopping gently, and lets the rope swing. True when
    /// it is there, and at rest.
    fn travel(&mut self, goal: f32, dt: f32) -> bool {
        let away = goal - self.tip;
        // As fast as it may be to come to rest at the goal.
        let wanted = (2.0 * 140.0 * away.abs()).sqrt().min(170.0).copysign(away);
        let change = (wanted - self.speed).clamp(-140.0 * dt, 140.0 * dt);
        let there = away.abs() < 1.0 && self.speed.abs() < 6.0;
        self.speed = if there { 0.0 } else { self.speed + change };
        self.tip = if there { goal } else { self.tip + self.speed * dt };

        // A pendulum with some friction, pulled along by its end.
        let pull = if there { 0.0 } else { change / dt };
        let force = (pull - 600.0 * self.swing) / (self.length + 60.0) - 2.2 * self.swing_speed;
        self.swing_speed += force * dt;
        self.swing += self.swing_speed * dt;
        there && self.swing.abs() < 0.03
    }

    /// Turns boom and arm so that the arm ends where it should, and lets the rope down.
    fn pose(&self, parts: &mut Query<Posed>) {
        let [boom, arm] = reach([self.tip - BASE - JOINT[0], HEIGHT - JOINT[1]]);
        set(parts, self.boom, |local, _| local.turn = boom);
        set(parts, self.arm, |local, _| local.turn = arm);
        set(parts, self.rope, |local, shape| {
            local.turn = self.swing;
            *shape = Shape::Rope(self.length);
        });
        set(parts, self.hook, |local, _| local.at[1] = self.length);
    }
}

/// The angles of two beams, the second on the end of the first, that end at a point to the left;
/// stretched out if that is too far.
///
/// # Examples
///
/// ```
/// use lath_windows::hierarchy::{Pose, reach};
///
/// let [boom, arm] = reach([-100.0, -200.0]);
/// let boom = Pose { at: [0.0, 0.0], turn: boom };
/// let arm = boom.then(Pose { at: [235.0, 0.0], turn: arm });
/// let end = arm.point([200.0, 0.0]);
/// assert!((end[0] + 100.0).abs() < 0.01 && (end[1] + 200.0).abs() < 0.01);
/// ```
pub fn reach([x, y]: Point) -> [f32; 2] {
    let distance = x.hypot(y).clamp((BOOM - ARM).abs() + 1.0, BOOM + ARM - 1.0);
    let at_joint = (distance * distance + BOOM * BOOM - ARM * ARM) / (2.0 * distance * BOOM);
    let at_elbow = (BOOM * BOOM + ARM * ARM - distance * distance) / (2.0 * BOOM * ARM);
    let boom = y.atan2(x) + at_joint.clamp(-1.0, 1.0).acos();
    [boom, at_elbow.clamp(-1.0, 1.0).acos() - std::f32::consts::PI]
}

fn crate_shape() -> Shape {
    Shape::Crate([-CRATE / 2.0, -CRATE], [CRATE / 2.0, 0.0])
}

/// Attaches a part to another one, at some place on it.
fn hang(
    tree: &mut TreeMut<Part>,
    parts: &mut Query<Posed>,
    part: Handle<Part>,
    to: Handle<Part>,
    local: Pose,
) -> bool {
    let attached = tree.attach(part, to).is_ok();
    if attached {
        set(parts, part, |pose, _| *pose = local);
    }
    attached
}

fn set(parts: &mut Query<Posed>, part: Handle<Part>, change: impl FnOnce(&mut Pose, &mut Shape)) {
    if let Some(part) = parts.get_mut(part) {
        change(part.local, part.shape);
    }
}

fn world(parts: &mut Query<Posed>, part: Handle<Part>) -> Option<Pose> {
    parts.get_mut(part).map(|part| *part.world)
}
