//! What several commands say in the same way: issues, what became of each of several, what to know before one is filed.

use super::context::{Context, Outcome};
use super::render;
use crate::model::change::Change;
use crate::model::difference::difference;
use crate::model::time::Instant;
use crate::model::when::When;
use crate::ops::{self, Batch, Marks, PLANNING};
use crate::store::{Page, RepoSync, Written};
use crate::view::{self, Exit, Failure, Object};

impl Context {
    /// Prints issues, as JSON or as a table, and says if a limit cut them. Nothing comes after that, so that their memory is left to the
    /// system.
    pub(super) fn print_page(&mut self, page: Page, tree: bool, none: &str) -> Outcome {
        let marks = if self.ui.wants_json() { Marks::default() } else { ops::marks(self.store()?, &page.rows)? };
        let printed = self.print_marked(&page, &marks, tree, none);
        std::mem::forget(page);
        printed
    }

    /// The same where it is known what is blocked or claimed.
    pub(super) fn print_marked(&mut self, page: &Page, marks: &Marks, tree: bool, none: &str) -> Outcome {
        if self.ui.wants_json() {
            self.json_rows(page.rows.iter().map(view::summary))?;
        } else if self.laid_out(&page.rows) {
            self.ui.note_if(page.rows.is_empty(), none);
        } else {
            // What another program removed is told of below; that is not a beginning.
            let is_new = page.rows.is_empty() && ops::has_no_issues(self.store()?)?;
            let none = if is_new { "no issues yet; add one with `bd add \"Title\"`" } else { none };
            let (index, ui) = self.index()?;
            if tree {
                render::tree_rows(ui, &index, &page.rows, marks);
            } else {
                render::rows(ui, &index, &page.rows, marks);
            }
            if page.rows.is_empty() {
                ui.note(none);
            }
        }
        render::cut_note(&mut self.ui, page.rows.len(), page.total);
        Ok(Exit::Ok)
    }

    /// Reports on several issues: a line or an element for each that was written, an error for each that was not. The exit
    /// code is that of the first failure.
    pub(super) fn report(&mut self, batch: Batch, line: impl Fn(&Written) -> String) -> Outcome {
        let print = |cx: &mut Self, _: &str, written: &Written| {
            cx.ui.done(&line(written));
            cx.tell_beside(written);
        };
        let exit = self.each(batch.results, |_, written| view::reply(written), print)?;
        for (id, blockers) in &batch.waiting {
            self.ui.warning(&view::taken_waiting(id, blockers));
        }
        Ok(exit)
    }

    /// The words after an id that are not ids, if they made a command fail.
    pub(super) fn words_after_ids<T>(&mut self, ids: &[String], done: &Result<T, ops::OpError>) -> Option<String> {
        done.as_ref().err().filter(|error| Failure::from(*error).exit == Exit::NotFound)?;
        let known = (0..ids.len()).rev().find(|n| self.resolve(&ids[*n]).is_ok())?;
        Some(ids[known + 1..].join(" ")).filter(|words| !words.is_empty())
    }

    /// Says what changes would do to several issues, where nothing was written. As JSON it is what they would be.
    pub(super) fn report_rehearsal(&mut self, batch: Batch) -> Outcome {
        let calendar = self.ui.calendar();
        let exit = self.report(batch, |written| {
            let found = difference(&[written.before.as_deref()], Some(&written.line));
            let changes =
                found.map(|(_, fields)| view::shown_changes(&fields, Some(&calendar)).join("; ")).unwrap_or_default();
            changed_line(written, &format!("Would change ({changes}): "))
        })?;
        self.ui.hint("nothing was written; run it again without --dry-run");
        Ok(exit)
    }

    /// Says where something went that could not go into the issue itself.
    pub(super) fn tell_beside(&mut self, written: &Written) {
        if !written.is_beside() || self.ui.wants_json() {
            return;
        }
        let place = match written.source_repo.as_str() {
            "." => "on this machine".to_owned(),
            repo => format!("in {repo}"),
        };
        self.ui
            .note(&format!("only you see this: it is kept {place}, because you may not write {} itself", written.id));
    }

    /// Reports only what failed, where the command has a JSON shape of its own for the rest.
    pub(super) fn report_failures(&mut self, batch: Batch) -> Outcome {
        let failed = batch.results.into_iter().filter_map(|(typed, result)| Some((typed, result.err()?)));
        Ok(self.fail_each(failed))
    }

