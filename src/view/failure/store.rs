//! Failures of the store, of its settings and of hooks.

use super::*;
use crate::model::proposal::{IllegalMove, Standing};
use crate::store::settings::{ConfigError, ConfigFault, SettingsError};
use crate::store::{HistoryError, HookError, StoreError};
use crate::sys::lock::LockError;

const MAINTAIN: &str = "if you maintain this project, run `bd config set routing.role maintainer`";

impl Classify for StoreError {
    fn classify(&self) -> Failure {
        use StoreError::*;
        match self {
            NoRepository { beyond: Some(beyond), .. } => {
                let use_that = format!("for a ledger here, or `bd -C {}` to use that one", shell_path(beyond.ledger()));
                NO_REPOSITORY.hint(run("bd init", use_that))
            }
            NoRepository { .. } => {
                NO_REPOSITORY.run("bd init", "to make one here, or name another place with -C DIR or BEADS_DIR")
            }
            BadVariable { variable, .. } => NO_REPOSITORY.hint(format!("unset {variable}")).or(run("bd init", "there")),
            NoLedger { .. } => no_ledger(),
            OnlyDatabase { database } => {
                let beads = database.parent().unwrap_or(database);
                NO_REPOSITORY
                    .shell(format!(
                        "run `bd export -o {}` with the bd that made it",
                        shell_path(&beads.join("issues.jsonl"))
                    ))
                    .or(run("bd init --empty", "to begin without these issues"))
            }
            OtherLedger { ledger, found } => {
                let name = ledger.file_name().unwrap_or_default().to_string_lossy();
                NO_REPOSITORY.hint(format!("rename {found} to {name}")).or(run("bd config unset ledger.file", ""))
            }
            NotBuilt { .. } => UNSUPPORTED,
            TwoLedgers { .. } => DAMAGED.run("bd doctor --fix", "to join them by id"),
            Redirect { .. } | TooManyRedirects { .. } | InControl { .. } | SharedFile { .. } => ILLEGAL,
            NotADirectory { .. } => {
                NO_REPOSITORY.hint("remove it or put the directory back").shell("bd does not look above it")
            }
            Config(error) => error.classify(),
            Edit(SettingsError::NoPlace(_)) => FAILED
                .hint("set HOME or XDG_STATE_HOME to a directory that you can write")
                .or(shell("pass --config KEY=VALUE for one command")),
            Edit(SettingsError::Lock(LockError::Timeout { .. })) => BUSY,
            Edit(SettingsError::Config(_)) => CONFIG.hint("fix the file first; it was not changed"),
            History(HistoryError::NotARange { .. }) => USAGE.shell(
                "git: two commits, as in origin/main..HEAD; jj: a revset, as in main@origin..@; hg: a revset, as in 'draft()'"),
            Edit(_) | History(_) | Cache(_) => FAILED,
            UnknownKey { .. } => USAGE.run("bd config list", "to see every setting"),
            BadValue(_) | Id(_) => USAGE,
            ReadOnly { .. } => {
                READ_ONLY.shell("plan it in your own repo with `bd add`, without --repo").shell(MAINTAIN)
            }
            WouldLeak { .. } => {
                WOULD_LEAK.shell("choose a planning repo outside the project: run `bd init --contributor PATH`")
            }
            Private { .. } => WOULD_LEAK.run("bd propose ID", "to propose its public part to the maintainers"),
            PrivateExport { .. } => WOULD_LEAK.shell(
                "write it elsewhere, write it to a file that git ignores, or export only public issues with --repo ."),
            NotGit { what, kind, .. } => match (*what, kind.as_str()) {
                ("bd hooks", "jj" | "hg") => UNSUPPORTED
                    .run("bd check-leaks", "before a commit and `bd check-leaks --range REVSET` before a push"),
                ("bd hooks", _) => UNSUPPORTED.run("bd check-leaks --ledger FILE", "before you commit a file"),
                _ => UNSUPPORTED.run("bd check-leaks --ledger FILE", "to check a file as it is"),
            },
            NotCheckedOut { remedy, .. } => {
                WOULD_LOSE.hint("nothing was made").shell(format!("to get them back, {remedy}"))
            }
            NotThen { .. } => NOT_FOUND.run("bd log ID", "to see its versions"),
            CannotRestore { .. } => ILLEGAL.run("bd log ID", "to see its versions"),
            NoHistory { .. } => {
                UNSUPPORTED.shell("put it under git, jj or hg and commit the ledger").hint("nothing was changed")
            }
            Partly { changed, source } => source
                .classify()
                .without_hint().hint("fix the cause, then repeat the command: that finishes a proposal, an edit or a move")
                .shell("after `bd undo`, look with `bd show` first")
                .texts("changed", changed),
            Vcs(error) => error.classify(),
            Record(error) => error.classify(),
            Lease(error) => error.classify(),
            Ledger(error) => error.classify(),
            Change(error) => error.classify(),
            Hooks(error) => error.classify(),
            NoSuchWorktree { .. } => NOT_FOUND.run("bd worktree list", "to see the checkouts"),
            Outrun { pull: true, .. } => OUTRUN.hint("nothing is lost; try again"),
            Outrun { .. } => OUTRUN.shell("try again without --no-pull"),
            HoldsCode { push, .. } => HOLDS_CODE
                .shell(format!("push them with `{push}`"))
                .or(shell("run `bd sync --with-code`, which also runs the repository's own hooks")),
            UntrustedPrograms { root, .. } => not_agreed(root),
            Unseen { .. } => LEAK.hint("bring it back").or(shell("remove it from the project with `bd repo remove`")),
            PrivatePush { .. } => LEAK
                .hint("nothing was sent")
                .run("bd check-leaks --range A..B", "over those commits to see what it is"),
            PrivateCommit { .. } => {
                LEAK.hint("nothing was committed or sent").run("bd check-leaks", "to see what it is")
            }
            OtherTarget { .. } => ILLEGAL.hint("withdraw it in that project first"),
            OtherProject { .. } => {
                OTHER_PROJECT.shell("add --project to move it to this project and propose it here")
            }
            UncommittedLedger { .. } => ILLEGAL
                .hint("the project has no ledger of its own yet")
                .shell("ask its maintainers, then add --start-ledger to let this one be committed"),
            PrivateTarget { .. } => WOULD_LEAK.hint(
                "reverse the dependency, plan the dependent issue in the planning repo, or propose the private one first",
            ),
            PrivateMention { .. } => WOULD_LEAK.hint("remove the id, or propose that issue too"),
            StillProposed { .. } => ILLEGAL.run("bd withdraw ID", "to make it private again"),
            NotCommitter { remedy, .. } => READ_ONLY.shell(remedy.clone()),
            NotMaintainer { .. } => READ_ONLY.run("bd proposals --mine", "to see yours").shell(MAINTAIN),
            Move(IllegalMove { standing: Standing::Canonical, .. }) => ILLEGAL
                .hint("it belongs to this repo already")
                .shell("if you plan here for a project, run the same command in the project (set it up with `bd init --contributor`)"),
            Move(_) => ILLEGAL.run("bd proposals --all", "to see the state of each"),
            NoPlanningCopy { .. } => ILLEGAL
                .hint("only the person who planned the issue can do that")
                .shell("maintainers use `bd accept` or `bd reject`"),
            PlannedHere { project, .. } => {
                let project = project.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
                ILLEGAL.hint(format!("run the same command in the project that it is for{project}"))
            }
            NotMerged { .. } => NOT_MERGED.hint("merge the branch and accept it then; `bd reject ID --reason WHY` needs no merge"),
            TooMany { count, .. } => TOO_MANY.shell(format!("if that is what you want, add --count {count}")),
            NoRoute { missing, .. } => {
                NO_ROUTE.shell(format!("run `bd config set {missing} PATH`, or name the repo with --repo"))
            }
            NoPlanningRepo => NO_ROUTE.shell(
                "run `bd init --contributor`, or name a repo with --repo or `bd config set routing.auto.contributor PATH`; if you maintain this project, run `bd init --maintainer`"),
            BadRoute { .. } => NO_REPOSITORY
                .run("bd init --contributor PATH", "to make it, or name another repo with --repo"),
            Untrusted { .. } => UNTRUSTED
                .shell("read .beads/config.toml, then run `bd trust` if you agree to the paths in it"),
            NoSuchProject { .. } => NOT_FOUND,
            NoSuchRepo { .. } => NOT_FOUND.run("bd repo list", "to see the repos, or `bd repo add PATH` to join one"),
            NotARepo { .. } => NO_REPOSITORY
                .run("bd init", "there for a ledger, or `bd init --contributor PATH` for a planning repo"),
            NoSuchRevision { .. } => NOT_FOUND
                .hint("name a branch, tag or commit of that repo, or a date: 2026-03-01, yesterday, 3d (three days ago)"),
            NoCommonCommit { .. } => NOT_FOUND.hint("use two dots instead of three to compare them as they are"),
            NotFound { .. } => NOT_FOUND.run("bd list --all", "to see every id"),
            LivesElsewhere { repos, .. } => {
                NOT_FOUND.shell("leave --repo out to see it").or("name that repo").texts("repos", repos)
            }
            Ambiguous { .. } => ambiguous_id(),
            Unresolved { unknown, of } => {
                let mut words = unknown.iter().map(|(typed, _)| typed.as_str());
                let failure = unknown.first().map_or(NOT_FOUND, |(_, error)| error.classify());
                if *of == 1 { failure.fact("id", words.next().unwrap_or_default()) } else { failure.texts("ids", words) }
            }
            Unreadable { .. } => DAMAGED.run("bd doctor", "to see which line"),
            Cycle { .. } => ILLEGAL.run("bd dep tree ID", "to see the dependencies"),
            Taken { .. } => ILLEGAL.hint("leave --id out to get a fresh id"),
            NothingToUndo { .. } => {
                NOT_FOUND.run("bd log", "for earlier writes, and `bd restore ID --at REV` to bring one back")
            }
            UndoClash { .. } => CONFLICT
                .hint("nothing was changed")
                .shell("look with `bd show ID` and set the field by hand"),
            UndoDeleted { .. } | UndoDeletedTarget { .. } => ILLEGAL
                .hint("nothing was changed")
                .run("bd reopen ID", "on the deleted issue, then undo again"),
            UndoReferenced { .. } => {
                ILLEGAL.hint("nothing was changed").run("bd delete", "instead: its tombstone keeps the id")
            }
            UndoTooLarge { .. } => ILLEGAL
                .hint("nothing was changed")
                .run("bd restore ID --at REV", "to bring back a committed version"),
            UndoLog { path, .. } => DAMAGED.hint(format!(
                "nothing was changed; later writes can still be undone. Without {}, undo starts again from nothing",
                path.display()
            )),
            UndoElsewhere { .. } => {
                NO_REPOSITORY.hint("nothing was changed; if that repo was moved or deleted, bring it back first")
            }
            Fs(error) => of_file(error),
        }
    }
}

