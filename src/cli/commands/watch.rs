use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::agent::length;
use crate::cli::context::{Context, Outcome};
use crate::ops::{self, About, EventKind, WatchOptions};
use crate::view::{self, Exit};

/// Print events as they happen, one per line
///
/// First what is there (ready issues, claims, unread mail), then what changes: issues in all repos of the project and all
/// checkouts, what becomes ready, claims, mail for the one who acts. With --json one object a line. It sleeps until a file
/// changes or a claim ends, and marks nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd watch
  bd watch --json --since-now --events issue,ready
  bd watch --json --since ~/.watched    whatever happened since it last ran, then what happens
  bd watch --issue a3f8 --events issue_closed --count 1 --for 10m    wait for an issue
  BD_AGENT=worker-1 bd watch --json --events ready,mail")]
pub(super) struct WatchArgs {
    /// Only events of these issues, by id or its first characters
    #[arg(long = "issue", value_name = "ID")]
    issues: Vec<String>,
    /// Only these events: issue, ready, lease, mail, checkpoint, run, agent, workspace, sync, all, or names such as issue_closed
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds)]
    events: Vec<Kinds>,
    /// Skip what exists already
    #[arg(long)]
    since_now: bool,
    /// Go on where the watch with this file ended, and keep the file current
    #[arg(long, value_name = "FILE", conflicts_with = "since_now")]
    since: Option<PathBuf>,
    /// Include everybody's mail
    #[arg(long)]
    all_mail: bool,
    /// Stop after N events, not counting what existed before
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Stop after this long
    #[arg(long = "for", value_name = "DURATION", value_parser = length)]
    length: Option<i64>,
}

#[derive(Debug, Clone)]
struct Kinds(Vec<EventKind>);

fn kinds(word: &str) -> Result<Kinds, String> {
    EventKind::named(word).map(Kinds).ok_or_else(|| {
        let names = EventKind::requestable().map(EventKind::word).collect::<Vec<_>>().join(", ");
        format!("one of issue, ready, lease, mail, checkpoint, run, agent, workspace, sync, all, {names}")
    })
}

pub(super) fn run(args: WatchArgs, cx: &mut Context) -> Outcome {
    let issues = args.issues.iter().map(|typed| cx.resolve(typed)).collect::<Result<_, _>>()?;
    let position = args.since.map(|path| cx.directory().join(path));
    let (store, ui) = cx.parts()?;
    let kinds: BTreeSet<EventKind> = args.events.into_iter().flat_map(|Kinds(kinds)| kinds).collect();
    let options = WatchOptions {
        issues,
        kinds: Some(kinds).filter(|kinds| !kinds.is_empty()),
        all_mail: args.all_mail,
        since_now: args.since_now,
        position,
        at_most: args.length.map(|nanos| Duration::from_nanos(nanos.unsigned_abs())),
    };
    ui.end_with_reader();
    let mut left = args.count.unwrap_or(usize::MAX);
    if left == 0 {
        return Ok(Exit::Ok);
    }
    ops::watch(store, &options, |event| {
        match (event.kind, &event.about) {
            (_, About::Trouble(message)) => ui.note(message),
            (EventKind::Watching, _) if !ui.wants_json() => {
                let text = view::watch_text(&event, &ui.calendar());
                ui.note(&text);
            }
            _ if ui.wants_json() => ui.json_line(&view::watch_event(&event).finish()),
            _ => {
                let text = view::watch_text(&event, &ui.calendar());
                ui.line_at_once(&text);
            }
        }
        let counts = !event.initial && !matches!(event.kind, EventKind::Watching | EventKind::Trouble);
        left = left.saturating_sub(usize::from(counts));
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(Exit::Ok)
}
