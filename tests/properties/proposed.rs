//! A proposed issue that is edited on both sides, in any order and with reconciling in between: in the end both copies
//! are equal, and everything that someone wrote is in a field or a comment, unless someone who saw it wrote something
//! else.

use std::collections::BTreeSet;

use beads::internal::model::change::Change;
use beads::internal::model::field::Field;
use beads::internal::store::{Config, ProposeRequest, Store};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config as RunnerConfig;
use serde_json::Value;

use super::cases;
use crate::library::several::{Several, additional};

const ID: &str = "t-plan";
const TEXTS: [&str; 4] = ["title", "description", "design", "acceptance_criteria"];
const PLANNING: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Who {
    /// The contributor where the project's line is at hand.
    Contributor,
    /// The contributor where it is not: on another branch, or in the planning repo.
    Apart,
    Maintainer,
}

#[derive(Debug, Clone)]
enum Step {
    Text(Who, &'static str),
    Label(Who),
    Unlabel(Who),
    Reconcile,
}

fn step() -> impl Strategy<Value = Step> {
    let who = || select(vec![Who::Contributor, Who::Apart, Who::Apart, Who::Maintainer, Who::Maintainer]);
    prop_oneof![
        8 => (who(), select(&TEXTS[..])).prop_map(|(who, key)| Step::Text(who, key)),
        2 => who().prop_map(Step::Label),
        1 => who().prop_map(Step::Unlabel),
        2 => Just(Step::Reconcile),
    ]
}

struct Sides {
    several: Several,
}

impl Sides {
    fn new() -> Self {
        let several = Several::new(1);
        several.configure_user(&format!(
            "{}[routing]\nmode = \"auto\"\nrole = \"contributor\"\n[routing.auto]\ncontributor = \"../r1\"\n[commit]\nplanning = false\n",
            additional(&several.joined([PLANNING])),
        ));
        let line = |id: &str, more: &str| {
            format!(
                "{{\"id\":\"{id}\",\"title\":\"v0\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\"{more}}}\n"
            )
        };
        several.write(0, line("t-base", ""));
        several.write(PLANNING, line(ID, ",\"labels\":[\"first\"],\"visibility\":\"local\""));
        let sides = Sides { several };
        let request = ProposeRequest { ids: vec![ID.to_owned()], ..ProposeRequest::default() };
        let done = sides.open(Who::Contributor).propose(&request).expect("a proposal");
        done[0].1.as_ref().expect("it is proposed");
        sides
    }

    fn open(&self, who: Who) -> Store {
        let env = self.several.env();
        let alone = || env.clone().with("BD_MODE", "single").with("BD_ROLE", "maintainer");
        let config = match who {
            Who::Contributor => self.several.config(env.clone()),
            Who::Maintainer => self.several.config(alone()),
            Who::Apart => Config { path: self.several.root(PLANNING), ..self.several.config(alone()) },
        };
        Store::open_with(config).expect("a store")
    }

    fn copy(&self, repo: usize) -> Value {
        let text = self.several.read(repo);
        let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{ID}\""))).expect("a copy");
        serde_json::from_str(line).expect("a record")
    }

    /// The copies that someone's edit reaches, and that they know.
    fn seen(&self, who: Who) -> Vec<Value> {
        match who {
            Who::Contributor => vec![self.copy(0), self.copy(PLANNING)],
            Who::Apart => vec![self.copy(PLANNING)],
            Who::Maintainer => vec![self.copy(0)],
        }
    }
}

fn change(key: &str, text: &str) -> Change {
    let text = text.to_owned();
    match key {
        "title" => Change::Title(text),
        "description" => Change::Text(Field::Description, text),
        "design" => Change::Text(Field::Design, text),
        _ => Change::Text(Field::AcceptanceCriteria, text),
    }
}

fn labels(copy: &Value) -> BTreeSet<String> {
    copy["labels"].as_array().into_iter().flatten().map(|label| label.as_str().unwrap().to_owned()).collect()
}

proptest! {
    #![proptest_config(RunnerConfig { max_shrink_iters: 200, ..cases(160, 77) })]

    #[test]
    fn no_edit_of_a_proposed_issue_is_lost(steps in vec(step(), 1..14)) {
        let sides = Sides::new();
        // Where each text was written, unless someone who saw it replaced it.
        let mut written: BTreeSet<(&str, String)> = BTreeSet::new();
        let mut added: BTreeSet<String> = BTreeSet::new();
        let mut removed: BTreeSet<String> = BTreeSet::new();
        for (n, step) in steps.iter().enumerate() {
            match step {
                Step::Text(who, key) => {
                    for copy in sides.seen(*who) {
                        let known = copy[*key].as_str().unwrap_or_default().to_owned();
                        written.remove(&(*key, known));
                    }
                    let value = format!("v{}", n + 1);
                    sides.open(*who).update(ID, vec![change(key, &value)]).expect("an edit");
                    written.insert((*key, value));
                }
                Step::Label(who) => {
                    let label = format!("l{n}");
                    sides.open(*who).update(ID, vec![Change::AddLabel(label.clone())]).expect("an edit");
                    added.insert(label);
                }
                Step::Unlabel(who) => {
                    let Some(label) = sides.seen(*who).iter().flat_map(labels).next() else { continue };
                    sides.open(*who).update(ID, vec![Change::RemoveLabel(label.clone())]).expect("an edit");
                    removed.insert(label);
                }
                Step::Reconcile => drop(sides.open(Who::Contributor).reconcile(false).expect("reconciled")),
            }
        }
        sides.open(Who::Contributor).reconcile(false).expect("reconciled");
        let (theirs, ours) = (sides.copy(0), sides.copy(PLANNING));
        for key in TEXTS.iter().chain(&["labels", "priority", "status", "issue_type"]) {
            prop_assert_eq!(&ours[*key], &theirs[*key], "{} of {} and {}", key, ours, theirs);
        }
        let said: Vec<&str> =
            ours["comments"].as_array().into_iter().flatten().filter_map(|comment| comment["text"].as_str()).collect();
        for (key, value) in &written {
            let told = format!("{key} of the other version: {value}");
            prop_assert!(theirs[*key] == value.as_str() || said.contains(&told.as_str()), "{} {} in {}", key, value, ours);
        }
        let expected: BTreeSet<String> = added.difference(&removed).cloned().collect();
        prop_assert!(labels(&theirs).is_superset(&expected), "{:?} in {}", expected, theirs);
        prop_assert!(labels(&theirs).is_disjoint(&removed), "{:?} in {}", removed, theirs);
        let settled = (sides.several.read(0), sides.several.read(PLANNING));
        prop_assert_eq!(sides.open(Who::Contributor).reconcile(false).expect("reconciled").len(), 0);
        prop_assert_eq!((sides.several.read(0), sides.several.read(PLANNING)), settled);
    }
}
