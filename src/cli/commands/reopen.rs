use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::cli::report::changed_line;
use crate::model::change::Change;
use crate::ops;

/// Reopen closed issues, or bring deleted ones back
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd reopen bd-a3f8\n  bd reopen a3 --reason \"it came back\"")]
pub(super) struct ReopenArgs {
    #[command(flatten)]
    named: IdArgs,
    /// Why; kept as a comment
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub(super) fn run(args: ReopenArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let batch = ops::change_each(cx.store()?, &ids, |store| {
        let comment = args.reason.clone().map(|text| ops::comment(store, text, None));
        vec![Change::Reopen { comment }]
    })?;
    cx.report(batch, |written| changed_line(written, "Reopened "))
}
