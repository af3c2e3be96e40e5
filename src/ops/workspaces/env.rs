//! The environment of a program in a workspace.

use crate::model::workspace::Workspace;
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::store::{AGENT_VARIABLE, STATE_DIR, Store, WORKSPACE_VARIABLE};

/// The variable that names the issue a program works on.
pub const ISSUE_VARIABLE: &str = "BD_ISSUE";

/// The variables of a workspace, in a fixed order.
pub fn variables(store: &Store, one: &Workspace) -> Result<Vec<(String, String)>> {
    let state = records::find(store, &one.id)?.state;
    let mut vars = vec![
        (WORKSPACE_VARIABLE, one.id.clone()),
        ("BD_WORKSPACE_DIR", one.path.clone()),
        (STATE_DIR, state.path().display().to_string()),
    ];
    let more = [
        (ISSUE_VARIABLE, &one.issue),
        ("BD_WORKFLOW", &one.workflow),
        ("BD_CONTEXT_DIR", &one.context_dir),
        ("BD_BRANCH", &one.branch),
        ("BD_BASE", &one.base_commit),
        (AGENT_VARIABLE, &one.agent),
    ];
    vars.extend(more.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))));
    let mut vars: Vec<(String, String)> = vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    if let Some(ports) = one.ports {
        vars.push(("BD_PORT".to_owned(), ports.first.to_string()));
        vars.push(("BD_PORTS".to_owned(), ports.count.to_string()));
        let all = (0..ports.count).map(|n| (format!("BD_PORT_{n}"), (ports.first + n).to_string()));
        vars.extend(all);
    }
    Ok(vars)
}

/// Shell lines that set them.
pub fn exports(vars: &[(String, String)]) -> String {
    let line = |(name, value): &(String, String)| format!("export {name}='{}'\n", value.replace('\'', "'\\''"));
    vars.iter().map(line).collect()
}
