//! Compares with the other side and pushes to it. sl remembers the positions of the other side's bookmarks
//! (`remote/main`).

use crate::vcs::hg::{self, Client, Remote, Settings};
use crate::vcs::{Carried, Outgoing, Parcel, Pushed, Route, Standing, SyncError};

/// The names of the main line if none is configured.
const MAIN: [&str; 2] = ["main", "master"];
/// sl's messages about a concurrent push; a server may be git's.
const OUTRUN: [&str; 3] = ["non-fast-forward", "[rejected]", "conflicting changes in:"];

/// Our commits that the other side lacks.
const OURS: &str = "draft() and ::.";

/// The bookmark of the other side that is tracked, and its position.
pub(super) struct Upstream {
    pub name: String,
    pub node: String,
}

impl Upstream {
    /// `None` if the other side has no such bookmark, or nothing was pulled yet.
    pub(super) fn of(client: &Client<'_>) -> Result<Option<Self>, SyncError> {
        let settings = Settings::read(client.kind, &client.root, client.env);
        let configured =
            settings.get("remotenames", "selectivepulldefault").and_then(|names| names.split([',', ' ']).next());
        let harmless =
            |name: &&str| name.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c)) && !name.is_empty();
        for name in configured.filter(harmless).into_iter().chain(MAIN) {
            if let Some(node) = client.nodes(&format!("present(\"remote/{name}\")"))?.into_iter().next() {
                return Ok(Some(Upstream { name: name.to_owned(), node }));
            }
        }
        Ok(None)
    }

    pub(super) fn full_name(&self) -> String {
        format!("remote/{}", self.name)
    }

    pub(super) fn behind(&self, client: &Client<'_>) -> Result<usize, SyncError> {
        client.count(&format!("only({}, .)", self.node))
    }
}

/// Our commits that the other side lacks.
pub(super) fn ahead(client: &Client<'_>) -> Result<usize, SyncError> {
    client.count(OURS)
}

pub(super) fn standing(client: &Client<'_>) -> Result<Standing, SyncError> {
    let Some(upstream) = Upstream::of(client)? else {
        return Ok(Standing { ahead: ahead(client)?, ..Standing::default() });
    };
    let (ahead, behind) = (ahead(client)?, upstream.behind(client)?);
    Ok(Standing { branch: Some(upstream.name.clone()), upstream: Some(upstream.full_name()), ahead, behind })
}

pub(super) fn outgoing(client: &Client<'_>, route: &Route<'_>) -> Result<Outgoing, SyncError> {
    if Remote::of(client)?.is_none() {
        return Ok(Outgoing::Held("no path `default` is configured".to_owned()));
    }
    let Some(upstream) = Upstream::of(client)? else {
        return Ok(Outgoing::Held("the other side has no bookmark to send to".to_owned()));
    };
    let commits = hg::carried(client, OURS, &|file| route.is_ledger(file))?;
    let Some(last) = commits.last() else { return Ok(Outgoing::Nothing) };
    if upstream.behind(client)? > 0 {
        return Ok(Outgoing::Outrun);
    }
    Ok(Outgoing::Ready(Parcel { tip: last.id.clone(), to: upstream.full_name(), commits }))
}

pub(super) fn incoming(client: &Client<'_>, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
    let Some(upstream) = Upstream::of(client)? else { return Ok(Vec::new()) };
    hg::carried(client, &format!("only({}, .)", upstream.node), &|file| route.is_ledger(file))
}

pub(super) fn push(client: &Client<'_>, parcel: &Parcel, with_hooks: bool) -> Result<Pushed, SyncError> {
    let (Some(remote), Some(upstream)) = (Remote::of(client)?, Upstream::of(client)?) else {
        return Ok(Pushed::NothingToPush);
    };
    let command = ["push", &format!("--rev={}", parcel.tip), &format!("--to={}", upstream.name)];
    let output = hg::exchange_with(client, &remote, &command, with_hooks)?;
    match output.status.code() {
        Some(0) => Ok(Pushed::Done),
        _ if hg::reports(&output, &OUTRUN) || hg::reports(&output, &hg::OUTRUN) => Ok(Pushed::Outrun),
        Some(1) if hg::reports(&output, &["no changes found"]) => Ok(Pushed::NothingToPush),
        _ => Err(hg::refused(client, remote, &output)),
    }
}
