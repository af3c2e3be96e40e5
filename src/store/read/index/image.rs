//! An image of the cache on disk, so that a short command need not read again what was read before.
//!
//! Owns three files in `<user cache>/beads`, never in a repo: `<name>.image`, the database with everything computed
//! from the ledgers; `<name>.label`, which identifies those ledgers; and `<name>.texts`, the full-text index that the
//! first search makes. While each ledger is still that file (device, inode, size and times, none of them too recent to
//! be sure), the image is queried in place and the ledgers are not read. If the stamp is inconclusive, the bytes
//! decide. It only speeds up reads: with anything odd about either file it is ignored. `BD_NO_IMAGE=1` turns it off,
//! and deleting the directory loses nothing.

use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use twox_hash::{XxHash3_64, XxHash3_128};

use crate::cache::{Cache, FileId, Key};
use crate::model::bytes::{Reader, put_bytes, put_number};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::sys::cache_dir::Kind;
use crate::sys::fs::{Dir, FileStamp, FsError};
use crate::sys::log::Log;
use crate::sys::{Entropy, Env, below, cache_dir};
use crate::{cache, sys};

/// With fewer lines, parsing is cheaper than an image.
pub(super) const MIN_LINES: usize = 300;

/// The label's format. Its family covers all versions, including those no longer read.
const LABEL: Kind = Kind { suffix: ".label", family: b"bd-img-", version: b"8", limit: 1 << 20 };
const IMAGE: Kind = Kind { suffix: ".image", family: b"SQLite format 3\0", version: b"", limit: 2 << 30 };
const TEXTS: Kind = Kind { suffix: ".texts", ..IMAGE };
/// Files of earlier versions.
const EARLIER: Kind = Kind { suffix: ".img", ..LABEL };
/// An image with more days that depend on the reader's time zone is not loaded.
pub(super) const MAX_DAYS: usize = 1000;
/// Checksums are computed in parts of this size.
const PART: u64 = 256 << 10;

/// What an image was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub id: FileId,
    pub seed: u64,
    /// Days as dates, with their beginning and end in the time zone of the reader who made it.
    pub days: Vec<(String, i64, i64)>,
    pub ledgers: Vec<LabelledLedger>,
    /// The image's length and checksum. It is not synced, so a loss of power may tear it, and a disk may forget.
    length: u64,
    sum: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelledLedger {
    pub file: FileStamp,
    pub read_at: Instant,
    /// The hash of the bytes; `None` if the stamp was and must be enough.
    pub hash: Option<u128>,
}

/// The path of the image for these ledgers, without a suffix.
pub(super) fn place(env: &Env, ledgers: &[&Path]) -> Option<PathBuf> {
    let real = ledgers.iter().map(|ledger| sys::path::real(ledger).ok()).collect::<Option<Vec<_>>>()?;
    cache_dir::place(env, real.iter().map(|path| path.as_os_str().as_encoded_bytes()))
}

/// The seeded hash of a line. The seed prevents a stranger's ledger from causing collisions.
pub(super) fn text_hash(seed: u64, raw: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, raw)
}

/// The seeded hash of a whole ledger.
pub(super) fn whole_hash(seed: u64, pieces: &[&[u8]]) -> u128 {
    if let [bytes] = pieces {
        return XxHash3_128::oneshot_with_seed(seed, bytes);
    }
    let mut hasher = XxHash3_128::with_seed(seed);
    pieces.iter().for_each(|piece| hasher.write(piece));
    hasher.finish_128()
}

/// The format of this program's images: another schema or version makes another image.
fn version() -> [u8; 32] {
    let mut version = [0; 32];
    let (schema, program) = version.split_at_mut(16);
    schema.copy_from_slice(&cache::schema_sum().to_le_bytes());
    program.copy_from_slice(&XxHash3_128::oneshot(env!("CARGO_PKG_VERSION").as_bytes()).to_le_bytes());
    version
}

/// The current boot of the machine, since texts have no checksum; empty if the system does not tell.
fn boot() -> String {
    sys::boot().unwrap_or_default()
}

impl Label {
    /// The label of a new image.
    pub(super) fn new(seed: u64, days: Vec<(String, i64, i64)>, ledgers: Vec<LabelledLedger>) -> Self {
        // Not the host's entropy, which a test may have fixed: no one may predict this.
        let id = Entropy::System.bytes();
        Label { id, seed, days, ledgers, length: 0, sum: 0 }
    }

