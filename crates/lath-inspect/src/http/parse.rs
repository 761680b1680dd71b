//! Reading a request: within limits of size, and of time for the whole of it.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use crate::response::{Fault, MOST_BYTES};

/// The most bytes of the first line and the headers.
const MOST_HEAD: usize = 16 * 1024;

/// A request as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) method: String,
    pub(super) target: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

impl Head {
    /// A header that may be there once. Twice is not an answer.
    pub(super) fn header(&self, name: &str) -> Result<Option<&str>, Fault> {
        let mut found =
            self.headers.iter().filter(|header| header.0 == name).map(|header| header.1.as_str());
        let first = found.next();
        match found.next() {
            Some(_) => Err(Fault::new(400, format!("there is more than one `{name}`"))),
            None => Ok(first),
        }
    }

    /// What is before the first empty line.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let bad =
            |what: &str| Fault::new(400, format!("this is not a request of HTTP/1.1: {what}"));
        let text = std::str::from_utf8(bytes).map_err(|_| bad("its head is not text"))?;
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(bad("its first line needs three words"));
        };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Fault::new(505, "only HTTP/1.1 is spoken here".into()));
        }
        if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(bad("its method is not a word"));
        }
        if !target.starts_with('/') {
            return Err(bad("its target does not begin with `/`"));
        }
        let mut headers = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(':') else {
                return Err(bad("a header has no colon"));
            };
            let is_name = |byte: u8| byte.is_ascii_graphic() && byte != b':';
            if name.is_empty() || !name.bytes().all(is_name) || value.contains(['\r', '\n', '\0']) {
                return Err(bad("a header has a bad name or value"));
            }
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Self { method: method.to_owned(), target: target.to_owned(), headers })
    }

    /// How many bytes follow.
    pub(super) fn body_length(&self) -> Result<usize, Fault> {
        if self.header("transfer-encoding")?.is_some() {
            return Err(Fault::new(
                501,
                "a body in chunks is not understood: send `Content-Length`".into(),
            ));
        }
        let Some(length) = self.header("content-length")? else { return Ok(0) };
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        match length.parse::<usize>() {
            Ok(length) if is_number && length <= MOST_BYTES => Ok(length),
            _ if is_number => {
                Err(Fault::new(413, format!("the body has more than {MOST_BYTES} bytes")))
            }
            _ => Err(Fault::new(400, "`Content-Length` is not a number".into())),
        }
    }
}

/// What can be given less and less time.
pub(super) trait Timed: Read {
    fn set_time(&self, time: Duration) -> io::Result<()>;
}

impl Timed for std::net::TcpStream {
    fn set_time(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))
    }
}

/// Reads a head and a body. `None` if nobody sent anything.
pub(super) fn read(
    stream: &mut impl Timed,
    time: Duration,
) -> Result<Option<(Head, Vec<u8>)>, Fault> {
    let deadline = Instant::now() + time;
    let mut bytes = Vec::new();
    let (head, mut body) = loop {
        let end = find_end(&bytes);
        if let Some(end) = end.filter(|&end| end <= MOST_HEAD) {
            let body = bytes.split_off(end);
            break (Head::parse(&bytes[..end - 4])?, body);
        }
        if end.is_some() || bytes.len() > MOST_HEAD {
            return Err(Fault::new(431, format!("the head has more than {MOST_HEAD} bytes")));
        }
        if more(stream, deadline, &mut bytes)? == 0 {
            return if bytes.is_empty() {
                Ok(None)
            } else {
                Err(Fault::new(400, "the request ends early".into()))
            };
        }
    };
    let length = head.body_length()?;
    while body.len() < length {
        if more(stream, deadline, &mut body)? == 0 {
            return Err(Fault::new(400, "the body ends early".into()));
        }
    }
    body.truncate(length);
    Ok(Some((head, body)))
}

/// Where the body begins.
fn find_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

fn more(stream: &mut impl Timed, deadline: Instant, bytes: &mut Vec<u8>) -> Result<usize, Fault> {
    let slow = || Fault::new(408, "the request took too long to arrive".into());
    let left = deadline
        .checked_duration_since(Instant::now())
        .filter(|left| !left.is_zero())
        .ok_or_else(slow)?;
    let mut part = [0; 4096];
    let read = stream.set_time(left).and_then(|()| stream.read(&mut part));
    match read {
        Ok(count) => {
            bytes.extend_from_slice(&part[..count]);
            Ok(count)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(1),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
        {
            Err(slow())
        }
        Err(_) => Ok(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives its bytes in pieces.
    struct Pieces(Vec<u8>, usize);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(into.len()).min(self.0.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    impl Timed for Pieces {
        fn set_time(&self, _: Duration) -> io::Result<()> {
            Ok(())
        }
    }

    fn parse(text: &str, piece: usize) -> Result<Option<(Head, Vec<u8>)>, Fault> {
        read(&mut Pieces(text.as_bytes().to_vec(), piece), Duration::from_secs(60))
    }

    #[test]
    fn a_request_in_pieces_is_a_request() {
        let text =
            "POST /api/v1/edit HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody and more";
        for piece in [1, 2, 3, 1000] {
            let (head, body) = parse(text, piece).unwrap().unwrap();
            assert_eq!((head.method.as_str(), head.target.as_str()), ("POST", "/api/v1/edit"));
            assert_eq!((head.header("host").unwrap(), &body[..]), (Some("here"), &b"body"[..]));
        }
        assert!(parse("", 1).unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_has_its_own_status() {
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(MOST_HEAD));
        for (text, status) in [
            ("GET /\r\n\r\n", 400),
            ("GET / HTTP/2\r\n\r\n", 505),
            ("get / HTTP/1.1\r\n\r\n", 400),
            ("GET http://elsewhere/ HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nbody", 400),
            ("GET / HTTP/1.1\r\nContent-Length: +5\r\n\r\nbody", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
            (&long, 431),
        ] {
            let refused = parse(text, 1000).err().map(|fault| fault.status);
            assert_eq!(refused, Some(status), "{text:.60}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_request_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), piece in 1usize..50) {
            let _ = read(&mut Pieces(bytes, piece), Duration::from_secs(60));
        }

        #[test]
        fn any_head_is_a_request_or_is_refused(lines in prop::collection::vec("[ -~]{0,40}", 0..10)) {
            let _ = parse(&format!("GET / HTTP/1.1\r\n{}\r\n\r\n", lines.join("\r\n")), 64);
        }
    }
}
