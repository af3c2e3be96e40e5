//! Proposing issues to a target.

use std::collections::{HashMap, HashSet};

use super::pair::NewLine;
use super::{Copies, each_once};
use crate::model::change::{ChangeError, mirror};
use crate::model::proposal::{
    Export, HeldBack, Include, Joining, Move, Names, Owner, PROJECT, Permit, Proposal, Standing, State, Visibility,
    permit,
};
use crate::model::record::Record;
use crate::model::row::Row;
use crate::model::{id, issue, proposal, time};
use crate::store::project::planning_repo;
use crate::store::write::Locks;
use crate::store::{Result, Snapshot, Store, StoreError};

/// What to propose, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProposeRequest {
    pub ids: Vec<String>,
    /// The repo that receives them.
    pub target: usize,
    /// Also propose their dependencies, as far as the target cannot see them.
    pub with_deps: bool,
    pub include: Include,
    pub dry_run: bool,
    /// How many issues may be added at once, if more than usual.
    pub count: Option<usize>,
    /// Also propose issues that were filed for another project; they then belong to this one.
    pub adopt: bool,
    /// Allow committing a ledger that this user has kept out of commits.
    pub start_ledger: bool,
}

/// An issue that was proposed, or in a dry run would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub id: String,
    /// Its former id in the planning repo.
    pub former_id: Option<String>,
    /// The line in the target.
    pub line: String,
    pub held_back: Vec<HeldBack>,
    /// It was already proposed; anything missing was added.
    pub already: bool,
    /// The target already has exactly this line.
    pub unchanged: bool,
    pub source_repo: String,
    pub target: String,
}

impl Proposed {
    /// The same for a dry run. New ids are minted when issues are renamed, so they are unknown yet: the line has
    /// placeholders, and everything else the current id.
    fn before_renaming(mut self, names: &Names) -> Self {
        for (n, (old, new)) in names.iter().enumerate() {
            let prefix = id::prefix_of(new).unwrap_or_default();
            let stand_in = if n == 0 { format!("{prefix}-(new)") } else { format!("{prefix}-(new {})", n + 1) };
            self.line = self.line.replace(new, &stand_in);
            self.held_back.iter_mut().for_each(|held| held.what = held.what.replace(new, old));
        }
        self.id = self.former_id.clone().unwrap_or(self.id);
        self
    }
}

/// The planned result of a proposal.
#[derive(Default)]
struct Draft {
    results: Vec<(String, Result<Proposed>)>,
    /// Lines for the target.
    arriving: Vec<NewLine>,
    /// Planning copies that record a new proposal.
    first: HashMap<usize, Vec<NewLine>>,
    /// Planning copies that take over the target's current state.
    last: HashMap<usize, Vec<NewLine>>,
    /// How many issues are new in the target.
    grown: usize,
}

/// The author and the target of a proposal.
struct Proposer<'a> {
    actor: &'a str,
    /// The target's ledger, its repo and its prefix.
    target: usize,
    repo: usize,
    prefix: &'a str,
    include: Include,
    adopt: bool,
    /// New ids that are not in the ledger yet.
    names: Names,
}

impl Snapshot {
    /// A ledger kept out of commits would not carry the proposal to anyone: refuses that, or changes it on request.
    fn refuse_uncommitted_ledger(&self, target: usize, request: &ProposeRequest) -> Result<()> {
        let beads = self.repos.members[request.target].repo.beads();
        match planning_repo::kept_out_by(beads) {
            Some(_) if request.start_ledger && request.dry_run => Ok(()),
            Some(_) if request.start_ledger => planning_repo::let_into_commits(beads),
            Some(by) => {
                let path = self.sources.ledger(target).path().to_owned();
                Err(StoreError::UncommittedLedger { path, by })
            }
            None => Ok(()),
        }
    }

    /// The result of proposing these issues. With `owner`, the planning copies get the record of the project.
    fn draft(&self, ids: &[String], proposer: &Proposer<'_>, owner: Option<&Owner>) -> Result<Draft> {
        let new = |id: &String| proposer.names.get(id).unwrap_or(id).clone();
        let mut batch: HashSet<String> = ids.iter().map(new).collect();
        // A text may name issues proposed together with it, but not refused ones: repeat until stable.
        loop {
            let draft = self.draft_batch(ids, proposer, owner, &batch)?;
            let fine = draft.results.iter().filter(|(_, one)| one.is_ok()).map(|(id, _)| new(id)).collect();
            if batch == fine {
                return Ok(draft);
            }
            batch = fine;
        }
    }

