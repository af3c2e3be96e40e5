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
mod report;
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
use crate::view::{Exit, Failure};
pub use report::{
    changed_line, due, fail, fail_repos, failures, print_page, report, report_failures, require_ids, tell_beside,
    tell_contributor, tell_way_out, with_force,
};

type Outcome = Result<Exit, Failure>;

/// Declares the commands: the arguments of each, and the function that runs it; with a star where the arguments are boxed.
macro_rules! commands {
    ($($(#[$meta:meta])* $name:ident($args:ty) => $run:path $(, $unbox:tt)?;)*) => {
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$meta])* $name($args),)*
        }

        impl Command {
            pub fn run(self, cx: &mut Context) -> Outcome {
                match self {
                    $(Command::$name(args) => $run($($unbox)? args, cx),)*
                }
            }
        }
    };
}

commands! {
    Init(init::InitArgs) => init::run;
    #[command(visible_aliases = ["create", "new"])] Add(Box<add::AddArgs>) => add::run, *;
    Q(quick::QuickArgs) => quick::run;
    #[command(visible_alias = "view")] Show(Box<show::ShowArgs>) => show::run, *;
    List(Box<list::ListArgs>) => list::run, *;
    Ready(Box<ready::ReadyArgs>) => ready::run, *;
    Blocked(blocked::BlockedArgs) => blocked::run;
    Why(why::WhyArgs) => why::run;
    Update(Box<update::UpdateArgs>) => update::run, *;
    Status(status::StatusArgs) => status::run;
    Work(work::WorkArgs) => work::run;
    Claim(claim::ClaimArgs) => claim::run;
    Release(release::ReleaseArgs) => release::run;
    Reclaim(reclaim::ReclaimArgs) => reclaim::run;
    Leases(leases::LeasesArgs) => leases::run;
    Run(Box<run::RunArgs>) => run::run, *;
    Assign(assign::AssignArgs) => assign::run;
    State(state::StateArgs) => state::run;
    #[command(visible_alias = "done")] Close(close::CloseArgs) => close::run;
    Reopen(reopen::ReopenArgs) => reopen::run;
    Defer(defer::DeferArgs) => defer::run;
    Undefer(defer::UndeferArgs) => defer::run_undefer;
    Delete(delete::DeleteArgs) => delete::run;
    Undo(undo::UndoArgs) => undo::run;
    Edit(edit::EditArgs) => edit::run;
    Note(note::NoteArgs) => note::run;
    Comment(comment::CommentArgs) => comment::run;
    Comments(comment::CommentsArgs) => comment::run_comments;
    Label(label::LabelArgs) => label::run;
    Dep(dep::DepArgs) => dep::run;
    Children(children::ChildrenArgs) => children::run;
    Epic(epic::EpicArgs) => epic::run;
    Search(Box<search::SearchArgs>) => search::run, *;
    Query(query::QueryArgs) => query::run;
    Count(Box<count::CountArgs>) => count::run, *;
    Stats(stats::StatsArgs) => stats::run;
    Stale(stale::StaleArgs) => stale::run;
    Duplicates(duplicates::DuplicatesArgs) => duplicates::run;
    Duplicate(duplicate::DuplicateArgs) => duplicate::run;
    Supersede(duplicate::SupersedeArgs) => duplicate::run_supersede;
    Orphans(orphans::OrphansArgs) => orphans::run;
    Types(types::TypesArgs) => types::run;
    Graph(graph::GraphArgs) => graph::run;
    Lint(Box<lint::LintArgs>) => lint::run, *;
    Human(human::HumanArgs) => human::run;
    Validate(validate::ValidateArgs) => validate::run;
    RepairDeps(validate::RepairDepsArgs) => validate::run_repair_deps;
    DetectPollution(validate::DetectPollutionArgs) => validate::run_detect_pollution;
    RenamePrefix(rename_prefix::RenamePrefixArgs) => rename_prefix::run;
    Log(log::LogArgs) => log::run;
    Blame(blame::BlameArgs) => blame::run;
    Diff(diff::DiffArgs) => diff::run;
    Changelog(changelog::ChangelogArgs) => changelog::run;
    Import(import::ImportArgs) => import::run;
    Export(Box<export::ExportArgs>) => export::run, *;
    Doctor(doctor::DoctorArgs) => doctor::run;
    Resolve(resolve::ResolveArgs) => resolve::run;
    Recover(recover::RecoverArgs) => recover::run;
    Prune(prune::PruneArgs) => prune::run;
    Restore(restore::RestoreArgs) => restore::run;
    Sync(sync::SyncArgs) => sync::run;
    Commit(commit::CommitArgs) => commit::run;
    Trust(trust::TrustArgs) => trust::run;
    Config(config::ConfigArgs) => config::run;
    Repo(repo::RepoArgs) => repo::run;
    Role(role::RoleArgs) => role::run;
    Migrate(migrate::MigrateArgs) => migrate::run;
    Propose(propose::ProposeArgs) => propose::run;
    Withdraw(decide::WithdrawArgs) => decide::run_withdraw;
    Accept(decide::AcceptArgs) => decide::run_accept;
    Reject(decide::RejectArgs) => decide::run_reject;
    Proposals(proposals::ProposalsArgs) => proposals::run;
    CheckLeaks(check_leaks::CheckLeaksArgs) => check_leaks::run;
    Hooks(hooks::HooksArgs) => hooks::run;
    Reserve(reserve::ReserveArgs) => reserve::run;
    Checkpoint(checkpoint::CheckpointArgs) => checkpoint::run;
    Resume(resume::ResumeArgs) => resume::run;
    Context(context::ContextArgs) => context::run;
    MergeDriver(merge_driver::MergeDriverArgs) => merge_driver::run;
    Merge(merge_driver::MergeArgs) => merge_driver::run_merge;
    Hook(hooks::HookArgs) => hooks::run_hook;
    Agent(Box<agent::AgentArgs>) => agent::run, *;
    Mail(Box<mail::MailArgs>) => mail::run, *;
    Watch(watch::WatchArgs) => watch::run;
    Workspace(Box<workspace::WorkspaceArgs>) => workspace::run, *;
    Worktree(worktree::WorktreeArgs) => worktree::run;
    Template(Box<template::TemplateArgs>) => template::run, *;
    Workflow(workflow::WorkflowArgs) => workflow::run;
    Where(where_::WhereArgs) => where_::run;
    Info(info::InfoArgs) => info::run;
    Schema(schema::SchemaArgs) => schema::run;
    #[command(visible_alias = "completion")] Completions(completions::CompletionsArgs) => completions::run;
    Version(version::VersionArgs) => version::run;
    Quickstart(quickstart::QuickstartArgs) => quickstart::run;
    Help(help::HelpArgs) => help::run;
}

