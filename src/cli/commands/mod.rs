//! One file per command: its arguments, whose comment is its help, and the few lines between operation and output.

/// With `--json`, prints the answer and ends the command.
macro_rules! json_answer {
    ($cx:ident, $answer:expr) => {
        if $cx.ui.wants_json() {
            $cx.json($answer);
            return Ok($crate::view::Exit::Ok);
        }
    };
}

mod add;
mod agent;
mod assign;
mod blame;
mod blocked;
mod changed_settings;
mod changelog;
mod check_leaks;
mod checkpoint;
mod children;
mod claim;
mod close;
mod comment;
mod commit;
mod completions;
mod config;
mod context;
mod count;
mod decide;
mod defer;
mod delete;
mod dep;
mod diff;
mod doctor;
mod duplicate;
mod duplicates;
mod edit;
mod epic;
mod export;
mod graph;
mod help;
mod hooks;
mod human;
mod import;
mod info;
mod init;
mod label;
mod leases;
mod lint;
mod list;
mod log;
mod mail;
pub(super) mod merge_driver;
mod migrate;
mod note;
mod orphans;
mod proposals;
mod propose;
mod prune;
mod query;
mod quick;
mod quickstart;
mod ready;
mod reclaim;
mod recover;
mod release;
mod rename_prefix;
mod reopen;
mod repo;
mod reserve;
mod resolve;
mod restore;
mod resume;
mod role;
mod run;
mod schema;
mod search;
mod show;
mod stale;
mod state;
mod stats;
mod status;
mod sync;
mod template;
mod trust;
mod types;
mod undo;
mod update;
mod validate;
mod version;
mod watch;
mod where_;
mod why;
mod work;
mod workflow;
mod workspace;
mod worktree;

use clap::Subcommand;

use super::context::Context;
use super::render;
use crate::model::time::Instant;
use crate::model::when::Bare;
use crate::ops::{self, Batch, PLANNING};
use crate::store::{Page, RepoSync, Written};
use crate::view::{self, Exit, Failure};

type Outcome = Result<Exit, Failure>;

