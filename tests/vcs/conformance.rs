//! What every adapter of `Vcs` must do, told as stories of two people with a server between them.
//!
//! An adapter takes part with one small file: a type that implements [`Shop`] (how a user of that system makes a clone,
//! commits, looks) and a line `conformance!(ThatType);`, which makes a test of each story. A story that a system cannot
//! tell is excluded by name and with a reason in [`Shop::EXCLUDED`].
//!
//! The people are `ann` and `bob`, clones of `server`. Both have the ledger and the file `code` in the first commit.

use std::any::type_name;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use beads::internal::vcs::{self, Integrated, Integration, Kind, Order, Pushed, Standing, SyncError, Vcs, Versions};

use crate::support::effort::{left_to_ci, pick};
use crate::vcs::lab::{self, Lab, areas};

pub const LEDGER: &str = ".beads/beads.jsonl";
pub const FIRST: &str = "{\"id\":\"bd-1\"}\n";

/// A user's actions with one version control system. Names of clones and files are simple words.
pub trait Shop {
    const KIND: Kind;
    const PROGRAMS: &'static [&'static str];
    /// Whether its program is started so often that the smoke level leaves the stories to CI.
    const IS_SLOW: bool = false;
    /// Stories that this system cannot tell, each with the reason.
    const EXCLUDED: &'static [(&'static str, &'static str)] = &[];

    /// Makes the empty repository `server` without a working copy.
    fn server(lab: &Lab);

    /// Makes a clone of `server`, on the branch that is pushed.
    fn clone(lab: &Lab, name: &str);

    /// Makes a repository without any remote, with one commit that holds `code`.
    fn alone(lab: &Lab, name: &str);

    /// Commits one file, and only it, as it is in the working copy (or gone from it), with the system's own program and on
    /// the branch that is pushed.
    fn commit(lab: &Lab, clone: &str, file: &str);

    /// Sends the commits to `server` with the system's own program.
    fn send(lab: &Lab, clone: &str);

    /// A file as the last commit of a clone has it.
    fn last(lab: &Lab, clone: &str, file: &str) -> Option<String>;

    /// The number of ancestor commits with content of the last commit of a clone, itself included.
    fn commits(lab: &Lab, clone: &str) -> usize;

    /// The last commit, what is changed and not committed, and any unfinished merge: all that a refusal must not change.
    fn state(lab: &Lab, clone: &str) -> String;

    /// Points the clone's server to `git://127.0.0.1:1/`, or to another address that does not answer.
    fn misplace(lab: &Lab, clone: &str);
}

/// The tests of one adapter: every story, under its name.
macro_rules! conformance {
    ($shop:ty) => {
        $crate::vcs::conformance::conformance!($shop:
            places, committed_files, a_fresh_clone, forward, ledgers_merge, other_files_merge, a_conflict,
            uncommitted_work_stays, uncommitted_work_in_the_way, a_race, nothing_to_push, the_first_push, no_remote,
            nobody_answers, integrating_again, a_ledger_deleted_there, a_ledger_deleted_here, a_ledger_new_on_both_sides,
            many_rounds);
    };
    ($shop:ty: $($story:ident),*) => {
        $(#[test]
        fn $story() {
            $crate::vcs::conformance::tell::<$shop>(stringify!($story), $crate::vcs::conformance::$story::<$shop>);
        })*
    };
}
pub(crate) use conformance;

pub fn tell<S: Shop>(name: &str, story: fn(&Lab)) {
    if let Some((_, reason)) = S::EXCLUDED.iter().find(|(excluded, _)| *excluded == name) {
        let _ = writeln!(std::io::stderr(), "not told in {}: {name}: {reason}", S::KIND);
        return;
    }
    if S::IS_SLOW && left_to_ci() {
        return;
    }
    if let Some(lab) = Lab::with(S::PROGRAMS) {
        story(&lab);
    }
}

/// Server, `ann` and `bob`, and their first commit.
pub fn two_people<S: Shop>(lab: &Lab) {
    lab.fill(&format!("two people with {}", type_name::<S>()), |lab| {
        a_new_server::<S>(lab);
        change::<S>(lab, "ann", LEDGER, FIRST);
        change::<S>(lab, "ann", "code", "1\n");
        S::send(lab, "ann");
        S::clone(lab, "bob");
        assert_eq!(S::last(lab, "bob", LEDGER).as_deref(), Some(FIRST));
    });
}

