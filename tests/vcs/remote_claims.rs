//! Claims on a git remote: the first to ask wins, and no one else does.

use std::sync::Barrier;

use beads::internal::sys::Env;
use beads::internal::vcs::{self, Kind, RemoteClaim, Swap, SyncError};

use crate::support::effort::pick;
use crate::vcs::lab::Lab;

fn server(lab: &Lab) {
    lab.begin(
        "git init -q --bare -b main server; git clone -q server ann 2>&1; cd ann; echo 1 > x; git add .
            git commit -q -m first; git push -q origin main",
    );
}

fn clone(lab: &Lab, name: &str) {
    lab.sh(&format!("git clone -q server {name}"));
}

fn swap(lab: &Lab, clone: &str, id: &str, expected: Option<&str>, text: Option<&str>) -> Result<Swap, SyncError> {
    vcs::swap_remote_claim(&lab.path(clone), id, expected, text, &lab.env())
}

fn won(swap: Result<Swap, SyncError>) -> String {
    match swap.expect("an answer") {
        Swap::Done { version } => version,
        lost => panic!("{lost:?}"),
    }
}

fn lost(swap: Result<Swap, SyncError>) -> Option<RemoteClaim> {
    match swap.expect("an answer") {
        Swap::Lost { current } => current,
        done => panic!("{done:?}"),
    }
}

fn look(lab: &Lab, clone: &str, id: &str) -> Option<RemoteClaim> {
    vcs::remote_claim(&lab.path(clone), id, &lab.env()).expect("an answer")
}

/// Everything of a clone but its objects.
fn state(lab: &Lab, clone: &str) -> String {
    lab.sh(&format!(
        "cd {clone}; git --no-optional-locks status --porcelain=v2 --branch; git for-each-ref; cd .git; sha256sum index config
         find . -path ./objects -prune -o -type f -print | sort; cat logs/HEAD; stat -c %y index; cat FETCH_HEAD 2>/dev/null || true"
    ))
}

/// Everything of the server but claims.
fn server_state(lab: &Lab) -> String {
    lab.sh("cd server; git for-each-ref | grep -v refs/beads/claims/ || true; cat config HEAD")
}

#[test]
fn a_claim_is_made_seen_taken_over_and_released() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    clone(&lab, "bob");
    lab.sh("cd bob; echo 2 > x; git add x; echo new > y; git fetch -q");
    let before = (state(&lab, "ann"), state(&lab, "bob"), server_state(&lab));
    assert_eq!(look(&lab, "ann", "bd-1"), None);

    let text = "ann until noon\n\nwith more\nlines, and none at the end: ä";
    let first = won(swap(&lab, "ann", "bd-1", None, Some(text)));
    let claim = RemoteClaim { id: "bd-1".into(), version: first.clone(), text: text.into() };
    assert_eq!(look(&lab, "bob", "bd-1").as_ref(), Some(&claim));
    assert_eq!(look(&lab, "ann", "bd-1").as_ref(), Some(&claim));
    assert_eq!(lost(swap(&lab, "bob", "bd-1", None, Some("bob"))).as_ref(), Some(&claim));
    assert_eq!(lost(swap(&lab, "bob", "bd-1", None, Some(text))).as_ref(), Some(&claim), "not even with the same text");

    let second = won(swap(&lab, "bob", "bd-1", Some(&first), Some("bob\n")));
    assert_ne!(first, second);
    assert_eq!(look(&lab, "ann", "bd-1").unwrap().text, "bob\n");
    let current = lost(swap(&lab, "ann", "bd-1", Some(&first), Some("ann again"))).unwrap();
    assert_eq!((current.version.as_str(), current.text.as_str()), (second.as_str(), "bob\n"));
    assert_eq!(lost(swap(&lab, "ann", "bd-1", Some(&first), None)).unwrap().version, second, "nor to release it");

    won(swap(&lab, "bob", "bd-2", None, Some("")));
    let ids = |claims: Vec<RemoteClaim>| claims.into_iter().map(|claim| claim.id).collect::<Vec<_>>();
    assert_eq!(ids(vcs::remote_claims(&lab.path("ann"), &lab.env()).unwrap()), ["bd-1", "bd-2"]);
    assert_eq!(won(swap(&lab, "bob", "bd-1", Some(&second), None)), "");
    assert_eq!(look(&lab, "ann", "bd-1"), None);
    assert_eq!(lost(swap(&lab, "bob", "bd-1", Some(&second), None)), None, "it is gone");
    assert_eq!(lost(swap(&lab, "bob", "bd-1", Some(&second), Some("bob"))), None);
    assert_eq!(won(swap(&lab, "ann", "bd-1", None, None)), "", "to have none is so already");
    assert_eq!(lost(swap(&lab, "ann", "bd-2", None, None)).unwrap().text, "");
    assert_eq!(ids(vcs::remote_claims(&lab.path("ann"), &lab.env()).unwrap()), ["bd-2"]);
    assert_eq!(before, (state(&lab, "ann"), state(&lab, "bob"), server_state(&lab)));
}

