//! Values that are missed when they leak and noticed when they are dropped twice, on whatever
//! thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Counts the tokens that it gave out and that are still there.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicI64>);

/// Counted as long as it lives. A bomb panics when it is dropped.
pub(crate) struct Token {
    count: Arc<AtomicI64>,
    bomb: bool,
}

impl Count {
    pub(crate) fn token(&self) -> Token {
        self.0.fetch_add(1, Ordering::Relaxed);
        Token { count: self.0.clone(), bomb: false }
    }

    /// A token whose `Drop` panics.
    pub(crate) fn bomb(&self) -> Token {
        let mut token = self.token();
        token.bomb = true;
        token
    }

    /// How many tokens there are. Below zero if one was dropped twice.
    pub(crate) fn alive(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Token {
    /// Drops a bomb that does not go off.
    pub(crate) fn defuse(mut self) {
        self.bomb = false;
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        assert!(!self.bomb, "a bomb went off");
    }
}
