//! The ledgers of a project, read, and mirrored line by line into the cache.

mod asked;
mod copies;
mod find;
mod follow;
mod followed;
mod held;
mod mirror;
mod prefixes;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant as Moment;

use self::followed::{Followed, Following};
pub use self::prefixes::usual_in;
use super::image;
use super::image::Label;
use crate::cache::{Cache, Key, UnknownIds};
use crate::ledger::{Damage, Document, Expectation, Ledger, LedgerError, Stamp};
use crate::model::proposal;
use crate::model::record::Record;
use crate::store::project::home;
use crate::store::project::repos::Repos;
use crate::store::{LEDGER_NAMES, Member, Result, StoreError, missing};
use crate::sys::fs::FileStamp;
use crate::sys::{Clock, Host, fs};
use crate::{sys, vcs};

/// An issue that moves from a file that is read later to one that was read before is in neither of them: several files are
/// looked at until nothing has changed since the first was read. So often at most; who writes that fast is not waited for.
const MAX_PASSES: usize = 8;

/// What a refresh had to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refresh {
    /// Lines that were parsed.
    pub parsed: usize,
    /// Files that were found changed.
    pub changed: usize,
}

/// What stands on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    Issue(Key),
    Damaged(Damage),
    Silent,
}

#[derive(Debug)]
struct Source {
    ledger: Ledger,
    /// Which repo of the project it belongs to.
    member: usize,
    read: Option<Read>,
    /// Why it could not be read the last time, and what it looked like then: it is tried again when it looks different.
    trouble: Option<(Option<FileStamp>, StoreError)>,
    /// The state home of its repository.
    home: PathBuf,
    /// What it holds is of the past: the file is not looked at any more.
    frozen: bool,
    /// The lock is held for several operations: what they plan is shown, and the file is not looked at until they are written.
    held: Option<Held>,
    /// What was shown may be in no file.
    stale: bool,
    /// What was missing from the file when it had this stamp.
    watched: RefCell<Option<(FileStamp, Watched)>>,
}

/// What was planned for a ledger that is held.
#[derive(Debug, Default)]
struct Held {
    /// Lines that the cache has otherwise.
    unmirrored: Vec<usize>,
    is_planned: bool,
}

impl Source {
    fn new(ledger: Ledger, member: usize, home: PathBuf) -> Self {
        let watched = RefCell::new(None);
        Source { ledger, member, read: None, trouble: None, home, frozen: false, held: None, stale: false, watched }
    }
}

/// Acknowledged writes that another program took out of a ledger, by their ids, or why that cannot be told.
pub(in crate::store) type Watched = std::result::Result<Vec<String>, String>;

#[derive(Debug)]
struct Read {
    document: Document,
    stamp: Stamp,
    mirror: Mirror,
}

/// How the cache has a document.
#[derive(Debug)]
enum Mirror {
    /// Not yet.
    No,
    /// Line by line: one entry for each.
    Rows(Vec<Row>),
    /// As the image that is asked has it. Nobody has read the document yet.
    Image,
}

impl Read {
    fn rows(&self) -> Option<&[Row]> {
        match &self.mirror {
            Mirror::Rows(rows) => Some(rows),
            Mirror::No | Mirror::Image => None,
        }
    }
}

