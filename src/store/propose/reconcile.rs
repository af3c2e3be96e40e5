//! Updates planning copies with the outcome of their proposals.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::JoinedPair;
use crate::ledger::Document;
use crate::model::change::mirror;
use crate::model::proposal::{Joined, Joining, Proposal, State, Visibility};
use crate::model::record::Record;
use crate::model::{field, issue, merge, proposal};
use crate::store::write::Locks;
use crate::store::{Result, Snapshot, Store, StoreError, SyncError, UPSTREAM};

/// One thing that reconciling did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciled {
    pub id: String,
    pub what: String,
}

impl Snapshot {
    /// The ids of a ledger's planning copies with proposals, by the ledger that they go to.
    fn proposed_from(&self, source: usize, primary: usize) -> BTreeMap<usize, Vec<String>> {
        let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let member = self.sources.member_of(source);
        if member == 0 {
            return found;
        }
        // Anyone can have written a line of a target: only what the planning copy records is finished.
        for id in self.sources.ids_mentioning(source, "\"proposal\"") {
            let line = self.line_in(source, &id).unwrap_or_default();
            let own = Record::parse(&line).ok().as_ref().and_then(Proposal::of);
            let Some(own) = own.filter(|own| self.is_planning(member) || own.synced.is_some()) else { continue };
            let target = match self.destination(&id, &own) {
                Some(repo) if repo > 0 => self.target_source(repo).unwrap_or(primary),
                _ => primary,
            };
            if target != source {
                found.entry(target).or_default().push(id);
            }
        }
        found
    }

