use std::time::{Duration, Instant};

use clap::{Args, Subcommand};

use super::changed_settings::print_changes;
use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, Fleet, FleetWish, Overview};
use crate::view::{self, Exit, Failure, inline, plural};

/// Show all agents of a project, and let those of several clones share the work
///
/// Shows the agents of all clones on this machine: what each holds and since when, its last checkpoint, its failures; work that is
/// finished and not merged, work that no agent holds, and what was done in the last hour. Of other machines it shows what the git
/// remote has: opaque ids, issues and times; with fleet.remote, a private repository of yours, names and titles too.
///
/// `bd fleet init` lets clones and machines share the work: without it, one of many claimants wins in all checkouts of a repository,
/// and two clones can work on one issue until they sync. With it, each claim is also made on the git remote, which takes one of two.
/// A claim, its renewal and its end each cost one push; an agent that cannot reach the remote claims nothing. Private plans are
/// never claimed there.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  bd fleet\n  bd fleet --watch\n  bd fleet --local --json\n  bd fleet init\n  bd fleet leave"
)]
pub(super) struct FleetArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Include agents that are offline and hold nothing
    #[arg(short, long)]
    all: bool,
    /// Ask no remote
    #[arg(long)]
    local: bool,
    /// Keep it on the screen, up to date; with --json, print one object per change
    #[arg(short, long)]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make claims on the remote too, for this project; first shows what will be there
    Init {
        /// Agree to what will be there
        #[arg(short, long)]
        yes: bool,
    },
    /// Make claims in each clone alone again; removes this clone's claims from the remote
    Leave,
}

/// What others can read on the remote.
const SHOWN: [&str; 4] = [
    "a ref refs/beads/claims/ID for each issue that is claimed, or closed where others cannot see it yet",
    "in its commit: the id of the issue, a number, the id of the agent (ag_…) or of the clone (rp_…), times",
    "as its author: bd <bd@invalid>",
    "no host name, path, e-mail address, title or text",
];

/// How often the files are looked at, and the remotes.
const PAUSE: Duration = Duration::from_secs(2);
const REMOTE_PAUSE: Duration = Duration::from_secs(30);

pub(super) fn run(args: FleetArgs, cx: &mut Context) -> Outcome {
    let fleet = match args.action {
        None if args.watch => return watch(&args, cx),
        None => {
            let found = ops::overview(cx.store()?, FleetWish { remotes: !args.local })?;
            let now = cx.host().clock.now();
            json_answer!(cx, view::overview(&found, now));
            print(&found, args.all, cx);
            return Ok(Exit::Ok);
        }
        Some(Action::Init { yes }) => {
            let fleet = ops::fleet(cx.store()?);
            let has_remote = fleet.repos.iter().any(|one| one.remote.is_some());
            if has_remote && !yes && !agrees(&fleet, cx)? {
                cx.ui.note("nothing was changed");
                return Ok(Exit::Ok);
            }
            ops::join_fleet(cx.store()?)?
        }
        Some(Action::Leave) => ops::leave_fleet(cx.store()?)?,
    };
    json_answer!(cx, view::fleet(&fleet));
    print_claims(&fleet, cx);
    cx.ui.note_if(fleet.removed > 0, &format!("{} removed from the remote", plural(fleet.removed, "claim")));
    if let Some(configured) = &fleet.configured {
        print_changes(configured, cx);
    }
    Ok(Exit::Ok)
}

/// Where claims are made.
fn print_claims(fleet: &Fleet, cx: &mut Context) {
    let on =
        if fleet.is_on { "on: claims are made on the remote too" } else { "off: a claim holds in its clone alone" };
    cx.ui.line(on);
    for one in &fleet.repos {
        let remote = one.remote.as_deref().unwrap_or("no remote that could decide");
        cx.ui.line(&inline(&format!("  {}: {remote}", one.repo)));
    }
}

