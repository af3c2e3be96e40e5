//! Putting issues before the maintainers of a target.

use std::collections::{HashMap, HashSet};

use super::{Copies, each_once, is_leftover};
use crate::model::change::ChangeError;
use crate::model::issue;
use crate::model::proposal::{
    self, Export, HeldBack, Include, Move, Permit, Proposal, Standing, State, Visibility, permit,
};
use crate::model::record::Record;
use crate::model::time::{self, Instant};
use crate::store::leases::Locks;
use crate::store::{Result, Store, StoreError};

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

impl Store {
    /// Puts issues before the maintainers of a target: writes their public part into its ledger, then marks the planning
    /// copies.
    pub fn propose(&mut self, request: &ProposeRequest) -> Result<Vec<(String, Result<Proposed>)>> {
        self.refuse_broken()?;
        let target = self.target_source(request.target)?;
        let actor = self.actor().to_owned();
        let prefix = self.prefix(request.target)?;
        let named = each_once(&request.ids);
        let ids = if request.with_deps { self.closure(&named, target) } else { named };
        let mut sources = vec![target];
        sources.extend(ids.iter().filter_map(|id| self.copies_of(id, target).planning.map(|(n, _)| n)));
        sources.sort_unstable();
        sources.dedup();
        let locks = if request.dry_run { Locks::none() } else { self.lock(&sources)? };
        self.sources.read(&mut self.cache)?;
        // What goes along in this very move; dependencies come first, so that one which is refused is not counted on.
        let mut chosen: HashSet<&str> = HashSet::new();
        let mut results: Vec<(String, Result<Proposed>)> = Vec::new();
        let mut arriving = Vec::new();
        let mut marks: HashMap<usize, Vec<(String, Option<String>)>> = HashMap::new();
        let mut grown = 0;
        for id in &ids {
            let copies = self.copies_of(id, target);
            let made = self.proposed(id, &copies, target, request.include, &actor, &prefix, &chosen);
            if let Ok((one, source, mark)) = &made {
                chosen.insert(id);
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
        if issue::status_of(&planning).is_tombstone() {
            return Err(ChangeError::Deleted(id.to_owned()).into());
        }
        let own = open(&planning).filter(|_| Visibility::of(&planning) == Visibility::Proposed);
        if let Some(own) = own.as_ref().filter(|own| own.target != prefix) {
            return Err(StoreError::OtherTarget { id: id.to_owned(), target: own.target.clone() });
        }
        let theirs = target_record.as_ref().and_then(open);
        if let Some(theirs) = theirs.as_ref().filter(|theirs| theirs.author != actor && own.is_none()) {
            let reason = format!("there is a proposal of {} under this id", theirs.author);
            return Err(StoreError::ReadOnly { what: id.to_owned(), repo: prefix.to_owned(), reason });
        }
        // An open proposal of one's own goes on; one that a crash left in the target is taken up. What is included is for the
        // planning copy and this command to say, never for the target's line.
        let left = theirs.filter(|theirs| own.is_none() && is_leftover(&planning, theirs));
        let left = left.map(|left| Proposal { include: include.words(), ..left });
        let known = if standing == Standing::Rejected { None } else { own.or(left) };
        let proposal = known.unwrap_or_else(|| self.fresh_proposal(actor, prefix, include, &at));
        let updated = |record: &Record<'_>| record.string("updated_at").and_then(|text| Instant::parse(&text));
        let visible = |other: &str| chosen.contains(other) || self.is_visible(target, other);
        let stand = time::after(updated(&planning), stamp.now).to_string();
        let Export { line, held_back } = proposal::export(&planning, &proposal, &stand, visible, stamp.dialect);
        // What the maintainers did to it stays: a target's copy that moved on is taken over, not overwritten. One that was left
        // by a crash is as late as the plan it was made from.
        let line = match (&copies.target, &target_record) {
            (Some(text), Some(record)) => {
                let made = Record::parse(&line).expect("an exported line is a record");
                let same_proposal = Proposal::of(record).is_some_and(|theirs| theirs.id == proposal.id);
                let moved_on = match open(&planning) {
                    Some(_) => proposal::has_moved_on(&planning, record),
                    None => updated(record) >= updated(&planning),
                };
                let mut edits = proposal::public_edits(record, &made, stamp.dialect);
                if same_proposal && (moved_on || edits.is_empty()) {
                    text.clone()
                } else {
                    // Whatever else stands in the line was written by others, and stays.
                    edits.extend(
                        ["visibility", "proposal", "updated_at"].map(|key| (key, made.raw(key).map(str::to_owned))),
                    );
                    if standing == Standing::Rejected {
                        edits.push(("close_reason", None));
                    }
                    record.with(&edits, stamp.dialect)
                }
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
}
