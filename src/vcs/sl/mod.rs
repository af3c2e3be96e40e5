//! sl, a relative of hg. The program was not available: the adapter is tested against transcripts written from the
//! documentation of sl (`fixtures/sl`), and has never run with a real sl.

mod exchange;
mod integrate;

use std::path::PathBuf;

use super::hg::{self, Client};
use super::{Carried, Exchange, Integrated, Integration, Kind, Outgoing, Parcel, Pushed, Route, Standing, SyncError};
use crate::sys::Env;

/// Exchanges commits for sl.
pub(super) struct Exchanging {
    pub root: PathBuf,
}

impl Exchange for Exchanging {
    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        hg::fetch(&Client::new(Kind::Sl, &self.root, "", env))
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        exchange::standing(&Client::new(Kind::Sl, &self.root, "", env))
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        integrate::integrate(&Client::new(Kind::Sl, &self.root, integration.author, integration.env), integration)
    }

    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        exchange::incoming(&Client::new(Kind::Sl, &self.root, "", route.env), route)
    }

    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError> {
        exchange::outgoing(&Client::new(Kind::Sl, &self.root, "", route.env), route)
    }

    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
        exchange::push(&Client::new(Kind::Sl, &self.root, "", route.env), parcel, route.with_code)
    }
}