/// An empty server and its clone `ann`.
fn a_new_server<S: Shop>(lab: &Lab) {
    lab.fill(&format!("a new server of {}", type_name::<S>()), |lab| {
        S::server(lab);
        S::clone(lab, "ann");
    });
}

/// A user changes and commits a file.
pub fn change<S: Shop>(lab: &Lab, clone: &str, file: &str, text: &str) {
    lab.write(&format!("{clone}/{file}"), text);
    S::commit(lab, clone, file);
}

pub fn open(lab: &Lab, clone: &str) -> Box<dyn Vcs> {
    vcs::open(&lab.path(clone))
}

/// The ledger is written and committed, as `bd` does it.
pub fn record(lab: &Lab, clone: &str, text: &str) {
    lab.write(&format!("{clone}/{LEDGER}"), text);
    let (root, files) = (lab.path(clone), [PathBuf::from(LEDGER)]);
    let order = Order { root: &root, files: &files, message: "bd: a write", author: "Ann", env: &lab.env() };
    open(lab, clone).commit(&order).expect("a commit");
}

/// Integrates with the union of all lines, sorted, and says what the merge was asked.
pub fn integrate(lab: &Lab, clone: &str) -> (Result<Integrated, SyncError>, Vec<Versions>) {
    let mut asked = Vec::new();
    let ledgers = [PathBuf::from(LEDGER)];
    let mut merge = |path: &Path, versions: &Versions| {
        assert_eq!(path, Path::new(LEDGER));
        asked.push(versions.clone());
        union(versions)
    };
    let message = "bd: merge";
    let integration = Integration {
        ledgers: &ledgers,
        areas: &areas(),
        merge: &mut merge,
        message,
        author: "Ann",
        replaces: None,
        env: &lab.env(),
    };
    let result = open(lab, clone).exchange().unwrap().integrate(integration);
    (result, asked)
}

pub fn union(versions: &Versions) -> Vec<u8> {
    let sides = [&versions.ours, &versions.theirs];
    let text = sides.map(|side| String::from_utf8(side.clone().unwrap_or_default()).expect("text")).concat();
    let lines: std::collections::BTreeSet<&str> = text.lines().collect();
    lines.into_iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

pub fn fetch(lab: &Lab, clone: &str) {
    open(lab, clone).exchange().unwrap().fetch(&lab.env()).expect("a fetch");
}

pub fn push(lab: &Lab, clone: &str) -> Pushed {
    lab::push(&*open(lab, clone), &lab.env()).expect("a push")
}

pub fn standing(lab: &Lab, clone: &str) -> Standing {
    open(lab, clone).exchange().unwrap().standing(&lab.env()).expect("a standing")
}

/// How many commits a clone is ahead and behind; it must follow something.
pub fn distance(lab: &Lab, clone: &str) -> (usize, usize) {
    let standing = standing(lab, clone);
    assert!(standing.upstream.is_some() && standing.branch.is_some(), "{standing:?}");
    (standing.ahead, standing.behind)
}

pub fn text(lab: &Lab, name: &str) -> String {
    std::fs::read_to_string(lab.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All files of a working copy besides those of version control.
fn files(lab: &Lab, clone: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![lab.path(clone)]);
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).expect("a directory").flatten() {
            let name = entry.file_name();
            if [".git", ".jj", ".hg", ".sl"].iter().any(|own| name == *own) {
                continue;
            }
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                found.insert(entry.path(), std::fs::read(entry.path()).expect("a file"));
            }
        }
    }
    found
}

/// All that a refusal must leave as it was. The id of the last commit vouches for those below it.
pub fn everything<S: Shop>(lab: &Lab, clone: &str) -> (String, BTreeMap<PathBuf, Vec<u8>>) {
    (S::state(lab, clone), files(lab, clone))
}

pub fn bytes(text: &str) -> Option<Vec<u8>> {
    Some(text.as_bytes().to_vec())
}

