use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, SETUP_CLIENTS, SetupAction, SetupClient, SetupFile, SetupReport, SetupRequest, SetupState};
use crate::view::{self, Exit, Failure, inline};

/// Set up bd for a coding agent: instructions, a skill, and a session hook that runs `bd prime`
///
/// Writes a marked block into AGENTS.md (or CLAUDE.md or GEMINI.md if that exists; links and `@AGENTS.md` are followed), a SKILL.md, and
/// the client's session hook, or with --mcp an entry for `bd mcp`. Settings files keep every other byte, and --remove restores the
/// bytes from before. If a file cannot be edited safely, nothing is written. Text that you wrote or edited is kept unless you add
/// --force. Hooks and servers of the original bd are replaced. For a contributor everything goes to the home directory, so that nothing ends up in a pull request.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd setup claude
  bd setup codex --check
  bd setup cursor --user --mcp
  bd setup claude --remove")]
pub(super) struct SetupArgs {
    /// Client to set up
    #[arg(value_parser = PossibleValuesParser::new(names()))]
    client: String,
    /// Show what is installed, without changing it; exit 1 if something is missing, outdated or turned off
    #[arg(long, group = "action")]
    check: bool,
    /// Remove what bd added; a block or skill that another client uses stays
    #[arg(long, group = "action")]
    remove: bool,
    /// Print what would be written, without writing it
    #[arg(long, group = "action")]
    print: bool,
    /// Use your home directory, for all projects
    #[arg(long)]
    user: bool,
    /// Add an entry for the MCP server instead of the hook
    #[arg(long)]
    mcp: bool,
    /// Also overwrite a block or skill that was edited; with --remove, also remove what was edited or added by hand
    #[arg(long, conflicts_with_all = ["check", "print"])]
    force: bool,
    /// Replace the original's entries without a question
    #[arg(short, long)]
    yes: bool,
}

fn names() -> impl Iterator<Item = PossibleValue> {
    let other = PossibleValue::new(ops::GENERIC).hide(true).help("agents-md");
    SETUP_CLIENTS.iter().map(|client| PossibleValue::new(client.name)).chain([other])
}

pub(super) fn run(args: SetupArgs, cx: &mut Context) -> Outcome {
    let client = SetupClient::find(&args.client).expect("the parser knows only these");
    let action = match (args.check, args.remove, args.print) {
        (true, ..) => SetupAction::Check,
        (_, true, _) => SetupAction::Remove,
        (.., true) => SetupAction::Print,
        _ => SetupAction::Install,
    };
    let mut request =
        SetupRequest { client, action, user: args.user, mcp: args.mcp, force: args.force, keeps_original: false };
    if action == SetupAction::Install && !args.yes && cx.ui.is_interactive() {
        let look = set_up(SetupRequest { action: SetupAction::Check, ..request }, cx)?;
        let old: Vec<&str> = look.files.iter().flat_map(|file| &file.replaces).map(String::as_str).collect();
        let question = format!("Replace what the original bd set up ({})?", cx.ui.short(&old.join(", ")));
        request.keeps_original = !old.is_empty() && !cx.ui.confirm(&question);
    }
    let report = set_up(request, cx)?;
    let is_whole = report.files.iter().all(|file| file.state.is_in_effect());
    let exit = if args.check && !is_whole { Exit::Failed } else { Exit::Ok };
    if cx.ui.wants_json() {
        cx.json(view::set_up(&report));
        return Ok(exit);
    }
    print(&report, action, cx);
    Ok(exit)
}

fn set_up(request: SetupRequest, cx: &mut Context) -> Result<SetupReport, Failure> {
    let env = cx.host_here().env;
    Ok(match request.user {
        true => ops::setup(cx.project()?, &env, request)?,
        false => ops::setup(Some(cx.store()?), &env, request)?,
    })
}

fn print(report: &SetupReport, action: SetupAction, cx: &mut Context) {
    if let Some(because) = report.because.as_ref().filter(|_| action != SetupAction::Remove) {
        cx.ui.note(&inline(&format!("in your home directory: {because}")));
    }
    for file in &report.files {
        let path = cx.ui.path(&file.path);
        let because = file.because.as_ref().map(|why| format!(": {}", cx.ui.short(why))).unwrap_or_default();
        match action {
            SetupAction::Print => {
                cx.ui.line(&inline(&format!("{} {path}:", file.what)));
                cx.ui.verbatim(&format!("{}\n", file.text));
            }
            _ => cx.ui.line(&inline(&format!("{}  {}  {path}{because}", file.state.word(), file.what))),
        }
        if !file.replaces.is_empty() {
            let word =
                if action == SetupAction::Install { "replaced" } else { "of the original bd, and to be replaced" };
            cx.ui.below([format!("{word}: {}", file.replaces.join(", "))]);
        }
    }
    let is_new = |file: &SetupFile| matches!(file.state, SetupState::Added | SetupState::Updated);
    let is_off = report.files.iter().any(|file| is_new(file) && file.because.is_some());
    cx.ui.note_if(report.files.iter().any(is_new) && !is_off, report.next);
}
