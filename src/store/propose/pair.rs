//! The two copies of a proposed issue: finding them, and applying an edit to both.

use std::collections::HashSet;

use super::JoinedPair;
use crate::ledger::{Edit, Ledger, LedgerError, LockedLedger, Outcome};
use crate::model::change::{Change, mirror};
use crate::model::proposal::{Include, Proposal, State, Visibility};
use crate::model::record::Record;
use crate::model::{change, issue, proposal};
use crate::store::write::{Draft, Write};
use crate::store::{Access, Project, Result, Snapshot, Store, StoreError};

/// An open proposal with both copies in this project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Pair {
    /// The target's ledger.
    pub target: usize,
    /// The planning repo's ledger.
    pub planning: usize,
    pub proposal: Proposal,
}

impl Project {
    /// Whether private issues go to a repo.
    pub fn is_planning(&self, repo: usize) -> bool {
        self.repos.members[repo].planning
    }
}

impl Snapshot {
    /// Both copies of an issue whose proposal is open.
    pub(in crate::store) fn pair(&self, id: &str) -> Option<Pair> {
        let holders = self.holders(id);
        if holders.len() < 2 {
            return None;
        }
        let look = |n: usize| {
            let line = self.line_in(n, id)?;
            let record = Record::parse(&line).ok().filter(|record| !proposal::is_turned_down(record))?;
            Some((Visibility::of(&record), Proposal::of(&record)))
        };
        let is_open = |n: &usize| match look(*n) {
            Some((Visibility::Proposed, Some(proposal))) if proposal.state == State::Open => Some((*n, proposal)),
            _ => None,
        };
        // The target is the copy outside of planning repos, and the planning copy says what was agreed: anyone can have
        // written the target's line.
        let is_plan = |(n, _): &(usize, Proposal)| self.is_planning(self.sources.member_of(*n));
        let (plans, others): (Vec<_>, Vec<_>) = holders.iter().filter_map(is_open).partition(is_plan);
        let mut open = others.into_iter().chain(plans);
        let (target, theirs) = open.next()?;
        let (planning, proposal) = open.find(|(_, own)| own.id == theirs.id)?;
        Some(Pair { target, planning, proposal })
    }

    /// Splits an edit into the necessary writes: one, or for a proposed issue one for each copy. `owner` is the ledger
    /// with the effective copy.
    pub(in crate::store) fn divide(
        &self,
        owner: usize,
        id: String,
        changes: Vec<Change>,
    ) -> Result<Vec<(usize, Write)>> {
        let pair = self.pair(&id);
        let deletes = changes.iter().any(|change| matches!(change, Change::Delete { .. }));
        let line = self.line_in(owner, &id).unwrap_or_default();
        let is_open = Record::parse(&line).is_ok_and(|record| {
            let state = Proposal::of(&record).map(|proposal| proposal.state);
            Visibility::of(&record) == Visibility::Proposed && state == Some(State::Open)
        });
        // It is proposed even if the current branch does not have it.
        if deletes && is_open && self.sources.member_of(owner) != 0 {
            return Err(StoreError::StillProposed { id });
        }
        let own = self.own_proposal(owner, &id)?;
        let proposal = match (&pair, own) {
            (Some(pair), _) => pair.proposal.clone(),
            (None, Some(proposal)) => proposal,
            (None, None) => return Ok(vec![(owner, Write::Change { id, changes })]),
        };
        if deletes {
            return Err(StoreError::StillProposed { id });
        }
        let target = pair.as_ref().map_or(owner, |pair| pair.target);
        let visible = |other: &str| self.is_visible(target, other);
        let parts = mirror::split(&changes, Include::of(&proposal), visible);
        let write = |source, changes| (source, Write::Change { id: id.clone(), changes });
        let put =
            |source: usize, line| (source, Write::Put { id: id.clone(), line, repo: self.sources.member_of(source) });
        let step = pair.as_ref().and_then(|pair| self.settle_pair(pair, &id));
        let mut writes = Vec::new();
        // An edit made on one side only reaches the other first, so that this edit does not increase the difference.
        writes.extend(step.as_ref().and_then(|step| step.target.clone()).map(|line| put(target, line)));
        if !parts.public.is_empty() {
            writes.push(write(target, parts.public.clone()));
        }
        match pair {
            Some(pair) => {
                let mut changes = parts.planning;
                // Only copies that were in step stay so; otherwise the target's other edits must still be taken over.
                if step.is_some() || self.is_in_step(&pair, &id) {
                    changes.push(Change::Synced(String::new()));
                }
                writes.extend(step.and_then(|step| step.planning).map(|line| put(pair.planning, line)));
                writes.push(write(pair.planning, changes));
            }
            // Without the planning copy there is no place for private content.
            None if parts.public != parts.planning => {
                return Err(StoreError::NoPlanningCopy { id, what: "given private text" });
            }
            None => {}
        }
        Ok(writes)
    }

