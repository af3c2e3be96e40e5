//! Reservations, as programs and people read them.

use super::{Object, array};
use crate::coordination::{Checked, Reserved};
use crate::model::reservation::Reservation;
use crate::model::when::Calendar;

pub fn reservations<'a>(all: impl IntoIterator<Item = &'a Reserved>) -> String {
    array(
        all.into_iter()
            .map(|one| reservation(&one.reservation).flag("expired", one.is_over).flag("mine", one.is_mine).finish()),
    )
}

pub fn reservation(one: &Reservation) -> Object {
    Object::new()
        .text("id", &one.id)
        .text("glob", &one.glob)
        .text("holder", &one.holder.name)
        .optional("agent", one.holder.agent.as_deref())
        .flag("shared", one.is_shared)
        .optional("issue", one.issue.as_deref())
        .optional("reason", one.reason.as_deref())
        .optional("worktree_id", one.worktree_id.as_deref())
        .optional("worktree", one.worktree.as_deref())
        .text("acquired", &one.acquired)
        .optional("renewed", one.renewed.as_deref())
        .optional("expires", one.expires.map(|at| at.to_string()).as_deref())
}

/// What a check found; `ok` if nobody else has any of the paths.
pub fn reserve_check(checked: &Checked, bypassed: bool) -> String {
    let conflicts = checked.obstacles.iter().map(|one| {
        let inner = reservation(&one.reservation).finish();
        Object::new().text("path", &one.wanted).raw("reservation", &inner).finish()
    });
    Object::new()
        .flag("ok", checked.obstacles.is_empty())
        .number("checked", checked.checked as i64)
        .flag("bypassed", bypassed)
        .raw("conflicts", &array(conflicts))
        .finish()
}

/// One line about a reservation.
pub fn reservation_text(one: &Reservation, calendar: &Calendar) -> String {
    let mode = if one.is_shared { "shared" } else { "exclusive" };
    let until = one.expires.map_or_else(|| "until released".to_owned(), |at| format!("until {}", calendar.full(at)));
    let place = one.worktree.as_deref().map(|name| format!(" in {name}")).unwrap_or_default();
    let issue = one.issue.as_deref().map(|id| format!("  for {id}")).unwrap_or_default();
    let reason = one.reason.as_deref().map(|text| format!("  ({text})")).unwrap_or_default();
    format!("{}  {mode}  {}{place}  {until}{issue}{reason}  {}", one.glob, one.holder.name, one.id)
}
