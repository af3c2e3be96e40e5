//! An append-only file: written with one call per append, and read from its end.
//!
//! A crash may leave an incomplete last line; the next append ends it, and readers ignore it. Nothing is synced: the
//! content protects against other programs, not against a power failure. A link is not followed, a pipe is not opened.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::below;
use super::fs::{Dir, FileStamp, FsError};

/// An open log.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    stamp: FileStamp,
}

impl Log {
    /// Opens a log for reading; `None` if it does not exist.
    pub fn open(path: &Path) -> Result<Option<Self>, FsError> {
        match Self::open_as(path, OFlags::RDONLY) {
            Err(error) if error.is_missing() => Ok(None),
            other => other.map(Some),
        }
    }

    /// Opens any file below a directory, to read parts of it.
    pub fn below(root: &Path, inside: &Path) -> Result<Self, FsError> {
        let (fd, stat) = Dir::root(root)?.open_regular(inside, OFlags::RDONLY, Mode::empty())?;
        Ok(Log { file: File::from(fd), path: root.join(inside), stamp: FileStamp::of(&stat) })
    }

    /// Opens a log for reading and appending, creating it if necessary.
    pub fn open_to_append(path: &Path) -> Result<Self, FsError> {
        Self::open_as(path, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    fn open_as(path: &Path, access: OFlags) -> Result<Self, FsError> {
        let (directory, name) = below::parted(path);
        let (fd, stat) = Dir::root(directory)?.open_regular(name, access, Mode::from_raw_mode(0o666))?;
        Ok(Log { file: File::from(fd), path: path.to_owned(), stamp: FileStamp::of(&stat) })
    }

    /// The file's stamp when it was opened.
    pub fn stamp(&self) -> FileStamp {
        self.stamp
    }

    /// The last bytes, at most `most`.
    pub fn tail(&self, most: u64) -> Result<Vec<u8>, FsError> {
        let from = self.stamp.size.saturating_sub(most);
        self.read(from, self.stamp.size - from)
    }

    /// The whole file, or an error if it is larger than the limit.
    pub fn whole(&self, limit: u64) -> Result<Vec<u8>, FsError> {
        if self.stamp.size > limit {
            let message = format!("{} bytes, the limit is {limit}", self.stamp.size);
            return Err(FsError::new("read", &self.path, io::Error::new(io::ErrorKind::FileTooLarge, message)));
        }
        self.read(0, self.stamp.size)
    }

    /// Reads `length` bytes from an offset; fewer at the end of the file.
    pub fn read(&self, from: u64, length: u64) -> Result<Vec<u8>, FsError> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.file.read_at(&mut bytes[filled..], from + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(FsError::new("read", &self.path, e)),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// All bytes that the file had when it was opened, or an error if it has become shorter.
    pub fn unchanged(&self) -> Result<Vec<u8>, FsError> {
        let bytes = self.read(0, self.stamp.size)?;
        if (bytes.len() as u64) < self.stamp.size {
            let message = format!("it became shorter: {} of {} bytes are left", bytes.len(), self.stamp.size);
            return Err(FsError::new("read", &self.path, io::Error::new(io::ErrorKind::UnexpectedEof, message)));
        }
        Ok(bytes)
    }

    /// Appends bytes, with one write unless the system takes only a part of them.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FsError> {
        self.file.write_all(bytes).map_err(|e| FsError::new("append to", &self.path, e))?;
        self.stamp.size += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_grows_and_is_read_from_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        assert!(Log::open(&path).unwrap().is_none());
        let mut log = Log::open_to_append(&path).unwrap();
        log.append(b"one\n").unwrap();
        log.append(b"two\n").unwrap();
        assert_eq!(log.tail(5).unwrap(), b"\ntwo\n");
        let log = Log::open(&path).unwrap().unwrap();
        assert_eq!(log.whole(8).unwrap(), b"one\ntwo\n");
        assert!(log.whole(7).is_err());
    }

    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("log"), directory.path().join("other"));
        std::fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert!(Log::open(&path).is_err() && Log::open_to_append(&path).is_err());
    }
}
