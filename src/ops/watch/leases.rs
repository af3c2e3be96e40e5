//! Changes of claims: two states of the claim files are compared.

use std::collections::BTreeMap;

use super::event::{EventKind, LeaseNews};
use crate::model::lease::{Holder, Lease, Now, Standing};
use crate::store::LeaseRow;

/// Claims by issue, with their state.
pub(super) type Claims = BTreeMap<String, (Lease, Standing)>;

pub(super) fn claims(rows: Vec<LeaseRow>) -> Claims {
    rows.into_iter().map(|row| (row.id, (row.lease, row.standing))).collect()
}

/// What happened between two states. `title` and `source_repo` are filled in later.
pub(super) fn changes(before: &Claims, after: &Claims) -> Vec<(EventKind, LeaseNews)> {
    let mut found = Vec::new();
    for (id, (lease, standing)) in after {
        let fresh = (Lease::new(id), Standing::Free);
        let (old, stood) = before.get(id).unwrap_or(&fresh);
        let mut tell = |kind, epoch, holder: Option<Holder>, from: Option<Holder>| {
            let (attempts, last_error) = (lease.attempts, lease.last_error.clone());
            found.push((
                kind,
                LeaseNews { id: id.clone(), epoch, holder, from, attempts, last_error, ..LeaseNews::default() },
            ));
        };
        let is_same = old.epoch == lease.epoch && old.holder.is_some() == lease.holder.is_some();
        if is_same {
            let renewed = |lease: &Lease| lease.holder.as_ref().map(|holder| (holder.renewed.clone(), holder.expires));
            match (stood, standing) {
                (Standing::Live, Standing::Expired) => {
                    tell(EventKind::LeaseExpired, lease.epoch, lease.holder.clone(), None);
                }
                (_, Standing::Live) if renewed(old) != renewed(lease) => {
                    tell(EventKind::LeaseRenewed, lease.epoch, lease.holder.clone(), None);
                }
                _ => {}
            }
            continue;
        }
        // A holder that did not release it is recorded as a loser.
        let loser = old.holder.clone().filter(|holder| lease.lost_by(&holder.name) == Some(old.epoch));
        match (&old.holder, &lease.holder) {
            (Some(_), None) if loser.is_some() => tell(EventKind::LeaseTaken, old.epoch, None, loser),
            (Some(_), None) => tell(EventKind::LeaseReleased, old.epoch, old.holder.clone(), None),
            (Some(_), Some(_)) if loser.is_some() => {
                tell(EventKind::LeaseTaken, lease.epoch, lease.holder.clone(), loser);
            }
            (previous, Some(_)) => {
                if previous.is_some() {
                    tell(EventKind::LeaseReleased, old.epoch, previous.clone(), None);
                }
                tell(EventKind::LeaseGranted, lease.epoch, lease.holder.clone(), None);
            }
            // Claimed and released since.
            (None, None) => {}
        }
        if *standing == Standing::Expired {
            tell(EventKind::LeaseExpired, lease.epoch, lease.holder.clone(), None);
        }
    }
    // The file was removed, or the state home is another one now.
    for (id, (old, _)) in before.iter().filter(|(id, (old, _))| old.holder.is_some() && !after.contains_key(*id)) {
        let holder = old.holder.clone();
        let news = LeaseNews { id: id.clone(), epoch: old.epoch, holder, ..LeaseNews::default() };
        found.push((EventKind::LeaseReleased, news));
    }
    found
}

/// Nanoseconds until the first of them expires.
pub(super) fn first_end(claims: &Claims, now: &Now) -> Option<i64> {
    let live = claims.values().filter(|(_, standing)| *standing == Standing::Live);
    live.filter_map(|(lease, _)| lease.time_left(now)).min()
}

#[cfg(test)]
mod tests {
    use super::super::leases::*;
    use crate::model::lease::Lost;
    use crate::model::time::{Instant, SECOND};

    fn held(name: &str, epoch: i64, renewed: &str) -> Lease {
        let holder = Holder {
            name: name.into(),
            agent: Some("ag_000000000001".into()),
            renewed: renewed.into(),
            ..Holder::default()
        };
        Lease { id: "x".into(), epoch, holder: Some(holder), ..Lease::default() }
    }

    fn described(before: Option<(Lease, Standing)>, after: Option<(Lease, Standing)>) -> Vec<String> {
        let claims = |one: Option<(Lease, Standing)>| one.into_iter().map(|one| ("x".to_owned(), one)).collect();
        let word = |(kind, news): (EventKind, LeaseNews)| {
            let name = |holder: &Option<Holder>| holder.as_ref().map_or("-".to_owned(), |holder| holder.name.clone());
            format!("{} {} {}<{}", kind.word(), news.epoch, name(&news.holder), name(&news.from))
        };
        changes(&claims(before), &claims(after)).into_iter().map(word).collect()
    }

    #[test]
    fn every_way_of_a_claim() {
        let live = |lease: Lease| Some((lease, Standing::Live));
        let over = |lease: Lease| Some((lease, Standing::Expired));
        let free = |lease: Lease| Some((Lease { holder: None, ..lease }, Standing::Free));
        let ann = || held("ann", 1, "r");
        let nothing: [&str; 0] = [];
        assert_eq!(described(None, live(ann())), ["lease_granted 1 ann<-"]);
        assert_eq!(described(live(ann()), live(ann())), nothing);
        assert_eq!(described(live(ann()), live(held("ann", 1, "later"))), ["lease_renewed 1 ann<-"]);
        assert_eq!(described(live(ann()), over(ann())), ["lease_expired 1 ann<-"]);
        assert_eq!(described(over(ann()), over(ann())), nothing);
        assert_eq!(described(live(ann()), free(ann())), ["lease_released 1 ann<-"]);
        assert_eq!(described(free(ann()), live(held("bob", 2, ""))), ["lease_granted 2 bob<-"]);
        let given_on = ["lease_released 1 ann<-", "lease_granted 2 bob<-"];
        assert_eq!(described(live(ann()), live(held("bob", 2, ""))), given_on);
        let lost = |lease: Lease| Lease { lost: vec![Lost { holder: "ann".into(), epoch: 1 }], ..lease };
        assert_eq!(described(over(ann()), live(lost(held("bob", 2, "")))), ["lease_taken 2 bob<ann"]);
        assert_eq!(described(over(ann()), free(lost(ann()))), ["lease_taken 1 -<ann"]);
        assert_eq!(described(live(ann()), None), ["lease_released 1 ann<-"]);
        assert_eq!(described(None, over(ann())), ["lease_granted 1 ann<-", "lease_expired 1 ann<-"]);
    }

    #[test]
    fn the_first_end_counts() {
        let ends = |seconds: i64| {
            let mut lease = held("ann", 1, "");
            lease.holder.as_mut().unwrap().expires = Some(Instant::from_nanos(seconds * SECOND));
            lease
        };
        let claims: Claims = [
            ("a".to_owned(), (ends(9), Standing::Live)),
            ("b".to_owned(), (ends(7), Standing::Live)),
            ("c".to_owned(), (ends(1), Standing::Expired)),
            ("d".to_owned(), (held("ann", 1, ""), Standing::Live)),
        ]
        .into();
        let now = Now { wall: Instant::from_nanos(2 * SECOND), ticks: None };
        assert_eq!(first_end(&claims, &now), Some(5 * SECOND));
        assert_eq!(first_end(&Claims::new(), &now), None);
    }
}
