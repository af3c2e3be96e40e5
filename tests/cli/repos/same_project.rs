//! Whether a repository is the project, however its remotes are written: asked when a planning repo is joined, and before every
//! push of one.

use std::path::Path;

use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::sh;

/// A repository with its own ledger, as a candidate for planning.
fn plans(project: &Project, name: &str, settings: &str) {
    sh(&project.env, &format!("git init -q {name}; cd {name}; {settings}"));
    project.env.bd(["-C", &format!("../{name}"), "init", "-q"]).ok();
}

/// Every object of a repository, as text.
fn objects(project: &Project, repository: &Path) -> String {
    project.env.user().git(repository, &["cat-file", "--batch-all-objects", "--batch"])
}

#[test]
fn a_planning_repo_is_not_the_project_under_another_spelling() {
    let Some(project) = Project::single() else { return };
    project.git("remote add origin https://example.org/acme/app.git").ok();
    let spellings = [
        "git remote add origin git@example.org:acme/app.git",
        "git remote add hub ssh://ann@EXAMPLE.org:2222/acme/app/",
        "git remote add origin https://bob:x@example.org:443/Acme/App",
        "git remote add origin https://example.org/me/plans; git config remote.origin.pushurl example.org:acme/app",
        "git remote add origin gh:acme/app; git config url.https://example.org/.insteadOf gh:",
        "git remote add origin https://me.org/acme/app; git config url.ssh://example.org/.pushInsteadOf https://me.org/",
        "git config branch.main.remote https://example.org/acme/app",
    ];
    for (n, spelling) in spellings.iter().enumerate() {
        let name = format!("plans{n}");
        plans(&project, &name, spelling);
        let path = format!("../{name}");
        let refused = ["is inside the working copy of the primary repo or another clone of it"];
        project.env.bd(["init", "--contributor", &path]).fails(5, &refused);
        project.env.bd(["config", "--add-repo", &path, "--routing", "contributor"]).fails(5, &refused);
    }
    plans(&project, "mine", "git remote add origin https://example.org/ann/plans");
    project.env.bd(["init", "--contributor", "../mine"]).ok();
    project.env.bd(["config", "set", "routing.auto.contributor", "../plans1"]).fails(5, &["another clone of it"]);
    project.env.bd(["config", "set", "routing.default", "../plans2"]).fails(5, &["another clone of it"]);
}

#[test]
fn a_planning_repo_is_not_the_project_by_its_place_or_its_history() {
    let Some(project) = Project::single() else { return };
    sh(
        &project.env,
        "git init -q --bare hub.git; ln -s . link; cd web; git remote add origin ../hub.git; git push -q origin main",
    );
    let root = project.env.root();
    let places = [
        format!("git remote add origin file://{}/hub", root.display()),
        format!("git remote add origin {}/link/hub.git/", root.display()),
        format!("git remote add origin file://localhost{}/link/web/.git", root.display()),
        "git fetch -q ../web main; git reset -q --hard FETCH_HEAD; git rm -rq .beads; git commit -qm own".to_owned(),
        "git fetch -q --depth 1 file://$PWD/../web main; git branch -q plans FETCH_HEAD".to_owned(),
    ];
    for (n, settings) in places.iter().enumerate() {
        let settings = format!("git config user.name t; git config user.email t@example.org; {settings}");
        plans(&project, &format!("plans{n}"), &settings);
        let refused = ["another clone of it"];
        project.env.bd(["init", "--contributor", &format!("../plans{n}")]).fails(5, &refused);
    }
}

#[test]
fn the_first_commit_of_jj_and_hg_tells_too() {
    let Some(project) = Project::single() else { return };
    if !have(&["jj", "hg"]) {
        return;
    }
    sh(
        &project.env,
        "cd web; git branch -q other; cd ..; git clone -q web copied; cd copied; git remote remove origin; jj --quiet git init --colocate",
    );
    project.env.bd(["init", "--contributor", "../copied"]).fails(5, &["another clone of it"]);
    sh(
        &project.env,
        "hg init one; cd one; echo a > a; hg add -q a; hg commit -q -m a -u t; cd ..; hg clone -q one two; rm two/.hg/hgrc",
    );
    project.env.bd(["-C", "../one", "init", "-q", "--prefix", "one"]).ok();
    project.env.bd(["-C", "../two", "init", "-q", "--prefix", "two"]).ok();
    project.env.bd(["-C", "../one", "init", "--contributor", "../two"]).fails(5, &["another clone of it"]);
    sh(&project.env, "hg init three");
    project.env.bd(["-C", "../three", "init", "-q", "--prefix", "three"]).ok();
    project.env.bd(["-C", "../one", "init", "--contributor", "../three"]).ok();
}

#[test]
fn it_is_asked_again_before_every_push() {
    let Some(project) = Project::single() else { return };
    sh(
        &project.env,
        "git init -q --bare -b main hub.git; cd web; git remote add origin ../hub.git; git push -q origin main",
    );
    project.env.bd(["init", "--contributor", "-q"]).ok();
    project.env.bd(["add", "SECRET plan", "-q"]).ok();
    let root = project.env.root();
    let planning = root.join("home/.beads-planning");
    // Since it was joined its remote has become the project's.
    sh(&project.env, "cd home/.beads-planning; git remote add origin file://$PWD/../../hub; git branch -q -m plans");
    project.env.bd(["sync", "--no-pull"]).fails(5, &["another clone of it"]);
    project.env.bd(["add", "Another"]).fails(5, &["another clone of it"]);
    // Nor from inside the planning repo, which knows the project only by its lines.
    let own = |args: &[&str]| project.env.bd(["-C", planning.to_str().unwrap()].iter().chain(args));
    own(&["sync"]).fails(5, &["another clone of it"]);
    assert!(!objects(&project, &root.join("hub.git")).contains("SECRET"));
    // With a remote of its own it is pushed.
    sh(
        &project.env,
        "git init -q --bare own.git; cd home/.beads-planning; git remote remove origin; git remote add origin ../../own.git",
    );
    project.env.bd(["sync", "--no-pull"]).ok();
}

