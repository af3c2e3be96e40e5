//! Where a new issue goes: a named repo, then the repo of the issue it belongs to, then the routing settings.

use super::role::{Role, RoleDecision};
use crate::store::{Project, Result, StoreError};

/// A decision, with the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The member that receives the issue.
    pub repo: usize,
    pub rule: String,
}

/// Whether the actor may write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    Write,
    /// No, and why.
    Read(String),
}

impl Project {
    /// The settings' choice for a new issue that belongs to no other.
    pub(in crate::store) fn routed(&self) -> Result<Route> {
        match self.settings.routing() {
            "explicit" => match self.target("routing.default")? {
                Some(repo) => Ok(Route { repo, rule: "routing.mode is explicit: routing.default".to_owned() }),
                None => Err(StoreError::NoRoute { mode: "explicit", missing: "routing.default" }),
            },
            "auto" => {
                let RoleDecision { role, because, .. } = self.role().clone();
                let rule = |key: &str| format!("routing.mode is auto and you are a {role} ({because}): {key}");
                if role == Role::Maintainer {
                    let repo = self.target("routing.auto.maintainer")?.unwrap_or(0);
                    return Ok(Route { repo, rule: rule("routing.auto.maintainer") });
                }
                for key in ["routing.auto.contributor", "routing.default"] {
                    if let Some(repo) = self.target(key)? {
                        return Ok(Route { repo, rule: rule(key) });
                    }
                }
                // The only other repo that the settings name, not one that a command just added.
                let only = (1..self.repos.members.len()).filter(|n| self.is_planning(*n));
                match only.collect::<Vec<_>>().as_slice() {
                    [repo] => Ok(Route { repo: *repo, rule: rule("the only additional repo") }),
                    [] => Err(StoreError::NoPlanningRepo),
                    _ => Err(StoreError::NoRoute { mode: "auto", missing: "routing.auto.contributor" }),
                }
            }
            _ => Ok(Route { repo: 0, rule: "routing.mode is single".to_owned() }),
        }
    }

    /// The member that a setting names, if any.
    fn target(&self, key: &'static str) -> Result<Option<usize>> {
        let Some((text, _)) = self.settings.text(key) else { return Ok(None) };
        let env = &self.host.env;
        let path = self.repos.path_of(text, env);
        // Even if another setting joins the repo: reading it is not the same as writing private issues to it.
        if self.repos.untrusted.iter().any(|outside| outside.key == key) {
            return Err(StoreError::Untrusted { key, text: text.to_owned(), path });
        }
        if let Some(repo) = self.repos.find(text, env, &self.repos.root) {
            return Ok(Some(repo));
        }
        Err(StoreError::BadRoute { key, text: text.to_owned(), path })
    }

    /// Refuses a route to a repo that may not receive the issue.
    pub(in crate::store) fn checked(&self, route: Route) -> Result<Route> {
        let name = self.name(route.repo).to_owned();
        if let Access::Read(reason) = self.access(route.repo)? {
            return Err(StoreError::ReadOnly { what: "a new issue".to_owned(), repo: name, reason });
        }
        // In the primary's working copy a private issue would be part of the next commit.
        if self.has_roles() && self.role().role == Role::Contributor && self.is_exposed(route.repo) {
            return Err(StoreError::WouldLeak { repo: name });
        }
        Ok(route)
    }

    /// Writes to a repo can end up where the primary's commits go.
    fn is_exposed(&self, repo: usize) -> bool {
        let root = |n: usize| self.repos.members[n].repo.root();
        repo != 0
            && (self.repos.share_working_copy(0, repo)
                || super::planning_repo::shares_remote(root(0), root(repo), &self.host.env))
    }

    /// Refuses a repo that may not receive issues: one the user may not write, or whose commits others would see.
    pub(in crate::store) fn may_receive(&self, repo: usize) -> Result<()> {
        self.checked(Route { repo, rule: String::new() }).map(drop)
    }

    /// Roles matter: routing is not `single`.
    pub fn has_roles(&self) -> bool {
        self.settings.routing() != "single"
    }

    /// Whether new issues and canonical ones of a repo may be written.
    pub fn access(&self, repo: usize) -> Result<Access> {
        if repo != 0 || !self.has_roles() {
            return Ok(Access::Write);
        }
        let decision = self.role();
        Ok(match decision.role {
            Role::Maintainer => Access::Write,
            Role::Contributor => Access::Read(format!("you are a contributor here: {}", decision.because)),
        })
    }
}
