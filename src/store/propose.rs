//! Proposals over two ledgers: propose, withdraw, accept, reject, reconcile.
//!
//! Two files cannot be replaced at once, so each move has an order in which a crash leaves something that the same move, or
//! [`Store::reconcile`], recognises and finishes: a proposal is written to the target first and marked in the planning copy
//! then; a withdrawal saves the text in the planning copy first and takes the target's line out then. Accepting and
//! rejecting touch the target alone.

use std::collections::{HashMap, HashSet};

use super::transaction::Written;
use super::{Access, Result, Store, StoreError};
use crate::ledger::LockedLedger;
use crate::model::change::Stamp;
use crate::model::issue::{self, Issue};
use crate::model::json::Dialect;
use crate::model::proposal::{
    self, Export, HeldBack, Include, Move, Permit, Proposal, Standing, State, Visibility, permit,
};
use crate::model::record::Record;
use crate::model::time::{self, Instant};
use crate::vcs;

/// What to propose, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProposeRequest {
    pub ids: Vec<String>,
    /// The repo that gets them.
    pub target: usize,
    /// Also what they depend on, as far as the target cannot see it.
    pub with_deps: bool,
    pub include: Include,
    pub dry_run: bool,
    /// How many issues may be added at once, if that is more than usual.
    pub count: Option<usize>,
}

/// One issue that was proposed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub id: String,
    /// The line in the target.
    pub line: String,
    pub held_back: Vec<HeldBack>,
    /// It was proposed before; whatever was missing was made up for.
    pub already: bool,
    pub source_repo: String,
    pub target: String,
}

/// One thing that reconciling did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciled {
    pub id: String,
    pub what: String,
}

/// A proposal as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    pub id: String,
    pub title: String,
    pub standing: Standing,
    pub proposal: Proposal,
    /// The planning repo that holds a copy, if one of this project's does.
    pub planning: Option<String>,
    /// The repo it is proposed to, if its file holds it here.
    pub target: Option<String>,
    /// The branches of the primary that carry it.
    pub branches: Vec<String>,
}

/// More new issues than this at once need a word.
pub const MAX_GROWTH: usize = 25;

/// The copies of one issue.
struct Copies {
    target: Option<String>,
    planning: Option<(usize, String)>,
}

impl Store {
    fn copies_of(&self, id: &str, target: usize) -> Copies {
        let target_line = self.sources.line(target, id);
        let others = self.sources.holders(id).into_iter().filter(|n| *n != target);
        // A copy in the primary is nobody's plan.
        let others = others.filter(|n| self.sources.member_of(*n) != 0);
        let planning = others.filter_map(|n| Some((n, self.sources.line(n, id)?))).next();
        Copies { target: target_line, planning }
    }

    /// The ledger of a repo that proposals go to.
    fn target_source(&mut self, repo: usize) -> Result<usize> {
        self.sources.read(&mut self.cache)?;
        self.writable(repo)
    }

