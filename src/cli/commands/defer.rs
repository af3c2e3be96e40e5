use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::cli::report::changed_line;
use crate::model::change::Change;
use crate::model::when::{Bare, When};
use crate::ops;
use crate::view::{Exit, Failure};

/// Defer issues until a date, or until you clear it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd defer bd-a3f8 --until 2026-09-01\n  bd defer a3 --until 2w\n  bd defer a3\n  bd defer a3 --clear"
)]
pub(super) struct DeferArgs {
    #[command(flatten)]
    named: IdArgs,
    /// When they come back; a date without a time means the start of that day
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    until: Option<String>,
    /// Bring deferred issues back
    #[arg(long, conflicts_with = "until")]
    clear: bool,
}

pub(super) fn run(args: DeferArgs, cx: &mut Context) -> Outcome {
    if args.clear {
        return run_undefer(UndeferArgs { named: args.named }, cx);
    }
    let ids = args.named.read(cx)?;
    let until = args.until.map(|text| cx.date_or_none("until", &text)).transpose()?.flatten().map(When::start);
    let batch = ops::change_each(cx.store()?, &ids, |_| vec![Change::Defer { until }]);
    let batch = batch.map_err(|error| with_until(cx, &ids, error.into()))?;
    let verb = match until {
        Some(until) => format!("Deferred until {}: ", cx.ui.calendar().date(until)),
        None => "Deferred ".to_owned(),
    };
    cx.report(batch, |written| changed_line(written, &verb))
}

/// A failure with another hint where a date was typed among the issues.
fn with_until(cx: &Context, ids: &[String], failure: Failure) -> Failure {
    let calendar = cx.host().clock.calendar();
    let is_date = |n: &usize| calendar.parse(&ids[*n..].join(" "), Bare::Future).is_some();
    let Some(n) = (1..ids.len()).find(is_date).filter(|_| failure.exit == Exit::NotFound) else { return failure };
    let (issues, date) = (ids[..n].join(" "), ids[n..].join(" "));
    let date = if date.contains(' ') { format!("\"{date}\"") } else { date };
    failure.without_hint().shell(format!("to name a date, run `bd defer {issues} --until {date}`"))
}

/// Bring deferred issues back
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd undefer bd-a3f8")]
pub(super) struct UndeferArgs {
    #[command(flatten)]
    named: IdArgs,
}

pub(super) fn run_undefer(args: UndeferArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let batch = ops::change_each(cx.store()?, &ids, |_| vec![Change::Undefer])?;
    cx.report(batch, |written| changed_line(written, "Undeferred "))
}