/// The lines record the servers of the project, for pushes from inside the planning repo.
#[test]
fn a_planning_repo_knows_the_servers_of_its_projects() {
    let Some(project) = Project::single() else { return };
    project.git("remote add origin https://example.invalid/acme/app.git").ok();
    project.env.bd(["init", "--contributor", "-q"]).ok();
    project.env.bd(["add", "SECRET plan", "-q"]).ok();
    let planning = project.env.root().join("home/.beads-planning");
    sh(&project.env, "cd home/.beads-planning; git remote add origin ssh://git@example.invalid/acme/app");
    let run = project.env.bd(["-C", planning.to_str().unwrap(), "sync", "--no-pull"]);
    run.fails(5, &["another clone of it"]);
}

#[test]
fn a_worktree_whose_repository_was_moved_is_not_written() {
    let Some(project) = Project::new() else { return };
    project.env.bd(["add", "Plan", "-q"]).ok();
    sh(&project.env, "cd web; git worktree add -q ../linked; cd ..; mv web moved");
    let linked = |args: &[&str]| {
        let mut command = project.env.bd_command(crate::support::harness::BD);
        command.current_dir(project.env.root().join("linked")).args(args);
        project.env.run(command, format!("bd {}", args.join(" ")), None)
    };
    let before = std::fs::read(project.env.root().join("linked/.beads/beads.jsonl")).unwrap();
    for args in [
        &["add", "PRIVATE"][..],
        &["update", "bd-base", "--title", "x"],
        &["claim", "bd-base"],
        &["init", "--contributor"],
        &["config", "set", "routing.role", "maintainer"],
        &["checkpoint", "add", "bd-base", "-m", "x"],
        &["mail", "send", "bob", "-m", "x"],
    ] {
        let run = linked(args);
        assert_ne!(run.code, 0, "{}", run.snapshot());
        assert!(run.stderr.contains("is not there"), "{}", run.snapshot());
    }
    assert_eq!(std::fs::read(project.env.root().join("linked/.beads/beads.jsonl")).unwrap(), before);
    assert!(!project.env.root().join("linked/.beads/run").exists());
    linked(&["list"]).ok();
    let doctor = linked(&["doctor"]);
    assert!(doctor.stdout.contains(".git") && doctor.stdout.contains("is not there"), "{}", doctor.snapshot());
    sh(&project.env, "cd moved; git worktree repair ../linked 2>/dev/null");
    linked(&["add", "Planned"]).ok();
    assert_eq!(std::fs::read(project.env.root().join("linked/.beads/beads.jsonl")).unwrap(), before);
}

#[test]
fn an_hg_share_whose_source_was_moved_is_not_written() {
    let Some(project) = Project::single().filter(|_| have(&["hg"])) else { return };
    sh(
        &project.env,
        "hg init main; cd main; mkdir .beads; echo '{\"id\":\"m-1\",\"title\":\"T\"}' > .beads/beads.jsonl; hg add -q .beads; \
         hg commit -q -m a -u t; cd ..; hg --config extensions.share= share -q main shared; mv main elsewhere",
    );
    project.env.bd(["-C", "../shared", "list"]).ok();
    project.env.bd(["-C", "../shared", "add", "PRIVATE"]).fails(1, &["sharedpath", "is not there"]);
}

/// A path is not a server, and an empty one has no history: the planning repo still knows it, even when synced alone.
#[test]
fn a_server_that_is_a_path_is_known_from_inside() {
    let Some(project) = Project::single() else { return };
    sh(
        &project.env,
        "git init -q --bare hub.git; git init -q --bare mine.git; cd web; git remote add origin ../hub.git",
    );
    project.env.bd(["init", "--contributor", "-q"]).ok();
    project.env.bd(["add", "SECRET"]).ok();
    let root = project.env.root().display().to_string();
    let planning = "cd home/.beads-planning; git remote remove origin 2>/dev/null || true";
    let follow = "git config branch.$(git branch --show-current).remote origin; git config branch.$(git branch --show-current).merge refs/heads/plan";
    for remote in [
        format!("git remote add origin file://{root}/hub.git"),
        format!("git remote add origin {root}/mine.git; git remote set-url --push origin {root}/hub.git"),
    ] {
        sh(&project.env, &format!("{planning}; {remote}; {follow}"));
        for place in ["../home/.beads-planning", "."] {
            let run = project.env.bd(["-C", place, "sync"]);
            assert_ne!(run.code, 0, "{remote} in {place}: {}", run.snapshot());
        }
        assert_eq!(objects(&project, &project.env.root().join("hub.git")), "", "{remote}");
    }
    assert!(!sh(&project.env, "cat home/.beads-planning/.beads/beads.jsonl").contains("hub"), "no path in the line");
}