pub fn places<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    for below in ["ann", "ann/.beads", "ann/nowhere/yet"] {
        let vcs = open(lab, below);
        assert_eq!((vcs.kind(), vcs.root()), (S::KIND, lab.path("ann").as_path()), "{below}");
    }
    let [ann, bob] = ["ann", "bob"].map(|clone| vcs::common_dir(&lab.path(clone)).expect("a directory"));
    assert!(ann.starts_with(lab.path("ann")) && ann.is_dir(), "{}", ann.display());
    assert_ne!(ann, bob);
    assert!(!vcs::is_busy(&lab.path("ann")));
    assert_eq!(open(lab, "ann").judge(&lab.env()).named(), Vec::<String>::new(), "an ordinary clone");
}

pub fn committed_files<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    let committed = |file: &str| open(lab, "ann").committed(Path::new(file), &lab.env()).unwrap();
    assert_eq!(committed(LEDGER), bytes(FIRST));
    assert_eq!((committed("nosuch"), committed(".beads"), committed(".beads/no/such")), (None, None, None));
    lab.write(&format!("ann/{LEDGER}"), "not committed\n");
    lab.write("ann/new", "not committed\n");
    assert_eq!((committed(LEDGER), committed("new")), (bytes(FIRST), None));
    record(lab, "ann", "second\n");
    assert_eq!(committed(LEDGER), bytes("second\n"));
    assert_eq!(S::last(lab, "ann", LEDGER).as_deref(), Some("second\n"));
    change::<S>(lab, "ann", "binary", "a\0b\r\n");
    assert_eq!((committed("binary"), committed("binar?")), (bytes("a\0b\r\n"), None));
}

pub fn a_fresh_clone<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    assert_eq!((distance(lab, "ann"), distance(lab, "bob")), ((0, 0), (0, 0)));
    assert_eq!(integrate(lab, "bob").0.unwrap(), Integrated::UpToDate);
    assert_eq!(push(lab, "bob"), Pushed::NothingToPush);
    assert_eq!(S::commits(lab, "bob"), S::commits(lab, "ann"));
}

pub fn forward<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    record(lab, "ann", "from ann\n");
    change::<S>(lab, "ann", "src", "new\n");
    assert_eq!(distance(lab, "ann"), (2, 0));
    assert_eq!(push(lab, "ann"), Pushed::Done);
    assert_eq!(distance(lab, "ann"), (0, 0));

    assert_eq!(distance(lab, "bob"), (0, 0), "not fetched yet");
    let before = everything::<S>(lab, "bob");
    fetch(lab, "bob");
    assert_eq!(everything::<S>(lab, "bob"), before, "a fetch changes no file and no branch");
    assert_eq!(distance(lab, "bob"), (0, 2));
    let (result, asked) = integrate(lab, "bob");
    assert_eq!((result.unwrap(), asked), (Integrated::Forwarded, vec![]));
    assert_eq!((text(lab, &format!("bob/{LEDGER}")), text(lab, "bob/src")), ("from ann\n".into(), "new\n".into()));
    assert_eq!(distance(lab, "bob"), (0, 0));
    assert_eq!(S::commits(lab, "bob"), S::commits(lab, "ann"));
}

pub fn ledgers_merge<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    record(lab, "ann", &format!("a\n{FIRST}"));
    record(lab, "bob", &format!("b\n{FIRST}"));
    assert_eq!(push(lab, "ann"), Pushed::Done);
    fetch(lab, "bob");
    assert_eq!(distance(lab, "bob"), (1, 1));
    let (result, asked) = integrate(lab, "bob");
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    let (ours, theirs) = (bytes(&format!("b\n{FIRST}")), bytes(&format!("a\n{FIRST}")));
    assert_eq!(asked, [Versions { base: bytes(FIRST), ours, theirs }]);
    let merged = format!("a\nb\n{FIRST}");
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), merged);
    assert_eq!(S::last(lab, "bob", LEDGER).as_deref(), Some(merged.as_str()));
    assert_eq!(distance(lab, "bob").1, 0);
    assert_eq!(push(lab, "bob"), Pushed::Done);
    fetch(lab, "ann");
    let (result, asked) = integrate(lab, "ann");
    assert_eq!((result.unwrap(), asked), (Integrated::Forwarded, vec![]));
    assert_eq!(text(lab, &format!("ann/{LEDGER}")), merged);
    assert_eq!((distance(lab, "ann"), distance(lab, "bob")), ((0, 0), (0, 0)));
}

