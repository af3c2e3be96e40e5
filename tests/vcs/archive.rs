//! What every adapter of `Archive` must report about the past, as stories of one file in one repository.
//!
//! An adapter is tested with a type that implements [`Scribe`] (how a user of that system makes history, and what its
//! own program reports) and a line `archive!(that_type, ThatType);`, which makes a test of each story.
//!
//! A history is compared as text, see [`history`].

use std::any::type_name;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use beads::internal::model::time::{Instant, SECOND};
use beads::internal::sys::Env;
use beads::internal::vcs::{self, Archive, Trail, Version, as_of, merge_base};

use crate::vcs::lab::Lab;

pub const LEDGER: &str = ".beads/beads.jsonl";
pub const OTHER: &str = ".beads/issues.jsonl";
/// The first commit of every story is of this moment, in seconds.
const START: i64 = 1_700_000_000;

/// A user's actions with one version control system, in the repository `a`.
pub trait Scribe {
    const PROGRAMS: &'static [&'static str];
    /// Revisions of the first commit but its hash, once it was marked.
    const NAMES: &'static [&'static str];
    /// The parent of a revision.
    const PARENT: &'static str;
    /// Revisions that name no commit, or several.
    const NOT_ONE: &'static [&'static str];

    /// Makes an empty repository.
    fn init(lab: &Lab);

    /// Commits all files as they are, at a moment, and prints the commit's hash.
    fn commit(lab: &Lab, who: &str, seconds: i64, message: &str) -> String;

    /// Checks out a commit with its files.
    fn go(lab: &Lab, commit: &str);

    /// Gives the working copy two parents, with the files of the first. The content of the ledger is unspecified.
    fn join(lab: &Lab, one: &str, other: &str);

    /// Renames a file with the system's own command.
    fn rename(lab: &Lab, from: &str, to: &str);

    /// Gives a commit the names of [`Self::NAMES`].
    fn mark(lab: &Lab, commit: &str);

    /// All files of a commit, as the program itself shows them: name and text, each with a NUL behind it.
    fn show(lab: &Lab, commit: &str) -> String;

    /// Name, address, both times in seconds and the first line of the message, as the program itself shows them.
    fn told(lab: &Lab, commit: &str) -> String;

    /// All that reading must leave as it is and that is not a file.
    fn state(lab: &Lab) -> String;

    /// Files of the repository that its own program writes while it reads.
    fn is_cache(_: &Path) -> bool {
        false
    }
}

/// The tests of one adapter: every story, under its name.
macro_rules! archive {
    ($module:ident, $scribe:ty) => {
        mod $module {
            $crate::vcs::archive::archive!($scribe:
                linear, the_file_comes_later, a_merge_of_both, a_merge_that_takes_one_side, a_merge_of_equal_changes, a_merge_beside_the_file,
                a_merge_that_removes, a_recorded_rename, a_plain_rename, a_rename_with_changes, no_rename, renamed_on_one_side, removed_and_back,
                from_two_commits, times_and_people, revisions, moments_and_common_commits, nothing_is_changed, no_commits, odd_names);
        }
    };
    ($scribe:ty: $($story:ident),*) => {
        $(#[test]
        fn $story() {
            if let Some(lab) = $crate::vcs::lab::Lab::with(<$scribe as $crate::vcs::archive::Scribe>::PROGRAMS) {
                $crate::vcs::archive::$story::<$scribe>(&lab);
            }
        })*
    };
}
pub(crate) use archive;

/// Commits, in which the ledger is a text or is gone.
struct Story<'a, S> {
    lab: &'a Lab,
    commits: BTreeMap<String, String>,
    scribe: std::marker::PhantomData<S>,
}

impl<'a, S: Scribe> Story<'a, S> {
    fn new(lab: &'a Lab) -> Self {
        empty::<S>(lab);
        Story { lab, commits: BTreeMap::new(), scribe: std::marker::PhantomData }
    }

