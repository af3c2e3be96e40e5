//! An image of the cache on disk, so that a one-shot command need not parse what was parsed before.
//!
//! Owns `<user cache>/beads/<name>.img`, never a file in a repo. It holds the database and, for each line of the ledgers, a seeded
//! hash and the key under which the database knows it. It is an accelerator for reads and nothing more: a line is taken from it
//! only if its ledger, just read, still has that line; anything odd about the file and it is ignored. `BD_NO_IMAGE=1` switches
//! it off, and deleting the directory loses nothing.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use crate::cache::Key;
use crate::ledger::Document;
use crate::model::time::DAY;
use crate::sys::fs::{self, Dir, FsError};
use crate::sys::{self, Env, below};

/// Below this many lines parsing is cheaper than the image is worth.
pub(super) const MIN_LINES: usize = 300;
/// When more lines than this had to be parsed although there was an image, a new one is made.
pub(super) const STALE_LINES: usize = 64;

const MAGIC: &[u8; 8] = b"bd-img-2";
/// What the images of every version begin with.
const MAGIC_START: &[u8] = b"bd-img-";
/// So many characters of a hash are the name of an image.
const NAME_LENGTH: usize = 24;
const PRIVATE: u32 = 0o600;
const MAX_IMAGE: u64 = 1 << 30;
/// Images of ledgers that nobody reads any more go after this time.
const MAX_AGE: i64 = 30 * DAY;

/// A line in the image: its hash, and its key (0: a line without an issue; -1: one that must be read again).
pub(super) type ImageLine = (u64, Key);

#[derive(Debug)]
pub(super) struct Image {
    pub seed: u64,
    /// The lines of each ledger.
    pub parts: Vec<Vec<ImageLine>>,
    pub database: Vec<u8>,
}

/// Where the image of these ledgers is, unless images are switched off or there is no place for them.
pub(super) fn place(env: &Env, ledgers: &[&Path]) -> Option<PathBuf> {
    if env.var("BD_NO_IMAGE").is_some_and(|value| value == "1") {
        return None;
    }
    let base = env.var("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| env.home().map(|home| home.join(".cache")))?;
    let mut name = blake3::Hasher::new();
    for ledger in ledgers {
        name.update(sys::path::real(ledger).ok()?.as_os_str().as_encoded_bytes());
        name.update(b"\0");
    }
    Some(base.join("beads").join(format!("{}.img", &name.finalize().to_hex()[..NAME_LENGTH])))
}

/// The seeded hash of a line. The seed keeps a stranger's ledger from being made to collide.
pub(super) fn line_hash(seed: u64, document: &Document, line: usize) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, document.raw(line))
}

/// What this program's images look like inside: another schema or another version makes another image.
fn version() -> [u8; 32] {
    let parts = [include_str!("../cache/schema.sql"), env!("CARGO_PKG_VERSION")];
    *blake3::hash(parts.concat().as_bytes()).as_bytes()
}

impl Image {
    pub fn load(path: &Path) -> Option<Self> {
        let (directory, name) = below::parted(path);
        let contents = below::read(directory, name, MAX_IMAGE).ok()?;
        // Its sum proves that it is whole, not who made it: one that another user could have written is not used.
        if !contents.is_own() {
            return None;
        }
        let bytes = contents.bytes;
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*sum) {
            return None;
        }
        let rest = body.strip_prefix(MAGIC)?.strip_prefix(&version())?;
        let (seed, rest) = rest.split_first_chunk::<8>()?;
        let (count, mut rest) = rest.split_first_chunk::<8>()?;
        let mut parts = Vec::new();
        for _ in 0..u64::from_le_bytes(*count) {
            let (lines, after) = rest.split_first_chunk::<8>()?;
            let bytes = usize::try_from(u64::from_le_bytes(*lines)).ok()?.checked_mul(16)?;
            let (lines, after) = after.split_at_checked(bytes)?;
            let number = |part: &[u8]| u64::from_le_bytes(part.try_into().unwrap_or_default());
            let line = |part: &[u8]| (number(&part[..8]), number(&part[8..]) as Key);
            parts.push(lines.chunks_exact(16).map(line).collect::<Vec<ImageLine>>());
            rest = after;
        }
        Some(Image { seed: u64::from_le_bytes(*seed), database: rest.to_vec(), parts })
    }

    /// Writes the image beside its final name and moves it there. A failure is no failure of the command.
    pub fn save(&self, path: &Path) {
        let _ = self.try_save(path);
    }

    fn try_save(&self, path: &Path) -> Result<(), FsError> {
        let (directory, name) = below::parted(path);
        let dir = own_directory(directory)?;
        let lines: usize = self.parts.iter().map(Vec::len).sum();
        let mut bytes = Vec::with_capacity(self.database.len() + lines * 16 + self.parts.len() * 8 + 64);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&version());
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&(self.parts.len() as u64).to_le_bytes());
        for part in &self.parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            for (hash, key) in part {
                bytes.extend_from_slice(&hash.to_le_bytes());
                bytes.extend_from_slice(&key.to_le_bytes());
            }
        }
        bytes.extend_from_slice(&self.database);
        bytes.extend_from_slice(&XxHash3_64::oneshot(&bytes).to_le_bytes());
        dir.put_unsynced(&name.to_string_lossy(), &bytes, PRIVATE)?;
        forget_old(&dir);
        Ok(())
    }
}

/// The directory of images, never behind a link, whatever the variables say.
fn own_directory(path: &Path) -> Result<Dir, FsError> {
    let (above, name) = below::parted(path);
    below::make_own(above)?;
    below::make(above, name)
}

/// Removes images that nobody reads any more: by name and by content, since other files may be in the directory.
fn forget_old(dir: &Dir) {
    let oldest = fs::realtime().plus_nanos(-MAX_AGE);
    let _ = dir.remove_old_orphans();
    for name in dir.names().unwrap_or_default().iter().filter(|name| is_image_name(name)) {
        let is_old = dir.regular_at(name).is_ok_and(|found| found.is_some_and(|stamp| stamp.mtime < oldest));
        if is_old && dir.starts_with(name, MAGIC_START) {
            let _ = dir.remove(name);
        }
    }
}

fn is_image_name(name: &str) -> bool {
    name.strip_suffix(".img").is_some_and(|stem| {
        stem.len() == NAME_LENGTH && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_comes_back_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x/y.img");
        let image =
            Image { seed: 7, parts: vec![vec![(1, 2), (3, 0), (4, -1)], vec![], vec![(5, 3)]], database: vec![9; 100] };
        image.save(&path);
        let back = Image::load(&path).unwrap();
        assert_eq!((back.seed, back.parts, back.database), (7, image.parts, image.database));
        let bytes = std::fs::read(&path).unwrap();
        for damage in [0, 20, 60, bytes.len() / 2, bytes.len() - 1] {
            let mut odd = bytes.clone();
            odd[damage] ^= 1;
            std::fs::write(&path, &odd).unwrap();
            assert!(Image::load(&path).is_none(), "byte {damage}");
        }
        std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        assert!(Image::load(&path).is_none());
    }
}