#[derive(Debug, Subcommand)]
pub enum Command {
    Init(init::InitArgs),
    #[command(visible_aliases = ["create", "new"])]
    Add(Box<add::AddArgs>),
    Q(quick::QuickArgs),
    #[command(visible_alias = "view")]
    Show(Box<show::ShowArgs>),
    List(Box<list::ListArgs>),
    Ready(Box<ready::ReadyArgs>),
    Blocked(blocked::BlockedArgs),
    Why(why::WhyArgs),
    Update(Box<update::UpdateArgs>),
    Status(status::StatusArgs),
    Work(work::WorkArgs),
    Claim(claim::ClaimArgs),
    Release(release::ReleaseArgs),
    Reclaim(reclaim::ReclaimArgs),
    Leases(leases::LeasesArgs),
    Run(Box<run::RunArgs>),
    Assign(assign::AssignArgs),
    State(state::StateArgs),
    #[command(visible_alias = "done")]
    Close(close::CloseArgs),
    Reopen(reopen::ReopenArgs),
    Defer(defer::DeferArgs),
    Undefer(defer::UndeferArgs),
    Delete(delete::DeleteArgs),
    Undo(undo::UndoArgs),
    Edit(edit::EditArgs),
    Note(note::NoteArgs),
    Comment(comment::CommentArgs),
    Comments(comment::CommentsArgs),
    Label(label::LabelArgs),
    Dep(dep::DepArgs),
    Children(children::ChildrenArgs),
    Epic(epic::EpicArgs),
    Search(Box<search::SearchArgs>),
    Query(query::QueryArgs),
    Count(Box<count::CountArgs>),
    Stats(stats::StatsArgs),
    Stale(stale::StaleArgs),
    Duplicates(duplicates::DuplicatesArgs),
    Duplicate(duplicate::DuplicateArgs),
    Supersede(duplicate::SupersedeArgs),
    Orphans(orphans::OrphansArgs),
    Types(types::TypesArgs),
    Graph(graph::GraphArgs),
    Lint(Box<lint::LintArgs>),
    Human(human::HumanArgs),
    Validate(validate::ValidateArgs),
    RepairDeps(validate::RepairDepsArgs),
    DetectPollution(validate::DetectPollutionArgs),
    RenamePrefix(rename_prefix::RenamePrefixArgs),
    Log(log::LogArgs),
    Blame(blame::BlameArgs),
    Diff(diff::DiffArgs),
    Changelog(changelog::ChangelogArgs),
    Import(import::ImportArgs),
    Export(Box<export::ExportArgs>),
    Doctor(doctor::DoctorArgs),
    Resolve(resolve::ResolveArgs),
    Recover(recover::RecoverArgs),
    Prune(prune::PruneArgs),
    Restore(restore::RestoreArgs),
    Sync(sync::SyncArgs),
    Commit(commit::CommitArgs),
    Trust(trust::TrustArgs),
    Config(config::ConfigArgs),
    Repo(repo::RepoArgs),
    Role(role::RoleArgs),
    Migrate(migrate::MigrateArgs),
    Propose(propose::ProposeArgs),
    Withdraw(decide::WithdrawArgs),
    Accept(decide::AcceptArgs),
    Reject(decide::RejectArgs),
    Proposals(proposals::ProposalsArgs),
    CheckLeaks(check_leaks::CheckLeaksArgs),
    Hooks(hooks::HooksArgs),
    Reserve(reserve::ReserveArgs),
    Checkpoint(checkpoint::CheckpointArgs),
    Resume(resume::ResumeArgs),
    Context(context::ContextArgs),
    MergeDriver(merge_driver::MergeDriverArgs),
    Merge(merge_driver::MergeArgs),
    Hook(hooks::HookArgs),
    Agent(Box<agent::AgentArgs>),
    Mail(Box<mail::MailArgs>),
    Watch(watch::WatchArgs),
    Workspace(Box<workspace::WorkspaceArgs>),
    Worktree(worktree::WorktreeArgs),
    Template(Box<template::TemplateArgs>),
    Workflow(workflow::WorkflowArgs),
    Where(where_::WhereArgs),
    Info(info::InfoArgs),
    Schema(schema::SchemaArgs),
    #[command(visible_alias = "completion")]
    Completions(completions::CompletionsArgs),
    Version(version::VersionArgs),
    Quickstart(quickstart::QuickstartArgs),
    Help(help::HelpArgs),
}

/// Every command in its group; the first group is what a newcomer sees.
pub const GROUPS: &[(&str, &[&str])] = &[
    (
        "Every day",
        &[
            "init", "add", "ready", "list", "show", "work", "update", "note", "close", "dep", "label", "search", "why",
            "doctor", "help",
        ],
    ),
    (
        "More on issues",
        &[
            "q",
            "status",
            "reopen",
            "defer",
            "undefer",
            "delete",
            "undo",
            "edit",
            "comment",
            "comments",
            "duplicate",
            "supersede",
            "human",
        ],
    ),
    (
        "Looking",
        &[
            "blocked",
            "children",
            "graph",
            "epic",
            "query",
            "count",
            "stats",
            "stale",
            "duplicates",
            "orphans",
            "lint",
            "types",
        ],
    ),
    (
        "Working together",
        &[
            "claim",
            "release",
            "reclaim",
            "leases",
            "run",
            "assign",
            "agent",
            "mail",
            "watch",
            "reserve",
            "checkpoint",
            "resume",
            "context",
            "state",
            "workspace",
            "worktree",
            "workflow",
            "template",
        ],
    ),
    ("The past", &["log", "blame", "diff", "changelog", "restore", "prune"]),
    (
        "Several repos",
        &[
            "config",
            "repo",
            "role",
            "migrate",
            "propose",
            "withdraw",
            "accept",
            "reject",
            "proposals",
            "check-leaks",
            "hooks",
            "trust",
        ],
    ),
    (
        "Files and set-up",
        &[
            "commit",
            "sync",
            "import",
            "export",
            "resolve",
            "recover",
            "validate",
            "repair-deps",
            "detect-pollution",
            "rename-prefix",
            "merge-driver",
            "where",
            "info",
            "schema",
            "completions",
            "version",
            "quickstart",
        ],
    ),
];