    fn is_in_step(&self, pair: &Pair, id: &str) -> bool {
        let lines = (self.line_in(pair.planning, id), self.line_in(pair.target, id));
        let (Some(planning), Some(target)) = lines else { return false };
        match (Record::parse(&planning), Record::parse(&target)) {
            (Ok(planning), Ok(target)) => !mirror::has_moved_on(&planning, &target),
            _ => false,
        }
    }

    /// The open proposal that a contributor edits in the primary without having its planning copy.
    fn own_proposal(&self, owner: usize, id: &str) -> Result<Option<Proposal>> {
        let member = self.sources.member_of(owner);
        if self.access(member)? == Access::Write {
            return Ok(None);
        }
        let line = self.line_in(owner, id).unwrap_or_default();
        Ok(Record::parse(&line).ok().as_ref().and_then(Proposal::of))
    }

    /// Whether a line may be written in its ledger. An issue that is only proposed still belongs to its author.
    pub(in crate::store) fn access_to_line(&self, member: usize, id: &str, line: &str) -> Result<Access> {
        let Access::Read(reason) = self.access(member)? else { return Ok(Access::Write) };
        let proposal = Record::parse(line).ok().filter(|record| Visibility::of(record) == Visibility::Proposed);
        let proposal = proposal.as_ref().and_then(Proposal::of).filter(|proposal| proposal.state == State::Open);
        Ok(match proposal {
            None => Access::Read(reason),
            Some(_) if self.pair(id).is_some() => Access::Write,
            Some(_) if self.holders(id).len() > 1 => {
                Access::Read("the line there is another proposal than that of your planning copy".to_owned())
            }
            Some(proposal) if proposal.author == self.actor() => Access::Write,
            Some(proposal) => Access::Read(format!("it is a proposal of {}, and {reason}", proposal.author)),
        })
    }

    /// The new lines of the two copies of an open proposal when merged, as far as they change.
    fn settle_pair(&self, pair: &Pair, id: &str) -> Option<JoinedPair> {
        let lines = (self.line_in(pair.planning, id)?, self.line_in(pair.target, id)?);
        let (planning, theirs) = (Record::parse(&lines.0).ok()?, Record::parse(&lines.1).ok()?);
        self.joined_pair(&planning, &theirs, pair.target, &pair.proposal)
    }

    /// Whether the readers of a ledger can see an issue.
    pub(in crate::store) fn is_visible(&self, source: usize, id: &str) -> bool {
        id.starts_with("external:") || self.line_in(source, id).is_some()
    }

    /// The issue is in planning repos only, or this is the id that one had there before it was proposed.
    pub(in crate::store) fn is_only_planned(&self, id: &str) -> bool {
        let holders = self.holders(id);
        match holders.is_empty() {
            true => self.renamed_from(id).is_some(),
            false => holders.iter().all(|source| self.is_planning(self.sources.member_of(*source))),
        }
    }

    /// Refuses to add the name of a private issue to the line of a public one, whoever asks. Names already there stay.
    pub(in crate::store) fn refuse_private_names(&self, source: usize, write: &Write) -> Result<()> {
        if self.is_planning(self.sources.member_of(source)) {
            return Ok(());
        }
        if let Write::Change { id, changes } = write
            && changes.iter().any(|change| matches!(change, Change::Project(Some(_))))
        {
            return Err(StoreError::NoPlanningCopy { id: id.clone(), what: "given to a project" });
        }
        if !(0..self.repos.members.len()).any(|repo| self.is_planning(repo)) {
            return Ok(());
        }
        self.read_ledgers()?;
        let actor = self.actor().to_owned();
        let (id, line) = match write {
            Write::File { issue, id, .. } => {
                let id = id.as_ref().map_or_else(|| "the new issue".to_owned(), ToString::to_string);
                let line = issue.line(&id, self.stamp(&actor, ""));
                (id, line.ok())
            }
            Write::Change { id, changes } => {
                let before = self.line_in(source, id).unwrap_or_default();
                let is_record = Record::parse(&before).is_ok();
                let after = || change::apply(&before, changes, self.stamp(&actor, &before)).ok().flatten();
                (id.clone(), is_record.then(after).flatten())
            }
            Write::Put { id, line, .. } => (id.clone(), Some(line.clone())),
        };
        // An invalid write is refused when it is made.
        let Some(line) = line else { return Ok(()) };
        let known = self.line_in(source, &id).map(|line| named_in(&line)).unwrap_or_default();
        let (mut targets, mut mentioned) = named_in(&line);
        targets.retain(|target| !known.0.contains(target));
        mentioned.retain(|word| !known.1.contains(word));
        self.private_named(id, targets, mentioned).map_or(Ok(()), Err)
    }

