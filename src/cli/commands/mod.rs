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
mod batch;
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
mod man;
mod mcp;
pub(super) mod merge_driver;
mod migrate;
mod note;
mod onboard;
mod orphans;
mod prime;
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
mod setup;
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

use clap::{ArgMatches, Args as _, FromArgMatches as _};

use super::context::Context;
use crate::view::{Exit, Failure};
pub use report::{
    NO_ID, changed_line, due, fail, fail_repos, failures, print_marked, print_page, report, report_failures,
    report_rehearsal, tell_beside, tell_contributor, tell_way_out, with_force,
};

type Outcome = Result<Exit, Failure>;

/// A command: its names, its arguments, and what runs it.
pub struct Entry {
    pub name: &'static str,
    aliases: &'static [&'static str],
    arguments: fn(clap::Command) -> clap::Command,
    /// Takes the arguments out of what was parsed.
    pub read: fn(&mut ArgMatches) -> Result<Call, clap::Error>,
}

/// A command with its arguments.
pub type Call = Box<dyn FnOnce(&mut Context) -> Outcome>;

impl Entry {
    /// The command of this name or alias.
    pub fn find(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    pub fn parser(&self) -> clap::Command {
        (self.arguments)(clap::Command::new(self.name)).visible_aliases(self.aliases)
    }
}

/// Declares the commands: the names of each, its arguments, and the function that runs it.
macro_rules! commands {
    ($($name:literal $(| $alias:literal)*: $args:ty => $run:path;)*) => {
        pub static COMMANDS: &[Entry] = &[$(Entry {
            name: $name,
            aliases: &[$($alias),*],
            arguments: <$args>::augment_args,
            read: |matches| {
                let args = <$args>::from_arg_matches_mut(matches)?;
                Ok(Box::new(move |cx| $run(args, cx)))
            },
        },)*];
    };
}

commands! {
    "init": init::InitArgs => init::run;
    "add" | "create" | "new": add::AddArgs => add::run;
    "q": quick::QuickArgs => quick::run;
    "batch": batch::BatchArgs => batch::run;
    "show" | "view": show::ShowArgs => show::run;
    "list" | "ls": list::ListArgs => list::run;
    "ready": ready::ReadyArgs => ready::run;
    "blocked": blocked::BlockedArgs => blocked::run;
    "why": why::WhyArgs => why::run;
    "update": update::UpdateArgs => update::run;
    "status": status::StatusArgs => status::run;
    "work" | "start": work::WorkArgs => work::run;
    "claim": claim::ClaimArgs => claim::run;
    "release": release::ReleaseArgs => release::run;
    "reclaim": reclaim::ReclaimArgs => reclaim::run;
    "leases": leases::LeasesArgs => leases::run;
    "run": run::RunArgs => run::run;
    "assign": assign::AssignArgs => assign::run;
    "state": state::StateArgs => state::run;
    "close" | "done": close::CloseArgs => close::run;
    "reopen": reopen::ReopenArgs => reopen::run;
    "defer": defer::DeferArgs => defer::run;
    "undefer": defer::UndeferArgs => defer::run_undefer;
    "delete" | "rm": delete::DeleteArgs => delete::run;
    "undo": undo::UndoArgs => undo::run;
    "edit": edit::EditArgs => edit::run;
    "note": note::NoteArgs => note::run;
    "comment": comment::CommentArgs => comment::run;
    "comments": comment::CommentsArgs => comment::run_comments;
    "label": label::LabelArgs => label::run;
    "dep": dep::DepArgs => dep::run;
    "children": children::ChildrenArgs => children::run;
    "epic": epic::EpicArgs => epic::run;
    "search": search::SearchArgs => search::run;
    "query": query::QueryArgs => query::run;
    "count": count::CountArgs => count::run;
    "stats": stats::StatsArgs => stats::run;
    "stale": stale::StaleArgs => stale::run;
    "duplicates": duplicates::DuplicatesArgs => duplicates::run;
    "duplicate": duplicate::DuplicateArgs => duplicate::run;
    "supersede": duplicate::SupersedeArgs => duplicate::run_supersede;
    "orphans": orphans::OrphansArgs => orphans::run;
    "types": types::TypesArgs => types::run;
    "graph": graph::GraphArgs => graph::run;
    "lint": lint::LintArgs => lint::run;
    "human": human::HumanArgs => human::run;
    "validate": validate::ValidateArgs => validate::run;
    "repair-deps": validate::RepairDepsArgs => validate::run_repair_deps;
    "detect-pollution": validate::DetectPollutionArgs => validate::run_detect_pollution;
    "rename-prefix": rename_prefix::RenamePrefixArgs => rename_prefix::run;
    "log": log::LogArgs => log::run;
    "blame": blame::BlameArgs => blame::run;
    "diff": diff::DiffArgs => diff::run;
    "changelog": changelog::ChangelogArgs => changelog::run;
    "import": import::ImportArgs => import::run;
    "export": export::ExportArgs => export::run;
    "doctor": doctor::DoctorArgs => doctor::run;
    "resolve": resolve::ResolveArgs => resolve::run;
    "recover": recover::RecoverArgs => recover::run;
    "prune": prune::PruneArgs => prune::run;
    "restore": restore::RestoreArgs => restore::run;
    "sync": sync::SyncArgs => sync::run;
    "commit": commit::CommitArgs => commit::run;
    "trust": trust::TrustArgs => trust::run;
    "config": config::ConfigArgs => config::run;
    "repo": repo::RepoArgs => repo::run;
    "role": role::RoleArgs => role::run;
    "migrate": migrate::MigrateArgs => migrate::run;
    "propose": propose::ProposeArgs => propose::run;
    "withdraw": decide::WithdrawArgs => decide::run_withdraw;
    "accept": decide::AcceptArgs => decide::run_accept;
    "reject": decide::RejectArgs => decide::run_reject;
    "proposals": proposals::ProposalsArgs => proposals::run;
    "check-leaks": check_leaks::CheckLeaksArgs => check_leaks::run;
    "hooks": hooks::HooksArgs => hooks::run;
    "reserve": reserve::ReserveArgs => reserve::run;
    "checkpoint": checkpoint::CheckpointArgs => checkpoint::run;
    "resume": resume::ResumeArgs => resume::run;
    "context": context::ContextArgs => context::run;
    "prime": prime::PrimeArgs => prime::run;
    "merge-driver": merge_driver::MergeDriverArgs => merge_driver::run;
    "merge": merge_driver::MergeArgs => merge_driver::run_merge;
    "hook": hooks::HookArgs => hooks::run_hook;
    "agent": agent::AgentArgs => agent::run;
    "mail": mail::MailArgs => mail::run;
    "mcp": mcp::McpArgs => mcp::run;
    "watch": watch::WatchArgs => watch::run;
    "workspace": workspace::WorkspaceArgs => workspace::run;
    "worktree": worktree::WorktreeArgs => worktree::run;
    "template": template::TemplateArgs => template::run;
    "workflow": workflow::WorkflowArgs => workflow::run;
    "setup": setup::SetupArgs => setup::run;
    "onboard": onboard::OnboardArgs => onboard::run;
    "where": where_::WhereArgs => where_::run;
    "info": info::InfoArgs => info::run;
    "schema": schema::SchemaArgs => schema::run;
    "completions" | "completion": completions::CompletionsArgs => completions::run;
    "man": man::ManArgs => man::run;
    "version": version::VersionArgs => version::run;
    "quickstart": quickstart::QuickstartArgs => quickstart::run;
    "help": help::HelpArgs => help::run;
}

/// Every command in its group; the first group is what a newcomer sees.
pub const GROUPS: &[(&str, &str)] = &[
    ("Every day", "init add ready list show work update edit note close dep label search why undo sync doctor help"),
    ("Issues", "status comment reopen defer undefer delete duplicate supersede epic human batch"),
    ("Finding", "blocked query count graph stale duplicates orphans lint types"),
    ("Undoing", "recover restore resolve"),
    ("History", "log blame diff changelog prune"),
    ("Sharing", "commit import export hooks check-leaks"),
    ("Joined repos", "repo role config migrate trust"),
    ("Proposals", "propose proposals accept reject withdraw"),
    ("Agents", "prime setup mcp claim release leases run resume checkpoint context mail agent reserve watch"),
    ("Orchestration", "assign reclaim workspace worktree workflow template state"),
    (
        "Plumbing",
        "quickstart where schema completions man version validate repair-deps detect-pollution rename-prefix merge-driver",
    ),
];

/// Commands that do what another of the list does. They work and have help, and their flags are completed; nothing names them to
/// somebody who did not.
pub const DUPLICATES: &[(&str, &str)] = &[
    ("q", "add"),
    ("comments", "comment"),
    ("stats", "status"),
    ("children", "list"),
    ("info", "where"),
    ("onboard", "setup"),
];

/// The names that the help lists, group by group.
pub fn listed() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, names)| names.split(' '))
}

/// The same, then those that are not listed.
pub fn grouped() -> impl Iterator<Item = &'static str> {
    listed().chain(DUPLICATES.iter().map(|(name, _)| *name))
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
        let mut names: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
        assert_eq!(GROUPS[0].1.split(' ').count(), 18);
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
