//! What people do with their version control and without `bd sync`.

use crate::support::dice::Dice;
use crate::sync::world::{Desk, Way};

/// Something a person does in this clone; `false` where people do nothing of the kind.
pub fn acts(desk: &Desk, random: &mut Dice) -> bool {
    match desk.way {
        Way::Git => {
            save(desk);
            match random.below(4) {
                0 => code(desk),
                1 => rebase(desk),
                2 => cherry_pick(desk, random),
                _ => pull(desk),
            }
            assert_eq!(desk.dirty(), "", "{}: what a person did is not finished", desk.name);
            true
        }
        Way::Hg => {
            desk.sh("hg addremove -q; hg commit -q -m 'by hand' || true; hg pull -q");
            true
        }
        Way::Jj | Way::JjBeside => {
            desk.sh("jj git fetch 2>&1; jj st");
            true
        }
        Way::Worktree => false,
    }
}

/// Commits what there is.
fn save(desk: &Desk) {
    desk.sh("git add -A; git diff --cached --quiet || git commit -q -m 'by hand'");
}

fn code(desk: &Desk) {
    desk.sh(&format!("echo 1 >> code-{0}; git add code-{0}; git commit -q -m code", desk.name));
}

/// `git pull` that merges. Without the driver it may stop with markers.
fn pull(desk: &Desk) {
    let (done, said) = desk.try_sh("git pull -q --no-rebase --no-edit 2>&1");
    if !done {
        settle(desk, &said);
        desk.sh("git commit -q --no-edit");
    }
}

fn rebase(desk: &Desk) {
    let (mut done, mut said) = desk.try_sh("git fetch -q; git rebase -q origin/main 2>&1");
    while !done {
        settle(desk, &said);
        (done, said) = desk.try_sh("git rebase --continue 2>&1");
    }
}

/// One commit of the others, out of its turn. Only of the ledger: of the code it may need those before it.
fn cherry_pick(desk: &Desk, random: &mut Dice) {
    let list = desk.sh("git fetch -q; git rev-list --no-merges HEAD..origin/main -- .beads");
    let commits: Vec<&str> = list.lines().collect();
    let Some(commit) = random.pick(&commits) else { return };
    let (done, said) = desk.try_sh(&format!("git cherry-pick {commit} 2>&1"));
    if !done {
        if !said.contains("is now empty") {
            settle(desk, &said);
        }
        desk.sh("if git diff --cached --quiet; then git cherry-pick --skip; else git commit -q --no-edit; fi 2>&1");
    }
}

/// Settles the ledger as the manual says.
fn settle(desk: &Desk, said: &str) {
    let list = desk.sh("git diff --name-only --diff-filter=U");
    if !list.trim().is_empty() {
        assert_eq!(list, ".beads/beads.jsonl\n", "{}: {said}", desk.name);
        desk.ok(&["resolve"]);
    }
    desk.sh("git add .beads/beads.jsonl");
}
