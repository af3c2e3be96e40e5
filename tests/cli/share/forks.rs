//! A fork: `origin` is the contributor's own copy, `upstream` the project. And repos beside the project that plans are
//! proposed to.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::harness::{BD, Env, Run};
use crate::support::programs::have;

/// Max maintains a project; Ann has a fork of it, a planning repo, and on request a team repo beside them.
struct World {
    env: Env,
}

impl World {
    fn new() -> Option<Self> {
        if !have(&["git"]) {
            return None;
        }
        let world = World { env: Env::bare() };
        world.git("", "init -q --bare -b main project.git");
        world.git("", "clone -q project.git max");
        world.name("max");
        world.bd("max", "init --prefix web").ok();
        world.bd("max", "hooks install").ok();
        world.bd("max", "add Base --id web-base").ok();
        world.commit("max");
        world.git("max", "push -q -u origin main");
        world.git("", "clone -q --bare project.git fork.git");
        world.git("", "clone -q fork.git ann");
        world.name("ann");
        let project = world.path("project.git").display().to_string();
        world.git("ann", &format!("remote add upstream {project}"));
        world.bd("ann", "init --contributor ../plans").ok();
        Some(world)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.env.root().join(name)
    }

    fn git(&self, place: &str, line: &str) -> String {
        self.env.git(&self.path(place), line).ok().stdout
    }

    fn name(&self, who: &str) {
        self.git(who, &format!("config user.name {who}"));
        self.git(who, &format!("config user.email {who}@example.org"));
    }

    fn commit(&self, place: &str) {
        self.git(place, "add -A");
        self.git(place, "commit -q --allow-empty -m more");
    }

    fn bd(&self, place: &str, line: &str) -> Run {
        let mut command = self.env.bd_command(BD);
        let actor = if place == "max" { "max" } else { "ann" };
        let place = self.path(place);
        command.current_dir(place).env("BD_ACTOR", actor).args(crate::support::harness::words(line));
        self.env.run(command, format!("bd {line}"), None)
    }

    /// Proposes a new issue on a branch of the fork.
    fn propose(&self, id: &str, title: &str) {
        self.bd("ann", &format!("add {title} --id {id}")).ok();
        self.git("ann", &format!("checkout -q -b {id} main"));
        self.bd("ann", &format!("propose {id}")).ok();
        self.commit("ann");
        self.git("ann", &format!("push -q origin {id}"));
        self.git("ann", "checkout -q main");
    }

    /// Max merges the branch of a proposal.
    fn merge(&self, id: &str) {
        let fork = self.path("fork.git").display().to_string();
        self.git("max", &format!("pull -q --no-rebase --no-edit {fork} {id}"));
    }

    fn publish(&self) {
        self.commit("max");
        self.git("max", "push -q origin main");
    }

    fn shown(&self, id: &str) -> Value {
        self.bd("ann", &format!("show {id} --json")).ok().json()[0].clone()
    }

    /// What a sync did with a proposal.
    fn synced(&self, id: &str) -> Option<String> {
        let report = self.bd("ann", "sync --json").ok().json();
        let done = report["reconciled"].as_array().cloned().unwrap_or_default();
        let one = done.iter().find(|one| one["id"] == id)?;
        Some(one["what"].as_str().unwrap().to_owned())
    }

    fn planned(&self) -> String {
        fs::read_to_string(self.path("plans/.beads/beads.jsonl")).unwrap()
    }
}

#[test]
fn acceptance_comes_back_by_a_sync_of_the_fork() {
    let Some(world) = World::new() else { return };
    world.propose("web-1", "Mine");
    world.bd("ann", "add Private --id web-2").ok();
    world.merge("web-1");
    world.bd("max", "accept web-1").ok();
    world.git("max", "push -q origin main");
    world.publish();
    // Nothing is known before the network was asked.
    let nothing = world.bd("ann", "proposals reconcile --json").ok().json();
    assert_eq!(nothing["reconciled"].as_array().map(Vec::len), Some(0), "{nothing}");
    let what = world.synced("web-1").expect("it is accepted");
    assert!(what.contains("accepted upstream"), "{what}");
    let shown = world.shown("web-1");
    assert_eq!((&shown["visibility"], &shown["title"]), (&"canonical".into(), &"Mine".into()));
    assert_eq!(world.synced("web-1"), None, "once");
    assert_eq!(world.bd("ann", "doctor --json").ok().json()["ok"], true);
    assert_eq!(world.git("ann", "status --short"), "", "the fork's checkout is as it was");
    // When the checkout has the project's line, the planning copy goes.
    world.git("ann", "merge -q upstream/main");
    let what = world.synced("web-1").expect("the copy is not needed any more");
    assert!(what.contains("retired"), "{what}");
    assert!(!world.planned().contains("web-1") && world.planned().contains("web-2"));
    assert_eq!(world.shown("web-1")["visibility"], "canonical");
}

