//! An image of the cache on disk, so that a short command need not read again what was read before.
//!
//! Owns three files in `<user cache>/beads`, never in a repo: `<name>.image`, the database with everything computed
//! from the ledgers; `<name>.label`, which identifies those ledgers; and `<name>.texts`, the full-text index that the
//! first search makes. While each ledger and the image are still those files (device, inode, size and times, none of them
//! too recent to be sure), the image is queried in place and the ledgers are not read; the same decides about the texts.
//! If the stamp is inconclusive, the bytes decide. All this only speeds up reads: a file with anything odd about it is
//! ignored. `BD_NO_IMAGE=1` turns it off, and deleting the directory loses nothing.

use std::path::{Path, PathBuf};

use twox_hash::{XxHash3_64, XxHash3_128};

use crate::cache::{Cache, FileId, Key};
use crate::ledger::Stamp;
use crate::model::bytes::{Reader, put_bytes, put_number};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::sys::cache_dir::Kind;
use crate::sys::fs::{self, Dir, FileStamp};
use crate::sys::log::Log;
use crate::sys::{Entropy, Env, below, cache_dir};
use crate::{cache, sys};

/// With fewer lines, parsing is cheaper than an image.
pub(super) const MIN_LINES: usize = 300;

/// The label's format. Its family covers all versions, including those no longer read.
const LABEL: Kind = Kind { suffix: ".label", family: b"bd-img-", version: b"A", limit: 1 << 20 };
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
    pub ledgers: Vec<LabelledFile>,
    image: LabelledFile,
    /// The texts as they were last written, perhaps for an earlier image.
    texts: Option<LabelledFile>,
    /// The boot of the machine at the last look. Neither file is synced: a loss of power may tear it and keep its stamp.
    boot: String,
}

/// A ledger, the image itself, or its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelledFile {
    pub file: FileStamp,
    pub read_at: Instant,
    /// The hash of the bytes; `None` if the stamp was and must be enough.
    pub hash: Option<u128>,
}

impl LabelledFile {
    /// Whether the file at the path is still this one, by its stamp or else by its hash; `None` if it is not. `true` if it
    /// took the hash, and from now on the stamp will do: the label is worth renewing.
    pub(super) fn holds(
        &mut self,
        path: &Path,
        (now, at): (FileStamp, Instant),
        hash: impl FnOnce() -> Option<u128>,
    ) -> Option<bool> {
        let proves = |known: &Self| Stamp::noted(known.file, known.read_at, path).proves_unchanged(&now);
        if now.size != self.file.size {
            return None;
        }
        if proves(self) {
            return Some(false);
        }
        self.hash.filter(|known| hash() == Some(*known))?;
        (self.file, self.read_at) = (now, at);
        Some(proves(self))
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (dev, ino, size) = (reader.number()?, reader.number()?, reader.number()?);
        let file = FileStamp { dev, ino, size, mtime: reader.instant()?, ctime: reader.instant()? };
        let (read_at, hash) = (reader.instant()?, reader.take().map(u128::from_le_bytes)?);
        Some(LabelledFile { file, read_at, hash: Some(hash).filter(|hash| *hash != 0) })
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let LabelledFile { file, read_at, hash } = self;
        for number in [file.dev, file.ino, file.size] {
            put_number(bytes, number);
        }
        for instant in [file.mtime, file.ctime, *read_at] {
            put_number(bytes, instant.nanos() as u64);
        }
        bytes.extend_from_slice(&hash.unwrap_or(0).to_le_bytes());
    }
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

/// The current boot of the machine; empty if the system does not tell.
fn boot() -> String {
    sys::boot().unwrap_or_default()
}

impl Label {
    /// The label of a new image.
    pub(super) fn new(seed: u64, days: Vec<(String, i64, i64)>, ledgers: Vec<LabelledFile>) -> Self {
        // Not the host's entropy, which a test may have fixed: no one may predict this.
        let id = Entropy::System.bytes();
        let Stamp { file, read_at, .. } = Stamp::of_the_past();
        let image = LabelledFile { file, read_at, hash: None };
        Label { id, seed, days, ledgers, image, texts: None, boot: boot() }
    }

    /// The label of an image that follows from another one, whose texts can follow too.
    pub(super) fn after(earlier: Label, days: Vec<(String, i64, i64)>) -> Self {
        Label { texts: earlier.texts, ..Label::new(earlier.seed, days, earlier.ledgers) }
    }