/// All ledgers of the project; the first is the primary's.
#[derive(Debug)]
pub(in crate::store) struct Sources {
    all: Vec<Source>,
    /// The names of each member's ledgers.
    names: Vec<Vec<String>>,
    /// Ledgers that could not even be looked for.
    refused: Vec<(usize, LedgerError)>,
    /// Where the line of a key is: source and line.
    places: Vec<(u32, u32)>,
    /// Ids that stand on several lines, with those lines (source, line).
    doubled: Vec<(String, Vec<(u32, u32)>)>,
    /// Where an image of the cache may be kept.
    image: Option<PathBuf>,
    /// An image may be asked, but none is made.
    leaves_no_image: bool,
    unknown: UnknownIds,
    /// Some id may stand on several lines; the first load knows it cheaply, later ones ask the cache.
    maybe_doubled: bool,
    /// The cache has rows among which copies of one id were not looked for yet.
    unsettled: bool,
    /// Open proposals of which several copies are here: a copy, and the one that counts.
    lent: Vec<(Key, Key)>,
    /// The same for accepted ones.
    accepted: Vec<(Key, Key)>,
    /// For the zone in which a date without a time of day is a day.
    clock: Clock,
    /// Rows that say something else in another zone.
    zoned: HashSet<Key>,
    /// The days that rows of the image name, with when they begin and end here.
    days: BTreeSet<(String, i64, i64)>,
    /// How often a ledger was read.
    reads: u64,
    /// The chunk of the image that the line of a key is in, beside `places`.
    chunks: Vec<u32>,
    /// The label of the image that is asked.
    asked: Option<Label>,
    /// The label of the image that rows were taken from.
    recalled: Option<Label>,
    /// One answer is all that is wanted: what was read then holds for it.
    once: Option<Moment>,
    /// What this program wrote and the image has followed.
    written: RefCell<Vec<FileStamp>>,
    /// What it has to follow still.
    following: RefCell<Vec<Followed>>,
    /// The image begins to follow a write.
    begun: RefCell<Option<Following>>,
}

impl Sources {
    pub fn of(project: &Repos, unknown: UnknownIds, host: &Host) -> Result<Self> {
        let mut all: Vec<Source> = Vec::new();
        let mut names = Vec::new();
        let mut refused = Vec::new();
        let mut broken = false;
        for (n, member) in project.members.iter().enumerate() {
            let mut mine = ledger_names(member);
            broken |= mine.len() > 1;
            if mine.is_empty() {
                mine.push(absent_name(member));
            }
            let home = home::state_home(member.repo.beads(), &host.env);
            for name in &mine {
                match Ledger::at(&member.repo.beads().join(name), member.repo.beads()) {
                    // Linked from two repos: it belongs to the first.
                    Ok(ledger) if all.iter().any(|source| source.ledger == ledger) => {}
                    Ok(ledger) => {
                        let home = home.clone();
                        all.push(Source::new(ledger, n, home));
                    }
                    Err(error) if n == 0 => return Err(error.into()),
                    Err(error) => refused.push((n, error)),
                }
            }
            names.push(mine);
        }
        // With two ledgers side by side the project is broken, and speed is no concern.
        let paths: Vec<&Path> = all.iter().map(|source| source.ledger.path()).collect();
        let image = if broken { None } else { image::place(&host.env, &paths) };
        Ok(Sources {
            all,
            names,
            refused,
            places: vec![(0, 0)],
            doubled: Vec::new(),
            image,
            leaves_no_image: false,
            unknown,
            maybe_doubled: false,
            unsettled: false,
            lent: Vec::new(),
            accepted: Vec::new(),
            clock: host.clock.clone(),
            zoned: HashSet::new(),
            days: BTreeSet::new(),
            reads: 0,
            chunks: vec![0],
            asked: None,
            recalled: None,
            once: None,
            written: RefCell::default(),
            following: RefCell::default(),
            begun: RefCell::default(),
        })
    }

    /// A ledger has come, or the config names another. One that went means nothing: a file that is being rewritten is gone
    /// for a moment.
    pub fn have_moved(&self, project: &Repos) -> bool {
        let pairs = project.members.iter().zip(&self.names);
        pairs.into_iter().any(|(member, known)| ledger_names(member).iter().any(|name| !known.contains(name)))
    }

    /// The ledgers of a member. More than one means that it cannot be written.
    pub fn of_member(&self, member: usize) -> Vec<usize> {
        (0..self.all.len()).filter(|n| self.all[*n].member == member).collect()
    }

    pub fn member_of(&self, source: usize) -> usize {
        self.all[source].member
    }

    pub fn ledger(&self, source: usize) -> &Ledger {
        &self.all[source].ledger
    }

    /// Which one a ledger is.
    pub fn find(&self, ledger: &Ledger) -> Option<usize> {
        self.all.iter().position(|source| source.ledger == *ledger)
    }

    /// The state home of the repository that a ledger is in.
    pub fn home(&self, source: usize) -> &Path {
        &self.all[source].home
    }

