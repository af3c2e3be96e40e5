//! Where new issues go, and which issues may be written in their ledger.

use super::row::Row;
use super::snapshot::Snapshot;
use crate::model::dependency::DependencyType;
use crate::store::{Access, Result, Route, Store, StoreError};

impl Snapshot {
    /// Where a new issue with these dependencies goes if no repo is named.
    pub fn usual_route(&self, dependencies: &[(String, DependencyType)]) -> Result<Route> {
        // Its routing settings would be unknown.
        self.refuse_broken()?;
        let mut passed_over = String::new();
        if self.repos.members.len() > 1 || self.has_roles() {
            self.read_ledgers()?;
            let kin = |kind: &DependencyType| kind.is_parent_child() || kind.as_str() == "discovered-from";
            let mut kin: Vec<_> = dependencies.iter().filter(|(_, kind)| kin(kind)).collect();
            kin.sort_by_key(|(_, kind)| !kind.is_parent_child());
            for (target, kind) in kin {
                let what = if kind.is_parent_child() { "parent" } else { "origin" };
                let Some(repo) = self.owner(target).map(|source| self.sources.member_of(source)) else {
                    continue;
                };
                // Contributors plan below issues of the primary; such plans stay in their own repo.
                if self.may_receive(repo).is_err() {
                    passed_over =
                        format!("; its {what} {target} lives in {}, which is not yours to write", self.name(repo));
                    continue;
                }
                return Ok(Route { repo, rule: format!("its {what} {target} lives there") });
            }
        }
        let mut route = self.routed()?;
        route.rule.push_str(&passed_over);
        self.checked(route)
    }

    /// Whether one issue may be written in its ledger.
    pub fn access_to(&self, row: &Row) -> Result<Access> {
        self.access_to_line(row.repo, &row.issue.id, &row.line)
    }

    /// The same for an issue that is named by its full id.
    pub fn access_by_id(&self, id: &str) -> Result<Access> {
        match self.get(id)? {
            Some(row) => self.access_to(&row),
            None => Err(StoreError::NotFound { typed: id.to_owned() }),
        }
    }
}

impl Store {
    /// Where a new issue with these dependencies goes: to the named repo, which then joins the project, or the usual one.
    pub fn route(&mut self, named: Option<&str>, dependencies: &[(String, DependencyType)]) -> Result<Route> {
        self.look_again()?;
        let Some(text) = named else { return self.usual_route(dependencies) };
        self.refuse_broken()?;
        let repo = self.join(text)?;
        self.checked(Route { repo, rule: "--repo names it".to_owned() })
    }
}