    /// The label of an image, if it exists and only this user can write it.
    pub(super) fn load(place: &Path) -> Option<Self> {
        Self::parse(&LABEL.load(&LABEL.at(place))?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes.strip_prefix(&version())?);
        let (id, seed) = (reader.take()?, reader.number()?);
        let (length, sum) = (reader.number()?, reader.number()?);
        let mut days = Vec::new();
        for _ in 0..reader.number()? {
            let (text, from) = (reader.text()?, reader.number()?);
            days.push((text, from as i64, reader.number()? as i64));
        }
        let mut ledgers = Vec::new();
        for _ in 0..reader.number()? {
            let (dev, ino, size) = (reader.number()?, reader.number()?, reader.number()?);
            let file = FileStamp { dev, ino, size, mtime: reader.instant()?, ctime: reader.instant()? };
            ledgers.push(LabelledLedger {
                file,
                read_at: reader.instant()?,
                hash: Some(reader.take().map(u128::from_le_bytes)?).filter(|hash| *hash != 0),
            });
        }
        Some(Label { id, seed, days, ledgers, length, sum })
    }

    fn render(&self) -> Vec<u8> {
        let mut bytes = [version().as_slice(), &self.id].concat();
        for number in [self.seed, self.length, self.sum] {
            put_number(&mut bytes, number);
        }
        put_number(&mut bytes, self.days.len() as u64);
        for (text, from, to) in &self.days {
            put_bytes(&mut bytes, text.as_bytes());
            put_number(&mut bytes, *from as u64);
            put_number(&mut bytes, *to as u64);
        }
        put_number(&mut bytes, self.ledgers.len() as u64);
        for LabelledLedger { file, read_at, hash } in &self.ledgers {
            for number in [file.dev, file.ino, file.size] {
                put_number(&mut bytes, number);
            }
            for instant in [file.mtime, file.ctime, *read_at] {
                put_number(&mut bytes, instant.nanos() as u64);
            }
            bytes.extend_from_slice(&hash.unwrap_or(0).to_le_bytes());
        }
        bytes
    }

    /// Every day has the same beginning and end as for the image's maker.
    pub(super) fn holds_in(&self, zone: impl FnOnce() -> Calendar) -> bool {
        if self.days.is_empty() {
            return true;
        }
        let calendar = zone();
        self.days.iter().all(|(text, from, to)| {
            calendar.day_of(text).is_some_and(|day| (day.start.micros(), day.end.micros()) == (*from, *to))
        })
    }

    /// The database of the image, to be queried in place; `None` if it is not byte for byte the one that was made.
    pub(super) fn open(&self, place: &Path) -> Option<Cache> {
        let path = IMAGE.at(place);
        self.is_whole(&path).then(|| Cache::ask(&path, &self.id).ok())?
    }

    /// The file is the image, and no one else could have written it.
    fn is_whole(&self, path: &Path) -> bool {
        let (directory, name) = below::parted(path);
        let found = Dir::root(directory).and_then(|dir| dir.own_regular_at(&name.to_string_lossy()));
        found.is_ok_and(|found| found.is_some_and(|stamp| stamp.size == self.length))
            && sum_of(path) == Some((self.length, self.sum))
    }

    /// Lets the cache use the file of texts beside the image; returns whether it belongs to this image.
    pub(super) fn attach_texts(&self, place: &Path, cache: &mut Cache) -> bool {
        let path = TEXTS.at(place);
        let (directory, name) = below::parted(&path);
        let found = Dir::root(directory).and_then(|dir| dir.own_regular_at(&name.to_string_lossy()));
        let Ok(Some(found)) = found else { return false };
        cache.attach_texts(&path, found.size, &self.id, &boot()).is_ok_and(|attached| attached)
    }

    /// Stores the texts of all lines beside the image.
    pub(super) fn save_texts<'a>(
        &self,
        place: &Path,
        cache: &Cache,
        lines: impl Iterator<Item = (Key, Record<'a>)>,
    ) -> Option<()> {
        let bytes = cache.texts_file(lines, &self.id, &boot()).ok()?;
        let path = TEXTS.at(place);
        let (dir, (_, name)) = (cache_dir::directory_of(&path).ok()?, below::parted(&path));
        dir.put_unsynced(&name.to_string_lossy(), &bytes, cache_dir::PRIVATE).ok()
    }

    /// Updates the texts of an earlier image to this one: a copy is changed and replaces it.
    pub(super) fn follow_texts(&self, place: &Path, text: impl Fn(Key) -> Option<String>) -> Option<()> {
        let path = TEXTS.at(place);
        let (dir, (_, texts)) = (cache_dir::directory_of(&path).ok()?, below::parted(&path));
        let texts = texts.to_string_lossy();
        dir.own_regular_at(&texts).ok()??;
        let copy = dir.copy_unsynced(&texts, cache_dir::PRIVATE).ok()?;
        let image = IMAGE.at(place);
        let followed = Cache::follow_texts(&dir.path().join(&copy), &image, &self.id, &boot(), text);
        let done = followed.is_ok_and(|done| done) && dir.rename_unsynced(&copy, &texts).is_ok();
        if !done {
            let _ = dir.remove(&copy);
        }
        done.then_some(())
    }

