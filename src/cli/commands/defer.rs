use clap::Args;

use super::{Context, Outcome, changed_line, report, require_ids};
use crate::model::change::Change;
use crate::model::when::{Bare, When};
use crate::ops;

/// Put issues off, until a date or until further notice
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd defer bd-a3f8 --until 2026-09-01\n  bd defer a3 --until 2w\n  bd defer a3")]
pub struct DeferArgs {
    /// Issues, by id or its first characters
    ids: Vec<String>,
    /// When they come back by themselves; a date without a time means the beginning of that day
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
}

pub fn run(args: DeferArgs, cx: &mut Context) -> Outcome {
    require_ids(&args.ids)?;
    let until = args.until.map(|text| cx.date("until", &text, Bare::Future)).transpose()?.map(When::start);
    let batch = ops::change_each(cx.store()?, &args.ids, |_| vec![Change::Defer { until }])?;
    report(cx, batch, |written| changed_line(written, "Deferred "))
}

/// Bring issues back that were put off
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd undefer bd-a3f8")]
pub struct UndeferArgs {
    /// Issues, by id or its first characters
    ids: Vec<String>,
}

pub fn run_undefer(args: UndeferArgs, cx: &mut Context) -> Outcome {
    require_ids(&args.ids)?;
    let batch = ops::change_each(cx.store()?, &args.ids, |_| vec![Change::Undefer])?;
    report(cx, batch, |written| changed_line(written, "Undeferred "))
}
