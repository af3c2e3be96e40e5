//! Finds out whether version control tracks a path, from its own list of files alone: a commit may have brought a
//! tracked file.
//!
//! Paths are given as bytes below the working copy, with slashes. A directory counts if anything below it is tracked,
//! and names are compared without regard to case, as some file systems do. An unreadable list counts as empty.

use std::path::{Path, PathBuf};

use super::files;

/// Whether a tracked name is this path, or below it.
fn is_at(name: &[u8], path: &[u8]) -> bool {
    name.get(..path.len()).is_some_and(|start| start.eq_ignore_ascii_case(path))
        && name.get(path.len()).is_none_or(|next| *next == b'/')
}

/// By git, given its directory for the working copy. A split index has more entries in files beside it.
pub(super) fn by_git(own: &Path, path: &[u8]) -> bool {
    let parts = files::beginning(own, "sharedindex.").into_iter().chain([own.join("index")]);
    parts.filter_map(|file| files::bytes(&file)).any(|index| {
        // The list does not show the length of its hashes.
        [20, 32].iter().any(|hash| Entries::of(&index, *hash).is_some_and(|mut entries| entries.has(path)))
    })
}

/// The submodules in git's list; `None` if the list cannot be read.
pub(super) fn gitlinks(own: &Path) -> Option<Vec<PathBuf>> {
    let parts = files::beginning(own, "sharedindex.").into_iter().chain([own.join("index")]);
    let mut found = Vec::new();
    for index in parts.filter_map(|file| files::bytes(&file)) {
        // Most lists have none, and are not parsed.
        if memchr::memmem::find(&index, &GITLINK.to_be_bytes()).is_some() {
            let lists = [20, 32].into_iter().map(|hash| Entries::of(&index, hash).and_then(Entries::gitlinks));
            found.extend(lists.flatten().next()?);
        }
    }
    Some(found)
}

/// git's mode for a submodule.
const GITLINK: u32 = 0o160_000;

/// The entries in an index of git.
struct Entries<'a> {
    rest: &'a [u8],
    left: u32,
    version: u32,
    hash: usize,
    name: Vec<u8>,
}

impl<'a> Entries<'a> {
    fn of(index: &'a [u8], hash: usize) -> Option<Self> {
        let rest = index.strip_prefix(b"DIRC")?;
        let (version, left) = (number(rest)?, number(rest.get(4..)?)?);
        Some(Entries { rest: rest.get(8..)?, left, version, hash, name: Vec::new() })
    }

    fn has(&mut self, path: &[u8]) -> bool {
        while self.next().is_some() {
            if is_at(&self.name, path) {
                return true;
            }
        }
        false
    }

    /// The names of submodules; `None` if the list does not end where it should.
    fn gitlinks(mut self) -> Option<Vec<PathBuf>> {
        let mut found = Vec::new();
        while let Some(mode) = self.next() {
            found.extend((mode == GITLINK).then(|| files::path_of(&self.name)));
        }
        (self.left == 0).then_some(found)
    }

    /// Moves to the next name, and returns its mode.
    fn next(&mut self) -> Option<u32> {
        const MODE: usize = 24;
        const NUMBERS: usize = 40;
        const EXTENDED: u8 = 0x40;
        let left = self.left.checked_sub(1)?;
        let mode = number(self.rest.get(MODE..)?)?;
        let flags = NUMBERS + self.hash;
        let start = flags + if self.rest.get(flags)? & EXTENDED == 0 { 2 } else { 4 };
        let (mut text, mut length) = (self.rest.get(start..)?, start);
        if self.version >= 4 {
            // Only the end of the name is stored, with the number of bytes to drop from the previous one.
            let (cut, size) = offset(text)?;
            self.name.truncate(self.name.len().checked_sub(cut)?);
            (text, length) = (text.get(size..)?, length + size);
        } else {
            self.name.clear();
        }
        let end = text.iter().position(|byte| *byte == 0)?;
        self.name.extend_from_slice(&text[..end]);
        length += end + 1;
        self.rest = self.rest.get(if self.version >= 4 { length } else { length.next_multiple_of(8) }..)?;
        self.left = left;
        Some(mode)
    }
}

/// A number in git's offset encoding, and its length in bytes.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (n, byte) in bytes.iter().enumerate().take(8) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, n + 1));
        }
        value += 1;
    }
    None
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?))
}

/// By hg, given its directory for the working copy.
pub(super) fn by_hg(own: &Path, path: &[u8]) -> bool {
    const PARENTS: usize = 40;
    const NUMBERS: usize = 17;
    const NAME: usize = 125;
    let Some(list) = files::bytes(&own.join("dirstate")) else { return false };
    if list.starts_with(b"dirstate-v2\n") {
        let name = list.get(NAME - 1).and_then(|length| list.get(NAME..NAME + usize::from(*length)));
        let data = name.and_then(|name| files::bytes(&own.join(files::path_of(&[b"dirstate.", name].concat()))));
        return data.is_some_and(|data| mentions(&data, path));
    }
    let mut rest = list.get(PARENTS..).unwrap_or_default();
    while let Some(length) = rest.get(NUMBERS - 4..).and_then(number) {
        let Some(name) = rest.get(NUMBERS..NUMBERS + length as usize) else { break };
        // The source of a copy may follow.
        if name.split(|byte| *byte == 0).next().is_some_and(|name| is_at(name, path)) {
            return true;
        }
        rest = &rest[NUMBERS + length as usize..];
    }
    false
}

/// By jj, given its directory for the working copy.
pub(super) fn by_jj(own: &Path, path: &[u8]) -> bool {
    files::bytes(&own.join("working_copy/tree_state")).is_some_and(|state| mentions(&state, path))
}

/// Whether a list, whose names are not separated here, has one that is below a path.
fn mentions(list: &[u8], path: &[u8]) -> bool {
    let below = [path, b"/"].concat();
    list.windows(below.len()).any(|window| window.eq_ignore_ascii_case(&below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_at_itself_and_below() {
        for (name, path, expected) in [
            (".hg", ".hg", true),
            (".hg/requires", ".hg", true),
            (".HG/requires", ".hg", true),
            (".hgignore", ".hg", false),
            ("a/.hg/x", ".hg", false),
            ("a/.hg/x", "a/.hg", true),
            (".h", ".hg", false),
        ] {
            assert_eq!(is_at(name.as_bytes(), path.as_bytes()), expected, "{name} {path}");
        }
    }

    #[test]
    fn offsets_of_git() {
        assert_eq!(offset(&[5]), Some((5, 1)));
        assert_eq!(offset(&[0x80, 0]), Some((128, 2)));
        assert_eq!(offset(&[0x80]), None);
    }
}
