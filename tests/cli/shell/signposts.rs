//! Words of the original and of other programs: each works, or is answered with what to do here.

use crate::support::harness::Env;

/// The commands of the original, each with its flags.
const ORIGINAL: &str = "
create: --type --priority --description --assignee --labels --deps --parent --design --acceptance --notes --id --external-ref --estimate --due --defer --metadata --body-file --stdin --file --graph --validate --dry-run --silent --repo --waits-for --append-notes --design-file --no-inherit-labels
q:
todo:
todo add:
todo list:
todo done:
create-form:
list: --status --type --priority --priority-min --priority-max --assignee --no-assignee --label --label-any --label-pattern --label-regex --exclude-label --exclude-type --parent --no-parent --id --title --title-contains --desc-contains --notes-contains --created-after --created-before --updated-after --updated-before --closed-after --closed-before --due-after --due-before --defer-after --defer-before --overdue --deferred --ready --all --limit --sort --reverse --tree --flat --long --format --watch --metadata-field --empty-description --no-labels --pinned
show: --short --long --children --refs --thread --as-of --current --watch --include-dependents --include-comments
ready: --limit --priority --assignee --unassigned --label --label-any --exclude-label --exclude-type --type --parent --mol --sort --claim --explain --include-deferred --gated --pretty --plain
update: --status --claim --append-notes --add-label --remove-label --set-labels --parent --set-metadata --unset-metadata --metadata --defer --due --title --description
close: --reason --reason-file --force --suggest-next --continue --claim-next
reopen:
delete: --force --cascade --from-file --dry-run
edit:
note:
assign:
priority:
tag:
comment:
comments:
comments add:
label add:
label remove:
label list:
label list-all:
label propagate:
defer: --until
undefer:
promote:
rename:
search:
query:
count: --by-status --by-priority --by-type --by-assignee --by-label
stale: --days
status: --no-activity
stats:
statuses:
types:
history:
diff:
lint:
duplicates: --auto-merge
find-duplicates:
orphans:
dep add: --type --blocked-by --depends-on --file --no-cycle-check
dep: --blocks
dep remove:
dep list:
dep tree: --direction --format
dep cycles:
dep relate:
dep unrelate:
link:
children:
graph:
graph check:
blocked: --parent
epic status:
epic close-eligible:
duplicate: --of
supersede: --with
swarm create:
swarm list:
swarm status:
swarm validate:
gate create:
gate list:
gate check:
gate resolve:
gate discover:
repo add:
repo remove:
repo list:
repo sync:
migrate issues: --from --to
ship:
init: --contributor --team --role --force --stealth --non-interactive
where:
context:
move: --to
refile:
dolt push:
dolt pull:
vc status:
vc merge:
branch:
export: --output --all --scrub --include-memories
import: --input --dry-run --dedup
backup init:
bootstrap:
federation:
sync: --full --no-pull --no-push --flush-only --import-only --merge --from-main --status --check --resolve --ours --theirs --manual --squash --accept-rebase --set-mode --no-git-history
merge:
resolve-conflicts:
daemon start:
prime:
onboard:
setup:
quickstart:
human list:
human respond:
human dismiss:
remember:
recall:
memories:
forget:
kv:
audit record:
audit label:
set-state:
state:
merge-slot:
mail:
mol:
formula:
cook:
preflight:
doctor: --fix --deep --perf --agent --check
gc:
compact:
flatten:
prune:
purge:
admin compact:
admin cleanup:
admin reset:
rename-prefix:
restore:
batch:
sql:
hooks install:
hooks uninstall:
hooks list:
hooks run:
worktree create:
worktree list:
worktree remove:
worktree info:
config get:
config set:
config list:
config show:
config drift:
config apply:
info:
ping:
upgrade:
completion:
github sync:
gitlab pull:
jira push:
linear status:
ado sync:
notion sync:
activity:
";

