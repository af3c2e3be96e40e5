//! A random story of several clones, and what must hold at its end.
//!
//! The edits go through the library, so that a story takes seconds; the exchange is the binary's. Acknowledged changes
//! are recorded here, apart from any ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use beads::internal::model::change::{Change, NewComment, NewIssue};
use beads::internal::model::dependency::DependencyType;
use beads::internal::model::field::Field;
use beads::internal::model::issue::{Priority, Status};
use beads::internal::store::Store;
use serde_json::Value;

use crate::support::dice::Dice;
use crate::sync::person;
use crate::sync::world::{Desk, Way, World, by_id};

/// Acknowledged changes, in order.
#[derive(Default)]
pub struct Promises {
    moment: usize,
    created: Vec<String>,
    /// When each issue was last edited, and when it was last deleted, in whatever clone.
    edited: BTreeMap<String, usize>,
    deleted: BTreeMap<String, usize>,
    comments: Vec<(String, String)>,
    notes: Vec<(String, String)>,
    labels: BTreeSet<(String, String)>,
    /// The title that each issue got last, in whatever clone.
    titles: BTreeMap<String, String>,
}

#[derive(Default)]
pub struct Tally {
    pub operations: usize,
    pub refused: usize,
    pub syncs: usize,
    pub merges: usize,
    pub by_hand: usize,
    pub issues: usize,
    pub tombstones: usize,
}

impl Tally {
    fn count(&mut self, report: &Value) {
        self.syncs += 1;
        self.merges += usize::from(report["integrated"] == "merged" || report["integrated"] == "rebased");
    }

    pub fn add(&mut self, other: &Tally) {
        self.operations += other.operations;
        self.refused += other.refused;
        self.syncs += other.syncs;
        self.merges += other.merges;
        self.by_hand += other.by_hand;
        self.issues += other.issues;
        self.tombstones += other.tombstones;
    }
}

struct Clone {
    desk: Desk,
    store: Store,
    /// Turns to go without the others.
    offline: usize,
    counter: usize,
}

/// Tells one story, and fails with its seed.
pub fn tell(seed: u64, ways: &[Way], operations: usize) -> Tally {
    let told = catch_unwind(AssertUnwindSafe(|| {
        let world = World::new();
        story(&world, seed, ways, operations)
    }));
    told.unwrap_or_else(|panic| {
        eprintln!("seed {seed} of {ways:?}, {operations} operations for each clone");
        resume_unwind(panic)
    })
}

fn story(world: &World, seed: u64, ways: &[Way], operations: usize) -> Tally {
    let mut random = Dice(seed.wrapping_mul(0x5851_F42D_4C95_7F2D));
    let (mut promises, mut tally) = (Promises::default(), Tally::default());
    let mut clones: Vec<Clone> = Vec::new();
    for (n, desk) in world.clones(ways).into_iter().enumerate() {
        // Some have the merge driver and some do not.
        if n % 2 == 0 && matches!(desk.way, Way::Git | Way::Hg) {
            desk.ok(&["hooks", "install", "--merge-driver-only"]);
        }
        let store = desk.store();
        clones.push(Clone { desk, store, offline: 0, counter: 0 });
    }
    for _ in 0..operations * clones.len() {
        let n = random.below(clones.len());
        tally.operations += 1;
        turn(&mut clones[n], &mut random, &mut promises, &mut tally);
    }
    for _ in 0..2 {
        for clone in &clones {
            tally.count(&clone.desk.sync());
        }
    }
    verdict(&clones, &promises, &mut tally);
    tally
}

fn turn(clone: &mut Clone, random: &mut Dice, promises: &mut Promises, tally: &mut Tally) {
    let dice = random.below(100);
    if clone.offline > 0 {
        clone.offline -= 1;
    } else if dice < 5 {
        tally.count(&clone.desk.sync());
        return;
    } else if dice < 8 {
        tally.by_hand += usize::from(person::acts(&clone.desk, random));
        return;
    } else if dice < 10 {
        clone.offline = 5 + random.below(30);
        return;
    }
    if let Err(error) = edit(clone, random, promises) {
        // An edit may be refused (closed twice, claimed by another); then nothing was promised.
        assert!(!error.contains("damaged") && !error.contains("conflict"), "{}: {error}", clone.desk.name);
        tally.refused += 1;
    }
}

