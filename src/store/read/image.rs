//! An image of the cache on disk, so that a one-shot command need not read what was read before.
//!
//! Owns three files in `<user cache>/beads`, never one in a repo: `<name>.image`, the database with all that is computed from the
//! ledgers, and `<name>.label`, which says what the ledgers were that it was made from; beside them
//! `<name>.texts`, the full-text index that the first search makes. While each ledger is that very file (device, inode, size and
//! times, none of them too fresh to tell), the image is asked where it lies and the ledgers are not read. Where the stamp cannot
//! tell, the bytes do. Otherwise it still knows the lines that the ledgers have in common with it. It is an accelerator for reads
//! and nothing more: anything odd about either file and it is ignored. `BD_NO_IMAGE=1` switches it off, and deleting the directory
//! loses nothing.

use std::path::{Path, PathBuf};

use twox_hash::{XxHash3_64, XxHash3_128};

use crate::cache::{Cache, ImageId, Key};
use crate::ledger::Document;
use crate::model::bytes::{Reader, put_bytes, put_number};
use crate::model::record::Record;
use crate::model::time::{DAY, Instant};
use crate::model::when::Calendar;
use crate::sys::fs::{Dir, FileStamp, FsError};
use crate::sys::{Entropy, Env, below, fs};
use crate::{cache, sys};

/// Below this many lines parsing is cheaper than the image is worth.
pub(in crate::store) const MIN_LINES: usize = 300;
/// Where an image cannot be asked, a new one is made when more lines than this had to be parsed although there was one.
pub(in crate::store) const STALE_LINES: usize = 64;

/// The variable that switches images off.
pub const NO_IMAGE: &str = "BD_NO_IMAGE";

const MAGIC: &[u8; 8] = b"bd-img-6";
/// What the images of earlier versions begin with, and what their names end in.
const EARLIER: (&[u8], &str) = (b"bd-img-", ".img");
const IMAGE_END: &str = ".image";
const LABEL_END: &str = ".label";
const TEXTS_END: &str = ".texts";
/// So many characters of a hash are the name of an image.
const NAME_LENGTH: usize = 24;
const PRIVATE: u32 = 0o600;
const MAX_IMAGE: u64 = 2 << 30;
const MAX_LABEL: u64 = 1 << 20;
/// Images of ledgers that nobody reads any more go after this time.
const MAX_AGE: i64 = 30 * DAY;
/// An image in which more days depend on the reader's zone is not asked.
pub(in crate::store) const MOST_DAYS: usize = 1000;

/// What an image was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Label {
    pub id: ImageId,
    pub seed: u64,
    /// The ledgers had neither damage nor an id on two lines: the database says all that there is to say of them.
    pub is_plain: bool,
    /// Days as their dates, and the instants at which they begin and end in the zone of the reader who made it.
    pub days: Vec<(String, i64, i64)>,
    pub ledgers: Vec<LabelledLedger>,
    /// Which boot of the machine it is known to be whole since: it is not synced, and a loss of power may have torn it.
    boot: String,
    /// Of the image: its length, and its sum, or 0 if it followed a write: adding it up again would cost more than the write.
    length: u64,
    sum: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct LabelledLedger {
    pub file: FileStamp,
    pub read_at: Instant,
    /// Of its bytes; `None` where the stamp was enough, and the next look has to be.
    pub hash: Option<u128>,
}

/// The path of the image of these ledgers, without a suffix; `None` if images are switched off or the user has no cache
/// directory.
pub(in crate::store) fn place(env: &Env, ledgers: &[&Path]) -> Option<PathBuf> {
    if env.var(NO_IMAGE).is_some_and(|value| value == "1") {
        return None;
    }
    let base = env.var("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| env.home().map(|home| home.join(".cache")))?;
    let mut name = blake3::Hasher::new();
    for ledger in ledgers {
        name.update(sys::path::real(ledger).ok()?.as_os_str().as_encoded_bytes());
        name.update(b"\0");
    }
    Some(base.join("beads").join(&name.finalize().to_hex()[..NAME_LENGTH]))
}

fn with_end(place: &Path, end: &str) -> PathBuf {
    let mut path = place.as_os_str().to_owned();
    path.push(end);
    PathBuf::from(path)
}

/// The seeded hash of a line. The seed keeps a stranger's ledger from being made to collide.
pub(in crate::store) fn line_hash(seed: u64, document: &Document, line: usize) -> u64 {
    text_hash(seed, document.raw(line))
}

pub(in crate::store) fn text_hash(seed: u64, raw: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, raw)
}

