//! Withdrawing proposals, and deciding about them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::each_once;
use crate::model::change::mirror;
use crate::model::dependency::Dependency;
use crate::model::id::IssueId;
use crate::model::proposal::{Include, Joining, Move, Permit, Proposal, Standing, State, Visibility, permit};
use crate::model::record::Record;
use crate::model::row::Row;
use crate::model::{proposal, time};
use crate::store::{Access, Result, Snapshot, Store, StoreError};

impl Snapshot {
    /// The repo whose maintainers decide about a proposal: the one that has its line, and otherwise the primary.
    fn decides(&self, id: &str) -> usize {
        let holders = self.holders(id).into_iter().map(|source| (source, self.sources.member_of(source)));
        let mut targets = holders.filter(|(_, member)| !self.is_planning(*member));
        let is_proposed = |source: usize| {
            let line = self.line_in(source, id).unwrap_or_default();
            Record::parse(&line).is_ok_and(|record| Proposal::of(&record).is_some_and(|one| one.synced.is_none()))
        };
        targets.find(|(source, member)| *member == 0 || is_proposed(*source)).map_or(0, |(_, member)| member)
    }

    /// The lines of other open proposals in the target, without dependencies on an issue that becomes private.
    fn without_edges_to(&self, id: &str, target: usize) -> Vec<(String, Option<String>)> {
        let mut lines = Vec::new();
        for other in self.sources.ids_mentioning(target, id).into_iter().filter(|other| other != id) {
            let Some(line) = self.line_in(target, &other) else { continue };
            let Ok(record) = Record::parse(&line) else { continue };
            let edges = record.elements("dependencies");
            let keeps = |raw: &&str| Dependency::decode(raw).is_none_or(|dependency| dependency.target != id);
            let kept: Vec<&str> = edges.iter().copied().filter(keeps).collect();
            if Visibility::of(&record) != Visibility::Proposed || kept.len() == edges.len() {
                continue;
            }
            let dialect = self.stamp("", &line).dialect;
            let list = (!kept.is_empty()).then(|| dialect.array(kept));
            lines.push((other, Some(record.with(&[("dependencies", list)], dialect))));
        }
        lines
    }

    /// The line after a decision. A proposal that is not in the target's file may be on a branch that is not merged.
    fn decided(
        &self,
        id: &str,
        target: usize,
        actor: &str,
        reason: Option<&str>,
        on_branch: Option<&str>,
    ) -> Result<(Permit, String)> {
        let wanted = if reason.is_some() { Move::Reject } else { Move::Accept };
        self.refuse_plan(id, target, wanted)?;
        let copies = self.copies_of(id, target);
        // One that was rejected here before may be proposed again on a branch.
        let is_over = |line: &str| Record::parse(line).is_ok_and(|record| proposal::is_turned_down(&record));
        let own_line = copies.target.as_deref().filter(|line| on_branch.is_none() || !is_over(line));
        let taken =
            on_branch.filter(|_| own_line.is_none()).map(|line| self.public_line(id, line, target)).transpose()?;
        let theirs = own_line.or(taken.as_deref());
        let line = theirs.unwrap_or_default().to_owned();
        let record = theirs.and_then(|line| Record::parse(line).ok());
        let planning = copies.planning.as_ref().and_then(|(_, line)| Record::parse(line).ok());
        let granted = permit(id, Standing::of(record.as_ref(), planning.as_ref()), wanted)?;
        let Some(theirs) = record.filter(|_| granted == Permit::Do) else { return Ok((granted, line)) };
        if let Some(word) = reason.and_then(|reason| self.private_word(id, reason, &HashSet::new())) {
            return Err(StoreError::PrivateMention { id: id.to_owned(), target: word });
        }
        // A maintainer who also has the planning copy: edits there are part of what is accepted.
        let is_same = |own: &&Record<'_>| {
            let [own, theirs] = [*own, &theirs].map(|record| Proposal::of(record).map(|proposal| proposal.id));
            own.is_some() && own == theirs
        };
        let own = planning.as_ref().filter(is_same).filter(|_| wanted == Move::Accept);
        let joined = own.and_then(|own| self.joined(own, &theirs, target, Joining::Both, &HashSet::new()));
        let line = joined.and_then(|joined| joined.target).unwrap_or(line);
        let record = Record::parse(&line).map_err(|_| StoreError::NotFound { typed: id.to_owned() })?;
        let stamp = self.stamp(actor, &line);
        let now = stamp.now.to_string();
        let text = |text: &str| Some(stamp.dialect.string(text));
        let before = Proposal::of(&record).unwrap_or_else(|| self.fresh_proposal(actor, "", Include::default(), &now));
        let previous = record.time("updated_at");
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
}

impl Snapshot {
    /// The public part of a line that somebody wrote on a branch.
    fn public_line(&self, id: &str, line: &str, target: usize) -> Result<String> {
        IssueId::chosen(id)?;
        let missing = || StoreError::NotFound { typed: id.to_owned() };
        let record = Record::parse(line).map_err(|_| missing())?;
        let theirs = Proposal::of(&record).ok_or_else(missing)?;
        let at = record.string("updated_at").map(|at| at.into_owned()).unwrap_or_default();
        let visible = |other: &str| other != id && self.is_visible(target, other);
        let plain = Proposal { include: Vec::new(), ..theirs };
        Ok(proposal::export(&record, &plain, &at, visible, self.stamp("", line).dialect).line)
    }
}

