//! Resolving mail addresses.

use super::Mailbox;
use crate::model::agent::{Role, Status};
use crate::model::lease::Standing;
use crate::model::reservation::Party;
use crate::ops::agents::roster::{self, Seen};
use crate::ops::{OpError, Result};
use crate::store::{AGENT_VARIABLE, Store, find_actor};

/// The address means all members of a group, not one in particular.
pub fn is_group(address: &str) -> bool {
    let kind = address.split_once(':').map(|(kind, _)| kind);
    address == "@all" || matches!(kind, Some("role" | "status" | "runtime" | "cap"))
}

/// All recipients that the addresses match, each once and after its address. An address without recipients is an error.
pub(super) fn resolve(store: &Store, addresses: &[String]) -> Result<Vec<(String, Mailbox)>> {
    let known: Vec<Seen> = roster::all(store)?;
    let sender = store.agent().and_then(|agent| agent.id.clone());
    let mut found: Vec<(String, Mailbox)> = Vec::new();
    for to in addresses {
        let boxes = meant(store, &known, sender.as_deref(), to)?;
        if boxes.is_empty() {
            return Err(OpError::NoRecipient { address: to.clone() });
        }
        for mailbox in boxes {
            if !found.iter().any(|(_, known)| known.is_same(&mailbox)) {
                found.push((to.clone(), mailbox));
            }
        }
    }
    Ok(found)
}

fn meant(store: &Store, known: &[Seen], sender: Option<&str>, to: &str) -> Result<Vec<Mailbox>> {
    // A message to a group does not go to its sender.
    let others = |wanted: &dyn Fn(&Seen) -> bool| -> Vec<Mailbox> {
        let others = known.iter().filter(|seen| seen.is_registered() && Some(seen.agent.id.as_str()) != sender);
        others.filter(|seen| wanted(seen)).map(box_of).collect()
    };
    if to == "@all" {
        return Ok(others(&|_| true));
    }
    if to == "human" {
        let mut boxes = others(&|seen| seen.agent.role == Role::Human);
        boxes.push(Mailbox::Person { name: person(store) });
        return Ok(boxes);
    }
    match to.split_once(':') {
        Some(("role", word)) => match Role::parse(word) {
            Some(role) => Ok(others(&|seen| seen.agent.role == role)),
            None => Ok(Vec::new()),
        },
        Some(("status", word)) => match Status::parse(word) {
            Some(status) => Ok(others(&|seen| seen.status == status)),
            None => Ok(Vec::new()),
        },
        Some(("runtime", runtime)) => Ok(others(&|seen| seen.agent.runtime.as_deref() == Some(runtime))),
        Some(("cap", capability)) => Ok(others(&|seen| seen.agent.capabilities.iter().any(|own| own == capability))),
        Some(("person", name)) if !name.trim().is_empty() => Ok(vec![Mailbox::Person { name: name.to_owned() }]),
        Some(("holder", issue)) => {
            let Some(holder) = holder_of(store, issue)? else { return Ok(Vec::new()) };
            let agent = known.iter().find(|seen| match &holder.agent {
                Some(id) => seen.agent.id == *id,
                None => seen.agent.name == holder.name,
            });
            Ok(vec![agent.map_or(Mailbox::Person { name: holder.name }, box_of)])
        }
        _ => {
            let seen = roster::find_agent(store, to)?;
            if !seen.is_registered() {
                return Err(OpError::Unregistered { name: seen.agent.name });
            }
            Ok(vec![box_of(&seen)])
        }
    }
}

/// Who works on an issue, if anyone: the holder of the claim, else the assignee in the ledger.
fn holder_of(store: &Store, issue: &str) -> Result<Option<Party>> {
    let row = store.find(issue)?;
    let lease = store.lease(&row.issue.id)?.filter(|row| row.standing == Standing::Live);
    if let Some(holder) = lease.and_then(|row| row.lease.holder) {
        return Ok(Some(Party { name: holder.name, agent: holder.agent }));
    }
    Ok(row.issue.assignee.map(|name| Party { name, agent: None }))
}

fn box_of(seen: &Seen) -> Mailbox {
    Mailbox::Agent { id: seen.agent.id.clone(), name: seen.agent.name.clone() }
}

/// The owner of this machine. An agent may have put its own name where a person's belongs.
fn person(store: &Store) -> String {
    let Some(agent) = store.agent().map(|agent| agent.name.clone()) else { return store.actor().to_owned() };
    let mut env = store.host().env.clone().with(AGENT_VARIABLE, "");
    for variable in ["BD_ACTOR", "BEADS_ACTOR"] {
        if env.var(variable).is_some_and(|name| name == agent) {
            env = env.with(variable, "");
        }
    }
    find_actor(&env, store.repo().root())
}
