//! Output shared by several commands: issues, results of several issues, hints before one is filed.

use super::{Context, Outcome};
use crate::cli::render;
use crate::model::change::Change;
use crate::model::difference::difference;
use crate::model::time::Instant;
use crate::model::when::When;
use crate::ops::{self, Batch, Marks, PLANNING};
use crate::store::{Page, RepoSync, Written};
use crate::view::{self, Exit, Failure};

/// Prints issues, as JSON or as a table, and says if a limit cut them. Nothing comes after that, so that their memory is left to the
/// system.
pub fn print_page(cx: &mut Context, page: Page, tree: bool, none: &str) -> Outcome {
    let marks = if cx.ui.wants_json() { Marks::default() } else { ops::marks(cx.store()?, &page.rows)? };
    let printed = print_marked(cx, &page, &marks, tree, none);
    std::mem::forget(page);
    printed
}

/// The same where it is known what is blocked or claimed.
pub fn print_marked(cx: &mut Context, page: &Page, marks: &Marks, tree: bool, none: &str) -> Outcome {
    if cx.ui.wants_json() {
        cx.json_rows(page.rows.iter().map(view::summary))?;
    } else if cx.laid_out(&page.rows) {
        cx.ui.note_if(page.rows.is_empty(), none);
    } else {
        // Issues removed by another program are reported below; that is not an empty start.
        let is_new = page.rows.is_empty() && ops::has_no_issues(cx.store()?)?;
        let none = if is_new { "no issues yet; add one with `bd add \"Title\"`" } else { none };
        let (index, ui) = cx.index()?;
        if tree {
            render::tree_rows(ui, &index, &page.rows, marks);
        } else {
            render::rows(ui, &index, &page.rows, marks);
        }
        if page.rows.is_empty() {
            ui.note(none);
        }
    }
    render::cut_note(&mut cx.ui, page.rows.len(), page.total);
    Ok(Exit::Ok)
}

/// Reports on several issues: a line or an element for each that was written, an error for each that was not. The exit
/// code is that of the first failure.
pub fn report(cx: &mut Context, batch: Batch, line: impl Fn(&Written) -> String) -> Outcome {
    if cx.ui.wants_json() {
        let json = view::replies(batch.written());
        cx.json(json);
    }
    let mut exit = Exit::Ok;
    for (typed, result) in batch.results {
        match result {
            Ok(written) if !cx.ui.wants_json() => {
                cx.ui.done(&line(&written));
                tell_beside(cx, &written);
            }
            Ok(_) => {}
            Err(error) => exit = fail(cx, &typed, error.into(), exit),
        }
    }
    for (id, blockers) in &batch.waiting {
        cx.ui.warning(&view::taken_waiting(id, blockers));
    }
    Ok(exit)
}

/// Says what changes would do to several issues, where nothing was written. As JSON it is what they would be.
pub fn report_rehearsal(cx: &mut Context, batch: Batch) -> Outcome {
    let calendar = cx.ui.calendar();
    let exit = report(cx, batch, |written| {
        let found = difference(&[written.before.as_deref()], Some(&written.line));
        let told = found.map(|(_, fields)| view::told_changes(&fields, Some(&calendar)).join("; ")).unwrap_or_default();
        changed_line(written, &format!("Would change ({told}): "))
    })?;
    cx.ui.hint("nothing was written; run it again without --dry-run");
    Ok(exit)
}

/// Says where something went that could not go into the issue itself.
pub fn tell_beside(cx: &mut Context, written: &Written) {
    if !written.is_beside() || cx.ui.wants_json() {
        return;
    }
    let place = match written.source_repo.as_str() {
        "." => "on this machine".to_owned(),
        repo => format!("in {repo}"),
    };
    cx.ui.note(&format!("only you see this: it is kept {place}, because you may not write {} itself", written.id));
}

