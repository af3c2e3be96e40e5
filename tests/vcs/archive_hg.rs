//! The past of hg: what its own settings, its unfinished merges and large versions do to it.

use std::path::Path;

use beads::internal::vcs::{self, Trail};

use crate::vcs::archive::{LEDGER, history};
use crate::vcs::lab::Lab;

/// A repository whose settings name a program wherever one can be named.
fn hostile(lab: &Lab) {
    let ran = lab.path("ran").display().to_string();
    lab.write("evil.py", &format!("open({ran:?}, 'a').write('extension\\n')\n"));
    let command = format!("echo ran >> '{ran}'; false");
    let all = ["log", "cat", "status", "serve"];
    let hooks: String = all.iter().map(|name| format!("pre-{name} = {command}\npost-{name} = {command}\n")).collect();
    let aliases: String = all.iter().map(|name| format!("{name} = !{command}\n")).collect();
    let evil = lab.path("evil.py").display().to_string();
    lab.write(
        "a/.hg/hgrc",
        &format!(
            "[extensions]\nevil = {evil}\n[hooks]\n{hooks}[alias]\n{aliases}[ui]\nssh = {command}\n[defaults]\nlog = --debug\n\
             [revsetalias]\nall() = none()\nx = .\n[templatealias]\nnode = 'evil'\n[paths]\ndefault = ssh://127.0.0.1:1/x\n"
        ),
    );
}

fn fired(lab: &Lab) -> String {
    std::fs::read_to_string(lab.path("ran")).unwrap_or_default()
}

#[test]
fn a_hostile_repository() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; cd a; mkdir .beads; echo 1 > .beads/beads.jsonl; hg commit -q -A -m first; echo 2 > .beads/beads.jsonl
            hg commit -q -m second; hg mv .beads/beads.jsonl .beads/x.jsonl; hg commit -q -m third");
    let tip = lab.sh("cd a; hg log -r . -T '{node}'");
    hostile(&lab);
    for command in
        ["log", "cat -r . .beads/x.jsonl", "status", "serve --cmdserver pipe </dev/null", "log -r 'outgoing()'"]
    {
        lab.sh(&format!("rm -f ran; cd a; hg {command} >/dev/null 2>&1 || true"));
        assert!(!fired(&lab).is_empty(), "a plain hg {command} runs what the settings name");
    }
    lab.sh("rm -f ran");
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = vcs.archive(&env).unwrap();
    let tips = archive.tips().unwrap();
    assert_eq!(tips, [tip]);
    let expected = format!("second [{LEDGER}]: 1 (first) -> 2\nfirst [{LEDGER}]:  -> 1\nat second");
    assert_eq!(history(&mut *archive, ".beads/x.jsonl", &tips), expected);
    assert!(archive.version(Path::new(".beads/x.jsonl"), &tips[0]).unwrap().is_some());
    let several = archive.resolve("all()");
    assert!(
        matches!(several, Err(vcs::SyncError::Several { .. })),
        "three commits, whatever an alias says: {several:?}"
    );
    for far in ["outgoing()", "remote()", "outgoing('ssh://127.0.0.1:1/x')", "x", "heads(outgoing ())"] {
        assert_eq!(archive.resolve(far).unwrap(), None, "{far}");
    }
    assert_eq!(fired(&lab), "");
}

#[test]
fn an_unfinished_merge() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; cd a; mkdir .beads; echo 1 > .beads/beads.jsonl; hg commit -q -A -m base; echo l > .beads/beads.jsonl
            hg commit -q -m left; hg update -q 0; echo r > .beads/beads.jsonl; hg commit -q -m right; hg merge -q --tool :local 1");
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = vcs.archive(&env).unwrap();
    let tips = archive.tips().unwrap();
    let nodes = lab.sh("cd a; hg log -r 2 -T '{node} '; hg log -r 1 -T '{node}'");
    assert_eq!(tips.join(" "), nodes, "the first parent is the first");
    let told = history(&mut *archive, LEDGER, &tips);
    assert!(told.ends_with("\nbase:  -> 1\nat right, left"), "{told}");
}

/// More than is kept, and more than one process is asked for.
#[test]
fn large_versions() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    let (size, count) = (56 << 20, 5);
    lab.sh("hg init a; mkdir a/.beads");
    for number in 0..count {
        let line = format!("{{\"id\":\"bd-{number}\"}}\n");
        lab.write(&format!("a/{LEDGER}"), &format!("{line}{}\nlast\n", "x".repeat(size)));
        lab.sh(&format!("cd a; hg commit -q -A -m {number}"));
    }
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = vcs.archive(&env).unwrap();
    let tips = archive.tips().unwrap();
    let steps = archive.steps(&Trail::of(Path::new(LEDGER)), &tips).unwrap();
    let versions: Vec<_> = steps.all.iter().filter_map(|step| step.after.clone()).collect();
    assert_eq!(versions.len(), count);
    let lines = archive.lines_with(&versions, b"\"id\"").unwrap();
    let expected: Vec<Vec<Vec<u8>>> =
        (0..count).rev().map(|n| vec![format!("{{\"id\":\"bd-{n}\"}}").into_bytes()]).collect();
    assert_eq!(lines, expected);
    let first = archive.text(versions.last().expect("a version")).unwrap();
    assert!(first.starts_with(b"{\"id\":\"bd-0\"}\nxx") && first.ends_with(b"xx\nlast\n") && first.len() > size);
}