    fn draft_batch(
        &self,
        ids: &[String],
        proposer: &Proposer<'_>,
        owner: Option<&Owner>,
        batch: &HashSet<String>,
    ) -> Result<Draft> {
        let mut draft = Draft::default();
        // The issues proposed so far; dependencies come first, so that a refused one is not counted on.
        let mut chosen: HashSet<String> = HashSet::new();
        for id in ids {
            let mut copies = self.copies_of(id, proposer.target);
            let new = proposer.names.get(id).unwrap_or(id);
            if let Some((_, line)) = &mut copies.planning {
                *line = proposal::renamed(line, &proposer.names).unwrap_or_else(|| line.clone());
            }
            // Report errors with the issue's current id.
            let made = self.proposed(id, &copies, proposer, owner, (&chosen, batch)).and_then(|made| {
                let is_new = copies.target.as_ref() != Some(&made.0.line);
                let private = || {
                    let named = self.private_in(id, &made.0.line, |other| batch.contains(other));
                    named.or_else(|| left_behind(id, &made.0.line, &proposer.names, batch))
                };
                if is_new { private().map_or(Ok(made), Err) } else { Ok(made) }
            });
            let made = made.map(|(one, source, mark, is_new)| {
                let unchanged = copies.target.as_ref() == Some(&one.line);
                (Proposed { id: new.clone(), unchanged, ..one }, source, mark, is_new)
            });
            if let Ok((one, source, mark, is_new)) = &made {
                chosen.insert(new.clone());
                if copies.target.is_none() {
                    draft.grown += 1;
                }
                if copies.target.as_ref() != Some(&one.line) {
                    draft.arriving.push((new.clone(), Some(one.line.clone())));
                }
                let marks = if *is_new { &mut draft.first } else { &mut draft.last };
                marks.entry(*source).or_default().push((new.clone(), Some(mark.clone())));
            }
            let (target, former_id) = (self.name(proposer.repo).to_owned(), (new != id).then(|| id.clone()));
            draft.results.push((id.clone(), made.map(|(one, ..)| Proposed { target, former_id, ..one })));
        }
        Ok(draft)
    }

    /// The line for the target, the mark for the planning copy, and whether that records a new proposal.
    fn proposed(
        &self,
        id: &str,
        copies: &Copies,
        proposer: &Proposer<'_>,
        owner: Option<&Owner>,
        (chosen, batch): (&HashSet<String>, &HashSet<String>),
    ) -> Result<(Proposed, usize, String, bool)> {
        let Proposer { actor, target, prefix, include, .. } = *proposer;
        if copies.planning.is_none() {
            self.refuse_plan(id, target, Move::Propose)?;
        }
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
        let elsewhere = self.refuse_other_project(id, &planning, proposer.repo);
        if let Some(own) =
            own.as_ref().filter(|own| !self.is_bound_for(id, &planning, own, proposer.repo) || elsewhere.is_err())
        {
            return Err(StoreError::OtherTarget { id: id.to_owned(), target: own.target.clone() });
        }
        if !proposer.adopt {
            elsewhere?;
        }
        let theirs = target_record.as_ref().and_then(open);
        if let Some(theirs) = theirs.as_ref().filter(|theirs| theirs.author != actor && own.is_none()) {
            let reason = format!("there is a proposal of {} under this id", theirs.author);
            return Err(StoreError::ReadOnly { what: id.to_owned(), repo: prefix.to_owned(), reason });
        }
        // The author's own open proposal continues. One that only the target's line claims does not count: anyone can
        // have written it.
        let known = if standing == Standing::Rejected { None } else { own };
        let is_new = known.is_none();
        let proposal = known.unwrap_or_else(|| self.fresh_proposal(actor, prefix, include, &at));
        let visible = |other: &str| chosen.contains(other) || self.is_visible(target, other);
        let stand = time::after(planning.time("updated_at"), stamp.now).to_string();
        let Export { line, held_back } = proposal::export(&planning, &proposal, &stand, visible, stamp.dialect);
        let of_same = |record: &&Record<'_>| Proposal::of(record).is_some_and(|theirs| theirs.id == proposal.id);
        let theirs = target_record.as_ref().filter(of_same);
        let joined = theirs.and_then(|theirs| self.joined(&planning, theirs, target, Joining::Both, batch));
        if joined.as_ref().is_some_and(|joined| !joined.held.is_empty())
            && let Some(word) = self.private_word(id, &line, batch)
        {
            return Err(StoreError::PrivateMention { id: id.to_owned(), target: word });
        }
        // Keep the maintainers' edits: a target's copy that has changed is taken over, not overwritten.
        let line = match (&copies.target, &target_record) {
            (Some(text), Some(_)) if joined.is_some() => {
                joined.as_ref().and_then(|joined| joined.target.clone()).unwrap_or_else(|| text.clone())
            }
            (Some(text), Some(record)) => {
                let made = Record::parse(&line).expect("an exported line is a record");
                let mut edits = mirror::public_edits(record, &made, stamp.dialect);
                if theirs.is_some() && (mirror::has_moved_on(&planning, record) || edits.is_empty()) {
                    text.clone()
                } else {
                    // Everything else in the line was written by others, and stays.
                    edits.extend(
                        ["visibility", "proposal", "updated_at"].map(|key| (key, made.raw(key).map(str::to_owned))),
                    );
                    if proposal::is_turned_down(record) {
                        let of_the_end = ["close_reason", "deleted_at", "deleted_by", "delete_reason", "original_type"];
                        edits.extend(of_the_end.map(|key| (key, None)));
                    }
                    record.with(&edits, stamp.dialect)
                }
            }
            _ => line,
        };
        let target_line = Record::parse(&line).expect("an exported line is a record");
        let is_alike = joined.as_ref().is_none_or(|joined| joined.planning == *planning_line);
        let in_step = !is_new && is_alike && !mirror::has_moved_on(&planning, &target_line);
        let mark = match &joined {
            _ if in_step => planning_line.clone(),
            Some(joined) => mirror::in_step(&joined.planning, &target_line, Visibility::Proposed, &proposal, stamp),
            None => {
                let comment = self.host.entropy.comment_id();
                mirror::follow(&planning, &target_line, Visibility::Proposed, &proposal, stamp, comment)
            }
        };
        let mark = match owner {
            // An issue that is proposed to a repo beside the project still belongs to the project.
            Some(_) if proposer.repo != 0 && !proposer.adopt && Owner::of_line(&mark).is_some() => mark,
            Some(owner) if Owner::of_line(&mark).as_ref() != Some(owner) => {
                let record = Record::parse(&mark).expect("a planning line is a record");
                record.with(&[(PROJECT, Some(owner.render(stamp.dialect)))], stamp.dialect)
            }
            _ => mark,
        };
        let source_repo = self.name(self.sources.member_of(*source)).to_owned();
        let already = permit == Permit::Already && !is_new;
        let one = Proposed {
            id: id.to_owned(),
            former_id: None,
            line,
            held_back,
            already,
            unchanged: false,
            source_repo,
            target: String::new(),
        };
        Ok((one, *source, mark, is_new))
    }