impl Classify for ConfigError {
    fn classify(&self) -> Failure {
        match self.fault {
            ConfigFault::Broken => CONFIG.hint("fix that line or remove it").shell("bd writes nothing until then"),
            ConfigFault::Unmarked => UNTRUSTED
                .run("bd trust --dry-run", "to see what it says")
                .shell("if it is yours, run `bd trust`, otherwise remove the file"),
            ConfigFault::Stray => UNTRUSTED.run("bd trust --dry-run", "to see where it leads").shell(format!(
                "if this is your workspace, run `bd workspace adopt` on it in that repository, otherwise remove {}",
                self.path.display()
            )),
        }
    }
}

impl Classify for HookError {
    fn classify(&self) -> Failure {
        match self {
            HookError::NotInstalled => NOT_FOUND.run("bd hooks install", ""),
            HookError::Edited { .. } => {
                ILLEGAL.shell("save what you added and remove the file yourself, then run `bd hooks uninstall` again")
            }
            HookError::LeadsOut { .. } => {
                ILLEGAL.shell("if the directory is yours, name it with `git config core.hooksPath`")
            }
            HookError::OtherDriver { .. } => ILLEGAL
                .hint("remove that setting from the repository's own settings")
                .or(shell("keep it and use --no-merge-driver")),
            HookError::InTheWay { .. } | HookError::Overruled => ILLEGAL,
        }
    }
}