    /// Stores an image, then its label. Failure is ignored.
    pub(super) fn save(self, place: &Path, database: &[u8]) {
        let label = Label { length: database.len() as u64, sum: text_hash(0, database), ..self };
        let _ = label.try_save(place, Some(database));
    }

    /// A changed copy of the image; `None` if that is impossible.
    pub(super) fn changed(
        &self,
        place: &Path,
        id: &FileId,
        change: impl FnOnce(&mut Cache) -> Option<()>,
    ) -> Option<ChangedImage> {
        let path = IMAGE.at(place);
        let dir = cache_dir::directory_of(&path).ok()?;
        let image = below::parted(&path).1.to_string_lossy().into_owned();
        dir.own_regular_at(&image).ok()??;
        let name = dir.copy_unsynced(&image, cache_dir::PRIVATE).ok()?;
        let mut copy = ChangedImage { dir, name, image, made: (0, 0) };
        let path = copy.dir.path().join(&copy.name);
        // Another process may have replaced it since the label was read; and do not copy a damaged image.
        let mut cache = self.is_whole(&path).then(|| Cache::edit(&path, &self.id, id).ok()?)??;
        change(&mut cache)?;
        cache.finish().ok()?;
        copy.made = sum_of(&path)?;
        Some(copy)
    }

    /// Stores only the label: the ledgers were checked again and are the same.
    pub(super) fn renew(&self, place: &Path) {
        let _ = self.try_save(place, None);
    }

    fn try_save(&self, place: &Path, database: Option<&[u8]>) -> Result<(), FsError> {
        if let Some(database) = database {
            let path = IMAGE.at(place);
            let (dir, (_, name)) = (cache_dir::directory_of(&path)?, below::parted(&path));
            dir.put_unsynced(&name.to_string_lossy(), database, cache_dir::PRIVATE)?;
            [IMAGE, TEXTS, EARLIER].iter().for_each(|kind| kind.forget_old(&dir));
        }
        LABEL.try_save(&LABEL.at(place), &self.render())
    }
}

/// A changed copy of an image. It is deleted unless it is put in place.
#[derive(Debug)]
pub(super) struct ChangedImage {
    dir: Dir,
    name: String,
    image: String,
    /// Its length and checksum.
    made: (u64, u64),
}

impl ChangedImage {
    /// Puts it in the place of the image, then its label.
    pub(super) fn put(self, label: Label, place: &Path) -> Option<()> {
        self.dir.rename_unsynced(&self.name, &self.image).ok()?;
        Label { length: self.made.0, sum: self.made.1, ..label }.try_save(place, None).ok()
    }
}

impl Drop for ChangedImage {
    fn drop(&mut self) {
        let _ = self.dir.remove(&self.name);
    }
}

/// The length and checksum of a file.
fn sum_of(path: &Path) -> Option<(u64, u64)> {
    let (directory, name) = below::parted(path);
    let file = Log::below(directory, name).ok()?;
    let mut sum = XxHash3_64::with_seed(0);
    let mut length = 0;
    loop {
        let part = file.read(length, PART).ok()?;
        sum.write(&part);
        length += part.len() as u64;
        if (part.len() as u64) < PART {
            return Some((length, sum.finish()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_comes_back_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("x/y");
        let time = Instant::from_nanos;
        let file = FileStamp { dev: 1, ino: 2, size: 3, mtime: time(-4), ctime: time(5) };
        let ledgers = vec![LabelledLedger { file, read_at: time(6), hash: Some(u128::MAX - 7) }; 2];
        let label = Label::new(8, vec![("2026-01-05".into(), -9, 10)], ledgers);
        label.clone().save(&place, b"database");
        let back = Label::load(&place).unwrap();
        assert_eq!((back.id, back.seed, &back.days, &back.ledgers), (label.id, 8, &label.days, &label.ledgers));
        assert_eq!(back.length, 8);
        assert!(back.is_whole(&IMAGE.at(&place)));
        for damaged in [&b"databasE"[..], b"databas", b"database "] {
            std::fs::write(IMAGE.at(&place), damaged).unwrap();
            assert!(!back.is_whole(&IMAGE.at(&place)), "a damaged image counts");
        }
    }
}
