use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::ui::Ui;
use crate::ops::{self, Agreed, TrustPart};
use crate::store::OutsidePath;
use crate::view::{self, Exit, inline};

/// Show what this repository asks of you, and agree to it part by part
///
/// The committed settings can name repos and directories outside of the repository and a command for workspaces; they are not used
/// until you agree. The repository's own version control settings, not yours, can name programs, files to write and ways for passwords; links
/// in its directory can lead out of it. Until you agree, `bd` reads and writes issues there but does not commit, merge or sync. You
/// agree to exactly what is listed; something new asks again. Settings that no bd command uses are listed too, and need no consent.
/// `bd prime` shows .beads/PRIME.md to agents once you agree to exactly that text. Personal settings that you did not make with this
/// `bd` have no effect, because an unpacked archive may bring them; until you confirm that they are yours, `bd` reads and does not
/// write. docs/security.md says more.
///
/// On a terminal it asks for each part; in a script it agrees to all, so look with --dry-run first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd trust\n  bd trust --dry-run\n  bd trust ~/src/project --yes")]
pub(super) struct TrustArgs {
    /// A directory in the working copy; without one, all working copies of the project
    #[arg(value_name = "DIR")]
    path: Option<String>,
    /// Show what you would agree to; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Agree to everything without a question
    #[arg(short, long, conflicts_with = "dry_run")]
    yes: bool,
}

pub(super) fn run(args: TrustArgs, cx: &mut Context) -> Outcome {
    let asks = !args.yes && !args.dry_run && cx.ui.is_interactive();
    let agreed =
        if asks { ask(args.path.as_deref(), cx)? } else { agree(args.path.as_deref(), cx, |_, _| !args.dry_run)? };
    if cx.ui.wants_json() {
        cx.ui.json(view::trusted(&agreed, args.dry_run), &[]);
        return Ok(Exit::Ok);
    }
    if !agreed.paths.is_empty() && !asks {
        let verb = if args.dry_run { "not trusted" } else { "trusted" };
        show(&mut cx.ui, &TrustPart::Paths(&agreed.paths), verb);
    }
    for one in agreed.copies.iter().filter(|one| !asks || one.known || one.programs.is_empty()) {
        let verb = match (one.programs.is_empty(), one.known, args.dry_run) {
            (true, _, _) => "asks for nothing",
            (false, true, _) => "trusted already",
            (false, false, true) => "not trusted",
            (false, false, false) => "trusted",
        };
        show(&mut cx.ui, &TrustPart::Programs(one), verb);
    }
    for one in agreed.homes.iter().filter(|one| !asks || one.is_trusted) {
        let verb = match (one.is_trusted, args.dry_run) {
            (true, _) => "yours already",
            (false, true) => "not known to be yours",
            (false, false) => "yours from now on",
        };
        show(&mut cx.ui, &TrustPart::Home(one), verb);
    }
    if let Some(one) = agreed.text.as_ref().filter(|one| !asks || one.known) {
        let verb = match (one.known, args.dry_run) {
            (true, _) => "trusted already",
            (false, true) => "not trusted; `bd prime` would show it to agents",
            (false, false) => "trusted; `bd prime` shows it to agents",
        };
        show(&mut cx.ui, &TrustPart::Text(one), verb);
    }
    Ok(Exit::Ok)
}

fn agree(
    path: Option<&str>,
    cx: &mut Context,
    mut decide: impl FnMut(&mut Ui, TrustPart<'_>) -> bool,
) -> Result<Agreed, view::Failure> {
    let Some(path) = path else {
        let (store, ui) = cx.parts()?;
        return Ok(ops::agree(store, &mut |part| decide(ui, part))?);
    };
    let (directory, host) = (cx.directory(), cx.host().clone());
    Ok(ops::agree_at(path, &directory, &host, &mut |part| decide(&mut cx.ui, part))?)
}

/// Shows each part that was not agreed to before, and asks for it.
fn ask(path: Option<&str>, cx: &mut Context) -> Result<Agreed, view::Failure> {
    agree(path, cx, |ui, part| {
        let (verb, question) = match &part {
            TrustPart::Paths(_) => ("not used until you agree", "Use these?"),
            TrustPart::Programs(_) => ("not trusted", "May version control run these for bd?"),
            TrustPart::Home(_) => ("not known to be yours", "Did you put this there with bd?"),
            TrustPart::Text(_) => ("not trusted", "May `bd prime` show this text to agents?"),
        };
        show(ui, &part, verb);
        let agrees = ui.confirm(question);
        ui.note(if agrees { "trusted" } else { "not trusted" });
        agrees
    })
}

fn show(ui: &mut Ui, part: &TrustPart<'_>, verb: &str) {
    let (place, lines): (_, Vec<String>) = match part {
        TrustPart::Paths(paths) => {
            let lines = paths.iter().map(|path| path_line(ui, path));
            ("the committed settings".to_owned(), lines.collect())
        }
        TrustPart::Programs(one) => {
            let idle = one.idle.iter().map(|setting| format!("no bd command uses {setting}"));
            (ui.path(&one.root), one.programs.iter().cloned().chain(idle).collect())
        }
        TrustPart::Home(one) => (ui.path(&one.home), one.contents.clone()),
        TrustPart::Text(one) => (ui.path(&one.path), one.text.lines().map(str::to_owned).collect()),
    };
    ui.line(&inline(&format!("{place}: {verb}")));
    ui.below(lines);
}

/// A path as it is written, and where it leads.
pub(super) fn path_line(ui: &Ui, path: &OutsidePath) -> String {
    let leads = !path.resolved.as_os_str().is_empty();
    let resolved = leads.then(|| ui.path(&path.resolved)).filter(|shown| *shown != path.text);
    let missing = path.is_missing().then(|| "the directory does not exist yet".to_owned());
    let about: Vec<String> = resolved.into_iter().chain(missing).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join("; ")) };
    format!("{} = {}{about}", path.key, path.text)
}