/// The seeded hash of a whole ledger.
pub(in crate::store) fn whole_hash(seed: u64, pieces: &[&[u8]]) -> u128 {
    if let [bytes] = pieces {
        return XxHash3_128::oneshot_with_seed(seed, bytes);
    }
    let mut hasher = XxHash3_128::with_seed(seed);
    pieces.iter().for_each(|piece| hasher.write(piece));
    hasher.finish_128()
}

/// What this program's images look like inside: another schema or another version makes another image.
fn version() -> [u8; 32] {
    let mut version = [0; 32];
    let (schema, program) = version.split_at_mut(16);
    schema.copy_from_slice(&cache::schema_sum().to_le_bytes());
    program.copy_from_slice(&XxHash3_128::oneshot(env!("CARGO_PKG_VERSION").as_bytes()).to_le_bytes());
    version
}

/// Which boot of the machine this is; nothing where the system does not say.
fn boot() -> String {
    sys::boot().unwrap_or_default()
}

impl Label {
    /// For an image that is about to be made.
    pub fn new(seed: u64, is_plain: bool, days: Vec<(String, i64, i64)>, ledgers: Vec<LabelledLedger>) -> Self {
        // Not the host's entropy, which a test may have fixed: nobody is to foresee this.
        let id = Entropy::System.bytes();
        Label { id, seed, is_plain, days, ledgers, boot: boot(), length: 0, sum: 0 }
    }

    /// The label of an image, if there is one and it is this user's alone.
    pub fn load(place: &Path) -> Option<Self> {
        let path = with_end(place, LABEL_END);
        let (directory, name) = below::parted(&path);
        let contents = below::read(directory, name, MAX_LABEL).ok()?;
        // Its sum proves that it is whole, not who made it: one that another user could have written is not used.
        if contents.is_own() { Self::parse(&contents.bytes) } else { None }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut reader = Reader(body.strip_prefix(MAGIC)?.strip_prefix(&version())?);
        let (id, seed) = (reader.take()?, reader.number()?);
        let (length, sum, is_plain) = (reader.number()?, reader.number()?, reader.number()? == 1);
        let boot = reader.text()?;
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
        Some(Label { id, seed, is_plain, days, ledgers, boot, length, sum })
    }

    fn render(&self) -> Vec<u8> {
        let mut bytes = [MAGIC.as_slice(), &version(), &self.id].concat();
        for number in [self.seed, self.length, self.sum, u64::from(self.is_plain)] {
            put_number(&mut bytes, number);
        }
        put_bytes(&mut bytes, self.boot.as_bytes());
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
        let sum = XxHash3_64::oneshot(&bytes);
        put_number(&mut bytes, sum);
        bytes
    }

    /// Every day begins and ends where it did for the one who made the image.
    pub fn holds_in(&self, zone: impl FnOnce() -> Calendar) -> bool {
        if self.days.is_empty() {
            return true;
        }
        let calendar = zone();
        self.days.iter().all(|(text, from, to)| {
            calendar.day_of(text).is_some_and(|day| (day.start.micros(), day.end.micros()) == (*from, *to))
        })
    }

    /// The machine was not started since it was known to be whole.
    pub fn is_of_this_boot(&self) -> bool {
        !self.boot.is_empty() && self.boot == boot()
    }

    /// Makes sure that nobody asks the image any more, unless another is there by now.
    pub fn drop(&self, place: &Path) {
        if Self::load(place).is_some_and(|found| found.id != self.id) {
            return;
        }
        let path = with_end(place, LABEL_END);
        let (directory, name) = below::parted(&path);
        let _ = below::remove(directory, name);
    }

    /// The database of the image, to be asked where it lies.
    pub fn ask(&mut self, place: &Path) -> Option<Cache> {
        if !self.is_of_this_boot() {
            self.read(place)?;
            self.boot = boot();
        }
        let path = with_end(place, IMAGE_END);
        is_own(&path, self.length).then(|| Cache::ask(&path, &self.id).ok())?
    }