    /// A story that begins like others.
    fn after(lab: &'a Lab, name: &str, begin: impl FnOnce(&mut Story<'_, S>)) -> Self {
        lab.fill(&format!("{name} in {}", type_name::<S>()), |lab| {
            let mut story = Story::<S>::new(lab);
            begin(&mut story);
            let commits: String = story.commits.iter().map(|(message, id)| format!("{message} {id}\n")).collect();
            lab.write("commits", &commits);
        });
        let commits = std::fs::read_to_string(lab.path("commits")).expect("commits");
        let commits = commits.lines().filter_map(|line| line.split_once(' '));
        let commits = commits.map(|(message, id)| (message.to_owned(), id.to_owned())).collect();
        Story { lab, commits, scribe: std::marker::PhantomData }
    }

    fn id(&self, message: &str) -> String {
        self.commits[message].clone()
    }

    /// Writes files, or removes them, and commits. Each commit is an hour later than the one before it.
    fn commit(&mut self, message: &str, files: &[(&str, Option<&str>)]) -> String {
        for (file, text) in files {
            match text {
                Some(text) => drop(self.lab.write(&format!("a/{file}"), text)),
                None => std::fs::remove_file(self.lab.path(&format!("a/{file}"))).expect("a file to remove"),
            }
        }
        let number = i64::try_from(self.commits.len()).expect("a few commits");
        let who = if number % 2 == 0 { "Ann" } else { "Bob" };
        let made = S::commit(self.lab, who, START + 3600 * number, message).trim().to_owned();
        assert_eq!(made.len(), 40, "{made}");
        self.commits.insert(message.to_owned(), made.clone());
        made
    }

    /// The ledger alone.
    fn ledger(&mut self, message: &str, text: &str) -> String {
        self.commit(message, &[(LEDGER, Some(text))])
    }

    fn history(&self, tip: &str) -> String {
        history_of(self.lab, LEDGER, &[tip])
    }

    /// All that the archive says of each commit is what the program itself says of it.
    fn agrees(&self, files: &[&str]) {
        let told: Vec<String> = self.commits.values().map(|commit| S::show(self.lab, commit)).collect();
        files.iter().for_each(|file| self.agrees_on(file, &told));
    }

    fn agrees_on(&self, file: &str, told: &[String]) {
        let (vcs, env) = (vcs::open(&self.lab.path("a")), self.lab.env());
        let mut archive = vcs.archive(&env).unwrap();
        let (mut versions, mut texts) = (Vec::new(), Vec::new());
        for ((message, commit), told) in self.commits.iter().zip(told) {
            let version = archive.version(Path::new(file), commit).unwrap();
            let parts: Vec<&str> = told.split_terminator('\0').collect();
            let shown = parts.chunks(2).find(|part| part[0] == file).map(|part| part[1].to_owned());
            let text = version.as_ref().map(|version| String::from_utf8(archive.text(version).unwrap()).unwrap());
            assert_eq!(text, shown, "{message}");
            if let Some((version, text)) = version.zip(shown) {
                versions.push(version);
                texts.push(text);
            }
        }
        for sought in ["1", "a", "\"id\":", "nowhere"] {
            let expected: Vec<Vec<Vec<u8>>> = texts
                .iter()
                .map(|text| text.lines().filter(|line| line.contains(sought)).map(|line| line.into()).collect())
                .collect();
            assert_eq!(archive.lines_with(&versions, sought.as_bytes()).unwrap(), expected, "{sought}");
        }
        for (one, text) in versions.iter().zip(&texts) {
            let same =
                |(other, found): (&Version, &String)| assert_eq!(one == other, text == found, "{text:?} {found:?}");
            versions.iter().zip(&texts).for_each(same);
        }
    }
}

/// An empty repository.
fn empty<S: Scribe>(lab: &Lab) {
    lab.fill(&format!("an empty repository of {}", type_name::<S>()), S::init);
}

fn open<'a>(vcs: &'a dyn vcs::Vcs, env: &'a Env) -> Box<dyn Archive + 'a> {
    vcs.archive(env).expect("a past")
}

