//! Files in the user's cache directory, `<user cache>/beads`. They only save work and are never needed.
//!
//! Such a file is read only if it belongs to this user, no other user can write to it, its header is the expected one
//! and its checksum is right; never through a link. It is written under a temporary name and renamed, so readers always
//! see a whole file, and a failure to write it does not stop the command. `BD_NO_IMAGE=1` disables all of them.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::fs::{self, Dir, FsError};
use super::{Env, below};
use crate::model::time::DAY;

/// The length of a file's name, in characters of a hash.
const NAME_LENGTH: usize = 24;
pub const PRIVATE: u32 = 0o600;
/// Files that were not written for this long are removed.
const MAX_AGE: i64 = 30 * DAY;

/// One kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The extension, with the dot.
    pub suffix: &'static str,
    /// The first bytes of the files of every version.
    pub family: &'static [u8],
    /// The bytes after that in files of this version.
    pub version: &'static [u8],
    pub limit: u64,
}

/// The variable that disables such files.
pub const SWITCH: &str = "BD_NO_IMAGE";

/// The path, without extension, of the files for some content; `None` if they are disabled or the user has no cache
/// directory.
pub fn place<'a>(env: &Env, of: impl IntoIterator<Item = &'a [u8]>) -> Option<PathBuf> {
    if env.var(SWITCH).is_some_and(|value| value == "1") {
        return None;
    }
    let base = env.var("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| env.home().map(|home| home.join(".cache")))?;
    let mut name = blake3::Hasher::new();
    for part in of {
        name.update(part);
        name.update(b"\0");
    }
    Some(base.join("beads").join(&name.finalize().to_hex()[..NAME_LENGTH]))
}

/// The directory of such a file, created if necessary; never through a link, whatever the variables say.
pub fn directory_of(path: &Path) -> Result<Dir, FsError> {
    let (directory, _) = below::parted(path);
    let (above, own) = below::parted(directory);
    below::make_own(above)?;
    below::make(above, own)
}

impl Kind {
    /// The file of this kind at such a path.
    pub fn at(&self, place: &Path) -> PathBuf {
        let mut path = place.as_os_str().to_owned();
        path.push(self.suffix);
        PathBuf::from(path)
    }

    /// The content of such a file, if it is valid.
    pub fn load(&self, path: &Path) -> Option<Vec<u8>> {
        let (directory, name) = below::parted(path);
        let contents = below::read(directory, name, self.limit).ok()?;
        // The checksum proves that it is whole, not who made it: a file that another user could have written is not
        // used.
        if !contents.is_own() {
            return None;
        }
        let mut bytes = contents.bytes;
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*sum) {
            return None;
        }
        let rest = body.strip_prefix(self.family)?.strip_prefix(self.version)?;
        let start = body.len() - rest.len();
        bytes.truncate(bytes.len() - 8);
        bytes.drain(..start);
        Some(bytes)
    }

    /// Writes such a file, and removes old ones of its kind.
    pub fn save(&self, path: &Path, body: &[u8]) {
        let _ = self.try_save(path, body);
    }

    /// The same; reports failures.
    pub fn try_save(&self, path: &Path, body: &[u8]) -> Result<(), FsError> {
        let mut bytes = [self.family, self.version, body].concat();
        bytes.extend_from_slice(&XxHash3_64::oneshot(&bytes).to_le_bytes());
        if bytes.len() as u64 > self.limit {
            return Ok(());
        }
        let (dir, (_, name)) = (directory_of(path)?, below::parted(path));
        dir.put_unsynced(&name.to_string_lossy(), &bytes, PRIVATE)?;
        self.forget_old(&dir);
        Ok(())
    }

    /// Removes old files of this kind, recognized by name and content, since the directory may hold others.
    pub fn forget_old(&self, dir: &Dir) {
        let oldest = fs::realtime().plus_nanos(-MAX_AGE);
        let _ = dir.remove_old_orphans();
        for name in dir.names().unwrap_or_default().iter().filter(|name| self.is_name(name)) {
            let is_old = dir.regular_at(name).is_ok_and(|found| found.is_some_and(|stamp| stamp.mtime < oldest));
            if is_old && dir.starts_with(name, self.family) {
                let _ = dir.remove(name);
            }
        }
    }

    fn is_name(&self, name: &str) -> bool {
        name.strip_suffix(self.suffix).is_some_and(|stem| {
            stem.len() == NAME_LENGTH && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, SystemTime};

    use super::*;

    const KIND: Kind = Kind { suffix: ".test", family: b"bd-test-", version: b"1", limit: 1000 };

    #[test]
    fn a_file_comes_back_whole_or_not_at_all() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("cache/beads/x.test");
        KIND.save(&path, b"body");
        assert_eq!(KIND.load(&path).unwrap(), b"body");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(Kind { version: b"2", ..KIND }.load(&path).is_none(), "another version");
        let bytes = std::fs::read(&path).unwrap();
        for damage in 0..bytes.len() {
            let mut odd = bytes.clone();
            odd[damage] ^= 1;
            std::fs::write(&path, &odd).unwrap();
            assert!(KIND.load(&path).is_none(), "byte {damage}");
            std::fs::write(&path, &bytes[..damage]).unwrap();
            assert!(KIND.load(&path).is_none(), "cut at {damage}");
        }
        std::fs::write(&path, &bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o620)).unwrap();
        assert!(KIND.load(&path).is_none(), "others can write to it");
        KIND.save(&path, &[0; 2000]);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "too large to be written");
    }

    #[test]
    fn nothing_behind_a_link() {
        let top = tempfile::tempdir().unwrap();
        let real = top.path().join("real/x.test");
        KIND.save(&real, b"body");
        symlink(top.path().join("real"), top.path().join("linked")).unwrap();
        symlink(&real, top.path().join("real/y.test")).unwrap();
        assert!(KIND.load(&top.path().join("linked/x.test")).is_none());
        assert!(KIND.load(&top.path().join("real/y.test")).is_none());
        KIND.save(&top.path().join("linked/x.test"), b"other");
        assert_eq!(KIND.load(&real).unwrap(), b"body");
    }

    #[test]
    fn old_ones_go_by_name_and_content() {
        let top = tempfile::tempdir().unwrap();
        let name = |letter: char| format!("{}.test", letter.to_string().repeat(NAME_LENGTH));
        let [old, odd, new] = ['a', 'b', 'c'].map(|letter| top.path().join("beads").join(name(letter)));
        KIND.save(&old, b"old");
        std::fs::write(&odd, "something else").unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(40 * 86_400);
        for path in [&old, &odd] {
            std::fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
        }
        KIND.save(&new, b"new");
        assert!(!old.exists() && odd.exists() && new.exists());
    }
}
