use clap::Args;

use super::{Context, Outcome};
use crate::cli::render;
use crate::ops;
use crate::view::{self, Exit, Object, plural};

/// Move issues to another repo, ids kept
///
/// The condition is that of `bd query`. Lines are written to the target first and leave their old file afterwards; after a
/// crash the same command finishes the move.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd migrate --move-to ~/.beads-planning --filter 'author=me' --dry-run
  bd migrate --move-to ~/.beads-planning --filter 'author=me status=open'
  bd migrate --move-to . --filter 'repo=~/.beads-work/architecture label=shared'")]
pub struct MigrateArgs {
    /// The repo that gets them
    #[arg(long, value_name = "REPO")]
    move_to: String,
    /// Which issues
    #[arg(long, value_name = "CONDITION")]
    filter: String,
    /// How many issues may be added to the project's own repo, if they are more than 25
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Only show what would move
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: MigrateArgs, cx: &mut Context) -> Outcome {
    let filter = ops::parse_query(cx.store()?, &args.filter)?;
    let done = ops::migrate(cx.store()?, &args.move_to, &filter, args.dry_run, args.count)?;
    if cx.ui.wants_json() {
        let would = if args.dry_run { view::rows(&done.chosen) } else { "[]".to_owned() };
        let object = Object::new()
            .text("target", &done.to)
            .flag("dry_run", args.dry_run)
            .texts("moved", &done.moved)
            .raw("would_move", &would);
        cx.json(object.finish());
    } else if args.dry_run {
        let (store, ui) = cx.parts()?;
        let index = store.prefix_index()?;
        render::rows(ui, &index, &done.chosen);
        ui.done(&format!("Would move {} to {}", plural(done.chosen.len(), "issue"), done.to));
    } else {
        cx.ui.done(&format!("Moved {} to {}", plural(done.moved.len(), "issue"), done.to));
    }
    if done.is_guest {
        cx.ui.note(&format!("{} is not part of this project; bd repo add shows its issues here", done.to));
    }
    let mut exit = Exit::Ok;
    for (id, error) in done.failed {
        exit = super::fail(cx, &id, error.into(), exit);
    }
    Ok(exit)
}
