//! `bd fleet`: all agents of a project in one view.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::support::checkouts::Family;
use crate::support::dice::Dice;
use crate::support::harness::{BD, Run};
use crate::support::wait::until_some;

/// Two clones of one project on one machine.
struct Two {
    family: Family,
    ids: Vec<String>,
}

impl Two {
    fn new(issues: usize) -> Option<Self> {
        let family = Family::new()?;
        let mut ids = Vec::new();
        for n in 0..issues {
            family.bd(&family.web(), &format!("add Issue{n} --id bd-{n}")).ok();
            ids.push(format!("bd-{n}"));
        }
        family.bd(&family.web(), "close bd-base").ok();
        family.commit(&family.web());
        family.git(&family.path(""), "clone -q web other").ok();
        for setting in ["user.name t", "user.email t@example.org"] {
            family.git(&family.path("other"), &format!("config {setting}")).ok();
        }
        Some(Two { family, ids })
    }

    fn place(&self, clone: usize) -> PathBuf {
        self.family.path(["web", "other"][clone])
    }

    fn bd(&self, clone: usize, agent: Option<&str>, line: &str) -> Run {
        let vars: Vec<(&str, &str)> = agent.map(|name| ("BD_AGENT", name)).into_iter().collect();
        self.family.bd_with(&self.place(clone), line, &vars)
    }

    fn fleet(&self, clone: usize) -> Value {
        self.bd(clone, None, "fleet --local --json").ok().json()
    }
}

/// What the view must show, from what was done alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Model {
    /// The agents of each clone.
    agents: [BTreeSet<String>; 2],
    held: [BTreeMap<String, String>; 2],
    attempts: [BTreeMap<String, i64>; 2],
    checkpoints: [BTreeMap<String, String>; 2],
    status: [BTreeMap<String, &'static str>; 2],
}

type Lines = BTreeSet<String>;

impl Model {
    fn lines(&self, here: usize) -> Lines {
        let mut lines = Lines::new();
        for clone in 0..2 {
            if self.agents[clone].is_empty() && clone != here {
                continue;
            }
            for agent in &self.agents[clone] {
                let holds: Vec<String> = self.held[clone]
                    .iter()
                    .filter(|(_, holder)| *holder == agent)
                    .map(|(id, _)| {
                        let attempts = self.attempts[clone].get(id).copied().unwrap_or(0);
                        let checkpoint = self.checkpoints[clone].get(id).map_or("-", String::as_str);
                        format!("{id}/{attempts}/{checkpoint}")
                    })
                    .collect();
                lines.insert(format!("{} {agent} {}", ["web", "other"][clone], holds.join(",")));
            }
        }
        let seen: Vec<usize> = (0..2).filter(|clone| *clone == here || !self.agents[*clone].is_empty()).collect();
        let is = |id: &str, status: &str| seen.iter().any(|clone| self.status[*clone].get(id) == Some(&status));
        let is_held = |id: &str| seen.iter().any(|clone| self.held[*clone].contains_key(id));
        for id in self.status[0].keys().chain(self.status[1].keys()) {
            if is(id, "closed") {
                lines.insert(format!("done {id}"));
            } else if is(id, "unheld") && !is_held(id) {
                lines.insert(format!("unheld {id}"));
            }
        }
        lines
    }
}

fn lines_of(view: &Value) -> Lines {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let mut lines = Lines::new();
    for clone in view["clones"].as_array().unwrap() {
        let name = text(&clone["path"]).rsplit('/').next().unwrap().to_owned();
        for agent in clone["agents"].as_array().unwrap() {
            let mut holds: Vec<String> = agent["holds"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| format!("{}/{}/{}", text(&one["id"]), one["attempts"], text(&one["checkpoint"]["summary"])))
                .collect();
            holds.sort();
            lines.insert(format!("{name} {} {}", text(&agent["name"]), holds.join(",")));
        }
    }
    for part in ["done", "unheld"] {
        // `bd-base` was closed before.
        let ids = view[part].as_array().unwrap().iter().map(|one| text(&one["id"])).filter(|id| id != "bd-base");
        lines.extend(ids.map(|id| format!("{part} {id}")));
    }
    lines
}

