//! Who is acting.

use std::path::Path;

use crate::sys::Env;
use crate::vcs;

/// The variable that names the agent which acts.
pub const AGENT_VARIABLE: &str = "BD_AGENT";

pub fn find(env: &Env, root: &Path) -> String {
    if let Some(agent) = env.var(AGENT_VARIABLE) {
        return agent;
    }
    let named = || env.var("BD_ACTOR").or_else(|| env.var("BEADS_ACTOR"));
    let system = || env.var("USER").or_else(|| env.var("LOGNAME"));
    named().or_else(|| vcs::user_name(root, env)).or_else(system).unwrap_or_else(|| "unknown".to_owned())
}

/// An agent that acts, as far as the store needs to know it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// What the ledger calls it: assignee, author.
    pub name: String,
    /// Its id in the state home, once it is registered.
    pub id: Option<String>,
    /// It may change what others hold.
    pub is_coordinator: bool,
    /// What it can do, for issues that require something.
    pub capabilities: Vec<String>,
    /// The workspace that makes it the one who acts, if nothing else does.
    pub workspace: Option<String>,
}

/// Somebody has said who acts, by name.
pub(in crate::store) fn is_named(env: &Env) -> bool {
    ["BD_ACTOR", "BEADS_ACTOR"].into_iter().any(|name| env.var(name).is_some())
}