    /// The label of an image, if it exists and only this user can write it.
    pub(super) fn load(place: &Path) -> Option<Self> {
        Self::parse(&LABEL.load(&LABEL.at(place))?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes.strip_prefix(&version())?);
        let (id, seed) = (reader.take()?, reader.number()?);
        let (boot, image) = (reader.text()?, LabelledFile::read(&mut reader)?);
        let texts = if reader.number()? == 0 { None } else { Some(LabelledFile::read(&mut reader)?) };
        let mut days = Vec::new();
        for _ in 0..reader.number()? {
            let (text, from) = (reader.text()?, reader.number()?);
            days.push((text, from as i64, reader.number()? as i64));
        }
        let mut ledgers = Vec::new();
        for _ in 0..reader.number()? {
            ledgers.push(LabelledFile::read(&mut reader)?);
        }
        Some(Label { id, seed, days, ledgers, image, texts, boot })
    }

    fn render(&self) -> Vec<u8> {
        let mut bytes = [version().as_slice(), &self.id].concat();
        put_number(&mut bytes, self.seed);
        put_bytes(&mut bytes, self.boot.as_bytes());
        self.image.put(&mut bytes);
        put_number(&mut bytes, u64::from(self.texts.is_some()));
        self.texts.iter().for_each(|texts| texts.put(&mut bytes));
        put_number(&mut bytes, self.days.len() as u64);
        for (text, from, to) in &self.days {
            put_bytes(&mut bytes, text.as_bytes());
            put_number(&mut bytes, *from as u64);
            put_number(&mut bytes, *to as u64);
        }
        put_number(&mut bytes, self.ledgers.len() as u64);
        self.ledgers.iter().for_each(|ledger| ledger.put(&mut bytes));
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

    /// The database of the image, to be queried in place, and whether the label is worth renewing; `None` if the file is
    /// not the one that was made, or somebody else could have written it.
    pub(super) fn open(&mut self, place: &Path) -> Option<(Cache, bool)> {
        let (path, boot) = (IMAGE.at(place), boot());
        if self.boot != boot {
            let files = [&mut self.image].into_iter().chain(&mut self.texts);
            files.for_each(|file| file.read_at = Instant::from_nanos(0));
        }
        let at = fs::stamp_time();
        let renews = self.image.holds(&path, (own(&path)?, at), || hash_of(self.seed, &path))?;
        self.boot = boot;
        Some((Cache::ask(&path, &self.id).ok()?, renews))
    }

    /// Lets the cache use the file of texts beside the image; `None` if it is damaged or belongs to another image.
    pub(super) fn attach_texts(&mut self, place: &Path, cache: &mut Cache) -> Option<()> {
        let (path, seed, at) = (TEXTS.at(place), self.seed, fs::stamp_time());
        let renews = self.texts.as_mut()?.holds(&path, (own(&path)?, at), || hash_of(seed, &path))?;
        if renews {
            self.renew(place);
        }
        cache.attach_texts(&path, &self.id).ok().filter(|attached| *attached).map(drop)
    }

    /// Stores the texts of all lines beside the image.
    pub(super) fn save_texts<'a>(
        &mut self,
        place: &Path,
        cache: &Cache,
        lines: impl Iterator<Item = (Key, Record<'a>)>,
    ) -> Option<()> {
        let bytes = cache.texts_file(lines, &self.id).ok()?;
        let path = TEXTS.at(place);
        let (dir, (_, name)) = (cache_dir::directory_of(&path).ok()?, below::parted(&path));
        let at = fs::stamp_time();
        dir.put_unsynced(&name.to_string_lossy(), &bytes, cache_dir::PRIVATE).ok()?;
        self.note_texts(place, at, whole_hash(self.seed, &[&bytes]))
    }

    /// Notes the texts that were put in their place at this time or later.
    fn note_texts(&mut self, place: &Path, read_at: Instant, hash: u128) -> Option<()> {
        self.texts = Some(LabelledFile { file: own(&TEXTS.at(place))?, read_at, hash: Some(hash) });
        self.renew(place);
        Some(())
    }

    /// Updates the texts of an earlier image to this one: a copy is changed and replaces it.
    pub(super) fn follow_texts(&mut self, place: &Path, text: impl Fn(Key) -> Option<String>) -> Option<()> {
        let (path, known) = (TEXTS.at(place), self.texts.as_ref()?.hash?);
        let (dir, (_, texts)) = (cache_dir::directory_of(&path).ok()?, below::parted(&path));
        let texts = texts.to_string_lossy();
        dir.own_regular_at(&texts).ok()??;
        let copy = dir.copy_unsynced(&texts, cache_dir::PRIVATE).ok()?;
        let followed = || {
            let changed = dir.path().join(&copy);
            // Do not copy what is damaged.
            (hash_of(self.seed, &changed)? == known).then_some(())?;
            Cache::follow_texts(&changed, &IMAGE.at(place), &self.id, text).ok().filter(|done| *done)?;
            let (at, hash) = (fs::stamp_time(), hash_of(self.seed, &changed)?);
            dir.rename_unsynced(&copy, &texts).ok().map(|()| (at, hash))
        };
        let Some((at, hash)) = followed() else {
            let _ = dir.remove(&copy);
            return None;
        };
        self.note_texts(place, at, hash)
    }

    /// Stores an image, then its label. Failure is ignored.
    pub(super) fn save(self, place: &Path, database: &[u8]) {
        let path = IMAGE.at(place);
        let (Ok(dir), (_, name)) = (cache_dir::directory_of(&path), below::parted(&path)) else { return };
        let (at, hash) = (fs::stamp_time(), whole_hash(self.seed, &[database]));
        if dir.put_unsynced(&name.to_string_lossy(), database, cache_dir::PRIVATE).is_ok() {
            [IMAGE, TEXTS, EARLIER].iter().for_each(|kind| kind.forget_old(&dir));
            self.save_for_image(place, at, hash);
        }
    }

    /// Stores the label of an image that was put in its place at this time or later.
    fn save_for_image(self, place: &Path, at: Instant, hash: u128) -> Option<()> {
        let image = LabelledFile { file: own(&IMAGE.at(place))?, read_at: at, hash: Some(hash) };
        Label { image, ..self }.renew(place);
        Some(())
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
        let mut copy = ChangedImage { dir, name, image, hash: 0 };
        let path = copy.dir.path().join(&copy.name);
        // Another process may have replaced it since the label was read; and do not copy a damaged image.
        let mut cache =
            (hash_of(self.seed, &path) == self.image.hash).then(|| Cache::edit(&path, &self.id, id).ok()?)??;
        change(&mut cache)?;
        cache.finish().ok()?;
        copy.hash = hash_of(self.seed, &path)?;
        Some(copy)
    }

    /// Stores only the label: the files were checked again and are the same. Failure is ignored.
    pub(super) fn renew(&self, place: &Path) {
        let _ = LABEL.try_save(&LABEL.at(place), &self.render());
    }
}

/// A changed copy of an image. It is deleted unless it is put in place.
#[derive(Debug)]
pub(super) struct ChangedImage {
    dir: Dir,
    name: String,
    image: String,
    hash: u128,
}

impl ChangedImage {
    /// Puts it in the place of the image, then its label.
    pub(super) fn put(self, label: Label, place: &Path) -> Option<()> {
        let at = fs::stamp_time();
        self.dir.rename_unsynced(&self.name, &self.image).ok()?;
        label.save_for_image(place, at, self.hash)
    }
}

impl Drop for ChangedImage {
    fn drop(&mut self) {
        let _ = self.dir.remove(&self.name);
    }
}

/// A regular file that only this user could have written.
fn own(path: &Path) -> Option<FileStamp> {
    let (directory, name) = below::parted(path);
    Dir::root(directory).and_then(|dir| dir.own_regular_at(&name.to_string_lossy())).ok()?
}

/// The seeded hash of a file.
fn hash_of(seed: u64, path: &Path) -> Option<u128> {
    let (directory, name) = below::parted(path);
    let file = Log::below(directory, name).ok()?;
    let mut hasher = XxHash3_128::with_seed(seed);
    let mut length = 0;
    loop {
        let part = file.read(length, PART).ok()?;
        hasher.write(&part);
        length += part.len() as u64;
        if (part.len() as u64) < PART {
            return Some(hasher.finish_128());
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
        let ledgers = vec![LabelledFile { file, read_at: time(6), hash: Some(u128::MAX - 7) }; 2];
        let label = Label::new(8, vec![("2026-01-05".into(), -9, 10)], ledgers);
        label.clone().save(&place, b"database");
        let back = Label::load(&place).unwrap();
        assert_eq!((back.id, back.seed, &back.days, &back.ledgers), (label.id, 8, &label.days, &label.ledgers));
        let path = IMAGE.at(&place);
        let look = |label: &mut Label| {
            let at = fs::stamp_time();
            label.image.holds(&path, (own(&path).unwrap(), at), || hash_of(8, &path))
        };
        assert!(look(&mut back.clone()).is_some());
        for damaged in [&b"databasE"[..], b"databas", b"database "] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(look(&mut back.clone()), None, "a damaged image counts");
        }
        // Once the hash was enough, the stamp is, until the file is written.
        std::fs::write(&path, b"database").unwrap();
        let mut known = back.clone();
        let settled = (0..1_000).any(|_| {
            fs::wait_for_tick(fs::stamp_time());
            known = back.clone();
            look(&mut known) == Some(true)
        });
        assert!(settled, "the stamp never proves anything");
        assert_eq!(look(&mut known), Some(false));
        std::fs::write(&path, b"databasE").unwrap();
        assert_eq!(look(&mut known), None);
    }
}