    /// The same read into memory, once its sum is right. One without a sum is whole as long as the machine runs.
    pub fn read(&self, place: &Path) -> Option<Cache> {
        if self.sum == 0 && !self.is_of_this_boot() {
            return None;
        }
        let path = with_end(place, IMAGE_END);
        let (directory, name) = below::parted(&path);
        let contents = below::read(directory, name, MAX_IMAGE).ok()?;
        let is_whole = contents.bytes.len() as u64 == self.length && [0, sum_of(&contents.bytes)].contains(&self.sum);
        if !contents.is_own() || !is_whole {
            return None;
        }
        Cache::from_image(&contents.bytes).ok()
    }

    /// Lets the answers have the texts of the file beside the image; tells whether it is of this image.
    pub fn attach_texts(&self, place: &Path, cache: &mut Cache) -> bool {
        let path = with_end(place, TEXTS_END);
        let (directory, name) = below::parted(&path);
        let found = Dir::root(directory).and_then(|dir| dir.own_regular_at(&name.to_string_lossy()));
        let Ok(Some(found)) = found else { return false };
        cache.attach_texts(&path, found.size, &self.id, &boot()).is_ok_and(|attached| attached)
    }

    /// Puts the texts of all lines beside the image.
    pub fn save_texts<'a>(
        &self,
        place: &Path,
        cache: &Cache,
        lines: impl Iterator<Item = (Key, Record<'a>)>,
    ) -> Option<()> {
        let bytes = cache.texts_file(lines, &self.id, &boot()).ok()?;
        let (directory, name) = below::parted(place);
        let name = format!("{}{TEXTS_END}", name.to_string_lossy());
        own_directory(directory).ok()?.put_unsynced(&name, &bytes, PRIVATE).ok()
    }

    /// Lets the texts of an earlier image follow to this one: a copy is changed and put in its place.
    pub fn follow_texts(&self, place: &Path, text: impl Fn(Key) -> Option<String>) -> Option<()> {
        let (directory, name) = below::parted(place);
        let (dir, name) = (own_directory(directory).ok()?, name.to_string_lossy());
        let texts = format!("{name}{TEXTS_END}");
        dir.own_regular_at(&texts).ok()??;
        let copy = dir.copy_unsynced(&texts, PRIVATE).ok()?;
        let image = with_end(place, IMAGE_END);
        let followed = Cache::follow_texts(&dir.path().join(&copy), &image, &self.id, &boot(), text);
        let done = followed.is_ok_and(|done| done) && dir.rename_unsynced(&copy, &texts).is_ok();
        if !done {
            let _ = dir.remove(&copy);
        }
        done.then_some(())
    }

    /// Removes the image if it is not the one of this label, and tells its path. One whose sum nobody knows goes too: that is
    /// no fault of it, so nothing is told.
    pub fn drop_torn(&self, place: &Path) -> Option<PathBuf> {
        let path = with_end(place, IMAGE_END);
        let (directory, name) = below::parted(&path);
        let goes = path.is_file() && (self.sum == 0 || self.read(place).is_none());
        (goes && below::remove(directory, name).is_ok() && self.sum != 0).then_some(path)
    }

    /// Puts an image in its place, then the label. The command goes on if that fails.
    pub fn save(self, place: &Path, database: &[u8]) {
        let label = Label { length: database.len() as u64, sum: sum_of(database), ..self };
        let _ = label.try_save(place, Some(database));
    }

    /// A changed copy of the image; `None` if that cannot be made.
    pub fn changed(
        &self,
        place: &Path,
        id: &ImageId,
        change: impl FnOnce(&mut Cache) -> Option<()>,
    ) -> Option<ChangedImage> {
        let (directory, name) = below::parted(place);
        let dir = own_directory(directory).ok()?;
        let image = format!("{}{IMAGE_END}", name.to_string_lossy());
        let found = dir.own_regular_at(&image).ok()??;
        if found.size != self.length {
            return None;
        }
        let name = dir.copy_unsynced(&image, PRIVATE).ok()?;
        let mut copy = ChangedImage { dir, name, image, length: 0 };
        // Another may have put its own in this place since the label was read.
        let mut cache = Cache::edit(&copy.dir.path().join(&copy.name), &self.id, id).ok()??;
        change(&mut cache)?;
        cache.finish().ok()?;
        copy.length = copy.dir.own_regular_at(&copy.name).ok()??.size;
        Some(copy)
    }

    /// Puts the label alone in its place: the ledgers were looked at again and are the same.
    pub fn renew(&self, place: &Path) {
        let _ = self.try_save(place, None);
    }

