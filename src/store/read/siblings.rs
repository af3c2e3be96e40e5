//! Unmerged changes to a project's issues in other checkouts of its repos.
//!
//! Read-only, and only for questions: an issue closed in another checkout is not offered again. A ledger of another
//! checkout counts where its version of an issue is later; an older one adds nothing. Lines that are equal byte for
//! byte are not parsed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::index::expected;
use super::outside::{Siblings, Version};
use super::row::{Elsewhere, Place, Taken};
use crate::ledger::{Document, Expectation, Ledger, LedgerError, Line, MAX_LINE};
use crate::model::issue;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::workflow::WORKFLOW;
use crate::store::project::paths;
use crate::store::project::worktree::Worktree;
use crate::store::state::stamps::Stamps;
use crate::store::{Project, Result, Row, Snapshot, Warning};
use crate::sys::fs::FileStamp;
use crate::vcs;

impl Project {
    /// The project's `.beads` directory in another checkout.
    pub fn beads_in(&self, one: &Worktree) -> Option<PathBuf> {
        let root = paths::real(&vcs::root(self.repo.beads())?);
        let inside = self.repo.beads().strip_prefix(&root).ok()?.to_owned();
        Some(one.root.join(inside)).filter(|beads| beads.is_dir())
    }

    /// Files that change when a checkout of a repo appears or is removed.
    pub(in crate::store) fn checkout_marks(&self, member: usize) -> Vec<PathBuf> {
        let repo = self.repo_here(member);
        let mut marks = vcs::checkout_marks(repo.beads());
        if marks.is_empty() {
            // Version control may be added later.
            marks.push(repo.root().to_owned());
        }
        marks.push(self.registry_path_of(member));
        marks
    }
}

impl Snapshot {
    /// The other checkouts' versions of one issue that are new here.
    pub fn elsewhere(&self, id: &str) -> Result<Vec<Elsewhere>> {
        Ok(self.siblings()?.found.get(id).cloned().unwrap_or_default())
    }

    /// The same for all issues.
    pub fn all_elsewhere(&self) -> Result<&BTreeMap<String, Vec<Elsewhere>>> {
        Ok(&self.siblings()?.found)
    }

    /// The other checkouts' versions of one issue that differ from this one's.
    pub(in crate::store) fn lines_elsewhere(&self, id: &str) -> Result<Vec<Version>> {
        Ok(self.siblings()?.differing.get(id).cloned().unwrap_or_default())
    }

    /// The version of one issue in the last commit, as far as version control can tell.
    pub(in crate::store) fn committed_version(&self, id: &str) -> Option<String> {
        let source = self.owner(id)?;
        let root = paths::real(&vcs::root(self.repo_here(self.sources.member_of(source)).beads())?);
        let inside = self.sources.ledger(source).path().strip_prefix(&root).ok()?.to_owned();
        Version { line: String::new(), here: root.clone(), there: root, inside }.common(id)?
    }

    /// Ledgers of other checkouts that could not be read.
    pub(in crate::store) fn sibling_problems(&self) -> impl Iterator<Item = &Warning> {
        self.siblings.known().into_iter().flat_map(|siblings| &siblings.problems)
    }

    /// Issues that other checkouts have closed or work on, and that are therefore not offered here. The ledgers have
    /// been read.
    pub(in crate::store) fn taken_elsewhere(&self) -> Result<Vec<String>> {
        let (me, siblings) = (self.actor(), self.siblings()?);
        if siblings.found.is_empty() {
            return Ok(Vec::new());
        }
        // Where claims are known, they decide whether someone works on an issue.
        let claims: HashSet<String> = self.claims()?.iter().map(|(id, _)| id.clone()).collect();
        let is_taken = |id: &String, others: &[Elsewhere]| others.iter().any(|one| one.takes(me, claims.contains(id)));
        let found = siblings.found.iter().filter(|(id, others)| is_taken(id, others));
        Ok(found.map(|(id, _)| id.clone()).collect())
    }