#[test]
fn what_is_no_version_is_not_expected_anywhere() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    for odd in ["", "main", "HEAD", "0000000000000000000000000000000000000000", "-x", "0000"] {
        assert_eq!(lost(swap(&lab, "ann", "bd-1", Some(odd), Some("ann"))), None, "{odd:?}");
    }
    assert_eq!(look(&lab, "ann", "bd-1"), None);
    let version = won(swap(&lab, "ann", "bd-1", None, Some("ann")));
    let short = &version[..12];
    assert_eq!(lost(swap(&lab, "ann", "bd-1", Some(short), None)).unwrap().version, version);
}

#[test]
fn any_id_can_be_claimed() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    clone(&lab, "bob");
    let long = "Ω".repeat(128);
    let ids =
        ["a", "a/b", "a.lock", "A", "x..y", "with space", "~tilde:colon?*[", "@", "@{0}", "-x", "a%", ".hidden", &long];
    for id in ids {
        won(swap(&lab, "ann", id, None, Some(id)));
        assert_eq!(look(&lab, "bob", id).map(|claim| (claim.id, claim.text)), Some((id.to_owned(), id.to_owned())));
    }
    // Names that only look alike, and one that leads to no claim.
    lab.sh("cd ann; git push -q origin HEAD:refs/heads/refs/beads/claims/a HEAD:refs/beads/claims/Odd HEAD^{tree}:refs/beads/claims/tree");
    let mut expected: Vec<String> = ids.iter().map(|id| (*id).to_owned()).chain(["tree".to_owned()]).collect();
    expected.sort();
    let found = vcs::remote_claims(&lab.path("bob"), &lab.env()).unwrap();
    assert_eq!(found.iter().map(|claim| claim.id.clone()).collect::<Vec<_>>(), expected);
    let tree = look(&lab, "bob", "tree").unwrap();
    assert_eq!(tree.text, "");
    won(swap(&lab, "bob", "tree", Some(&tree.version), Some("bob")));
}

/// Of all clones that ask at the same moment exactly one wins.
#[test]
fn a_race_has_one_winner() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    let (clones, rounds) = (8, pick(4, 6, 100));
    (0..clones).for_each(|n| clone(&lab, &format!("c{n}")));
    let mut losers = 0;
    for round in 0..rounds {
        // Odd rounds are about taking over; and all of them say the same, which must not make them all winners.
        let id = format!("bd-{round}");
        let expected = (round % 2 == 1).then(|| won(swap(&lab, "ann", &id, None, Some("old"))));
        let text = |n: usize| if round % 3 == 0 { "same".to_owned() } else { format!("clone {n}") };
        let start = Barrier::new(clones);
        let race = &|n: usize| {
            start.wait();
            swap(&lab, &format!("c{n}"), &id, expected.as_deref(), Some(&text(n))).expect("an answer")
        };
        let answers: Vec<Swap> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..clones).map(|n| scope.spawn(move || race(n))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let winners: Vec<(usize, &String)> = answers
            .iter()
            .enumerate()
            .filter_map(|(n, answer)| if let Swap::Done { version } = answer { Some((n, version)) } else { None })
            .collect();
        let [(winner, version)] = winners.as_slice() else { panic!("round {round}: {answers:?}") };
        let claim = RemoteClaim { id: id.clone(), version: (*version).clone(), text: text(*winner) };
        for answer in &answers {
            if let Swap::Lost { current } = answer {
                assert_eq!(current.as_ref(), Some(&claim), "round {round}");
                losers += 1;
            }
        }
        assert_eq!(look(&lab, "ann", &id), Some(claim));
    }
    assert_eq!(losers, rounds * (clones - 1));
}

