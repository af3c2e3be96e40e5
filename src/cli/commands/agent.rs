use std::path::Path;

use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::model::agent::{Role, Status};
use crate::model::duration;
use crate::model::json::Dialect;
use crate::model::workspace::Workspace;
use crate::ops::{self, AgentFilter, Registration, Seen};
use crate::view::{self, Exit, Failure, inline, plural};

/// Register agents and see who is active
///
/// Name the acting agent with --agent or BD_AGENT. An agent is offline after 15 minutes of silence, or as soon as its registered
/// process exits. Nothing runs in the background: each command works this out when it looks.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd agent register worker-1 --cap rust --pid $$
  BD_AGENT=worker-1 bd agent heartbeat --status busy --note 'running the tests'
  bd agent list --role worker
  bd agent unregister worker-1")]
pub(super) struct AgentArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Register(RegisterArgs),
    /// Report that the agent is active, and list what is new for it
    Heartbeat {
        /// What the agent is doing
        #[arg(long, value_name = "busy|online", value_parser = own_status)]
        status: Option<Status>,
        /// A note on it; an empty text removes the note
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// List the agents
    List {
        /// Only agents with this status: online, busy, offline or gone (unregistered)
        #[arg(long, value_name = "STATUS", value_parser = status)]
        status: Option<Status>,
        /// Only agents with this role
        #[arg(long, value_name = "ROLE", value_parser = role)]
        role: Option<Role>,
        /// Only agents with this capability
        #[arg(long = "cap", value_name = "CAPABILITY")]
        capability: Option<String>,
        /// Only agents that went silent without unregistering
        #[arg(long)]
        stale: bool,
        /// Only agents last seen in this checkout, by id, name or path
        #[arg(long, value_name = "CHECKOUT")]
        worktree: Option<String>,
    },
    /// Show one agent
    Show {
        /// The agent, by name or id (default: the acting agent)
        who: Option<String>,
    },
    /// End an agent's session; frees its unfinished issues and keeps its record
    Unregister {
        /// The agent, by name or id (default: the acting agent)
        who: Option<String>,
        /// Why; added as a comment to each issue it leaves
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Record which agents are offline and take back their claims
    Sweep {
        /// Silent for at least this long (default: 15m)
        #[arg(long, value_name = "DURATION", value_parser = length)]
        older_than: Option<i64>,
        /// Show which agents it would be; change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// Register an agent; registering a name again keeps its id and everything you do not set
#[derive(Debug, Args)]
struct RegisterArgs {
    /// The name, as the ledger will show it
    name: String,
    /// Role: worker, coordinator, reviewer or human (default: worker)
    #[arg(long, value_name = "ROLE", value_parser = role)]
    role: Option<Role>,
    /// What it runs in, such as claude-code; an empty text removes it
    #[arg(long, value_name = "TEXT")]
    runtime: Option<String>,
    /// A capability; repeatable; an empty text removes all
    #[arg(long = "cap", value_name = "CAPABILITY", value_delimiter = ',')]
    capabilities: Option<Vec<String>>,
    /// The process that lives as long as the agent; never that of a short command
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
    /// Other facts; repeatable
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
    /// Take the name over even if it seems active: it is the same agent
    #[arg(long)]
    again: bool,
}

fn role(word: &str) -> Result<Role, String> {
    Role::parse(word).ok_or_else(|| "worker, coordinator, reviewer or human".to_owned())
}

fn status(word: &str) -> Result<Status, String> {
    Status::parse(word).ok_or_else(|| "online, busy, offline or gone".to_owned())
}

fn own_status(word: &str) -> Result<Status, String> {
    Status::parse(word).filter(|status| status.is_alive()).ok_or_else(|| "busy or online".to_owned())
}

pub(super) fn length(text: &str) -> Result<i64, String> {
    duration::parse(text).ok_or_else(|| "not a length of time such as 90s, 30m, 2h or 1d".to_owned())
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("KEY=VALUE")?;
    Ok((key.to_owned(), Dialect::default().string(value)))
}

pub(super) fn run(args: AgentArgs, cx: &mut Context) -> Outcome {
    match args.action {
        Action::Register(args) => register(args, cx),
        Action::Heartbeat { status, note } => heartbeat(status, note.as_deref(), cx),
        Action::List { status, role, capability, stale, worktree } => {
            list(&AgentFilter { status, role, capability, stale, worktree }, cx)
        }
        Action::Show { who } => show(who.as_deref(), cx),
        Action::Unregister { who, reason } => unregister(who.as_deref(), reason.as_deref(), cx),
        Action::Sweep { older_than, dry_run } => sweep(older_than, dry_run, cx),
    }
}

fn register(args: RegisterArgs, cx: &mut Context) -> Outcome {
    let RegisterArgs { name, role, runtime, capabilities, pid, metadata, again } = args;
    let registration = Registration { name, role, runtime, capabilities, metadata, pid, again };
    let agent = ops::register(cx.store()?, registration)?;
    json_answer!(cx, view::registered(&agent));
    cx.ui.line(&agent.id);
    Ok(Exit::Ok)
}

fn heartbeat(status: Option<Status>, note: Option<&str>, cx: &mut Context) -> Outcome {
    let pulse = ops::heartbeat(cx.store()?, status, note)?;
    json_answer!(cx, view::pulse(&pulse));
    let mut line = format!("{} is {}", pulse.agent.name, pulse.agent.status.word());
    if let Some(at) = &pulse.lease_expires {
        line.push_str(&format!(", its claims run until {}", cx.ui.calendar().local_text(at)));
    }
    if pulse.unread > 0 {
        line.push_str(&format!(", {} unread", plural(pulse.unread, "message")));
    }
    if pulse.urgent > 0 {
        line.push_str(&format!(" ({} urgent)", pulse.urgent));
    }
    cx.ui.done(&line);
    Ok(Exit::Ok)
}

fn list(filter: &AgentFilter, cx: &mut Context) -> Outcome {
    let found = ops::agents(cx.store()?, filter)?;
    let hands = ops::in_hand(cx.store()?, &found)?;
    let now = cx.host().clock.now();
    json_answer!(cx, view::agents(&found, &hands, now));
    let lines: Vec<[String; 5]> = found
        .iter()
        .zip(&hands)
        .map(|(seen, hand)| {
            let agent = &seen.agent;
            let works = hand.claims.first().map(|claim| format!("works on {}", claim.id));
            let remark = view::absence(seen, now).or_else(|| agent.note.clone()).or(works);
            let remark = remark.unwrap_or_else(|| agent.capabilities.join(" "));
            let status = seen.status.word();
            [&agent.name, status, agent.role.word(), &agent.id, &remark].map(|cell| inline(cell).into_owned())
        })
        .collect();
    render::columns(&mut cx.ui, "", &lines);
    cx.ui.note_if(found.is_empty(), "no agents");
    Ok(Exit::Ok)
}

/// The agent that is named, or the one that acts.
fn named(agent: Option<&str>, cx: &mut Context) -> Result<Seen, Failure> {
    let acting = cx.agent()?;
    let Some(typed) = agent.map(str::to_owned).or(acting) else {
        return Err(Failure::usage("which agent? name one, or say who you are with --agent or BD_AGENT"));
    };
    Ok(ops::find_agent(cx.store()?, &typed)?)
}

fn show(agent: Option<&str>, cx: &mut Context) -> Outcome {
    let seen = named(agent, cx)?;
    let hand = ops::in_hand(cx.store()?, std::slice::from_ref(&seen))?.pop().unwrap_or_default();
    let now = cx.host().clock.now();
    json_answer!(cx, view::agent(&seen, &hand, now));
    let agent = &seen.agent;
    let because = view::absence(&seen, now).map(|why| format!(": {why}")).unwrap_or_default();
    let calendar = cx.ui.calendar();
    let text = |value: &Option<String>| value.clone();
    let metadata = agent.metadata.iter().map(|(key, raw)| format!("{key}={raw}")).collect::<Vec<_>>().join(" ");
    let facts = [
        ("Name", Some(agent.name.clone())),
        ("Id", Some(agent.id.clone())),
        ("Role", Some(agent.role.word().to_owned())),
        ("Status", Some(format!("{}{because}", seen.status.word()))),
        ("Note", text(&agent.note)),
        ("Can do", Some(agent.capabilities.join(" ")).filter(|text| !text.is_empty())),
        ("Runtime", text(&agent.runtime)),
        ("Process", agent.owner.as_ref().map(|owner| owner.pid.to_string())),
        ("Host", text(&agent.host)),
        ("Metadata", Some(metadata).filter(|text| !text.is_empty())),
        ("Registered", Some(format!("{} (session {})", calendar.full(agent.registered), agent.sessions))),
        ("Heard of", Some(view::heard_of(agent, now, &calendar))),
    ];
    let claims = hand.claims.iter().map(|row| ("Works on", Some(view::claim_line(row))));
    let path = |one: &Workspace| cx.ui.path(Path::new(&one.path));
    let workspaces: Vec<_> =
        hand.workspaces.iter().map(|one| ("Workspace", Some(format!("{} {}", path(one), one.id)))).collect();
    for (name, value) in facts.into_iter().chain(claims).chain(workspaces) {
        if let Some(value) = value {
            cx.ui.line(&format!("{name:<12}{}", inline(&value)));
        }
    }
    Ok(Exit::Ok)
}

fn unregister(agent: Option<&str>, reason: Option<&str>, cx: &mut Context) -> Outcome {
    let seen = named(agent, cx)?;
    let (agent, released) = ops::unregister(cx.store()?, &seen, reason)?;
    let freed = if released.is_empty() { String::new() } else { format!("; free again: {}", released.join(" ")) };
    cx.answer(view::unregistered(&agent, &released), &format!("Unregistered {}: {}{freed}", agent.name, agent.id))
}

fn sweep(older_than: Option<i64>, dry_run: bool, cx: &mut Context) -> Outcome {
    let swept = ops::sweep(cx.store()?, older_than, dry_run)?;
    json_answer!(cx, view::swept(&swept, dry_run));
    let verb = if dry_run { "Would be offline" } else { "Offline" };
    for one in &swept {
        let freed =
            if one.released.is_empty() { String::new() } else { format!("; free again: {}", one.released.join(" ")) };
        cx.ui.done(&format!("{verb}: {} {}{freed}", one.agent.name, one.agent.id));
    }
    cx.ui.note_if(swept.is_empty(), "no agent went silent");
    Ok(Exit::Ok)
}
