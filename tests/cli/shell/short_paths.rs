//! Text for people names places from where they are, or from their home, never by the whole path. JSON does.

use std::path::Path;

use crate::support::checkouts::Family;
use crate::support::harness::Run;

/// A project in a home.
struct Home {
    family: Family,
    whole: String,
}

impl Home {
    /// `None`, with a word about it, if git is not installed.
    fn new() -> Option<Self> {
        let family = Family::new()?;
        let home = family.env().root();
        family.env().set("HOME", &home);
        std::fs::create_dir(family.web().join("src")).unwrap();
        Some(Home { whole: home.display().to_string(), family })
    }

    /// Nothing that a person sees of a command holds the whole path of the home.
    fn runs(&self, directory: &Path, line: &str) -> Run {
        let run = self.family.bd(directory, line);
        let is_whole = |text: &str| text.contains(&self.whole);
        assert!(!is_whole(&run.stdout) && !is_whole(&run.stderr), "{}", run.snapshot());
        run
    }

    /// Runs the commands of a text, one per line; each must succeed.
    fn all(&self, text: &str) -> String {
        let lines = text.lines().map(str::trim);
        lines.map(|line| self.runs(&self.family.web(), line).ok().snapshot()).collect()
    }
}

#[test]
fn no_answer_shows_the_whole_path_of_the_home() {
    let Some(home) = Home::new() else { return };
    let said = home.all(
        "init --merge-driver
        where
        info
        role
        state
        state move --to global --dry-run
        add Two --dry-run
        show bd-base
        config set prune.auto 30d
        config set --user lease.ttl 20m
        config list --origin
        setup claude
        setup claude --check
        setup claude --remove
        setup claude --user
        man --install
        hooks install
        hooks status
        hooks uninstall
        trust --dry-run
        export -o open.jsonl
        prune --dry-run
        migrate --ledger issues.jsonl --dry-run
        sync --dry-run --no-pull
        doctor
        validate
        claim bd-base
        checkpoint add bd-base -m Half --snapshot
        checkpoint restore bd-base#1 --to ../half
        resume bd-base
        init --contributor ~/plan
        repo list
        trust --dry-run
        setup claude",
    );
    for text in ["~/home/config/beads/config.toml", "Exported 1 issue to open.jsonl", "bd-base#1", "made: ~/plan/"] {
        assert!(said.contains(text), "no {text}\n{said}");
    }
}

#[test]
fn no_answer_about_checkouts_shows_it() {
    let Some(home) = Home::new() else { return };
    let (web, src) = (home.family.web(), home.family.web().join("src"));
    home.all(
        "worktree create more
        worktree list
        worktree info more
        status --all-worktrees
        workspace create --issue bd-base
        workspace list
        workspace show bd-base
        workspace du
        workspace gc
        workspace list --orphans
        agent register bob
        agent show bob",
    );
    home.runs(&src, "worktree remove more").ok();
    home.runs(&src, "workspace remove bd-base --dry-run").ok();
    let path = home.family.bd(&web, "workspace path bd-base").ok();
    assert!(path.stdout.starts_with(&home.whole), "it is made to be captured\n{}", path.snapshot());
    let json = home.family.bd(&web, "workspace show bd-base --json").ok().json();
    assert!(json["path"].as_str().unwrap().starts_with(&home.whole), "{json}");
}

#[test]
fn no_warning_and_no_error_shows_it() {
    let Some(home) = Home::new() else { return };
    let (web, src) = (home.family.web(), home.family.web().join("src"));
    home.runs(&home.family.path("tmp"), "list").fails(9, &["error: no .beads directory at or above ~/tmp\n"]);
    let ledger = home.family.env().ledger_text();
    home.family.env().put_ledger(format!("{ledger}{{\"id\":\n"));
    home.runs(&web, "list").fails(0, &["warning: .beads/beads.jsonl:2: "]);
    home.runs(&src, "list").fails(0, &["warning: ~/web/.beads/beads.jsonl:2: "]);
    assert!(home.runs(&web, "doctor").stdout.starts_with("damaged: .beads/beads.jsonl:2: "));
    home.runs(&web, "doctor --fix").ok();
    home.family.env().put_ledger(format!("<<<<<<< ours\n{ledger}=======\n{ledger}>>>>>>> theirs\n"));
    home.runs(&src, "update bd-base --title Three").fails(8, &["error: ~/web/.beads/beads.jsonl:1: "]);
    home.runs(&src, "resolve").ok();
    home.runs(&web, "export -o .beads/beads.jsonl").fails(2, &["error: ~/web/.beads/beads.jsonl is a ledger"]);
    home.runs(&web, "-C ../none list").fails(2, &["no such directory: ~/web/../none"]);
}