#[test]
fn a_server_that_refuses_such_refs() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    lab.write("server/hooks/pre-receive", "#!/bin/sh\necho 'no such refs here' >&2\nexit 1\n");
    lab.sh("chmod +x server/hooks/pre-receive");
    let error = swap(&lab, "ann", "bd-1", None, Some("ann")).unwrap_err();
    assert!(matches!(error, SyncError::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("no such refs here"), "{error}");
    lab.sh("rm server/hooks/pre-receive; cd server; git config receive.hideRefs refs/beads");
    let error = swap(&lab, "ann", "bd-1", None, Some("ann")).unwrap_err();
    assert!(matches!(error, SyncError::Refused { .. }), "{error:?}");
    // Refused, although it looks like a race: the ref cannot be locked, and no one else changes it.
    lab.sh(
        "cd server; git config --unset receive.hideRefs; mkdir -p refs/beads/claims; touch refs/beads/claims/bd-1.lock",
    );
    let error = swap(&lab, "ann", "bd-1", None, Some("ann")).unwrap_err();
    assert!(matches!(error, SyncError::Refused { .. }), "{error:?}");
    assert_eq!(look(&lab, "ann", "bd-1"), None);
}

#[test]
fn nobody_answers() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    lab.sh("mv server away");
    let answers = [
        swap(&lab, "ann", "bd-1", None, Some("ann")).map(drop),
        vcs::remote_claim(&lab.path("ann"), "bd-1", &lab.env()).map(drop),
        vcs::remote_claims(&lab.path("ann"), &lab.env()).map(drop),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(SyncError::Unreachable { .. })), "{answer:?}");
    }
}

/// The server has done it, but the connection breaks before it can say so.
#[test]
fn a_claim_that_was_made_unheard() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    let hook = "#!/bin/sh\n[ $1 = committed ] && echo killed > killed && kill -9 $PPID\nexit 0\n";
    lab.write("server/hooks/reference-transaction", hook);
    lab.sh("chmod +x server/hooks/reference-transaction");
    let version = won(swap(&lab, "ann", "bd-1", None, Some("ann")));
    assert!(lab.path("server/killed").exists());
    lab.sh("rm server/hooks/reference-transaction");
    assert_eq!(look(&lab, "ann", "bd-1").unwrap().version, version);
}

#[test]
fn no_hook_of_the_user_runs() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    for hook in ["pre-push", "reference-transaction", "post-index-change"] {
        lab.write(&format!("ann/.git/hooks/{hook}"), "#!/bin/sh\necho ran >> ../ran\nexit 1\n");
    }
    lab.sh("chmod +x ann/.git/hooks/*");
    won(swap(&lab, "ann", "bd-1", None, Some("ann")));
    vcs::remote_claims(&lab.path("ann"), &lab.env()).unwrap();
    assert!(!lab.path("ran").exists());
    lab.sh("cd ann; git push origin HEAD:refs/heads/new 2>/dev/null || true");
    assert!(lab.path("ran").exists(), "it can run");
}

/// The remote is the one that a push goes to, and what is pushed to one address is not looked for at another.
#[test]
fn which_remote() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    lab.sh("git init -q --bare -b main other; git init -q --bare -b main third");
    let there = |name: &str| lab.sh(&format!("cd {name}; git for-each-ref --format='%(refname)' refs/beads"));
    lab.sh("cd ann; git remote add other ../other; git config branch.main.pushRemote other");
    won(swap(&lab, "ann", "bd-1", None, Some("ann")));
    assert_eq!([there("server"), there("other")], ["", "refs/beads/claims/bd-1\n"]);
    lab.sh("cd ann; git config --unset branch.main.pushRemote; git checkout -q --detach");
    won(swap(&lab, "ann", "bd-2", None, Some("ann")));
    assert_eq!(there("server"), "refs/beads/claims/bd-2\n");
    lab.sh("cd ann; git remote set-url --push origin ../third");
    assert_eq!(look(&lab, "ann", "bd-2"), None);
    won(swap(&lab, "ann", "bd-3", None, Some("ann")));
    assert_eq!(
        (look(&lab, "ann", "bd-3").unwrap().text.as_str(), there("third").as_str()),
        ("ann", "refs/beads/claims/bd-3\n")
    );
    lab.sh("cd ann; git remote set-url --add --push origin ../server");
    assert!(matches!(swap(&lab, "ann", "bd-4", None, Some("ann")), Err(SyncError::Unsupported { .. })));
    lab.sh("cd ann; git remote remove origin; git remote remove other");
    assert!(matches!(swap(&lab, "ann", "bd-4", None, Some("ann")), Err(SyncError::Unsupported { .. })));
}

