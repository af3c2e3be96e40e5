//! The ledgers of a project, and questions to all of them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use super::super::fact::Fact;
use super::image;
use super::parts::{Index, Source, Sources, Texts, Watched, locked};
use crate::cache::{Cache, Key, UnknownIds};
use crate::ledger::{Document, Ledger};
use crate::store::project::repos::Repos;
use crate::store::{LEDGER_NAMES, Member, Result};
use crate::sys::Host;
use crate::sys::fs::FileStamp;
use crate::{sys, vcs};

/// The work done to update the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refresh {
    /// Lines that were parsed.
    pub parsed: usize,
    /// Files that had changed.
    pub changed: usize,
}

impl Sources {
    pub(crate) fn of(project: &Repos, unknown: UnknownIds, host: &Host) -> Result<Self> {
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
            let home = member.site.settings_home();
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
        // With two ledgers side by side the project is broken, and speed does not matter.
        let paths: Vec<&Path> = all.iter().map(|source| source.ledger.path()).collect();
        let image = if broken { None } else { image::place(&host.env, &paths) };
        Ok(Sources {
            all,
            names,
            refused,
            image,
            leaves_no_image: false,
            unknown,
            clock: host.clock.clone(),
            texts: Fact::default(),
            index: Fact::default(),
            is_held: false,
            following: Mutex::default(),
            image_update: Mutex::default(),
        })
    }

    /// A ledger has appeared, or the config names another. A missing one means nothing: a file being rewritten is
    /// missing for a moment.
    pub(crate) fn have_moved(&self, project: &Repos) -> bool {
        let pairs = project.members.iter().zip(&self.names);
        pairs.into_iter().any(|(member, known)| ledger_names(member).iter().any(|name| !known.contains(name)))
    }

    /// The ledgers of a member. With more than one it cannot be written.
    pub(crate) fn of_member(&self, member: usize) -> Vec<usize> {
        (0..self.all.len()).filter(|n| self.all[*n].member == member).collect()
    }

    pub(crate) fn member_of(&self, source: usize) -> usize {
        self.all[source].member
    }

    pub(crate) fn ledger(&self, source: usize) -> &Ledger {
        &self.all[source].ledger
    }

    /// The source of a ledger.
    pub(crate) fn find(&self, ledger: &Ledger) -> Option<usize> {
        self.all.iter().position(|source| source.ledger == *ledger)
    }

    /// The state home of the repository that a ledger is in.
    pub(crate) fn home(&self, source: usize) -> &Path {
        &self.all[source].home
    }

    /// What is known to be missing from a ledger.
    pub(crate) fn watched(&self, source: usize) -> MutexGuard<'_, Option<(FileStamp, Watched)>> {
        locked(&self.all[source].watched)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Reads the ledgers, unless this snapshot has done so. Enough for ids.
    pub(crate) fn read(&self) -> Result<()> {
        self.texts().map(drop)
    }

    pub(super) fn texts(&self) -> Result<&Texts> {
        let texts = self.texts.get(|earlier| {
            let mut texts = earlier.take().unwrap_or_else(|| Texts::unread(self.all.len()));
            match texts.bring_up_to_date(self) {
                Ok(()) => Ok(texts),
                Err(error) => {
                    *earlier = Some(texts);
                    Err(error)
                }
            }
        })?;
        if texts.image.is_some() {
            self.index_of(texts)?;
        }
        Ok(texts)
    }

    /// The index of the ledgers as read.
    pub(super) fn index(&self) -> Result<&Index> {
        self.index_of(self.texts()?)
    }

    fn index_of(&self, texts: &Texts) -> Result<&Index> {
        self.index.get(|earlier| Index::make(self, texts, earlier))
    }