pub fn other_files_merge<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    change::<S>(lab, "ann", "by_ann", "a\n");
    change::<S>(lab, "bob", "by_bob", "b\n");
    S::send(lab, "ann");
    fetch(lab, "bob");
    let (result, asked) = integrate(lab, "bob");
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(asked, [], "no side changed the ledger");
    assert_eq!((text(lab, "bob/by_ann"), text(lab, "bob/by_bob")), ("a\n".into(), "b\n".into()));
    assert_eq!(S::last(lab, "bob", "by_ann").as_deref(), Some("a\n"));
    assert_eq!(S::last(lab, "bob", "by_bob").as_deref(), Some("b\n"));
    assert_eq!(push(lab, "bob"), Pushed::Done);
    fetch(lab, "ann");
    assert_eq!(integrate(lab, "ann").0.unwrap(), Integrated::Forwarded);
    assert_eq!(text(lab, "ann/by_bob"), "b\n");
}

pub fn a_conflict<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    record(lab, "ann", &format!("a\n{FIRST}"));
    change::<S>(lab, "ann", "code", "by ann\n");
    S::send(lab, "ann");
    record(lab, "bob", &format!("b\n{FIRST}"));
    change::<S>(lab, "bob", "code", "by bob\n");
    lab.write("bob/untracked", "u\n");
    fetch(lab, "bob");
    let before = everything::<S>(lab, "bob");
    for _ in 0..2 {
        match integrate(lab, "bob").0 {
            Err(SyncError::Conflicts { files, .. }) => assert_eq!(files, [PathBuf::from("code")]),
            other => panic!("{other:?}"),
        }
        assert_eq!(everything::<S>(lab, "bob"), before);
    }
    assert_eq!(distance(lab, "bob"), (2, 2));
    // Once the user has settled it, the rest goes by itself.
    change::<S>(lab, "bob", "code", "by ann\n");
    let result = integrate(lab, "bob").0;
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), format!("a\nb\n{FIRST}"));
    assert_eq!((text(lab, "bob/code"), text(lab, "bob/untracked")), ("by ann\n".into(), "u\n".into()));
}

pub fn uncommitted_work_stays<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    let work = |lab: &Lab| ["bob/code", "bob/untracked", "bob/deep/new"].map(|name| text(lab, name));
    lab.write("bob/code", "half done\n");
    lab.write("bob/untracked", "u\n");
    lab.write("bob/deep/new", "n\n");
    let before = work(lab);
    record(lab, "ann", &format!("a\n{FIRST}"));
    assert_eq!(push(lab, "ann"), Pushed::Done);
    fetch(lab, "bob");
    assert_eq!(integrate(lab, "bob").0.unwrap(), Integrated::Forwarded);
    assert_eq!(work(lab), before);

    record(lab, "ann", &format!("a\na2\n{FIRST}"));
    assert_eq!(push(lab, "ann"), Pushed::Done);
    record(lab, "bob", &format!("a\nb\n{FIRST}"));
    fetch(lab, "bob");
    let (result, asked) = integrate(lab, "bob");
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(asked.len(), 1);
    assert_eq!(work(lab), before);
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), format!("a\na2\nb\n{FIRST}"));
    assert_eq!(S::last(lab, "bob", "code").as_deref(), Some("1\n"), "it is not committed either");
    assert_eq!(S::last(lab, "bob", "untracked"), None);
    assert_eq!(push(lab, "bob"), Pushed::Done);
    S::clone(lab, "eve");
    assert_eq!((text(lab, "eve/code"), lab.path("eve/untracked").exists()), ("1\n".into(), false));
}