/// A remote that settings make a mirror gets the claim and nothing else.
#[test]
fn a_mirror_gets_nothing_else() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    lab.sh("cd ann; git config remote.origin.mirror true; git config push.followTags true; git config push.default matching
            git branch private; git tag -a -m x v1");
    let before = server_state(&lab);
    won(swap(&lab, "ann", "bd-1", None, Some("ann")));
    assert_eq!(look(&lab, "ann", "bd-1").unwrap().text, "ann");
    assert_eq!(server_state(&lab), before);
}

/// Clones that hold less than others, and the older ways to talk.
#[test]
fn every_clone_and_every_protocol() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    server(&lab);
    let server = lab.path("server").display().to_string();
    lab.sh(&format!(
        "cd ann; echo 2 > x; git commit -q -a -m second; git push -q; cd ../server; git config uploadpack.allowFilter true; cd ..
         git clone -q --depth 1 'file://{server}' shallow; git clone -q --filter=tree:0 --no-checkout 'file://{server}' partial
         git clone -q --bare server bare; cd bare; git worktree add -q ../worktree main"
    ));
    let mut version: Option<String> = None;
    for protocol in ["0", "1", "2"] {
        lab.write("home/.gitconfig", &format!("[protocol]\nversion = {protocol}\n"));
        for clone in ["ann", "shallow", "partial", "worktree"] {
            assert_eq!(look(&lab, clone, "bd-1").map(|claim| claim.version), version, "{protocol} {clone}");
            version = Some(won(swap(&lab, clone, "bd-1", version.as_deref(), Some(clone))));
        }
    }
    assert_eq!(look(&lab, "ann", "bd-1").unwrap().text, "worktree");
    assert_eq!(lab.sh("cd shallow; git rev-list --count HEAD; git rev-parse --is-shallow-repository"), "1\ntrue\n");
}

#[test]
fn with_jj() {
    let Some(lab) = Lab::with(&["git", "jj"]) else { return };
    server(&lab);
    lab.write("home/.jjconfig.toml", "[user]\nname = 'Ann'\nemail = 'ann@example.org'\n");
    lab.sh("jj git clone --colocate server beside; jj git clone --no-colocate server alone; cd alone; jj workspace add ../second");
    let view = |clone: &str| {
        lab.sh(&format!("cd {clone}; jj --ignore-working-copy op log --no-graph -T id; jj --ignore-working-copy log --no-graph -r 'all()' -T commit_id"))
    };
    let before = ["beside", "alone", "second"].map(view);
    let version = won(swap(&lab, "beside", "bd-1", None, Some("beside")));
    assert_eq!(lost(swap(&lab, "alone", "bd-1", None, Some("alone"))).unwrap().text, "beside");
    won(swap(&lab, "second", "bd-1", Some(&version), Some("second")));
    assert_eq!(look(&lab, "ann", "bd-1").unwrap().text, "second");
    assert_eq!(before, ["beside", "alone", "second"].map(view));
}

#[test]
fn systems_without_such_refs() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init repo; mkdir plain");
    let error = swap(&lab, "repo", "bd-1", None, Some("ann")).unwrap_err();
    assert!(matches!(error, SyncError::Unsupported { kind: Kind::Hg, .. }), "{error:?}");
    let error = vcs::remote_claims(&lab.path("plain"), &Env::default()).unwrap_err();
    assert!(matches!(error, SyncError::NoVcs { .. }), "{error:?}");
}
