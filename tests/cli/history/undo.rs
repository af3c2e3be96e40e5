//! Undoing one's own writes: every command that writes, undone, redone and undone again.

use std::collections::BTreeSet;

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::effort::pick;
use crate::support::harness::{Env, Run};
use crate::support::programs::put;
use crate::support::project::Project;
use crate::support::repos::joined;

/// Where a write is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A repo with a few issues.
    Alone,
    /// A project with another repo in it.
    Joined,
    /// A contributor with a planning repo.
    Contributor,
    /// The one who decides over what the contributor proposed.
    Maintainer,
    /// A working copy of git, from which a checkout took out what was written.
    Git,
    /// A working copy of git with everything committed.
    Committed,
}

const MAINTAINER: [(&str, &str); 3] = [("BD_MODE", "single"), ("BD_ROLE", "maintainer"), ("BD_ACTOR", "max")];

/// Where, what was done before, and the write itself. `*` before a command makes it the maintainer's.
const WRITES: &[(Place, &str, &str)] = &[
    (Place::Alone, "", "add New --id bd-n --deps bd-1 -l z"),
    (Place::Alone, "", "add -f plan.md"),
    (Place::Alone, "", "q Quick"),
    (Place::Alone, "", "batch batch.jsonl"),
    (Place::Alone, "", "update 1 --status in_progress"),
    (Place::Alone, "", "update 1 2 --priority 0"),
    (Place::Alone, "", "update --where status=open --priority 0 --yes"),
    (Place::Alone, "", "update 1 --status closed --force"),
    (Place::Alone, "", "update 1 --type bug"),
    (Place::Alone, "", "update 1 --title Other"),
    (Place::Alone, "", "update 1 --description Other"),
    (Place::Alone, "", "update 1 --body-file body.txt"),
    (Place::Alone, "", "update 1 --stdin"),
    (Place::Alone, "", "update 1 --design Other"),
    (Place::Alone, "", "update 1 --acceptance Other"),
    (Place::Alone, "", "update 1 --notes Other"),
    (Place::Alone, "", "update 1 --append-notes Other"),
    (Place::Alone, "", "update 1 --assignee bob"),
    (Place::Alone, "", "update 1 --external-ref gh-1"),
    (Place::Alone, "", "update 1 --estimate 5"),
    (Place::Alone, "", "update 1 --metadata {\"a\":1}"),
    (Place::Alone, "", "update 1 --set-metadata a=1"),
    (Place::Alone, "update 1 --set-metadata a=1", "update 1 --unset-metadata a"),
    (Place::Alone, "", "update 1 --due 2026-03-01"),
    (Place::Alone, "", "update 1 --defer 2026-03-01"),
    (Place::Alone, "", "update 1 --add-label z"),
    (Place::Alone, "", "update 1 --remove-label x"),
    (Place::Alone, "", "update 1 --set-labels z"),
    (Place::Alone, "", "update 1 --parent e"),
    (Place::Alone, "", "update p --parent="),
    (Place::Alone, "", "update 1 --claim"),
    (Place::Alone, "", "dep relate 1 2"),
    (Place::Alone, "dep relate 1 2", "dep unrelate 1 2"),
    (Place::Alone, "", "duplicate 1 --of 2"),
    (Place::Alone, "", "supersede 1 --with 2"),
    (Place::Alone, "", "close 1 --duplicate-of 2"),
    (Place::Alone, "", "close 1 --superseded-by 2"),
    (Place::Alone, "", "defer l --clear"),
    (Place::Alone, "", "human respond 1 -r yes"),
    (Place::Alone, "", "human dismiss 1"),
    (Place::Alone, "add test-1 --id bd-t", "detect-pollution --clean --yes"),
    (Place::Alone, "", "rename-prefix web"),
    (Place::Contributor, "add Plan --id pl-9", "update pl-9 --project="),
    (Place::Alone, "", "update 1 --status closed --priority 4 --title Other --add-label z --notes n"),
    (Place::Alone, "", "status 1 blocked"),
    (Place::Alone, "", "work 1 2"),
    (Place::Alone, "", "claim 1"),
    (Place::Alone, "claim 1", "release 1"),
    (Place::Alone, "", "assign 1 person:bob"),
    (Place::Alone, "", "close 1 -r why"),
    (Place::Alone, "", "close 1 --suggest-next"),
    (Place::Alone, "", "reopen d -r back"),
    (Place::Alone, "", "reopen g"),
    (Place::Alone, "", "defer 1 --until 2027-02-01"),
    (Place::Alone, "", "undefer l"),
    (Place::Alone, "", "delete 1 2 --yes -r no"),
    (Place::Alone, "", "edit 1"),
    (Place::Alone, "", "note 1 more"),
    (Place::Alone, "", "note 2 first"),
    (Place::Alone, "", "comment 1 again"),
    (Place::Alone, "", "comments add 2 first"),
    (Place::Alone, "", "label add 1 2 new"),
    (Place::Alone, "", "label remove 1 x"),
    (Place::Alone, "", "dep add 1 d"),
    (Place::Alone, "", "dep remove 2 1"),
    (Place::Alone, "", "dep l --blocks 1"),
    (Place::Alone, "close p", "epic close-eligible"),
    (Place::Alone, "", "import more.jsonl"),
    (Place::Alone, "", "workflow create Flow --plan flow.toml"),
    (Place::Alone, FLOW, "workflow set bd-w --set k=v --title Other --max-parallel 7"),
    (Place::Alone, FLOW, "workflow start bd-w"),
    (Place::Alone, STARTED, "workflow next bd-w --claim"),
    (Place::Alone, STARTED, "workflow pause bd-w -r lunch"),
    (Place::Alone, PAUSED, "workflow resume bd-w"),
    (Place::Alone, STARTED, "workflow fail bd-w"),
    (Place::Alone, STARTED, "workflow complete bd-w --skip-open"),
    (Place::Alone, FLOW, "workflow abandon bd-w -r enough"),
    (Place::Alone, FLOW, "workflow add-task bd-w more --depends-on a"),
    (Place::Alone, FLOW, "workflow remove-task bd-w a"),
    (Place::Alone, FLOW, "workflow replan bd-w other.toml"),
    (Place::Alone, "", "template apply bugfix --var bug=x"),
    (Place::Joined, "", "migrate --move-to ~/plan --filter id=bd-own"),
    (Place::Joined, "", "migrate --move-to . --filter id=plan-far"),
    (Place::Joined, "", "close own far"),
    (Place::Joined, "", "add Far --repo ~/plan --id plan-n"),
    (Place::Contributor, "", "add Private --id pl-n"),
    (Place::Contributor, "", "propose pl-1"),
    (Place::Contributor, "propose pl-1", "update pl-1 --title Other"),
    (Place::Contributor, "propose pl-1", "note pl-1 more"),
    (Place::Contributor, "propose pl-1", "withdraw pl-1"),
    (Place::Contributor, "propose pl-1\n* accept pl-1", "proposals reconcile"),
    (Place::Contributor, "propose pl-1\n* reject pl-1 --reason no", "proposals reconcile"),
    (Place::Maintainer, "propose pl-1", "* accept pl-1"),
    (Place::Maintainer, "propose pl-1", "* reject pl-1 --reason no"),
    (Place::Git, "add One --id bd-1", "recover"),
    (Place::Committed, "close base -r done", "prune --closed-before 2026-12-31"),
    (Place::Committed, "close base -r done", "restore base --at HEAD~1"),
];

