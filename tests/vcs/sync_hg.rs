//! Special cases of hg when commits are exchanged: heads, bookmarks, phases, shares, and a repository that names
//! programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use beads::internal::sys::Env;
use beads::internal::vcs::{self, Integrated, Integration, Pushed, SyncError, Vcs, Versions};

use crate::support::wait;
use crate::vcs::lab::{self, Lab, areas};

const LEDGER: &str = ".beads/beads.jsonl";
/// Names the directory of the child that gets killed.
const CHILD: &str = "BD_TEST_MERGE_AND_WAIT";

/// `server` with a ledger, `code` and `other`; `ann` and `bob`, its clones.
fn repositories() -> Option<Lab> {
    let lab = Lab::with(&["hg"])?;
    lab.begin(
        "hg init server; hg clone -q server ann; cd ann; mkdir .beads; echo 1 > .beads/beads.jsonl; echo 1 > code
         echo 1 > other; hg commit -q -A -m first; hg push -q; cd ..; hg clone -q server bob",
    );
    Some(lab)
}

fn open(lab: &Lab, clone: &str) -> Box<dyn Vcs> {
    vcs::open(&lab.path(clone))
}

fn integrate_with(root: &Path, env: &Env, merge: vcs::Merge<'_>) -> Result<Integrated, SyncError> {
    let ledgers = [PathBuf::from(LEDGER)];
    vcs::open(root).exchange().unwrap().integrate(Integration {
        ledgers: &ledgers,
        areas: &areas(),
        merge,
        message: "bd: merge",
        author: "Ann",
        replaces: None,
        env,
    })
}

/// All lines of both sides, sorted.
fn integrate(lab: &Lab, clone: &str) -> Result<Integrated, SyncError> {
    integrate_with(&lab.path(clone), &lab.env(), &mut |_, versions| union(versions))
}

fn union(versions: &Versions) -> Vec<u8> {
    let sides = [&versions.ours, &versions.theirs].map(|side| side.clone().unwrap_or_default()).concat();
    let text = String::from_utf8(sides).expect("text");
    let lines: std::collections::BTreeSet<&str> = text.lines().collect();
    lines.into_iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

fn fetch(lab: &Lab, clone: &str) {
    open(lab, clone).exchange().unwrap().fetch(&lab.env()).expect("a fetch");
}

fn push(lab: &Lab, clone: &str) -> Pushed {
    lab::push(&*open(lab, clone), &lab.env()).expect("a push")
}

fn distance(lab: &Lab, clone: &str) -> (usize, usize) {
    let standing = open(lab, clone).exchange().unwrap().standing(&lab.env()).expect("a standing");
    (standing.ahead, standing.behind)
}

fn record(lab: &Lab, clone: &str, text: &str) {
    lab.write(&format!("{clone}/{LEDGER}"), text);
    lab.sh(&format!("cd {clone}; hg commit -q -A -m ledger path:{LEDGER}"));
}

fn ledger(lab: &Lab, clone: &str) -> String {
    std::fs::read_to_string(lab.path(clone).join(LEDGER)).expect("a ledger")
}

/// Every commit with its phase, what is checked out, and what is changed.
fn state(lab: &Lab, clone: &str) -> String {
    lab.sh(&format!(
        "cd {clone}; hg log -r 'all() or wdir()' -T '{{node}} {{phase}} {{bookmarks}} of {{p1node}} {{p2node}}\\n'; hg status
         cat .hg/bookmarks .hg/bookmarks.current 2>/dev/null || true; cat code other"
    ))
}

fn nothing_left(lab: &Lab, clone: &str) {
    assert!(!lab.path(clone).join(".hg/beads/merging").exists(), "a share was left behind");
}

#[test]
fn several_heads_of_the_other_side() {
    let Some(lab) = repositories() else { return };
    record(&lab, "bob", "1\nb\n");
    lab.sh("hg clone -q server eve");
    record(&lab, "eve", "1\ne\n");
    lab.sh("cd bob; hg push -q; cd ../eve; hg push -q --force");
    record(&lab, "ann", "1\na\n");
    lab.sh("cd ann; echo half > code; echo u > untracked");
    fetch(&lab, "ann");
    assert_eq!(distance(&lab, "ann"), (1, 2));
    assert_eq!(push(&lab, "ann"), Pushed::Outrun);
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Merged);
    assert_eq!(ledger(&lab, "ann"), "1\na\nb\ne\n");
    assert_eq!(lab.sh("cd ann; cat code untracked; hg status; hg heads -T x"), "half\nu\nM code\n? untracked\nx");
    assert_eq!(push(&lab, "ann"), Pushed::Done);
    assert_eq!(lab.sh("hg -R server heads -T x"), "x");
    nothing_left(&lab, "ann");
}