/// The steps below some commits, newest first, as lines `message [name]: version before (the step that made it) -> version`,
/// with `-` for what is not there; then the steps that made what the commits have.
pub fn history(archive: &mut dyn Archive, file: &str, from: &[String]) -> String {
    let steps = archive.steps(&Trail::of(Path::new(file)), from).expect("steps");
    let summary = |step: &vcs::Step| archive.commit(&step.commit.id).expect("a commit").summary;
    let summaries: Vec<String> = steps.all.iter().map(summary).collect();
    let mut show = |version: &Option<Version>| match version {
        Some(version) => {
            String::from_utf8(archive.text(version).expect("a text")).expect("UTF-8").trim_end().replace('\n', " ")
        }
        None => "-".to_owned(),
    };
    let name = |step: &Option<usize>| step.map_or("-", |number| summaries[number].as_str());
    let mut lines = Vec::new();
    for (number, step) in steps.all.iter().enumerate() {
        assert!(step.before.iter().filter_map(|before| before.step).all(|made| made > number), "a step back is older");
        assert_eq!(step.before.len(), step.commit.parents.len());
        let before: Vec<String> =
            step.before.iter().map(|before| format!("{} ({})", show(&before.version), name(&before.step))).collect();
        let path = &step.names[0];
        let shown = if path == Path::new(file) { String::new() } else { format!(" [{}]", path.display()) };
        lines.push(format!("{}{shown}: {} -> {}", summaries[number], before.join(" + "), show(&step.after)));
        if path != Path::new(file) {
            assert_eq!(steps.renamed.get(&step.commit.id), Some(&step.names), "{}", summaries[number]);
        }
    }
    let tips: Vec<&str> = steps.tips.iter().map(name).collect();
    lines.push(format!("at {}", tips.join(", ")));
    lines.join("\n")
}

fn history_of(lab: &Lab, file: &str, from: &[&str]) -> String {
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let from: Vec<String> = from.iter().map(|commit| (*commit).to_owned()).collect();
    history(&mut *open(&*vcs, &env), file, &from)
}

fn lines(text: &[&str]) -> String {
    text.join("\n")
}

pub fn linear<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    story.commit("first", &[(LEDGER, Some("1\n")), ("code", Some("a"))]);
    story.commit("code", &[("code", Some("b"))]);
    let second = story.ledger("second", "1\n2\n");
    story.commit("more code", &[("code", Some("c"))]);
    let back = story.ledger("back", "1\n");
    let tip = story.commit("last code", &[("code", Some("d"))]);
    let older = ["second: 1 (first) -> 1 2", "first:  -> 1"];
    let expected = lines(&["back: 1 2 (second) -> 1", older[0], older[1], "at back"]);
    assert_eq!((story.history(&tip), story.history(&back)), (expected.clone(), expected));
    assert_eq!(story.history(&second), lines(&[older[0], older[1], "at second"]));
    story.agrees(&[LEDGER, "code", ".beads"]);
}

pub fn the_file_comes_later<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    let first = story.commit("code", &[("code", Some("a"))]);
    let tip = story.ledger("ledger", "");
    assert_eq!(story.history(&tip), lines(&["ledger: - (-) -> ", "at ledger"]), "an empty file is a file");
    assert_eq!(story.history(&first), "at -");
    story.agrees(&[LEDGER]);
}

/// A fork of two commits of the ledger above `base`.
fn fork<'a, S: Scribe>(lab: &'a Lab, left: &str, right: &str) -> (Story<'a, S>, [String; 2]) {
    let story = Story::after(lab, &format!("a fork of {left} and {right}"), |story: &mut Story<'_, S>| {
        let base = story.commit("base", &[(LEDGER, Some("1\n")), ("code", Some("a"))]);
        story.ledger("left", left);
        S::go(story.lab, &base);
        story.ledger("right", right);
    });
    let sides = ["left", "right"].map(|side| story.id(side));
    (story, sides)
}

fn join<S: Scribe>(story: &mut Story<'_, S>, message: &str, sides: &[String; 2], ledger: &str) -> String {
    S::join(story.lab, &sides[0], &sides[1]);
    story.ledger(message, ledger)
}

const SIDES: [&str; 3] = ["right: 1 (base) -> 1 right", "left: 1 (base) -> 1 left", "base:  -> 1"];

pub fn a_merge_of_both<S: Scribe>(lab: &Lab) {
    let (mut story, sides) = fork::<S>(lab, "1\nleft\n", "1\nright\n");
    join(&mut story, "merge", &sides, "1\nleft\nright\n");
    let tip = story.ledger("after", "none\n");
    let merge = "merge: 1 left (left) + 1 right (right) -> 1 left right";
    let expected = ["after: 1 left right (merge) -> none", merge, SIDES[0], SIDES[1], SIDES[2], "at after"];
    assert_eq!(story.history(&tip), lines(&expected));
    story.agrees(&[LEDGER]);
}