/// A workflow of two tasks, and what may become of it.
const FLOW: &str = "workflow create Flow --id bd-w --plan flow.toml";
const STARTED: &str = "workflow create Flow --id bd-w --plan flow.toml\nworkflow start bd-w";
const PAUSED: &str = "workflow create Flow --id bd-w --plan flow.toml\nworkflow start bd-w\nworkflow pause bd-w";

/// Commands that write no issue, or only repair files.
const OTHERS: &[&str] = &[
    "fleet",
    "init",
    "ready",
    "list",
    "show",
    "search",
    "why",
    "doctor",
    "help",
    "blocked",
    "children",
    "stats",
    "triage",
    "graph",
    "lint",
    "log",
    "blame",
    "diff",
    "changelog",
    "config",
    "repo",
    "check-leaks",
    "hooks",
    "trust",
    "commit",
    "sync",
    "export",
    "resolve",
    "agent",
    // These write what claim and release write.
    "run",
    "reclaim",
    "leases",
    "mail",
    "watch",
    "reserve",
    "checkpoint",
    "resume",
    "context",
    "workspace",
    "worktree",
    // git takes a merge back.
    "land",
    "info",
    "quickstart",
    // A server; what its tools write is undone like any other write.
    "mcp",
    "onboard",
    "setup",
    "prime",
    "undo",
    "label list",
    "label list-all",
    "dep list",
    "dep tree",
    "dep cycles",
    "epic status",
    "comments list",
    "workflow list",
    "workflow show",
    "workflow progress",
    // These write to the state home alone.
    "workflow lock",
    "workflow unlock",
    "workflow wait",
    // These write files other than ledgers.
    "workflow template",
];