/// One of two merges is possible, the other is not: neither stays.
#[test]
fn a_conflict_with_one_of_two_heads() {
    let Some(lab) = repositories() else { return };
    lab.sh("hg clone -q server eve; cd bob; echo b > code; hg commit -q -m b; hg push -q");
    record(&lab, "eve", "1\ne\n");
    lab.sh(
        "cd eve; hg push -q --force; cd ../ann; echo a > code; echo a > new; hg commit -q -A -m a; echo u > untracked",
    );
    fetch(&lab, "ann");
    let before = state(&lab, "ann");
    let Err(SyncError::Conflicts { files, .. }) = integrate(&lab, "ann") else { panic!("no conflict") };
    assert_eq!((files, state(&lab, "ann")), (vec![PathBuf::from("code")], before));
    nothing_left(&lab, "ann");
}

/// Two lines of code are for their people to merge.
#[test]
fn several_heads_with_code() {
    let Some(lab) = repositories() else { return };
    lab.sh("hg clone -q server eve; cd bob; echo b > b; hg commit -q -A -m b; hg push -q
            cd ../eve; echo e > e; hg commit -q -A -m e; hg push -q --force");
    record(&lab, "ann", "1\na\n");
    fetch(&lab, "ann");
    let before = state(&lab, "ann");
    let Err(SyncError::Heads { heads, .. }) = integrate(&lab, "ann") else { panic!("merged") };
    assert_eq!((heads.len(), state(&lab, "ann")), (2, before));
    // On one of them, the other is someone else's line of history: it is not merged, and ours continues.
    lab.sh("cd bob; hg pull -q");
    assert_eq!(integrate(&lab, "bob").unwrap(), Integrated::UpToDate);
    record(&lab, "bob", "1\nb\n");
    assert_eq!(lab::outgoing(&*open(&lab, "bob"), &lab.env()), ["ledger"]);
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    assert_eq!(lab.sh("hg -R server heads -T x; hg -R server log -r 'merge()' -T m"), "xx");
    nothing_left(&lab, "ann");
}

#[test]
fn heads_that_are_no_partners() {
    let Some(lab) = repositories() else { return };
    // A head of our own, a secret one, a closed one, one of another branch, one with a bookmark of its own.
    lab.sh(
        "cd bob; echo b > b; hg commit -q -A -m closed; hg commit -q --close-branch -m close; hg push -q --force
            hg update -q 0; hg branch -q side; echo s > s; hg commit -q -A -m side; hg push -q --new-branch
            hg update -q 0; echo f > f; hg commit -q -A -m feature; hg bookmark feature; hg push -q --force -B feature",
    );
    lab.sh("cd ann; echo own > own; hg commit -q -A -m own; hg update -q 0; echo s > secret
            hg commit -q -A -m secret --secret; hg update -q 0");
    fetch(&lab, "ann");
    let before = state(&lab, "ann");
    assert_eq!(distance(&lab, "ann"), (0, 0));
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::UpToDate);
    assert_eq!(push(&lab, "ann"), Pushed::NothingToPush);
    assert_eq!(state(&lab, "ann"), before);
    lab.sh("cd ann; hg update -q 'desc(secret)'");
    assert!(matches!(push(&lab, "ann"), Pushed::Held(_)));
    lab.sh("cd ann; hg update -q 0; hg branch -q fresh; echo n > n; hg commit -q -A -m fresh");
    assert!(matches!(push(&lab, "ann"), Pushed::Held(_)), "a new branch is the user's to publish");
}

#[test]
fn a_bookmark() {
    let Some(lab) = repositories() else { return };
    lab.sh("cd ann; hg bookmark \"it's work\"; hg push -q -B \"it's work\" || true; cd ..; rm -r bob; hg clone -q server bob
            cd bob; hg update -q \"it's work\"");
    record(&lab, "ann", "1\na\n");
    record(&lab, "bob", "1\nb\n");
    assert!(matches!(push(&lab, "ann"), Pushed::Held(_)), "it may be new to the server");
    fetch(&lab, "ann");
    assert_eq!(push(&lab, "ann"), Pushed::Done);
    assert_eq!(push(&lab, "ann"), Pushed::NothingToPush);
    fetch(&lab, "bob");
    let standing = open(&lab, "bob").exchange().unwrap().standing(&lab.env()).unwrap();
    assert_eq!((standing.branch.as_deref(), standing.ahead, standing.behind), (Some("it's work"), 1, 1));
    assert_eq!(integrate(&lab, "bob").unwrap(), Integrated::Merged);
    assert_eq!((ledger(&lab, "bob"), distance(&lab, "bob").1), ("1\na\nb\n".to_owned(), 0));
    assert_eq!(
        lab.sh("cd bob; hg log -r . -T '{activebookmark}'; hg bookmarks -T '|{bookmark}'"),
        "it's work|it's work"
    );
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    fetch(&lab, "ann");
    assert_eq!(distance(&lab, "ann"), (0, 2));
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Forwarded);
    assert_eq!(lab.sh("cd ann; hg log -r . -T '{activebookmark}'"), "it's work");
    assert_eq!(ledger(&lab, "ann"), "1\na\nb\n");
}