    /// The project's ledger as it was fetched last, in a fork.
    fn upstream_ledger(&self) -> Result<Option<Document>> {
        if !self.is_fork() {
            return Ok(None);
        }
        match self.published_at(0, Some(UPSTREAM)) {
            Err(StoreError::Vcs(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) => Ok(None),
            found => found,
        }
    }

    /// The update that the project's line upstream makes necessary. Nothing is written into the target here, and an
    /// accepted issue stays until the file here has it.
    fn settle_from(&self, ours: &str, theirs: &str, target: usize, actor: &str) -> Option<Step> {
        let planning = Record::parse(ours).ok().filter(|own| Visibility::of(own) == Visibility::Proposed)?;
        let step = self.settle(ours, Some(theirs), target, actor)?;
        match &step {
            Step { target: Some(_), .. } => None,
            Step { planning: Some(None), .. } => {
                let record = Record::parse(theirs).ok()?;
                let proposal = Proposal::of(&record)?;
                let (stamp, comment) = (self.stamp(actor, ours), self.host.entropy.comment_id());
                let line = mirror::follow(&planning, &record, Visibility::Canonical, &proposal, stamp, comment);
                Some(Step::planning("accepted upstream: the planning copy stays until you have merged it", Some(line)))
            }
            _ => Some(step),
        }
    }

    /// The necessary update of one pair of copies.
    fn settle(&self, ours: &str, theirs: Option<&str>, target: usize, actor: &str) -> Option<Step> {
        let planning = Record::parse(ours).ok()?;
        let theirs = Record::parse(theirs?).ok()?;
        let stamp = self.stamp(actor, ours);
        let comment = self.host.entropy.comment_id();
        let own = Proposal::of(&planning)?;
        let proposal = Proposal::of(&theirs).filter(|theirs| theirs.id == own.id)?;
        // The planning copy decides what is included, never the target's line.
        let proposal = Proposal { include: own.include.clone(), ..proposal };
        let joined = |joining| self.joined(&planning, &theirs, target, joining, &HashSet::new());
        match (Visibility::of(&theirs), proposal.state, Visibility::of(&planning)) {
            (Visibility::Proposed, State::Open, Visibility::Proposed) if issue::status_of(&theirs).is_tombstone() => {
                let text = |key: &str| theirs.text_of(key).map(|text| text.into_owned());
                let by = text("deleted_by").unwrap_or_else(|| proposal.by.clone());
                let reason = text("delete_reason").map(|reason| format!(": {reason}")).unwrap_or_default();
                let at = text("deleted_at").unwrap_or_else(|| stamp.now.to_string());
                let moved = proposal.moved(State::Rejected, &by, &at, Some(&format!("deleted in the project{reason}")));
                let both = joined(Joining::Rejected);
                let line = mirror::take_back(&planning, Some(&theirs), both.as_ref(), &moved, stamp, comment);
                Some(Step::planning("deleted in the project: the planning copy is private again", Some(line)))
            }
            (Visibility::Canonical, State::Accepted, Visibility::Proposed) => {
                const STAYS: &str = "accepted: the planning copy stays for its private parts";
                if let Some(Joined { planning: line, .. }) = joined(Joining::Accepted) {
                    let left = Record::parse(&line).ok()?;
                    if private_parts(&left, &theirs).is_empty() {
                        return Some(Step::planning("accepted: the planning copy is retired", None));
                    }
                    let line = mirror::in_step(&line, &theirs, Visibility::Canonical, &proposal, stamp);
                    return Some(Step::planning(STAYS, Some(line)));
                }
                let edited = mirror::was_edited(&planning) && differs(&planning, &theirs);
                if !edited && private_parts(&planning, &theirs).is_empty() {
                    return Some(Step::planning("accepted: the planning copy is retired", None));
                }
                let line = mirror::follow(&planning, &theirs, Visibility::Canonical, &proposal, stamp, comment);
                Some(Step::planning(STAYS, Some(line)))
            }
            // It was accepted upstream before the file here had it.
            (Visibility::Canonical, State::Accepted, Visibility::Canonical) if own.state == State::Accepted => {
                let is_spare = private_parts(&planning, &theirs).is_empty() && !differs(&planning, &theirs);
                is_spare.then(|| Step::planning("accepted: the planning copy is retired", None))
            }
            (Visibility::Proposed, State::Rejected, Visibility::Proposed) => {
                let both = joined(Joining::Rejected);
                let line = mirror::take_back(&planning, Some(&theirs), both.as_ref(), &proposal, stamp, comment);
                Some(Step::planning("rejected: the planning copy is private again", Some(line)))
            }
            (Visibility::Proposed, State::Open, Visibility::Local) if own.state == State::Withdrawn => {
                Some(Step { what: "withdrawn: the line leaves the target".into(), target: Some(None), planning: None })
            }
            (Visibility::Proposed, State::Open, Visibility::Proposed) if proposal::has_base(&planning) => {
                let pair = self.joined_pair(&planning, &theirs, target, &proposal)?;
                let what = summary(&pair)?;
                Some(Step { what, target: pair.target.map(Some), planning: pair.planning.map(Some) })
            }
            (Visibility::Proposed, State::Open, Visibility::Proposed) if mirror::has_moved_on(&planning, &theirs) => {
                let line = mirror::follow(&planning, &theirs, Visibility::Proposed, &proposal, stamp, comment);
                Some(Step::planning("proposed: the target's edits are taken over", Some(line)))
            }
            (Visibility::Proposed, State::Open, Visibility::Proposed) => {
                let at = planning.string("updated_at")?;
                let visible = |other: &str| self.is_visible(target, other);
                let made = proposal::export(&planning, &proposal, &at, visible, stamp.dialect);
                let made = Record::parse(&made.line).ok()?;
                let mut edits = mirror::public_edits(&theirs, &made, stamp.dialect);
                if edits.is_empty() || issue::status_of(&planning).is_tombstone() {
                    return None;
                }
                edits.push(("updated_at", made.raw("updated_at").map(str::to_owned)));
                let line = theirs.with(&edits, stamp.dialect);
                let record = Record::parse(&line).ok()?;
                let mark = mirror::follow(&planning, &record, Visibility::Proposed, &proposal, stamp, comment);
                let what = "proposed: edits go to the target".to_owned();
                Some(Step { what, target: Some(Some(line)), planning: Some(Some(mark)) })
            }
            _ => None,
        }
    }
}

impl Store {
    /// Updates planning copies with the outcome of their proposals, as far as the files here show it, and in a fork what
    /// was fetched of the project.
    pub fn reconcile(&mut self, dry_run: bool) -> Result<Vec<Reconciled>> {
        self.refuse_broken()?;
        let primary = self.target_source(0)?;
        let actor = self.actor().to_owned();
        let mut done = self.follow_prefix(dry_run)?;
        let upstream = self.upstream_ledger()?;
        for source in 0..self.sources.len() {
            for (target, ids) in self.proposed_from(source, primary) {
                let upstream = upstream.as_ref().filter(|_| target == primary);
                let locks = if dry_run { Locks::none() } else { self.lock(&[target, source])? };
                self.read_again()?;
                let (mut in_target, mut in_planning) = (Vec::new(), Vec::new());
                for id in &ids {
                    let (Some(ours), here) = (self.line_in(source, id), self.line_in(target, id)) else { continue };
                    let there = upstream.and_then(|ledger| decision(ledger, id, &ours, here.as_deref()));
                    let step = match &there {
                        Some(there) => self.settle_from(&ours, there, target, &actor),
                        None => self.settle(&ours, here.as_deref(), target, &actor),
                    };
                    if let Some(step) = step {
                        done.push(Reconciled { id: id.clone(), what: step.what });
                        in_target.extend(step.target.map(|line| (id.clone(), line)));
                        in_planning.extend(step.planning.map(|line| (id.clone(), line)));
                    }
                }
                if !dry_run {
                    let marks = HashMap::from([(source, in_planning)]);
                    let written = self.write_both(&locks, target, HashMap::new(), &in_target, marks)?;
                    drop(locks);
                    self.commit_ledgers(&written);
                }
            }
        }
        Ok(done)
    }
}

/// The project's line upstream for a proposal that its planning copy records: always if the file here lacks it,
/// otherwise only a decision.
fn decision(upstream: &Document, id: &str, ours: &str, here: Option<&str>) -> Option<String> {
    let there = upstream.record(upstream.effective(id)?)?;
    let (own, theirs) = (Proposal::of(&Record::parse(ours).ok()?)?, Proposal::of(&there)?);
    let is_over =
        |record: &Record<'_>| Visibility::of(record) == Visibility::Canonical || proposal::is_turned_down(record);
    let here = here.and_then(|line| Record::parse(line).ok());
    let is_news = here.is_none_or(|here| is_over(&there) && !is_over(&here));
    (own.id == theirs.id && is_news).then(|| there.text().to_owned())
}

/// How reconciling changes one pair: new lines, or `Some(None)` to remove a line.
struct Step {
    what: String,
    target: Option<Option<String>>,
    planning: Option<Option<String>>,
}

impl Step {
    fn planning(what: &str, line: Option<String>) -> Self {
        Step { what: what.to_owned(), target: None, planning: Some(line) }
    }
}

/// Describes the result of joining an open proposal's copies; `None` if they are equal.
fn summary(pair: &JoinedPair) -> Option<String> {
    let Joined { takes_over, clashes, held, .. } = &pair.joined;
    let mut parts = match (pair.target.is_some(), *takes_over) {
        (true, true) => vec!["edits go to the target, and its edits are taken over".to_owned()],
        (true, false) => vec!["edits go to the target".to_owned()],
        (false, _) if pair.planning.is_some() => vec!["the target's edits are taken over".to_owned()],
        (false, _) => Vec::new(),
    };
    if !clashes.is_empty() {
        parts.push(format!("{} changed on both sides: yours is kept as a comment", clashes.join(", ")));
    }
    if !held.is_empty() {
        parts.push(format!("{} held back: it names a private issue", held.join(", ")));
    }
    (!parts.is_empty()).then(|| format!("proposed: {}", parts.join("; ")))
}

/// A shared text differs.
fn differs(planning: &Record<'_>, target: &Record<'_>) -> bool {
    let mut shared = field::ALL.iter().filter(|field| field.is_shared());
    shared.any(|field| planning.raw(field.key()) != target.raw(field.key()))
}

/// What only the planning copy has and someone wrote: notes, comments, private dependencies, references, unknown
/// fields.
fn private_parts(planning: &Record<'_>, target: &Record<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    for (key, raw) in planning.iter() {
        let nothing = matches!(raw, "null" | "\"\"" | "[]");
        if nothing || field::is(&key, |row| row.passing) || target.raw(&key).is_some_and(|theirs| theirs == raw) {
            continue;
        }
        match key.as_ref() {
            "dependencies" => {
                let known = issue::dependencies_of(target);
                let private = issue::dependencies_of(planning).into_iter();
                parts.extend(private.filter(|d| !known.iter().any(|k| k.target == d.target)).map(|d| d.target));
            }
            "comments" => {
                let name = |raw: &&str| merge::element_identity("comments", raw);
                let known: Vec<String> = target.elements("comments").iter().map(name).collect();
                let is_own = planning.elements("comments").iter().any(|raw| !known.contains(&name(raw)));
                parts.extend(is_own.then(|| key.into_owned()));
            }
            // Shared fields: the target's version has been taken over, or will be.
            shared if proposal::is_shared(shared) => {}
            _ => parts.push(key.into_owned()),
        }
    }
    parts
}
