//! Claims that were also made on a remote.

use crate::model::lease::Lease;
use crate::store::Store;
use crate::store::state::leases::issue_of;

/// A change of a claim that was also made on a remote; the remote is told when the command ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteNews {
    pub id: String,
    /// The version of the claim on the remote.
    pub version: String,
    pub what: RemoteChange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteChange {
    Renewed,
    /// The issue is closed or deleted, which others cannot see yet.
    Closed,
    Ended,
}

impl Store {
    /// Notes what happens to a claim, for its remote.
    pub(in crate::store) fn tell_remote(&self, lease: &Lease, what: RemoteChange) {
        let version = lease.holder.as_ref().and_then(|holder| holder.remote.clone());
        let news = version.map(|version| RemoteNews { id: issue_of(&lease.id).to_owned(), version, what });
        self.remote_claims.borrow_mut().extend(news);
    }
}
