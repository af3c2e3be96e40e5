//! What an agent must know at the start: its place, its work, and what is ready. Read-only.

use std::path::PathBuf;

use super::listing::{Checkouts, ready};
use super::{OpError, Result, Resumption, mail};
use crate::model::lease::Standing;
use crate::model::when::Calendar;
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
}

impl PrimeWish {
    /// The default for agents.
    pub const SHORT: Self = PrimeWish { claims: 5, ready: 5, tokens: 1200, resumes: false, names_itself: false };
    /// More of each: 9,500 bytes, since one client silently cuts texts of more than 10,000 characters.
    pub const FULL: Self = PrimeWish { claims: 20, ready: 20, tokens: 2375, ..Self::SHORT };
}

/// The state of a project, for an agent.
#[derive(Debug, Clone)]
pub struct Prime {
    pub wish: PrimeWish,
    pub root: PathBuf,
    /// The actor's name in the ledger, and whether it is an agent's.
    pub actor: String,
    pub agent: Option<String>,
    /// The client session of a person's agent, and how much that person's other sessions hold.
    pub session: Option<String>,
    pub elsewhere: usize,
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
    pub calendar: Calendar,
}

/// Collects it. Writes neither ledgers nor the state home, and uses no network.
pub fn prime(store: &mut Store, wish: PrimeWish) -> Result<Prime> {
    let page = ready(store, &ReadyFilter { limit: Some(wish.ready), ..ReadyFilter::default() }, Checkouts::One(None))?;
    let mut mine = Vec::new();
    for id in ops::working_on(store)? {
        // An issue that is only on another branch cannot be worked on here.
        mine.extend(store.get(&id)?.map(|_| id));
    }
    let work = ops::resume_each(store, &mine[..mine.len().min(wish.claims)], &mine)?;
    let held = store.leases()?.into_iter().filter(|row| row.standing == Standing::Live);
    let me = store.actor().to_owned();
    let is_other = |row: &LeaseRow| {
        row.lease.holder.as_ref().is_some_and(|holder| holder.name == me && store.is_other_session(holder))
    };
    let elsewhere = held.filter(is_other).count();
    let (unread, urgent) = mail::inbox_counts(store)?;
    let route = match store.usual_route(&[]) {
        Ok(route) => Ok(store.name(route.repo).to_owned()),
        Err(error @ StoreError::Cache(_)) => return Err(OpError::from(error)),
        Err(error) => Err(error.to_string()),
    };
    Ok(Prime {
        wish,
        root: store.repo().root().to_owned(),
        actor: store.actor().to_owned(),
        agent: store.agent().map(|agent| agent.name.clone()),
        session: store.session().map(str::to_owned),
        elsewhere,
        role: store.has_roles().then(|| store.role().role),
        route,
        work,
        work_total: mine.len(),
        unread,
        urgent,
        ready: page.page.rows,
        ready_total: page.page.total,
        text: store.project_text(),
        calendar: store.host().clock.calendar(),
    })
}