    /// Queries the database of the index.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&mut Cache) -> crate::cache::Result<T>) -> Result<T> {
        Ok(question(&mut locked(&self.index()?.cache))?)
    }

    /// The files may have changed: the next question checks them.
    pub(crate) fn invalidate(&mut self) {
        self.texts.invalidate();
        self.index.invalidate();
    }

    /// The work it took to read the ledgers and make the index.
    pub(crate) fn effort(&self) -> Result<Refresh> {
        Ok(Refresh { parsed: self.index()?.parsed, changed: self.texts()?.changed })
    }

    /// How often a changed ledger was read.
    pub(crate) fn reads(&self) -> u64 {
        self.texts.known().map_or(0, |texts| texts.reads)
    }

    /// Open proposals with several copies here: a copy, and the effective one.
    pub(crate) fn pairs(&self) -> &[(Key, Key)] {
        self.index().map(|index| index.proposed_copies.as_slice()).unwrap_or_default()
    }

    /// The same for accepted proposals whose planning copies remain.
    pub(crate) fn accepted_pairs(&self) -> &[(Key, Key)] {
        self.index().map(|index| index.accepted.as_slice()).unwrap_or_default()
    }

    /// Replaces the ledgers of a repo with files of the past, permanently.
    pub(crate) fn freeze(&mut self, member: usize, files: Vec<(PathBuf, Document)>) {
        self.image = None;
        let Some(first) = self.all.iter().position(|source| source.member == member) else { return };
        let mut texts = self.texts.take().filter(|texts| texts.image.is_none());
        let mut texts = texts.take().unwrap_or_else(|| Texts::unread(self.all.len()));
        let (ledger, home) = (self.all[first].ledger.clone(), self.all[first].home.clone());
        let last = first + self.of_member(member).len();
        let files = if files.is_empty() { vec![(PathBuf::new(), Document::default())] } else { files };
        let (mut frozen, mut read) = (Vec::new(), Vec::new());
        for (name, document) in files {
            // Its name then; its directory may have changed.
            let path = name.file_name().map(|name| ledger.path().with_file_name(name));
            let then = path.and_then(|path| Ledger::at(&path, path.parent().unwrap_or(&path)).ok());
            let ledger = then.unwrap_or_else(|| ledger.clone());
            frozen.push(Source { frozen: true, ..Source::new(ledger, member, home.clone()) });
            read.push(texts.frozen(document));
        }
        self.all.splice(first..last, frozen);
        texts.all.splice(first..last, read);
        (self.texts, self.index) = (Fact::after(texts), Fact::default());
    }

    /// The ledger has past content.
    pub(crate) fn is_frozen(&self, source: usize) -> bool {
        self.all[source].frozen
    }

    /// Unreadable ledgers: the member, and the reason.
    pub(crate) fn troubles(&self) -> Vec<(usize, String)> {
        // Failures are reported by callers that need the content.
        let _ = self.texts();
        self.last_troubles()
    }

    /// The same as of the last read of the ledgers.
    pub(crate) fn last_troubles(&self) -> Vec<(usize, String)> {
        let mut found: Vec<_> = self.refused.iter().map(|(member, error)| (*member, error.to_string())).collect();
        self.texts.last(|texts| {
            let troubles =
                self.all.iter().zip(&texts.all).filter_map(|(s, text)| Some((s.member, &text.trouble.as_ref()?.1)));
            found.extend(troubles.map(|(member, error)| (member, error.to_string())));
        });
        found
    }
}

/// The names of the ledgers in a repo, or the configured one.
fn ledger_names(member: &Member) -> Vec<String> {
    match &member.ledger_file {
        Some(name) => vec![name.clone()],
        None => {
            let beads = member.repo.beads();
            LEDGER_NAMES.into_iter().filter(|name| present(&beads.join(name))).map(str::to_owned).collect()
        }
    }
}

/// The name of a currently missing ledger: the committed one, else the usual one.
fn absent_name(member: &Member) -> String {
    let committed = |name: &&str| vcs::committed_size(&member.repo.beads().join(name)).is_some();
    LEDGER_NAMES.into_iter().find(committed).unwrap_or(LEDGER_NAMES[0]).to_owned()
}

fn present(path: &Path) -> bool {
    sys::path::is_there(path)
}
