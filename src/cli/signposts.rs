//! Commands and flags of other programs, and what to use here instead. One table, printed by `bd help other-tools` and by the tips after a
//! mistake.

use std::fmt::Write as _;

/// The words of one program, and the answers. A flag belongs to the command before it.
struct Program {
    name: &'static str,
    rows: &'static [(&'static str, &'static str)],
}

const PROGRAMS: [Program; 2] = [
    Program {
        name: "beads",
        rows: &[
            ("activity", "`bd watch` prints events as they happen, `bd log` what happened before"),
            (
                "ado, github, gitlab, jira, linear, notion",
                "other trackers are not synced; `bd import FILE` reads JSONL",
            ),
            ("admin, compact, flatten, gc, purge", "`bd prune` removes old closed issues; history keeps them"),
            ("audit", "`bd log ID` shows who changed what; `bd blame ID` who set each field"),
            (
                "backup, bootstrap",
                "the ledger is a file in version control; a clone has all of it, and `bd export` prints it",
            ),
            ("branch", "the ledger follows the branch that is checked out"),
            ("close --claim-next", "`bd ready --claim` takes the next issue"),
            ("close --continue", "`bd close --suggest-next` shows what became ready"),
            (
                "config apply, config drift",
                "settings are files, and nothing is to be applied; `bd config list --origin` shows where each is from",
            ),
            ("config show", "`bd config list`"),
            ("cook, formula, mol, swarm", "`bd workflow` runs a plan of dependent tasks"),
            ("create --graph", "`bd add -f plan.md` and `bd batch` file several issues with their dependencies"),
            ("create --append-notes", "`bd add TITLE --notes TEXT`"),
            ("create --design-file", "`bd add TITLE`, then `bd update ID --design TEXT`"),
            ("create --no-inherit-labels", "no issue gets the labels of its parent"),
            ("create --validate", "`bd lint ID` checks the sections that a type needs"),
            ("create-form", "`bd add --editor` opens a form in your editor"),
            ("daemon, ping", "nothing runs in the background; `bd info` shows the ledger in use"),
            ("delete --cascade", "`bd delete --where 'parent=ID'` deletes the children of an issue"),
            ("delete --from-file", "`bd delete - < FILE`"),
            ("dep add --file", "`bd batch < FILE` adds many dependencies"),
            ("dep add --no-cycle-check", "a dependency that closes a circle is always refused"),
            ("dep tree --direction", "`bd dep tree ID --reverse` shows what depends on it"),
            ("dep tree --format", "`bd graph ID`"),
            ("doctor --deep, doctor --perf", "`bd doctor` always checks everything"),
            (
                "dolt, federation, repo sync, vc",
                "`bd sync` fetches and pushes the ledgers; `bd log` and `bd diff` show their history",
            ),
            ("duplicates --auto-merge", "`bd close ID --duplicate-of OTHER` closes one of the two"),
            ("export --include-memories", "`bd export` prints every line, those of memories, too"),
            (
                "export --scrub",
                "`bd export` prints the ledger unchanged; `bd propose` publishes an issue without its private fields",
            ),
            ("find-duplicates", "`bd triage`"),
            (
                "forget, kv, memories, recall, remember",
                "nothing is remembered beside issues; `bd note ID TEXT` keeps it with one, AGENTS.md for all agents",
            ),
            (
                "gate",
                "`bd dep add ID OTHER` lets an issue wait; one with the label `human` waits for a person (`bd human`)",
            ),
            ("history, show --as-of", "`bd log ID` shows the history of an issue, `bd show ID --at WHEN` how it was"),
            ("import --dedup", "`bd import` never files the same issue twice; `bd triage` lists those with one title"),
            ("init --force", "`bd init` changes nothing that is there"),
            ("init --stealth", "`bd init --contributor` keeps your issues out of the project's commits"),
            ("label propagate", "`bd update --where 'parent=ID' --add-label LABEL`"),
            ("link", "`bd dep add ID OTHER` makes ID wait for OTHER, `bd dep relate` links two"),
            ("list --label-pattern, list --label-regex", "`bd list 'label~TEXT'` finds labels that contain a text"),
            ("list --watch, show --watch", "`bd watch` prints what changes, as it changes"),
            ("list --empty-description", "`bd list 'description=none'`"),
            ("list --no-labels", "`bd list -l none`"),
            ("list --pinned", "`bd list -s pinned`"),
            ("list --metadata-field", "`bd list --json` prints the metadata of each issue"),
            ("merge-slot", "`bd reserve FILE` keeps files for one agent"),
            ("migrate issues, move, refile", "`bd migrate --move-to REPO --filter id=ID`"),
            ("preflight", "`bd doctor` checks the ledgers, `bd check-leaks` what a commit would publish"),
            ("priority", "`bd update ID -p 1`"),
            ("promote", "every issue is kept; nothing is to be promoted"),
            ("ready --explain", "`bd why ID`"),
            ("ready --gated, ready --mol", "`bd workflow show ID` shows the tasks of a plan"),
            (
                "rename",
                "`bd update ID --title TEXT` changes a title, `bd rename-prefix` the prefix of all ids; a single id stays",
            ),
            ("resolve-conflicts", "`bd resolve`"),
            ("set-state", "`bd label add ID NAME:VALUE`"),
            ("ship", "`bd close ID`, and `bd label add ID provides:NAME` for those who wait in other projects"),
            ("show --children", "`bd list --parent ID`"),
            ("show --current", "`bd resume` shows your open work"),
            ("show --refs, show --thread", "`bd show ID` prints links and comments; `bd mail thread` a conversation"),
            ("sql", "`bd list CONDITIONS` (see `bd help query`), and --json for programs"),
            ("statuses", "`bd help query` lists the statuses"),
            (
                "sync --check, sync --ours, sync --resolve, sync --theirs, sync --manual, sync --merge",
                "`bd sync` merges issue by issue; `bd resolve` settles a file with conflict markers",
            ),
            ("sync --from-main, sync --set-mode", "`bd sync` follows the branch that git follows"),
            ("tag", "`bd label add ID LABEL`"),
            ("todo", "`bd add TITLE` files one, `bd ready` lists them, `bd close ID` ends one"),
            ("upgrade", "install the new version over the old one; `bd version` prints which this is"),
        ],
    },
    Program {
        name: "gh, git and Taskwarrior",
        rows: &[
            ("active", "`bd list -s in_progress`"),
            ("all", "`bd list --all`"),
            ("annotate, append", "`bd note ID TEXT` adds a line, `bd comment ID TEXT` a comment"),
            ("burndown, summary", "`bd status` counts issues by status"),
            ("calendar, overdue", "`bd list 'due<today'`, `bd list --sort due`"),
            ("checkout, stash, switch", "the ledger follows git: run `git checkout`, `git stash`, `git switch`"),
            ("clone", "`git clone` brings the ledger along; `bd repo add PATH` joins another one"),
            ("completed", "`bd list -s closed`"),
            ("fetch, pull, push", "`bd sync`"),
            ("grep", "`bd search TEXT`"),
            ("issue", "leave the word out: `bd list`, `bd add TITLE`, `bd close ID`"),
            ("lock, pin", "`bd update ID -s pinned` keeps an issue out of `bd ready`"),
            ("mod, modify", "`bd update ID`, as in `bd update ID -p 1 --due friday`"),
            ("next", "`bd ready`"),
            ("note -m, comment -m", "the text needs no flag: `bd note ID TEXT`, `bd comment ID TEXT`"),
            ("pr", "`bd propose ID` offers a planned issue to a project; pull requests are made by git's host"),
            ("projects", "`bd repo list`, `bd label list-all`"),
            ("remove", "`bd delete ID`"),
            ("reset, revert", "`bd undo` takes back your last write, `bd restore ID` an earlier version"),
            ("stop, unassign", "`bd release ID`"),
            ("tags", "`bd label list-all`"),
            ("transfer", "`bd migrate --move-to REPO --filter id=ID`"),
            ("undo -n", "`bd undo 3` takes back three writes"),
            ("waiting", "`bd blocked`, `bd list -s deferred`"),
        ],
    },
];

