//! Taking work up: work, status, update --claim.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::change::updating::two;

#[test]
fn update_claim_and_work_have_one_winner() {
    let env = two();
    assert_data_eq!(
        env.script(
            "work fix
             work fix
             --actor bob work fix
             --actor bob work fix --json
             --actor bob update docs --claim
             update docs --claim
             close fix
             work fix
             work
             work nosuch"
        ),
        str![[r#"
$ bd work fix
In progress, yours: bd-fix
$ bd work fix
Already yours since 09:00 (another process): bd-fix
! hint: if another program of yours works on it, leave it; set BD_AGENT to a name of its own for each of them
$ bd --actor bob work fix
! error: bd-fix is already claimed by ann in main
! hint: run `bd ready` to see free issues, or `bd leases` to see who holds what
[exit 4]
$ bd --actor bob work fix --json
[]
! {"error":{"code":"claimed","message":"bd-fix is already claimed by ann in main","hint":"run `bd ready` to see free issues, or `bd leases` to see who holds what","recoverable":false,"exit_code":4,"holder":"ann","epoch":1,"worktree":"main","id":"fix"}}
[exit 4]
$ bd --actor bob update docs --claim
Updated issue: bd-docs
! warning: bd-docs is blocked by open issues: bd-fix
$ bd update docs --claim
! error: bd-docs is already claimed by bob in main
! hint: run `bd ready` to see free issues, or `bd leases` to see who holds what
[exit 4]
$ bd close fix
Closed bd-fix
$ bd work fix
! error: bd-fix is closed and cannot be claimed
! hint: run `bd ready --claim` to take another issue
[exit 5]
$ bd work
! error: which issue? `bd ready` lists candidates; `bd ready --claim` takes the first
[exit 2]
$ bd work nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert_eq!(env.bd(["work", "docs", "--actor", "bob", "--json"]).json()[0]["status"], "in_progress");
}

#[test]
fn status_sets_it() {
    let env = two();
    assert_data_eq!(
        env.script(
            "status fix In-Progress
             status fix in_progress
             status fix opne
             status fix
             status nosuch open"
        ),
        str![[r#"
$ bd status fix In-Progress
Updated issue: bd-fix
$ bd status fix in_progress
Nothing to change: bd-fix
$ bd status fix opne
! error: invalid status "opne"; known: open in_progress blocked deferred closed pinned hooked
! hint: did you mean "open"?
[exit 2]
$ bd status fix
! error: the following required arguments were not provided:
!   <STATUS>
! 
! Usage: bd status <ID> <STATUS>
! 
! For more information, try '--help'.
[exit 2]
$ bd status nosuch open
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert_eq!(env.bd(["status", "fix", "blocked", "--json"]).json()[0]["status"], "blocked");
}
