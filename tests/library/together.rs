//! Reservations, checkpoints and what to go on from, for programs.

use beads::internal::model::change::NewIssue;
use beads::internal::ops::{self, CheckpointFilter, NewCheckpoint, OpError, Release, ReservationError, ReserveRequest};
use beads::internal::store::Identity;
use beads::internal::store::Store;

use crate::library::scratch::Scratch;

fn agent(scratch: &Scratch, name: &str) -> Store {
    let mut store = scratch.open();
    store.act_as(Identity { name: name.to_owned(), ..Identity::default() });
    store
}

#[test]
fn two_programs_on_one_repo() {
    let scratch = Scratch::with("");
    let (mut ann, mut bob) = (agent(&scratch, "ann"), agent(&scratch, "bob"));
    let issue = ann.create(NewIssue::titled("One")).unwrap();
    let wish = |glob: &str| ReserveRequest { globs: vec![glob.to_owned()], ..ReserveRequest::default() };
    let reserved = ops::reserve(&mut ann, &wish("src/**")).unwrap();
    assert_eq!(reserved[0].reservation.glob, "src/**");
    match ops::reserve(&mut bob, &wish("src/a.rs")) {
        Err(OpError::Reservation(ReservationError::Reserved { obstacles })) => {
            assert_eq!(obstacles[0].reservation.holder.name, "ann");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ops::check_paths(&bob, &["src/a.rs".to_owned()]).unwrap().obstacles.len(), 1);
    ops::unreserve(&ann, &Release::All).unwrap();
    ops::reserve(&mut bob, &wish("src/a.rs")).unwrap();

    for (summary, kind) in [("half", "progress"), ("broken", "error")] {
        let new = NewCheckpoint {
            issue: Some(issue.id.clone()),
            summary: summary.to_owned(),
            kind: kind.to_owned(),
            ..NewCheckpoint::default()
        };
        ops::add_checkpoint(&mut ann, &new).unwrap();
    }
    let page = ops::checkpoints(&bob, &CheckpointFilter::default()).unwrap();
    assert_eq!(page.rows.iter().map(|row| row.checkpoint.number).collect::<Vec<_>>(), [1, 2]);
    let found = ops::resume(&mut bob, Some(&issue.id)).unwrap();
    assert_eq!(found[0].from.as_ref().map(|row| row.checkpoint.summary.as_str()), Some("half"));
    assert_eq!(found[0].errors.len(), 1);
    let context = ops::issue_context(&bob, &issue.id, false).unwrap();
    assert_eq!(context.checkpoints[0].checkpoint.summary, "broken");
}
