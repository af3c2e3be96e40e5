//! Who is acting.

use std::path::Path;

use crate::sys::Env;
use crate::vcs;

pub fn find(env: &Env, root: &Path) -> String {
    let named = || env.var("BD_ACTOR").or_else(|| env.var("BEADS_ACTOR"));
    let system = || env.var("USER").or_else(|| env.var("LOGNAME"));
    named().or_else(|| vcs::user_name(root)).or_else(system).unwrap_or_else(|| "unknown".to_owned())
}
