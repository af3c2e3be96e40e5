//! Proves that an image of the cache never changes an answer and never a ledger, whatever becomes of its files and of the
//! ledger: cut off, torn, mixed up with those of another time or another project, planted, edited within a tick of the clock,
//! put back to an old time, replaced by one of equal size and time.

use std::fs::{self, File};
use std::num::NonZero;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use beads::internal::model::change::{Change, NewIssue};
use beads::internal::store::{ReadyFilter, Store};
use beads::internal::sys::Env;

use super::hydrate::difference;
use crate::library::several::{Several, additional};
use crate::support::dice::Dice;
use crate::support::effort::pick;

/// So many lines in each of two ledgers are worth an image.
const LINES: usize = 155;

struct Project {
    several: Several,
    cache: PathBuf,
    /// Files of the image as they were at some time.
    kept: Vec<Vec<(PathBuf, Vec<u8>)>>,
}

fn line(n: usize, dice: &mut Dice) -> String {
    let status = *dice.pick(&["open", "open", "closed", "in_progress"]).expect("a status");
    let kind = *dice.pick(&["task", "bug", "epic"]).expect("a type");
    let edge = match dice.below(4) {
        0 => format!(",\"dependencies\":[{{\"depends_on_id\":\"a-{:03}\",\"type\":\"blocks\"}}]", dice.below(LINES)),
        1 => format!(
            ",\"dependencies\":[{{\"depends_on_id\":\"a-{:03}\",\"type\":\"parent-child\"}}]",
            dice.below(n + 1)
        ),
        _ => String::new(),
    };
    let later = *dice.pick(&["", "", "2020-01-01", "2099-01-01"]).expect("a date");
    let later = if later.is_empty() { String::new() } else { format!(",\"defer_until\":\"{later}\"") };
    format!(
        "{{\"id\":\"a-{n:03}\",\"title\":\"Fix {}\",\"status\":\"{status}\",\"priority\":{},\"issue_type\":\"{kind}\"{later}{edge}}}",
        dice.below(1000),
        dice.below(5)
    )
}

impl Project {
    fn new(dice: &mut Dice) -> Self {
        let several = Several::new(1);
        several.configure_user(&additional(&several.joined([1])));
        let cache = several.path().join("cache");
        let project = Project { several, cache, kept: Vec::new() };
        for repo in [0, 1] {
            let lines: Vec<String> = (0..LINES).map(|n| line(n, dice).replace("a-", ["a-", "b-"][repo])).collect();
            project.several.write(repo, lines.join("\n") + "\n");
        }
        project
    }

    fn env(&self, image: bool) -> Env {
        let env = self.several.env();
        if image { env.with("BD_NO_IMAGE", "").with("XDG_CACHE_HOME", self.cache.clone()) } else { env }
    }

    /// A store as a command opens it.
    fn open(&self, image: bool) -> Store {
        Store::open_with(self.several.config(self.env(image))).expect("a store")
    }

    /// The ready issues, as a command asks for them.
    fn first_ready(&self, image: bool, most: usize) -> (Vec<String>, usize) {
        let filter = ReadyFilter { limit: Some(most), ..ReadyFilter::default() };
        let page = self.open(image).ready(&filter).expect("what is ready");
        (page.rows.iter().map(|row| format!("{} {:?} {}", row.line_number, row.counts, row.line)).collect(), page.total)
    }