pub fn a_merge_that_takes_one_side<S: Scribe>(lab: &Lab) {
    let (mut story, sides) = fork::<S>(lab, "1\nleft\n", "1\nright\n");
    let ours = join(&mut story, "ours", &sides, "1\nleft\n");
    let theirs = join(&mut story, "theirs", &sides, "1\nright\n");
    let before = "1 left (left) + 1 right (right)";
    let expected = |line: String| {
        lines(&[&line, SIDES[0], SIDES[1], SIDES[2], &format!("at {}", &line[..line.find(':').unwrap()])])
    };
    assert_eq!(story.history(&ours), expected(format!("ours: {before} -> 1 left")));
    assert_eq!(story.history(&theirs), expected(format!("theirs: {before} -> 1 right")));
    story.agrees(&[LEDGER]);
}

pub fn a_merge_of_equal_changes<S: Scribe>(lab: &Lab) {
    let (mut story, sides) = fork::<S>(lab, "1\n2\n", "1\n2\n");
    S::join(lab, &sides[0], &sides[1]);
    let merge = story.commit("merge", &[("code", Some("merged")), (LEDGER, Some("1\n2\n"))]);
    let joined = "merge: 1 2 (left) + 1 2 (right) -> 1 2";
    let expected = [joined, "right: 1 (base) -> 1 2", "left: 1 (base) -> 1 2", "base:  -> 1", "at merge"];
    assert_eq!(story.history(&merge), lines(&expected), "the merge changed nothing and joins two pasts");
    story.agrees(&[LEDGER]);
}

/// A fork of two commits beside the ledger, and the working copy on both.
fn fork_beside<S: Scribe>(lab: &Lab) -> Story<'_, S> {
    Story::after(lab, "a fork beside the file", |story: &mut Story<'_, S>| {
        let base = story.commit("base", &[(LEDGER, Some("1\n")), ("code", Some("a"))]);
        let code = story.commit("code", &[("code", Some("b"))]);
        S::go(story.lab, &base);
        let other = story.commit("other", &[("other", Some("b"))]);
        S::join(story.lab, &code, &other);
    })
}

/// One side alone, or none, touched the file.
pub fn a_merge_beside_the_file<S: Scribe>(lab: &Lab) {
    let mut story = fork_beside::<S>(lab);
    let quiet = story.commit("quiet", &[]);
    assert_eq!(story.history(&quiet), lines(&["base:  -> 1", "at base"]));
    S::go(lab, &story.id("base"));
    let changed = story.ledger("changed", "2\n");
    S::join(lab, &quiet, &changed);
    let taken = story.commit("taken", &[(LEDGER, Some("2\n"))]);
    let expected = ["taken: 1 (base) + 2 (changed) -> 2", "changed: 1 (base) -> 2", "base:  -> 1", "at taken"];
    assert_eq!(story.history(&taken), lines(&expected));
    let tip = story.commit("tip", &[("code", Some("z"))]);
    assert_eq!(story.history(&tip), lines(&expected));
    story.agrees(&[LEDGER]);
}

pub fn a_merge_that_removes<S: Scribe>(lab: &Lab) {
    let mut story = fork_beside::<S>(lab);
    let merge = story.commit("merge", &[(LEDGER, None)]);
    assert_eq!(story.history(&merge), lines(&["merge: 1 (base) + 1 (base) -> -", "base:  -> 1", "at merge"]));
    S::go(lab, &story.id("code"));
    let gone = story.commit("gone", &[(LEDGER, None)]);
    S::join(lab, &gone, &story.id("other"));
    let still = story.commit("still gone", &[("code", Some("c"))]);
    let expected = ["still gone: - (gone) + 1 (base) -> -", "gone: 1 (base) -> -", "base:  -> 1", "at still gone"];
    assert_eq!(story.history(&still), lines(&expected));
    story.agrees(&[LEDGER]);
}