/// Flags that people type for others of the same command.
const FLAGS: &[(&str, &[&str], &str)] = &[
    ("--body", &["add", "update"], "--description"),
    ("--desc", &["add", "update"], "--description"),
    ("--message", &["add", "update"], "--description"),
    ("--comment", &["close", "reopen"], "--reason"),
    ("--message", &["close", "delete", "reject", "reopen"], "--reason"),
    ("-c", &["close"], "--reason"),
    ("-m", &["close", "delete", "reject", "reopen"], "--reason"),
    ("--state", &["count", "list", "search"], "--status"),
    ("--tag", &["list", "ready"], "--label"),
    ("--tag", &["add"], "--labels"),
    ("--project", &["add"], "--repo"),
    ("--add-assignee", &["update"], "--assignee"),
];

/// The answer to a command of another program, by its words, such as `repo sync`.
pub(super) fn command(words: &str) -> Option<&'static str> {
    row(words)
}

/// The answer to a flag of another program.
pub(super) fn flag(command: &str, flag: &str) -> Option<&'static str> {
    // Both programs have this command under two names.
    let own = if command == "add" { "create" } else { command };
    row(&format!("{own} {flag}"))
}

/// The flag of this command that another program calls so.
pub(super) fn same_flag(command: &str, flag: &str) -> Option<&'static str> {
    let found = FLAGS.iter().find(|(typed, commands, _)| *typed == flag && commands.contains(&command));
    found.map(|(_, _, own)| *own)
}

