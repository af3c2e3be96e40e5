//! Reservations, as programs and people read them.

use super::answer::{answer, each};
use crate::model::reservation::Reservation;
use crate::model::when::Calendar;
use crate::ops::{Checked, Obstacle, Reserved};

answer! {
    pub fn reservation(one: &Reservation) {
        id: &one.id, glob: &one.glob, holder: &one.holder.name, agent: &one.holder.agent,
        shared: one.is_shared, issue: &one.issue, reason: &one.reason,
        worktree_id: &one.worktree_id, worktree: &one.worktree,
        acquired: &one.acquired, renewed: &one.renewed, expires: one.expires,
    }

    /// A reservation with its current state.
    pub fn reserved(one: &Reserved) {
        ..reservation(&one.reservation), expired: one.is_over, mine: one.is_mine,
    }

    fn conflict(one: &Obstacle) {
        path: &one.wanted, reservation: reservation(&one.reservation),
    }

    /// The result of a check; `ok` if no one else has reserved any of the paths.
    pub fn reserve_check(checked: &Checked, bypassed: bool) {
        ok: checked.obstacles.is_empty(), checked: checked.checked, bypassed: bypassed,
        conflicts: each(&checked.obstacles, conflict),
    }
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
