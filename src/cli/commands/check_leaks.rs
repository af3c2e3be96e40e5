use std::io::Read as _;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::LeakScope;
use crate::view::{self, Exit, Failure, inline, plural};

/// Check what a commit would publish for private issues and fields
///
/// Looks at what a commit adds to any file: issues that are local or that a planning repo keeps to itself, private notes and
/// fields of proposed issues, dependencies on private issues, the path of a planning repo or of the personal settings. Exits
/// 8 if there is one. A range is looked at commit by commit: what a later commit takes out again is still in the history.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd check-leaks                        what is staged; jj and hg: what a commit would take
  bd check-leaks --range origin/main..HEAD
  bd check-leaks --range 'draft()'      hg; with jj: 'main@origin..@'
  bd check-leaks --ledger export.jsonl  a file, all of it
  bd hooks install                      before every commit and push")]
pub(super) struct CheckLeaksArgs {
    /// Check what is staged, or with jj and hg what a commit would take (the default)
    #[arg(long, group = "what")]
    staged: bool,
    /// Check every commit of a range, or of a revset of jj or hg
    #[arg(long, group = "what", value_name = "A..B")]
    range: Option<String>,
    /// Check a file as it is
    #[arg(long, group = "what", value_name = "FILE")]
    ledger: Option<String>,
    /// Act as a git hook
    #[arg(long, group = "what", value_name = "NAME", hide = true)]
    hook: Option<String>,
    #[arg(long, value_name = "NAME", hide = true, requires = "hook")]
    remote: Option<String>,
}

pub(super) fn run(args: CheckLeaksArgs, cx: &mut Context) -> Outcome {
    let in_hook = args.hook.is_some();
    match check(args, cx) {
        // No ledger here, or no git: a hook shared by several repositories has nothing to check.
        Err(failure) if in_hook && failure.exit == Exit::NoRepository => Ok(Exit::Ok),
        // In a hook only this code stops git, so that an unrelated program called `bd` cannot.
        Err(failure) if in_hook => Err(Failure { exit: Exit::Damaged, ..failure }),
        other => other,
    }
}

/// The same for a hook that is not ours and takes every other exit code than 0 for a reason to stop git: only a leak is one.
pub(super) fn in_hook(name: &str, remote: Option<String>, cx: &mut Context) -> Outcome {
    if !["pre-commit", "pre-push"].contains(&name) {
        return Ok(Exit::Ok);
    }
    let hook = Some(name.to_owned());
    let args = CheckLeaksArgs { staged: false, range: None, ledger: None, hook, remote };
    match check(args, cx) {
        Err(failure) if failure.is_leak() => Err(failure),
        Err(failure) if failure.exit == Exit::NoRepository => Ok(Exit::Ok),
        Err(failure) => {
            cx.ui.warning(&format!("nobody looked for private issues: {}", failure.message));
            Ok(Exit::Ok)
        }
        done => done,
    }
}

fn check(args: CheckLeaksArgs, cx: &mut Context) -> Outcome {
    let in_hook = args.hook.is_some();
    let scope = match (args.range, args.ledger, args.hook.as_deref()) {
        (Some(range), _, _) => LeakScope::Range(range),
        (_, Some(file), _) => LeakScope::Ledger(cx.directory().join(file)),
        (_, _, Some("pre-push")) => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().read_to_end(&mut bytes);
            read.map_err(|error| Failure::failed(format!("cannot read standard input: {error}")))?;
            let refs = String::from_utf8_lossy(&bytes).into_owned();
            LeakScope::Push { remote: args.remote.unwrap_or_default(), refs }
        }
        _ => LeakScope::Staged,
    };
    if in_hook && !ops::wants_hooks(cx.store()?)? {
        return Ok(Exit::Ok);
    }
    let report = ops::check_leaks(cx.store()?, &scope)?;
    for file in &report.skipped {
        cx.ui.warning(&format!("{file} is too large to look at"));
    }
    if cx.ui.wants_json() && !in_hook {
        cx.json(view::leak_report(&report));
    } else {
        for leak in &report.leaks {
            let commit = leak.commit.as_deref().map(|id| format!("{} ", &id[..10])).unwrap_or_default();
            let text = format!("{commit}{}:{}: {}", leak.file, leak.line, view::leak_text(&leak.found));
            cx.ui.line(&inline(&text));
        }
    }
    if !report.leaks.is_empty() {
        let count = report.leaks.len();
        let verb = if count == 1 { "is" } else { "are" };
        let message = format!("{} that must not be committed {verb} in it", plural(count, "private thing"));
        let failure = Failure::leak(message);
        return Err(match report.leaks.iter().any(|leak| leak.commit.is_some()) {
            true => failure.without_hint().shell("rewrite those commits before you push them, with `git rebase -i`"),
            false => failure,
        });
    }
    if !cx.ui.wants_json() && !in_hook {
        cx.ui.note(&format!("nothing private in {}", plural(report.checked, "changed file")));
    }
    Ok(Exit::Ok)
}