/// Reports only what failed, where the command has a JSON shape of its own for the rest.
pub fn report_failures(cx: &mut Context, batch: Batch) -> Outcome {
    let mut exit = Exit::Ok;
    for (typed, result) in batch.results {
        if let Err(error) = result {
            exit = fail(cx, &typed, error.into(), exit);
        }
    }
    Ok(exit)
}

/// Reports one failure of several; the first one decides the exit code.
pub fn fail(cx: &mut Context, typed: &str, failure: Failure, exit: Exit) -> Exit {
    cx.ui.failure(&failure, Some(typed));
    if exit == Exit::Ok { failure.exit } else { exit }
}

/// Takes what went wrong out of the reports of repos.
pub fn failures(repos: &mut [RepoSync]) -> Vec<Option<Failure>> {
    repos.iter_mut().map(|one| one.error.take().map(Failure::from)).collect()
}

/// Tells of the repos that failed; the first one decides over the exit code.
pub fn fail_repos(cx: &mut Context, repos: &[RepoSync], failures: Vec<Option<Failure>>) -> Exit {
    let failed = repos.iter().zip(failures).filter_map(|(one, failure)| Some((one.repos.join(", "), failure?)));
    let failed: Vec<_> = failed.collect();
    failed.into_iter().fold(Exit::Ok, |exit, (name, failure)| fail(cx, &name, failure, exit))
}

/// What to say of an issue that was to be changed.
pub fn changed_line(written: &Written, verb: &str) -> String {
    if written.changed { format!("{verb}{}", written.id) } else { format!("Nothing to change: {}", written.id) }
}

/// Before an issue is filed: tells somebody who looks like a contributor that it goes into the project, and asks on a terminal, once
/// for each clone, whether to plan in a repo of their own. Whether it goes into the project all the same.
pub fn tell_contributor(cx: &mut Context) -> Result<bool, Failure> {
    let Some(because) = ops::files_for_others(cx.store()?) else { return Ok(false) };
    cx.ui.note(&format!(
        "you look like a contributor here ({because}): this goes into the project's own ledger and into your next commit of it"
    ));
    if !cx.ui.is_interactive() || !ops::asks_for_planning(cx.store()?) {
        return Ok(true);
    }
    if !cx.ui.confirm(&format!("Plan in a repo of your own instead, {PLANNING}?")) {
        return Ok(true);
    }
    let setup = ops::Setup::Contributor { planning: PLANNING.to_owned() };
    let made = ops::init(&cx.host_here(), &cx.directory(), &ops::InitRequest { setup, ..ops::InitRequest::default() })?;
    made.steps.iter().for_each(|step| cx.ui.note(step));
    cx.reopen()?;
    Ok(false)
}

/// After that: how to take it out of the project again.
pub fn tell_way_out(cx: &mut Context, written: &[Written]) {
    let filters: Vec<String> = written.iter().map(|one| format!("id={}", one.id)).collect();
    if let [filter] = filters.as_slice() {
        cx.ui.hint(&format!(
            "to keep it to yourself, run `bd init --contributor`, then `bd migrate --move-to {PLANNING} --filter {filter}`; if \
             you maintain this project, run `bd init --maintainer`"
        ));
    }
}

/// When an issue is due, as typed: without a time of day, at the end of the day; `None` if it has no date.
pub fn due(cx: &mut Context, text: &str) -> Result<Option<Instant>, Failure> {
    let at = cx.date_or_none("due", text)?.map(When::end);
    if let Some(at) = at.filter(|at| *at < cx.host().clock.now()) {
        let text = format!("the due date has passed: {}", cx.ui.calendar().date(at));
        cx.ui.note(&text);
    }
    Ok(at)
}

/// What to say when no issue is named. Clients look for both halves.
pub const NO_ID: &str = "no issue ID provided: an issue ID is required";

/// Changes that may close an issue over what is open, with `--force`.
pub fn with_force(mut changes: Vec<Change>, force: bool) -> Vec<Change> {
    changes.extend((force && !changes.is_empty()).then_some(Change::Force));
    changes
}
