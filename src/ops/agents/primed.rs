//! Which client sessions have received the output of `bd prime`: `primed` in the state home, one line for each.
//!
//! Several settings files may contain the same hook, and some clients run all of them. This only avoids repetition: if
//! it cannot be read or written, the session counts as new.

use std::time::Duration;

use crate::store::Store;
use crate::sys::below;

const NAME: &str = "primed";
const WAIT: Duration = Duration::from_secs(1);
/// Older lines are forgotten.
const MAX_LINES: usize = 500;

/// Records that a session is primed now, for this reason; `false` if it was before.
pub fn note_primed(store: &Store, session: &str, source: &str) -> bool {
    let key = blake3::hash(format!("{session}\0{source}").as_bytes()).to_hex()[..32].to_owned();
    let state = store.state();
    let Ok(_held) = state.lock(WAIT) else { return true };
    let text = below::text(state.path(), NAME).ok().flatten().unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.contains(&key.as_str()) {
        return false;
    }
    lines.push(&key);
    let kept = &lines[lines.len().saturating_sub(MAX_LINES)..];
    let _ = below::put(state.path(), NAME, format!("{}\n", kept.join("\n")).as_bytes());
    true
}