/// Shows the agents until it is ended.
fn watch(args: &FleetArgs, cx: &mut Context) -> Outcome {
    cx.ui.end_with_reader();
    let (mut looked, mut shown): (Option<Instant>, String) = (None, String::new());
    let mut last: Option<Overview> = None;
    loop {
        let remotes = !args.local && looked.is_none_or(|at| at.elapsed() >= REMOTE_PAUSE);
        let mut found = ops::overview(cx.store()?, FleetWish { remotes })?;
        match last.take().filter(|_| !remotes) {
            // Of remotes, what was seen last.
            Some(earlier) => (found.remote, found.machines) = (earlier.remote, earlier.machines),
            None => looked = Some(Instant::now()),
        }
        let now = cx.host().clock.now();
        let json: String = view::overview(&found, now).finish();
        if cx.ui.wants_json() {
            if json != shown {
                cx.ui.json_line(&json);
            }
        } else if cx.ui.clear_screen() || json != shown {
            print(&found, args.all, cx);
            cx.ui.line_at_once("");
        }
        (shown, last) = (json, Some(found));
        std::thread::sleep(PAUSE);
    }
}

fn print(found: &Overview, all: bool, cx: &mut Context) {
    let now = cx.host().clock.now();
    for clone in &found.clones {
        let (rows, offline) = view::member_cells(clone, all, now);
        let here = if clone.is_here { " (here)" } else { "" };
        let rest = if offline > 0 { format!(", {} offline", plural(offline, "agent")) } else { String::new() };
        let path = inline(&cx.ui.short(&clone.path.display().to_string())).into_owned();
        cx.ui.line(&format!("{path}{here}: {}{rest}", plural(clone.members.len() - offline, "agent")));
        render::columns(&mut cx.ui, "  ", &rows);
    }
    for machine in &found.machines {
        cx.ui.line(&view::machine_head(&machine.note, now));
        render::columns(&mut cx.ui, "  ", &view::machine_cells(&machine.note, now));
    }
    if !found.remote.is_empty() {
        cx.ui.line("Claimed on the remote by other machines");
        let rows: Vec<[String; 4]> = found.remote.iter().map(|one| view::remote_cells(one, now)).collect();
        render::columns(&mut cx.ui, "  ", &rows);
    }
    let parts: [(&str, Vec<[String; 3]>); 3] = [
        ("Finished, not merged", found.finished.iter().map(view::finished_cells).collect()),
        ("In progress, held by no agent", found.unheld.iter().map(|one| view::done_cells(one, now)).collect()),
        ("Done in the last hour", found.done.iter().map(|one| view::done_cells(one, now)).collect()),
    ];
    for (name, rows) in parts.iter().filter(|(_, rows)| !rows.is_empty()) {
        cx.ui.line(&format!("{name}: {}", rows.len()));
        render::columns(&mut cx.ui, "  ", rows);
    }
    print_claims(&found.fleet, cx);
    for problem in &found.problems {
        cx.ui.warning(&inline(problem));
    }
    if !found.finished.is_empty() {
        cx.ui.hint("run `bd land` to merge what is finished");
    } else if !found.unheld.is_empty() {
        cx.ui.hint("run `bd reclaim --orphans` to make ready what no agent holds");
    }
}

/// Shows what will be on the remotes, and asks.
fn agrees(fleet: &Fleet, cx: &mut Context) -> Result<bool, Failure> {
    let remotes: Vec<&str> = fleet.repos.iter().filter_map(|one| one.remote.as_deref()).collect();
    cx.ui.note(&format!("this will be on {}, for everybody who can read it:", remotes.join(", ")));
    SHOWN.iter().for_each(|line| cx.ui.note(&format!("  {line}")));
    if !cx.ui.is_interactive() {
        let message = "nothing was changed: there is no terminal to ask at; run `bd fleet init --yes` to agree";
        return Err(Failure::usage(message));
    }
    Ok(cx.ui.confirm("Make claims there?"))
}
