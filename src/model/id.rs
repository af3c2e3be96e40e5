//! Issue ids: minting, which ids a file may hold, and resolving the ids that people type.

use std::fmt;

use super::time::Instant;

/// The id of an issue as a file writes it: 1 to 256 bytes without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("an id has 1 to 256 bytes, this one has {0}")]
    Length(usize),
    #[error("an id has no control characters")]
    Control,
    #[error("a new id is made of a-z, 0-9, '-' and '.': {0:?}")]
    Alphabet(String),
    #[error("a prefix is made of a-z, 0-9 and '-', and starts with a letter: {0:?}")]
    Prefix(String),
}

impl IssueId {
    /// Accepts any id that a file may hold.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        if !(1..=256).contains(&text.len()) {
            return Err(IdError::Length(text.len()));
        }
        if text.chars().any(char::is_control) {
            return Err(IdError::Control);
        }
        Ok(IssueId(text.to_owned()))
    }

    /// Accepts an id that a person asks for with `--id`.
    pub fn chosen(text: &str) -> Result<Self, IdError> {
        let id = Self::parse(text)?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
        let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if starts_well && text.chars().all(plain) { Ok(id) } else { Err(IdError::Alphabet(text.to_owned())) }
    }

    /// Mints `<prefix>-` and 8 base36 characters of blake3 over the title, the description, the time and 16 random
    /// bytes.
    pub fn mint(prefix: &str, title: &str, description: &str, now: Instant, nonce: [u8; 16]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [title, description] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update(&now.millis().to_le_bytes());
        hasher.update(&nonce);
        let hash = hasher.finalize();
        let mut number = u128::from_le_bytes(hash.as_bytes()[..16].try_into().expect("a hash has 32 bytes"));
        let mut digits = [0u8; 8];
        for digit in &mut digits {
            *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize];
            number /= 36;
        }
        IssueId(format!("{prefix}-{}", String::from_utf8_lossy(&digits)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IssueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks a prefix for new ids.
pub fn check_prefix(prefix: &str) -> Result<(), IdError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fine = prefix.starts_with(|c: char| c.is_ascii_lowercase())
        && prefix.len() <= 40
        && prefix.chars().all(plain)
        && !prefix.ends_with('-');
    if fine { Ok(()) } else { Err(IdError::Prefix(prefix.to_owned())) }
}

/// The legal prefix closest to a directory name.
pub fn prefix_from(name: &str) -> String {
    let mut prefix = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => prefix.push(c),
            _ if !prefix.is_empty() && !prefix.ends_with('-') => prefix.push('-'),
            _ => {}
        }
    }
    prefix.truncate(20);
    let prefix = prefix.trim_matches('-').trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    if prefix.is_empty() { "bd".to_owned() } else { prefix.to_owned() }
}

/// The part before the last dash, if there is one.
pub fn prefix_of(id: &str) -> Option<&str> {
    id.rsplit_once('-').map(|(prefix, _)| prefix)
}

/// The part that people type: what follows the last dash, or the whole id.
pub fn hash_of(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(_, hash)| hash)
}

/// The meaning of a typed id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    One(String),
    None,
    /// All candidates, sorted.
    Many(Vec<String>),
}

/// Whether a text is a proper beginning of an id, or of its hash: `a3f8.1` is a child of `a3f8`, not a longer form of
/// it.
fn is_short_for(typed: &str, whole: &str) -> bool {
    whole.strip_prefix(typed).is_some_and(|rest| !rest.starts_with('.'))
}

/// Resolves a typed id among all known ids: the exact id; else ids with exactly this hash; else ids whose hash starts
/// with it; else ids that start with it. `a3f8` never means its child `a3f8.1`.
pub fn resolve<'a>(typed: &str, ids: impl IntoIterator<Item = &'a str>) -> Resolved {
    let mut by_hash = Vec::new();
    let mut by_prefix = Vec::new();
    let mut by_start = Vec::new();
    if typed.is_empty() {
        return Resolved::None;
    }
    for id in ids {
        if id == typed {
            return Resolved::One(id.to_owned());
        }
        let hash = hash_of(id);
        if hash == typed {
            by_hash.push(id);
        } else if is_short_for(typed, hash) {
            by_prefix.push(id);
        } else if is_short_for(typed, id) {
            by_start.push(id);
        }
    }
    let found = [by_hash, by_prefix, by_start].into_iter().find(|found| !found.is_empty());
    let Some(mut found) = found else { return Resolved::None };
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [one] => Resolved::One((*one).to_owned()),
        many => Resolved::Many(many.iter().map(|id| (*id).to_owned()).collect()),
    }
}