#[test]
fn the_view_is_what_a_slow_model_says() {
    for seed in 1..=3 {
        let Some(two) = Two::new(6) else { return };
        let mut dice = Dice::new(seed);
        let mut model = Model::default();
        let mut log = Vec::new();
        for step in 0..36 {
            let clone = dice.below(2);
            let agent = format!("w{}", dice.below(3));
            let id = two.ids[dice.below(two.ids.len())].clone();
            let holder = model.held[clone].get(&id).cloned();
            let is_closed = model.status[clone].get(&id) == Some(&"closed");
            let is_mine = holder.as_ref() == Some(&agent);
            let bd = |line: &str| two.bd(clone, Some(&agent), line);
            let what = match dice.below(7) {
                0 | 1 => {
                    let run = bd(&format!("claim {id}"));
                    assert_eq!(
                        run.code == 0,
                        !is_closed && holder.is_none_or(|other| other == agent),
                        "{log:?} {run:?}"
                    );
                    model.agents[clone].insert(agent.clone());
                    if run.code == 0 {
                        model.held[clone].insert(id.clone(), agent.clone());
                        model.status[clone].remove(&id);
                    }
                    "claim"
                }
                2 if is_mine => {
                    bd(&format!("release {id}")).ok();
                    model.held[clone].remove(&id);
                    "release"
                }
                3 if is_mine => {
                    bd(&format!("release {id} --failed broken")).ok();
                    model.held[clone].remove(&id);
                    *model.attempts[clone].entry(id.clone()).or_default() += 1;
                    "fail"
                }
                4 if is_mine => {
                    bd(&format!("close {id}")).ok();
                    model.held[clone].remove(&id);
                    model.status[clone].insert(id.clone(), "closed");
                    "close"
                }
                5 if is_mine => {
                    bd(&format!("checkpoint add {id} -m step{step}")).ok();
                    model.checkpoints[clone].insert(id.clone(), format!("step{step}"));
                    "checkpoint"
                }
                6 if holder.is_none() && !is_closed => {
                    two.bd(clone, None, &format!("update {id} --status in_progress")).ok();
                    model.status[clone].insert(id.clone(), "unheld");
                    "status"
                }
                _ => continue,
            };
            log.push(format!("{clone} {agent} {what} {id}"));
            let here = dice.below(2);
            assert_eq!(lines_of(&two.fleet(here)), model.lines(here), "seed {seed}, seen from {here}: {log:#?}");
        }
        assert!(log.len() > 10, "{log:?}");
    }
}

#[test]
fn two_hundred_agents_of_which_most_are_gone() {
    let Some(two) = Two::new(2) else { return };
    two.bd(0, Some("alive"), "claim bd-0").ok();
    let state = two.place(0).join(".git/beads/agents.jsonl");
    let text = fs::read_to_string(&state).unwrap();
    let line = text.lines().next().unwrap();
    let mut all = text.clone();
    for n in 0..190 {
        let dead = line.replace("\"alive\"", &format!("\"dead-{n}\"")).replacen(
            "\"id\":\"ag_",
            &format!("\"id\":\"ag_{n:03}"),
            1,
        );
        let id: String = format!("ag_{n:012}");
        let start = dead.find("\"id\":\"ag_").unwrap() + 6;
        let end = start + dead[start..].find('"').unwrap();
        let dead = format!("{}{id}{}", &dead[..start], &dead[end..]);
        let at = dead.find("\"heartbeat\":\"").unwrap() + 13;
        all += &format!("{}2020-01-01T00:00:00.000Z{}\n", &dead[..at], &dead[at + 24..]);
    }
    fs::write(&state, all).unwrap();
    let shown = two.bd(0, None, "fleet --local").ok().stdout;
    assert!(shown.contains("1 agent, 190 agents offline") && !shown.contains("dead-7"), "{shown}");
    assert!(two.bd(0, None, "fleet --local --all").ok().stdout.contains("dead-7"));
    let json = two.fleet(0);
    assert_eq!(json["clones"][0]["agents"].as_array().unwrap().len(), 191);
}

#[test]
fn finished_work_is_named_until_it_has_landed() {
    let Some(two) = Two::new(2) else { return };
    let mut command = two.family.env().bd_command(BD);
    command.current_dir(two.place(0)).args(["run", "bd-1", "--workspace", "--", "sh", "-ec"]);
    command.arg(format!("echo x > x.txt; git add -A; git commit -qm x; '{BD}' close bd-1"));
    two.family.env().run(command, "bd run".to_owned(), None).ok();
    let view = two.fleet(0);
    assert_eq!((&view["finished"][0]["id"], &view["finished"][0]["branch"]), (&"bd-1".into(), &"bd/bd-1".into()));
    assert!(two.bd(0, None, "fleet --local").stderr.contains("bd land"));
    two.bd(0, None, "land --no-check").ok();
    let view = two.fleet(0);
    assert_eq!((view["finished"].as_array().map(Vec::len), &view["done"][0]["id"]), (Some(0), &"bd-1".into()));
}