/// The old name, some commits, the new one.
fn renamed<S: Scribe>(lab: &Lab, rename: fn(&Lab, &str, &str)) {
    let mut story = Story::after(lab, "the old name", |story: &mut Story<'_, S>| {
        story.commit("first", &[(OTHER, Some("1\n")), ("code", Some("a"))]);
        story.commit("second", &[(OTHER, Some("1\n2\n"))]);
        story.commit("code", &[("code", Some("b"))]);
    });
    rename(lab, OTHER, LEDGER);
    story.commit("rename", &[]);
    let tip = story.ledger("third", "1\n2\n3\n");
    let expected = [
        "third: 1 2 (second) -> 1 2 3",
        "second [.beads/issues.jsonl]: 1 (first) -> 1 2",
        "first [.beads/issues.jsonl]:  -> 1",
        "at third",
    ];
    assert_eq!(story.history(&tip), lines(&expected), "a rename alone changes no version");
    // The old name, from now on, is a file that went.
    let went = ["rename: 1 2 (second) -> -", "second: 1 (first) -> 1 2", "first:  -> 1", "at rename"];
    assert_eq!(history_of(lab, OTHER, &[&tip]), lines(&went));
    story.agrees(&[LEDGER, OTHER]);
}

pub fn a_recorded_rename<S: Scribe>(lab: &Lab) {
    renamed::<S>(lab, S::rename);
}

fn plainly(lab: &Lab, from: &str, to: &str) {
    std::fs::rename(lab.path(&format!("a/{from}")), lab.path(&format!("a/{to}"))).expect("a rename");
}

pub fn a_plain_rename<S: Scribe>(lab: &Lab) {
    renamed::<S>(lab, plainly);
}

const ISSUES: &str =
    "{\"id\":\"bd-1\",\"title\":\"one\"}\n{\"id\":\"bd-2\",\"title\":\"two\"}\n{\"id\":\"bd-3\",\"title\":\"three\"}\n";

/// The name and a line change in one commit; another file with fewer of the lines goes as well.
pub fn a_rename_with_changes<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    let first = ISSUES.lines().next().expect("a line").to_owned() + "\nx\n";
    story.commit("first", &[(OTHER, Some(ISSUES)), ("old.jsonl", Some(&first)), ("notes.txt", Some(ISSUES))]);
    let text = ISSUES.replace("two", "deux");
    let tip = story.commit("rename", &[(OTHER, None), ("old.jsonl", None), ("notes.txt", None), (LEDGER, Some(&text))]);
    let told = story.history(&tip);
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(told[0].starts_with("rename: ") && told[0].contains("(first)"), "{told:#?}");
    assert!(told[1].starts_with("first [.beads/issues.jsonl]:  -> "), "{told:#?}");
    story.agrees(&[LEDGER]);
}

/// Another file was removed when the ledger was added, or the other file stayed: that is not a rename.
pub fn no_rename<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    let more = format!("{ISSUES}{}", ISSUES.replace("bd", "x"));
    story.commit(
        "first",
        &[("code.jsonl", Some("a\nb\nc\n")), ("stays.jsonl", Some(ISSUES)), ("notes.txt", Some(&more))],
    );
    let tip = story.commit("ledger", &[("code.jsonl", None), ("notes.txt", None), (LEDGER, Some("1\n2\n"))]);
    assert_eq!(story.history(&tip), lines(&["ledger: - (-) -> 1 2", "at ledger"]));
    let copied = story.commit("copy", &[(OTHER, Some(ISSUES))]);
    let told = history_of(lab, OTHER, &[&copied]);
    assert!(told.starts_with("copy: - (-) -> ") && told.ends_with("\nat copy"), "{told}");
}

/// One side renames the ledger, the other goes on with the old name; the merge has the new one.
pub fn renamed_on_one_side<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    let base = story.commit("base", &[(OTHER, Some("1\n2\n")), ("code", Some("a"))]);
    S::rename(lab, OTHER, LEDGER);
    let renamed = story.commit("rename", &[]);
    S::go(lab, &base);
    let other = story.commit("other", &[(OTHER, Some("1\n2\nother\n"))]);
    S::join(lab, &renamed, &other);
    let _ = std::fs::remove_file(lab.path(&format!("a/{OTHER}")));
    let merge = story.ledger("merge", "1\n2\nother\n");
    let expected = [
        "merge: 1 2 (base) + 1 2 other (other) -> 1 2 other",
        "other [.beads/issues.jsonl]: 1 2 (base) -> 1 2 other",
        "base [.beads/issues.jsonl]:  -> 1 2",
        "at merge",
    ];
    assert_eq!(story.history(&merge), lines(&expected));
}