/// Phases say nothing there, but what was exchanged is written down.
#[test]
fn a_server_that_does_not_publish() {
    let Some(lab) = repositories() else { return };
    lab.write("server/.hg/hgrc", "[phases]\npublish = False\n");
    record(&lab, "ann", "1\na\n");
    record(&lab, "bob", "1\nb\n");
    assert_eq!((distance(&lab, "ann"), push(&lab, "ann")), ((1, 0), Pushed::Done));
    assert_eq!((distance(&lab, "ann"), push(&lab, "ann")), ((0, 0), Pushed::NothingToPush));
    fetch(&lab, "bob");
    assert_eq!(distance(&lab, "bob"), (1, 1));
    assert_eq!(integrate(&lab, "bob").unwrap(), Integrated::Merged);
    assert_eq!((push(&lab, "bob"), distance(&lab, "bob")), (Pushed::Done, (0, 0)));
    assert_eq!(lab.sh("hg -R server log -r 'not public()' -T x"), "xxx");
}

#[test]
fn the_checkout_is_a_share() {
    let Some(lab) = repositories() else { return };
    lab.sh("hg --config extensions.share= share -q ann second; echo half > ann/code; echo half > second/other");
    record(&lab, "second", "1\ns\n");
    record(&lab, "bob", "1\nb\n");
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    fetch(&lab, "second");
    assert_eq!(integrate(&lab, "second").unwrap(), Integrated::Merged);
    assert_eq!((ledger(&lab, "second"), ledger(&lab, "ann")), ("1\nb\ns\n".to_owned(), "1\n".to_owned()));
    assert_eq!(lab.sh("cat ann/code second/other; hg -R second status"), "half\nhalf\nM other\n");
    assert_eq!(push(&lab, "second"), Pushed::Done);
    // Its sibling sees the merge as well, and goes there when it is asked to.
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Forwarded);
    assert_eq!(ledger(&lab, "ann"), "1\nb\ns\n");
    nothing_left(&lab, "ann");
}

/// hg would stop half-way at a directory, and merge into a file that is changed.
#[test]
fn what_is_in_the_way() {
    let Some(lab) = repositories() else { return };
    lab.sh("cd bob; echo b > place; mkdir deep; echo b > deep/file; hg commit -q -A -m b; hg push -q");
    fetch(&lab, "ann");
    let cases = [
        ("mkdir ann/place; echo u > ann/place/mine", "rm -r ann/place", "place/mine"),
        ("mkdir ann/place", "rmdir ann/place", "place"),
        ("ln -s nowhere ann/place", "rm ann/place", "place"),
        ("echo u > ann/deep", "rm ann/deep", "deep"),
        ("cd ann; echo place > .hgignore; echo u > place", "rm ann/.hgignore ann/place", "place"),
        ("cd ann; echo u > place; hg add place", "cd ann; hg forget place; rm place", "place"),
    ];
    for (obstruct, clear, file) in cases {
        lab.sh(obstruct);
        let before = state(&lab, "ann");
        let Err(SyncError::InTheWay { files, .. }) = integrate(&lab, "ann") else { panic!("{obstruct}") };
        assert_eq!((files, state(&lab, "ann")), (vec![PathBuf::from(file)], before), "{obstruct}");
        lab.sh(clear);
    }
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Forwarded);
}

