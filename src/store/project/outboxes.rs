//! Where the outboxes of a state home may be.

use std::path::{Path, PathBuf};

use super::pointer::text_in;
use crate::model::record::Record;
use crate::model::row::Row as _;
use crate::model::seen::SeenCheckout;
use crate::store::file_names::REGISTRY as REGISTRY_NAME;
use crate::store::state::checkout_id::{REPO_ID_NAME, place_of, read_text};
use crate::store::state::home::Outboxes;
use crate::store::state::outbox;
use crate::store::{BEADS_DIR, Project, Site, StateDir, StateHome, StateMode};
use crate::vcs;

impl Project {
    /// The same state home with the outboxes that may exist now.
    pub(in crate::store) fn with_outboxes_now(&self, state: StateDir) -> StateDir {
        let member = (0..self.repos.members.len()).find(|member| self.state_home_of(*member).path == state.home().path);
        match member {
            Some(member) => {
                let outboxes = outboxes(&self.repos.members[member].site, state.home());
                state.with_outboxes(outboxes)
            }
            None => state,
        }
    }

    /// Where the log of writes of a repo may wait.
    pub(in crate::store) fn outboxes_of(&self, member: usize) -> Outboxes {
        let home = self.state_home_of(member);
        match home.outboxes.is_empty() {
            // The log is with the repository, wherever claims are.
            true => {
                let site = &self.repos.members[member].site;
                outboxes(site, &site.usual_home())
            }
            false => home.outboxes,
        }
    }
}

/// The outboxes of the checkouts that version control or the registry knows, that of this `.beads` first. They need not
/// exist. A named home was given to this process, one in `.beads` can be written wherever an outbox can, and hg would
/// show an outbox as a new file.
pub(super) fn outboxes(site: &Site, home: &StateHome) -> Outboxes {
    let (beads, (root, common)) = (site.beads(), site.directories());
    let (Some(root), Some(common)) = (root, common) else { return Outboxes::default() };
    if home.mode == StateMode::Named || home.path.starts_with(beads) || !vcs::reads_gitignore(common) {
        return Outboxes::default();
    }
    let mut roots: Vec<PathBuf> = registered(&home.path);
    let is_found = vcs::is_found(root, common) || roots.iter().any(|other| other == root);
    let first = site.parent();
    if first.is_some() || vcs::may_have_others(root, common) {
        let first = first.unwrap_or_else(|| root.to_owned());
        roots.extend(vcs::open(&first).checkouts().into_iter().map(|one| one.root));
    }
    // Where several repositories share a home, rows have the id of their repository.
    let is_named = home.mode != StateMode::Global || read_text(&place_of(common), REPO_ID_NAME).is_some();
    roots.retain(|other| other != root);
    roots.sort();
    roots.dedup();
    let inside = beads.strip_prefix(root).unwrap_or(Path::new(BEADS_DIR));
    let own = outbox::of(beads);
    let others = roots.iter().map(|root| outbox::of(&root.join(inside)));
    Outboxes::new(std::iter::once(own.clone()).chain(others).collect(), (is_found && is_named).then_some(own))
}

/// The checkouts in the registry of a state home.
fn registered(home: &Path) -> Vec<PathBuf> {
    let text = text_in(home, REGISTRY_NAME);
    let rows = text.lines().filter_map(|line| SeenCheckout::parse(&Record::parse(line).ok()?));
    rows.map(|seen| seen.root).collect()
}