/// Options of `update` that change nothing by themselves.
const GLOBAL: [&str; 10] =
    ["json", "ndjson", "directory", "actor", "agent", "color", "no-pager", "quiet", "config", "help"];

struct Stage {
    env: Env,
    maintains: bool,
}

impl Stage {
    fn new(place: Place, given: &str) -> Option<Self> {
        let env = match place {
            Place::Joined => joined(),
            Place::Git | Place::Committed => Project::single()?.env,
            Place::Alone | Place::Contributor | Place::Maintainer => Env::new(),
        };
        let stage = Stage { env, maintains: place == Place::Maintainer };
        if place == Place::Alone {
            stage.env.given(
                "add One --id bd-1 -l x,y -d text --notes words
                 add Two --id bd-2 --deps bd-1
                 add Epic --id bd-e -t epic
                 add Part --id bd-p --parent bd-e
                 add Done --id bd-d
                 close d -r done
                 add Gone --id bd-g
                 delete g --yes
                 add Later --id bd-l
                 defer l --until 2027-01-01
                 comment 1 hello",
            );
            stage.env.write(
                "batch.jsonl",
                "{\"op\":\"add\",\"title\":\"New\"}\n{\"op\":\"update\",\"id\":\"bd-1\",\"priority\":0}\n",
            );
            stage.env.write("plan.md", "## First\n\nwords\n\n## Second\n");
            let flow = "[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\ndepends_on = [\"a\"]\n";
            stage.env.write("flow.toml", flow);
            stage.env.write("other.toml", "[[tasks]]\nname = \"b\"\n[[tasks]]\nname = \"c\"\n");
            stage.env.write("body.txt", "Other words\n");
            let newer =
                "{\"id\":\"bd-1\",\"title\":\"Newer\",\"status\":\"open\",\"updated_at\":\"2027-01-01T00:00:00Z\"}\n";
            let other = "{\"id\":\"x-1\",\"title\":\"Theirs\",\"status\":\"open\",\"updated_at\":\"2026-01-01T00:00:00Z\",\"odd\":1.50}\n";
            let deletion = "{\"id\":\"bd-2\",\"ts\":\"2026-01-01T00:00:00Z\",\"by\":\"bob\",\"reason\":\"no\"}\n";
            stage.env.write("more.jsonl", [newer, other, deletion].concat());
            let editor = stage.env.path("../editor.sh");
            put(&editor, "#!/bin/sh\nsed -i 's/^text$/other/; s/^One$/Uno/' \"$1\"\n");
            stage.env.set("EDITOR", format!("'{}'", editor.display()));
        }
        if matches!(place, Place::Contributor | Place::Maintainer) {
            stage.env.bd_with(["add", "Upstream", "--id", "bd-up", "-q"], None, &MAINTAINER).ok();
            stage.env.given("init --contributor -q\nadd Plan --id pl-1 -l ui -d Why --notes secret");
        }
        for line in given.lines().map(str::trim).filter(|line| !line.is_empty()) {
            stage.bd(line).ok();
        }
        let git: &[&str] = match place {
            Place::Git => &["checkout", "-q", "--", ".beads"],
            Place::Committed => &["commit", "-qam", "given"],
            _ => &[],
        };
        if !git.is_empty() {
            stage.env.user().git(&stage.env.path(""), git);
        }
        Some(stage)
    }

    fn bd(&self, line: &str) -> Run {
        let (line, vars) = match line.strip_prefix("* ") {
            Some(line) => (line, &MAINTAINER[..]),
            None => (line, &[][..]),
        };
        let stdin = line.contains("--stdin").then_some("From standard input\n");
        self.env.bd_with(line.split(' '), stdin, vars)
    }

