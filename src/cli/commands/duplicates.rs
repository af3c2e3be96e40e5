use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops;
use crate::view::{self, Exit};

/// List open issues with the same title
///
/// Groups issues whose titles are equal but for case, blanks and punctuation. With --all, closed ones too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd duplicates\n  bd duplicates --all --json")]
pub(super) struct DuplicatesArgs {
    /// Include closed issues
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: DuplicatesArgs, cx: &mut Context) -> Outcome {
    let groups = ops::duplicates(cx.store()?, args.all)?;
    json_answer!(cx, view::duplicates(&groups));
    let (index, ui) = cx.index()?;
    for (n, rows) in groups.values().enumerate() {
        ui.blank_if(n > 0);
        render::rows(ui, &index, rows, &ops::Marks::default());
    }
    ui.note_if(groups.is_empty(), "no duplicates");
    Ok(Exit::Ok)
}
