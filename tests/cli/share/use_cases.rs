//! Proposals and the use cases of several repos from end to end, each as one story with real clones.

use crate::support::harness::{BD, Env, Run};
use crate::support::programs::have;
use crate::support::repos::{bd_in, ledger, put_issues, repo, sh};

/// The project of a maintainer, and the clone `web` of a contributor with a planning repo `~/plan`.
struct World {
    env: Env,
}

impl World {
    fn new() -> Option<Self> {
        if !have(&["git"]) {
            return None;
        }
        let env = Env::bare();
        repo(&env, "origin", "bd");
        put_issues(&env, "origin", &["bd-1", "bd-9"]);
        sh(&env, "cd origin; git init -q; git add .; git commit -qm ledger; cd ..; rmdir web; git clone -q origin web");
        env.bd(["init", "--contributor", "~/plan", "-q"]).ok();
        Some(World { env })
    }

    /// A command of the contributor, words separated by bars.
    fn ann(&self, line: &str) -> Run {
        self.env.bd(line.split('|'))
    }

    /// A command of the maintainer, in the project itself.
    fn max(&self, line: &str) -> Run {
        let args: Vec<&str> = line.split('|').collect();
        let mut command = self.env.bd_command(BD);
        command.args(&args).current_dir(self.env.root().join("origin"));
        command.env("BD_ACTOR", "max").env("BD_ROLE", "maintainer");
        self.env.run(command, format!("bd {}", args.join(" ")), None)
    }

    /// The contributor's changes go to the maintainer as a pull request, and are merged.
    fn merge_request(&self) {
        sh(
            &self.env,
            "cd web; git checkout -qb topic; git commit -qam 'Propose it'; cd ../origin; git pull -q ../web topic",
        );
    }

    /// The maintainer's changes come back to the contributor.
    fn pull(&self) {
        sh(&self.env, "cd origin; git commit -qam decided; cd ../web; git checkout -q main; git pull -q");
        self.ann("proposals|reconcile").ok();
    }

    fn diff(&self) -> String {
        sh(&self.env, "cd web; git diff --unified=0 | grep '^[+-]' | grep -v '^+++\\|^---' || true")
    }

    fn planned(&self) -> String {
        ledger(&self.env, "home/plan")
    }
}

#[test]
fn a_proposal_is_one_line_in_the_pull_request_and_every_move_can_be_made_again() {
    let Some(world) = World::new() else { return };
    world.ann("add|Dark mode|--id|bd-5|--notes|SECRET").ok();
    world.ann("add|Not proposed|--id|bd-6").ok();
    for _ in 0..2 {
        world.ann("propose|bd-5").ok();
        let diff = world.diff();
        assert!(
            diff.starts_with("+{\"id\":\"bd-5\"") && diff.lines().count() == 1 && !diff.contains("SECRET"),
            "{diff}"
        );
        assert!(world.planned().contains("\"visibility\":\"proposed\""), "{}", world.planned());
        assert_eq!(sh(&world.env, "git -C web status --short --untracked-files=all"), " M .beads/beads.jsonl\n");
    }
    for _ in 0..2 {
        world.ann("withdraw|bd-5").ok();
        assert_eq!(world.diff(), "");
        assert!(!world.planned().contains("\"visibility\":\"proposed\""), "{}", world.planned());
    }
    // The same to a repo that is named, in any of its names.
    for target in ["upstream", "."] {
        world.ann(&format!("propose|bd-5|--target|{target}")).ok();
        assert_eq!(world.diff().lines().count(), 1, "{target}");
        world.ann(&format!("withdraw|bd-5|--target|{target}")).ok();
        assert_eq!(world.diff(), "", "{target}");
    }
    world.ann("propose|bd-5").ok();
    world.merge_request();
    world.ann("accept|bd-5").fails(5, &["contributor"]);
    for _ in 0..2 {
        world.max("accept|bd-5").ok();
        let shown = world.max("show|bd-5|--json").ok().json();
        assert_eq!(shown[0]["visibility"], "canonical", "{shown}");
    }
    world.max("reject|bd-5|--reason|late").fails(5, &["accepted"]);
    world.ann("withdraw|nowhere").fails(3, &[]);
    world.ann("propose|bd-1").fails(5, &[]);
}