#[test]
fn other_machines_show_their_agents_in_a_private_repository() {
    let Some(two) = Two::new(3) else { return };
    let family = &two.family;
    family.git(&family.path(""), "init -q --bare private.git").ok();
    family.git(&family.path(""), "init -q --bare server.git").ok();
    let private = family.path("private.git").display().to_string();
    let server = family.path("server.git").display().to_string();
    for clone in 0..2 {
        let place = two.place(clone);
        family.git(&place, &format!("remote add server {server}")).ok();
        // Each clone is a machine of its own.
        let state = family.path(&format!("machine-{clone}")).display().to_string();
        let on = |agent: &str, line: &str| {
            family.bd_with(&two.place(clone), line, &[("XDG_STATE_HOME", &state), ("BD_AGENT", agent)])
        };
        on("", &format!("config set fleet.remote {private}")).ok();
        on(&format!("worker-{clone}"), &format!("claim bd-{clone}")).ok();
        on(&format!("worker-{clone}"), &format!("checkpoint add bd-{clone} -m half")).ok();
        on("", "sync --no-push").ok();
    }
    let state = family.path("machine-0").display().to_string();
    let here = |line: &str| family.bd_with(&two.place(0), line, &[("XDG_STATE_HOME", &state)]);
    let view = here("fleet --json").ok().json();
    let machines = view["machines"].as_array().unwrap();
    assert_eq!((machines.len(), view["clones"].as_array().unwrap().len()), (1, 1), "{view}");
    let agent = &machines[0]["agents"][0];
    assert_eq!((&agent["name"], &agent["holds"][0]["id"]), (&"worker-1".into(), &"bd-1".into()), "{view}");
    assert_eq!(
        (&agent["holds"][0]["title"], &agent["holds"][0]["checkpoint"]),
        (&"Issue1".into(), &"progress: half".into())
    );
    let shown = here("fleet").ok().stdout;
    assert!(shown.contains("worker-1") && shown.contains("Issue1"), "{shown}");
    // A stranger's ref is named and breaks nothing.
    family.git(&family.path("private.git"), "mktree --missing").ok();
    let line =
        "-c user.name=s -c user.email=s@example.org commit-tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904 -m nonsense";
    let blob = family.git(&family.path("private.git"), line).ok();
    family
        .git(
            &family.path("private.git"),
            &format!("update-ref refs/beads/fleet/rp_strangerxxxx {}", blob.stdout.trim()),
        )
        .ok();
    let view = here("fleet --json").ok().json();
    assert_eq!(view["machines"].as_array().unwrap().len(), 1);
    assert!(view["problems"].to_string().contains("rp_strangerxxxx"), "{view}");
    // A remote of the project is not private, and nothing was written there.
    here(&format!("config set fleet.remote {server}")).ok();
    let view = here("fleet --json").ok().json();
    assert!(view["problems"].to_string().contains("a remote of this project"), "{view}");
    here("sync --no-push").ok();
    // Nor by a name that git rewrites.
    let start = family.path("").display().to_string();
    family.git(&two.place(0), &format!("config url.{start}.insteadOf gh:")).ok();
    here("config set fleet.remote gh:server.git").ok();
    here("sync --no-push").ok();
    family.git(&two.place(0), &format!("config url.{server}.pushInsteadOf {start}other.git")).ok();
    here(&format!("config set fleet.remote {start}other.git")).ok();
    here("sync --no-push").ok();
    assert_eq!(family.git(&family.path("server.git"), "for-each-ref").ok().stdout, "");
    // Without the network the rest is shown.
    fs::rename(family.path("private.git"), family.path("gone.git")).unwrap();
    here(&format!("config set fleet.remote {private}")).ok();
    let view = here("fleet --json").ok().json();
    assert_eq!(view["clones"][0]["agents"][0]["name"], "worker-0");
    assert_eq!(view["problems"].as_array().unwrap().len(), 1, "{view}");
}

#[test]
fn a_private_issue_is_only_counted_for_other_machines() {
    let Some(two) = Two::new(1) else { return };
    let family = &two.family;
    family.git(&family.path(""), "init -q --bare private.git").ok();
    let private = family.path("private.git").display().to_string();
    two.bd(0, None, "init --contributor ../plans").ok();
    two.bd(0, None, "add SECRET --id bd-secret").ok();
    two.bd(0, Some("w"), "claim bd-secret").ok();
    two.bd(0, None, &format!("config set fleet.remote {private}")).ok();
    two.bd(0, None, "sync --no-push").ok();
    let refs = family.git(&family.path("private.git"), "for-each-ref --format=%(refname)%(contents)").ok().stdout;
    assert!(refs.contains("\"private\":1") && refs.contains("\"w\""), "{refs}");
    assert!(!refs.contains("SECRET") && !refs.contains("bd-secret"), "{refs}");
}

#[test]
fn a_watch_prints_each_change_and_ends_with_its_reader() {
    let Some(two) = Two::new(1) else { return };
    let mut command = two.family.env().bd_command(BD);
    command.current_dir(two.place(0)).args(["fleet", "--watch", "--local", "--json"]).stdout(Stdio::piped());
    let mut watch = command.spawn().unwrap();
    let (send, lines) = std::sync::mpsc::channel();
    let out = watch.stdout.take().unwrap();
    std::thread::spawn(move || {
        use std::io::BufRead as _;
        for line in std::io::BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let next = |wanted: &str| {
        until_some(wanted, || {
            let line = lines.try_recv().ok()?;
            let view: Value = serde_json::from_str(&line).unwrap();
            view["clones"].to_string().contains(wanted).then_some(())
        });
    };
    next("web");
    two.bd(0, Some("late"), "claim bd-0").ok();
    next("late");
    watch.kill().unwrap();
    watch.wait().unwrap();
}
