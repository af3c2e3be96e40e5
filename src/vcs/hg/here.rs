//! The position of the working copy, and the commits that it must be integrated with.
//!
//! With an active bookmark these are the other positions of that bookmark: where a pull moved it, where it diverged
//! (`name@default`), where the other side has it. Without one they are the heads of the named branch that the other
//! side is known to have. Heads that only this clone has are left to the user; so are heads with a bookmark of their
//! own (except `@`, hg's name for the main line), closed, secret and obsolete ones. No network is used.
//!
//! Of several heads with code at most one is merged, and none with code that the other side has already: other people's
//! lines of work are theirs to integrate.

use std::path::Path;

use super::call::{Client, exactly, marked, union};
use super::commits::carried;
use super::remote::Known;
use crate::vcs::{Standing, SyncError, files};

/// Any bookmark except the main line's.
const MARKED: &str = r"bookmark(r're:\A(?!@\Z)')";

pub(super) struct Here {
    pub branch: String,
    /// The active one, or the one that the user named.
    pub bookmark: Option<String>,
    /// The bookmark moves with the working copy.
    pub is_active: bool,
    /// The commit that is checked out, if there is one.
    pub node: Option<String>,
    known: Known,
}

impl Here {
    /// With the bookmark that the user named instead of the active one.
    pub(super) fn of(client: &Client<'_>, named: Option<&str>) -> Result<Self, SyncError> {
        let own = client.own_dir();
        let word = |name: &str| files::text(&own.join(name)).map(|text| text.trim_end_matches('\n').to_owned());
        let branch = Self::branch_of(client);
        let parents = client.nodes("parents()")?;
        if parents.len() > 1 {
            return Err(client.unfinished("a merge"));
        }
        let active = word("bookmarks.current").filter(|name| !name.is_empty());
        let is_active = named.is_none() || active.as_deref() == named;
        let bookmark = match named.map(str::to_owned).or(active) {
            Some(name) if named.is_some() => Some(name),
            // The name of a deleted one may remain there.
            Some(name) => Some(name.clone()).filter(|_| client.count(&marked(&name)).is_ok_and(|count| count > 0)),
            None => None,
        };
        Ok(Here { branch, bookmark, is_active, node: parents.into_iter().next(), known: Known::read(client) })
    }

    /// The destination of commits, as hg writes it: the path, and the bookmark or branch unless it is the default.
    pub(super) fn shown(&self) -> String {
        match self.bookmark.as_ref().unwrap_or(&self.branch) {
            name if name == "default" => name.clone(),
            name => format!("default#{name}"),
        }
    }

    /// The named branch.
    pub(super) fn branch_of(client: &Client<'_>) -> String {
        let text = files::text(&client.own_dir().join("branch")).unwrap_or_default();
        let name = text.trim_end_matches('\n');
        if name.is_empty() { "default".to_owned() } else { name.to_owned() }
    }

