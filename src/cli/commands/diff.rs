use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::width::plain_cells;
use crate::ops;
use crate::view::{self, Exit, inline, plural};

/// Compare two states of the project, issue by issue
///
/// Without a range: what is not committed. A and B are revisions of the primary repo (or of --repo), or dates; repos in other
/// working copies are taken as they were at that time. `A..` goes up to now, `A...B` starts where the two parted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd diff                       what is not committed
  bd diff main..                since main, up to the files as they are
  bd diff main... --markdown    for a pull request: what this branch did
  bd diff v1.0..v1.1 --json
  bd diff 7d..")]
pub(super) struct DiffArgs {
    /// A..B, A.., ..B, A...B, A or A B
    #[arg(num_args = 0..=2)]
    range: Vec<String>,
    /// Print Markdown for a pull request: public issues of the primary repo only
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Limit to this repo of the project
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
}

pub(super) fn run(args: DiffArgs, cx: &mut Context) -> Outcome {
    let range = (!args.range.is_empty()).then(|| args.range.join(".."));
    let (from, to) = ops::parse_range(range.as_deref(), |text| cx.moment(text));
    let entries = ops::diff(cx.store()?, &from, &to, args.repo.as_deref(), args.markdown)?;
    cx.tell_shallow()?;
    json_answer!(cx, view::differences(&entries));
    let calendar = cx.ui.calendar();
    let (shown, touched) = view::shown_differences(&entries);
    if args.markdown {
        cx.ui.line(&view::differences_markdown(&shown, &calendar));
        return Ok(Exit::Ok);
    }
    for entry in shown {
        for (n, line) in view::difference_text(entry, &calendar).iter().enumerate() {
            cx.ui.cells("", if n == 0 { "    " } else { "        " }, &plain_cells(&inline(line)));
        }
    }
    cx.ui.note_if(touched > 0, &format!("{} touched without another change", plural(touched, "issue")));
    cx.ui.note_if(entries.is_empty(), "no difference");
    Ok(Exit::Ok)
}