    fn try_save(&self, place: &Path, database: Option<&[u8]>) -> Result<(), FsError> {
        let (directory, name) = below::parted(place);
        let (dir, name) = (own_directory(directory)?, name.to_string_lossy());
        if let Some(database) = database {
            dir.put_unsynced(&format!("{name}{IMAGE_END}"), database, PRIVATE)?;
            forget_old(&dir);
        }
        dir.put_unsynced(&format!("{name}{LABEL_END}"), &self.render(), PRIVATE)
    }
}

/// A changed copy of an image. It goes unless it is put in its place.
#[derive(Debug)]
pub(in crate::store) struct ChangedImage {
    dir: Dir,
    name: String,
    image: String,
    length: u64,
}

impl ChangedImage {
    /// Puts it in the place of the image, and its label after it.
    pub fn put(self, label: Label, place: &Path) -> Option<()> {
        self.dir.rename_unsynced(&self.name, &self.image).ok()?;
        Label { length: self.length, sum: 0, ..label }.try_save(place, None).ok()
    }
}

impl Drop for ChangedImage {
    fn drop(&mut self) {
        let _ = self.dir.remove(&self.name);
    }
}

/// Whether there is an image of this length that nobody else could have written.
fn is_own(path: &Path, length: u64) -> bool {
    let (directory, name) = below::parted(path);
    let found = Dir::root(directory).and_then(|dir| dir.own_regular_at(&name.to_string_lossy()));
    found.is_ok_and(|found| found.is_some_and(|stamp| stamp.size == length))
}

/// The sum of the bytes of an image.
fn sum_of(database: &[u8]) -> u64 {
    text_hash(0, database)
}

/// The directory of images, never behind a link, whatever the variables say.
fn own_directory(path: &Path) -> Result<Dir, FsError> {
    let (above, name) = below::parted(path);
    below::make_own(above)?;
    below::make(above, name)
}

/// Removes images that nobody reads any more, and those of earlier versions: by name and by content, since other files may be
/// in the directory.
fn forget_old(dir: &Dir) {
    let oldest = fs::realtime().plus_nanos(-MAX_AGE);
    let _ = dir.remove_old_orphans();
    for name in dir.names().unwrap_or_default() {
        let is_old = || dir.regular_at(&name).is_ok_and(|found| found.is_some_and(|stamp| stamp.mtime < oldest));
        let has_name = |end: &str| name.strip_suffix(end).is_some_and(is_image_name);
        let goes = has_name(EARLIER.1) && dir.starts_with(&name, EARLIER.0)
            || has_name(LABEL_END) && is_old() && dir.starts_with(&name, EARLIER.0)
            || (has_name(IMAGE_END) || has_name(TEXTS_END)) && is_old() && dir.starts_with(&name, b"SQLite format 3\0");
        if goes {
            let _ = dir.remove(&name);
        }
    }
}

fn is_image_name(stem: &str) -> bool {
    stem.len() == NAME_LENGTH && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::super::image::*;

    #[test]
    fn a_label_comes_back_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("x/y");
        let time = Instant::from_nanos;
        let file = FileStamp { dev: 1, ino: 2, size: 3, mtime: time(-4), ctime: time(5) };
        let ledgers = vec![LabelledLedger { file, read_at: time(6), hash: Some(u128::MAX - 7) }; 2];
        let label = Label::new(8, true, vec![("2026-01-05".into(), -9, 10)], ledgers);
        label.clone().save(&place, b"database");
        let back = Label::load(&place).unwrap();
        assert_eq!((back.id, back.seed, &back.days, &back.ledgers), (label.id, 8, &label.days, &label.ledgers));
        assert_eq!((back.is_plain, back.length), (true, 8));
        assert!(back.is_of_this_boot());
        let earlier = Label { boot: "an earlier one".into(), sum: 0, ..back.clone() };
        assert!(!earlier.is_of_this_boot() && earlier.read(&place).is_none(), "nobody knows whether it is whole");
        let bytes = std::fs::read(with_end(&place, LABEL_END)).unwrap();
        for damage in 0..bytes.len() {
            let mut odd = bytes.clone();
            odd[damage] ^= 1;
            assert_eq!(Label::parse(&odd), None, "byte {damage}");
            assert_eq!(Label::parse(&bytes[..damage]), None, "cut off after {damage} bytes");
        }
    }
}