#[test]
fn unfinished_business_and_locks() {
    let Some(lab) = repositories() else { return };
    record(&lab, "bob", "1\nb\n");
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    fetch(&lab, "ann");
    lab.sh("cd ann; echo x > x; hg commit -q -A -m x; hg merge -q");
    let error = integrate(&lab, "ann").unwrap_err();
    assert!(matches!(error, SyncError::Unfinished { .. }), "{error}");
    lab.sh("cd ann; hg merge --abort -q; ln -s elsewhere:1 .hg/store/lock");
    let before = state(&lab, "ann");
    let error = integrate(&lab, "ann").unwrap_err();
    assert!(matches!(error, SyncError::Busy { .. }), "{error}");
    lab.sh("rm ann/.hg/store/lock");
    assert_eq!(state(&lab, "ann"), before);
    nothing_left(&lab, "ann");
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Merged);
}

/// Only as a process of its own: merges until it is killed.
#[test]
#[ignore = "run by killed_in_the_middle"]
fn merge_and_wait() {
    let root = PathBuf::from(std::env::var_os(CHILD).expect("run by another test"));
    let env = Env::process().at(root.clone());
    let _ = integrate_with(&root, &env, &mut |_, _| {
        std::fs::write(root.join(".hg/waiting"), "").expect("a file");
        loop {
            std::thread::park();
        }
    });
}

#[test]
fn killed_in_the_middle() {
    let Some(lab) = repositories() else { return };
    record(&lab, "ann", "1\na\n");
    record(&lab, "bob", "1\nb\n");
    lab.sh("echo half > ann/code");
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    fetch(&lab, "ann");
    let before = state(&lab, "ann");
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "vcs::sync_hg::merge_and_wait"])
        .env(CHILD, lab.path("ann"))
        .env("HOME", lab.path("home"))
        .spawn()
        .expect("a child");
    wait::until("the child merges", || lab.path("ann/.hg/waiting").exists());
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert!(lab.path("ann/.hg/beads/merging").exists(), "the share is there until the next run");
    assert_eq!(state(&lab, "ann"), before);
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Merged);
    assert_eq!(ledger(&lab, "ann"), "1\na\nb\n");
    assert_eq!(lab.sh("cat ann/code"), "half\n");
    nothing_left(&lab, "ann");
}

/// Killed between the commit of the merge and the update: the merge is found, and not made twice.
#[test]
fn a_merge_that_was_not_checked_out() {
    let Some(lab) = repositories() else { return };
    record(&lab, "ann", "1\na\n");
    record(&lab, "bob", "1\nb\n");
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    fetch(&lab, "ann");
    let at = lab.sh("cd ann; hg log -r . -T '{node}'");
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Merged);
    let commits = lab.sh("cd ann; hg log -T x");
    lab.sh(&format!("cd ann; hg update -q -r {at}"));
    assert!(matches!(integrate(&lab, "ann"), Ok(Integrated::Forwarded | Integrated::Merged)));
    assert_eq!((ledger(&lab, "ann"), lab.sh("cd ann; hg log -T x")), ("1\na\nb\n".to_owned(), commits));
}

#[test]
fn a_repository_that_names_programs() {
    let Some(lab) = repositories() else { return };
    record(&lab, "ann", "1\na\n");
    record(&lab, "bob", "1\nb\n");
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    let (ran, server) = (lab.path("ran").display().to_string(), lab.path("server").display().to_string());
    lab.write("evil.py", &format!("open({ran:?}, 'a').write('extension')\n"));
    let canary = format!("echo x >> '{ran}'");
    let hooks =
        ["pre-pull", "pre-push", "pre-log", "pre-status", "precommit", "commit", "update", "preupdate", "incoming"];
    let hooks: String = hooks.iter().map(|name| format!("{name} = {canary}\n")).collect();
    let commands = ["pull", "push", "log", "status", "cat", "share", "merge", "update", "commit", "resolve", "add"];
    let aliases: String = commands.iter().map(|name| format!("{name} = !{canary}\n")).collect();
    lab.write("ann/.hg/included", &format!("[extdiff]\ncmd.x = {canary}\n"));
    let hgrc = format!(
        "%include included\n[paths]\ndefault = {server}\n[hooks]\n{hooks}[alias]\n{aliases}[extensions]\nevil = {}\nrebase =\n\
         [merge-tools]\nx.executable = {canary}\n[ui]\nmerge = x\nssh = {canary}\neditor = {canary}\n[encode]\n** = {canary}\n",
        lab.path("evil.py").display()
    );
    lab.write("ann/.hg/hgrc", &hgrc);
    let vcs = open(&lab, "ann");
    let told = vcs.judge(&lab.env()).named();
    assert_eq!(told.len(), hooks.lines().count() + commands.len() + 7, "{told:#?}");
    assert!(
        told.is_sorted() && told.iter().any(|line| line.starts_with(".hg/included: extdiff.cmd.x = ")),
        "{told:#?}"
    );
    assert_eq!(vcs.committed(Path::new(LEDGER), &lab.env()).unwrap().as_deref(), Some(b"1\na\n".as_slice()));
    fetch(&lab, "ann");
    assert_eq!(distance(&lab, "ann"), (1, 1));
    assert_eq!(integrate(&lab, "ann").unwrap(), Integrated::Merged);
    assert_eq!(push(&lab, "ann"), Pushed::Done);
    assert!(!lab.path("ran").exists(), "{}", lab.sh("cat ran"));
}

