//! Documents that a client can attach: an issue, and the text that an agent needs at the start.

use super::context::Opening;
use super::tools;
use crate::model::json::Object;
use crate::ops::{self, PrimeWish};
use crate::view::{self, Failure};

pub(super) const ISSUE: &str = "bd://issue/{id}";
pub(super) const PRIME: &str = "bd://prime";
pub(super) const JSON: &str = "application/json";
pub(super) const TEXT: &str = "text/markdown";

/// The text of a resource and its type.
pub(super) fn read(opening: &Opening, client: &str, uri: &str) -> Result<(String, &'static str), Failure> {
    let unknown = || Failure::not_found(format!("no resource {uri:?}"));
    let (path, directory) = match uri.split_once("?dir=") {
        Some((path, directory)) => (path, Some(decoded(directory))),
        None => (uri, None),
    };
    if opening.offer.multi && directory.is_none() {
        return Err(Failure::usage("this server needs the project: add ?dir=DIRECTORY"));
    }
    let directory = directory.filter(|_| opening.offer.multi);
    if path == PRIME {
        let mut cx = opening.open(directory.as_deref(), client, "resource")?;
        let prime = ops::prime(
            &mut cx.store,
            PrimeWish { has_tools: true, only_looks: opening.offer.read_only, ..PrimeWish::SHORT },
        )?;
        return Ok((view::prime_text(&prime).text, TEXT));
    }
    let id = decoded(path.strip_prefix("bd://issue/").filter(|id| !id.is_empty()).ok_or_else(unknown)?);
    let cx = opening.open(directory.as_deref(), client, "resource")?;
    let found = ops::show_copies(&cx.store, &id, &[], false);
    let found = ops::show_past(&cx.store, &id, found)?;
    let one = found.first().ok_or_else(unknown)?;
    let object = Object::new().text("project", &cx.root.display().to_string()).join(tools::detail(one, true));
    Ok((object.finish(), JSON))
}

/// A percent-decoded part of an address.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        match (first, more.get(..2).and_then(hex)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_represents_an_id() {
        let cases = [("bd-1", "bd-1"), ("my%20app-9k2", "my app-9k2"), ("%c3%a9", "é"), ("50%", "50%"), ("%zz", "%zz")];
        for (text, id) in cases {
            assert_eq!(decoded(text), id);
        }
    }
}
