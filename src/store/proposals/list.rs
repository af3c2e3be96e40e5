//! Proposals as a listing shows them.

use crate::model::issue::Issue;
use crate::model::proposal::{Proposal, Standing};
use crate::model::record::Record;
use crate::store::{Result, Store};
use crate::vcs;

/// A proposal as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    pub id: String,
    pub title: String,
    pub standing: Standing,
    pub proposal: Proposal,
    /// The planning repo that holds a copy, if one of this project's does.
    pub planning: Option<String>,
    /// The repo it is proposed to, if its file holds it here.
    pub target: Option<String>,
    /// The branches of the primary that carry it.
    pub branches: Vec<String>,
}

impl Store {
    /// Every proposal that the files here tell of.
    pub fn proposals(&mut self) -> Result<Vec<ProposalRow>> {
        self.refresh()?;
        let mut rows: Vec<ProposalRow> = Vec::new();
        for source in 0..self.sources.len() {
            for id in self.sources.ids_mentioning(source, "\"proposal\"") {
                let Some(line) = self.sources.line(source, &id) else { continue };
                let Ok(record) = Record::parse(&line) else { continue };
                let Some(proposal) = Proposal::of(&record) else { continue };
                let member = self.sources.member_of(source);
                let name = self.name(member).to_owned();
                let known = rows.iter_mut().find(|row| row.id == id);
                match (known, member) {
                    (Some(row), _) => row.planning = Some(name),
                    (None, 0) => rows.push(ProposalRow {
                        title: Issue::decode(&record).title,
                        standing: Standing::of(Some(&record), None),
                        proposal,
                        planning: None,
                        branches: Vec::new(),
                        target: Some(name),
                        id,
                    }),
                    (None, _) => rows.push(ProposalRow {
                        title: Issue::decode(&record).title,
                        standing: Standing::of(None, Some(&record)),
                        proposal,
                        planning: Some(name),
                        branches: Vec::new(),
                        target: None,
                        id,
                    }),
                }
            }
        }
        if let Some(path) = self.ledger_path(0) {
            for row in &mut rows {
                row.branches = vcs::branches_holding(path, &row.proposal.id);
            }
        }
        Ok(rows)
    }
}
