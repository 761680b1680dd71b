//! What is asked and what is answered, whatever carries it.

use serde_json::{Map, Value, json};

/// How a request means to be treated: asking changes nothing, telling may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Asks.
    Get,
    /// Tells.
    Post,
}

/// A request to the inspector.
///
/// # Examples
///
/// ```
/// use lath_inspect::Request;
/// let ask = Request::get("/api/v1/things?pool=Actor&filter=hp+%3C+10");
/// let tell = Request::post("/api/v1/control", serde_json::json!({ "paused": true }));
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    /// Whether it asks or tells.
    pub method: Method,
    /// As in `/api/v1/world`.
    pub path: String,
    /// What is asked or told, by name.
    pub params: Map<String, Value>,
}

impl Request {
    /// A request that asks. What follows a `?` is read as in the address line of a browser.
    ///
    /// # Examples
    ///
    /// See [`Request`].
    pub fn get(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut params = Map::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            params.insert(decode(name), decode(value).into());
        }
        Self { method: Method::Get, path: decode(path), params }
    }

    /// A request that tells.
    ///
    /// # Examples
    ///
    /// See [`Request`].
    pub fn post(path: &str, body: Value) -> Self {
        let params = match body {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        Self { method: Method::Post, path: path.to_owned(), params }
    }

    /// As [`post`](Self::post), from bytes.
    ///
    /// # Errors
    ///
    /// The response that says what is wrong with the bytes: more than 1 MiB, or not an object of
    /// JSON.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_inspect::Request;
    /// assert!(Request::from_bytes("/api/v1/control", b"{\"paused\":true}").is_ok());
    /// assert_eq!(Request::from_bytes("/api/v1/control", b"{").unwrap_err().status, 400);
    /// ```
    pub fn from_bytes(path: &str, body: &[u8]) -> Result<Self, Response> {
        if body.len() > MOST_BYTES {
            return Err(
                Fault::new(413, format!("the body has more than {MOST_BYTES} bytes")).into()
            );
        }
        match serde_json::from_slice(body) {
            Ok(body @ Value::Object(_)) => Ok(Self::post(path, body)),
            Ok(_) => Err(Fault::new(400, "the body must be an object of JSON".into()).into()),
            Err(error) => Err(Fault::new(400, format!("the body is not JSON: {error}")).into()),
        }
    }
}

/// The most bytes that a body may have.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// `%20` and `+` become spaces, and so on. What is not a code stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let code = match (first, after) {
            (b'%', [high, low, ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                digit(high).zip(digit(low)).map(|(high, low)| (high * 16 + low) as u8)
            }
            _ => None,
        };
        match (code, first) {
            (Some(code), _) => {
                bytes.push(code);
                rest = &rest[2..];
            }
            (None, b'+') => bytes.push(b' '),
            (None, byte) => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What the inspector answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// As in HTTP: 200 if all went well.
    pub status: u16,
    /// What was asked for; or `{"error": {"status", "message"}}`.
    pub body: Value,
}

impl Response {
    pub(crate) fn ok(body: Value) -> Self {
        Self { status: 200, body }
    }
}

/// Why a request is refused.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: u16,
    pub(crate) message: String,
    /// Where in an expression, counted in letters from 1.
    pub(crate) column: Option<usize>,
}

impl Fault {
    pub(crate) fn new(status: u16, message: String) -> Self {
        Self { status, message, column: None }
    }
}

impl From<Fault> for Response {
    fn from(fault: Fault) -> Self {
        let Fault { status, message, column } = fault;
        let mut error = json!({ "status": status, "message": message });
        if let Some(column) = column {
            error["column"] = column.into();
        }
        Self { status, body: json!({ "error": error }) }
    }
}

/// What a request has to say, by name.
pub(crate) struct Params<'a>(pub(crate) &'a Map<String, Value>);

impl Params<'_> {
    /// Refuses names that mean nothing here.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), Fault> {
        match self.0.keys().find(|name| !known.contains(&name.as_str()) && *name != "token") {
            Some(name) if known.is_empty() => {
                Err(Fault::new(400, format!("there is no `{name}` here")))
            }
            Some(name) => {
                Err(Fault::new(400, format!("there is no `{name}` here, but {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Fault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Fault::new(400, format!("`{name}` must be text, not {other}"))),
        }
    }

    pub(crate) fn needed(&self, name: &str) -> Result<&str, Fault> {
        self.text(name)?.ok_or_else(|| Fault::new(400, format!("`{name}` is missing")))
    }

    /// The bits of a handle, as text: not every number of 64 bits survives in JSON.
    pub(crate) fn handle(&self, name: &str) -> Result<Option<u64>, Fault> {
        match self.text(name)? {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                Fault::new(
                    400,
                    format!(
                        "`{name}` must be the bits of a handle in decimal digits, not `{text}`"
                    ),
                )
            }),
        }
    }

    pub(crate) fn needed_handle(&self, name: &str) -> Result<u64, Fault> {
        self.handle(name)?.ok_or_else(|| Fault::new(400, format!("`{name}` is missing")))
    }

    pub(crate) fn whole(&self, name: &str, default: usize, most: usize) -> Result<usize, Fault> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(default),
            Some(Value::String(text)) => text.parse().ok(),
            Some(Value::Number(number)) => number.as_u64(),
            Some(_) => None,
        };
        let number = number.ok_or_else(|| {
            Fault::new(400, format!("`{name}` must be a whole number, 0 or more"))
        })?;
        Ok(usize::try_from(number).unwrap_or(usize::MAX).min(most))
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.parse().ok(),
            Some(Value::Number(number)) => number.as_f64(),
            Some(_) => None,
        };
        let number = number.filter(|number: &f64| number.is_finite());
        number.map(Some).ok_or_else(|| Fault::new(400, format!("`{name}` must be a number")))
    }

    pub(crate) fn truth(&self, name: &str) -> Result<Option<bool>, Fault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(Value::String(text)) if text == "true" || text == "1" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" || text == "0" => Ok(Some(false)),
            Some(_) => Err(Fault::new(400, format!("`{name}` must be true or false"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded_and_bad_codes_stay() {
        assert_eq!(decode("a%20b+c%3C%C3%A9"), "a b c<é");
        assert_eq!(decode("%zz%4"), "%zz%4");
        let request = Request::get("/x%2Fy?a=1&b&c=%26");
        assert_eq!((request.path.as_str(), &request.params["c"]), ("/x/y", &json!("&")));
        assert_eq!(request.params["b"], "");
    }
}