#[test]
fn rejection_comes_back_too_and_so_do_edits_and_a_deletion() {
    let Some(world) = World::new() else { return };
    for (id, title) in [("web-1", "Rejected"), ("web-2", "Edited"), ("web-3", "Deleted"), ("web-4", "Waits")] {
        world.propose(id, title);
    }
    let fork = world.path("fork.git").display().to_string();
    world.git("max", &format!("fetch -q {fork} +refs/heads/*:refs/remotes/ann/*"));
    world.bd("max", "reject web-1 --reason late").ok();
    world.commit("max");
    for id in ["web-2", "web-3"] {
        world.merge(id);
    }
    world.bd("max", "update web-2 --title Better").ok();
    world.bd("max", "delete web-3 --yes").ok();
    world.publish();
    let report = world.bd("ann", "sync --json").ok().json();
    let done: Vec<String> =
        report["reconciled"].as_array().unwrap().iter().map(|one| format!("{}: {}", one["id"], one["what"])).collect();
    assert_eq!(done.len(), 3, "{done:?}");
    let rejected = world.shown("web-1");
    assert_eq!((&rejected["visibility"], &rejected["status"]), (&"local".into(), &"open".into()), "{rejected}");
    assert!(rejected["comments"].to_string().contains("late"), "{rejected}");
    assert_eq!(
        (&world.shown("web-2")["title"], &world.shown("web-2")["visibility"]),
        (&"Better".into(), &"proposed".into())
    );
    assert_eq!(world.shown("web-3")["visibility"], "local");
    assert_eq!(world.shown("web-4")["visibility"], "proposed");
    // On the branch that carries it, the decision counts too, and nothing goes back and forth.
    for branch in ["web-1", "web-2", "web-3", "main"] {
        world.git("ann", &format!("checkout -q {branch}"));
        let again = world.bd("ann", "proposals reconcile --json").ok().json();
        assert_eq!(again["reconciled"].as_array().map(Vec::len), Some(0), "{branch}: {again}");
        assert_eq!(world.git("ann", "status --short"), "", "{branch}");
    }
    // What was rejected can be proposed again, and accepted then.
    world.git("ann", "checkout -q -b again main");
    world.bd("ann", "propose web-1").ok();
    world.commit("ann");
    world.git("ann", "push -q origin again");
    world.merge("again");
    world.bd("max", "accept web-1").ok();
    world.publish();
    assert!(world.synced("web-1").expect("it is accepted").contains("accepted"));
}

#[test]
fn a_project_that_renamed_its_branch_or_cannot_be_reached() {
    let Some(world) = World::new() else { return };
    world.propose("web-1", "Mine");
    world.merge("web-1");
    world.publish();
    assert_eq!(world.synced("web-1"), None);
    world.bd("max", "accept web-1").ok();
    world.commit("max");
    world.git("max", "branch -q -m main trunk");
    world.git("max", "push -q -u origin trunk");
    world.git("project.git", "symbolic-ref HEAD refs/heads/trunk");
    // The old branch stays as it was, here and there.
    let hidden = world.path("gone.git");
    fs::rename(world.path("project.git"), &hidden).unwrap();
    let run = world.bd("ann", "sync --json");
    assert!(run.code == 0 && run.stdout.contains("decisions about proposals may be missing"), "{run:?}");
    fs::rename(hidden, world.path("project.git")).unwrap();
    assert!(world.synced("web-1").expect("it is accepted on trunk").contains("accepted upstream"));
}

