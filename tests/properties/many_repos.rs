//! Proves that a store over several repos that lives through any sequence of edits answers as one that was opened just now:
//! edits by hand and by `bd` of any of the files, issues that move between them, repos that vanish and come back, that join
//! and leave; with and without an image of the cache.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use beads::internal::model::change::{Change, NewIssue};
use beads::internal::store::Store;
use beads::internal::sys::Env;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use proptest::test_runner::{Config, TestCaseError};

use super::cases;
use super::hydrate::{self, Text, difference, unknown};
use crate::library::several::{Several, additional};

const REPOS: usize = 3;
const NONE: Vec<String> = Vec::new();

#[derive(Debug, Clone)]
enum Step {
    /// By hand, in one file.
    Edit(usize, hydrate::Step, bool),
    /// By hand, a line from one file to another.
    Carry(usize, Index, usize, Index, bool),
    /// Through `bd`.
    Label(Index),
    Create(usize),
    Move(Index, usize),
    /// The directory of a repo goes away or comes back.
    Vanish(usize),
    /// The settings list these repos, in this order.
    Join(Vec<usize>),
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<Index>;
    let orders = subsequence(vec![1, 2], 0..=2).prop_shuffle();
    prop_oneof![
        8 => (0..REPOS, hydrate::step(), any::<bool>()).prop_map(|(repo, step, rename)| Step::Edit(repo, step, rename)),
        3 => (0..REPOS, at(), 0..REPOS, at(), any::<bool>())
            .prop_map(|(from, n, to, place, copy)| Step::Carry(from, n, to, place, copy)),
        2 => at().prop_map(Step::Label),
        1 => (0..REPOS).prop_map(Step::Create),
        3 => (at(), 0..REPOS).prop_map(|(n, to)| Step::Move(n, to)),
        3 => select(vec![1, 2]).prop_map(Step::Vanish),
        3 => orders.prop_map(Step::Join),
    ]
}

struct Project {
    several: Several,
    away: [bool; REPOS],
}

impl Project {
    fn new(first: &[Vec<String>; REPOS], filler: usize) -> Self {
        let several = Several::new(REPOS - 1);
        let project = Project { several, away: [false; REPOS] };
        for (repo, lines) in first.iter().enumerate() {
            let filler =
                (0..filler).map(|n| format!("{{\"id\":\"f{repo}-{n:03}\",\"title\":\"Fix\",\"status\":\"open\"}}"));
            let lines: Vec<String> = lines.iter().cloned().chain(filler).collect();
            project.several.write(repo, lines.join("\n") + "\n");
            project.make_old(repo);
        }
        project.join(&[1, 2]);
        project
    }

    fn join(&self, repos: &[usize]) {
        self.several.configure_user(&additional(&self.several.joined(repos.iter().copied())));
    }

    /// Where a repo is when it is away.
    fn elsewhere(&self, repo: usize) -> PathBuf {
        self.several.path().join(format!("away{repo}"))
    }

    /// An old file is not waited for: what it lacks at its end will not come any more.
    fn make_old(&self, repo: usize) {
        let old = SystemTime::now() - Duration::from_secs(3600);
        let file = File::options().write(true).open(self.several.ledger(repo)).expect("a ledger");
        file.set_modified(old).expect("an old time");
    }

    fn text(&self, repo: usize) -> Text {
        Text::of(&fs::read(self.several.ledger(repo)).expect("a ledger"))
    }

    fn put(&self, repo: usize, bytes: Vec<u8>, by_rename: bool) {
        if by_rename {
            self.several.swap_in(repo, bytes)
        } else {
            self.several.write(repo, bytes)
        }
        self.make_old(repo);
    }

    fn env(&self, image: bool) -> Env {
        let cache = self.several.path().join("cache");
        let env = self.several.env();
        if image { env.with("BD_NO_IMAGE", "").with("XDG_CACHE_HOME", cache) } else { env }
    }

    fn open(&self, image: bool) -> Store {
        Store::open_with(self.several.config(self.env(image))).expect("a store")
    }