    /// The same in the shape of the command: what is said as JSON of each that was done, and what as text.
    pub(super) fn each<T, E: Into<Failure>>(
        &mut self,
        results: Vec<(String, Result<T, E>)>,
        json: impl Fn(&str, &T) -> Object,
        print: impl Fn(&mut Self, &str, &T),
    ) -> Outcome {
        if self.ui.wants_json() {
            let done = results.iter().filter_map(|(id, result)| Some((id, result.as_ref().ok()?)));
            self.json(view::each(done, |(id, one)| json(id, one)));
        }
        let mut exit = Exit::Ok;
        for (id, result) in results {
            match result {
                Ok(one) if !self.ui.wants_json() => print(self, &id, &one),
                Ok(_) => {}
                Err(error) => exit = self.fail(&id, error.into(), exit),
            }
        }
        Ok(exit)
    }

    /// Reports several failures; the first one decides the exit code.
    pub(super) fn fail_each<E: Into<Failure>>(&mut self, failed: impl IntoIterator<Item = (String, E)>) -> Exit {
        failed.into_iter().fold(Exit::Ok, |exit, (typed, error)| self.fail(&typed, error.into(), exit))
    }

    /// Reports one failure of several; the first one decides the exit code.
    pub(super) fn fail(&mut self, typed: &str, failure: Failure, exit: Exit) -> Exit {
        self.ui.failure(&failure, Some(typed));
        if exit == Exit::Ok { failure.exit } else { exit }
    }

    /// Tells of the repos that failed; the first one decides over the exit code.
    pub(super) fn fail_repos(&mut self, repos: &[RepoSync], failures: Vec<Option<Failure>>) -> Exit {
        let failed = repos.iter().zip(failures).filter_map(|(one, failure)| Some((one.repos.join(", "), failure?)));
        self.fail_each(failed)
    }

    /// Before an issue is filed: tells somebody who looks like a contributor that it goes into the project, and asks on a terminal, once
    /// for each clone, whether to plan in a repo of their own. Whether it goes into the project all the same.
    pub(super) fn tell_contributor(&mut self) -> Result<bool, Failure> {
        let Some(because) = ops::files_for_others(self.store()?) else { return Ok(false) };
        self.ui.note(&format!(
            "you look like a contributor here ({because}): this goes into the project's own ledger and into your next commit of it"
        ));
        if !self.ui.is_interactive() || !ops::asks_for_planning(self.store()?) {
            return Ok(true);
        }
        if !self.ui.confirm(&format!("Plan in a repo of your own instead, {PLANNING}?")) {
            return Ok(true);
        }
        let setup = ops::Setup::Contributor { planning: PLANNING.to_owned() };
        let made = ops::init(
            &self.host_here(),
            &self.directory(),
            &ops::InitRequest { setup, ..ops::InitRequest::default() },
        )?;
        made.steps.iter().for_each(|step| self.ui.note(step));
        self.reopen()?;
        Ok(false)
    }

    /// After that: how to take it out of the project again.
    pub(super) fn tell_way_out(&mut self, written: &[Written]) {
        let filters: Vec<String> = written.iter().map(|one| format!("id={}", one.id)).collect();
        if let [filter] = filters.as_slice() {
            self.ui.hint(&format!(
                "to keep it to yourself, run `bd init --contributor`, then `bd migrate --move-to {PLANNING} --filter {filter}`; if \
                 you maintain this project, run `bd init --maintainer`"
            ));
        }
    }

    /// When an issue is due, as typed: without a time of day, at the end of the day; `None` if it has no date.
    pub(super) fn due(&mut self, text: &str) -> Result<Option<Instant>, Failure> {
        let at = self.date_or_none("due", text)?.map(When::end);
        if let Some(at) = at.filter(|at| *at < self.host().clock.now()) {
            let text = format!("the due date has passed: {}", self.ui.calendar().date(at));
            self.ui.note(&text);
        }
        Ok(at)
    }
}

/// Takes what went wrong out of the reports of repos.
pub(super) fn failures(repos: &mut [RepoSync]) -> Vec<Option<Failure>> {
    repos.iter_mut().map(|one| one.error.take().map(Failure::from)).collect()
}

/// The line to print for an issue that was to be changed.
pub(super) fn changed_line(written: &Written, verb: &str) -> String {
    if written.changed { format!("{verb}{}", written.id) } else { format!("Nothing to change: {}", written.id) }
}

/// What to say when no issue is named. Clients look for both halves.
pub(super) const NO_ID: &str = "no issue ID provided: an issue ID is required";

/// Changes that may close an issue over what is open, with `--force`.
pub(super) fn with_force(mut changes: Vec<Change>, force: bool) -> Vec<Change> {
    changes.extend((force && !changes.is_empty()).then_some(Change::Force));
    changes
}