    /// The commits to integrate with: descendants of ours first, then in the order of their hashes, which is the same
    /// in every clone.
    pub(super) fn partners(&self, client: &Client<'_>) -> Result<Vec<String>, SyncError> {
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

    /// The commits to merge with, out of these: all that bring only ledgers, and at most one that brings code. A commit
    /// that lacks code which ours and the other side have is another line of work.
    pub(super) fn chosen(
        &self,
        client: &Client<'_>,
        partners: &[String],
        is_ledger: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<String>, SyncError> {
        let Some(node) = self.node.as_deref() else { return Ok(partners.to_vec()) };
        let above = self.above(client, partners)?;
        if let ([_], [_]) | ([], _) = (partners, above.as_slice()) {
            return Ok(partners.to_vec());
        }
        let has_code = |set: &str| -> Result<bool, SyncError> {
            Ok(carried(client, set, is_ledger)?.iter().any(|commit| commit.has_code))
        };
        let (mut with_code, mut meant) = (Vec::new(), Vec::new());
        for partner in partners {
            if !has_code(&format!("only({partner}, {node})"))? {
                continue;
            }
            with_code.push(partner);
            let sent = format!("only({node}, {partner}) and (public() + ::({}))", self.sent());
            if above.contains(partner) || !has_code(&sent)? {
                meant.push(partner);
            }
        }
        let on_ours: Vec<&String> = meant.iter().filter(|node| above.contains(node)).copied().collect();
        let kept = match (meant.as_slice(), on_ours.as_slice()) {
            (_, [one]) | ([one], _) => Some(*one),
            ([], _) => None,
            _ => {
                let heads = meant.iter().map(|node| node.get(..12).unwrap_or(node).to_owned()).collect();
                return Err(SyncError::Heads { upstream: self.branch.clone(), heads });
            }
        };
        Ok(partners.iter().filter(|node| Some(*node) == kept || !with_code.contains(node)).cloned().collect())
    }

    /// The heads of the other side.
    fn sent(&self) -> String {
        union(&self.known.heads(&self.branch))
    }

    /// The descendants of our commit among these.
    pub(super) fn above(&self, client: &Client<'_>, nodes: &[String]) -> Result<Vec<String>, SyncError> {
        match &self.node {
            _ if nodes.is_empty() => Ok(Vec::new()),
            Some(node) => client.nodes(&format!("({}) and {node}::", union(nodes))),
            None => Ok(nodes.to_vec()),
        }
    }

    fn heads(&self) -> String {
        let (branch, known) = (exactly(&self.branch), union(&self.known.heads(&self.branch)));
        let theirs = format!("heads((public() + ::({known})) and branch({branch}) and not ::.)");
        // A merge that was made here but not checked out: bd or hg was killed in between.
        let left = format!("(children(.) and merge() and draft() and head() and branch({branch}))");
        format!("({theirs} + {left}) and not closed() and not secret() and not obsolete() and not {MARKED}")
    }

    fn bookmarked(&self, name: &str) -> String {
        let (own, apart) = (marked(name), marked(&format!("{name}@default")));
        let theirs: Vec<String> = self.known.bookmark(name).map(str::to_owned).into_iter().collect();
        let places = format!("(({own} + {apart} + {}) - ::.)", union(&theirs));
        format!("({places} - ::parents({places})) and not secret() and not obsolete()")
    }

    /// The number of our commits that the other side is not known to have. Secret ones are never pushed, so they do not
    /// count.
    pub(super) fn ahead(&self, client: &Client<'_>) -> Result<usize, SyncError> {
        client.count(&self.ours())
    }

    /// The same as a set.
    pub(super) fn ours(&self) -> String {
        format!("draft() and ::. and not ::({})", self.sent())
    }

    /// Refuses a push that hg would refuse, because it adds a head to the branch on the other side. None of that side's
    /// heads is below ours; they are other lines of work.
    pub(super) fn refuse_new_head(&self, client: &Client<'_>, remote: &str) -> Result<(), SyncError> {
        let heads = self.known.heads_of(&self.branch);
        let (Some(node), None) = (&self.node, &self.bookmark) else { return Ok(()) };
        let there = format!("({}) and not closed()", union(&heads));
        if heads.is_empty() || client.count(&there)? == 0 || client.count(&format!("({there}) and ::{node}"))? > 0 {
            return Ok(());
        }
        let name = |head: &String| match self.known.bookmarks.iter().find(|(_, at)| at == head) {
            Some((name, _)) => format!("the bookmark {name}"),
            None => head.get(..12).unwrap_or(head).to_owned(),
        };
        let (remote, branch) = (remote.to_owned(), self.branch.clone());
        Err(SyncError::NewHead { remote, branch, heads: heads.iter().map(name).collect() })
    }

    /// The last common commits of both sides.
    pub(super) fn common(&self) -> String {
        format!("heads(::. and (public() + ::({})))", self.sent())
    }

    /// Whether the other side is known to have the bookmark.
    pub(super) fn is_bookmark_known(&self) -> bool {
        self.bookmark.as_deref().is_none_or(|name| self.known.bookmark(name).is_some())
    }

    /// Whether the other side has the bookmark at our position.
    pub(super) fn is_bookmark_sent(&self) -> bool {
        self.bookmark.as_deref().is_none_or(|name| self.known.bookmark(name) == self.node.as_deref())
    }

    pub(super) fn standing(&self, client: &Client<'_>, upstream: Option<String>) -> Result<Standing, SyncError> {
        let partners = self.partners(client)?;
        let behind = if partners.is_empty() { 0 } else { client.count(&format!("only({}, .)", union(&partners)))? };
        let branch = Some(self.bookmark.clone().unwrap_or_else(|| self.branch.clone()));
        Ok(Standing { branch, upstream, ahead: self.ahead(client)?, behind })
    }
}