pub fn removed_and_back<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    story.commit("first", &[(LEDGER, Some("1\n")), ("code", Some("a"))]);
    story.commit("gone", &[(LEDGER, None)]);
    let without = story.commit("code", &[("code", Some("b"))]);
    let tip = story.ledger("back", "1\n");
    let gone = ["gone: 1 (first) -> -", "first:  -> 1"];
    assert_eq!(story.history(&tip), lines(&["back: - (gone) -> 1", gone[0], gone[1], "at back"]));
    assert_eq!(story.history(&without), lines(&[gone[0], gone[1], "at gone"]));
    story.agrees(&[LEDGER]);
}

pub fn from_two_commits<S: Scribe>(lab: &Lab) {
    let (story, [left, right]) = fork::<S>(lab, "1\nleft\n", "1\nright\n");
    let base = story.id("base");
    let of = |from: &[&str]| history_of(lab, LEDGER, from);
    assert_eq!(of(&[&left, &right]), lines(&[SIDES[0], SIDES[1], SIDES[2], "at left, right"]));
    assert_eq!(of(&[&right, &base]), lines(&[SIDES[0], SIDES[2], "at right, base"]));
    assert_eq!(of(&[]), "at ");
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = open(&*vcs, &env);
    assert_eq!(archive.tips().unwrap(), [right]);
    S::go(lab, &left);
    assert_eq!(open(&*vcs, &env).tips().unwrap(), [left]);
}

pub fn times_and_people<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    story.ledger("first", "1\n");
    let tip = story.ledger("second\n\nand more of it", "2\n");
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = open(&*vcs, &env);
    let nodes = archive.ancestors(&[tip]).unwrap();
    let found: Vec<vcs::Commit> = nodes.iter().map(|node| archive.commit(&node.id).unwrap()).collect();
    assert_eq!(found.iter().map(vcs::Node::from).collect::<Vec<_>>(), nodes);
    for commit in &found {
        let seconds = |time: Instant| time.nanos() / SECOND;
        let (authored, committed) = (seconds(commit.authored), seconds(commit.committed));
        let told = format!("{}|{}|{authored}|{committed}|{}", commit.author, commit.email, commit.summary);
        assert_eq!(told, S::told(lab, &commit.id));
        assert!(!commit.is_cut);
    }
    let of =
        |number: usize| (found[number].author.as_str(), found[number].email.as_str(), found[number].summary.as_str());
    assert_eq!((of(0), of(1)), (("Bob", "bob@example.org", "second"), ("Ann", "ann@example.org", "first")));
    let at = |seconds: i64| Instant::from_nanos(seconds * SECOND);
    assert_eq!([&found[0], &found[1]].map(|commit| commit.committed), [at(START + 3600), at(START)]);
    assert_eq!((found[0].parents.clone(), found[1].parents.len()), (vec![found[1].id.clone()], 0));
}

pub fn revisions<S: Scribe>(lab: &Lab) {
    let mut story = Story::<S>::new(lab);
    let first = story.ledger("first", "1\n");
    let second = story.ledger("second", "2\n");
    S::mark(lab, &first);
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = open(&*vcs, &env);
    let mut resolve = |revision: &str| match archive.resolve(revision) {
        Err(vcs::SyncError::Several { .. }) => None,
        found => found.unwrap().map(|commit| commit.id),
    };
    let parent = S::PARENT.replace('x', &second);
    for name in S::NAMES.iter().copied().chain([first.as_str(), &first[..12], &parent]) {
        assert_eq!(resolve(name).as_ref(), Some(&first), "{name}");
    }
    let odd = ["nosuch", "", "0123456789012345678901234567890123456789", "--config=x", "-x", "a b c", "((", "'"];
    for name in S::NOT_ONE.iter().copied().chain(odd) {
        assert_eq!(resolve(name), None, "{name}");
    }
    let commit = archive.resolve(&second).unwrap().expect("a commit");
    assert_eq!((commit.summary.as_str(), commit.parents), ("second", vec![first]));
}

