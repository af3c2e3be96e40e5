//! Leases that are renewed in the background.

use std::time::{Duration, Instant};

use beads::internal::ops::{self, Upkeep};
use beads::internal::store::{ClaimWish, Config};
use beads::internal::sys::{Clock, Entropy, Env, Host};
use beads::{ErrorKind, Lease, Renewal, Store, Update};

use super::{open, refused, with};
use crate::library::scratch::Scratch;

const LONG: Duration = Duration::from_secs(3600);

/// Waits until a condition holds, which it does at last.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const fn can_be_shared<T: Send + Sync>() {}
const _: () = can_be_shared::<Renewal>();

/// A claim of `t-1` for this long.
fn claimed(store: &Store, ttl: Duration) -> Lease {
    store.agent("ann").unwrap().claim("t-1", ttl).unwrap()
}

/// Takes the issue from its holder, as a person may.
fn take_over(scratch: &Scratch) {
    let host = Host { clock: Clock::System, entropy: Entropy::System, env: Env::default().at(scratch.root().into()) };
    let config = Config { host, actor: Some("tester".to_owned()), ..Config::at(scratch.root()) };
    let mut person = beads::internal::store::Store::open_with(config).unwrap();
    let wish = ClaimWish { takeover: Some("urgent".to_owned()), ..ClaimWish::default() };
    ops::take(&mut person, "t-1", &wish).unwrap();
}

#[test]
fn a_lease_is_renewed_until_its_renewal_is_dropped() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let mut lease = claimed(&store, Duration::from_secs(6));
    let (epoch, first) = (lease.epoch(), lease.expires_at().unwrap());
    let renewal = lease.keep().unwrap();
    let kept = lease.expires_at().unwrap();
    assert!(kept >= first, "renewed at once");
    let ends = || store.leases().unwrap()[0].expires_at.unwrap();
    until("the lease was not renewed", || ends() > kept);
    let now = &store.leases().unwrap()[0];
    assert_eq!((now.epoch, now.is_expired, renewal.is_lost()), (epoch, false, false));
    assert_eq!(refused(store.agent("bob").unwrap().claim("t-1", LONG)).0, ErrorKind::Claimed);
    lease.update(&Update::new().priority(0)).unwrap();
    drop(renewal);
    until("the lease did not end", || store.leases().unwrap()[0].is_expired);
    assert_eq!(refused(lease.keep()).0, ErrorKind::Stale);
}

#[test]
fn a_lost_claim_is_reported_by_its_renewal() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let mut lease = claimed(&store, Duration::from_secs(6));
    let renewal = lease.keep().unwrap();
    assert!(!renewal.is_lost());
    take_over(&scratch);
    std::thread::scope(|scope| {
        scope.spawn(|| until("the loss was not reported", || renewal.is_lost()));
    });
    assert_eq!(refused(lease.close("too late")).0, ErrorKind::Stale);
    assert_eq!(refused(lease.keep()).0, ErrorKind::Stale);
    assert_eq!(store.leases().unwrap()[0].holder, "tester");
}

#[test]
fn an_issue_that_its_holder_closed_is_not_lost() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let mut lease = claimed(&store, Duration::from_secs(6));
    let renewal = lease.keep().unwrap();
    lease.close("done").unwrap();
    std::thread::sleep(Duration::from_secs(3));
    assert!(!renewal.is_lost());
    assert!(store.leases().unwrap().is_empty());
}

/// A claim that may have ended counts as lost, before another agent may take it.
#[test]
fn a_claim_that_cannot_be_renewed_counts_as_lost_in_time() {
    let after = |ttl: Option<Duration>, renewed: Result<bool, ()>| {
        let ttl = ttl.map(|ttl| i64::try_from(ttl.as_nanos()).unwrap());
        Upkeep::of("t-1", 1, "ann", ttl).is_lost(renewed)
    };
    assert!(!after(Some(LONG), Err(())), "there is time for another attempt");
    assert!(after(Some(Duration::from_millis(60)), Err(())));
    assert!(!after(None, Err(())), "it never expires");
    assert!(after(None, Ok(false)) && !after(Some(LONG), Ok(true)));
}