    fn stamp<'a>(&self, actor: &'a str, line: &str) -> Stamp<'a> {
        let dialect = crate::model::json::DialectEvidence::of(line).or(Dialect::default());
        Stamp { now: self.host.clock.now(), actor, dialect }
    }

    fn fresh_proposal(&self, actor: &str, target: &str, include: Include, at: &str) -> Proposal {
        const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let bytes: [u8; 12] = self.host.entropy.bytes();
        let id: String = bytes.iter().map(|byte| char::from(DIGITS[usize::from(*byte) % 36])).collect();
        Proposal {
            id: format!("prop_{id}"),
            author: actor.to_owned(),
            target: target.to_owned(),
            state: State::Open,
            by: actor.to_owned(),
            at: at.to_owned(),
            reason: None,
            include: include.words(),
            synced: None,
        }
    }

    /// Puts issues before the maintainers of a target: writes their public part into its ledger, then marks the planning
    /// copies.
    pub fn propose(&mut self, request: &ProposeRequest) -> Result<Vec<(String, Result<Proposed>)>> {
        self.refuse_broken()?;
        let target = self.target_source(request.target)?;
        let actor = self.actor().to_owned();
        let prefix = self.prefix(request.target)?;
        let ids = if request.with_deps { self.closure(&request.ids, target) } else { request.ids.clone() };
        let mut sources = vec![target];
        sources.extend(ids.iter().filter_map(|id| self.copies_of(id, target).planning.map(|(n, _)| n)));
        sources.sort_unstable();
        sources.dedup();
        let locks = if request.dry_run { Vec::new() } else { self.lock(&sources)? };
        self.sources.read(&mut self.cache)?;
        let chosen: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let mut results: Vec<(String, Result<Proposed>)> = Vec::new();
        let mut arriving = Vec::new();
        let mut marks: HashMap<usize, Vec<(String, Option<String>)>> = HashMap::new();
        let mut grown = 0;
        for id in &ids {
            let copies = self.copies_of(id, target);
            let made = self.proposed(id, &copies, target, request.include, &actor, &prefix, &chosen);
            if let Ok((one, source, mark)) = &made {
                if copies.target.is_none() {
                    grown += 1;
                }
                if copies.target.as_ref() != Some(&one.line) {
                    arriving.push((id.clone(), Some(one.line.clone())));
                }
                marks.entry(*source).or_default().push((id.clone(), Some(mark.clone())));
            }
            let name = self.name(request.target).to_owned();
            results.push((id.clone(), made.map(|(one, ..)| Proposed { target: name, ..one })));
        }
        self.refuse_growth(request.target, grown, request.count)?;
        if !request.dry_run {
            let written = self.write_both(&locks, target, &arriving, marks)?;
            drop(locks);
            self.commit_ledgers(&written);
        }
        Ok(results)
    }

    /// The line for the target and the mark for the planning copy.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a proposal is made of; a struct for one call would say no more"
    )]
    fn proposed(
        &self,
        id: &str,
        copies: &Copies,
        target: usize,
        include: Include,
        actor: &str,
        prefix: &str,
        chosen: &HashSet<&str>,
    ) -> Result<(Proposed, usize, String)> {
        let target_record = copies.target.as_deref().and_then(|line| Record::parse(line).ok());
        let standing = Standing::of(
            target_record.as_ref(),
            copies.planning.as_ref().and_then(|(_, line)| Record::parse(line).ok()).as_ref(),
        );
        let permit = permit(id, standing, Move::Propose)?;
        let Some((source, planning_line)) = &copies.planning else {
            return Err(StoreError::NoPlanningCopy { id: id.to_owned(), what: "proposed" });
        };
        let planning = Record::parse(planning_line).map_err(|_| StoreError::NotFound { typed: id.to_owned() })?;
        let stamp = self.stamp(actor, planning_line);
        let at = stamp.now.to_string();
        let open = |record: &Record<'_>| Proposal::of(record).filter(|proposal| proposal.state == State::Open);
        let known = target_record.as_ref().and_then(open).or_else(|| open(&planning));
        let proposal = known.unwrap_or_else(|| self.fresh_proposal(actor, prefix, include, &at));
        let updated = |record: &Record<'_>| record.string("updated_at").and_then(|text| Instant::parse(&text));
        let visible = |other: &str| chosen.contains(other) || self.is_visible(target, other);
        let stand = time::after(updated(&planning), stamp.now).to_string();
        let Export { line, held_back } = proposal::export(&planning, &proposal, &stand, visible, stamp.dialect);
        // What the maintainers did to it stays: a target's copy that moved on is taken over, not overwritten. One that was left
        // by a crash is as late as the plan it was made from.
        let line = match (&copies.target, &target_record) {
            (Some(text), Some(record)) if permit == Permit::Already => {
                let moved_on = match open(&planning) {
                    Some(_) => proposal::has_moved_on(&planning, record),
                    None => updated(record) >= updated(&planning),
                };
                let same = Record::parse(&line).is_ok_and(|made| same_public(&made, record));
                if moved_on || same { text.clone() } else { line }
            }
            _ => line,
        };
        let target_line = Record::parse(&line).expect("an exported line is a record");
        let in_step = open(&planning).is_some_and(|own| own.id == proposal.id)
            && Visibility::of(&planning) == Visibility::Proposed
            && !proposal::has_moved_on(&planning, &target_line);
        let mark = if in_step {
            planning_line.clone()
        } else {
            let comment = self.host.entropy.comment_id();
            proposal::follow(&planning, &target_line, Visibility::Proposed, &proposal, stamp, comment)
        };
        let source_repo = self.name(self.sources.member_of(*source)).to_owned();
        let already = permit == Permit::Already;
        let one = Proposed { id: id.to_owned(), line, held_back, already, source_repo, target: String::new() };
        Ok((one, *source, mark))
    }

    /// What issues depend on that the target cannot see, dependencies first.
    fn closure(&self, ids: &[String], target: usize) -> Vec<String> {
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        let mut work: Vec<(String, bool)> = ids.iter().rev().map(|id| (id.clone(), false)).collect();
        while let Some((id, expanded)) = work.pop() {
            if expanded {
                order.push(id);
                continue;
            }
            if !seen.insert(id.clone()) {
                continue;
            }
            work.push((id.clone(), true));
            let Some((_, line)) = self.copies_of(&id, target).planning else { continue };
            let Ok(record) = Record::parse(&line) else { continue };
            for dependency in issue::dependencies_of(&record) {
                let known = self.is_visible(target, &dependency.target);
                if !known && self.copies_of(&dependency.target, target).planning.is_some() {
                    work.push((dependency.target, false));
                }
            }
        }
        order
    }

    /// Writes the target first, then the planning copies.
    fn write_both(
        &self,
        locks: &[(usize, LockedLedger)],
        target: usize,
        arriving: &[(String, Option<String>)],
        marks: HashMap<usize, Vec<(String, Option<String>)>>,
    ) -> Result<Vec<(usize, Vec<Written>)>> {
        let mut written = Vec::new();
        let lock_of = |n: usize| locks.iter().find(|(source, _)| *source == n).map(|(_, lock)| lock);
        if let Some(lock) = lock_of(target)
            && self.put_lines(lock, arriving)?
        {
            written.push((target, self.record_of(target, arriving)));
        }
        for (source, lines) in marks {
            if let Some(lock) = lock_of(source)
                && self.put_lines(lock, &lines)?
            {
                written.push((source, self.record_of(source, &lines)));
            }
        }
        Ok(written)
    }

    /// Lines as answers, for the commit of the ledger.
    fn record_of(&self, source: usize, lines: &[(String, Option<String>)]) -> Vec<Written> {
        let source_repo = self.name(self.sources.member_of(source)).to_owned();
        let one = |(id, line): &(String, Option<String>)| {
            let before = self.sources.line(source, id);
            let line = line.clone().or_else(|| before.clone()).unwrap_or_else(|| "{}".to_owned());
            Written { id: id.clone(), line, before, changed: true, source_repo: source_repo.clone() }
        };
        lines.iter().map(one).collect()
    }

    /// Takes a proposal back: the latest text into the planning copy, then the line out of the target.
    pub fn withdraw(&mut self, ids: &[String], repo: usize) -> Result<Vec<(String, Result<Permit>)>> {
        self.refuse_broken()?;
        let target = self.target_source(repo)?;
        let actor = self.actor().to_owned();
        let mut results = Vec::new();
        for id in ids {
            let result = self.withdraw_one(id, target, &actor);
            results.push((id.clone(), result));
        }
        Ok(results)
    }

    fn withdraw_one(&mut self, id: &str, target: usize, actor: &str) -> Result<Permit> {
        let planned = self.copies_of(id, target).planning.map(|(n, _)| n);
        let Some(source) = planned else {
            let copies = self.copies_of(id, target);
            let record = copies.target.as_deref().and_then(|line| Record::parse(line).ok());
            if let Some(record) = record {
                permit(id, Standing::of(Some(&record), None), Move::Withdraw)?;
            }
            return Err(StoreError::NoPlanningCopy { id: id.to_owned(), what: "withdrawn" });
        };
        let locks = self.lock(&[target, source])?;
        self.sources.read(&mut self.cache)?;
        let copies = self.copies_of(id, target);
        let target_record = copies.target.as_deref().and_then(|line| Record::parse(line).ok());
        let Some((_, planning_line)) = &copies.planning else {
            return Err(StoreError::NoPlanningCopy { id: id.to_owned(), what: "withdrawn" });
        };
        let planning = Record::parse(planning_line).map_err(|_| StoreError::NotFound { typed: id.to_owned() })?;
        let granted = permit(id, Standing::of(target_record.as_ref(), Some(&planning)), Move::Withdraw)?;
        if granted == Permit::Already {
            return Ok(granted);
        }
        let stamp = self.stamp(actor, planning_line);
        let own = Proposal::of(&planning);
        let theirs = target_record.as_ref().and_then(Proposal::of);
        let withdrawn =
            own.as_ref().is_some_and(|p| p.state == State::Withdrawn && theirs.as_ref().is_some_and(|t| t.id == p.id))
                && Visibility::of(&planning) == Visibility::Local;
        let mut written = Vec::new();
        let lock_of = |n: usize| locks.iter().find(|(locked, _)| *locked == n).map(|(_, lock)| lock);
        if let (false, Some(proposal), Some(lock)) = (withdrawn, theirs.or(own), lock_of(source)) {
            let moved = proposal.moved(State::Withdrawn, actor, &stamp.now.to_string(), None);
            let comment = self.host.entropy.comment_id();
            let line = proposal::take_back(&planning, target_record.as_ref(), &moved, stamp, comment);
            let lines = vec![(id.to_owned(), Some(line))];
            if self.put_lines(lock, &lines)? {
                written.push((source, self.record_of(source, &lines)));
            }
        }
        let lines = vec![(id.to_owned(), None)];
        if let (true, Some(lock)) = (copies.target.is_some(), lock_of(target))
            && self.put_lines(lock, &lines)?
        {
            written.push((target, self.record_of(target, &lines)));
        }
        drop(locks);
        self.commit_ledgers(&written);
        Ok(Permit::Do)
    }

    /// A maintainer's decision about proposals in a repo: accepted, or rejected for a reason.
    pub fn decide(
        &mut self,
        ids: &[String],
        repo: usize,
        reason: Option<&str>,
    ) -> Result<Vec<(String, Result<Permit>)>> {
        self.refuse_broken()?;
        if let Access::Read(because) = self.access(repo)? {
            return Err(StoreError::NotMaintainer { reason: because });
        }
        let target = self.target_source(repo)?;
        let actor = self.actor().to_owned();
        let locks = self.lock(&[target])?;
        self.sources.read(&mut self.cache)?;
        let mut results = Vec::new();
        let mut lines = Vec::new();
        for id in ids {
            let made = self.decided(id, target, &actor, reason);
            if let Ok((Permit::Do, line)) = &made {
                lines.push((id.clone(), Some(line.clone())));
            }
            results.push((id.clone(), made.map(|(granted, _)| granted)));
        }
        let mut written = Vec::new();
        if let Some((_, lock)) = locks.first()
            && self.put_lines(lock, &lines)?
        {
            written.push((target, self.record_of(target, &lines)));
        }
        drop(locks);
        self.commit_ledgers(&written);
        Ok(results)
    }

    fn decided(&self, id: &str, target: usize, actor: &str, reason: Option<&str>) -> Result<(Permit, String)> {
        let wanted = if reason.is_some() { Move::Reject } else { Move::Accept };
        let copies = self.copies_of(id, target);
        let line = copies.target.clone().unwrap_or_default();
        let record = copies.target.as_deref().and_then(|line| Record::parse(line).ok());
        let planning = copies.planning.as_ref().and_then(|(_, line)| Record::parse(line).ok());
        let granted = permit(id, Standing::of(record.as_ref(), planning.as_ref()), wanted)?;
        let Some(record) = record.filter(|_| granted == Permit::Do) else { return Ok((granted, line)) };
        let stamp = self.stamp(actor, &line);
        let now = stamp.now.to_string();
        let text = |text: &str| Some(stamp.dialect.string(text));
        let before = Proposal::of(&record).unwrap_or_else(|| self.fresh_proposal(actor, "", Include::default(), &now));
        let previous = record.string("updated_at").and_then(|text| Instant::parse(&text));
        let updated = time::after(previous, stamp.now).to_string();
        let edits = match reason {
            None => {
                let moved = before.moved(State::Accepted, actor, &now, None);
                let proposal = Some(moved.render(stamp.dialect));
                vec![("visibility", None), ("proposal", proposal), ("updated_at", text(&updated))]
            }
            Some(reason) => {
                let moved = before.moved(State::Rejected, actor, &now, Some(reason));
                let proposal = Some(moved.render(stamp.dialect));
                vec![
                    ("status", text("closed")),
                    ("closed_at", text(&now)),
                    ("close_reason", text(&format!("rejected: {reason}"))),
                    ("proposal", proposal),
                    ("updated_at", text(&updated)),
                ]
            }
        };
        Ok((Permit::Do, record.with(&edits, stamp.dialect)))
    }

    /// Brings planning copies in line with what became of their proposals, as far as the files here tell.
    pub fn reconcile(&mut self, dry_run: bool) -> Result<Vec<Reconciled>> {
        self.refuse_broken()?;
        let target = self.target_source(0)?;
        let actor = self.actor().to_owned();
        let mut done = Vec::new();
        for source in 0..self.sources.len() {
            if self.sources.member_of(source) == 0 {
                continue;
            }
            let mut ids = self.sources.ids_mentioning(source, "\"proposal\"");
            ids.extend(self.sources.ids_mentioning(target, "\"proposal\""));
            ids.sort();
            ids.dedup();
            ids.retain(|id| self.sources.line(source, id).is_some());
            if ids.is_empty() {
                continue;
            }
            let locks = if dry_run { Vec::new() } else { self.lock(&[target, source])? };
            self.sources.read(&mut self.cache)?;
            let (mut in_target, mut in_planning) = (Vec::new(), Vec::new());
            for id in &ids {
                let (Some(ours), theirs) = (self.sources.line(source, id), self.sources.line(target, id)) else {
                    continue;
                };
                if let Some(step) = self.settle(&ours, theirs.as_deref(), target, &actor) {
                    done.push(Reconciled { id: id.clone(), what: step.what });
                    in_target.extend(step.target.map(|line| (id.clone(), line)));
                    in_planning.extend(step.planning.map(|line| (id.clone(), line)));
                }
            }
            if !dry_run {
                let written = self.write_both(&locks, target, &in_target, HashMap::from([(source, in_planning)]))?;
                drop(locks);
                self.commit_ledgers(&written);
            }
        }
        Ok(done)
    }

    /// What one pair of copies needs.
    fn settle(&self, ours: &str, theirs: Option<&str>, target: usize, actor: &str) -> Option<Step> {
        let planning = Record::parse(ours).ok()?;
        let theirs = Record::parse(theirs?).ok()?;
        let stamp = self.stamp(actor, ours);
        let comment = self.host.entropy.comment_id();
        let own = Proposal::of(&planning);
        let proposal = Proposal::of(&theirs)?;
        let same = own.as_ref().is_some_and(|own| own.id == proposal.id);
        match (Visibility::of(&theirs), proposal.state, Visibility::of(&planning)) {
            (Visibility::Canonical, State::Accepted, _) => {
                if own.as_ref().is_some_and(|own| own.state == State::Accepted) {
                    return None;
                }
                if private_parts(&planning, &theirs).is_empty() {
                    return Some(Step::planning("accepted: the planning copy is retired", None));
                }
                let line = proposal::follow(&planning, &theirs, Visibility::Canonical, &proposal, stamp, comment);
                Some(Step::planning("accepted: the planning copy stays for its private parts", Some(line)))
            }
            (Visibility::Proposed, State::Rejected, Visibility::Proposed) if same => {
                let line = proposal::take_back(&planning, Some(&theirs), &proposal, stamp, comment);
                Some(Step::planning("rejected: the planning copy is private again", Some(line)))
            }
            (Visibility::Proposed, State::Open, Visibility::Local)
                if same && own.is_some_and(|own| own.state == State::Withdrawn) =>
            {
                Some(Step { what: "withdrawn: the line leaves the target".into(), target: Some(None), planning: None })
            }
            (Visibility::Proposed, State::Open, Visibility::Local | Visibility::Canonical) => {
                let line = proposal::follow(&planning, &theirs, Visibility::Proposed, &proposal, stamp, comment);
                Some(Step::planning("proposed: the planning copy is marked so", Some(line)))
            }
            (Visibility::Proposed, State::Open, Visibility::Proposed) if proposal::has_moved_on(&planning, &theirs) => {
                let line = proposal::follow(&planning, &theirs, Visibility::Proposed, &proposal, stamp, comment);
                Some(Step::planning("proposed: the target's edits are taken over", Some(line)))
            }
            (Visibility::Proposed, State::Open, Visibility::Proposed) if same => {
                let at = planning.string("updated_at")?;
                let visible = |other: &str| self.is_visible(target, other);
                let made = proposal::export(&planning, &proposal, &at, visible, stamp.dialect);
                let record = Record::parse(&made.line).ok()?;
                if same_public(&record, &theirs) {
                    return None;
                }
                let mark = proposal::follow(&planning, &record, Visibility::Proposed, &proposal, stamp, comment);
                let what = "proposed: edits go to the target".to_owned();
                Some(Step { what, target: Some(Some(made.line)), planning: Some(Some(mark)) })
            }
            _ => None,
        }
    }

    /// Every proposal that the files here tell of.
    pub fn proposals(&mut self) -> Result<Vec<ProposalRow>> {
        self.refresh()?;
        let mut rows: Vec<ProposalRow> = Vec::new();
        for source in 0..self.sources.len() {
            for id in self.sources.ids_mentioning(source, "\"proposal\"") {
                let Some(line) = self.sources.line(source, &id) else { continue };
                let Ok(record) = Record::parse(&line) else { continue };
                let Some(proposal) = Proposal::of(&record) else { continue };
                let member = self.sources.member_of(source);
                let name = self.name(member).to_owned();
                let known = rows.iter_mut().find(|row| row.id == id);
                match (known, member) {
                    (Some(row), _) => row.planning = Some(name),
                    (None, 0) => rows.push(ProposalRow {
                        title: Issue::decode(&record).title,
                        standing: Standing::of(Some(&record), None),
                        proposal,
                        planning: None,
                        branches: Vec::new(),
                        target: Some(name),
                        id,
                    }),
                    (None, _) => rows.push(ProposalRow {
                        title: Issue::decode(&record).title,
                        standing: Standing::of(None, Some(&record)),
                        proposal,
                        planning: Some(name),
                        branches: Vec::new(),
                        target: None,
                        id,
                    }),
                }
            }
        }
        if let Some(path) = self.ledger_path(0) {
            for row in &mut rows {
                row.branches = vcs::branches_holding(path, &row.proposal.id);
            }
        }
        Ok(rows)
    }

    fn refuse_broken(&self) -> Result<()> {
        self.settings.broken.first().map_or(Ok(()), |error| Err(error.clone().into()))
    }

    /// Refuses to make the primary grow by many issues at once, unless the caller knows how many (the accident of a bulk commit).
    pub fn refuse_growth(&self, repo: usize, grown: usize, count: Option<usize>) -> Result<()> {
        if repo == 0 && grown > MAX_GROWTH && count != Some(grown) {
            return Err(StoreError::TooMany { count: grown, repo: self.name(repo).to_owned() });
        }
        Ok(())
    }
}

