use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Context, Outcome};
use crate::ops::{self, SETUP_CLIENTS, SetupAction, SetupClient, SetupReport, SetupRequest, SetupState};
use crate::view::{self, Exit, inline};

/// Set bd up for a coding agent: instructions, a skill, and a session hook that runs `bd prime`
///
/// Writes a marked block into AGENTS.md (or CLAUDE.md, GEMINI.md if there is one; links and `@AGENTS.md` are followed), a SKILL.md, and
/// the client's session hook, or with --mcp an entry for `bd mcp`. Settings files keep every other byte; --remove gives back the bytes
/// from before. A file that cannot be edited safely is refused, and then nothing is written. For a contributor everything goes to the
/// home directory, so that nothing ends up in a pull request.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd setup claude
  bd setup codex --check
  bd setup cursor --user --mcp
  bd setup claude --remove")]
pub struct SetupArgs {
    /// The client
    #[arg(value_parser = PossibleValuesParser::new(SETUP_CLIENTS.iter().map(|client| client.name)))]
    client: String,
    /// Only say what is installed; exits 1 if something is missing
    #[arg(long, group = "action")]
    check: bool,
    /// Take everything out again
    #[arg(long, group = "action")]
    remove: bool,
    /// Only print what would be written
    #[arg(long, group = "action")]
    print: bool,
    /// Set it up in your home directory, for all projects
    #[arg(long)]
    user: bool,
    /// Add an entry for the MCP server in place of the hook
    #[arg(long)]
    mcp: bool,
}

pub fn run(args: SetupArgs, cx: &mut Context) -> Outcome {
    let client = SetupClient::find(&args.client).expect("the parser knows only these");
    let action = match (args.check, args.remove, args.print) {
        (true, ..) => SetupAction::Check,
        (_, true, _) => SetupAction::Remove,
        (.., true) => SetupAction::Print,
        _ => SetupAction::Install,
    };
    let request = SetupRequest { client, action, user: args.user, mcp: args.mcp };
    let env = cx.host_here().env;
    let report = match args.user {
        true => ops::setup(cx.project()?, &env, request)?,
        false => ops::setup(Some(cx.store()?), &env, request)?,
    };
    let is_whole = report.files.iter().all(|file| file.state == SetupState::Installed);
    let exit = if args.check && !is_whole { Exit::Failed } else { Exit::Ok };
    if cx.ui.wants_json() {
        cx.json(view::set_up(&report));
        return Ok(exit);
    }
    print(&report, action, cx);
    Ok(exit)
}

fn print(report: &SetupReport, action: SetupAction, cx: &mut Context) {
    if let Some(because) = &report.because {
        cx.ui.note(&inline(&format!("in your home directory: {because}")));
    }
    for file in &report.files {
        let path = file.path.display();
        match action {
            SetupAction::Print => {
                cx.ui.line(&inline(&format!("{} {path}:", file.what)));
                cx.ui.verbatim(&format!("{}\n", file.text));
            }
            _ => cx.ui.line(&inline(&format!("{}  {}  {path}", file.state.word(), file.what))),
        }
    }
    let is_new = report.files.iter().any(|file| matches!(file.state, SetupState::Added | SetupState::Updated));
    if is_new {
        cx.ui.note(report.next);
    }
}
