//! Clients of the inspector: one that behaves and counts its answers, and many that do not.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// What all clients share.
#[derive(Default)]
struct Shared {
    /// Good requests.
    requests: &'static [&'static str],
    stop: AtomicBool,
    /// Good answers to good requests.
    answered: AtomicU64,
    /// Good requests that got none.
    unanswered: AtomicU64,
    /// Requests that were none.
    bad: AtomicU64,
}

pub(crate) struct Clients {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(300);

impl Clients {
    /// Some that ask for what is there, and more that do not.
    pub(crate) fn start(address: SocketAddr, requests: &'static [&'static str]) -> Self {
        let shared = Arc::new(Shared { requests, ..Shared::default() });
        let run = |kind: fn(SocketAddr, &Shared, &mut fastrand::Rng), seed| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                while !shared.stop.load(Ordering::Relaxed) {
                    kind(address, &shared, &mut random);
                    std::thread::sleep(Duration::from_millis(random.u64(1..20)));
                }
            })
        };
        let threads = vec![run(polite, 1), run(rude, 2), run(rude, 3), run(slow, 4)];
        Self { shared, threads }
    }

    /// Ends them all. Answers how many good requests were answered and how many bad ones were made;
    /// every good one was.
    pub(crate) fn stop(self) -> (u64, u64) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().expect("a client that does not panic");
        }
        let unanswered = self.shared.unanswered.load(Ordering::Relaxed);
        assert_eq!(unanswered, 0, "good requests were not answered");
        assert!(self.shared.answered.load(Ordering::Relaxed) > 0, "no request was answered");
        (self.shared.answered.load(Ordering::Relaxed), self.shared.bad.load(Ordering::Relaxed))
    }
}

fn connect(address: SocketAddr) -> Option<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    Some(stream)
}

fn polite(address: SocketAddr, shared: &Shared, random: &mut fastrand::Rng) {
    let target = shared.requests[random.usize(..shared.requests.len())];
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut answer = Vec::new();
    let asked = connect(address).and_then(|mut stream| {
        stream.write_all(request.as_bytes()).ok()?;
        stream.read_to_end(&mut answer).ok()
    });
    let start = String::from_utf8_lossy(&answer[..answer.len().min(12)]).into_owned();
    match start.as_str() {
        "HTTP/1.1 200" => _ = shared.answered.fetch_add(1, Ordering::Relaxed),
        "HTTP/1.1 503" => {} // too many connections: said so, which is an answer
        "HTTP/1.1 408" => {} // on a busy machine we were too slow ourselves
        _ if shared.stop.load(Ordering::Relaxed) => {}
        _ => {
            eprintln!("{target}: {asked:?} bytes, `{start}`");
            shared.unanswered.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Garbage, half a request, more than is allowed, or a listener that goes away. Whatever comes back
/// is ignored.
fn rude(address: SocketAddr, shared: &Shared, random: &mut fastrand::Rng) {
    let Some(mut stream) = connect(address) else { return };
    shared.bad.fetch_add(1, Ordering::Relaxed);
    let post = |path: &str, body: &str, length: usize| {
        format!(
            "POST /api/v1/{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    let mut garbage = vec![0; random.usize(..3000)];
    random.fill(&mut garbage);
    let sent = match random.u8(..9) {
        0 => garbage,
        1 => b"GET /api/v1/world HTTP/1.1\r\nHost: ".to_vec(),
        2 => post("edit", "{", 1 << 20).into_bytes(),
        3 => post("edit", &"x".repeat(1 << 20), 1 << 20).into_bytes(),
        4 => post("edit", "", 1 << 40).into_bytes(),
        5 => post("spawn", "{\"pool\": [[[[[[[[", 16).into_bytes(),
        6 => format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(40_000)).into_bytes(),
        7 => format!("GET /api/v1/events HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes(),
        _ => {
            [b"GET /api/v1/things?pool=Object&filter=", &garbage[..], b" HTTP/1.1\r\n\r\n"].concat()
        }
    };
    let _ = stream.write_all(&sent);
    if random.bool() {
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read(&mut [0; 100]);
    }
}

/// A byte now and then, and never an end.
fn slow(address: SocketAddr, shared: &Shared, random: &mut fastrand::Rng) {
    let Some(mut stream) = connect(address) else { return };
    shared.bad.fetch_add(1, Ordering::Relaxed);
    for _ in 0..random.u8(1..40) {
        if shared.stop.load(Ordering::Relaxed) || stream.write_all(b"G").is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(40));
    }
}