/// What the hooks and settings of repositories call that the original set up. They work, and nobody types them.
#[cfg(test)]
const CALLED_BY_OTHERS: [&str; 2] = ["hook", "merge"];

impl Command {
    pub fn run(self, cx: &mut Context) -> Outcome {
        match self {
            Command::Init(args) => init::run(args, cx),
            Command::Add(args) => add::run(*args, cx),
            Command::Q(args) => quick::run(args, cx),
            Command::Show(args) => show::run(*args, cx),
            Command::List(args) => list::run(*args, cx),
            Command::Ready(args) => ready::run(*args, cx),
            Command::Blocked(args) => blocked::run(args, cx),
            Command::Why(args) => why::run(args, cx),
            Command::Update(args) => update::run(*args, cx),
            Command::Status(args) => status::run(args, cx),
            Command::Work(args) => work::run(args, cx),
            Command::Claim(args) => claim::run(args, cx),
            Command::Release(args) => release::run(args, cx),
            Command::Reclaim(args) => reclaim::run(args, cx),
            Command::Leases(args) => leases::run(args, cx),
            Command::Run(args) => run::run(*args, cx),
            Command::Assign(args) => assign::run(args, cx),
            Command::State(args) => state::run(args, cx),
            Command::Close(args) => close::run(args, cx),
            Command::Reopen(args) => reopen::run(args, cx),
            Command::Defer(args) => defer::run(args, cx),
            Command::Undefer(args) => defer::run_undefer(args, cx),
            Command::Delete(args) => delete::run(args, cx),
            Command::Undo(args) => undo::run(args, cx),
            Command::Edit(args) => edit::run(args, cx),
            Command::Note(args) => note::run(args, cx),
            Command::Comment(args) => comment::run(args, cx),
            Command::Comments(args) => comment::run_comments(args, cx),
            Command::Label(args) => label::run(args, cx),
            Command::Dep(args) => dep::run(args, cx),
            Command::Children(args) => children::run(args, cx),
            Command::Epic(args) => epic::run(args, cx),
            Command::Search(args) => search::run(*args, cx),
            Command::Query(args) => query::run(args, cx),
            Command::Count(args) => count::run(*args, cx),
            Command::Stats(args) => stats::run(args, cx),
            Command::Stale(args) => stale::run(args, cx),
            Command::Duplicates(args) => duplicates::run(args, cx),
            Command::Duplicate(args) => duplicate::run(args, cx),
            Command::Supersede(args) => duplicate::run_supersede(args, cx),
            Command::Orphans(args) => orphans::run(args, cx),
            Command::Types(args) => types::run(args, cx),
            Command::Graph(args) => graph::run(args, cx),
            Command::Lint(args) => lint::run(*args, cx),
            Command::Human(args) => human::run(args, cx),
            Command::Validate(args) => validate::run(args, cx),
            Command::RepairDeps(args) => validate::run_repair_deps(args, cx),
            Command::DetectPollution(args) => validate::run_detect_pollution(args, cx),
            Command::RenamePrefix(args) => rename_prefix::run(args, cx),
            Command::Log(args) => log::run(args, cx),
            Command::Blame(args) => blame::run(args, cx),
            Command::Diff(args) => diff::run(args, cx),
            Command::Changelog(args) => changelog::run(args, cx),
            Command::Import(args) => import::run(args, cx),
            Command::Export(args) => export::run(*args, cx),
            Command::Doctor(args) => doctor::run(args, cx),
            Command::Resolve(args) => resolve::run(args, cx),
            Command::Recover(args) => recover::run(args, cx),
            Command::Prune(args) => prune::run(args, cx),
            Command::Restore(args) => restore::run(args, cx),
            Command::Sync(args) => sync::run(args, cx),
            Command::Commit(args) => commit::run(args, cx),
            Command::Trust(args) => trust::run(args, cx),
            Command::Config(args) => config::run(args, cx),
            Command::Repo(args) => repo::run(args, cx),
            Command::Role(args) => role::run(args, cx),
            Command::Migrate(args) => migrate::run(args, cx),
            Command::Propose(args) => propose::run(args, cx),
            Command::Withdraw(args) => decide::run_withdraw(args, cx),
            Command::Accept(args) => decide::run_accept(args, cx),
            Command::Reject(args) => decide::run_reject(args, cx),
            Command::Proposals(args) => proposals::run(args, cx),
            Command::CheckLeaks(args) => check_leaks::run(args, cx),
            Command::Hooks(args) => hooks::run(args, cx),
            Command::Reserve(args) => reserve::run(args, cx),
            Command::Checkpoint(args) => checkpoint::run(args, cx),
            Command::Resume(args) => resume::run(args, cx),
            Command::Context(args) => context::run(args, cx),
            Command::MergeDriver(args) => merge_driver::run(args, cx),
            Command::Merge(args) => merge_driver::run_merge(args, cx),
            Command::Hook(args) => hooks::run_hook(args, cx),
            Command::Agent(args) => agent::run(*args, cx),
            Command::Mail(args) => mail::run(*args, cx),
            Command::Watch(args) => watch::run(args, cx),
            Command::Workspace(args) => workspace::run(*args, cx),
            Command::Worktree(args) => worktree::run(args, cx),
            Command::Template(args) => template::run(*args, cx),
            Command::Workflow(args) => workflow::run(args, cx),
            Command::Where(args) => where_::run(args, cx),
            Command::Info(args) => info::run(args, cx),
            Command::Schema(args) => schema::run(args, cx),
            Command::Completions(args) => completions::run(args, cx),
            Command::Version(args) => version::run(args, cx),
            Command::Quickstart(args) => quickstart::run(args, cx),
            Command::Help(args) => help::run(args, cx),
        }
    }
}

