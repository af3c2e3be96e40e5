//! sl against transcripts that were written from its documentation (`fixtures/sl`): the exact arguments of every call are
//! checked, and the answers are read as sl would give them. No real sl has ever run here.

use std::path::{Path, PathBuf};

use beads::internal::sys::Env;
use beads::internal::vcs::{self, Integrated, Integration, Pushed, SyncError, Versions};

use crate::support::programs::put;
use crate::vcs::lab::{self, Lab, areas};

const LEDGER: &str = ".beads/beads.jsonl";

/// Plays one section of the transcript for each call; a call that is not the next one is written down, and fails.
const FAKE: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n > count
code=0
awk -v n="$n" '/^\$ /{ i++ } i == n && !/^#/' transcript > section
[ -s section ] || { echo "$n: $*" >> unexpected; exit 99; }
while IFS= read -r line; do
    case "$line" in
    '$ '*) [ "$*" = "--noninteractive --config=ui.timeout=2 --config=ui.username=$(cat name) ${line#??}" ] ||
        { echo "$n: $*" >> unexpected; exit 99; } ;;
    '> '*) printf '%s\n' "${line#??}" ;;
    '% '*) printf '%b' "${line#??}" ;;
    '! '*) printf '%s\n' "${line#??}" >&2 ;;
    '['*) code=${line#?}; code=${code%?} ;;
    esac
done < section
exit "$code"
"#;

struct Played {
    lab: Lab,
}

/// A working copy, and an sl that plays a story.
fn play(story: &str, name: &str) -> Played {
    let lab = Lab::with(&["sh", "awk"]).expect("a shell");
    let transcript = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sl").join(story);
    lab.write("bin/transcript", &std::fs::read_to_string(transcript).expect("a transcript"));
    lab.write("bin/name", name);
    put(&lab.path("bin/sl"), FAKE);
    lab.write("a/.sl/config", "[paths]\ndefault = https://example.org/repo\n");
    lab.write(&format!("a/{LEDGER}"), "ours\n");
    Played { lab }
}

impl Played {
    fn env(&self) -> Env {
        let path = std::env::var("PATH").expect("a PATH");
        self.lab.env().with("PATH", format!("{}:{path}", self.lab.path("bin").display()))
    }

    fn vcs(&self) -> Box<dyn vcs::Vcs> {
        vcs::open(&self.lab.path("a"))
    }

    fn integrate(&self) -> (Result<Integrated, SyncError>, Vec<Versions>) {
        let (mut asked, ledgers) = (Vec::new(), [PathBuf::from(LEDGER)]);
        let mut merge = |_: &Path, versions: &Versions| {
            asked.push(versions.clone());
            b"merged\n".to_vec()
        };
        let (message, env) = ("bd: merge", self.env());
        let order = Integration {
            ledgers: &ledgers,
            areas: &areas(),
            merge: &mut merge,
            message,
            author: "Ann",
            replaces: None,
            env: &env,
        };
        (self.vcs().exchange().unwrap().integrate(order), asked)
    }

    fn ledger(&self) -> String {
        std::fs::read_to_string(self.lab.path("a").join(LEDGER)).expect("a ledger")
    }
}

impl Drop for Played {
    /// Every call was expected, and every expected one was made.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let unexpected = std::fs::read_to_string(self.lab.path("bin/unexpected")).unwrap_or_default();
        assert_eq!(unexpected, "");
        let made = std::fs::read_to_string(self.lab.path("bin/count")).expect("calls");
        let transcript = std::fs::read_to_string(self.lab.path("bin/transcript")).expect("a transcript");
        let expected = transcript.lines().filter(|line| line.starts_with("$ ")).count();
        assert_eq!(made.trim(), expected.to_string());
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    Some(text.as_bytes().to_vec())
}

#[test]
fn forward() {
    let story = play("forward.txt", "unknown");
    // The name of the user comes from the settings, so that all calls are alike.
    story.lab.write("a/.sl/config", "[paths]\ndefault = https://example.org/repo\n[ui]\nusername = unknown\n");
    story.vcs().exchange().unwrap().fetch(&story.env()).unwrap();
    let standing = story.vcs().exchange().unwrap().standing(&story.env()).unwrap();
    assert_eq!((standing.branch.as_deref(), standing.upstream.as_deref()), (Some("main"), Some("remote/main")));
    assert_eq!((standing.ahead, standing.behind), (0, 2));
    let (result, asked) = story.integrate();
    assert_eq!((result.unwrap(), asked), (Integrated::Forwarded, vec![]));
}

#[test]
fn rebase() {
    let story = play("rebase.txt", "Ann");
    let (result, asked) = story.integrate();
    assert_eq!(result.unwrap(), Integrated::Rebased);
    assert_eq!(asked, [Versions { base: bytes("base\n"), ours: bytes("ours\n"), theirs: None }]);
    assert_eq!(story.ledger(), "merged\n");
}

#[test]
fn a_conflict() {
    let story = play("conflict.txt", "Ann");
    let (result, asked) = story.integrate();
    let Err(SyncError::Conflicts { files, upstream, .. }) = result else { panic!("{result:?}") };
    assert_eq!((files, upstream, asked), (vec![PathBuf::from("code")], "remote/main".to_owned(), vec![]));
    assert_eq!(story.ledger(), "ours\n");
}

#[test]
fn uncommitted_work_in_the_way() {
    let story = play("in-the-way.txt", "Ann");
    for file in ["code", "other"] {
        let result = story.integrate().0;
        let Err(SyncError::InTheWay { files, .. }) = result else { panic!("{result:?}") };
        assert_eq!(files, [PathBuf::from(file)]);
    }
}

#[test]
fn pushes() {
    let story = play("push.txt", "unknown");
    let push = || lab::push(&*story.vcs(), &story.env());
    let expected = [Pushed::NothingToPush, Pushed::Done, Pushed::Outrun, Pushed::Outrun];
    expected.into_iter().for_each(|expected| assert_eq!(push().unwrap(), expected));
    assert!(matches!(push().unwrap_err(), SyncError::Unreachable { .. }));
    let error = push().unwrap_err();
    assert!(matches!(error, SyncError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("this branch is protected"), "{error}");
}

#[test]
fn committed_files() {
    let story = play("committed.txt", "unknown");
    let committed = |file: &str| story.vcs().committed(Path::new(file), &story.env()).unwrap();
    assert_eq!([LEDGER, ".beads", "nosuch"].map(committed), [bytes("one\n"), None, None]);
}

#[test]
fn snapshots() {
    let story = play("snapshot.txt", "unknown");
    story.lab.write("a/new", "new\n");
    let snapshot = story.vcs().snapshot("cp_1", vcs::LARGEST, &story.env()).unwrap();
    assert_eq!(snapshot.base, Some("a".repeat(40)));
    assert_eq!(snapshot.files, [LEDGER, "gone", "new"].map(PathBuf::from));
    let kept = story.lab.path("a/.sl/beads/snapshots/cp_1");
    assert_eq!(std::fs::read_to_string(kept.join("files/new")).unwrap(), "new\n");
    story.vcs().drop_snapshot("cp_1", &story.env()).unwrap();
    assert!(!kept.exists());
}

#[test]
fn the_past() {
    let story = play("archive.txt", "unknown");
    let (vcs, env) = (story.vcs(), story.env());
    let mut archive = vcs.archive(&env).unwrap();
    let tips = archive.tips().unwrap();
    let told = crate::vcs::archive::history(&mut *archive, "l.jsonl", &tips);
    assert_eq!(told, "first [k.jsonl]:  -> one\nat first", "a rename alone changes nothing");
}

#[test]
fn revisions() {
    let story = play("revisions.txt", "unknown");
    let (vcs, env) = (story.vcs(), story.env());
    let mut archive = vcs.archive(&env).unwrap();
    assert_eq!(archive.resolve("main").unwrap().map(|commit| commit.id), Some("a".repeat(40)));
    assert!(matches!(archive.resolve("all()"), Err(vcs::SyncError::Several { .. })));
    let found = ["none()", "nosuch", "remote()"].map(|revision| archive.resolve(revision).unwrap());
    assert_eq!(found, [None, None, None]);
}

#[test]
fn no_remote_and_no_programs() {
    let lab = Lab::with(&[]).expect("a place");
    lab.write("a/.sl/config", "");
    let vcs = vcs::open(&lab.path("a"));
    vcs.exchange().unwrap().fetch(&lab.env()).unwrap();
    assert!(matches!(lab::push(&*vcs, &lab.env()).unwrap(), Pushed::Held(_)));
    assert_eq!(vcs.judge(&lab.env()).named(), Vec::<String>::new());
    lab.write("a/.sl/config", "[hooks]\nprecommit = touch x\n");
    assert_eq!(vcs.judge(&lab.env()).named(), [".sl/config: hooks.precommit = touch x"]);
}