    /// Why a line must not get into a public ledger: it names an issue that stays private. `in_batch` are the ids that get
    /// there together with it.
    pub(in crate::store) fn private_in(
        &self,
        id: &str,
        line: &str,
        in_batch: impl Fn(&str) -> bool,
    ) -> Option<StoreError> {
        let (mut targets, mut mentioned) = named_in(line);
        targets.retain(|other| !in_batch(other));
        mentioned.retain(|other| !in_batch(other));
        self.private_named(id.to_owned(), targets, mentioned)
    }

    /// An error for the first private issue among those that an issue depends on or mentions.
    fn private_named(&self, id: String, targets: Vec<String>, mentioned: Vec<String>) -> Option<StoreError> {
        match targets.into_iter().find(|target| self.is_only_planned(target)) {
            Some(target) => Some(StoreError::PrivateTarget { id, target }),
            None => self.private_among(mentioned).map(|target| StoreError::PrivateMention { id, target }),
        }
    }

    /// The first word of a text that is or was the id of an issue in planning repos only.
    fn private_among(&self, words: Vec<String>) -> Option<String> {
        let (unknown, known): (Vec<String>, Vec<String>) =
            words.into_iter().partition(|word| self.holders(word).is_empty());
        let former = if unknown.is_empty() { Default::default() } else { self.former_ids() };
        let mut private = known.into_iter().filter(|word| self.is_only_planned(word));
        private.next().or_else(|| unknown.into_iter().find(|word| former.contains_key(word)))
    }

    /// The first id in a raw value that a public line of this issue must not name.
    pub(in crate::store) fn private_word(&self, id: &str, raw: &str, batch: &HashSet<String>) -> Option<String> {
        let words = proposal::mentions_in(raw).into_iter().filter(|word| word != id && !batch.contains(word));
        self.private_among(words.collect())
    }

    /// Refuses to touch a ledger with conflict markers.
    pub(in crate::store) fn refuse_conflicts(&self, source: usize) -> Result<()> {
        let ledger = self.sources.ledger(source);
        let document = self.sources.documents().find(|(_, known, _)| *known == ledger).map(|(_, _, document)| document);
        match document.and_then(|document| document.conflicts().first()) {
            Some(region) => {
                let (path, what) = (ledger.path().to_owned(), "no proposal can be moved in it");
                Err(LedgerError::Conflicted { path, line: region.start + 1, what }.into())
            }
            None => Ok(()),
        }
    }
}

impl Store {
    /// Rewrites lines of a locked ledger: for each id the new text, or `None` to remove the line.
    pub(in crate::store) fn put_lines(&self, lock: &LockedLedger, lines: &[NewLine]) -> Result<bool> {
        let outcome = self.write_ledger(lock, |draft| line_edits(lock.ledger(), draft, lines))?;
        Ok(outcome == Outcome::Written)
    }

    /// Checks whether [`Store::put_lines`] would be allowed.
    pub(in crate::store) fn may_put_lines(&self, lock: &LockedLedger, lines: &[NewLine]) -> Result<()> {
        self.rehearse_ledger::<StoreError>(lock.ledger(), |draft| line_edits(lock.ledger(), draft, lines))
    }
}

/// An id and the new text of its line, or `None` to remove the line.
pub(in crate::store) type NewLine = (String, Option<String>);

fn line_edits(ledger: &Ledger, draft: &mut Draft<'_>, lines: &[NewLine]) -> Result<()> {
    let document = draft.document();
    if let Some(region) = document.conflicts().first().filter(|_| !lines.is_empty()) {
        let what = "no proposal can be moved in it";
        return Err(LedgerError::Conflicted { path: ledger.path().to_owned(), line: region.start + 1, what }.into());
    }
    for (id, text) in lines {
        match (document.effective(id), text) {
            (Some(line), Some(text)) if document.text(line) != text.as_bytes() => {
                draft.carry([Edit::Set { line, id: id.clone(), text: text.clone() }])?;
            }
            (None, Some(text)) => draft.carry([Edit::Insert { id: id.clone(), text: text.clone() }])?,
            (Some(line), None) => draft.carry([Edit::Remove { line }])?,
            _ => {}
        }
    }
    Ok(())
}

/// The ids that a line depends on, and the words its texts mention.
fn named_in(line: &str) -> (Vec<String>, Vec<String>) {
    let Ok(record) = Record::parse(line) else { return Default::default() };
    let targets = issue::dependencies_of(&record).into_iter().map(|edge| edge.target).collect();
    (targets, proposal::mentions(&record))
}