    fn undo(&self, more: &str) -> Run {
        let who = if self.maintains { "* " } else { "" };
        self.bd(&format!("{who}undo{more}"))
    }

    /// All that the ledgers say, and what `bd list` makes of it, but for the times of edits.
    fn view(&self) -> Value {
        let who = if self.maintains { "* " } else { "" };
        let mut listed = self.bd(&format!("{who}list --all --copies --limit 0 --json")).ok().json();
        timeless(&mut listed);
        let mut lines = Vec::new();
        for ledger in ["web", "home/plan", "home/.beads-planning"] {
            let path = self.env.root().join(ledger).join(".beads/beads.jsonl");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            for line in text.lines().filter(|line| !line.is_empty()) {
                let mut line: Value = serde_json::from_str(line).unwrap();
                timeless(&mut line);
                lines.push(serde_json::json!([ledger, line]));
            }
        }
        serde_json::json!([listed, lines])
    }
}

/// Takes out the times of edits, and what only repeats them.
fn timeless(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(timeless),
        Value::Object(map) => {
            map.remove("updated_at");
            // When the status was set: an undo sets it again.
            map.remove("field_times");
            map.remove("synced");
            map.values_mut().for_each(timeless);
        }
        _ => {}
    }
}

#[test]
fn every_write_goes_back_and_comes_again() {
    std::thread::scope(|scope| {
        // A third of them at the smoke level.
        let each = |some: &'static [(Place, &str, &str)]| some.iter().step_by(pick(3, 1, 1)).for_each(there_and_back);
        WRITES.chunks(8).for_each(|some| drop(scope.spawn(move || each(some))));
    });
}

fn there_and_back((place, given, write): &(Place, &str, &str)) {
    let Some(stage) = Stage::new(*place, given) else { return };
    let story = format!("{place:?}: {given}; {write}");
    let before = stage.view();
    stage.bd(write).ok();
    let after = stage.view();
    assert_ne!(before, after, "{story}: it writes something");
    let shown = stage.undo("").ok();
    assert!(shown.stdout.starts_with("Would undo:\n"), "{}", shown.snapshot());
    let command = write.trim_start_matches("* ").split(' ').next().unwrap();
    assert!(shown.stdout.contains(&format!("\n  bd {command}")), "{}", shown.snapshot());
    assert_eq!(stage.view(), after, "{story}: looking changes nothing");
    stage.undo(" --yes --dry-run").ok();
    assert_eq!(stage.view(), after, "{story}: nor does --dry-run");
    stage.undo(" --yes").ok();
    assert_eq!(stage.view(), before, "{story}: undo");
    stage.undo(" --yes").ok();
    assert_eq!(stage.view(), after, "{story}: undo of the undo");
    stage.undo(" --yes").ok();
    assert_eq!(stage.view(), before, "{story}: and once more");
    stage.undo(" 2 --yes").ok();
    assert_eq!(stage.view(), before, "{story}: an undo and its undo come to nothing");
    let health = stage.bd("recover --dry-run").ok();
    assert_eq!(health.stdout, "", "{story}: nothing is missed");
    assert!(!stage.bd("list").ok().stderr.contains("another program"), "{story}: nothing is missed");
}

