//! The other side: its address, and its last known state.
//!
//! hg has no remote branches. On request it records, at each pull and push, the heads and bookmarks of the other side
//! (`.hg/logexchange`); with the phases that is enough to compare without a network. Public commits are on the other
//! side; draft ones only if they are ancestors of those heads, which happens with a non-publishing server.

use super::call::{Client, is_node};
use super::gate::{path_of_address, problem};
use super::hgrc::Settings;
use crate::vcs::{Kind, SyncError, files};

/// Makes hg record the state of the other side.
pub(super) const NOTED: &str = "--config=experimental.remotenames=yes";
/// The limit for heads of the other side in a query.
const MAX_HEADS: usize = 500;

/// The settings of the path `default`.
pub(crate) struct Remote {
    /// The destination of commits, for messages.
    pub address: String,
    /// The options that replace the repository's own settings.
    pub settings: Vec<String>,
}

impl Remote {
    /// `None` if no path is configured; an error if one is not an address.
    pub(crate) fn of(client: &Client<'_>) -> Result<Option<Self>, SyncError> {
        let settings = Settings::read(client.kind, &client.root, client.env);
        let mut remote = Remote { address: String::new(), settings: Vec::new() };
        if client.kind == Kind::Hg {
            remote.settings.push(NOTED.to_owned());
        }
        for name in ["default", "default-push", "default:pushurl"] {
            let Some(value) = settings.get("paths", name) else { continue };
            if let Some(problem) = problem(value) {
                let printed = format!("{problem}; see [paths] in the settings of {}", client.kind);
                return Err(SyncError::Unreachable { remote: value.to_owned(), printed });
            }
            remote.address = value.to_owned();
            remote.settings.push(format!("--config=paths.{name}={value}"));
        }
        if remote.address.is_empty() {
            return Ok(None);
        }
        let publishes = |path| Settings::of(&files::text(path).unwrap_or_default());
        if let Some(hgrc) = local(client, &remote.address).filter(|_| client.kind == Kind::Hg)
            && let Some(value) = publishes(&hgrc).get("phases", "publish").filter(|value| is_word(value))
        {
            remote.settings.push(format!("--config=phases.publish={value}"));
        }
        Ok(Some(remote))
    }
}

/// A repository on this machine: the program skips its settings too, and would then publish commits that must stay
/// draft.
fn local(client: &Client<'_>, address: &str) -> Option<std::path::PathBuf> {
    path_of_address(address, &client.root, client.env).map(|path| path.join(".hg/hgrc"))
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The recorded state of the other side: names and hashes.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub branches: Vec<(String, String)>,
    pub bookmarks: Vec<(String, String)>,
}

impl Known {
    pub(super) fn read(client: &Client<'_>) -> Self {
        let dir = client.own_dir().join("logexchange");
        let list = |name: &str| {
            let text = files::text(&dir.join(name)).unwrap_or_default();
            let entries = text.lines().filter_map(|line| {
                let mut parts = line.splitn(3, '\0');
                let (node, remote, name) = (parts.next()?, parts.next()?, parts.next()?);
                (is_node(node) && remote == "default").then(|| (name.to_owned(), node.to_owned()))
            });
            entries.collect()
        };
        Known { branches: list("branches"), bookmarks: list("bookmarks") }
    }

    /// The heads of the other side, those of one branch first.
    pub(super) fn heads(&self, branch: &str) -> Vec<String> {
        let mut heads: Vec<&(String, String)> = self.branches.iter().collect();
        heads.sort_by_key(|(name, node)| (name != branch, node));
        heads.into_iter().map(|(_, node)| node.clone()).take(MAX_HEADS).collect()
    }

    /// The heads of one branch of the other side.
    pub(super) fn heads_of(&self, branch: &str) -> Vec<String> {
        let own = self.branches.iter().filter(|(name, _)| name == branch);
        own.map(|(_, node)| node.clone()).take(MAX_HEADS).collect()
    }

    pub(super) fn bookmark(&self, name: &str) -> Option<&str> {
        self.bookmarks.iter().find(|(known, _)| known == name).map(|(_, node)| node.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn addresses() {
        let good = ["/srv/a b", "../hub", "ssh://ann@host//srv/x", "https://host/x?y=a::b", "file:///srv/x", "C:/x"];
        good.iter().for_each(|address| assert_eq!(problem(address), None, "{address}"));
        let bad = [
            "-R/x",
            "--config=x",
            "ext::sh -c x",
            "ssh://-oProxyCommand=x/y",
            "ssh://ann@-o/y",
            "ssh://%2Dx/y",
            "/a\nb",
        ];
        bad.iter().for_each(|address| assert!(problem(address).is_some(), "{address}"));
    }
}