/// Prints issues, as JSON or as a table, and says if a limit cut them.
fn print_page(cx: &mut Context, page: &Page, tree: bool, none: &str) -> Outcome {
    if cx.ui.wants_json() {
        cx.json(view::rows(&page.rows));
    } else {
        let (store, ui) = cx.parts()?;
        let index = store.prefix_index()?;
        if tree {
            render::tree_rows(ui, &index, &page.rows);
        } else {
            render::rows(ui, &index, &page.rows);
        }
        if page.rows.is_empty() {
            ui.note(none);
        }
    }
    render::cut_note(&mut cx.ui, page);
    Ok(Exit::Ok)
}

/// Reports on several issues: a line or an element for each that was written, an error for each that was not. The exit
/// code is that of the first failure.
fn report(cx: &mut Context, batch: Batch, line: impl Fn(&Written) -> String) -> Outcome {
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

/// Says where something went that could not go into the issue itself.
fn tell_beside(cx: &mut Context, written: &Written) {
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
fn report_failures(cx: &mut Context, batch: Batch) -> Outcome {
    let mut exit = Exit::Ok;
    for (typed, result) in batch.results {
        if let Err(error) = result {
            exit = fail(cx, &typed, error.into(), exit);
        }
    }
    Ok(exit)
}

/// Reports one failure of several; the first one decides the exit code.
fn fail(cx: &mut Context, typed: &str, failure: Failure, exit: Exit) -> Exit {
    cx.ui.failure(&failure, Some(typed));
    if exit == Exit::Ok { failure.exit } else { exit }
}

/// Takes what went wrong out of the reports of repos.
fn failures(repos: &mut [RepoSync]) -> Vec<Option<Failure>> {
    repos.iter_mut().map(|one| one.error.take().map(Failure::from)).collect()
}

/// Tells of the repos that failed; the first one decides over the exit code.
fn fail_repos(cx: &mut Context, repos: &[RepoSync], failures: Vec<Option<Failure>>) -> Exit {
    let failed = repos.iter().zip(failures).filter_map(|(one, failure)| Some((one.repos.join(", "), failure?)));
    let failed: Vec<_> = failed.collect();
    failed.into_iter().fold(Exit::Ok, |exit, (name, failure)| fail(cx, &name, failure, exit))
}

/// What to say of an issue that was to be changed.
fn changed_line(written: &Written, verb: &str) -> String {
    if written.changed { format!("{verb}{}", written.id) } else { format!("Nothing to change: {}", written.id) }
}

/// Before an issue is filed: tells somebody who looks like a contributor that it goes into the project, and asks on a terminal, once
/// for each clone, whether to plan in a repo of their own. Whether it goes into the project all the same.
fn tell_contributor(cx: &mut Context) -> Result<bool, Failure> {
    let Some(because) = cx.store()?.files_for_others().map(str::to_owned) else { return Ok(false) };
    cx.ui.note(&format!(
        "you look like a contributor here ({because}): this goes into the project's own ledger and into your next commit of it"
    ));
    if !cx.ui.is_interactive() || !ops::asks_for_planning(cx.store()?) {
        return Ok(true);
    }
    let question = format!("Plan in a repo of your own instead, {PLANNING}? (yes or no)");
    if !matches!(cx.ui.ask(&question, "no").to_lowercase().as_str(), "y" | "yes") {
        return Ok(true);
    }
    let setup = ops::Setup::Contributor { planning: PLANNING.to_owned() };
    let made = ops::init(&cx.host_here(), &cx.directory(), &ops::InitRequest { setup, ..ops::InitRequest::default() })?;
    made.steps.iter().for_each(|step| cx.ui.note(step));
    cx.store()?.reopen()?;
    Ok(false)
}

/// After that: how to take it out of the project again.
fn tell_way_out(cx: &mut Context, written: &[Written]) {
    let filters: Vec<String> = written.iter().map(|one| format!("id={}", one.id)).collect();
    if let [filter] = filters.as_slice() {
        cx.ui.hint(&format!(
            "to keep it to yourself, run `bd init --contributor`, then `bd migrate --move-to {PLANNING} --filter {filter}`; if \
             you maintain this project, run `bd init --maintainer`"
        ));
    }
}

/// When an issue is due, as typed: without a time of day, at the end of the day.
fn due(cx: &mut Context, text: &str) -> Result<Instant, Failure> {
    let at = cx.date("due", text, Bare::Future)?.end();
    if at < cx.host().clock.now() {
        let text = format!("the due date has passed: {}", cx.ui.calendar().date(at));
        cx.ui.note(&text);
    }
    Ok(at)
}

/// What to say when no issue is named. Clients look for both halves.
const NO_ID: &str = "no issue ID provided: an issue ID is required";

fn require_ids(ids: &[String]) -> Result<(), Failure> {
    if ids.is_empty() { Err(Failure::usage(NO_ID)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.extend(CALLED_BY_OTHERS);
        grouped.sort_unstable();
        let command = crate::cli::help::command();
        let mut names: Vec<&str> = command.get_subcommands().map(|sub| sub.get_name()).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
        assert_eq!(GROUPS[0].1.len(), 15);
    }

    #[test]
    fn every_command_has_a_line_of_help_and_an_example() {
        for sub in crate::cli::help::command().get_subcommands() {
            assert!(sub.get_about().is_some(), "{} has no help", sub.get_name());
            let long = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(long.contains("bd "), "{} has no example", sub.get_name());
        }
    }
}