/// Tells how many characters of an id's hash are enough to distinguish it from all others.
#[derive(Debug, Default, Clone)]
pub struct PrefixIndex {
    hashes: Vec<String>,
}

impl PrefixIndex {
    pub fn new<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ids: Vec<&str> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        let mut hashes: Vec<String> = ids.into_iter().map(|id| hash_of(id).to_owned()).collect();
        hashes.sort_unstable();
        PrefixIndex { hashes }
    }

    /// The number of bytes of the hash that resolve to this id alone; `None` if only the whole id does.
    pub fn shortest(&self, id: &str) -> Option<usize> {
        let hash = hash_of(id);
        let meant_by = |short: &'_ str| {
            let from = self.hashes.partition_point(|other| other.as_str() < short);
            let like = self.hashes[from..].iter().take_while(|other| other.starts_with(short));
            like.filter(|other| is_short_for(short, other)).take(2).count()
        };
        let is_shared = self.hashes.iter().skip(self.hashes.partition_point(|other| other.as_str() < hash));
        if hash.is_empty() || is_shared.take_while(|other| *other == hash).count() > 1 {
            return None;
        }
        let ends = hash.char_indices().map(|(at, _)| at).skip(1).chain([hash.len()]);
        let is_enough = |end: &usize| {
            let short = &hash[..*end];
            *end == hash.len() || is_short_for(short, hash) && meant_by(short) == 1
        };
        ends.into_iter().find(is_enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_prefers_the_exact_and_names_the_ambiguous() {
        let ids = ["bd-1", "bd-12", "bd-a3f8", "bd-a3f8.1", "my proj-a3zz", "x-bd"];
        let one = |id: &str| Resolved::One(id.to_owned());
        assert_eq!(resolve("bd-1", ids), one("bd-1"));
        assert_eq!(resolve("1", ids), one("bd-1"));
        assert_eq!(resolve("12", ids), one("bd-12"));
        assert_eq!(resolve("a3f8", ids), one("bd-a3f8"));
        assert_eq!(resolve("a3z", ids), one("my proj-a3zz"));
        assert_eq!(resolve("bd", ids), one("x-bd"));
        assert_eq!(resolve("my", ids), one("my proj-a3zz"));
        assert_eq!(resolve("q", ids), Resolved::None);
        assert_eq!(
            resolve("a3", ids),
            Resolved::Many(["bd-a3f8", "bd-a3f8.1", "my proj-a3zz"].map(String::from).into())
        );
        // A missing parent does not resolve to its child.
        let child = ["wf-ba2.6.3"];
        assert_eq!(
            ["wf-ba2.6", "ba2.6", "wf-ba2", "ba2"].map(|typed| resolve(typed, child)),
            [const { Resolved::None }; 4]
        );
        assert_eq!(["wf-ba2.6.", "wf-b", "ba"].map(|typed| resolve(typed, child)), ["wf-ba2.6.3"; 3].map(one));
    }

    #[test]
    fn minted_ids_depend_on_every_part() {
        let at = Instant::from_millis(1);
        let base = IssueId::mint("bd", "t", "d", at, [0; 16]);
        assert_eq!(base.as_str().len(), 11);
        let others = [
            IssueId::mint("bd", "td", "", at, [0; 16]),
            IssueId::mint("bd", "t", "d", Instant::from_millis(2), [0; 16]),
            IssueId::mint("bd", "t", "d", at, [1; 16]),
        ];
        assert!(others.iter().all(|other| other != &base && IssueId::chosen(other.as_str()).is_ok()));
    }

    #[test]
    fn prefixes_from_directory_names() {
        let cases = [("My Project", "my-project"), ("beads.rs", "beads-rs"), ("42", "bd"), ("--", "bd"), ("7up", "up")];
        for (name, prefix) in cases {
            assert_eq!(prefix_from(name), prefix);
            assert!(check_prefix(prefix).is_ok());
        }
    }
}
