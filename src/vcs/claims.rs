//! Claims that all clones of a repository see: one ref for each on the git remote, `refs/beads/claims/<id>`.
//!
//! The server is the arbiter. A claim changes by a push that names the version it replaces, and of two such pushes the
//! server accepts one. The content of a claim is the caller's; here it is a text. Nothing else on the remote is
//! touched, and in the clone no ref, index, file or `FETCH_HEAD` changes; fetched objects stay in its store until git's
//! garbage collection. Only git supports this, and jj where its commits are in git.

use super::{Kind, SyncError};

pub(super) const PREFIX: &str = "refs/beads/claims/";
/// The refs of the notes that the clones of a user show each other, in a private repository.
pub(super) const NOTES: &str = "refs/beads/fleet/";
/// The longest file name of common file systems, since a server may keep each ref in a file.
const LONGEST: usize = 200;

/// One claim on the remote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteClaim {
    /// The issue.
    pub id: String,
    /// Identifies this state of the claim; no other claim ever has the same.
    pub version: String,
    /// Empty if the ref leads to an object that is not a claim.
    pub text: String,
}

/// The result of a swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Swap {
    /// The claim is as requested. The version is empty if it was removed.
    Done { version: String },
    /// The remote has another version than the expected one.
    Lost { current: Option<RemoteClaim> },
}

/// The ref of an issue's claim. Characters that are not allowed in a name, and upper case, which some servers fold, are
/// written as `%` and two digits; so is `/`, because a ref cannot be below another one. A name that is too long for a
/// file continues after `%/`, which no other part ends with.
pub(super) fn ref_name(prefix: &str, id: &str) -> Result<String, SyncError> {
    if id.is_empty() {
        return Err(SyncError::Unsupported { kind: Kind::Git, what: "a claim needs the id of an issue" });
    }
    let name = encoded(id, true);
    let parts = if name.len() <= LONGEST { vec![name] } else { parts(&encoded(id, false)) };
    Ok(format!("{prefix}{}", parts.join("%/")))
}

fn encoded(id: &str, with_dots: bool) -> String {
    let bytes = id.as_bytes();
    let is_plain = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let mut name = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        let inside = at > 0 && is_plain(bytes.get(at - 1)) && is_plain(bytes.get(at + 1)) && &bytes[at..] != b".lock";
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(*byte)),
            b'.' if inside && with_dots => name.push('.'),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

/// Splits a name without separating `%` from its digits.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = name;
    while !rest.is_empty() {
        let (character, after) = rest.split_at(if rest.starts_with('%') { 3 } else { 1 });
        match parts.last_mut() {
            Some(part) if part.len() + character.len() <= LONGEST => part.push_str(character),
            _ => parts.push(character.to_owned()),
        }
        rest = after;
    }
    parts
}

/// The issue whose claim a ref is; `None` for a ref that [`ref_name`] never makes.
pub(super) fn id_of(prefix: &str, name: &str) -> Option<String> {
    let text = name.strip_prefix(prefix)?.replace("%/", "");
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    let id = String::from_utf8(bytes).ok()?;
    ref_name(prefix, &id).is_ok_and(|again| again == name).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_refs() {
        let name = |id: &str| ref_name(PREFIX, id).unwrap();
        assert_eq!(name("bd-a1b2c3d4"), "refs/beads/claims/bd-a1b2c3d4");
        assert_eq!(name("bd-a3f8.1.12"), "refs/beads/claims/bd-a3f8.1.12");
        assert_eq!(name("My App-1"), "refs/beads/claims/%4dy%20%41pp-1");
        assert_eq!(name("a.lock"), "refs/beads/claims/a%2elock");
        assert_eq!(name("..a..b."), "refs/beads/claims/%2e%2ea%2e%2eb%2e");
        assert_eq!(name("a/b~c:d@{e}"), "refs/beads/claims/a%2fb%7ec%3ad%40%7be%7d");
        assert!(ref_name(PREFIX, "").is_err());
    }

    #[test]
    fn every_id_comes_back_and_no_two_share_a_name() {
        let long = "é".repeat(128);
        let ids = [
            "a",
            "A",
            "%61",
            "a%",
            "a.b",
            "a..b",
            ".lock",
            "a.lock.lock",
            "-",
            "a b",
            "ä",
            "a/b",
            "a%/b",
            "@",
            "\u{7f}",
            &long,
        ];
        let names: std::collections::HashSet<String> = ids.iter().map(|id| ref_name(PREFIX, id).unwrap()).collect();
        assert_eq!(names.len(), ids.len());
        for id in ids {
            let name = ref_name(PREFIX, id).unwrap();
            assert_eq!(id_of(PREFIX, &name).as_deref(), Some(id));
            assert!(name.split('/').all(|part| part.len() <= LONGEST + 1), "{name}");
            assert!(gix::refs::FullName::try_from(name.as_str()).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_that_are_nobodys() {
        for name in [
            "refs/beads/claims/A",
            "refs/beads/claims/%4",
            "refs/beads/claims/a/b",
            "refs/beads/claims/%ff",
            "refs/heads/a",
        ] {
            assert_eq!(id_of(PREFIX, name), None, "{name}");
        }
    }
}
