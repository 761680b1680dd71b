//! A browser, led by the WebDriver protocol: as much of it as the test needs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take: only a test that would fail anyway comes near it, so a machine that
/// is busy with something else has time enough.
const PATIENCE: Duration = Duration::from_secs(300);

/// Answers what `attempt` comes to at last; as long as it does not, it says why not. This is how
/// every test here waits, for the page and for the world.
pub(crate) fn until<T>(what: &str, attempt: impl FnMut() -> Result<T, String>) -> T {
    try_until(attempt).unwrap_or_else(|why| panic!("`{what}` did not come about: {why}"))
}

fn try_until<T>(mut attempt: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    let began = Instant::now();
    loop {
        let done = attempt();
        if done.is_ok() || began.elapsed() > PATIENCE {
            return done;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Whether there is one on this machine.
    pub(crate) fn is_there() -> bool {
        let answers = |program: &str| {
            let asked = Command::new(program)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            asked.is_ok_and(|status| status.success())
        };
        answers("chromedriver") && answers("chromium")
    }

    pub(crate) fn start(width: u32, height: u32) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
        let port = loop {
            let line = lines.next().expect("chromedriver says its port").expect("as text");
            let port = line
                .split("on port ")
                .nth(1)
                .and_then(|rest| rest.trim_end_matches('.').parse().ok());
            let port = port.filter(|&port: &u16| port != 0); // it first repeats what it was asked for
            if let Some(port) = port {
                break port;
            }
        };
        // So that it does not block when it says more.
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port, session: String::new() };
        let options = json!({
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
                "--force-color-profile=srgb", format!("--window-size={width},{height}"),
            ],
        });
        let wanted = json!({
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" },
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        let session = until("a browser", || {
            done(browser.try_call("POST", "/session", &wanted), &["session not created"])
        });
        browser.session = format!("/session/{}", session["sessionId"].as_str().expect("a session"));
        browser.resize(width, height);
        browser
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let value = self.try_call(method, path, body);
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.send(method, path, body).expect("chromedriver answers")
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut answer = BufReader::new(stream);
        let mut length = None;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let mut bytes = vec![0; length.ok_or(io::ErrorKind::UnexpectedEof)?];
        answer.read_exact(&mut bytes)?;
        let mut answer: Value = serde_json::from_slice(&bytes)?;
        Ok(answer["value"].take())
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("{}{path}", self.session), body)
    }

    pub(crate) fn open(&self, address: &str) {
        self.post("/url", &json!({ "url": address }));
    }

    /// Gives the page itself this size; the window is a little larger.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        self.post("/window/rect", &json!({ "width": width, "height": height }));
        let [wide, high] =
            ["outerWidth - innerWidth", "outerHeight - innerHeight"].map(|edge| self.eval(edge));
        let [wide, high] = [wide, high].map(|edge| edge.as_f64().unwrap_or(0.0));
        let size = json!({ "width": f64::from(width) + wide, "height": f64::from(height) + high });
        self.post("/window/rect", &size);
    }

    /// Shows the page as a telephone would: windows cannot be that small.
    pub(crate) fn as_phone(&self) {
        let params = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
        self.post(
            "/goog/cdp/execute",
            &json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": params }),
        );
    }

    /// The value of an expression on the page. Where it cannot be told yet, as when an element that
    /// it names is not drawn, we ask again: a script reads all that it needs before it does anything.
    pub(crate) fn eval(&self, script: &str) -> Value {
        let path = format!("{}/execute/sync", self.session);
        let body = json!({ "script": format!("return ({script})"), "args": [] });
        until(script, || done(self.try_call("POST", &path, &body), &["javascript error"]))
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&self, script: &str) {
        let asked = format!(
            "(() => {{ try {{ return Boolean({script}); }} catch (error) {{ return String(error); }} }})()"
        );
        let asked = || match self.eval(&asked) {
            Value::Bool(true) => Ok(()),
            not_yet => Err(not_yet.to_string()),
        };
        if let Err(why) = try_until(asked) {
            let page = self.eval("document.body.innerText");
            panic!("`{script}` did not come true: {why}; messages: {:?}\n{page}", self.messages());
        }
    }

    /// Calls the driver for the first element that a selector finds, again if it is not there, or
    /// if the page has drawn it anew or put something in front of it meanwhile.
    fn with(&self, selector: &str, call: &str, body: &Value) {
        let post = |path: &str, body: &Value| {
            let answer = self.try_call("POST", &format!("{}{path}", self.session), body);
            done(answer, &["no such element", "stale element", "intercepted", "interactable"])
        };
        until(&format!("{call} {selector}"), || {
            let found = post("/element", &json!({ "using": "css selector", "value": selector }))?;
            let id = found.as_object().and_then(|map| map.values().next()).and_then(Value::as_str);
            post(&format!("/element/{}/{call}", id.expect("an element")), body)
        });
    }

    pub(crate) fn click(&self, selector: &str) {
        self.with(selector, "click", &json!({}));
    }

    /// Replaces what is in an input and types. `\u{E007}` is enter.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        self.with(selector, "clear", &json!({}));
        self.keys(selector, text);
    }

    /// Types wherever the focus is.
    pub(crate) fn keys(&self, selector: &str, text: &str) {
        self.with(selector, "value", &json!({ "text": text }));
    }

    /// What the page has complained about since we last asked. A connection that was refused or
    /// lost, as happens on a busy machine, is the browser's own complaint: the page goes on.
    pub(crate) fn messages(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let severe = log
            .as_array()
            .into_iter()
            .flatten()
            .filter(|entry| entry["level"] == "SEVERE" && entry["source"] != "network");
        severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// A picture of what is seen, as PNG.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let picture = self.call("GET", &format!("{}/screenshot", self.session), &Value::Null);
        decode(picture.as_str().expect("base64"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Whether the test has failed or not: no browser outlives it.
        if !self.session.is_empty() {
            let _ = self.send("DELETE", &self.session, &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// What the driver answered; or why not, if that is one of the errors that pass.
fn done(answer: Value, passing: &[&str]) -> Result<Value, String> {
    let Some(error) = answer["error"].as_str() else { return Ok(answer) };
    assert!(passing.iter().any(|one| error.contains(one)), "{answer}");
    Err(answer.to_string())
}

/// Base64 to bytes.
fn decode(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for six in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
