//! Registering the merge driver with git: beside existing settings, once, and removable byte for byte.

use crate::support::project::{Project, listing};

fn driver(project: &Project) -> String {
    let run = project.git("config --local merge.bd.driver");
    run.stdout.trim_end().to_owned()
}

fn attribute(project: &Project, file: &str) -> String {
    let mut git = project.env.command("git");
    git.args(["check-attr", "merge", "--", file]);
    let text = project.run(git, "check-attr").ok().stdout;
    text.trim_end().rsplit(": ").next().unwrap_or_default().to_owned()
}

#[test]
fn alone_and_gone_again() {
    let Some(project) = Project::single() else { return };
    project.env.write(".git/info/attributes", "*.png binary");
    let before = listing(&project.env.path(""));
    let run = project.env.bd(["hooks", "install", "--merge-driver-only"]).ok();
    assert!(
        run.stdout.contains("pre-commit  absent") && run.stdout.contains("merge       installed"),
        "{}",
        run.snapshot()
    );
    assert!(driver(&project).ends_with(" merge-driver %O %A %B %L %P; s=$?; [ $s -le 1 ] && exit $s; exit 129"));
    assert_eq!(attribute(&project, ".beads/beads.jsonl"), "bd");
    assert_eq!(attribute(&project, "x.png"), "unset");
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    let installed = listing(&project.env.path(""));
    project.env.bd(["hooks", "install", "--merge-driver-only"]).fails(0, &[]);
    assert_eq!(listing(&project.env.path("")), installed, "twice is once");
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(listing(&project.env.path("")), before);
    project.env.bd(["hooks", "install", "--no-merge-driver"]).ok();
    assert_eq!((driver(&project), attribute(&project, ".beads/beads.jsonl")), (String::new(), "unspecified".into()));
}

#[test]
fn by_init_and_in_both_orders() {
    let Some(project) = Project::single() else { return };
    let before = listing(&project.env.path(""));
    let run = project.env.bd(["init", "--merge-driver"]).ok();
    assert!(run.stdout.contains("merge driver registered"), "{}", run.snapshot());
    assert_eq!(attribute(&project, ".beads/beads.jsonl"), "bd");
    project.env.bd(["hooks", "install"]).ok();
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(listing(&project.env.path("")), before);
}

#[test]
fn a_value_of_the_users_stays() {
    let Some(project) = Project::single() else { return };
    project.git("config merge.bd.driver other-program").ok();
    let before = listing(&project.env.path(""));
    project.env.bd(["hooks", "install"]).fails(5, &["other-program", "--no-merge-driver"]);
    assert_eq!(listing(&project.env.path("")), before);
    // Our own registration from another path is replaced, and comes back.
    let mut git = project.env.command("git");
    git.args(["config", "merge.bd.driver", "/old/bd merge-driver %O %A %B"]);
    project.run(git, "config").ok();
    project.env.bd(["hooks", "install"]).ok();
    assert!(!driver(&project).starts_with("/old/bd"), "{}", driver(&project));
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(driver(&project), "/old/bd merge-driver %O %A %B");
}

#[test]
fn shared_with_the_other_clones() {
    let Some(project) = Project::single() else { return };
    project.env.write(".gitattributes", "*.jsonl merge=union\n");
    project.git("add -A").ok();
    project.git("commit -qm union").ok();
    project.env.bd(["doctor"]).fails(0, &[]);
    assert!(project.env.bd(["doctor"]).stdout.contains("merge=union is in effect"));
    let before = listing(&project.env.path(""));
    let run = project.env.bd(["hooks", "install", "--shared"]).ok();
    assert!(run.stderr.contains("in every other clone"), "{}", run.snapshot());
    assert_eq!(attribute(&project, ".beads/beads.jsonl"), "bd");
    assert_eq!(project.git("status --porcelain").ok().stdout, " M .gitattributes\n");
    assert!(!project.env.bd(["doctor"]).stdout.contains("union"));
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(listing(&project.env.path("")), before);
}

/// A directory whose name means something else in a pattern, and a ledger of another name.
#[test]
fn odd_names() {
    let Some(project) = Project::single() else { return };
    for name in ["a b", "it's [x]*", "-dash", "ü \"q\""] {
        let directory = project.env.path(name);
        std::fs::create_dir_all(&directory).unwrap();
        let bd = |args: &[&str]| project.env.bd([&["-C", directory.to_str().unwrap()][..], args].concat()).ok();
        bd(&["init", "--here", "-q", "--ledger-name", "my ledger.jsonl"]);
        bd(&["hooks", "install", "--merge-driver-only"]);
        assert_eq!(attribute(&project, &format!("{name}/.beads/my ledger.jsonl")), "bd", "{name}");
        assert_eq!(attribute(&project, "a x/.beads/my ledger.jsonl"), "unspecified");
        bd(&["hooks", "uninstall"]);
        assert_eq!(attribute(&project, &format!("{name}/.beads/my ledger.jsonl")), "unspecified", "{name}");
    }
}