    /// Why [`Snapshot::ready`] leaves out an otherwise ready issue; empty if it does not.
    pub fn why_taken(&self, id: &str) -> Result<Vec<Taken>> {
        let mut reasons = Vec::new();
        if let Some(lease) = self.held_by_another(id)? {
            let holder = lease.holder.unwrap_or_default();
            let expires = holder.expires.map(|at| at.to_string());
            reasons.push(Taken::Held { holder: holder.name, worktree: holder.worktree, expires });
        }
        let me = self.actor();
        let is_claimed = self.claims()?.iter().any(|(known, _)| known == id);
        let others = self.elsewhere(id)?.into_iter().filter(|one| one.takes(me, is_claimed));
        reasons.extend(others.map(Taken::Elsewhere));
        Ok(reasons)
    }

    /// Adds to rows the checkouts that have closed their issues or work on them.
    pub fn mark_elsewhere<'a>(&self, rows: impl IntoIterator<Item = &'a mut Row>) -> Result<()> {
        let siblings = self.siblings()?;
        rows.into_iter().for_each(|row| siblings.mark(row));
        Ok(())
    }

    /// What a checkout has and the main one lacks: issues that exist only there, or in a later version. Without a main
    /// checkout, compares with the current one.
    pub fn unmerged_in(&self, one: &Worktree) -> Result<Vec<Elsewhere>> {
        let all = self.worktrees()?;
        let main = all.iter().find(|other| other.is_main && other.exists);
        let Some(base) = main.or_else(|| all.iter().find(|other| other.is_here)) else { return Ok(Vec::new()) };
        if base.root == one.root || !one.exists {
            return Ok(Vec::new());
        }
        let read = |worktree: &Worktree, inside: &Path| {
            let path = worktree.root.join(inside);
            match Ledger::at(&path, &worktree.root).and_then(|ledger| ledger.read(|| Expectation::Nothing)) {
                Ok(snapshot) => Ok(snapshot.document),
                Err(LedgerError::Missing { .. }) => Ok(Document::default()),
                Err(error) => Err(error),
            }
        };
        let mut found = Vec::new();
        for (_, inside) in self.ledgers_inside(0) {
            let news = news(&read(base, &inside)?, &read(one, &inside)?);
            found.extend(news.into_iter().filter_map(|(_, line)| Elsewhere::of(&Place::from(one), line)));
        }
        Ok(found)
    }

    /// Other checkouts' versions, compared with the ledgers here.
    pub(in crate::store) fn siblings(&self) -> Result<&Siblings> {
        self.siblings.get(|earlier| {
            self.read_ledgers()?;
            let own: Vec<_> =
                (0..self.sources.len()).map(|source| self.sources.read_of(source).map(|(_, stamp)| *stamp)).collect();
            let holds = |known: &mut Siblings| known.own == own && known.stamps.as_ref().is_some_and(Stamps::hold);
            match earlier.take_if(holds) {
                Some(known) => Ok(known),
                None => self.compared_siblings(own),
            }
        })
    }

    fn compared_siblings(&self, own: Vec<Option<FileStamp>>) -> Result<Siblings> {
        // Each checkout may have an outbox.
        self.homes.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // The list before the ledgers on it.
        let mut watched: Vec<PathBuf> = (0..self.repos.members.len()).flat_map(|n| self.checkout_marks(n)).collect();
        let list = Stamps::of(watched.clone());
        if list.are_of_nothing() {
            return Ok(Siblings { stamps: Some(list), own, ..Siblings::default() });
        }
        let ledgers = self.sibling_ledgers()?;
        watched.extend(ledgers.iter().map(|(_, worktree, inside)| worktree.root.join(inside)));
        let stamps = Some(Stamps::of(watched)).filter(|_| list.hold_so_far());
        let mut siblings = Siblings { stamps, own, ..Siblings::default() };
        let mut read: Vec<(usize, Place, Versions, Common)> = Vec::new();
        for (source, worktree, inside) in ledgers.into_iter().filter(|(_, worktree, _)| worktree.exists) {
            let path = worktree.root.join(&inside);
            let theirs = Ledger::at(&path, &worktree.root).and_then(|ledger| ledger.read(|| Expectation::Nothing));
            let theirs = match theirs {
                Ok(snapshot) => snapshot.document,
                Err(LedgerError::Missing { .. }) => continue,
                Err(error) => {
                    let (worktree, message) = (worktree.name.clone(), error.to_string());
                    siblings.problems.push(Warning::SiblingUnread { worktree, message });
                    continue;
                }
            };
            let Some((ours, _)) = self.sources.read_of(source) else { continue };
            let lines = differing(ours, &theirs);
            let is_emptied = || expected(&path) == Expectation::Issues;
            if let Some(message) = damage(&theirs, &lines, is_emptied) {
                siblings.problems.push(Warning::SiblingUnread { worktree: worktree.name.clone(), message });
            }
            let versions = versions(&theirs, &lines);
            if !versions.is_empty() {
                let here = self.repo_here(self.sources.member_of(source)).root();
                let common = Common::new(here, &worktree.root, &inside);
                read.push((source, Place::from(&worktree), versions, common));
            }
        }
        let sources: BTreeSet<usize> = read.iter().map(|(source, ..)| *source).collect();
        for source in sources {
            let Some((ours, _)) = self.sources.read_of(source) else { continue };
            let those = || read.iter().filter(|(of, ..)| *of == source);
            // Find them once for all checkouts.
            let ids = those().flat_map(|(_, _, versions, _)| versions.keys().cloned()).collect();
            let here = ours.effective_among(&ids);
            // If another repo's copy is the effective one, here or there, this repo's checkouts do not matter.
            let is_of_another =
                |id: &str| self.sources.member_of(source) != 0 && self.owner(id).is_some_and(|owner| owner != source);
            for (_, place, versions, common) in those() {
                for (id, (_, line)) in versions.iter().filter(|(id, _)| !is_of_another(id)) {
                    siblings.differing.entry(id.clone()).or_default().push(common.version(line));
                }
                let news = later(ours, &here, versions.clone(), Some(common)).into_iter();
                for (id, line) in news.filter(|(id, _)| !is_of_another(id)) {
                    siblings.found.entry(id).or_default().extend(Elsewhere::of(place, line));
                }
            }
        }
        Ok(siblings)
    }

    /// The ledgers of the project's own repo, as paths inside any of its checkouts.
    pub fn own_ledgers(&self) -> Vec<PathBuf> {
        self.ledgers_inside(0).into_iter().map(|(_, inside)| inside).collect()
    }

    fn ledgers_inside(&self, member: usize) -> Vec<(usize, PathBuf)> {
        let repo = self.repo_here(member);
        // Copies of a plain directory have it at the same path.
        let root = vcs::root(repo.beads()).unwrap_or_else(|| repo.root().to_owned());
        let root = paths::real(&root);
        let own = self.sources.of_member(member).into_iter();
        own.filter_map(|source| Some((source, self.sources.ledger(source).path().strip_prefix(&root).ok()?.to_owned())))
            .collect()
    }

    /// The ledgers of other checkouts: the matching source here, and the path inside the checkout.
    pub(in crate::store) fn sibling_ledgers(&self) -> Result<Vec<(usize, Worktree, PathBuf)>> {
        if self.is_past() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for member in 0..self.repos.members.len() {
            let inside = self.ledgers_inside(member);
            let is_alone = || member != 0 && Stamps::of(self.checkout_marks(member)).are_of_nothing();
            if inside.is_empty() || is_alone() {
                continue;
            }
            for mut one in self.worktrees_of(member)?.into_iter().filter(|one| !one.is_here) {
                if member != 0 {
                    one.name = format!("{} of {}", one.name, self.name(member));
                }
                found.extend(inside.iter().map(|(source, path)| (*source, one.clone(), path.clone())));
            }
        }
        Ok(found)
    }
}

