//! What an agent must know at the start: its place, its work, and what is ready. Read-only.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::listing::{Checkouts, ready};
use super::workspaces::env::ISSUE_VARIABLE;
use super::{OpError, Result, Resumption, mail};
use crate::model::duration;
use crate::model::lease::Standing;
use crate::model::reservation::Reservation;
use crate::model::when::Calendar;
use crate::model::words::words;
use crate::ops;
use crate::store::{LeaseRow, ProjectText, ReadyFilter, Role, Row, Store, StoreError};

/// How much of each list to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrimeWish {
    pub claims: usize,
    pub ready: usize,
    /// The maximum number of tokens.
    pub tokens: usize,
    /// Start with the work done so far: the reader has just lost its context.
    pub resumes: bool,
    /// The agent must name itself in each command, because its client does not.
    pub names_itself: bool,
    /// The reader has the tools of the MCP server in the place of a shell.
    pub has_tools: bool,
    /// The server only reads.
    pub only_looks: bool,
}

impl PrimeWish {
    /// The default for agents.
    pub const SHORT: Self = PrimeWish {
        claims: 5,
        ready: 5,
        tokens: 900,
        resumes: false,
        names_itself: false,
        has_tools: false,
        only_looks: false,
    };
    /// More of each. One client silently cuts texts of more than 10,000 characters; this is less.
    pub const FULL: Self = PrimeWish { claims: 20, ready: 20, tokens: 2400, ..Self::SHORT };
}

words! {
    /// The state of the issue that an agent was started for.
    pub enum Errand {
        Open = "open",
        Closed = "closed",
        /// Another holds it.
        Taken = "taken",
        /// No ledger here has it.
        Unknown = "unknown",
    }
}

/// The state of a project, for an agent.
#[derive(Debug, Clone)]
pub struct Prime {
    pub wish: PrimeWish,
    pub root: PathBuf,
    pub branch: Option<String>,
    /// The issue that the agent was started for, by `BD_ISSUE`; if it can be worked on, it is the first of its work.
    pub started_for: Option<(String, Errand)>,
    /// The actor's name in the ledger, and whether it is an agent's.
    pub actor: String,
    pub agent: Option<String>,
    /// The client session of a person's agent, and how much that person's other sessions hold.
    pub session: Option<String>,
    pub elsewhere: usize,
    /// How many issues others hold, and how many others.
    pub held: (usize, usize),
    /// The files that others have reserved.
    pub reserved: Vec<Reservation>,
    /// `None` if roles do not matter.
    pub role: Option<Role>,
    /// The repo for new issues, or why there is none.
    pub route: std::result::Result<String, String>,
    /// The actor's open work, as much as is included, and the total number.
    pub work: Vec<Resumption>,
    pub work_total: usize,
    pub unread: usize,
    pub urgent: usize,
    pub ready: Vec<Row>,
    pub ready_total: usize,
    /// The project's own text for agents.
    pub text: Option<ProjectText>,
    /// How long an agent's claim lasts without a command; `None` if it does not end.
    pub claims_last: Option<i64>,
    pub calendar: Calendar,
}

fn errand(store: &Store, id: &str) -> Result<Errand> {
    let Some(row) = store.get(id)? else { return Ok(Errand::Unknown) };
    let me = store.actor();
    let is_taken = store.lease(id)?.is_some_and(|lease| {
        lease.standing == Standing::Live && lease.lease.holder.is_some_and(|holder| holder.name != me)
    });
    Ok(match row.issue.status {
        status if status.is_done() => Errand::Closed,
        _ if is_taken => Errand::Taken,
        _ => Errand::Open,
    })
}

fn claims_last(store: &Store) -> Option<i64> {
    duration::parse(store.settings().word("lease.ttl")).filter(|nanos| *nanos > 0)
}

/// Collects it. Writes neither ledgers nor the state home, and uses no network.
pub fn prime(store: &mut Store, wish: PrimeWish) -> Result<Prime> {
    let page = ready(store, &ReadyFilter { limit: Some(wish.ready), ..ReadyFilter::default() }, Checkouts::One(None))?;
    let started_for = store.host().env.var(ISSUE_VARIABLE);
    let started_for = started_for.filter(|id| !id.trim().is_empty());
    let started_for = started_for.map(|id| Ok::<_, OpError>((errand(store, &id)?, id))).transpose()?;
    let errands = started_for.iter().filter(|(errand, _)| *errand == Errand::Open).map(|(_, id)| id.clone());
    let mut mine = Vec::new();
    for id in errands.chain(ops::working_on(store)?) {
        // An issue that is only on another branch cannot be worked on here.
        if !mine.contains(&id) && store.get(&id)?.is_some() {
            mine.push(id);
        }
    }
    let started_for = started_for.map(|(errand, id)| (id, errand));
    let work = ops::resume_each(store, &mine[..mine.len().min(wish.claims)], &mine)?;
    let leases = store.leases()?.into_iter().filter(|row| row.standing == Standing::Live);
    let me = store.actor().to_owned();
    let (own, others): (Vec<_>, Vec<_>) =
        leases.filter_map(|row: LeaseRow| row.lease.holder).partition(|holder| holder.name == me);
    let elsewhere = own.iter().filter(|holder| store.is_other_session(holder)).count();
    let holders: BTreeSet<&str> = others.iter().map(|holder| holder.name.as_str()).collect();
    let held = (others.len(), holders.len());
    let reserved = ops::reservations(store, false, false)?.into_iter().filter(|one| !one.is_mine);
    let reserved = reserved.map(|one| one.reservation).collect();
    let (unread, urgent) = mail::inbox_counts(store)?;
    let route = match store.usual_route(&[]) {
        Ok(route) => Ok(store.name(route.repo).to_owned()),
        Err(error @ StoreError::Cache(_)) => return Err(OpError::from(error)),
        Err(error) => Err(error.to_string()),
    };
    Ok(Prime {
        wish,
        root: store.repo().root().to_owned(),
        branch: store.worktrees()?.into_iter().find(|one| one.is_here).and_then(|one| one.branch),
        started_for,
        actor: store.actor().to_owned(),
        agent: store.agent().map(|agent| agent.name.clone()),
        session: store.session().map(str::to_owned),
        elsewhere,
        held,
        reserved,
        role: store.has_roles().then(|| store.role().role),
        route,
        work,
        work_total: mine.len(),
        unread,
        urgent,
        ready: page.page.rows,
        ready_total: page.page.total,
        text: store.project_text(),
        claims_last: claims_last(store),
        calendar: store.host().clock.calendar(),
    })
}