    /// Does a step. For an edit of one file by hand: which one, and what it was before.
    fn act(&mut self, step: &Step) -> Option<(usize, Vec<u8>)> {
        let here = |project: &Project, repo: usize| !project.away[repo];
        match step {
            Step::Edit(repo, edit, by_rename) if here(self, *repo) => {
                let before = fs::read(self.several.ledger(*repo)).expect("a ledger");
                let mut text = Text::of(&before);
                text.apply(edit);
                self.put(*repo, text.bytes(), *by_rename);
                return Some((*repo, before));
            }
            Step::Carry(from, n, to, place, copy) if here(self, *from) && here(self, *to) && from != to => {
                let (mut source, mut target) = (self.text(*from), self.text(*to));
                let line = n.get(&source.lines).clone();
                let at = place.index(target.lines.len());
                target.lines.insert(at, line);
                self.put(*to, target.bytes(), true);
                if !copy && source.lines.len() > 1 {
                    source.lines.remove(n.index(source.lines.len()));
                    self.put(*from, source.bytes(), false);
                }
            }
            Step::Label(index) => {
                let (mut store, ids) = self.known();
                if !ids.is_empty() {
                    // Damage may cause a refusal; that does not matter here.
                    let _ = store.update(&index.get(&ids).0, vec![Change::AddLabel("by-bd".into())]);
                }
            }
            Step::Create(repo) => {
                let mut store = self.open(false);
                if store.find_repo(&self.several.name(*repo)).is_some() {
                    let _ = store.create_in(&self.several.name(*repo), NewIssue::titled("Fix it by bd"));
                }
            }
            Step::Move(index, to) => {
                let (mut store, ids) = self.known();
                // A file that is emptied is waited for: one line stays.
                let lines = |repo: usize| self.text(repo).lines.len();
                let number = |name: &str| (0..REPOS).find(|n| self.several.name(*n) == name).unwrap_or(0);
                if let Some(to) = store.find_repo(&self.several.name(*to)).filter(|_| !ids.is_empty()) {
                    let (id, from) = index.get(&ids);
                    if lines(number(store.name(*from))) > 1 {
                        let _ = store.relocate(&[(id.clone(), *from)], to, false);
                    }
                }
            }
            Step::Vanish(repo) => {
                let (here, there) = (self.several.root(*repo), self.elsewhere(*repo));
                let (from, to) = if self.away[*repo] { (there, here) } else { (here, there) };
                fs::rename(from, to).expect("a directory moves");
                self.away[*repo] = !self.away[*repo];
            }
            Step::Join(repos) => self.join(repos),
            _ => {}
        }
        None
    }

    /// A store of another process, and what it shows: ids with their repos.
    fn known(&self) -> (Store, Vec<(String, usize)>) {
        let store = self.open(false);
        let page = store
            .list_copies(&beads::internal::model::query::Expr::ALL, beads::internal::cache::Sort::default(), None)
            .expect("a list");
        let ids = page.rows.into_iter().map(|row| (row.issue.id, row.repo)).collect();
        (store, ids)
    }
}

fn lives_through(mut project: Project, steps: Vec<Step>, image: bool) -> Result<(), TestCaseError> {
    let mut store = project.open(image);
    prop_assert_eq!(difference(&store, &project.open(image)), NONE);
    for step in steps {
        let edited = project.act(&step);
        let refresh = store.refresh().expect("a refresh");
        if let Some((repo, before)) = edited {
            let name = project.several.name(repo);
            let is_joined = store.find_repo(&name).is_some();
            let after = fs::read(project.several.ledger(repo)).expect("a ledger");
            let new = if is_joined { unknown(&before, &after) } else { 0 };
            // Without an image, an index in memory follows; the first change under an image parses everything.
            prop_assert!(image || refresh.parsed == new, "{} lines after {:?}", refresh.parsed, step);
        }
        prop_assert_eq!(difference(&store, &project.open(image)), NONE, "after {:?}", step);
        if image {
            prop_assert_eq!(difference(&store, &project.open(false)), NONE, "without an image, after {:?}", step);
        }
    }
    Ok(())
}

fn first() -> impl Strategy<Value = [Vec<String>; REPOS]> {
    let lines = || vec(hydrate::line(), 1..5);
    (lines(), lines(), lines()).prop_map(|(a, b, c)| [a, b, c])
}

/// The same with no id on two lines of a ledger: such a ledger gets no image.
fn first_of_images() -> impl Strategy<Value = [Vec<String>; REPOS]> {
    first().prop_map(|mut repos| {
        for lines in &mut repos {
            let mut seen = HashSet::new();
            lines.retain(|line| seen.insert(line.split('"').nth(3).map(str::to_owned)));
        }
        repos
    })
}

proptest! {
    #![proptest_config(Config { max_shrink_iters: 300, ..cases(24, 31) })]

    #[test]
    fn a_long_life_over_several_repos_and_a_fresh_start_agree(first in first(), steps in vec(step(), 20)) {
        lives_through(Project::new(&first, 0), steps, false)?;
    }
}

proptest! {
    #![proptest_config(Config { max_shrink_iters: 60, ..cases(4, 32) })]

    #[test]
    fn an_image_of_several_repos_changes_no_answer(first in first_of_images(), steps in vec(step(), 12)) {
        let project = Project::new(&first, 110);
        let cache = project.several.path().join("cache/beads");
        project.open(true).refresh().expect("a refresh");
        prop_assert!(fs::read_dir(cache).is_ok_and(|mut files| files.next().is_some()), "there is an image");
        lives_through(project, steps, true)?;
    }
}