    /// A proposal goes to this repo. If no repo has its prefix and the planning copy names the project, that has another
    /// prefix now.
    pub(super) fn is_bound_for(&self, id: &str, planning: &Record<'_>, own: &Proposal, repo: usize) -> bool {
        match self.destination(id, own) {
            Some(found) => found == repo,
            None => repo == 0 && Owner::of(planning).is_some(),
        }
    }

    /// Dependencies of issues that the target cannot see, dependencies first.
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

impl Store {
    /// Proposes issues to a target: records the proposal in the planning copies, then writes their public part into its
    /// ledger.
    pub fn propose(&mut self, request: &ProposeRequest) -> Result<Vec<(String, Result<Proposed>)>> {
        self.refuse_broken()?;
        let target = self.target_source(request.target)?;
        self.refuse_uncommitted_ledger(target, request)?;
        let actor = self.actor().to_owned();
        let prefix = self.prefix(request.target)?;
        let named = each_once(&request.ids);
        let ids = if request.with_deps { self.closure(&named, target) } else { named };
        let names = self.new_names(&ids, target, request.target)?;
        let (repo, include, adopt) = (request.target, request.include, request.adopt);
        let mut proposer = Proposer { actor: &actor, target, repo, prefix: &prefix, include, adopt, names };
        // First a complete dry run: a refused issue must not have been renamed.
        let draft = self.draft(&ids, &proposer, None)?;
        self.refuse_growth(request.target, draft.grown, request.count)?;
        if request.dry_run {
            let results = draft.results.into_iter();
            return Ok(results.map(|(id, one)| (id, one.map(|one| one.before_renaming(&proposer.names)))).collect());
        }
        let fine: HashSet<&String> = draft.results.iter().filter(|(_, one)| one.is_ok()).map(|(id, _)| id).collect();
        let names = std::mem::take(&mut proposer.names);
        let used: Names = names.into_iter().filter(|(old, _)| fine.contains(old)).collect();
        self.rename_planned(&used)?;
        let owner = self.owner_record(request.target)?;
        let renamed: Vec<String> = ids.iter().map(|id| used.get(id).unwrap_or(id).clone()).collect();
        let mut sources = vec![target];
        sources.extend(renamed.iter().filter_map(|id| self.copies_of(id, target).planning.map(|(n, _)| n)));
        let locks = self.lock(&sources).map_err(|error| self.partly(error))?;
        self.read_ledgers().map_err(|error| self.partly(error))?;
        let draft = self.draft(&renamed, &proposer, Some(&owner))?;
        self.refuse_growth(request.target, draft.grown, request.count)?;
        let written = self.write_both(&locks, target, draft.first, &draft.arriving, draft.last)?;
        drop::<Locks>(locks);
        self.commit_ledgers(&written);
        let former = |new: &str| used.iter().find(|(_, known)| *known == new).map(|(old, _)| old.clone());
        let results = draft.results.into_iter().map(|(id, one)| {
            let former_id = former(&id);
            (former_id.clone().unwrap_or(id), one.map(|one| Proposed { former_id, ..one }))
        });
        Ok(results.collect())
    }
}

/// The line of an issue names the new id of one that is not proposed after all.
fn left_behind(id: &str, line: &str, names: &Names, batch: &HashSet<String>) -> Option<StoreError> {
    let mentioned = proposal::mentions(&Record::parse(line).ok()?);
    let mut stays = names.iter().filter(|(_, new)| !batch.contains(*new) && mentioned.contains(new));
    stays.next().map(|(old, _)| StoreError::PrivateMention { id: id.to_owned(), target: old.clone() })
}
