//! Who is acting.

use std::path::Path;

use crate::sys::Env;
use crate::vcs;

/// The variable that names the acting agent.
pub const AGENT_VARIABLE: &str = "BD_AGENT";

pub fn find(env: &Env, root: &Path) -> String {
    if let Some(agent) = env.var(AGENT_VARIABLE) {
        return agent;
    }
    let named = || env.var("BD_ACTOR").or_else(|| env.var("BEADS_ACTOR"));
    let system = || env.var("USER").or_else(|| env.var("LOGNAME"));
    named().or_else(|| vcs::user_name(root, env)).or_else(system).unwrap_or_else(|| "unknown".to_owned())
}

/// The acting agent, as far as the store needs to know it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// Its name in the ledger: assignee, author.
    pub name: String,
    /// Its id in the state home, once it is registered.
    pub id: Option<String>,
    /// It may change what others hold.
    pub is_coordinator: bool,
    /// Its capabilities, for issues that require some.
    pub capabilities: Vec<String>,
    /// The workspace that makes it the actor, if nothing else does.
    pub workspace: Option<String>,
}

/// The actor was named explicitly.
pub(in crate::store) fn is_named(env: &Env) -> bool {
    ["BD_ACTOR", "BEADS_ACTOR"].into_iter().any(|name| env.var(name).is_some())
}
