//! Every command: a row with all that is known of it. Each has a file, with its arguments, whose comment is its help, and the few
//! lines between operation and output.
//!
//! `looks` names the forms that only look, each with the arguments that make it write; `shows`, the arguments with which a command only
//! shows what it would do; `waits`, the forms that wait for somebody, or hand the terminal to another program. `""` is the command
//! without a subcommand. `--readonly` refuses what is not named, so a new command writes nothing until its row says that it looks.

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
mod fleet;
mod graph;
mod help;
mod hooks;
mod human;
mod import;
mod info;
mod init;
mod label;
mod land;
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
mod setup;
mod show;
mod stale;
mod state;
mod stats;
mod status;
mod sync;
mod triage;
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

use clap::{Args as _, FromArgMatches as _};

use super::context::{Context, Outcome};
use super::entry::Place::{At, ForHooks, Like};
use super::entry::{Entry, Table};

macro_rules! commands {
    ($($name:literal $(| $alias:literal)*, $place:expr, $args:ty => $run:expr
        $(, looks [$($look:literal $(unless $($writing:literal)+)?),*])?
        $(, shows [$($showing:literal),*])?
        $(, waits [$($wait:literal),*])?;)*) => {
        pub(crate) static COMMANDS: Table = Table(&[$(Entry {
            name: $name,
            aliases: &[$($alias),*],
            place: $place,
            looks: &[$($(($look, &[$($($writing),+)?])),*)?],
            shows: &[$($($showing),*)?],
            waits: &[$($($wait),*)?],
            arguments: <$args>::augment_args,
            read: |matches| {
                let args = <$args>::from_arg_matches_mut(matches)?;
                let run: fn($args, &mut Context) -> Outcome = $run;
                Ok(Box::new(move |cx| run(args, cx)))
            },
        }),*]);
    };
}

