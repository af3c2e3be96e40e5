//! Listing proposals: those in the files here, and those on branches that were fetched and not merged yet.

use std::collections::{BTreeMap, HashMap};

use crate::model::issue::Issue;
use crate::model::proposal::{Proposal, Standing, State};
use crate::model::record::Record;
use crate::store::read::working_copies::WorkingCopy;
use crate::store::{Result, Snapshot, Warning};
use crate::vcs::{Archive, Tip, Version};

/// How many branches to examine, most recently changed first.
const MAX_BRANCHES: usize = 1_000;
/// How many distinct versions of the ledger to read from them.
const MAX_VERSIONS: usize = 200;

/// A proposal as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    pub id: String,
    pub title: String,
    pub standing: Standing,
    pub proposal: Proposal,
    /// The planning repo with a copy, if it belongs to this project.
    pub planning: Option<String>,
    /// The repo it is proposed to, if that repo's file has it here.
    pub target: Option<String>,
    /// The branches of the primary with the proposal; remote ones as last fetched.
    pub branches: Vec<String>,
    /// The line of a branch, if it is not in a file here; the one that changed last.
    pub line: Option<String>,
    /// How many different lines the branches have.
    pub versions: usize,
}

/// A line with a proposal, and the branches that have it.
struct OnBranches {
    line: String,
    names: Vec<String>,
    /// One of the branches is not merged into the current checkout.
    is_new: bool,
}

impl Snapshot {
    /// Every proposal in the files here and on fetched branches of the primary.
    pub fn proposals(&self) -> Result<Vec<ProposalRow>> {
        let mut rows: Vec<ProposalRow> = Vec::new();
        let is_plan = |source: &usize| self.is_planning(self.sources.member_of(*source));
        let (plans, targets): (Vec<usize>, Vec<usize>) = (0..self.sources.len()).partition(is_plan);
        for source in targets.into_iter().chain(plans) {
            for id in self.sources.ids_mentioning(source, "\"proposal\"") {
                let Some(line) = self.line_in(source, &id) else { continue };
                let Ok(record) = Record::parse(&line) else { continue };
                let Some(proposal) = Proposal::of(&record) else { continue };
                let member = self.sources.member_of(source);
                let name = self.name(member).to_owned();
                let known = rows.iter_mut().find(|row| row.id == id);
                match known {
                    Some(row) => {
                        let theirs = self.holders(&id).into_iter().find(|n| *n != source);
                        let theirs = theirs.and_then(|first| self.line_in(first, &id));
                        let theirs = theirs.as_deref().and_then(|line| Record::parse(line).ok());
                        match Standing::of(theirs.as_ref(), Some(&record)) {
                            // Rejected here before, and proposed again.
                            Standing::Elsewhere => {
                                (row.standing, row.proposal, row.target) = (Standing::Elsewhere, proposal, None);
                            }
                            // Decided upstream.
                            known if proposal.id == row.proposal.id && proposal.state != State::Open => {
                                (row.standing, row.proposal) = (known, proposal);
                            }
                            _ => {}
                        }
                        row.planning = Some(name);
                    }
                    None => {
                        let (title, branches) = (Issue::decode(&record).title, Vec::new());
                        let is_target = member == 0 || !self.is_planning(member) && proposal.synced.is_none();
                        let (standing, target, planning) = match is_target {
                            true => (Standing::of(Some(&record), None), Some(name), None),
                            false => (Standing::of(None, Some(&record)), None, Some(name)),
                        };
                        rows.push(ProposalRow {
                            id,
                            title,
                            standing,
                            proposal,
                            planning,
                            target,
                            branches,
                            line: None,
                            versions: 0,
                        });
                    }
                }
            }
        }
        for found in self.on_branches() {
            let Ok(record) = Record::parse(&found.line) else { continue };
            let (Some(id), Some(proposal)) = (record.string("id"), Proposal::of(&record)) else { continue };
            if let Some(row) = rows.iter_mut().find(|row| row.proposal.id == proposal.id) {
                let names: Vec<String> =
                    found.names.iter().filter(|name| !row.branches.contains(name)).cloned().collect();
                row.branches.extend(names);
                row.versions += 1;
                let updated = |line: &str| Record::parse(line).ok().and_then(|record| record.time("updated_at"));
                if row.line.as_ref().is_some_and(|known| updated(known) < updated(&found.line)) {
                    (row.title, row.line) = (Issue::decode(&record).title, Some(found.line.clone()));
                }
                continue;
            }
            // A later proposal of this issue has been decided here.
            let is_older = |row: &&ProposalRow| row.id == id && row.target.is_some() && row.proposal.at >= proposal.at;
            if rows.iter().any(|row| is_older(&row)) {
                continue;
            }
            // A proposal that was once merged and is no longer in the ledger has been decided.
            if !found.is_new || proposal.state != State::Open || Standing::of(Some(&record), None) != Standing::Proposed
            {
                continue;
            }
            let (id, title) = (id.into_owned(), Issue::decode(&record).title);
            let (standing, planning, target, branches) = (Standing::Elsewhere, None, None, found.names.clone());
            let line = Some(found.line.clone());
            rows.push(ProposalRow { id, title, standing, proposal, planning, target, branches, line, versions: 1 });
        }
        rows.iter_mut().for_each(|row| row.branches.sort());
        Ok(rows)
    }

