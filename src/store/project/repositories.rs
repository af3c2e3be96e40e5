//! A project's repos by the ids used by other machines and other state, and whether their claims are in one place.

use std::collections::BTreeSet;

use super::settings;
use crate::model::state_id;
use crate::store::{Project, Result, Settings, StateHome, StateMode};

impl Project {
    /// A repo of the project by name, path or `rp_` id.
    pub fn find_repository(&self, text: &str) -> Option<usize> {
        if state_id::is(state_id::REPOSITORY, text) {
            let is_it = |repo: &usize| self.known_repository_id(*repo).as_deref() == Some(text);
            return (0..self.repos.members.len()).find(is_it);
        }
        self.find_repo(text)
    }

    /// The repos whose claims are stored where the others do not see them, by name. Each is judged as it is used from
    /// its own directory: an agent in one must see the claims of the others.
    pub fn repos_apart(&self, repos: &[usize]) -> Result<Vec<String>> {
        let repos: BTreeSet<usize> = repos.iter().copied().collect();
        let common = self.state_home_of(0);
        let is_shared = |home: &StateHome| matches!(home.mode, StateMode::Global | StateMode::Named);
        let apart = |repo: &usize| {
            let home = self.own_home(*repo);
            !is_shared(&home) || home.path != common.path
        };
        Ok(repos.iter().filter(|repo| apart(repo)).map(|repo| self.name(*repo).to_owned()).collect())
    }

    /// The state home of a repo by its own settings.
    fn own_home(&self, repo: usize) -> StateHome {
        let (site, env) = (&self.repos.members[repo].site, &self.host.env);
        let settings = Settings::read(settings::Files::of(site, env), env, &self.given.settings);
        site.home(env, settings.state_mode())
    }
}
