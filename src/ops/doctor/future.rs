//! Timestamps in the future: written by a wrong clock, or made up.

use super::health::Report;
use crate::cache::Sort;
use crate::model::issue::{Issue, Time};
use crate::model::query::{Expr, Field, Op, Value};
use crate::model::time::{Instant, SECOND};
use crate::ops::Result;
use crate::store::Store;

/// How far the clocks of two machines may differ.
const SKEW: i64 = 600 * SECOND;

/// Reports, for each ledger, the first issue created, edited or closed in the future, and the number of others.
pub(in crate::ops) fn check_times(store: &Store, report: &mut Report) -> Result<()> {
    let latest = store.host().clock.now().plus_nanos(SKEW);
    let later = |field| Expr::Is(field, Op::More, Value::Time(latest));
    let wanted = Expr::Or([Field::Created, Field::Updated, Field::Closed].map(later).to_vec());
    let mut rows = store.list_copies(&wanted, Sort::default(), None)?.rows;
    rows.sort_by(|a, b| (&a.file, a.line_number).cmp(&(&b.file, b.line_number)));
    for same_file in rows.chunk_by(|a, b| a.file == b.file) {
        let Some((row, (key, time))) = same_file.iter().find_map(|row| Some((row, first_after(&row.issue, latest)?)))
        else {
            continue;
        };
        let more = match same_file.len() - 1 {
            0 => String::new(),
            1 => "; 1 more issue has such a time".to_owned(),
            n => format!("; {n} more issues have such times"),
        };
        report
            .warn(format!("{key} of {} is in the future: {}{more}", row.issue.id, time.text))
            .in_line(row.file.clone(), row.line_number)
            .with("check the clock of the machine that wrote it; edits made here are ordered after it");
    }
    Ok(())
}

fn first_after(issue: &Issue, latest: Instant) -> Option<(&'static str, &Time)> {
    let times = [("updated_at", &issue.updated_at), ("created_at", &issue.created_at), ("closed_at", &issue.closed_at)];
    times.into_iter().find_map(|(key, time)| Some((key, time.as_ref().filter(|time| time.instant > latest)?)))
}
