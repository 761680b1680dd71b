//! The line between the world's thread and those that carry requests: bounded, and nobody on it
//! waits for ever.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::response::{Fault, Request, Response};

/// How many requests can wait for the world.
const MOST_WAITING: usize = 64;

/// How many beats a listener may be behind before it misses some.
const MOST_BEATS: usize = 8;

/// A way to ask the inspector from other threads: [`Inspector::line`](crate::Inspector::line). It
/// can be cloned.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use lath_inspect::{Inspector, Request};
/// use lath_schedule::{Schedule, World};
///
/// let mut inspector = Inspector::new();
/// let line = inspector.line();
/// let asker = std::thread::spawn(move || line.ask(Request::get("/api/v1/world"), Duration::from_secs(60)));
///
/// let (mut world, mut schedule) = (World::new(), Schedule::new());
/// while !asker.is_finished() {
///     inspector.update(&mut world, &mut schedule); // answers on this thread
/// }
/// assert_eq!(asker.join().unwrap().status, 200);
/// ```
#[derive(Clone)]
pub struct Line {
    sender: SyncSender<Waiting>,
}

/// What waits for the world.
pub(crate) enum Waiting {
    Request(Asked),
    /// Wants to hear of every beat.
    Listener(SyncSender<Arc<str>>),
}

/// A request and whom to answer.
pub(crate) struct Asked {
    pub(crate) request: Request,
    reply: SyncSender<Response>,
    asker: Weak<()>,
}

impl Asked {
    /// Whether anybody still waits for the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        self.asker.strong_count() > 0
    }

    pub(crate) fn answer(&self, response: Response) {
        // Whoever asked may have lost patience.
        let _ = self.reply.try_send(response);
    }
}

impl Line {
    pub(crate) fn new() -> (Self, Receiver<Waiting>) {
        let (sender, receiver) = sync_channel(MOST_WAITING);
        (Self { sender }, receiver)
    }

    /// Asks, and waits for an answer: 503 if too many are waiting already, 504 if the world does
    /// not answer in time.
    ///
    /// # Examples
    ///
    /// See [`Line`].
    pub fn ask(&self, request: Request, patience: Duration) -> Response {
        self.send(request).wait(patience)
    }

    /// Asks without waiting. Whoever drops the answer does not want it any more, and no more work
    /// is done for it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_inspect::{Inspector, Request};
    /// # use lath_schedule::{Schedule, World};
    /// let mut inspector = Inspector::new();
    /// let answer = inspector.line().send(Request::get("/api/v1/world"));
    /// assert!(answer.poll().is_none());
    /// inspector.update(&mut World::new(), &mut Schedule::new());
    /// assert_eq!(answer.poll().unwrap().status, 200);
    /// ```
    pub fn send(&self, request: Request) -> Answer {
        let (reply, answer) = sync_channel(1);
        let here = Arc::new(());
        let asked = Asked { request, reply: reply.clone(), asker: Arc::downgrade(&here) };
        let refused = match self.sender.try_send(Waiting::Request(asked)) {
            Ok(()) => None,
            Err(TrySendError::Full(_)) => {
                Some(format!("{MOST_WAITING} requests are waiting already: try again"))
            }
            Err(TrySendError::Disconnected(_)) => Some("the inspector is gone".to_owned()),
        };
        if let Some(message) = refused {
            // There is room for it: nobody else has answered.
            let _ = reply.try_send(Fault::new(503, message).into());
        }
        Answer { answer, _here: here }
    }

    /// A text of JSON for every beat, a few a second while the world is updated. Who does not keep
    /// up misses some. `None` if too many are waiting already.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_inspect::Inspector;
    /// # use lath_schedule::{Schedule, World};
    /// let mut inspector = Inspector::new();
    /// let beats = inspector.line().listen().unwrap();
    /// inspector.update(&mut World::new(), &mut Schedule::new());
    /// assert!(beats.recv().unwrap().contains("\"tick\":1"));
    /// ```
    pub fn listen(&self) -> Option<Receiver<Arc<str>>> {
        let (sender, receiver) = sync_channel(MOST_BEATS);
        self.sender.try_send(Waiting::Listener(sender)).ok().map(|()| receiver)
    }
}

/// What a request that was [sent](Line::send) is answered, sooner or later.
pub struct Answer {
    answer: Receiver<Response>,
    /// As long as this is there, somebody wants to know.
    _here: Arc<()>,
}

impl Answer {
    /// The answer, if it has come. It comes once.
    ///
    /// # Examples
    ///
    /// See [`Line::send`].
    pub fn poll(&self) -> Option<Response> {
        self.answer.try_recv().ok()
    }

    /// Waits for the answer: 504 if the world does not answer in time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use lath_inspect::{Inspector, Request};
    /// let inspector = Inspector::new(); // which nobody updates
    /// let answer = inspector.line().send(Request::get("/api/v1/world"));
    /// assert_eq!(answer.wait(Duration::from_millis(1)).status, 504);
    /// ```
    pub fn wait(self, patience: Duration) -> Response {
        self.answer.recv_timeout(patience).unwrap_or_else(|_| {
            let message = format!("the world was not updated, or was busy, for {patience:?}");
            Fault::new(504, message).into()
        })
    }
}