#[test]
fn a_strangers_line_upstream_decides_nothing() {
    let Some(world) = World::new() else { return };
    world.propose("web-1", "Mine");
    let ledger = world.path("max/.beads/beads.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    let line = "{\"id\":\"web-1\",\"title\":\"Theirs\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\
                \"proposal\":{\"id\":\"prop_000000000000\",\"author\":\"ann\",\"target\":\"web\",\"state\":\"accepted\"}}";
    fs::write(&ledger, format!("{text}{line}\n")).unwrap();
    world.publish();
    assert_eq!(world.synced("web-1"), None);
    assert_eq!(world.shown("web-1")["title"], "Mine");
}

/// A team repo that Ann has joined; Max decides about what is proposed to it, too.
fn with_team(world: &World) {
    world.git("", "init -q -b main team");
    world.name("team");
    world.bd("team", "init --prefix team").ok();
    world.commit("team");
    world.bd("ann", "repo add ../team").ok();
}

#[test]
fn a_plan_is_proposed_to_a_repo_beside_the_project_and_settled_there() {
    let Some(world) = World::new() else { return };
    with_team(&world);
    for (id, title) in [("web-1", "Accepted"), ("web-2", "Rejected"), ("web-3", "Withdrawn"), ("web-4", "Edited")] {
        world.bd("ann", &format!("add {title} --id {id} --notes SECRET")).ok();
        let proposed = world.bd("ann", &format!("propose {id} --target ../team --json")).ok().json();
        assert_eq!((&proposed[0]["id"], proposed[0]["former_id"].is_null()), (&id.into(), true), "{proposed}");
    }
    let team = || fs::read_to_string(world.path("team/.beads/beads.jsonl")).unwrap();
    assert!(team().contains("web-1") && !team().contains("SECRET"));
    assert_eq!(world.git("ann", "status --short"), "", "nothing of it is in the project");
    let listed = world.bd("ann", "proposals --json").ok().json();
    let rows: Vec<String> =
        listed.as_array().unwrap().iter().map(|row| format!("{} {}", row["id"], row["target"])).collect();
    assert_eq!(rows.len(), 4, "{listed}");
    assert!(
        listed.as_array().unwrap().iter().all(|row| row["standing"] == "proposed" || row["state"] == "proposed"),
        "{listed}"
    );
    // It is proposed there, and to nobody else at the same time.
    let run = world.bd("ann", "propose web-1");
    assert!(run.code == 5 && run.stderr.contains("team"), "{run:?}");
    // An edit while it is proposed goes to both copies, a note to one.
    world.bd("ann", "update web-4 --title Changed").ok();
    world.bd("ann", "note web-4 PRIVATE").ok();
    assert!(team().contains("Changed") && !team().contains("PRIVATE"));
    world.bd("ann", "withdraw web-3").ok();
    assert!(!team().contains("web-3"));
    assert_eq!(world.shown("web-3")["visibility"], "local");
    // Decided where the repo is the project of its own.
    world.bd("team", "accept web-1").ok();
    world.bd("team", "reject web-2 --reason no").ok();
    world.bd("team", "update web-4 --title Better").ok();
    let done = world.bd("ann", "proposals reconcile --json").ok().json();
    let done = done["reconciled"].as_array().unwrap().clone();
    assert_eq!(done.len(), 3, "{done:?}");
    assert_eq!(
        (&world.shown("web-1")["visibility"], &world.shown("web-2")["visibility"]),
        (&"canonical".into(), &"local".into())
    );
    assert_eq!(world.shown("web-4")["title"], "Better");
    let again = world.bd("ann", "proposals reconcile --json").ok().json();
    assert_eq!(again["reconciled"].as_array().map(Vec::len), Some(0), "{again}");
    // Decided from here, as anybody who writes the team's repo may.
    world.bd("ann", "accept web-4").ok();
    world.bd("ann", "proposals reconcile").ok();
    assert_eq!(world.shown("web-4")["visibility"], "canonical");
    // After a rejection it may be proposed to the project instead, under the same id.
    world.bd("ann", "propose web-2").ok();
    assert!(fs::read_to_string(world.path("ann/.beads/beads.jsonl")).unwrap().contains("web-2"));
}

#[test]
fn a_target_that_refuses_leaves_everything_as_it_was() {
    let Some(world) = World::new() else { return };
    with_team(&world);
    world.bd("ann", "add Mine --id web-1").ok();
    let before = world.planned();
    let beads = world.path("team/.beads/beads.jsonl");
    let text = fs::read_to_string(&beads).unwrap();
    fs::write(&beads, format!("{text}<<<<<<< ours\n=======\n>>>>>>> theirs\n")).unwrap();
    let run = world.bd("ann", "propose web-1 --target ../team");
    assert_eq!(run.code, 8, "{run:?}");
    assert_eq!(world.planned(), before);
    fs::write(&beads, &text).unwrap();
    world.bd("ann", "propose web-1 --target ../nowhere").fails(9, &[]);
    world.bd("ann", "propose web-1 --target ../plans");
    assert_eq!(world.planned(), before, "a planning repo is no target");
    world.bd("ann", "propose web-1 --target ../team").ok();
    world.bd("ann", "withdraw web-1 --target upstream").fails(5, &[]);
    assert!(fs::read_to_string(&beads).unwrap().contains("web-1"));
}