    /// A ledger as last read.
    pub fn last_read(&self, source: usize) -> Option<(&Document, &FileStamp)> {
        self.all[source].read.as_ref().map(|read| (&read.document, &read.stamp.file))
    }

    /// What is known to be missing from a ledger.
    pub fn watched(&self, source: usize) -> &RefCell<Option<(FileStamp, Watched)>> {
        &self.all[source].watched
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// How often a ledger was read, because it had changed.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Brings the documents up to date. Enough for ids; the cache is filled only if it was before.
    pub fn read(&mut self, cache: &mut Cache) -> Result<()> {
        // What was planned under the locks is in the documents; the cache gets it with the next question to it.
        if self.all.iter().all(|source| source.held.is_some()) {
            return Ok(());
        }
        let is_mirrored = |source: &Source| source.read.as_ref().is_some_and(|read| !matches!(read.mirror, Mirror::No));
        if self.all.iter().any(is_mirrored) {
            return self.refresh(cache).map(drop);
        }
        if self.ask(cache) {
            return Ok(());
        }
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            for n in 0..self.all.len() {
                if let Some(read) = self.look(n)? {
                    self.all[n].read = Some(read);
                    changed = true;
                }
            }
            if !changed || self.all.len() == 1 {
                break;
            }
        }
        Ok(())
    }

    /// Makes the cache a mirror of the files as they are now.
    pub fn refresh(&mut self, cache: &mut Cache) -> Result<Refresh> {
        let mut report = Refresh::default();
        if self.asked.is_some() {
            if self.still_holds() {
                return Ok(report);
            }
            self.leave_image(cache);
        }
        if self.ask(cache) {
            return Ok(report);
        }
        let is_first = self.places.len() == 1;
        for _ in 0..MAX_PASSES {
            let before = report.changed;
            for n in 0..self.all.len() {
                if let Some(read) = self.look(n)? {
                    report.changed += 1;
                    report.parsed += self.replace(n, read, cache)?;
                }
            }
            if report.changed == before || self.all.len() == 1 {
                break;
            }
        }
        report.parsed += self.mirror(cache)? + self.mirror_planned(cache)?;
        if self.unsettled {
            if self.maybe_doubled {
                self.settle_copies(cache)?;
            }
            self.unsettled = false;
        }
        if is_first && !self.is_held() && !self.leaves_no_image {
            self.keep_image(report.parsed, cache)?;
        }
        Ok(report)
    }

    /// Reads a ledger if it is not what was read before. A ledger that cannot be read fails the primary; of another repo it
    /// is remembered as trouble, and what was read before stays.
    fn look(&mut self, n: usize) -> Result<Option<Read>> {
        let source = &mut self.all[n];
        if source.frozen || source.held.is_some() {
            return Ok(None);
        }
        let path = source.ledger.path();
        // Waiting for a file that vanished takes seconds: not again while it is as absent or as empty as it was.
        if let Some((then, StoreError::Ledger(LedgerError::Vanished { .. }))) = &source.trouble
            && then.is_none_or(|then| then.size == 0)
            && fs::stat(path).ok() == *then
        {
            return Ok(None);
        }
        let found = match &mut source.read {
            None => source.ledger.read(|| expected(path)).map(Some),
            Some(_) if source.stale => source.ledger.read(|| expected(path)).map(Some),
            Some(read) => {
                let known = !read.document.is_empty();
                let expectation = || if known { Expectation::Issues } else { expected(path) };
                match source.ledger.refresh(&mut read.stamp, &read.document, expectation) {
                    // A file that was emptied for good, as far as version control knows, holds no issues.
                    Err(LedgerError::Vanished { what: "empty", .. }) if expected(path) != Expectation::Issues => {
                        source.ledger.read(|| Expectation::Nothing).map(Some)
                    }
                    other => other,
                }
            }
        };
        match found {
            Ok(found) => {
                (source.trouble, source.stale) = (None, false);
                self.reads += u64::from(found.is_some());
                Ok(found.map(|snapshot| Read {
                    document: snapshot.document,
                    stamp: snapshot.stamp,
                    mirror: Mirror::No,
                }))
            }
            Err(error) => {
                let error = match error {
                    LedgerError::Missing { path } => missing(&path),
                    other => other.into(),
                };
                if source.member == 0 {
                    return Err(error);
                }
                source.trouble = Some((fs::stat(path).ok(), error));
                Ok(None)
            }
        }
    }

