//! Proves that every field of a checkpoint and of a reservation comes back as it was, and that unknown keys stay.

use beads::internal::model::checkpoint::{Checkpoint, CheckpointKind, Saved};
use beads::internal::model::lease::Ticks;
use beads::internal::model::reservation::{Party, Reservation};
use beads::internal::model::row::Raw;
use beads::internal::model::time::Instant;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::cases;
use super::records::comes_back;

/// A text that says something; an empty one reads as absent.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "\\PC{1,12}", Just("two\nlines \"\\ \u{1b}\u{2028}".to_owned())]
}

fn maybe() -> impl Strategy<Value = Option<String>> {
    option::of(text())
}

fn saved() -> impl Strategy<Value = Saved> {
    (text(), vec(text(), 0..3), maybe(), vec(text(), 0..3)).prop_map(|(name, files, base, left_out)| Saved {
        name,
        files,
        base,
        left_out,
    })
}

fn checkpoint() -> impl Strategy<Value = Checkpoint> {
    let detail = prop_oneof![Just("{\"a\": 1e400}"), Just("null"), Just("[1, \"x\"]"), Just("\"\\u00e9\"")];
    let who = (text(), text(), maybe(), any::<u32>(), text(), text());
    let what = (option::of(detail.prop_map(|raw| Raw(raw.to_owned()))), vec(text(), 0..4), maybe(), maybe(), text());
    let place = (maybe(), maybe(), maybe(), text(), option::of(saved()));
    (who, what, place).prop_map(|(who, what, place)| {
        let (id, issue, repo, number, kind, summary) = who;
        let (detail, files, key, agent, actor) = what;
        let (worktree_id, worktree, branch, created_at, snapshot) = place;
        let (number, kind) = (i64::from(number), CheckpointKind::new(kind));
        Checkpoint {
            id,
            issue,
            repo,
            number,
            kind,
            summary,
            detail,
            files,
            key,
            agent,
            actor,
            worktree_id,
            worktree,
            branch,
            created_at,
            snapshot,
        }
    })
}

fn reservation() -> impl Strategy<Value = Reservation> {
    let moment = (0i64..4_000_000_000_000).prop_map(Instant::from_millis);
    let ticks = (text(), any::<u32>()).prop_map(|(boot, millis)| Ticks { boot, millis: i64::from(millis) });
    let who = (text(), text(), maybe(), text(), any::<bool>(), maybe());
    let place = (maybe(), maybe(), maybe(), maybe(), text(), maybe());
    let time =
        (option::of((0i64..1_000_000).prop_map(|millis| millis * 1_000_000)), option::of(moment), option::of(ticks));
    (who, place, time).prop_map(|(who, place, time)| {
        let (id, name, agent, glob, is_shared, issue) = who;
        let (reason, repo, worktree_id, worktree, acquired, renewed) = place;
        let (ttl, expires, deadline) = time;
        let holder = Party { name, agent };
        Reservation {
            id,
            holder,
            glob,
            is_shared,
            issue,
            reason,
            repo,
            worktree_id,
            worktree,
            acquired,
            renewed,
            ttl,
            expires,
            deadline,
        }
    })
}

proptest! {
    #![proptest_config(cases(400, 42))]

    #[test]
    fn a_checkpoint_comes_back(one in checkpoint(), other in checkpoint()) {
        comes_back(one, other)?;
    }

    #[test]
    fn a_reservation_comes_back(one in reservation(), other in reservation()) {
        comes_back(one, other)?;
    }
}
