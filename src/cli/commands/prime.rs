use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::client::{self, Client, HookInput};
use crate::ops::{self, PrimeWish};
use crate::store::AGENT_VARIABLE;
use crate::view::{self, Exit, Failure, inline};

/// Print what an agent must know to begin: its work, what is ready, how to work here
///
/// At most 900 tokens (bytes / 3, rounded up), with --full 2,400; what is left out is counted. Nothing is written and no network
/// is used. Outside of a project nothing is printed. What ledgers say is quoted (`> `): it is data. A `.beads/PRIME.md` of the project
/// is added once you have agreed to it with `bd trust`.
///
/// With --hook, the answer to a client's session hook: reads what the client says from standard input, prints JSON, and always
/// exits 0. A session is told once, and again after its context was compacted or cleared.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd prime
  bd prime --full
  bd prime --json
  echo '{\"source\":\"startup\"}' | bd prime --hook claude")]
pub(super) struct PrimeArgs {
    /// Show up to 20 issues of each kind
    #[arg(long)]
    full: bool,
    /// Answer a session hook of CLIENT: claude, codex, gemini, cursor or copilot
    #[arg(long, value_name = "CLIENT", conflicts_with = "full")]
    hook: Option<String>,
    #[command(flatten)]
    original: OriginalArgs,
}

/// Flags with which hooks of the original call this. An error there would stop the agent.
#[derive(Debug, Args)]
struct OriginalArgs {
    #[arg(long, hide = true)]
    hook_json: bool,
    #[arg(long, hide = true)]
    stealth: bool,
    /// Accepted for compatibility: there are no memories, so nothing is printed
    #[arg(long, hide = true)]
    memories_only: bool,
    #[arg(long, hide = true)]
    mcp: bool,
    #[arg(long, hide = true)]
    export: bool,
}

/// Answer a hook that the original installed for Codex
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd codex-hook SessionStart")]
pub(super) struct CodexHookArgs {
    /// The hook's name in Codex
    event: Option<String>,
}

pub(super) fn run_codex_hook(args: CodexHookArgs, cx: &mut Context) -> Outcome {
    if args.event.as_deref() == Some("SessionStart") {
        answer_hook("codex", cx);
    }
    Ok(Exit::Ok)
}

fn answer_hook(name: &str, cx: &mut Context) {
    let client = Client::find(name);
    let text = hooked(client, cx);
    cx.ui.line(&client::envelope(client, text.as_deref()));
}

pub(super) fn run(args: PrimeArgs, cx: &mut Context) -> Outcome {
    if args.original.memories_only {
        return Ok(Exit::Ok);
    }
    if args.original.hook_json {
        answer_hook("claude", cx);
        return Ok(Exit::Ok);
    }
    if let Some(name) = &args.hook {
        answer_hook(name, cx);
        return Ok(Exit::Ok);
    }
    let wish = if args.full { PrimeWish::FULL } else { PrimeWish::SHORT };
    let Some(store) = cx.project()? else { return Ok(Exit::Ok) };
    let prime = ops::prime(store, wish)?;
    let text = view::prime_text(&prime);
    json_answer!(cx, view::primed(&prime, &text));
    cx.ui.verbatim(&text.text);
    Ok(Exit::Ok)
}

/// The most that a client may say.
const MAX_INPUT: u64 = 16 << 20;
/// How long to wait for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the client says on standard input; nothing if it cannot be read or does not come.
fn piped() -> Vec<u8> {
    if io::stdin().is_terminal() {
        return Vec::new();
    }
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    receive.recv_timeout(PATIENCE).unwrap_or_default()
}

/// What a session is told, if anything. A client cannot do anything about a failure: the agent is told of it.
fn hooked(client: Option<&Client>, cx: &mut Context) -> Option<String> {
    let input = HookInput::read(&piped());
    let source = input.source.as_deref().unwrap_or("startup");
    let wish = PrimeWish { resumes: source == "compact", names_itself: names_itself(client), ..PrimeWish::SHORT };
    begin(client, &input, cx);
    session_text(&input, source, wish, cx).unwrap_or_else(|failure| {
        let why: String = inline(&failure.message).chars().take(500).collect();
        Some(format!("bd cannot read the issues of this project (`bd doctor` may tell more):\n> {why}\n"))
    })
}

/// Its commands do not tell which session they belong to.
fn names_itself(client: Option<&Client>) -> bool {
    client.is_none_or(|client| client.variable.is_none())
}

/// Makes this command one of the session that the client speaks of, in its directory.
fn begin(client: Option<&Client>, input: &HookInput, cx: &mut Context) {
    let directory = input.directory.as_deref().map(Path::new);
    if let Some(directory) =
        directory.filter(|path| cx.global.directory.is_none() && path.is_absolute() && path.is_dir())
    {
        cx.global.directory = Some(directory.to_owned());
    }
    let (Some(client), Some(session)) = (client, &input.session) else { return };
    let is_named = cx.global.agent.is_some() || cx.host().env.var(AGENT_VARIABLE).is_some();
    match client.variable {
        Some(variable) => cx.set_variable(variable, session),
        None if !is_named => cx.set_variable(AGENT_VARIABLE, &client.session(session)),
        None => {}
    }
}

fn session_text(input: &HookInput, source: &str, wish: PrimeWish, cx: &mut Context) -> Result<Option<String>, Failure> {
    let readonly = cx.global.readonly;
    let Some(store) = cx.project()? else { return Ok(None) };
    // Its context is gone, and with it what it was told before.
    let starts_over = matches!(source, "compact" | "clear");
    if let Some(session) = input.session.as_ref().filter(|_| !starts_over && !readonly)
        && !ops::note_primed(store, session, source)
    {
        return Ok(None);
    }
    Ok(Some(view::prime_text(&ops::prime(store, wish)?).text))
}
