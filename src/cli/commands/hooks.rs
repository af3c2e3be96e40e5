use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::check_leaks;
use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::{HooksRequest, HooksStatus, MERGES_STATES};
use crate::view::{self, Exit, inline};

/// Install git hooks: leak check and ledger merge
///
/// The hooks run `bd check-leaks` and then the hook that was there before, with the same arguments and input. Uninstalling
/// leaves everything as it was. Hooks that are committed with the project are not touched: core.hooksPath leads past them and
/// passes every hook on.
///
/// The merge driver has git merge the ledger issue by issue and field by field; hg and jj get it as a merge tool. It is registered in this
/// clone's own settings and in .git/info/attributes, so that nothing of it is committed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd hooks install\n  bd hooks install --merge-driver-only\n  bd hooks status\n  bd hooks uninstall"
)]
pub(super) struct HooksArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Install the hooks and the merge driver
    Install {
        /// Install only the hooks
        #[arg(long, conflicts_with_all = ["merge_driver_only", "shared"])]
        no_merge_driver: bool,
        /// Install only the merge driver
        #[arg(long)]
        merge_driver_only: bool,
        /// Name the driver in the committed .gitattributes; each clone still has to register it
        #[arg(long)]
        shared: bool,
    },
    /// Uninstall both
    Uninstall,
    /// Show what is installed, and which hooks run after it
    #[command(alias = "list")]
    Status,
    /// Run a git hook; called by hooks that the original installed
    #[command(hide = true)]
    Run(HookArgs),
}

/// Run a git hook
///
/// Hooks that the original installed call this. Before a commit and a push it looks for private things, and only they stop git;
/// for every other hook there is nothing to do.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd hook pre-commit")]
pub(super) struct HookArgs {
    /// The hook's name in git
    name: String,
    /// The arguments that git passed to the hook
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

pub(super) fn run_hook(args: HookArgs, cx: &mut Context) -> Outcome {
    let remote = args.rest.first().map(|word| word.to_string_lossy().into_owned());
    check_leaks::in_hook(&args.name, remote, cx)
}

pub(super) fn run(args: HooksArgs, cx: &mut Context) -> Outcome {
    let (status, changed, word) = match args.action.unwrap_or(Action::Status) {
        Action::Run(args) => return run_hook(args, cx),
        Action::Status => (ops::hooks_status(cx.store()?)?, false, None),
        Action::Install { no_merge_driver, merge_driver_only, shared } => {
            let request = HooksRequest { hooks: !merge_driver_only, driver: !no_merge_driver, shared };
            let done = ops::install_hooks(cx.store()?, request)?;
            (done.status, done.changed, Some(if done.changed { "Installed" } else { "Nothing to change" }))
        }
        Action::Uninstall => {
            let done = ops::uninstall_hooks(cx.store()?)?;
            (done.status, done.changed, Some("Uninstalled"))
        }
    };
    json_answer!(cx, view::hooks(&status, changed));
    if let Some(word) = word {
        cx.ui.done(&format!("{word}: {}", cx.ui.path(&status.directory)));
    }
    print(&status, word != Some("Uninstalled"), word == Some("Installed"), cx);
    Ok(Exit::Ok)
}

fn print(status: &HooksStatus, hooks: bool, installed: bool, cx: &mut Context) {
    for hook in status.hooks.iter().filter(|_| hooks) {
        let next = hook.chained.as_ref().map(|path| format!(", then {}", cx.ui.path(path))).unwrap_or_default();
        cx.ui.line(&inline(&format!("{:<10}  {}{next}", hook.name, hook.state)));
    }
    if hooks && status.driver.state != "unsupported" {
        let file = status.driver.file.as_ref().map(|file| format!(", {}", cx.ui.path(file))).unwrap_or_default();
        cx.ui.line(&inline(&format!("{:<10}  {}{file}", "merge", status.driver.state)));
        if status.driver.state == "installed" {
            cx.ui.hint(&format!(
                "merge with bd {MERGES_STATES} or later in every clone; older versions can reopen closed issues"
            ));
        }
        if status.driver.shared && installed {
            cx.ui.hint("commit .gitattributes; run `bd hooks install --merge-driver-only` in every other clone");
        }
    }
    for remark in &status.remarks {
        cx.ui.warning(remark);
    }
}
