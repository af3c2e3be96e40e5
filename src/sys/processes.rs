//! Finds the processes that work in a directory. Only Linux reports them, and only those that this user may inspect.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A process whose working directory is inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    pub pid: u32,
    pub name: String,
    pub directory: PathBuf,
    /// It is this process, or one of its ancestors.
    pub is_ours: bool,
}

/// The processes that work in a directory, by id; `None` if the system does not tell.
pub fn inside(directory: &Path) -> Option<Vec<Running>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let own = lineage();
    own.first()?;
    let own: HashSet<u32> = own.into_iter().collect();
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // Another user's, or ended.
        let Ok(at) = std::fs::read_link(entry.path().join("cwd")) else { continue };
        if at.starts_with(directory) {
            let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default().trim().to_owned();
            found.push(Running { pid, name, directory: at, is_ours: own.contains(&pid) });
        }
    }
    found.sort_by_key(|one| one.pid);
    Some(found)
}

/// This process and its ancestors, the nearest first.
fn lineage() -> Vec<u32> {
    let mut found = Vec::new();
    let mut next = std::process::id();
    while next > 0 && !found.contains(&next) {
        found.push(next);
        let Ok(text) = std::fs::read_to_string(format!("/proc/{next}/stat")) else { break };
        let after = text.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        next = after.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()).unwrap_or(0);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_where_it_works() {
        let dir = tempfile::tempdir().unwrap();
        let place = std::fs::canonicalize(dir.path()).unwrap();
        std::fs::create_dir(place.join("deep")).unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").current_dir(place.join("deep")).spawn().unwrap();
        let found = inside(&place);
        child.kill().unwrap();
        child.wait().unwrap();
        let Some(found) = found else {
            let is_linux = cfg!(target_os = "linux");
            assert!(!is_linux, "Linux tells");
            return;
        };
        let seen: Vec<(u32, &str, bool)> = found.iter().map(|one| (one.pid, one.name.as_str(), one.is_ours)).collect();
        assert_eq!(seen, [(child.id(), "sleep", false)]);
        assert_eq!(inside(&place), Some(Vec::new()));
        let here = std::env::current_dir().unwrap();
        assert!(inside(&here).unwrap().iter().any(|one| one.is_ours && one.pid == std::process::id()));
    }
}