#[test]
fn what_the_project_makes_of_a_proposal_comes_back_to_the_plan() {
    let Some(world) = World::new() else { return };
    for (id, title) in
        [("bd-2", "Accepted"), ("bd-3", "Accepted with notes"), ("bd-4", "Rejected"), ("bd-5", "Deleted")]
    {
        world.ann(&format!("add|{title}|--id|{id}")).ok();
    }
    world.ann("note|bd-3|SECRET").ok();
    world.ann("propose|bd-2|bd-3|bd-4|bd-5").ok();
    world.merge_request();
    world.max("accept|bd-2|bd-3").ok();
    world.max("update|bd-3|--title|Edited by the project|-p|0").ok();
    world.max("reject|bd-4|--reason|not now").ok();
    world.max("delete|bd-5|--yes").ok();
    world.pull();
    let project = world.env.ledger();
    // Accepted and edited: the project's copy is the effective one; the plan keeps only private content, as an unedited
    // mirror.
    assert!(!world.planned().contains("\"id\":\"bd-2\""), "{}", world.planned());
    let shown = world.ann("show|bd-3|--json").ok().json();
    assert_eq!((&shown[0]["title"], &shown[0]["priority"]), (&"Edited by the project".into(), &0.into()), "{shown}");
    assert_eq!((&shown[0]["writable"], &shown[0]["private"]["notes"]), (&false.into(), &"SECRET".into()), "{shown}");
    world.ann("update|bd-3|--title|Mine").fails(5, &["contributor"]);
    world.ann("note|bd-3|more of it").ok();
    assert_eq!(world.ann("show|bd-3|--json").ok().json()[0]["private"]["notes"], "SECRET\nmore of it");
    assert_eq!(world.ann("list|--json|--all|--title|Edited by the project").ok().ids(), ["bd-3"]);
    // Rejected and deleted: private again, with the reason.
    for (id, reason) in [("bd-4", "Rejected: not now"), ("bd-5", "Rejected: deleted in the project")] {
        let row = world.ann(&format!("show|{id}|--json")).ok().json();
        assert_eq!((&row[0]["visibility"], &row[0]["source_repo"]), (&"local".into(), &"~/plan".into()), "{row}");
        assert_eq!((&row[0]["status"], &row[0]["comments"][0]["text"]), (&"open".into(), &reason.into()), "{row}");
    }
    assert_eq!(world.env.ledger(), project, "the plan follows the project, not the other way round");
    // Where an issue lives is said in answers and stored in no file.
    let export = world.ann("export").ok().stdout;
    for text in [export, world.planned(), world.env.ledger_text()] {
        assert!(!text.contains("source_repo"), "{text}");
    }
}

#[test]
fn an_open_source_contributor_plans_proposes_and_sends_nothing_else() {
    let Some(world) = World::new() else { return };
    for title in ["TODO-1", "TODO-2", "TODO-3"] {
        world.ann(&format!("add|{title}|--notes|SECRET")).ok();
    }
    world.ann("add|Good idea|--id|bd-5").ok();
    world.ann("work|bd-1").ok();
    world.ann("note|bd-1|SECRET").ok();
    world.ann("propose|bd-5").ok();
    world.merge_request();
    let log = sh(&world.env, "git -C origin log -p --all");
    assert!(
        log.contains("Good idea") && !log.contains("TODO-") && !log.contains("SECRET") && !log.contains("plan"),
        "{log}"
    );
    world.ann("check-leaks|--range|origin/main..HEAD").ok();
}