/// What reconciling does to one pair: new lines, or `Some(None)` to take a line out.
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

/// What only the planning copy holds and somebody wrote: notes, comments, private dependencies, references, unknown fields.
pub fn private_parts(planning: &Record<'_>, target: &Record<'_>) -> Vec<String> {
    const PASSING: &[&str] = &[
        "assignee",
        "started_at",
        "estimated_minutes",
        "due_at",
        "defer_until",
        "status",
        "closed_at",
        "close_reason",
        "updated_at",
        "visibility",
        "proposal",
        "content_hash",
        "owner",
    ];
    let mut parts = Vec::new();
    for (key, raw) in planning.iter() {
        let nothing = matches!(raw, "null" | "\"\"" | "[]");
        if nothing || PASSING.contains(&key.as_ref()) || target.raw(&key).is_some_and(|theirs| theirs == raw) {
            continue;
        }
        match key.as_ref() {
            "dependencies" => {
                let known = issue::dependencies_of(target);
                let private = issue::dependencies_of(planning).into_iter();
                parts.extend(private.filter(|d| !known.iter().any(|k| k.target == d.target)).map(|d| d.target));
            }
            "notes" | "comments" => parts.push(key.into_owned()),
            // Shared fields: the target's version has come in, or will.
            _ if target.raw(&key).is_some() => {}
            "labels" | "description" | "design" | "acceptance_criteria" => {}
            _ => parts.push(key.into_owned()),
        }
    }
    parts
}

/// Two lines say the same to the public, whatever their times.
fn same_public(one: &Record<'_>, other: &Record<'_>) -> bool {
    let values = |record: &Record<'_>| -> Vec<(String, String)> {
        let timed = ["updated_at", "closed_at", "dependencies"];
        let kept = record
            .iter()
            .filter(|(key, raw)| !timed.contains(&key.as_ref()) && !matches!(*raw, "null" | "\"\"" | "[]"));
        let mut all: Vec<(String, String)> = kept.map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect();
        all.sort();
        all
    };
    let edges = |record: &Record<'_>| -> Vec<(String, String)> {
        let all = issue::dependencies_of(record).into_iter();
        let mut all: Vec<(String, String)> = all.map(|d| (d.target, d.kind.to_string())).collect();
        all.sort();
        all
    };
    values(one) == values(other) && edges(one) == edges(other)
}
