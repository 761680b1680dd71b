//! The server: requests over HTTP, on threads of its own.
//!
//! `parse` reads a request within limits of size and time, `guard` says who may ask, `page` has the
//! files of the page, `connection` answers. Nothing here touches the world: requests go down the
//! [`Line`] and answers come back.
//!
//! It speaks as much of HTTP/1.1 as a browser on the same machine needs, and closes a connection
//! after one answer. There is no crate beneath it: the small ones cannot end a connection whose
//! client is slow.

mod connection;
mod guard;
mod page;
mod parse;

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::inspector::Inspector;
use crate::line::Line;
use guard::Guard;

/// How many connections there may be at once.
const MOST_CONNECTIONS: usize = 32;

/// Why an inspector cannot be reached at an address.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// The address can be reached from other machines, and no token was given.
    NeedsToken(SocketAddr),
    /// A token that is too short to keep anybody out.
    ShortToken,
    /// The address means nothing, is in use, or is not one of this machine.
    Io(io::Error),
}

impl fmt::Display for BindError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeedsToken(address) => write!(
                out,
                "{address} can be reached from other machines, where whoever asks could change the world: bind to \
                 127.0.0.1, or give a token with `Inspector::options().token(…)`"
            ),
            Self::ShortToken => write!(out, "a token needs at least {SHORTEST_TOKEN} letters"),
            Self::Io(error) => write!(out, "the inspector cannot listen there: {error}"),
        }
    }
}

impl std::error::Error for BindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for BindError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

const SHORTEST_TOKEN: usize = 16;

/// How an inspector is reached: [`Inspector::options`].
///
/// # Examples
///
/// ```no_run
/// use lath_inspect::Inspector;
/// let inspector = Inspector::options()
///     .token("four-words-chosen-at-random")
///     .allow_host("build-server.local:7878")
///     .bind("0.0.0.0:7878")?;
/// # Ok::<(), lath_inspect::BindError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BindOptions {
    token: Option<String>,
    hosts: Vec<String>,
    slow: Duration,
    patience: Duration,
}

impl BindOptions {
    /// A secret that requests must bring along. Needed for addresses that other machines can reach.
    /// The page is opened with `#token=…` at the end of its address.
    ///
    /// # Examples
    ///
    /// See [`BindOptions`].
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Another name, with its port, under which this machine is known. Requests for names that are
    /// not known are refused.
    ///
    /// # Examples
    ///
    /// See [`BindOptions`].
    #[must_use]
    pub fn allow_host(mut self, host: &str) -> Self {
        self.hosts.push(host.to_ascii_lowercase());
        self
    }

    /// How long a client may take to send a request, or to take its answer: 5 seconds unless told
    /// otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// let options = lath_inspect::Inspector::options().client_timeout(Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn client_timeout(mut self, slow: Duration) -> Self {
        self.slow = slow.max(Duration::from_millis(1));
        self
    }

    /// How long a request may wait for the world: 10 seconds unless told otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// let options = lath_inspect::Inspector::options().world_timeout(Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn world_timeout(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Makes an inspector that answers at an address.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    ///
    /// # Examples
    ///
    /// See [`BindOptions`].
    pub fn bind(self, address: impl ToSocketAddrs) -> Result<Inspector, BindError> {
        if self.token.as_ref().is_some_and(|token| token.len() < SHORTEST_TOKEN) {
            return Err(BindError::ShortToken);
        }
        let addresses: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
        if let Some(open) = addresses.iter().find(|address| !address.ip().is_loopback()) {
            if self.token.is_none() {
                return Err(BindError::NeedsToken(*open));
            }
        }
        let listener = TcpListener::bind(&addresses[..])?;
        let mut inspector = Inspector::new();
        inspector.server = Some(Server::start(listener, self, inspector.line())?);
        Ok(inspector)
    }
}

impl Inspector {
    /// Makes an inspector that answers at an address of this machine that no other machine can
    /// reach, as `127.0.0.1:7878`. Port 0 takes any port that is free: [`address`](Self::address)
    /// tells which.
    ///
    /// # Errors
    ///
    /// [`BindError`]: the address is in use, or can be reached by others.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_inspect::Inspector;
    /// let inspector = Inspector::bind("127.0.0.1:0")?;
    /// println!("open http://{}", inspector.address().unwrap());
    /// assert!(Inspector::bind("0.0.0.0:0").is_err());
    /// # Ok::<(), lath_inspect::BindError>(())
    /// ```
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self, BindError> {
        Self::options().bind(address)
    }

    /// Tokens, names and times for [`BindOptions::bind`].
    ///
    /// # Examples
    ///
    /// See [`BindOptions`].
    #[must_use]
    pub fn options() -> BindOptions {
        BindOptions {
            token: None,
            hosts: Vec::new(),
            slow: Duration::from_secs(5),
            patience: Duration::from_secs(10),
        }
    }

    /// Where it answers.
    ///
    /// # Examples
    ///
    /// See [`bind`](Self::bind).
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(|server| server.address)
    }
}

/// What all connections share.
pub(crate) struct Shared {
    guard: Guard,
    line: Line,
    slow: Duration,
    patience: Duration,
    connections: AtomicUsize,
    stop: AtomicBool,
}

/// A thread that takes connections, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(listener: TcpListener, options: BindOptions, line: Line) -> Result<Self, BindError> {
        let address = listener.local_addr()?;
        let guard = Guard::new(address, options.hosts, options.token);
        let shared = Arc::new(Shared {
            guard,
            line,
            slow: options.slow,
            patience: options.patience,
            connections: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        let for_thread = shared.clone();
        let accept = move || accept(&listener, &for_thread);
        let thread = std::thread::Builder::new().name("lath-inspect".into()).spawn(accept)?;
        Ok(Self { address, shared, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        // Wakes the thread that waits for a connection; at an address of this machine if it listens
        // at all of them.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let woken = TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let accepted = listener.accept();
        if shared.stop.load(Ordering::Acquire) {
            return;
        }
        // What goes wrong here is one client's affair, or passes: too many open files, say.
        let Ok((stream, _)) = accepted else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if shared.connections.fetch_add(1, Ordering::AcqRel) >= MOST_CONNECTIONS {
            connection::refuse(stream, shared, MOST_CONNECTIONS);
            shared.connections.fetch_sub(1, Ordering::AcqRel);
            continue;
        }
        let for_thread = shared.clone();
        let serve = move || {
            connection::serve(stream, &for_thread);
            for_thread.connections.fetch_sub(1, Ordering::AcqRel);
        };
        if std::thread::Builder::new().name("lath-inspect client".into()).spawn(serve).is_err() {
            shared.connections.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