impl Store {
    /// Withdraws a proposal: saves the latest text in the planning copy, then removes the line from the target.
    pub fn withdraw(&mut self, ids: &[String], repo: Option<usize>) -> Result<Vec<(String, Result<Permit>)>> {
        self.refuse_broken()?;
        let actor = self.actor().to_owned();
        let mut results = Vec::new();
        for id in &each_once(ids) {
            self.target_source(0)?;
            let repo = repo.unwrap_or_else(|| self.destination_of(id));
            let (target, prefix) = (self.target_source(repo)?, self.prefix(repo)?);
            let result = self.withdraw_one(id, target, repo, &actor, &prefix);
            results.push((id.clone(), result));
        }
        Ok(results)
    }

    fn withdraw_one(&mut self, id: &str, target: usize, repo: usize, actor: &str, prefix: &str) -> Result<Permit> {
        let planned = self.copies_of(id, target).planning.map(|(n, _)| n);
        let Some(source) = planned else {
            self.refuse_plan(id, target, Move::Withdraw)?;
            let copies = self.copies_of(id, target);
            let record = copies.target.as_deref().and_then(|line| Record::parse(line).ok());
            if let Some(record) = record {
                permit(id, Standing::of(Some(&record), None), Move::Withdraw)?;
            }
            return Err(StoreError::NoPlanningCopy { id: id.to_owned(), what: "withdrawn" });
        };
        let locks = self.lock(&[target, source])?;
        self.read_again()?;
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
        let elsewhere = self.refuse_other_project(id, &planning, repo).is_err();
        if let Some(own) = own
            .as_ref()
            .filter(|own| own.state == State::Open && (!self.is_bound_for(id, &planning, own, repo) || elsewhere))
        {
            return Err(StoreError::OtherTarget { id: id.to_owned(), target: own.target.clone() });
        }
        let theirs = target_record.as_ref().and_then(Proposal::of);
        let is_ours = theirs
            .as_ref()
            .is_some_and(|theirs| own.as_ref().is_some_and(|own| own.id == theirs.id) || theirs.author == actor);
        if theirs.is_some() && !is_ours {
            let (what, repo) = (id.to_owned(), prefix.to_owned());
            return Err(StoreError::ReadOnly {
                what,
                repo,
                reason: "the proposal there is somebody else's".to_owned(),
            });
        }
        self.refuse_conflicts(target)?;
        self.refuse_conflicts(source)?;
        // The line of another proposal, on an old branch or by a stranger, says nothing about this one.
        let same = own.as_ref().map(|own| &own.id) == theirs.as_ref().map(|theirs| &theirs.id);
        let theirs_line = target_record.as_ref().filter(|_| same);
        let withdrawn =
            own.as_ref().is_some_and(|p| p.state == State::Withdrawn && theirs.as_ref().is_some_and(|t| t.id == p.id))
                && Visibility::of(&planning) == Visibility::Local;
        let mut written = Vec::new();
        let lock_of = |n: usize| locks.iter().find(|(locked, _)| *locked == n).map(|(_, lock)| lock);
        let mut leaving = vec![(id.to_owned(), None)];
        leaving.extend(self.without_edges_to(id, target));
        // A proposal that the maintainers rejected stays as they left it.
        let is_standing = target_record.as_ref().is_some_and(|record| !proposal::is_turned_down(record));
        let leaves = lock_of(target).filter(|_| is_standing);
        if let Some(lock) = leaves {
            self.may_put_lines(lock, &leaving)?;
        }
        if let (false, Some(proposal), Some(lock)) = (withdrawn, own, lock_of(source)) {
            let moved = proposal.moved(State::Withdrawn, actor, &stamp.now.to_string(), None);
            let comment = self.host.entropy.comment_id();
            let joined = theirs_line
                .and_then(|theirs| self.joined(&planning, theirs, target, Joining::Withdrawn, &HashSet::new()));
            let line = mirror::take_back(&planning, theirs_line, joined.as_ref(), &moved, stamp, comment);
            let lines = vec![(id.to_owned(), Some(line))];
            if self.put_lines(lock, &lines)? {
                written.push((source, self.record_of(source, &lines)));
            }
        }
        if let Some(lock) = leaves
            && self.put_lines(lock, &leaving)?
        {
            written.push((target, self.record_of(target, &leaving)));
        }
        drop(locks);
        self.commit_ledgers(&written);
        Ok(Permit::Do)
    }

    /// A maintainer's decision about proposals: accept, or reject for a reason. The lines are those of proposals on
    /// branches, by id.
    pub fn decide(
        &mut self,
        ids: &[String],
        reason: Option<&str>,
        on_branches: &HashMap<String, String>,
    ) -> Result<Vec<(String, Result<Permit>)>> {
        self.refuse_broken()?;
        self.target_source(0)?;
        let ids = each_once(ids);
        let mut of_repos: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for id in &ids {
            of_repos.entry(self.decides(id)).or_default().push(id.clone());
        }
        let mut results = Vec::new();
        for (repo, ids) in of_repos {
            results.extend(self.decide_in(repo, &ids, reason, on_branches)?);
        }
        results.sort_by_key(|(id, _)| ids.iter().position(|known| known == id));
        Ok(results)
    }

    fn decide_in(
        &mut self,
        repo: usize,
        ids: &[String],
        reason: Option<&str>,
        on_branches: &HashMap<String, String>,
    ) -> Result<Vec<(String, Result<Permit>)>> {
        if let Access::Read(because) = self.access(repo)? {
            return Err(StoreError::NotMaintainer { reason: because });
        }
        let target = self.target_source(repo)?;
        let actor = self.actor().to_owned();
        let locks = self.lock(&[target])?;
        self.read_again()?;
        let mut results = Vec::new();
        let mut lines = Vec::new();
        for id in ids {
            let made = self.decided(id, target, &actor, reason, on_branches.get(id).map(String::as_str));
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
}
