use clap::{Args, Subcommand};

use super::{Context, Outcome};
use crate::ops;
use crate::store::HooksStatus;
use crate::view::{self, Exit, inline};

/// Have git look for private things before every commit and push
///
/// The hooks run `bd check-leaks` and then the hook that was there before, with the same arguments and input. Uninstalling
/// leaves everything as it was. Hooks that are committed with the project are not touched: core.hooksPath leads past them and
/// passes every hook on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd hooks install\n  bd hooks status\n  bd hooks uninstall")]
pub struct HooksArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Put the hooks in
    Install,
    /// Take them out again
    Uninstall,
    /// What is installed, and what runs after it
    Status,
}

pub fn run(args: HooksArgs, cx: &mut Context) -> Outcome {
    let (status, changed, word) = match args.action.unwrap_or(Action::Status) {
        Action::Status => (ops::hooks_status(cx.store()?)?, false, None),
        Action::Install => {
            let done = ops::install_hooks(cx.store()?)?;
            (done.status, done.changed, Some(if done.changed { "Installed" } else { "Nothing to change" }))
        }
        Action::Uninstall => {
            let done = ops::uninstall_hooks(cx.store()?)?;
            (done.status, done.changed, Some("Uninstalled"))
        }
    };
    if cx.ui.wants_json() {
        cx.json(view::hooks(&status, changed));
        return Ok(Exit::Ok);
    }
    if let Some(word) = word {
        cx.ui.done(&format!("{word}: {}", status.directory.display()));
    }
    print(&status, word != Some("Uninstalled"), cx);
    Ok(Exit::Ok)
}

fn print(status: &HooksStatus, hooks: bool, cx: &mut Context) {
    for hook in status.hooks.iter().filter(|_| hooks) {
        let next = hook.chained.as_ref().map(|path| format!(", then {}", path.display())).unwrap_or_default();
        cx.ui.line(&inline(&format!("{:<10}  {}{next}", hook.name, hook.state)));
    }
    for remark in &status.remarks {
        cx.ui.warning(remark);
    }
}