    /// The proposals on branches of the primary. Unreadable ones are left out, with a warning.
    fn on_branches(&self) -> Vec<OnBranches> {
        let copies = self.working_copies(Some(0));
        let Some(copy) = copies.iter().find(|copy| copy.vcs.is_versioned() && copy.members.contains(&0)) else {
            return Vec::new();
        };
        let (found, is_cut) = match self.look_at_branches(copy) {
            Ok(found) => found,
            Err(error) => {
                self.notices.add(Warning::Branches { message: error.to_string() });
                return Vec::new();
            }
        };
        if is_cut {
            let message =
                format!("only the {MAX_BRANCHES} that changed last were looked at, and {MAX_VERSIONS} ledgers on them");
            self.notices.add(Warning::Branches { message });
        }
        found
    }

    /// The proposals on branches, and whether limits left some out.
    fn look_at_branches(&self, copy: &WorkingCopy) -> Result<(Vec<OnBranches>, bool)> {
        let places = copy.sources.iter().zip(&copy.ledgers);
        let file = places.filter(|(source, _)| self.sources.member_of(**source) == 0).map(|(_, file)| file).next();
        let Some(file) = file else { return Ok((Vec::new(), false)) };
        let tips = copy.vcs.tips(MAX_BRANCHES, &self.host.env)?;
        let mut is_cut = tips.is_cut;
        self.with_archive(copy, |archive| {
            // Many branches have the same ledger.
            let mut versions: Vec<(Version, Vec<&Tip>)> = Vec::new();
            let mut known: HashMap<Version, usize> = HashMap::new();
            for tip in &tips.all {
                // Skip a commit that a partial clone lacks.
                let Ok(Some(version)) = archive.version(file, &tip.commit) else { continue };
                match known.get(&version) {
                    Some(n) => versions[*n].1.push(tip),
                    None if versions.len() == MAX_VERSIONS => is_cut = true,
                    None => {
                        known.insert(version.clone(), versions.len());
                        versions.push((version, vec![tip]));
                    }
                }
            }
            let texts: Vec<Version> = versions.iter().map(|(version, _)| version.clone()).collect();
            let lines = proposing(archive, &texts);
            let mut found: BTreeMap<String, OnBranches> = BTreeMap::new();
            for ((_, tips), lines) in versions.iter().zip(lines) {
                for line in lines.into_iter().filter_map(|line| String::from_utf8(line).ok()) {
                    let text = line.trim_end().to_owned();
                    let one = found.entry(text.clone()).or_insert(OnBranches {
                        line: text,
                        names: Vec::new(),
                        is_new: false,
                    });
                    one.names.extend(tips.iter().map(|tip| tip.name.clone()));
                    one.is_new |= tips.iter().any(|tip| !tip.is_merged);
                }
            }
            Ok((found.into_values().collect(), is_cut))
        })
    }
}

/// For each version, the lines that may contain a proposal; none for an unreadable version.
fn proposing(archive: &mut dyn Archive, versions: &[Version]) -> Vec<Vec<Vec<u8>>> {
    const WANTED: &[u8] = b"\"proposal\"";
    let one = |archive: &mut dyn Archive, version: &Version| {
        let found = archive.lines_with(std::slice::from_ref(version), WANTED).ok();
        found.and_then(|found| found.into_iter().next()).unwrap_or_default()
    };
    archive
        .lines_with(versions, WANTED)
        .unwrap_or_else(|_| versions.iter().map(|version| one(archive, version)).collect())
}