    fn images(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> =
            fs::read_dir(self.cache.join("beads")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        found.sort();
        found
    }

    fn make_old(&self, repo: usize, by: u64) {
        let file = File::options().write(true).open(self.several.ledger(repo)).expect("a ledger");
        file.set_modified(SystemTime::now() - Duration::from_secs(by)).expect("another time");
    }

    /// Writes a ledger that differs in one title and in nothing that `ls` shows.
    fn edit_alike(&self, dice: &mut Dice, by_rename: bool) {
        let repo = dice.below(2);
        let path = self.several.ledger(repo);
        let known = fs::metadata(&path).expect("a ledger").modified().expect("a time");
        let text = self.several.read(repo);
        let from = text.find("Fix").expect("a title") + dice.below(text.len() / 2);
        let Some(at) = text[from..].find("\"priority\":").map(|at| from + at + "\"priority\":".len()) else { return };
        let mut bytes = text.into_bytes();
        bytes[at] = b'0' + (bytes[at] - b'0' + 1) % 5;
        if by_rename {
            self.several.swap_in(repo, &bytes)
        } else {
            self.several.write(repo, &bytes)
        }
        File::options().write(true).open(&path).expect("a ledger").set_modified(known).expect("its time");
    }

    /// Something happens; tells what.
    fn happen(&mut self, dice: &mut Dice) -> String {
        let images = self.images();
        let one = dice.pick(&images).cloned();
        let change = |path: &Path, change: &dyn Fn(&mut Vec<u8>)| {
            // A label may have gone before.
            let Ok(mut bytes) = fs::read(path) else { return };
            change(&mut bytes);
            // As another program would: a new file, with the rights of ours.
            fs::remove_file(path).expect("a file");
            fs::write(path, bytes).expect("a file");
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
        };
        match (dice.below(16), one) {
            (0, Some(path)) => {
                let length = dice.below(1 << 20);
                change(&path, &|bytes| bytes.truncate(length % (bytes.len() + 1)));
                format!("{} is cut off", path.display())
            }
            (1, Some(path)) => {
                // A part of it never reached the disk.
                let from = dice.below(1 << 20);
                change(&path, &|bytes| {
                    let from = from % (bytes.len() + 1);
                    let until = bytes.len().min(from + 4096);
                    bytes[from..until].fill(0);
                });
                format!("{} is torn", path.display())
            }
            (2, Some(path)) => {
                let file = path.with_extension(*dice.pick(&["image", "label", "texts"]).expect("a file"));
                let at = dice.below(1 << 20);
                if let Ok(mut bytes) = fs::read(&file) {
                    let known = fs::metadata(&file).expect("a file").modified().expect("a time");
                    let at = at % bytes.len().max(1);
                    bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x10);
                    fs::write(&file, bytes).expect("a file");
                    File::options().write(true).open(&file).expect("a file").set_modified(known).expect("its time");
                }
                format!("a bit of {} flips", file.display())
            }
            (3, Some(path)) => {
                fs::remove_file(&path).expect("a file");
                format!("{} goes", path.display())
            }
            (4, Some(_)) => {
                self.kept.push(images.iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect());
                "the image is put by".to_owned()
            }
            (5, Some(_)) if !self.kept.is_empty() => {
                // All of it, or one of its files.
                let files = dice.pick(&self.kept).expect("files").clone();
                let alone = if dice.chance(2) { Some(dice.below(files.len())) } else { None };
                for (n, (path, bytes)) in files.iter().enumerate() {
                    if alone.is_none_or(|alone| alone == n) {
                        change(path, &|now| *now = bytes.clone());
                    }
                }
                "an earlier image comes back".to_owned()
            }
            (6, Some(path)) => {
                let mode = *dice.pick(&[0o666, 0o622, 0o660]).expect("a mode");
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("rights");
                "others may write it".to_owned()
            }
            (7, Some(path)) => {
                let other = images.iter().find(|other| **other != path).cloned().unwrap_or(path.clone());
                let (a, b) = (fs::read(&path).expect("a file"), fs::read(&other).expect("a file"));
                change(&path, &|bytes| *bytes = b.clone());
                change(&other, &|bytes| *bytes = a.clone());
                "two files are mixed up".to_owned()
            }
            (8, _) => {
                self.edit_alike(dice, false);
                "an edit in place that nothing shows".to_owned()
            }
            (9, _) => {
                self.edit_alike(dice, true);
                "another file of the same size and time".to_owned()
            }
            (10, _) => {
                self.make_old(dice.below(2), 3600 * (1 + dice.below(50) as u64));
                "a touch to an old time".to_owned()
            }
            (11 | 12, _) => {
                let id = format!("{}-{:03}", ["a", "b"][dice.below(2)], dice.below(LINES));
                let changes = match dice.below(3) {
                    0 => vec![Change::Title(format!("Fix {}", dice.below(100_000)))],
                    1 => vec![Change::AddLabel("x".repeat(dice.below(9) + 1))],
                    _ => vec![Change::Close { reason: None }],
                };
                let _ = self.open(true).update(&id, changes);
                format!("bd changes {id}")
            }
            (13, _) => {
                let repo = self.several.name(dice.below(2));
                let title = format!("Fix {}", dice.below(100_000));
                let _ = self.open(true).create_in(&repo, NewIssue::titled(&title));
                format!("bd files an issue in {repo}")
            }
            (14, _) => {
                let repo = dice.below(2);
                let mut lines: Vec<String> = self.several.read(repo).lines().map(str::to_owned).collect();
                let at = dice.below(lines.len());
                if dice.chance(3) {
                    lines.truncate(at.max(LINES))
                } else {
                    lines.remove(at);
                }
                self.several.swap_in(repo, lines.join("\n") + "\n");
                "lines go by another program".to_owned()
            }
            _ => {
                // Two programs find no image.
                for path in &images {
                    let _ = fs::remove_file(path);
                }
                std::thread::scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(|| self.open(true).refresh().map(drop).expect("a refresh"));
                    }
                });
                "two images are made at once".to_owned()
            }
        }
    }
}

#[test]
fn an_image_changes_no_answer_whatever_becomes_of_it() {
    let rounds = pick(1, 2, 500);
    let next = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let round = next.fetch_add(1, Ordering::Relaxed);
                    if round >= rounds {
                        break;
                    }
                    play(round);
                }
            });
        }
    });
}

fn play(round: u64) {
    let mut dice = Dice::new(0x1a6e + round);
    let mut project = Project::new(&mut dice);
    project.open(true).refresh().expect("a refresh");
    assert!(!project.images().is_empty(), "there is an image");
    for step in 0..20 {
        let mut told = Vec::new();
        for _ in 0..=dice.below(2) {
            told.push(project.happen(&mut dice));
        }
        let ledgers = || {
            [0, 1].map(|repo| (project.several.read(repo), fs::metadata(project.several.ledger(repo)).unwrap().ino()))
        };
        let before = ledgers();
        // The first may make the image, the second may ask it.
        let most = dice.below(60);
        for reader in ["first", "second"] {
            let ready = [true, false].map(|image| project.first_ready(image, most));
            assert_eq!(ready[0], ready[1], "round {round}, step {step}, the {reader} reader after {told:?}");
            let found = difference(&project.open(true), &project.open(false));
            assert!(found.is_empty(), "round {round}, step {step}, the {reader} reader after {told:?}: {found:#?}");
        }
        assert_eq!(ledgers(), before, "nobody wrote a ledger");
    }
}