/// Every command in its group; the first group is what a newcomer sees.
pub const GROUPS: &[(&str, &str)] = &[
    ("Every day", "init add ready list show work update note close dep label search why doctor help"),
    ("More on issues", "q status reopen defer undefer delete undo edit comment comments duplicate supersede human"),
    ("Looking", "blocked children graph epic query count stats stale duplicates orphans lint types"),
    (
        "Working together",
        "claim release reclaim leases run assign agent mail watch reserve checkpoint resume context state \
         workspace worktree workflow template",
    ),
    ("The past", "log blame diff changelog restore prune"),
    ("Several repos", "config repo role migrate propose withdraw accept reject proposals check-leaks hooks trust"),
    (
        "Files and set-up",
        "commit sync import export resolve recover validate repair-deps detect-pollution rename-prefix \
         merge-driver where info schema completions version quickstart",
    ),
];

/// All names, group by group.
pub fn grouped() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, names)| names.split(' '))
}

/// What the hooks and settings of repositories call that the original set up. They work, and nobody types them.
#[cfg(test)]
const CALLED_BY_OTHERS: [&str; 2] = ["hook", "merge"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = grouped().collect();
        grouped.extend(CALLED_BY_OTHERS);
        grouped.sort_unstable();
        let command = crate::cli::help::command();
        let mut names: Vec<&str> = command.get_subcommands().map(|sub| sub.get_name()).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
        assert_eq!(GROUPS[0].1.split(' ').count(), 15);
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