#[test]
fn addresses_that_are_none() {
    let Some(lab) = repositories() else { return };
    record(&lab, "ann", "1\na\n");
    let ran = lab.path("ran").display().to_string();
    for address in [
        format!("--config=hooks.pre-pull=touch '{ran}'"),
        format!("ssh://-oProxyCommand=touch '{ran}'/x"),
        format!("ext::touch '{ran}'"),
    ] {
        lab.write("ann/.hg/hgrc", &format!("[paths]\ndefault = {address}\n"));
        let vcs = open(&lab, "ann");
        for error in [vcs.exchange().unwrap().fetch(&lab.env()).unwrap_err(), lab::push(&*vcs, &lab.env()).unwrap_err()]
        {
            assert!(matches!(error, SyncError::Unreachable { .. }), "{error}");
        }
        assert_eq!(vcs.judge(&lab.env()).named().len(), 1, "{address}");
        assert!(!lab.path("ran").exists(), "{address}");
    }
}

/// The merge tool that `bd` itself installs is nothing to ask about; another program under its name is.
#[test]
fn the_own_merge_tool() {
    let Some(lab) = repositories() else { return };
    let tool = |executable: &str| {
        let text = format!("[merge-tools]\nbd.executable = {executable}\nbd.args = merge-driver $base $local $other\n");
        lab.write("ann/.hg/hgrc", &format!("{text}[merge-patterns]\n.beads/*.jsonl = bd\n"));
        open(&lab, "ann").judge(&lab.env()).named().len()
    };
    assert_eq!((tool("bd"), tool("/tmp/evil/bd")), (0, 2));
}

/// A link of the other side, where our ledger would be written, is not followed.
#[test]
fn a_link_in_place_of_the_directory() {
    let Some(lab) = repositories() else { return };
    record(&lab, "ann", "1\na\n");
    std::fs::create_dir(lab.path("outside")).unwrap();
    lab.sh("cd bob; hg remove -q .beads/beads.jsonl; ln -s ../outside .beads; hg commit -q -A -m link; hg push -q");
    fetch(&lab, "ann");
    let before = state(&lab, "ann");
    assert!(integrate(&lab, "ann").is_err());
    assert_eq!(state(&lab, "ann"), before);
    assert_eq!(std::fs::read_dir(lab.path("outside")).unwrap().count(), 0);
    nothing_left(&lab, "ann");
}

#[test]
fn a_server_that_refuses() {
    let Some(lab) = repositories() else { return };
    record(&lab, "ann", "1\na\n");
    lab.sh("hg serve -R server -a 127.0.0.1 -p 0 --daemon --pid-file pid -A access -E errors > listening");
    let said = std::fs::read_to_string(lab.path("listening")).unwrap();
    let port = said.trim_end().trim_end_matches(')').rsplit(':').next().unwrap_or_default();
    lab.write("ann/.hg/hgrc", &format!("[paths]\ndefault = http://127.0.0.1:{port}/\n"));
    let fetched = open(&lab, "ann").exchange().unwrap().fetch(&lab.env());
    let before = state(&lab, "ann");
    let pushed = lab::push(&*open(&lab, "ann"), &lab.env());
    lab.sh("kill $(cat pid)");
    fetched.unwrap();
    assert!(matches!(pushed, Err(SyncError::Refused { .. })), "{pushed:?}");
    assert_eq!(state(&lab, "ann"), before);
}