    /// Open proposals of which several copies are here: a copy, and the one that counts.
    pub fn pairs(&self) -> &[(Key, Key)] {
        &self.lent
    }

    /// The same of accepted proposals whose planning copies stay.
    pub fn accepted_pairs(&self) -> &[(Key, Key)] {
        &self.accepted
    }

    /// Puts files of the past in the place of the ledgers of a repo, for good.
    pub fn freeze(&mut self, member: usize, files: Vec<(PathBuf, Document)>) {
        self.image = None;
        let Some(first) = self.all.iter().position(|source| source.member == member) else { return };
        let (ledger, home) = (self.all[first].ledger.clone(), self.all[first].home.clone());
        self.all.retain(|source| source.member != member);
        let files = if files.is_empty() { vec![(PathBuf::new(), Document::default())] } else { files };
        let frozen = files.into_iter().map(|(name, document)| {
            // What it was called then; its directory may be another by now.
            let path = name.file_name().map(|name| ledger.path().with_file_name(name));
            let then = path.and_then(|path| Ledger::at(&path, path.parent().unwrap_or(&path)).ok());
            let read = Some(Read { document, stamp: Stamp::of_the_past(), mirror: Mirror::No });
            let ledger = then.unwrap_or_else(|| ledger.clone());
            Source { read, frozen: true, ..Source::new(ledger, member, home.clone()) }
        });
        let frozen: Vec<Source> = frozen.collect();
        self.all.splice(first..first, frozen);
    }

    /// The ledger holds what was, and not what is.
    pub fn is_frozen(&self, source: usize) -> bool {
        self.all[source].frozen
    }

    pub fn documents(&self) -> impl Iterator<Item = (usize, &Ledger, &Document)> {
        self.all.iter().filter_map(|s| s.read.as_ref().map(|read| (s.member, &s.ledger, &read.document)))
    }

    /// Every id on any line.
    pub fn ids(&self) -> Vec<Cow<'_, str>> {
        self.all.iter().filter_map(|s| s.read.as_ref()).flat_map(|read| read.document.ids()).collect()
    }

    /// What could not be read: the member, and why.
    pub fn troubles(&self) -> impl Iterator<Item = (usize, String)> {
        let refused = self.refused.iter().map(|(member, error)| (*member, error.to_string()));
        let unread = self.all.iter().filter_map(|s| s.trouble.as_ref().map(|(_, e)| (s.member, e.to_string())));
        refused.chain(unread)
    }
}

/// What version control knows about a file that is absent or empty.
pub(in crate::store) fn expected(path: &Path) -> Expectation {
    if vcs::committed_size(path).is_some_and(|size| size > 0) {
        Expectation::Issues
    } else if vcs::is_busy(path) {
        Expectation::Rewriting
    } else {
        Expectation::Nothing
    }
}

/// The names of the ledgers that are in a repo, or of the one that its config names.
fn ledger_names(member: &Member) -> Vec<String> {
    match &member.ledger_file {
        Some(name) => vec![name.clone()],
        None => {
            let beads = member.repo.beads();
            LEDGER_NAMES.into_iter().filter(|name| present(&beads.join(name))).map(str::to_owned).collect()
        }
    }
}

/// The name of a ledger that is not there at the moment: the one that was committed, else the usual one.
fn absent_name(member: &Member) -> String {
    let committed = |name: &&str| vcs::committed_size(&member.repo.beads().join(name)).is_some();
    LEDGER_NAMES.into_iter().find(committed).unwrap_or(LEDGER_NAMES[0]).to_owned()
}

fn present(path: &Path) -> bool {
    sys::path::is_there(path)
}

/// The line is a proposal that the maintainers turned down.
pub fn is_rejected(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| proposal::is_turned_down(&record))
}