#[test]
fn every_word_of_the_original_works_or_is_answered() {
    let env = Env::new();
    let is_answered = |typed: &[&str]| {
        let run = env.bd(typed.iter().copied());
        let is_unknown =
            ["unrecognized subcommand", "unexpected argument"].iter().any(|word| run.stderr.contains(word));
        let is_guess = run.stderr.contains("a similar");
        assert!(!is_unknown || run.stderr.contains("hint: ") && !is_guess, "{}", run.snapshot());
        !is_unknown
    };
    let mut counts = (0, 0);
    for line in ORIGINAL.lines().filter(|line| !line.is_empty()) {
        let (command, flags) = line.split_once(':').unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        let with = |last: &[&'static str]| [words.as_slice(), last].concat();
        if !is_answered(&with(&["--help"])) {
            counts.0 += 1;
            continue;
        }
        for flag in flags.split_whitespace() {
            let typed = [words.as_slice(), &[flag, "--help"]].concat();
            counts.1 += usize::from(!is_answered(&typed));
        }
    }
    assert!(counts.0 > 40 && counts.1 > 30, "the table is used: {counts:?}");
}

#[test]
fn words_of_other_programs_are_answered() {
    let env = Env::new();
    for (typed, advice) in [
        ("issue list", "`bd list`"),
        ("pull", "`bd sync`"),
        ("next", "`bd ready`"),
        ("modify bd-a", "`bd update ID`"),
        ("histroy", "`bd log ID`"),
        ("repo sync", "`bd sync`"),
        ("list --stat open", "'--status'"),
        ("add x --prio 1", "'--priority'"),
        ("add x --body B", "'--description'"),
        ("undo -n 3", "`bd undo 3`"),
        ("close bd-a --comment c", "'--reason'"),
        ("note bd-a -m t", "the text needs no flag"),
        ("list -n -1", "below zero"),
        ("help history", "`bd log ID`"),
    ] {
        let run = env.bd(typed.split(' ')).fails(2, &["hint: ", advice]);
        assert!(!run.stderr.contains("to pass"), "{}", run.snapshot());
    }
    let page = env.bd(["help", "other-tools"]).ok().stdout;
    assert!(page.contains("history, show --as-of") && page.contains("From gh, git and Taskwarrior:"), "{page}");
    let told = env.bd(["lst", "--json"]).fails(2, &[]);
    assert!(told.stderr.contains("\"hint\":\"a similar subcommand exists: 'list'\""), "{}", told.snapshot());
}

/// The page for those who come from the original has the same table.
#[test]
fn the_page_has_each_row() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/from-beads.md")).unwrap();
    let help = Env::bare().bd(["help", "other-tools"]).ok().stdout;
    let rows = help.split("From beads:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let lines: Vec<&str> = rows.lines().map(str::trim).collect();
    assert!(lines.len() > 100, "{rows}");
    for row in lines.chunks(2) {
        let words: Vec<String> = row[0].split(", ").map(|word| format!("`{word}`")).collect();
        let line = format!("| {} | {} |", words.join(", "), row[1]);
        assert!(page.contains(&line), "{line}");
    }
    let section = page.split("## Commands and flags that are not here").nth(1).unwrap().split("\n## ").next().unwrap();
    assert_eq!(section.matches("\n| `").count(), lines.len() / 2);
}

/// The user's own alias wins.
#[test]
fn an_alias_is_not_answered() {
    let env = Env::new();
    env.given("add One --id bd-a");
    env.bd(["config", "set", "alias.next", "ready"]).ok();
    assert!(env.bd(["next"]).ok().stdout.contains("bd-a"));
}

#[test]
fn words_where_ids_belong_are_explained() {
    let env = Env::new();
    env.given("add One --id bd-a");
    env.bd(["close", "bd-a", "fixed", "it"]).fails(3, &["a reason follows -r: `bd close ID -r \"fixed it\"`"]);
    env.bd(["label", "add", "bd-a", "ui2", "ui3"]).fails(3, &["`bd label add ID ui2,ui3`"]);
    env.bd_with(["note", "bd-a", "-"], Some("from a pipe\n"), &[]).ok();
    assert!(env.ledger_text().contains("from a pipe"));
    env.bd(["assign", "bd-a", "bob"]).ok();
    assert!(env.ledger_text().contains(r#""assignee":"bob""#));
}

#[test]
fn a_database_of_the_original_is_named_and_nothing_is_begun_beside_it() {
    for (file, is_directory) in [("dolt/x/.dolt", true), ("beads.db", false)] {
        let env = Env::bare();
        let place = env.path(".beads").join(file);
        std::fs::create_dir_all(if is_directory { &place } else { place.parent().unwrap() }).unwrap();
        if !is_directory {
            std::fs::write(&place, "SQLite format 3").unwrap();
        }
        for command in ["list", "init", "doctor", "add One"] {
            let wanted = ["a database of another bd", "bd export -o", "issues.jsonl", "bd init --empty"];
            env.bd(command.split(' ')).fails(9, &wanted);
        }
        env.bd(["init", "--empty"]).ok();
        env.bd(["add", "One"]).ok();
        assert!(env.bd(["doctor"]).stdout.contains("a database of the original bd"));
    }
}

/// Agents read an exit code of 2 of a hook as a refusal.
#[test]
fn hooks_of_the_original_stop_no_agent() {
    let env = Env::new();
    env.given("add One --id bd-a");
    for line in ["codex-hook UserPromptSubmit", "codex-hook", "prime --memories-only"] {
        assert_eq!(env.bd(line.split(' ')).ok().stdout, "", "{line}");
    }
    for line in ["codex-hook SessionStart", "prime --hook-json", "prime --stealth", "prime --mcp", "prime --export"] {
        assert!(env.bd_with(line.split(' '), Some("{}"), &[]).ok().stdout.contains("bd-a"), "{line}");
    }
    env.bd(["sync", "--import-only", "--no-git-history"]).ok();
}

#[test]
fn metadata_is_changed_key_by_key() {
    let env = Env::new();
    env.given("add One --id bd-a");
    let metadata = || env.bd(["show", "bd-a", "--json"]).ok().json()[0]["metadata"].clone();
    env.bd(["update", "bd-a", "--set-metadata", "team=core", "--set-metadata", "size=3"]).ok();
    assert_eq!(metadata(), serde_json::json!({"team": "core", "size": 3}));
    env.bd(["update", "bd-a", "--unset-metadata", "team"]).ok();
    assert_eq!(metadata(), serde_json::json!({"size": 3}));
    env.bd(["update", "bd-a", "--metadata", r#"{"a":[1]}"#]).ok();
    assert_eq!(metadata(), serde_json::json!({"a": [1]}));
    env.bd(["update", "bd-a", "--metadata", ""]).ok();
    assert!(!env.ledger_text().contains("metadata"));
    env.bd(["update", "bd-a", "--metadata", "[1"]).fails(2, &["is not JSON"]);
    env.bd(["update", "bd-a", "--set-metadata", "x"]).fails(2, &["KEY=VALUE"]);
    env.bd(["update", "bd-a", "--metadata", "[1]"]).ok();
    env.bd(["update", "bd-a", "--set-metadata", "x=1"]).fails(8, &["unexpected type"]);
}
