//! Where the working copy stands, and which commits it has to be brought together with.
//!
//! With an active bookmark these are the other places of that bookmark: where a pull moved it, where it diverged
//! (`name@default`), where the other side has it. Without one they are the heads of the named branch that the other side is
//! known to have. Heads that only this clone has are the user's own business; so are heads with a bookmark of their own
//! (but `@`, which is what hg calls the main line), closed, secret and obsolete ones. No network is used.

use super::call::{Client, exactly, union};
use super::remote::Known;
use crate::vcs::{Standing, SyncError, files};

/// Any bookmark but the main line.
const MARKED: &str = r"bookmark(r're:\A(?!@\Z)')";

pub struct Here {
    pub branch: String,
    /// The active one.
    pub bookmark: Option<String>,
    /// What is checked out, if anything is.
    pub node: Option<String>,
    known: Known,
}

impl Here {
    pub fn of(client: &Client<'_>) -> Result<Self, SyncError> {
        let own = client.own_dir();
        let word = |name: &str| files::text(&own.join(name)).map(|text| text.trim_end_matches('\n').to_owned());
        let branch = word("branch").filter(|name| !name.is_empty()).unwrap_or_else(|| "default".to_owned());
        let parents = client.nodes("parents()")?;
        if parents.len() > 1 {
            return Err(client.unfinished("a merge"));
        }
        let bookmark = match word("bookmarks.current").filter(|name| !name.is_empty()) {
            // The name of one that is gone may be left there.
            Some(name) => Some(name.clone()).filter(|_| client.count(&marked(&name)).is_ok_and(|count| count > 0)),
            None => None,
        };
        Ok(Here { branch, bookmark, node: parents.into_iter().next(), known: Known::read(client) })
    }

    /// The commits to bring together with, those that stand on ours first, then in the order of their hashes: the same in
    /// every clone.
    pub fn partners(&self, client: &Client<'_>) -> Result<Vec<String>, SyncError> {
        let mut found = client.nodes(&match &self.bookmark {
            Some(name) => self.bookmarked(name),
            None => self.heads(),
        })?;
        if self.bookmark.is_none() {
            let marked = |node: &str| self.known.bookmarks.iter().any(|(name, at)| at == node && name != "@");
            found.retain(|node| !marked(node));
        }
        found.sort();
        let above = self.above(client, &found)?;
        found.sort_by_key(|node| !above.contains(node));
        Ok(found)
    }

    /// Those of these commits that stand on ours.
    pub fn above(&self, client: &Client<'_>, nodes: &[String]) -> Result<Vec<String>, SyncError> {
        match &self.node {
            _ if nodes.is_empty() => Ok(Vec::new()),
            Some(node) => client.nodes(&format!("({}) and {node}::", union(nodes))),
            None => Ok(nodes.to_vec()),
        }
    }

    fn heads(&self) -> String {
        let (branch, known) = (exactly(&self.branch), union(&self.known.heads(&self.branch)));
        let theirs = format!("heads((public() + ::({known})) and branch({branch}) and not ::.)");
        // A merge that was made here, but whose working copy was not brought to it: bd or hg was killed in between.
        let left = format!("(children(.) and merge() and draft() and head() and branch({branch}))");
        format!("({theirs} + {left}) and not closed() and not secret() and not obsolete() and not {MARKED}")
    }

    fn bookmarked(&self, name: &str) -> String {
        let (own, apart) = (marked(name), marked(&format!("{name}@default")));
        let theirs: Vec<String> = self.known.bookmark(name).map(str::to_owned).into_iter().collect();
        let places = format!("(({own} + {apart} + {}) - ::.)", union(&theirs));
        format!("({places} - ::parents({places})) and not secret() and not obsolete()")
    }

    /// Commits of ours that the other side is not known to have. Secret ones are never sent, so they do not count.
    pub fn ahead(&self, client: &Client<'_>) -> Result<usize, SyncError> {
        let known = union(&self.known.heads(&self.branch));
        client.count(&format!("draft() and ::. and not ::({known})"))
    }

    /// The other side has the bookmark where it is here.
    pub fn is_bookmark_sent(&self) -> bool {
        self.bookmark.as_deref().is_none_or(|name| self.known.bookmark(name) == self.node.as_deref())
    }

    pub fn standing(&self, client: &Client<'_>, upstream: Option<String>) -> Result<Standing, SyncError> {
        let partners = self.partners(client)?;
        let behind = if partners.is_empty() { 0 } else { client.count(&format!("only({}, .)", union(&partners)))? };
        let branch = Some(self.bookmark.clone().unwrap_or_else(|| self.branch.clone()));
        Ok(Standing { branch, upstream, ahead: self.ahead(client)?, behind })
    }
}

fn marked(name: &str) -> String {
    format!("bookmark({})", exactly(name))
}
