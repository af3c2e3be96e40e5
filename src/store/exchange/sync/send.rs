//! Pushing commits: which may be sent, and retries when others push first.
//!
//! Every push of a sync passes [`Store::refuse_push`], which sees exactly the commits that are sent. It stops private
//! data and anything but ledgers, for each version control system.

use super::{RepoSync, SyncOptions, TRIES, received};
use crate::store::read::working_copies::WorkingCopy;
use crate::store::{Result, Snapshot, Store, StoreError};
use crate::vcs::{self, DryRun, Exchange, Outgoing, Parcel, Pushed, Route, Span};

/// The ledger has nothing to send; unpublished work does not concern a sync.
fn is_all_code(parcel: &Parcel, options: &SyncOptions) -> bool {
    !options.with_code
        && parcel.commits.iter().any(|one| one.has_code)
        && !parcel.commits.iter().any(|one| one.has_ledger)
}

fn left_alone(parcel: &Parcel) -> String {
    let count = parcel.commits.len();
    let commits = if count == 1 { "1 commit".to_owned() } else { format!("{count} commits") };
    format!("{commits} of yours not pushed: nothing of the ledger is in there")
}

impl Snapshot {
    /// Reports what would be sent, and refuses what a push would refuse, as far as the last fetch shows.
    pub(super) fn preview_push(
        &self,
        with: &dyn Exchange,
        copy: &WorkingCopy,
        options: &SyncOptions,
        one: &mut RepoSync,
    ) -> Result<()> {
        if !options.push {
            return Ok(());
        }
        self.refuse_project_remote(&copy.root, &copy.members)?;
        let (env, areas) = (self.host.env.clone(), copy.areas());
        let dry_run = Some(DryRun { commits: one.committed });
        match with.outgoing(&Route { ledgers: &areas, with_code: options.with_code, dry_run, env: &env })? {
            found @ (Outgoing::Nothing | Outgoing::Outrun) => {
                if !one.committed && found == Outgoing::Nothing {
                    return Ok(());
                }
                // Others' commits are not merged here yet, or ours are based on unseen ones.
                if one.standing.behind > 0 && !options.pull {
                    return Err(StoreError::Outrun { repo: one.repos[0].clone(), pull: false });
                }
                one.sends_to = one.standing.upstream.clone();
                Ok(())
            }
            Outgoing::Held(why) => {
                one.notes.push(format!("would not be pushed: {why}"));
                Ok(())
            }
            Outgoing::Ready(parcel) if !one.committed && is_all_code(&parcel, options) => {
                one.notes.push(left_alone(&parcel));
                Ok(())
            }
            Outgoing::Ready(parcel) => {
                self.refuse_push(copy, &parcel, options)?;
                (one.outgoing, one.sends_to) = (parcel.commits, Some(parcel.to));
                Ok(())
            }
        }
    }

    /// Decides whether commits may be sent.
    fn refuse_push(&self, copy: &WorkingCopy, parcel: &Parcel, options: &SyncOptions) -> Result<()> {
        self.guard_push(copy, parcel)?;
        if options.with_code {
            return self.refuse_hooks(copy);
        }
        let code: Vec<_> = parcel.commits.iter().filter(|commit| commit.has_code).cloned().collect();
        if code.is_empty() {
            return Ok(());
        }
        Err(StoreError::HoldsCode { to: parcel.to.clone(), push: copy.vcs.own_push(), commits: code })
    }

    /// Refuses to send commits with private data, whoever made them.
    fn guard_push(&self, copy: &WorkingCopy, parcel: &Parcel) -> Result<()> {
        if !self.is_guarded(copy) {
            return Ok(());
        }
        self.refuse_unseen()?;
        let guard = self.guard();
        let mut leak = None;
        let ids: Vec<String> = parcel.commits.iter().map(|commit| commit.id.clone()).collect();
        copy.vcs.changes(Span::Commits(&ids), &self.host.env, &mut |changed| {
            let Some(new) = &changed.new else { return };
            if let (None, Some((line, _))) = (&leak, guard.look(&changed.old, new).first()) {
                leak = Some((changed.path.clone(), *line, changed.commit.clone().unwrap_or_default()));
            }
        })?;
        match leak {
            Some((path, line, commit)) => Err(StoreError::PrivatePush { path, line, commit }),
            None => Ok(()),
        }
    }
}

impl Store {
    /// Pushes our commits, and starts over when someone else pushed first.
    pub(super) fn send(&mut self, copy: &WorkingCopy, options: &SyncOptions, one: &mut RepoSync) -> Result<()> {
        if !self.owns(copy)? {
            return Ok(());
        }
        let env = self.host.env.clone();
        let vcs = vcs::open_for(&copy.root, options.bookmark.as_deref());
        let exchange = vcs.exchange()?;
        // Reconciling, or another program, may have written.
        if received::read(copy) != one.left {
            self.guard_commit(copy)?;
            let locks = self.lock_ledgers(&copy.sources)?;
            self.commit_own(copy, one)?;
            drop(locks);
        }
        let areas = copy.areas();
        let route = Route { ledgers: &areas, with_code: options.with_code, dry_run: None, env: &env };
        for attempt in 0..TRIES {
            self.refuse_project_remote(&copy.root, &copy.members)?;
            let what = if attempt == 0 { "pushing" } else { "pushing again: somebody else was faster" };
            let _step = self.step(one, what);
            let parcel = match exchange.outgoing(&route)? {
                Outgoing::Nothing => return Ok(()),
                Outgoing::Held(why) => {
                    one.notes.push(format!("not pushed: {why}"));
                    return Ok(());
                }
                Outgoing::Outrun => None,
                Outgoing::Ready(parcel) if is_all_code(&parcel, options) => {
                    one.notes.push(left_alone(&parcel));
                    return Ok(());
                }
                Outgoing::Ready(parcel) => Some(parcel),
            };
            let pushed = match parcel {
                Some(parcel) => {
                    self.refuse_push(copy, &parcel, options)?;
                    exchange.push(&parcel, &route)?
                }
                None => Pushed::Outrun,
            };
            match pushed {
                Pushed::Done => {
                    one.pushed = true;
                    one.standing = exchange.standing(&env)?;
                    self.prune_logs(copy);
                    return Ok(());
                }
                Pushed::NothingToPush => return Ok(()),
                Pushed::Held(why) => {
                    one.notes.push(format!("not pushed: {why}"));
                    return Ok(());
                }
                Pushed::Outrun if !options.pull => break,
                Pushed::Outrun => {}
            }
            one.retries = attempt + 1;
            self.pause(attempt);
            exchange.fetch(&env)?;
            let locks = self.lock_ledgers(&copy.sources)?;
            self.commit_own(copy, one)?;
            self.integrate(exchange, copy, true, one)?;
            drop(locks);
        }
        Err(StoreError::Outrun { repo: one.repos[0].clone(), pull: options.pull })
    }
}
