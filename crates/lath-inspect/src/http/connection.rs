//! One connection: a request, an answer, the end. Or a request for beats, and beats until one of us
//! goes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::Shared;
use super::page;
use super::parse::{self, Head};
use crate::inner::PREFIX;
use crate::response::{Fault, Request, Response};

/// How often a listener hears something, so that both notice when the other is gone.
const QUIET: Duration = Duration::from_secs(5);

/// How long a client that is still sending is listened to after it was answered.
const LINGER: Duration = Duration::from_millis(300);

/// Headers of every answer: nothing from elsewhere, in no frame, kept by nobody.
const ALWAYS: &str = "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'\r\n";

/// What is to be sent.
enum Answer {
    Json(Response),
    File(&'static str, &'static str),
    Beats,
}

pub(super) fn serve(mut stream: TcpStream, shared: &Shared) {
    // A client that does not take what it is sent is let go.
    if stream.set_write_timeout(Some(shared.slow)).is_err() {
        return;
    }
    let _ = stream.set_nodelay(true);
    let answer = match parse::read(&mut stream, shared.slow) {
        Ok(None) => return,
        Ok(Some((head, body))) => {
            answer(&head, &body, shared).unwrap_or_else(|fault| Answer::Json(fault.into()))
        }
        Err(fault) => Answer::Json(fault.into()),
    };
    // A client that is gone needs no answer.
    let _ = match answer {
        Answer::Json(response) => {
            send(&mut stream, response.status, "application/json", &response.body.to_string())
        }
        Answer::File(kind, text) => send(&mut stream, 200, kind, text),
        Answer::Beats => beats(&mut stream, shared),
    };
    finish(&mut stream);
}

/// Says that there are too many, without waiting for what is asked.
pub(super) fn refuse(mut stream: TcpStream, shared: &Shared, most: usize) {
    let _ = stream.set_write_timeout(Some(shared.slow.min(Duration::from_millis(50))));
    let response: Response =
        Fault::new(503, format!("{most} connections are open already: try again")).into();
    let _ = send(&mut stream, response.status, "application/json", &response.body.to_string());
}

fn answer(head: &Head, body: &[u8], shared: &Shared) -> Result<Answer, Fault> {
    shared.guard.check_names(head)?;
    let request = Request::get(&head.target);
    if !request.path.starts_with("/api/") {
        if head.method != "GET" {
            return Err(Fault::new(405, "the page can only be looked at".into()));
        }
        let file = page::find(&request.path);
        let missing = || Fault::new(404, format!("there is nothing at `{}`", request.path));
        return file.map(|(kind, text)| Answer::File(kind, text)).ok_or_else(missing);
    }
    let token = request.params.get("token").and_then(|token| token.as_str());
    shared.guard.check_token(head, token)?;
    if request.path.strip_prefix(PREFIX) == Some("events") {
        return if head.method == "GET" {
            Ok(Answer::Beats)
        } else {
            Err(Fault::new(405, "`events` needs GET".into()))
        };
    }
    let request = match head.method.as_str() {
        "GET" => request,
        "POST" => {
            // Forms of other pages cannot send this without asking first.
            let kind = head.header("content-type")?.unwrap_or_default();
            if !kind
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .eq_ignore_ascii_case("application/json")
            {
                return Err(Fault::new(415, "the body must be `application/json`".into()));
            }
            match Request::from_bytes(&request.path, body) {
                Ok(request) => request,
                Err(response) => return Ok(Answer::Json(response)),
            }
        }
        other => {
            return Err(Fault::new(
                405,
                format!("`{other}` means nothing here: GET asks, POST tells"),
            ));
        }
    };
    Ok(Answer::Json(shared.line.ask(request, shared.patience)))
}

fn send(stream: &mut TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let reason = reason(status);
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{ALWAYS}\r\n{body}").as_bytes())
}

/// Server-sent events, for as long as both are there.
fn beats(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(beats) = shared.line.listen() else {
        let response: Response =
            Fault::new(503, "too many are waiting already: try again".into()).into();
        return send(stream, response.status, "application/json", &response.body.to_string());
    };
    stream.write_all(
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{ALWAYS}\r\n").as_bytes(),
    )?;
    while !shared.stop.load(Ordering::Acquire) {
        match beats.recv_timeout(QUIET) {
            Ok(beat) => stream.write_all(format!("event: beat\ndata: {beat}\n\n").as_bytes())?,
            Err(RecvTimeoutError::Timeout) => stream.write_all(b": still here\n\n")?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(())
}

/// Ends the connection without losing what was sent: what the client is still sending is read, a
/// little of it.
fn finish(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let deadline = Instant::now() + LINGER;
    let mut rest = [0; 4096];
    while let Some(left) =
        deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    {
        let _ = stream.set_read_timeout(Some(left));
        match stream.read(&mut rest) {
            Ok(1..) => {}
            _ => break,
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    }
}