pub fn moments_and_common_commits<S: Scribe>(lab: &Lab) {
    let (mut story, [left, right]) = fork::<S>(lab, "1\nleft\n", "1\nright\n");
    let merge = join(&mut story, "merge", &[right.clone(), left.clone()], "1\nleft\nright\n");
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = open(&*vcs, &env);
    let mut at = |seconds: i64| {
        let moment = Instant::from_nanos((START + seconds) * SECOND);
        as_of(&mut *archive, &merge, moment).unwrap().map_or("-".to_owned(), |commit| commit.summary)
    };
    // `left` is an hour after `base`, but on the other branch.
    let found = [-1, 0, 3600, 7199, 7200, 10_799, 10_800, 1 << 30].map(&mut at);
    assert_eq!(found, ["-", "base", "base", "base", "right", "right", "merge", "merge"]);
    let mut common =
        |one: &str, other: &str| merge_base(&mut *archive, one, other).unwrap().map(|commit| commit.summary);
    assert_eq!(common(&left, &right).as_deref(), Some("base"));
    assert_eq!((common(&left, &merge).as_deref(), common(&merge, &left).as_deref()), (Some("left"), Some("left")));
    assert_eq!(common(&merge, &merge).as_deref(), Some("merge"));
}

/// Every file of the repository and of the working copy, with its bytes and the time of its last change.
fn everything<S: Scribe>(lab: &Lab) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let (mut found, mut open) = (BTreeMap::new(), vec![lab.path("a")]);
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).expect("a directory").flatten() {
            let (path, about) = (entry.path(), entry.metadata().expect("a file"));
            if about.is_dir() {
                open.push(path);
            } else if !S::is_cache(path.strip_prefix(lab.path("a")).expect("inside")) {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.insert(path, (bytes, about.modified().expect("a time")));
            }
        }
    }
    found
}

pub fn nothing_is_changed<S: Scribe>(lab: &Lab) {
    let (mut story, sides) = fork::<S>(lab, "1\nleft\n", "1\nright\n");
    let merge = join(&mut story, "merge", &sides, "1\nleft\nright\n");
    S::mark(lab, &merge);
    let state = S::state(lab);
    lab.write(&format!("a/{LEDGER}"), "not committed\n");
    lab.write("a/new", "not committed\n");
    let before = everything::<S>(lab);
    {
        let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
        let mut archive = open(&*vcs, &env);
        let tips = archive.tips().unwrap();
        assert_eq!(tips, [merge]);
        assert!(history(&mut *archive, LEDGER, &tips).ends_with("at merge"));
        S::NAMES.iter().for_each(|name| assert!(archive.resolve(name).unwrap().is_some(), "{name}"));
        assert!(archive.version(Path::new(LEDGER), &sides[0]).unwrap().is_some());
        assert_eq!(archive.version(Path::new("new"), &tips[0]).unwrap(), None);
        assert_eq!(archive.resolve("nosuch").unwrap(), None);
    }
    let after = everything::<S>(lab);
    let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&after), names(&before));
    for (path, contents) in &before {
        assert!(after[path] == *contents, "{} was written", path.display());
    }
    lab.sh(&format!("rm a/new; printf '1\\nleft\\nright\\n' > a/{LEDGER}"));
    assert_eq!(S::state(lab), state);
}

pub fn no_commits<S: Scribe>(lab: &Lab) {
    empty::<S>(lab);
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = open(&*vcs, &env);
    let tips = archive.tips().unwrap();
    assert_eq!(history(&mut *archive, LEDGER, &tips).replace("at -", "at "), "at ");
    assert_eq!(archive.resolve("nosuch").unwrap(), None);
}

/// Names in which some character means something to a program or a language.
pub fn odd_names<S: Scribe>(lab: &Lab) {
    let names = [
        "it's {node}.jsonl",
        "a b/\"x\".jsonl",
        "*.jsonl",
        "set:all().jsonl",
        "-r.jsonl",
        "ünï\\x.jsonl",
        "100%.jsonl",
    ];
    let mut story = Story::<S>::new(lab);
    let files: Vec<(&str, Option<&str>)> = names.iter().map(|name| (*name, Some("1\n"))).collect();
    story.commit("first", &files);
    let files: Vec<(&str, Option<&str>)> = names.iter().map(|name| (*name, Some("1\n2\n"))).collect();
    let tip = story.commit("second", &files);
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let mut archive = open(&*vcs, &env);
    for name in names {
        let told = history(&mut *archive, name, std::slice::from_ref(&tip));
        assert_eq!(told, lines(&["second: 1 (first) -> 1 2", "first:  -> 1", "at second"]), "{name}");
    }
    assert_eq!(archive.version(Path::new("?.jsonl"), &tip).unwrap(), None);
    assert_eq!(archive.version(Path::new("a b"), &tip).unwrap(), None);
}