/// The issues whose version there is later, or that exist only there.
pub fn news(ours: &Document, theirs: &Document) -> Vec<(String, String)> {
    let versions = versions(theirs, &differing(ours, theirs));
    let here = ours.effective_among(&versions.keys().cloned().collect());
    later(ours, &here, versions, None)
}

/// The latest version of each issue among lines that only the other ledger has, with the time of its last edit.
type Versions = BTreeMap<String, (Option<Instant>, String)>;

fn versions(theirs: &Document, lines: &[usize]) -> Versions {
    let mut found = Versions::new();
    for line in lines {
        let Line::Issue(record) = Line::read(theirs.text(*line), MAX_LINE) else { continue };
        let Some(id) = record.string("id") else { continue };
        let at = record.time("updated_at");
        if found.get(id.as_ref()).is_none_or(|(known, _)| *known < at) {
            found.insert(id.into_owned(), (at, record.text().to_owned()));
        }
    }
    found
}

/// The versions that are later than ours, or all if there is none here; `here` maps ids to our lines. An earlier
/// version counts too if it has a status change that ours lacks, whatever else was edited here since.
fn later(
    ours: &Document,
    here: &HashMap<String, usize>,
    versions: Versions,
    common: Option<&Common>,
) -> Vec<(String, String)> {
    let is_news = |id: &String, at: &Option<Instant>, line: &str| {
        let Some(own) = here.get(id).and_then(|line| ours.record(*line)) else { return true };
        *at > own.time("updated_at") || common.is_some_and(|common| common.is_unknown_here(id, &own, line))
    };
    let news = versions.into_iter().filter(|(id, (at, line))| is_news(id, at, line));
    news.map(|(id, (_, line))| (id, line)).collect()
}