/// The names at the beginning of indented lines below a heading.
fn names(text: &str, heading: &str) -> Vec<String> {
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    let below = below.take_while(|line| line.starts_with("  "));
    below.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn every_command_of_the_help_is_known_to_write_or_not() {
    let env = Env::bare();
    let help = env.bd(["help", "--all"]).ok().stdout;
    let headings: Vec<&str> = help.lines().filter(|line| !line.starts_with(' ') && line.ends_with(':')).collect();
    assert!(headings.len() >= 5, "{headings:?}");
    let written = |name: &str| {
        WRITES.iter().any(|(_, _, write)| {
            let write = write.trim_start_matches("* ");
            write.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ') || rest.is_empty())
        })
    };
    let mut seen = BTreeSet::new();
    // The help leaves out what another command does too.
    let unlisted = ["q", "comments", "stats", "children", "info", "onboard", "quickstart"].map(str::to_owned);
    for name in headings.iter().flat_map(|heading| names(&help, heading)).chain(unlisted) {
        if OTHERS.contains(&name.as_str()) {
            seen.insert(name);
            continue;
        }
        assert!(written(&name), "bd {name} is neither among the writes nor among the others");
        for sub in names(&env.bd([&name, "--help"]).ok().stdout, "Commands:") {
            let whole = format!("{name} {sub}");
            assert!(written(&whole) || OTHERS.contains(&whole.as_str()), "bd {whole} is in neither table");
            seen.insert(whole);
        }
    }
    let stale: Vec<&&str> = OTHERS.iter().filter(|name| !seen.contains(**name)).collect();
    assert!(stale.is_empty(), "no such commands: {stale:?}");
}

#[test]
fn every_option_of_update_is_taken_back() {
    let help = Env::bare().bd(["update", "--help"]).ok().stdout;
    let options = help.lines().map(str::trim).filter(|line| line.starts_with('-'));
    let options = options.filter_map(|line| line.split("--").nth(1)?.split([' ', '[', '=']).next());
    let options: Vec<&str> = options.filter(|name| !GLOBAL.contains(name)).collect();
    assert!(options.len() > 15, "{help}");
    // A dry run writes nothing that could be taken back.
    for option in options.into_iter().filter(|name| *name != "dry-run") {
        let flag = format!(" --{option}");
        let used = |write: &str| write.starts_with("update ") && write.contains(&flag);
        assert!(WRITES.iter().any(|(_, _, write)| used(write)), "update --{option} is not in the table");
    }
}

#[test]
fn what_a_person_sees() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2 --deps bd-1\nclose 1 2 -r done");
    assert_data_eq!(
        env.script(
            "undo
             undo --yes
             list
             undo 2
             undo 3 --yes
             list --all
             undo --yes
             list"
        ),
        str![[r#"
$ bd undo
Would undo:
  bd close of 2026-01-05 09:00
  Would revert close_reason, closed_at, status: bd-1
  Would revert close_reason, closed_at, status: bd-2
! hint: add --yes to undo; run `bd undo` again to take the undo back
$ bd undo --yes
Reverted close_reason, closed_at, status: bd-1
Reverted close_reason, closed_at, status: bd-2
$ bd list
bd-2  P2  open  task  Two [blocked]
bd-1  P2  open  task  One
$ bd undo 2
Would undo:
  bd undo of 2026-01-05 09:00
  bd close of 2026-01-05 09:00
! nothing to change: it is as it was before
$ bd undo 3 --yes
Removed: bd-2
$ bd list --all
bd-1  P2  open  task  One
$ bd undo --yes
Restored: bd-2
$ bd list
bd-2  P2  open  task  Two [blocked]
bd-1  P2  open  task  One

"#]]
        .raw()
    );
    assert_data_eq!(
        ["undo --json", "undo --yes --json", "undo --yes --quiet"]
            .map(|line| env.bd(line.split(' ')).compact())
            .concat(),
        str![[r#"
$ bd undo --json
{"preview":true,"writes":[{"command":"undo","at":"2026-01-05T09:00:09.000Z"}],"issues":[{"id":"bd-2","source_repo":".","action":"removed","fields":[]}],"repairs":[]}
$ bd undo --yes --json
{"preview":false,"writes":[{"command":"undo","at":"2026-01-05T09:00:09.000Z"}],"issues":[{"id":"bd-2","source_repo":".","action":"removed","fields":[]}],"repairs":[]}
$ bd undo --yes --quiet


"#]]
        .raw()
    );
}

#[test]
fn several_repos() {
    let env = joined();
    env.given("migrate --move-to ~/plan --filter id=bd-own");
    assert_data_eq!(
        env.script(
            "undo
             undo --yes
             list"
        ),
        str![[r#"
$ bd undo
Would undo:
  bd migrate of 2026-01-05 09:00
  Would restore in .: bd-own
  Would remove from ~/plan: bd-own
! hint: add --yes to undo; run `bd undo` again to take the undo back
$ bd undo --yes
Restored in .: bd-own
Removed from ~/plan: bd-own
$ bd list
bd-own    P2  open  task  BD-OWN
plan-far  P2  open  task  PLAN-FAR (~/plan)

"#]]
        .raw()
    );
}
