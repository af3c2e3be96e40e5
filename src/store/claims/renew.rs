//! Renewing one claim, and writing under its epoch.

use crate::model::lease::{Lease, Standing};
use crate::model::time::Instant;
use crate::store::file_names::LEASE_VARIABLE;
use crate::store::leases::messages::stale;
use crate::store::state::leases::standing;
use crate::store::{Result, Store};

impl Store {
    /// Sets the epochs of the claims that the caller carries, as [`LEASE_VARIABLE`] does.
    pub fn carry(&mut self, numbers: &str) {
        self.host.env = self.host.env.clone().with(LEASE_VARIABLE, numbers);
    }

    /// Renews a claim if the caller still holds it under this epoch. Returns the new expiry; `None` for never.
    pub fn renew_lease(&mut self, id: &str, epoch: i64) -> Result<Option<Instant>> {
        let source = self.lease_source(id)?;
        let home = self.hold(self.lease_home(source))?;
        let mut lease = home.lease(&self.lease_key(source, home.dir(), id)?);
        let (name, now) = (self.actor().to_owned(), self.host.clock.both());
        let is_mine = |lease: &Lease| lease.holder.as_ref().is_some_and(|holder| holder.name == name);
        if lease.epoch != epoch || !is_mine(&lease) || standing(&lease, &now) != Standing::Live {
            return Err(stale(id, &name, epoch, &lease, &now).into());
        }
        if lease.renew(&now) {
            self.put_leases(&home, std::slice::from_ref(&lease))?;
        }
        Ok(lease.holder.and_then(|holder| holder.expires))
    }
}