/// The last common version of two checkouts, looked up when needed.
#[derive(Debug)]
struct Common {
    here: PathBuf,
    there: PathBuf,
    inside: PathBuf,
    document: std::cell::OnceCell<Option<Document>>,
}

impl Common {
    fn new(here: &Path, there: &Path, inside: &Path) -> Self {
        let here = vcs::root(here).unwrap_or_else(|| here.to_owned());
        let document = std::cell::OnceCell::new();
        Common { here, there: there.to_owned(), inside: inside.to_owned(), document }
    }

    fn version(&self, line: &str) -> Version {
        let [here, there, inside] = [&self.here, &self.there, &self.inside].map(PathBuf::clone);
        Version { line: line.to_owned(), here, there, inside }
    }

    /// They have closed or started the issue without our knowledge: our status is still the common one.
    fn is_unknown_here(&self, id: &str, own: &Record<'_>, line: &str) -> bool {
        let Ok(theirs) = Record::parse(line) else { return false };
        let (here, there) = (issue::status_of(own), issue::status_of(&theirs));
        let works = there.as_str() == "in_progress" && here.as_str() == "open";
        // A workflow halted there is not continued here.
        let halts = theirs.raw(WORKFLOW).is_some() && matches!(there.as_str(), "deferred" | "blocked");
        if here.is_done() || here == there || !(there.is_done() || works || halts) {
            return false;
        }
        let find = || vcs::common_version(&self.here, &self.there, &self.inside).map(Document::new);
        let base = self.document.get_or_init(find).as_ref();
        match base.and_then(|base| base.record(base.effective(id)?)) {
            // It was so before: here it was reopened.
            Some(base) => issue::status_of(&base) != there,
            // Unknown; avoid doing the work twice.
            None => there.is_done(),
        }
    }
}

/// Why the ledger of another checkout cannot be fully trusted. A ledger without issues is not damaged, as after
/// `bd init`, unless `is_emptied` finds that it had some.
fn damage(theirs: &Document, lines: &[usize], is_emptied: impl Fn() -> bool) -> Option<String> {
    if theirs.is_empty() && is_emptied() {
        return Some("its ledger is empty, but its last commit has issues".to_owned());
    }
    let odd = |line: &usize| matches!(Line::read(theirs.text(*line), MAX_LINE), Line::Damaged(_));
    let line = lines.iter().copied().find(odd)?;
    Some(format!("line {} of its ledger cannot be read", line + 1))
}

/// The lines that only the other ledger has. Both are scanned in parallel by id, as most lines are equal; where they
/// are not sorted by id, too many lines look different, and are looked up one by one.
fn differing(ours: &Document, theirs: &Document) -> Vec<usize> {
    let origins = theirs.origins_in(ours);
    (0..theirs.len()).filter(|line| origins[*line].is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::siblings::*;

    fn line(id: &str, day: u32, status: &str) -> String {
        format!("{{\"id\":\"{id}\",\"status\":\"{status}\",\"updated_at\":\"2026-01-{day:02}T00:00:00.000Z\"}}\n")
    }

    #[test]
    fn only_what_is_later_there_is_news() {
        let ours = [line("a", 1, "open"), line("b", 2, "open"), line("c", 5, "closed")].concat();
        let theirs =
            [line("a", 1, "open"), line("b", 3, "closed"), line("c", 4, "open"), line("d", 1, "open")].concat();
        let document = |text: &str| Document::new(text.as_bytes().to_vec());
        let found = news(&document(&ours), &document(&theirs));
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["b", "d"]);
        assert_eq!(news(&document(&ours), &document(&ours)), []);
    }
}