commands! {
    "init", At("Every day", 1), init::InitArgs => init::run;
    "add" | "create" | "new", At("Every day", 2), add::AddArgs => add::run;
    "q", Like("add"), add::QuickArgs => add::run_quick;
    "batch", At("Issues", 7), batch::BatchArgs => batch::run;
    "show" | "view", At("Every day", 5), show::ShowArgs => show::run, looks [""];
    "list" | "ls", At("Every day", 4), list::ListArgs => list::run, looks [""];
    "ready", At("Every day", 3), ready::ReadyArgs => ready::run, looks ["" unless "claim"];
    "blocked", At("Finding", 1), blocked::BlockedArgs => blocked::run, looks [""];
    "why", At("Every day", 14), why::WhyArgs => why::run, looks [""];
    "update", At("Every day", 7), update::UpdateArgs => update::run;
    "status", At("Issues", 1), status::StatusArgs => status::run, looks ["" unless "id" "status"];
    "work" | "start", At("Every day", 6), work::WorkArgs => work::run;
    "claim", At("Agents", 4), claim::ClaimArgs => claim::run;
    "release", At("Agents", 5), release::ReleaseArgs => release::run;
    "reclaim", At("Orchestration", 2), reclaim::ReclaimArgs => reclaim::run;
    "leases", At("Agents", 6), leases::LeasesArgs => leases::run, looks ["" unless "remote"];
    "run", At("Agents", 7), run::RunArgs => run::run;
    "assign", At("Orchestration", 1), assign::AssignArgs => assign::run;
    "state", Like("info"), state::StateArgs => state::run, looks [""];
    "close" | "done", At("Every day", 10), close::CloseArgs => close::run;
    "reopen", At("Issues", 3), reopen::ReopenArgs => reopen::run;
    "defer", At("Issues", 4), defer::DeferArgs => defer::run;
    "undefer", Like("defer"), defer::UndeferArgs => defer::run_undefer;
    "delete" | "rm", At("Issues", 5), delete::DeleteArgs => delete::run;
    "undo", At("Every day", 15), undo::UndoArgs => undo::run;
    "edit", At("Every day", 8), edit::EditArgs => edit::run, waits [""];
    "note", At("Every day", 9), note::NoteArgs => note::run;
    "comment", At("Issues", 2), comment::CommentArgs => comment::run;
    "comments", Like("comment"), comment::CommentsArgs => comment::run_comments, looks ["", "list"];
    "label", At("Every day", 12), label::LabelArgs => label::run, looks ["list", "list-all"];
    "dep", At("Every day", 11), dep::DepArgs => dep::run, looks ["cycles", "list", "tree"];
    "children", Like("list"), children::ChildrenArgs => children::run, looks [""];
    "epic", At("Issues", 6), epic::EpicArgs => epic::run, looks ["", "status"];
    "search", At("Every day", 13), search::SearchArgs => search::run, looks [""];
    "query", Like("list"), list::QueryArgs => list::run_query, looks [""];
    "count", Like("list"), count::CountArgs => count::run, looks [""];
    "stats", Like("status"), stats::StatsArgs => stats::run, looks [""];
    "triage", At("Finding", 2), triage::TriageArgs => triage::run, looks [""];
    "stale", Like("triage"), stale::StaleArgs => stale::run, looks [""];
    "duplicates", Like("triage"), duplicates::DuplicatesArgs => duplicates::run, looks [""];
    "duplicate", Like("close"), duplicate::DuplicateArgs => duplicate::run;
    "supersede", Like("close"), duplicate::SupersedeArgs => duplicate::run_supersede;
    "orphans", Like("triage"), orphans::OrphansArgs => orphans::run, looks [""];
    "types", Like("list"), types::TypesArgs => types::run, looks [""];
    "graph", At("Finding", 3), graph::GraphArgs => graph::run, looks [""];
    "lint", At("Finding", 4), lint::LintArgs => lint::run, looks [""];
    "human", Like("comment"), human::HumanArgs => |args, cx| human::run(args, COMMANDS, cx), looks ["", "list"];
    "validate", Like("doctor"), validate::ValidateArgs => validate::run, looks ["" unless "fix_all"];
    "repair-deps", Like("doctor"), validate::RepairDepsArgs => validate::run_repair_deps, looks ["" unless "fix"];
    "detect-pollution", Like("doctor"), validate::DetectPollutionArgs => validate::run_detect_pollution,
        looks ["" unless "clean"];
    "rename-prefix", Like("migrate"), rename_prefix::RenamePrefixArgs => rename_prefix::run;
    "log", At("History", 1), log::LogArgs => log::run, looks [""];
    "blame", At("History", 2), blame::BlameArgs => blame::run, looks [""];
    "diff", At("History", 3), diff::DiffArgs => diff::run, looks [""];
    "changelog", At("History", 4), changelog::ChangelogArgs => changelog::run, looks [""];
    "import", At("Sharing", 2), import::ImportArgs => import::run;
    "export", At("Sharing", 3), export::ExportArgs => export::run, looks ["" unless "output"];
    "doctor", At("Every day", 17), doctor::DoctorArgs => doctor::run, looks ["" unless "fix" "clean"];
    "resolve", At("Undoing", 2), resolve::ResolveArgs => resolve::run;
    "recover", Like("restore"), recover::RecoverArgs => recover::run;
    "prune", At("History", 5), prune::PruneArgs => prune::run;
    "restore", At("Undoing", 1), restore::RestoreArgs => restore::run;
    "sync", At("Every day", 16), sync::SyncArgs => sync::run, shows ["status"];
    "commit", At("Sharing", 1), commit::CommitArgs => commit::run;
    "trust", At("Joined repos", 5), trust::TrustArgs => trust::run;
    "config", At("Joined repos", 3), config::ConfigArgs => |args, cx| config::run(args, COMMANDS, cx),
        looks ["" unless "add_repo" "remove_repo" "routing", "get", "list"];
    "repo", At("Joined repos", 1), repo::RepoArgs => repo::run, looks ["list"];
    "role", Like("info"), role::RoleArgs => role::run, looks [""];
    "migrate", At("Joined repos", 4), migrate::MigrateArgs => migrate::run;
    "propose", At("Proposals", 1), propose::ProposeArgs => propose::run;
    "withdraw", At("Proposals", 5), decide::WithdrawArgs => decide::run_withdraw;
    "accept", At("Proposals", 3), decide::AcceptArgs => decide::run_accept;
    "reject", At("Proposals", 4), decide::RejectArgs => decide::run_reject;
    "proposals", At("Proposals", 2), proposals::ProposalsArgs => proposals::run, looks [""];
    "check-leaks", At("Sharing", 5), check_leaks::CheckLeaksArgs => check_leaks::run, looks [""];
    "hooks", At("Sharing", 4), hooks::HooksArgs => hooks::run, looks ["", "run", "status"];
    "reserve", At("Agents", 13), reserve::ReserveArgs => reserve::run, looks ["check", "list"];
    "checkpoint", At("Agents", 9), checkpoint::CheckpointArgs => checkpoint::run, looks ["list", "show"];
    "resume", At("Agents", 8), resume::ResumeArgs => resume::run, looks [""];
    "context", At("Agents", 10), context::ContextArgs => context::run, looks [""];
    "prime", At("Agents", 1), prime::PrimeArgs => prime::run, looks [""];
    "codex-hook", ForHooks, prime::CodexHookArgs => prime::run_codex_hook, looks [""];
    "merge-driver", ForHooks, merge_driver::MergeDriverArgs => merge_driver::run, waits [""];
    "merge", ForHooks, merge_driver::MergeArgs => merge_driver::run_merge, waits [""];
    "hook", ForHooks, hooks::HookArgs => hooks::run_hook, looks [""];
    "land", At("Orchestration", 7), land::LandArgs => land::run;
    "fleet", At("Orchestration", 6), fleet::FleetArgs => fleet::run, looks [""], waits [""];
    "agent", At("Agents", 12), agent::AgentArgs => agent::run, looks ["list", "show"];
    "mail", At("Agents", 11), mail::MailArgs => mail::run, looks ["inbox", "overdue", "thread"], waits ["inbox"];
    "mcp", At("Agents", 3), mcp::McpArgs => mcp::run, looks [""], waits [""];
    "watch", At("Agents", 14), watch::WatchArgs => watch::run, looks [""], waits [""];
    "workspace", At("Orchestration", 3), workspace::WorkspaceArgs => workspace::run,
        looks ["du", "env", "gc" unless "apply", "list", "path"], waits ["open"];
    "worktree", At("Orchestration", 4), worktree::WorktreeArgs => worktree::run,
        looks ["info", "list", "prune" unless "apply"];
    "template", Like("workflow"), workflow::template::TemplateArgs => workflow::template::run, looks ["list", "show", "validate"];
    "workflow", At("Orchestration", 5), workflow::WorkflowArgs => workflow::run,
        looks ["list", "show", "template list", "template show", "template validate"], waits ["wait"];
    "setup", At("Agents", 2), setup::SetupArgs => setup::run, shows ["print", "check"];
    "onboard", Like("setup"), onboard::OnboardArgs => onboard::run, looks [""];
    "where", Like("info"), where_::WhereArgs => where_::run, looks [""];
    "info", At("Joined repos", 2), info::InfoArgs => info::run, looks [""];
    "schema", Like("help"), schema::SchemaArgs => schema::run, looks [""];
    "completions" | "completion", Like("help"), completions::CompletionsArgs => |args, cx| completions::run(args, COMMANDS, cx),
        looks [""];
    "man", Like("help"), man::ManArgs => |args, cx| man::run(args, COMMANDS, cx), looks ["" unless "install"];
    "version", Like("info"), version::VersionArgs => version::run, looks [""];
    "quickstart", Like("help"), quickstart::QuickstartArgs => quickstart::run, looks [""];
    "help", At("Every day", 18), help::HelpArgs => |args, cx| help::run(args, COMMANDS, cx), looks [""];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::entry::GROUPS;

    #[test]
    fn every_command_has_its_own_place() {
        for group in GROUPS {
            let mut places: Vec<u8> = COMMANDS.0.iter().filter_map(|entry| entry.place_in(group)).collect();
            places.sort_unstable();
            assert!(places.iter().copied().eq(1..=places.len() as u8), "{group}: {places:?}");
        }
        assert_eq!(COMMANDS.in_group(GROUPS[0]).len(), 18);
        for entry in COMMANDS.0 {
            match entry.place {
                At(group, _) => assert!(GROUPS.contains(&group), "{}", entry.name),
                Like(other) => assert!(matches!(COMMANDS.find(other).unwrap().place, At(..)), "{}", entry.name),
                ForHooks => {}
            }
        }
    }

    #[test]
    fn every_command_has_a_line_of_help_and_an_example() {
        for sub in COMMANDS.parser().get_subcommands() {
            assert!(sub.get_about().is_some(), "{} has no help", sub.get_name());
            let long = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(long.contains("bd "), "{} has no example", sub.get_name());
        }
    }

    #[test]
    fn forms_and_arguments_that_rows_name_exist() {
        for entry in COMMANDS.0 {
            let mut whole = entry.parser();
            whole.build();
            let find = |form: &str| {
                let words = form.split_whitespace();
                let found = words.clone().try_fold(&whole, |command, word| command.find_subcommand(word));
                found.unwrap_or_else(|| panic!("no command {} {form}", entry.name)).clone()
            };
            entry.waits.iter().for_each(|form| drop(find(form)));
            let looks = entry.looks.iter().copied();
            for (form, names) in looks.chain([("", entry.shows)]) {
                for name in names {
                    let has = |arg: &clap::Arg| arg.get_id() == *name;
                    assert!(find(form).get_arguments().any(has), "{} {form} has no {name}", entry.name);
                }
                find(form);
            }
        }
    }
}