pub fn uncommitted_work_in_the_way<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    change::<S>(lab, "ann", "code", "by ann\n");
    change::<S>(lab, "ann", "new", "by ann\n");
    S::send(lab, "ann");
    let refused = |files: &[&str]| {
        let before = everything::<S>(lab, "bob");
        match integrate(lab, "bob").0 {
            Err(SyncError::InTheWay { files: found, .. }) => {
                assert_eq!(found, files.iter().map(PathBuf::from).collect::<Vec<_>>());
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(everything::<S>(lab, "bob"), before);
    };
    fetch(lab, "bob");
    lab.write("bob/code", "half done\n");
    refused(&["code"]);
    lab.write("bob/new", "half done\n");
    refused(&["code", "new"]);
    // The same with commits on both sides.
    record(lab, "bob", &format!("b\n{FIRST}"));
    refused(&["code", "new"]);
    lab.write("bob/code", "1\n");
    std::fs::remove_file(lab.path("bob/new")).unwrap();
    let result = integrate(lab, "bob").0;
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!((text(lab, "bob/code"), text(lab, "bob/new")), ("by ann\n".into(), "by ann\n".into()));
}

pub fn a_race<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    record(lab, "ann", &format!("a\n{FIRST}"));
    record(lab, "bob", &format!("b\n{FIRST}"));
    assert_eq!(push(lab, "bob"), Pushed::Done);
    let before = everything::<S>(lab, "ann");
    assert_eq!(push(lab, "ann"), Pushed::Outrun);
    assert_eq!(everything::<S>(lab, "ann"), before);
    fetch(lab, "ann");
    let result = integrate(lab, "ann").0;
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(push(lab, "ann"), Pushed::Done);
    fetch(lab, "bob");
    assert_eq!(integrate(lab, "bob").0.unwrap(), Integrated::Forwarded);
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), format!("a\nb\n{FIRST}"));
    // A clone known to be behind is reported without a network.
    record(lab, "ann", &format!("a\nb\nc\n{FIRST}"));
    assert_eq!(push(lab, "ann"), Pushed::Done);
    record(lab, "bob", &format!("a\nb\nd\n{FIRST}"));
    fetch(lab, "bob");
    assert_eq!(push(lab, "bob"), Pushed::Outrun);
}

pub fn nothing_to_push<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    lab.write("bob/code", "half done\n");
    let before = everything::<S>(lab, "bob");
    S::misplace(lab, "bob");
    assert_eq!(push(lab, "bob"), Pushed::NothingToPush, "no network is needed to know that");
    assert_eq!(everything::<S>(lab, "bob"), before);
}

/// To a server that holds nothing yet.
pub fn the_first_push<S: Shop>(lab: &Lab) {
    a_new_server::<S>(lab);
    fetch(lab, "ann");
    record(lab, "ann", FIRST);
    assert_eq!(integrate(lab, "ann").0.unwrap(), Integrated::UpToDate);
    assert_eq!(push(lab, "ann"), Pushed::Done);
    assert_eq!(push(lab, "ann"), Pushed::NothingToPush);
    assert_eq!(distance(lab, "ann"), (0, 0));
    S::clone(lab, "bob");
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), FIRST);
}

pub fn no_remote<S: Shop>(lab: &Lab) {
    S::alone(lab, "solo");
    record(lab, "solo", FIRST);
    let before = everything::<S>(lab, "solo");
    let standing = standing(lab, "solo");
    assert_eq!((standing.upstream, standing.behind), (None, 0));
    assert_eq!(integrate(lab, "solo").0.unwrap(), Integrated::UpToDate);
    assert!(matches!(push(lab, "solo"), Pushed::Held(_)));
    fetch(lab, "solo");
    assert_eq!(everything::<S>(lab, "solo"), before);
}

pub fn nobody_answers<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    record(lab, "bob", &format!("b\n{FIRST}"));
    let before = everything::<S>(lab, "bob");
    S::misplace(lab, "bob");
    for result in
        [open(lab, "bob").exchange().unwrap().fetch(&lab.env()), lab::push(&*open(lab, "bob"), &lab.env()).map(drop)]
    {
        let error = result.unwrap_err();
        assert!(matches!(error, SyncError::Unreachable { .. }), "{error:?}");
        assert!(!format!("{error:?}").contains("did not end"), "it says so without delay: {error:?}");
    }
    assert_eq!(everything::<S>(lab, "bob"), before);
}

pub fn integrating_again<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    record(lab, "ann", &format!("a\n{FIRST}"));
    record(lab, "bob", &format!("b\n{FIRST}"));
    assert_eq!(push(lab, "ann"), Pushed::Done);
    fetch(lab, "bob");
    assert!(matches!(integrate(lab, "bob").0, Ok(Integrated::Merged | Integrated::Rebased)));
    let before = everything::<S>(lab, "bob");
    for _ in 0..2 {
        let (result, asked) = integrate(lab, "bob");
        assert_eq!((result.unwrap(), asked), (Integrated::UpToDate, vec![]));
        assert_eq!(everything::<S>(lab, "bob"), before);
        fetch(lab, "bob");
    }
}

