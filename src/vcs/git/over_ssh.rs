//! Reaches servers over ssh that the remotes name by `https://`, with git's own rewriting of addresses: the remotes
//! stay as they are written.

use std::collections::BTreeSet;
use std::path::Path;

use super::commit::git;
use super::hooks::must;
use crate::sys::Env;
use crate::vcs::SyncError;

/// Sets a rewriting rule for each such server in the repository's own settings.
pub fn reach_over_ssh(root: &Path, env: &Env) -> Result<(), SyncError> {
    let query = git(root, env).args(["config", "--local", "--null", "--get-regexp", r"^remote\..*\.(url|pushurl)$"]);
    // Without a remote there is nothing to do.
    let printed = query.run()?.stdout;
    let printed = String::from_utf8_lossy(&printed);
    let urls = printed.split('\0').filter_map(|entry| entry.split_once('\n').map(|(_, url)| url));
    let servers: BTreeSet<(String, String)> = urls.filter_map(server).collect();
    for (begins, ssh) in servers {
        let key = format!("url.{ssh}.insteadOf");
        must("git config", root, git(root, env).args(["config", "--local", "--add", &key, &begins]))?;
    }
    Ok(())
}

/// The prefix of an address, and its replacement for ssh; `None` for one with a port, which is not ssh's.
fn server(url: &str) -> Option<(String, String)> {
    let rest = url.strip_prefix("https://")?;
    let (authority, _) = rest.split_once('/')?;
    let host = authority.rsplit('@').next().filter(|host| !host.is_empty() && !host.contains(':'))?;
    Some((format!("https://{authority}/"), format!("git@{host}:")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_that_are_named_by_https() {
        let printed = |url: &str| server(url).map(|(begins, ssh)| format!("{begins} {ssh}"));
        assert_eq!(printed("https://host.org/a/b.git").as_deref(), Some("https://host.org/ git@host.org:"));
        assert_eq!(printed("https://me:pw@host.org/a").as_deref(), Some("https://me:pw@host.org/ git@host.org:"));
        for other in ["git@host.org:a/b", "http://host.org/a", "https://host.org:8443/a", "/srv/a", "https:///a", ""] {
            assert_eq!(printed(other), None, "{other}");
        }
    }
}