/// Edits one issue that this clone knows, or makes one.
fn edit(clone: &mut Clone, random: &mut Dice, promises: &mut Promises) -> Result<(), String> {
    clone.counter += 1;
    let word = format!("{}w{}", clone.desk.name, clone.counter);
    let known: Vec<(String, Value)> = by_id(&clone.desk.bytes()).into_iter().collect();
    // Most edits meet a few issues, so that clones meet each other there.
    let live: Vec<&(String, Value)> = known.iter().filter(|(_, line)| line["status"] != "tombstone").collect();
    let dice = random.below(100);
    let Some((id, line)) =
        (if random.below(3) == 0 { random.pick(&live) } else { random.pick(&live[..live.len().min(6)]) })
    else {
        return create(clone, promises, &word);
    };
    if dice < 14 {
        return create(clone, promises, &word);
    }
    let comment =
        |text: &str| NewComment { id: random_id(text), author: clone.desk.name.clone(), text: text.to_owned() };
    let mut promise: Box<dyn FnOnce(&mut Promises)> = Box::new(|_| ());
    let owned = id.clone();
    let changes = match dice {
        14..24 => {
            let title = format!("Title {word}");
            promise = Box::new({
                let title = title.clone();
                |promises| {
                    promises.titles.insert(owned, title);
                }
            });
            vec![Change::Title(title)]
        }
        24..32 => vec![Change::Priority(Priority::typed(&random.below(5).to_string()).unwrap())],
        32..40 => vec![Change::Text(Field::Description, paragraphs(line, &word, random))],
        40..44 => vec![Change::Text(Field::Assignee, word.clone())],
        44..50 => vec![Change::Close { reason: Some(format!("done {word}")) }],
        50..54 => vec![Change::Reopen { comment: None }],
        54..59 => vec![Change::Claim { assignee: clone.desk.name.clone() }],
        59..67 => {
            let label = word.clone();
            promise = Box::new(|promises| {
                promises.labels.insert((owned, label));
            });
            vec![Change::AddLabel(word.clone())]
        }
        67..71 => {
            let labels: Vec<&str> = line["labels"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let Some(label) = random.pick(&labels) else { return Ok(()) };
            let gone = (owned, (*label).to_owned());
            promise = Box::new(move |promises| {
                promises.labels.remove(&gone);
            });
            vec![Change::RemoveLabel((*label).to_owned())]
        }
        71..77 => {
            let Some((target, _)) = random.pick(&live) else { return Ok(()) };
            vec![Change::AddDependency { target: target.clone(), kind: DependencyType::blocks() }]
        }
        77..80 => {
            let edges: Vec<&str> = line["dependencies"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|edge| edge["depends_on_id"].as_str())
                .collect();
            let Some(target) = random.pick(&edges) else { return Ok(()) };
            vec![Change::RemoveDependency { target: (*target).to_owned(), kind: None }]
        }
        80..89 => {
            let text = format!("said {word}");
            promise = Box::new({
                let text = text.clone();
                |promises| promises.comments.push((owned, text))
            });
            vec![Change::AddComment(comment(&text))]
        }
        89..95 => {
            let text = word.clone();
            promise = Box::new(|promises| promises.notes.push((owned, text)));
            vec![Change::AppendNotes(word.clone())]
        }
        95..97 => vec![Change::Status(Status::typed("blocked"))],
        _ => {
            clone.store.update(id, vec![Change::Delete { reason: Some(word) }]).map_err(|error| error.to_string())?;
            promises.moment += 1;
            promises.deleted.insert(id.clone(), promises.moment);
            return Ok(());
        }
    };
    clone.store.update(id, changes).map_err(|error| error.to_string())?;
    promise(promises);
    promises.moment += 1;
    promises.edited.insert(id.clone(), promises.moment);
    Ok(())
}

fn create(clone: &mut Clone, promises: &mut Promises, word: &str) -> Result<(), String> {
    let made = clone.store.create(NewIssue::titled(format!("Issue {word}"))).map_err(|error| error.to_string())?;
    promises.created.push(made.id);
    Ok(())
}

fn random_id(text: &str) -> i64 {
    i64::from_be_bytes(blake3::hash(text.as_bytes()).as_bytes()[..8].try_into().unwrap()) & ((1 << 53) - 1)
}

/// A description of a few lines, of which one is new, so that some edits can be merged as text.
fn paragraphs(line: &Value, word: &str, random: &mut Dice) -> String {
    let mut lines: Vec<String> =
        line["description"].as_str().unwrap_or("one\ntwo\nthree").lines().map(str::to_owned).collect();
    lines.truncate(12);
    let at = random.below(lines.len());
    match lines.get_mut(at) {
        Some(line) => *line = word.to_owned(),
        None => lines.push(word.to_owned()),
    }
    lines.join("\n")
}

/// All that must be true when everybody has synced twice.
fn verdict(clones: &[Clone], promises: &Promises, tally: &mut Tally) {
    let bytes = clones[0].desk.bytes();
    for Clone { desk, .. } in clones {
        assert!(desk.bytes() == bytes, "the ledgers of {} and {} differ", clones[0].desk.name, desk.name);
        assert_eq!(desk.dirty(), "", "{} is not clean", desk.name);
    }
    let lines = by_id(&bytes);
    assert!(
        text(&bytes).lines().filter_map(|line| line.split('"').nth(3)).is_sorted(),
        "the ledger is not sorted by id"
    );
    for id in &promises.created {
        assert!(lines.contains_key(id), "{id} was acknowledged and is gone");
    }
    for (id, moment) in &promises.deleted {
        if promises.edited.get(id).is_none_or(|edited| edited < moment) {
            assert_eq!(lines[id]["status"], "tombstone", "{id} was deleted and came back");
            tally.tombstones += 1;
        }
    }
    let lost = |kind: &str, list: &[&(String, String)], has: &dyn Fn(&Value, &str) -> bool| {
        let lost: Vec<_> = list.iter().filter(|(id, text)| !has(&lines[id], text)).collect();
        assert!(lost.is_empty(), "{kind}: {lost:?}");
    };
    let labelled =
        |line: &Value, text: &str| line["labels"].as_array().into_iter().flatten().any(|label| label == text);
    lost("labels acknowledged and lost", &promises.labels.iter().collect::<Vec<_>>(), &labelled);
    lost("comments acknowledged and not there once", &promises.comments.iter().collect::<Vec<_>>(), &|line, text| {
        line["comments"].as_array().into_iter().flatten().filter(|comment| comment["text"] == text).count() == 1
    });
    // Text that both sides wrote into the notes may be there, or in a comment if it did not fit together.
    lost("notes acknowledged and lost", &promises.notes.iter().collect::<Vec<_>>(), &|line, text| {
        let comments = line["comments"].as_array().into_iter().flatten().filter_map(|comment| comment["text"].as_str());
        let texts = comments.chain(line["notes"].as_str());
        texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).any(|word| word == text)
    });
    // The later edit of an issue decides over its title, and that may be an edit of something else. Then the other title is kept.
    let titles: Vec<(String, String)> = promises.titles.clone().into_iter().collect();
    lost("titles acknowledged and lost", &titles.iter().collect::<Vec<_>>(), &|line, text| {
        let comments = line["comments"].as_array().into_iter().flatten().filter_map(|comment| comment["text"].as_str());
        line["title"] == text || comments.into_iter().any(|comment| comment.ends_with(text))
    });
    for Clone { desk, .. } in clones {
        let before = desk.heads();
        let report = desk.sync();
        assert_eq!(
            (&report["committed"], &report["pushed"]),
            (&Value::Bool(false), &Value::Bool(false)),
            "{}",
            desk.name
        );
        assert_eq!(desk.heads(), before, "{}: nothing is left to do, and a commit was made", desk.name);
    }
    tally.issues += lines.len();
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