#[test]
fn phases_of_a_project_are_repos_of_their_own_and_one_view() {
    let env = Env::new();
    for (n, phase) in ["phase1", "phase2", "phase3"].into_iter().enumerate() {
        repo(&env, phase, phase);
        env.bd(["repo", "add", &format!("../{phase}")]).ok();
        let prior = format!("phase{n}-a");
        let deps: &[&str] = if n > 0 { &["--deps", &prior] } else { &[] };
        let args = ["add", phase, "--repo", phase, "--id", &format!("{phase}-a")];
        env.bd(args.iter().chain(deps).copied()).ok();
    }
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["phase1-a"]);
    assert_eq!(env.bd(["show", "--repo", "phase2", "--json"]).ok().ids(), ["phase2-a"]);
    env.given("close phase1-a");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["phase2-a"]);
    assert!(ledger(&env, "phase1").contains("\"closed\"") && !ledger(&env, "web").contains("phase"));
}

#[test]
fn a_contributor_moves_their_own_issues_out_of_the_project_after_a_look() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    env.bd_with(["add", "Of Bob", "--id", "bd-bob"], None, &[("BD_ACTOR", "bob")]).ok();
    env.given("add 'Of Ann' --id bd-ann\nadd 'Done' --id bd-done\nclose bd-done");
    let before = (env.ledger(), ledger(&env, "home/plan"));
    let filter = "author=me status=open";
    let dry = env.bd(["migrate", "--move-to", "~/plan", "--filter", filter, "--dry-run", "--json"]).ok();
    assert!(
        dry.stdout.contains("bd-ann") && !dry.stdout.contains("bd-bob") && !dry.stdout.contains("bd-done"),
        "{}",
        dry.snapshot()
    );
    assert_eq!((env.ledger(), ledger(&env, "home/plan")), before, "a dry run changes nothing");
    env.bd(["migrate", "--move-to", "~/plan", "--filter", filter]).ok();
    assert!(ledger(&env, "home/plan").contains("bd-ann") && !env.ledger_text().contains("bd-ann"));
    assert!(env.ledger_text().contains("bd-bob") && env.ledger_text().contains("bd-done"));
    env.bd(["migrate", "--move-to", "~/nowhere", "--filter", filter]).fails(9, &[]);
    env.bd(["migrate", "--move-to", "~/plan", "--filter", "autor=me"]).fails(2, &[]);
}

#[test]
fn a_team_adopts_the_ledger_and_each_sees_what_is_theirs() {
    let Some(world) = World::new() else { return };
    let env = &world.env;
    world.max("init|--team|--maintainers|max@example.org").ok();
    sh(
        env,
        "cd origin; git add .; git commit -qm team; cd ..; git clone -q origin kim; git -C kim config user.email kim@example.org",
    );
    let kim = |args: &[&str]| {
        let mut command = env.bd_command(BD);
        command.args(args).current_dir(env.root().join("kim")).env("BD_ACTOR", "kim");
        env.run(command, format!("bd {}", args.join(" ")), None)
    };
    assert!(kim(&["role"]).ok().stdout.contains("contributor"));
    kim(&["add", "Mine"]).fails(2, &["bd init --contributor"]);
    kim(&["init", "--contributor", "~/kim", "-q"]).ok();
    kim(&["add", "Mine", "--id", "bd-kim"]).ok();
    kim(&["work", "bd-1"]).ok();
    // Each has a view of their own, and the project knows of neither.
    let ids = |run: Run| run.ok().ids();
    assert!(ids(kim(&["list", "--json"])).contains(&"bd-kim".to_owned()));
    assert_eq!(ids(kim(&["list", "--json", "--status", "in_progress"])), ["bd-1"]);
    assert!(!ids(world.ann("list|--json")).contains(&"bd-kim".to_owned()));
    assert_eq!(ids(world.ann("list|--json|--status|in_progress")), [""; 0]);
    assert_eq!(ids(bd_in(env, "origin", ["list", "--json", "--sort", "id"])), ["bd-1", "bd-9"]);
}