pub fn a_ledger_deleted_there<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    std::fs::remove_file(lab.path("ann").join(LEDGER)).unwrap();
    S::commit(lab, "ann", LEDGER);
    S::send(lab, "ann");
    let changed = format!("b\n{FIRST}");
    record(lab, "bob", &changed);
    fetch(lab, "bob");
    let (result, asked) = integrate(lab, "bob");
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(asked, [Versions { base: bytes(FIRST), ours: bytes(&changed), theirs: None }]);
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), changed);
    assert_eq!(S::last(lab, "bob", LEDGER).as_deref(), Some(changed.as_str()));
}

pub fn a_ledger_deleted_here<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    let changed = format!("a\n{FIRST}");
    record(lab, "ann", &changed);
    assert_eq!(push(lab, "ann"), Pushed::Done);
    std::fs::remove_file(lab.path("bob").join(LEDGER)).unwrap();
    S::commit(lab, "bob", LEDGER);
    fetch(lab, "bob");
    let (result, asked) = integrate(lab, "bob");
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(asked, [Versions { base: bytes(FIRST), ours: None, theirs: bytes(&changed) }]);
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), changed);
    assert_eq!(S::last(lab, "bob", LEDGER).as_deref(), Some(changed.as_str()));
}

pub fn a_ledger_new_on_both_sides<S: Shop>(lab: &Lab) {
    a_new_server::<S>(lab);
    change::<S>(lab, "ann", "code", "1\n");
    S::send(lab, "ann");
    S::clone(lab, "bob");
    record(lab, "ann", "a\n");
    record(lab, "bob", "b\n");
    assert_eq!(push(lab, "ann"), Pushed::Done);
    fetch(lab, "bob");
    let (result, asked) = integrate(lab, "bob");
    assert!(matches!(result, Ok(Integrated::Merged | Integrated::Rebased)), "{result:?}");
    assert_eq!(asked, [Versions { base: None, ours: bytes("b\n"), theirs: bytes("a\n") }]);
    assert_eq!(S::last(lab, "bob", LEDGER).as_deref(), Some("a\nb\n"));
    assert_eq!(text(lab, &format!("bob/{LEDGER}")), "a\nb\n");
}

/// Both write and exchange for a while, in uneven turns. Nothing is lost, and in the end both have the same bytes.
pub fn many_rounds<S: Shop>(lab: &Lab) {
    two_people::<S>(lab);
    let sync = |clone: &str| {
        for _ in 0..3 {
            fetch(lab, clone);
            integrate(lab, clone).0.unwrap();
            if push(lab, clone) != Pushed::Outrun {
                return;
            }
        }
        panic!("{clone} is outrun by nobody");
    };
    let rounds = pick(2, 3, 5);
    for round in 0..rounds {
        for clone in ["ann", "bob"] {
            let ledger = text(lab, &format!("{clone}/{LEDGER}"));
            record(lab, clone, &format!("{ledger}{clone} {round}\n"));
            lab.write(&format!("{clone}/{clone}"), &round.to_string());
            S::commit(lab, clone, clone);
        }
        sync(if round % 2 == 0 { "ann" } else { "bob" });
        if round % 3 == 0 {
            sync("bob");
        }
    }
    ["ann", "bob", "ann"].into_iter().for_each(sync);
    let expected = ["ann", "bob"].iter().flat_map(|who| (0..rounds).map(move |round| format!("{who} {round}\n")));
    let expected = format!("{}{FIRST}", expected.collect::<String>());
    for clone in ["ann", "bob"] {
        assert_eq!(text(lab, &format!("{clone}/{LEDGER}")), expected, "{clone}");
        let last = (rounds - 1).to_string();
        let found = ["ann", "bob"].map(|name| text(lab, &format!("{clone}/{name}")));
        assert_eq!(found, [last.as_str(), last.as_str()], "{clone}");
        assert_eq!(distance(lab, clone), (0, 0));
    }
    let before = S::commits(lab, "ann");
    ["ann", "bob"].into_iter().for_each(sync);
    assert_eq!((S::commits(lab, "ann"), S::commits(lab, "bob")), (before, before));
}