/// Every word of the table, for guesses after a slip.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    rows().flat_map(|(words, _)| words.split(", ")).filter(|words| !words.contains(' '))
}

fn row(words: &str) -> Option<&'static str> {
    rows().find(|(known, _)| known.split(", ").any(|known| known == words)).map(|(_, advice)| advice)
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROGRAMS.iter().flat_map(|program| program.rows.iter().copied())
}

/// The table as a page of the help.
pub(super) fn page() -> String {
    let mut text =
        "Words of other programs that are not commands here. Each is answered with its line below.\n".to_owned();
    for program in &PROGRAMS {
        let _ = write!(text, "\nFrom {}:\n", program.name);
        for (words, advice) in program.rows {
            let _ = writeln!(text, "  {words}\n      {advice}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::COMMANDS;

    /// A row for a word that means something here would never be read.
    #[test]
    fn no_row_is_about_something_that_exists() {
        let mut whole = COMMANDS.whole();
        whole.build();
        for words in rows().flat_map(|(words, _)| words.split(", ")) {
            let mut at = &whole;
            let mut rest = words.split(' ').peekable();
            while let Some(inner) = rest.peek().and_then(|word| at.find_subcommand(word)) {
                at = inner;
                rest.next();
            }
            let left = rest.next().unwrap_or_else(|| panic!("{words} is a command"));
            let is_flag = |arg: &clap::Arg| {
                let long = left.strip_prefix("--").is_some_and(|left| arg.get_long() == Some(left));
                long || arg.get_short().is_some_and(|short| left == format!("-{short}"))
            };
            assert!(!at.get_arguments().any(is_flag), "{words} is a flag");
        }
        let mut all: Vec<&str> = rows().flat_map(|(words, _)| words.split(", ")).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "a word has two rows");
    }

    #[test]
    fn other_flags_lead_to_flags_that_exist() {
        for (typed, commands, own) in FLAGS {
            for name in *commands {
                let command = COMMANDS.find(name).unwrap().parser();
                let has = |flag: &str| command.get_arguments().any(|arg| arg.get_long() == flag.strip_prefix("--"));
                assert!(has(own) && !(typed.starts_with("--") && has(typed)), "{name} {typed} {own}");
            }
        }
    }
}
