use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::model::{duration, size};
use crate::ops::{self, GcRow, GcWish};
use crate::view::{self, Exit, Failure, inline};

/// List workspaces that can be removed; --apply removes them
///
/// Lists abandoned workspaces first, then merged and failed ones, then idle ones, oldest first. A workspace with unsaved work
/// stays, and the answer says why. Leftovers of a crash are cleaned up, and a directory without a record is moved aside. Without
/// --apply nothing is changed.
#[derive(Debug, Args)]
pub(super) struct GcArgs {
    /// Idle workspaces unused for this long (default: 7d)
    #[arg(long, value_name = "TIME", value_parser = span)]
    older_than: Option<i64>,
    /// Idle workspaces, oldest first, until all take at most this: 500M, 10G
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    max_size: Option<u64>,
    /// Idle workspaces, oldest first, until at most this many remain
    #[arg(long, value_name = "N")]
    max_count: Option<usize>,
    /// Remove only ignored directories, such as build output; keep the workspaces
    #[arg(long)]
    artifacts_only: bool,
    /// Fetch first, to see what was merged on the remotes
    #[arg(long)]
    fetch: bool,
    /// Remove them; without it, only show them
    #[arg(long)]
    apply: bool,
}

pub(super) fn span(text: &str) -> Result<i64, String> {
    duration::parse(text).ok_or_else(|| format!("{text:?} is not a length of time such as 30m, 12h or 7d"))
}

fn bytes(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| format!("{text:?} is not a size such as 500M or 10G"))
}

pub(super) fn run(args: GcArgs, cx: &mut Context) -> Outcome {
    let cwd = cx.host().env.cwd().to_owned();
    let usual = GcWish::default();
    let wish = GcWish {
        older_than: args.older_than.unwrap_or(usual.older_than),
        max_size: args.max_size,
        max_count: args.max_count,
        artifacts_only: args.artifacts_only,
        apply: args.apply,
    };
    if args.fetch {
        fetch(cx)?;
    }
    name_unreadable(cx)?;
    let gc = ops::gc(cx.store()?, &wish, &cwd)?;
    json_answer!(cx, view::gc(&gc));
    let lines: Vec<[String; 5]> = gc.rows.iter().map(|row| cells(row, gc.applied, cx)).collect();
    render::columns(&mut cx.ui, "", &lines);
    for orphan in &gc.orphans {
        let path = cx.ui.path(&orphan.path);
        let text = match (&orphan.moved_to, &orphan.stays) {
            (Some(to), _) => format!("no record knows {path}: moved to {}", cx.ui.path(to)),
            (None, Some(why)) => format!("no record knows {path}, and it stays: {}", inline(&cx.ui.short(why))),
            (None, None) => format!("no record knows {path}: it would be put aside"),
        };
        cx.ui.line(&text);
    }
    let freed = size::text(gc.freed);
    match (gc.applied, gc.freed) {
        (true, 0) => cx.ui.note("nothing was removed"),
        (true, _) => cx.ui.note(&format!("{freed} freed")),
        (false, 0) => cx.ui.note("nothing was changed; there is nothing to remove"),
        (false, _) => cx.ui.note(&format!("nothing was changed; --apply frees {freed}")),
    }
    Ok(Exit::Ok)
}

/// Brings what is known of remotes up to date; what cannot be reached is only told.
pub(super) fn fetch(cx: &mut Context) -> Result<(), Failure> {
    for problem in ops::fetch_parents(cx.store()?)? {
        cx.ui.warning(&inline(&problem));
    }
    Ok(())
}

/// Says which records cannot be read: their directories are known and left alone.
pub(super) fn name_unreadable(cx: &mut Context) -> Result<(), Failure> {
    for (file, line, id) in ops::unreadable_workspaces(cx.store()?)? {
        let id = id.map(|id| format!(" of {id}")).unwrap_or_default();
        let file = file.display().to_string();
        cx.ui.warning(&format!(
            "the record{id} in line {line} of {file} is not a workspace record that this bd can read"
        ));
    }
    Ok(())
}

/// What becomes of one: id, verb, kind of reason, size, and why.
fn cells(row: &GcRow, applied: bool, cx: &Context) -> [String; 5] {
    let verb = match (row.goes, row.done, &row.error) {
        (_, _, Some(_)) => "failed",
        (true, true, _) => "went",
        (true, false, _) if applied => "stays",
        (true, false, _) => "goes",
        (false, ..) => "stays",
    };
    let against: Vec<&str> = row.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let why = match (&row.error, row.goes || against.is_empty()) {
        (Some(error), _) => error.clone(),
        (None, true) => row.why.clone(),
        (None, false) => format!("{}, but {}", row.why, against.join("; ")),
    };
    [row.workspace.id.clone(), verb.to_owned(), row.class.word().to_owned(), size::text(row.bytes), cx.ui.short(&why)]
        .map(|cell| inline(&cell).into_owned())
}
