//! Over a real connection: who may ask, how much, and how slowly.
#![cfg(feature = "http")]

mod common;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use common::Fixture;
use lath_inspect::{BindError, BindOptions, Inspector};
use serde_json::{Value, json};

const SLOW: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(300);

/// A world that is updated on a thread of its own, until the end of the test.
struct Running {
    address: SocketAddr,
    ticks: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    /// Nobody is slow in the tests that are not about it, however busy the machine is.
    fn new() -> Self {
        Self::with(Inspector::options().client_timeout(PATIENCE))
    }

    fn with(options: BindOptions) -> Self {
        let mut inspector = options.world_timeout(PATIENCE).bind("127.0.0.1:0").unwrap();
        let address = inspector.address().unwrap();
        let (ticks, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, stopped) = (ticks.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            let Fixture { mut world, mut schedule, .. } = Fixture::new();
            inspector.pool::<common::Actor>().pool::<common::House>();
            while !stopped.load(Ordering::Relaxed) {
                for _ in 0..inspector.steps() {
                    schedule.run(&mut world);
                }
                inspector.update(&mut world, &mut schedule);
                counted.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Self { address, ticks, stop, thread: Some(thread) }
    }

    /// Whether there are more ticks than before, sooner or later.
    fn goes_on(&self, before: u64) -> bool {
        let is_later = || self.ticks.load(Ordering::Relaxed) > before;
        (0..60_000).any(|_| {
            is_later() || {
                std::thread::sleep(Duration::from_millis(5));
                false
            }
        })
    }

    /// Sends bytes and reads all that comes back.
    fn raw(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // The server may have answered and gone before all is sent.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    fn ask(&self, method: &str, target: &str, headers: &str, body: &str) -> (u16, Value) {
        let host = self.address;
        let length = body.len();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        let (status, body) = self.raw(request.as_bytes());
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    fn get(&self, target: &str) -> (u16, Value) {
        self.ask("GET", target, "", "")
    }

    fn post(&self, target: &str, body: &str) -> (u16, Value) {
        self.ask("POST", target, "Content-Type: application/json\r\n", body)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

fn read(stream: &mut TcpStream) -> (u16, String) {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("no answer: {error}"),
    }
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, body.to_owned())
}

#[test]
fn the_page_and_the_world_are_there() {
    let at = Running::new();
    let (status, page) = at.get("/");
    assert_eq!(status, 200);
    assert!(page.as_str().unwrap().contains("<title>lath inspector</title>"));
    // Everything that the page refers to.
    for path in ["/style.css", "/icon.svg", "/js/main.js"] {
        assert_eq!(at.get(path).0, 200, "{path}");
    }
    let main = at.get("/js/main.js").1;
    for line in main.as_str().unwrap().lines().filter(|line| line.starts_with("import")) {
        let path = line.split("\"./").nth(1).unwrap().trim_end_matches("\";");
        assert_eq!(at.get(&format!("/js/{path}")).0, 200, "{path}");
    }
    let (status, world) = at.get("/api/v1/world");
    assert_eq!((status, &world["pools"][0]["name"]), (200, &json!("Actor")));
    let (status, _) = at.post("/api/v1/control", "{\"paused\":true}");
    assert_eq!((status, at.get("/api/v1/world").1["pace"]["paused"].clone()), (200, json!(true)));
}

#[test]
fn requests_that_are_wrong_get_an_error_as_json() {
    let at = Running::new();
    let huge = "x".repeat((1 << 20) + 1);
    for (method, target, headers, body, status) in [
        ("GET", "/api/v1/things?pool=Dragon", "", "", 404),
        ("GET", "/api/v1/thing?pool=Actor&id=1", "", "", 404),
        ("GET", "/api/v1/nothing", "", "", 404),
        ("GET", "/../../etc/passwd", "", "", 404),
        ("GET", "/js/%2e%2e/%2e%2e/Cargo.toml", "", "", 404),
        ("GET", "/js/../main.js", "", "", 404),
        ("POST", "/", "", "", 405),
        ("DELETE", "/api/v1/world", "", "", 405),
        ("POST", "/api/v1/control", "", "{}", 415),
        ("POST", "/api/v1/control", "Content-Type: text/plain\r\n", "{}", 415),
        ("POST", "/api/v1/control", "Content-Type: application/json\r\n", "garbage", 400),
        ("POST", "/api/v1/control", "Content-Type: application/json\r\n", "[1]", 400),
        ("POST", "/api/v1/control", "Content-Type: application/json\r\n", &huge, 413),
        ("GET", "/api/v1/world", "Origin: http://evil.example\r\n", "", 403),
        ("GET", "/api/v1/events", "Origin: null\r\n", "", 403),
        ("GET", "/", "Origin: http://evil.example\r\n", "", 403),
    ] {
        let (got, answer) = at.ask(method, target, headers, body);
        assert_eq!(got, status, "{method} {target} {headers}");
        assert_eq!(answer["error"]["status"], status, "{method} {target}: {answer}");
    }
    for (bytes, status) in [
        (&b"GET /api/v1/world HTTP/1.1\r\nHost: evil.example\r\n\r\n"[..], 421),
        (b"GET /api/v1/world HTTP/1.1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ] {
        assert_eq!(at.raw(bytes).0, status, "{}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(at.get("/api/v1/world").0, 200, "and all is well");
}

#[test]
fn a_client_that_sends_a_byte_now_and_then_is_let_go_and_delays_nobody() {
    let at = Running::with(Inspector::options().client_timeout(SLOW));
    let mut slow = TcpStream::connect(at.address).unwrap();
    slow.set_read_timeout(Some(PATIENCE)).unwrap();
    let before = at.ticks.load(Ordering::Relaxed);
    let mut sent = 0;
    let mut answer = [0; 12];
    for byte in b"GET / HTTP/1.1\r\nX: ".iter().chain(std::iter::repeat(&b'x')).take(2000) {
        if slow.write_all(&[*byte]).is_err() {
            break;
        }
        sent += 1;
        std::thread::sleep(SLOW / 20);
        slow.set_nonblocking(true).unwrap();
        let heard = slow.peek(&mut answer).is_ok_and(|count| count > 0);
        slow.set_nonblocking(false).unwrap();
        if heard {
            break;
        }
    }
    assert!(sent < 2000, "the server listens for ever");
    assert_eq!(read(&mut slow).0, 408);
    assert!(at.goes_on(before), "the world goes on");
}

#[test]
fn a_client_that_asks_and_does_not_listen_delays_nobody() {
    let at = Running::with(Inspector::options().client_timeout(SLOW));
    let mut deaf = TcpStream::connect(at.address).unwrap();
    deaf.write_all(
        format!("GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", at.address).as_bytes(),
    )
    .unwrap();
    let mut silent: Vec<_> = (0..10).map(|_| TcpStream::connect(at.address).unwrap()).collect();
    let before = at.ticks.load(Ordering::Relaxed);
    // On a busy machine we may be too slow ourselves.
    while at.get("/api/v1/world").0 != 200 {}
    assert!(at.goes_on(before), "the world goes on");
    assert_eq!(read(&mut silent[0]).0, 408);
}

#[test]
fn more_connections_than_there_may_be_are_refused() {
    let at = Running::new();
    let mut held: Vec<_> = (0..40).map(|_| TcpStream::connect(at.address).unwrap()).collect();
    for stream in &mut held[32..] {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(read(stream).0, 503);
    }
    drop(held);
    while at.get("/api/v1/world").0 == 503 {
        std::thread::sleep(Duration::from_millis(10)); // until the server has noticed
    }
    assert_eq!(at.get("/api/v1/world").0, 200);
}

#[test]
fn beats_come_as_events() {
    let at = Running::new();
    let mut stream = TcpStream::connect(at.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
        .write_all(
            format!("GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", at.address).as_bytes(),
        )
        .unwrap();
    let mut heard = String::new();
    let mut part = [0; 1024];
    while heard.matches("event: beat\n").count() < 2 {
        let count = stream.read(&mut part).unwrap();
        assert_ne!(count, 0, "{heard}");
        heard.push_str(std::str::from_utf8(&part[..count]).unwrap());
    }
    assert!(heard.contains("Content-Type: text/event-stream"));
    let data = heard.split("data: ").nth(1).unwrap().lines().next().unwrap();
    let beat: Value = serde_json::from_str(data).unwrap();
    assert_eq!(beat["live"]["Actor"], 10);
}

#[test]
fn a_token_is_needed_where_one_was_given() {
    let at = Running::with(Inspector::options().token("0123456789abcdef").client_timeout(PATIENCE));
    assert_eq!(at.get("/").0, 200, "the page itself is no secret");
    assert_eq!(at.get("/api/v1/world").0, 401);
    assert_eq!(at.get("/api/v1/world?token=0123456789abcdeX").0, 401);
    assert_eq!(at.get("/api/v1/world?token=0123456789abcdef").0, 200);
    assert_eq!(
        at.ask("GET", "/api/v1/world", "Authorization: Bearer 0123456789abcdef\r\n", "").0,
        200
    );
}

#[test]
fn addresses_that_others_can_reach_need_a_token() {
    assert!(matches!(Inspector::bind("0.0.0.0:0"), Err(BindError::NeedsToken(_))));
    assert!(matches!(
        Inspector::options().token("short").bind("127.0.0.1:0"),
        Err(BindError::ShortToken)
    ));
    assert!(matches!(Inspector::bind("nonsense"), Err(BindError::Io(_))));
    assert!(Inspector::options().token("0123456789abcdef").bind("0.0.0.0:0").is_ok());
    let taken = Inspector::bind("127.0.0.1:0").unwrap();
    assert!(matches!(Inspector::bind(taken.address().unwrap()), Err(BindError::Io(_))));
}

#[test]
fn a_world_that_is_not_updated_is_reported_as_such() {
    let options = Inspector::options().world_timeout(Duration::from_millis(20));
    let inspector = options.client_timeout(PATIENCE).bind("127.0.0.1:0").unwrap();
    let address = inspector.address().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(format!("GET /api/v1/world HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes())
        .unwrap();
    assert_eq!(read(&mut stream).0, 504);
}

#[test]
fn an_inspector_that_is_dropped_leaves_its_address() {
    let inspector = Inspector::bind("127.0.0.1:0").unwrap();
    let address = inspector.address().unwrap();
    drop(inspector);
    assert!(Inspector::bind(address).is_ok());
}
