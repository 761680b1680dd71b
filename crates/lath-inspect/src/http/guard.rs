//! Who may ask: the names under which this machine is known, pages of our own, those who know the
//! token.
//!
//! A page of somebody else, open in the same browser, can make it send requests here. The browser
//! tells then where the page comes from (`Origin`), and for which name it looked us up (`Host`):
//! both must be ours.

use std::net::{IpAddr, SocketAddr};

use super::parse::Head;
use crate::response::Fault;

pub(super) struct Guard {
    /// With ports, in lower case.
    hosts: Vec<String>,
    token: Option<String>,
}

impl Guard {
    pub(super) fn new(address: SocketAddr, mut hosts: Vec<String>, token: Option<String>) -> Self {
        let port = address.port();
        hosts.push(address.to_string());
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            hosts.extend([
                format!("127.0.0.1:{port}"),
                format!("localhost:{port}"),
                format!("[::1]:{port}"),
            ]);
        }
        // Browsers leave the usual port out.
        let bare = hosts
            .iter()
            .filter_map(|host| host.strip_suffix(":80"))
            .map(str::to_owned)
            .collect::<Vec<_>>();
        hosts.extend(bare);
        Self { hosts, token }
    }

    /// Whether the names are ours. The page itself is told to anyone who passes this.
    pub(super) fn check_names(&self, head: &Head) -> Result<(), Fault> {
        let Some(host) = head.header("host")? else {
            return Err(Fault::new(400, "the request does not say for which `Host` it is".into()));
        };
        if !self.knows(host) {
            let message = format!(
                "`{host}` is not a name of this inspector: `BindOptions::allow_host` adds one"
            );
            return Err(Fault::new(421, message));
        }
        match head.header("origin")? {
            Some(origin)
                if !origin.strip_prefix("http://").is_some_and(|host| self.knows(host)) =>
            {
                Err(Fault::new(403, format!("pages of `{origin}` may not ask this inspector")))
            }
            _ => Ok(()),
        }
    }

    /// Whether the token is right, if one is needed. `in_target` is one that came in the address.
    pub(super) fn check_token(&self, head: &Head, in_target: Option<&str>) -> Result<(), Fault> {
        let Some(token) = &self.token else { return Ok(()) };
        let given = head.header("authorization")?.and_then(|value| value.strip_prefix("Bearer "));
        match given.or(in_target) {
            Some(given) if same(given.as_bytes(), token.as_bytes()) => Ok(()),
            Some(_) => Err(Fault::new(401, "the token is wrong".into())),
            None => Err(Fault::new(401, "a token is needed: `Authorization: Bearer …`".into())),
        }
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        // At an address of several machines' network, the address itself is a name, too: it cannot
        // be looked up wrongly.
        let is_address = self.token.is_some()
            && host.parse::<SocketAddr>().is_ok_and(|address| match address.ip() {
                IpAddr::V4(ip) => !ip.is_unspecified(),
                IpAddr::V6(ip) => !ip.is_unspecified(),
            });
        is_address || self.hosts.contains(&host)
    }
}

/// Compares in a time that does not tell how much is right.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(guard: &Guard, headers: &str) -> u16 {
        let head = Head::parse(format!("GET / HTTP/1.1\r\n{headers}").as_bytes()).unwrap();
        match guard.check_names(&head).and_then(|()| guard.check_token(&head, None)) {
            Ok(()) => 200,
            Err(fault) => fault.status,
        }
    }

    #[test]
    fn names_and_origins_must_be_ours() {
        let guard = Guard::new("127.0.0.1:7878".parse().unwrap(), Vec::new(), None);
        for (headers, status) in [
            ("Host: 127.0.0.1:7878", 200),
            ("Host: LocalHost:7878", 200),
            ("Host: localhost:7878\r\nOrigin: http://localhost:7878", 200),
            ("", 400),
            ("Host: localhost", 421),
            ("Host: evil.example:7878", 421),
            ("Host: 127.0.0.1:7878\r\nHost: evil.example", 400),
            ("Host: 127.0.0.1:7878\r\nOrigin: http://evil.example", 403),
            ("Host: 127.0.0.1:7878\r\nOrigin: http://127.0.0.1:8000", 403),
            ("Host: 127.0.0.1:7878\r\nOrigin: https://127.0.0.1:7878", 403),
            ("Host: 127.0.0.1:7878\r\nOrigin: null", 403),
        ] {
            assert_eq!(check(&guard, headers), status, "{headers}");
        }
    }

    #[test]
    fn a_token_must_be_the_right_one() {
        let guard = Guard::new(
            "0.0.0.0:80".parse().unwrap(),
            vec!["box:80".into()],
            Some("0123456789abcdef".into()),
        );
        assert_eq!(check(&guard, "Host: box:80"), 401);
        assert_eq!(check(&guard, "Host: box\r\nAuthorization: Bearer 0123456789abcdef"), 200);
        assert_eq!(check(&guard, "Host: box:80\r\nAuthorization: Bearer 0123456789abcdee"), 401);
        assert_eq!(check(&guard, "Host: box:80\r\nAuthorization: Bearer 0123456789abcdef"), 200);
        assert_eq!(
            check(&guard, "Host: 10.0.0.7:80\r\nAuthorization: Bearer 0123456789abcdef"),
            200
        );
        assert_eq!(
            check(&guard, "Host: evil.example:80\r\nAuthorization: Bearer 0123456789abcdef"),
            421
        );
    }
}
