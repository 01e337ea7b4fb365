//! Whether an address can be called at all, which is known before a call is made.

use ureq::http::Uri;

use crate::masked;

/// Returns the host of `url`, where that is an address on the web: how it is reached, and a host.
pub(super) fn host(url: &str) -> Result<String, String> {
    let refused = |why: &str| {
        let shown = masked::url(url);
        Err(format!("{shown} is no address that can be called: {why}"))
    };
    if url.contains(char::is_whitespace) {
        return refused("there is white space in it");
    }
    if !url.split_once("://").is_some_and(|(scheme, _)| masked::is_web(scheme)) {
        return refused("it must begin with https:// or http://");
    }
    let uri = match url.parse::<Uri>() {
        Ok(uri) => uri,
        Err(e) => return refused(&e.to_string()),
    };
    match uri.authority() {
        None => refused("it names no host"),
        Some(authority) if authority.host().is_empty() => refused("it names no host"),
        Some(at) if !at.as_str().ends_with(at.host()) && at.port_u16().is_none() => {
            refused("its port is no number up to 65535")
        }
        Some(authority) => Ok(authority.host().to_owned()),
    }
}
