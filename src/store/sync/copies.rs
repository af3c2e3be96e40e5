//! The working copies of a project: several ledgers may share one, and are committed and exchanged together.

use std::path::PathBuf;

use super::super::{Access, RepoProblem, Result, Store, StoreError, place};
use crate::ledger::MAX_LEDGER;
use crate::sys::below;
use crate::vcs::{self, Kind, Span, Vcs};

pub struct WorkingCopy {
    pub kind: Kind,
    /// Without links, as the paths of its ledgers.
    pub root: PathBuf,
    pub members: Vec<usize>,
    pub sources: Vec<usize>,
    /// As seen from the root.
    pub ledgers: Vec<PathBuf>,
}

impl Store {
    /// The working copies that hold the ledgers of the project, or of one of its repos; the primary's first.
    pub(in crate::store) fn working_copies(&self, only: Option<usize>) -> Vec<WorkingCopy> {
        let mut copies: Vec<WorkingCopy> = Vec::new();
        for source in 0..self.sources.len() {
            let member = self.sources.member_of(source);
            let ledger = place::real(self.sources.ledger(source).path());
            let found = vcs::open(&ledger);
            let root = match found.kind() {
                Kind::None => self.project.members[member].repo.root().to_owned(),
                _ => place::real(found.root()),
            };
            let inside = ledger.strip_prefix(&root).map_or_else(|_| ledger.clone(), |path| path.to_owned());
            match copies.iter_mut().find(|copy| copy.root == root) {
                Some(copy) => {
                    copy.sources.push(source);
                    copy.ledgers.push(inside);
                    if !copy.members.contains(&member) {
                        copy.members.push(member);
                    }
                }
                None => copies.push(WorkingCopy {
                    kind: found.kind(),
                    root,
                    members: vec![member],
                    sources: vec![source],
                    ledgers: vec![inside],
                }),
            }
        }
        copies.retain(|copy| only.is_none_or(|only| copy.members.contains(&only)));
        copies
    }

    /// Whether this user's commits belong there: anywhere but in the primary's working copy of a contributor.
    pub(super) fn owns(&mut self, copy: &WorkingCopy) -> Result<bool> {
        Ok(!copy.members.contains(&0) || self.access(0)? == Access::Write)
    }

    /// Whether private issues could get into a working copy: the primary's, in a project that joins others.
    fn is_guarded(&self, copy: &WorkingCopy) -> bool {
        copy.members.contains(&0) && (self.project.members.len() > 1 || self.unseen().is_some())
    }

    /// A repo that the settings join and that is not there to be looked at.
    fn unseen(&self) -> Option<&RepoProblem> {
        let is_away = |problem: &&RepoProblem| {
            matches!(problem, RepoProblem::Missing { .. } | RepoProblem::NoRepo { .. } | RepoProblem::Unusable { .. })
        };
        self.project.problems.iter().find(is_away)
    }

    /// What a repo that is away keeps to itself is not known: nothing is committed or sent that could be it.
    fn refuse_unseen(&self) -> Result<()> {
        match self.unseen() {
            Some(problem) => Err(StoreError::Unseen { problem: problem.to_string() }),
            None => Ok(()),
        }
    }

    /// Refuses to commit what the project's planning repos keep to themselves.
    pub(super) fn guard_commit(&mut self, copy: &WorkingCopy) -> Result<()> {
        if !self.is_guarded(copy) {
            return Ok(());
        }
        let guard = self.guard();
        let vcs = vcs::open(&copy.root);
        for ledger in &copy.ledgers {
            let path = copy.root.join(ledger);
            let Ok(now) = below::read(&copy.root, ledger, MAX_LEDGER) else { continue };
            let before = vcs.committed(ledger, &self.host.env)?;
            if before.as_ref() != Some(&now.bytes) {
                self.refuse_unseen()?;
            }
            let found = guard.look(&before.into_iter().collect::<Vec<_>>(), &now.bytes);
            if let Some((line, _)) = found.first() {
                return Err(StoreError::PrivateCommit { path, line: *line, count: found.len() });
            }
        }
        Ok(())
    }

    /// Refuses to send commits that carry something private, whoever made them. Only git can be asked for its commits.
    pub(super) fn guard_push(&mut self, vcs: &dyn Vcs, copy: &WorkingCopy) -> Result<()> {
        self.refuse_project_remote(&copy.root, &copy.members)?;
        if !self.is_guarded(copy) || copy.kind != Kind::Git {
            return Ok(());
        }
        let standing = vcs.standing(&self.host.env)?;
        let Some(upstream) = standing.upstream.filter(|_| standing.ahead > 0) else { return Ok(()) };
        self.refuse_unseen()?;
        let guard = self.guard();
        let mut leak = None;
        let range = format!("refs/remotes/{upstream}..HEAD");
        vcs::changes(&copy.root, Span::Range(&range), &self.host.env, &mut |changed| {
            let Some(new) = &changed.new else { return };
            if let (None, Some((line, _))) = (&leak, guard.look(&changed.old, new).first()) {
                leak = Some((changed.path.clone(), *line, changed.commit.clone().unwrap_or_default()));
            }
        })
        .map_err(StoreError::History)?;
        match leak {
            Some((path, line, commit)) => Err(StoreError::PrivatePush { path, line, commit }),
            None => Ok(()),
        }
    }
}
