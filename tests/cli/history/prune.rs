//! `bd prune`: what is removed, what stays and why, and that no other issue changes.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{bd_in, ledger, ledger_path, put_issues, sh};

/// A line of an issue with these further fields.
fn line(id: &str, status: &str, more: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!(",{more}") };
    format!(
        "{{\"id\":\"{id}\",\"title\":\"{}\",\"status\":\"{status}\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2025-01-02T09:00:00Z\",\"updated_at\":\"2025-01-03T09:00:00Z\"{more}}}\n",
        id.to_uppercase()
    )
}

fn closed(id: &str, day: &str, more: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!(",{more}") };
    line(id, "closed", &format!("\"closed_at\":\"{day}T10:00:00Z\"{more}"))
}

fn waits(id: &str, kind: &str, target: &str) -> String {
    let edge = format!("{{\"issue_id\":\"{id}\",\"depends_on_id\":\"{target}\",\"type\":\"{kind}\"}}");
    line(id, "open", &format!("\"dependencies\":[{edge}]"))
}

const COMMIT: &str = "git -C web add -A && git -C web commit -qm state";

/// A project under git whose committed ledger has these bytes.
fn versioned(bytes: impl AsRef<[u8]>) -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::with_ledger(bytes);
    sh(&env, "git init -q web && git -C web config user.name t && git -C web config user.email t@example.org");
    sh(&env, COMMIT);
    Some(env)
}

fn pruned_ids(env: &Env, args: &str) -> Vec<String> {
    let run = env.bd(["prune", "--json"].into_iter().chain(args.split_whitespace())).ok();
    run.json()["pruned"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// Each kept issue with the word for why.
fn kept(env: &Env, args: &str) -> Vec<String> {
    let json = env.bd(["prune", "--dry-run", "--json"].into_iter().chain(args.split_whitespace())).ok().json();
    let kept = json["kept"].as_array().unwrap().iter();
    kept.map(|one| format!("{} {}", one["id"].as_str().unwrap(), one["reason"].as_str().unwrap())).collect()
}

#[test]
fn what_is_closed_for_long_leaves_and_all_other_bytes_stay() {
    let odd = "{\"id\":\"bd-d\",  \"x\":1e400,\"status\":\"open\",\"title\":\"\\u00e4\"}\n\nnot JSON\n";
    let (a, b) = (closed("bd-a", "2025-03-01", ""), closed("bd-b", "2026-01-01", ""));
    let c = closed("bd-c", "2025-02-01", "\"unknown\":[1, 2]");
    let Some(env) = versioned(format!("{a}{b}{c}{odd}")) else { return };
    assert_data_eq!(
        env.script("prune --dry-run\nprune\nprune"),
        str![[r#"
$ bd prune --dry-run
bd-c  closed 2025-02-01  BD-C
bd-a  closed 2025-03-01  BD-A
Would prune 2 issues from .beads/beads.jsonl: 647 bytes before, 256 bytes after
! warning: .beads/beads.jsonl:6: not a JSON object; run `bd doctor --fix` to move the line to .beads/damaged.txt
$ bd prune
bd-c  closed 2025-02-01  BD-C
bd-a  closed 2025-03-01  BD-A
Pruned 2 issues from .beads/beads.jsonl: 647 bytes before, 256 bytes after
! hint: run `bd show ID` to see one in the history, or `bd restore ID` to bring it back
! warning: .beads/beads.jsonl:6: not a JSON object; run `bd doctor --fix` to move the line to .beads/damaged.txt
$ bd prune
! nothing to prune: .beads/beads.jsonl has 256 bytes
! warning: .beads/beads.jsonl:4: not a JSON object; run `bd doctor --fix` to move the line to .beads/damaged.txt

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text(), format!("{b}{odd}"));
    assert_eq!(sh(&env, "git -C web show HEAD:.beads/beads.jsonl"), format!("{a}{b}{c}{odd}"), "nothing was committed");
}

#[test]
fn the_report_of_a_program() {
    let text = closed("bd-a", "2025-03-01", "") + &waits("bd-b", "conditional-blocks", "bd-a");
    let Some(env) = versioned(text + &closed("bd-c", "2025-03-02", "")) else { return };
    assert_data_eq!(
        env.bd(["prune", "--json", "--to-budget", "10"]).compact(),
        str![[r#"
$ bd prune --json --to-budget 10
{"dry_run":false,"source_repo":".","file":"$ROOT/web/.beads/beads.jsonl","pruned":[{"id":"bd-c","title":"BD-C","status":"closed","closed_at":"2025-03-02T10:00:00.000Z","bytes":187}],"kept":[{"id":"bd-a","reason":"needed","needed_by":["bd-b"],"message":"without it another answer would be given about bd-b"}],"bytes_before":612,"bytes_after":425,"budget":10,"fits":false}

"#]]
        .raw()
    );
}

#[test]
fn a_moment_and_a_size_choose() {
    let days = ["2025-05-01", "2025-02-01", "2025-04-01", "2025-03-01"];
    let lines: Vec<String> =
        days.iter().zip(["bd-a", "bd-b", "bd-c", "bd-d"]).map(|(day, id)| closed(id, day, "")).collect();
    let open = line("bd-e", "open", "");
    let Some(env) = versioned(lines.concat() + &open) else { return };
    let dry = |args: &str| pruned_ids(&env, &format!("--dry-run {args}"));
    assert_eq!(dry(""), ["bd-b", "bd-d", "bd-c", "bd-a"], "oldest first");
    assert_eq!(dry("--closed-before 2025-04-01"), ["bd-b", "bd-d"]);
    assert_eq!(dry("--closed-before 9mo"), ["bd-b", "bd-d", "bd-c"]);
    assert_eq!(dry("--closed-before 2025-02-01T10:00:00Z"), [""; 0], "at that moment is not before it");
    let size = env.ledger().len();
    let line = lines[0].len();
    for (budget, count) in [(size, 0), (size - 1, 1), (size - line, 1), (size - line - 1, 2), (0, 4)] {
        assert_eq!(dry(&format!("--to-budget {budget}")).len(), count, "{budget}");
    }
    assert_eq!(dry("--to-budget 0 --closed-before 2025-04-01"), ["bd-b", "bd-d"]);
    assert_eq!(dry("--to-budget 1k"), ["bd-b"; 0].map(str::to_owned), "it fits already");
    let run = env.bd(["prune", "--to-budget", "5"]).ok();
    assert!(run.stderr.contains("more than 5 bytes, and nothing else can leave"), "{}", run.snapshot());
    assert_eq!(env.ledger_text(), open);
}

#[test]
fn a_young_issue_leaves_for_a_budget_but_not_by_itself() {
    let text = closed("bd-a", "2026-01-04", "") + &line("bd-b", "open", "");
    let Some(env) = versioned(text) else { return };
    assert_eq!(pruned_ids(&env, "--dry-run"), [""; 0]);
    assert_eq!(pruned_ids(&env, "--to-budget 10"), ["bd-a"]);
}

#[test]
fn bad_input_changes_nothing() {
    let Some(env) = versioned(closed("bd-a", "2025-03-01", "")) else { return };
    let before = env.ledger();
    env.bd(["prune", "--closed-before", "soon"]).fails(2, &["invalid --closed-before format \"soon\""]);
    for size in ["-5", "big", "1.5k", "", "99999999999999999999"] {
        env.bd(["prune", &format!("--to-budget={size}")]).fails(2, &["invalid --to-budget"]);
    }
    env.bd(["prune", "--to-budget", "-5"]).fails(2, &["unexpected argument"]);
    env.bd(["prune", "--repo", "nosuch"]).fails(3, &["no repo \"nosuch\""]);
    env.bd(["prune", "bd-a"]).fails(2, &["unexpected argument"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn without_version_control_nothing_leaves() {
    let env = Env::with_ledger(closed("bd-a", "2025-03-01", ""));
    let before = env.ledger();
    for args in [&["prune"][..], &["prune", "--dry-run"]] {
        env.bd(args).fails(9, &["is not under version control", "put it under git, jj or hg"]);
    }
    assert_eq!(env.bd(["prune", "--json"]).error()["code"], "no_repository");
    assert_eq!(env.ledger(), before);
}

#[test]
fn what_is_not_committed_as_it_is_stays() {
    let Some(env) = versioned(closed("bd-a", "2025-03-01", "") + &closed("bd-b", "2025-03-01", "")) else { return };
    env.given("label add bd-a new\nadd Old --id bd-c\nclose bd-c");
    let all = "--closed-before +1d";
    assert_eq!(kept(&env, all), ["bd-a uncommitted", "bd-c uncommitted"]);
    assert_eq!(pruned_ids(&env, all), ["bd-b"]);
    assert!(env.ledger_text().contains("\"new\"") && env.ledger_text().contains("bd-c"));
    env.given("commit -q");
    assert_eq!(pruned_ids(&env, all), ["bd-a", "bd-c"]);
    assert_eq!(env.ledger_text(), "\n", "emptied, and that is no empty file");
    env.bd(["list", "--all"]).ok();
    env.given("add Next --id bd-next");
    assert_eq!(env.ledger_text().lines().count(), 1);
}

#[test]
fn an_ignored_ledger_is_in_no_commit() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::with_ledger(closed("bd-a", "2025-03-01", ""));
    sh(&env, "git init -q web; echo .beads > web/.git/info/exclude");
    assert_eq!(kept(&env, ""), ["bd-a uncommitted"]);
}

#[test]
fn what_says_something_stays() {
    let proposal = |state: &str| {
        format!(
            "\"visibility\":\"proposed\",\"proposal\":{{\"id\":\"prop_1\",\"author\":\"bob\",\"target\":\"bd\",\"state\":\"{state}\",\"by\":\"bob\",\"at\":\"2025-01-01T00:00:00Z\"}}"
        )
    };
    let text = [
        closed("bd-a", "2025-03-01", "\"pinned\":true"),
        closed("bd-b", "2025-03-01", &proposal("open")),
        closed("bd-c", "2025-03-01", &proposal("rejected")),
        line("bd-d", "tombstone", "\"deleted_at\":\"2025-03-01T00:00:00Z\""),
        line("bd-e", "tombstone", "\"deleted_at\":\"2026-01-04T00:00:00Z\""),
        closed("bd-f", "2025-03-01", ""),
        closed("bd-f", "2025-03-01", "\"x\":1"),
        "{\"id\":\"bd-g\",\"title\":\"G\",\"status\":\"closed\"}\n".to_owned(),
        closed("bd-h", "2025-03-01", ""),
        waits("bd-i", "parent-child", "bd-h"),
        "{\"id\":\"bd-j\",\"status\":\"closed\",\"closed_at\":\"2025-03-01T00:00:00Z\"\n".to_owned(),
    ];
    let Some(env) = versioned(text.concat()) else { return };
    let stays =
        ["bd-a pinned", "bd-b proposed", "bd-c news", "bd-d news", "bd-f copies", "bd-g undated", "bd-h open_children"];
    assert_eq!(kept(&env, ""), stays);
    assert_eq!(pruned_ids(&env, "--tombstones --dry-run"), ["bd-d", "bd-c"]);
    assert_eq!(pruned_ids(&env, "--tombstones --to-budget 0 --dry-run"), ["bd-d", "bd-c"], "bd-e is too young to go");
    assert_eq!(pruned_ids(&env, "--tombstones --closed-before now"), ["bd-d", "bd-c", "bd-e"]);
    let left = env.ledger_text();
    let ids = left.lines().map(|line| &line[7..11]).collect::<Vec<_>>();
    assert_eq!(ids, ["bd-a", "bd-b", "bd-f", "bd-f", "bd-g", "bd-h", "bd-i", "bd-j"]);
}

#[test]
fn nobody_else_is_more_or_less_ready() {
    let text = [
        closed("bd-a", "2025-03-01", ""),
        closed("bd-b", "2025-03-01", "\"close_reason\":\"failed\""),
        closed("bd-c", "2025-03-01", ""),
        closed("bd-d", "2025-03-01", "\"dependencies\":[{\"depends_on_id\":\"bd-s\",\"type\":\"parent-child\"}]"),
        line("bd-s", "open", ""),
        waits("bd-t", "waits-for", "bd-s"),
        waits("bd-u", "blocks", "bd-a"),
        waits("bd-v", "conditional-blocks", "bd-b"),
        waits("bd-w", "conditional-blocks", "bd-c"),
    ];
    let Some(env) = versioned(text.concat()) else { return };
    let answers = |env: &Env| (env.bd(["ready", "--json"]).ok().ids(), env.bd(["blocked", "--json"]).ok().ids());
    let before = answers(&env);
    assert_eq!(kept(&env, ""), ["bd-c needed", "bd-d needed"]);
    assert_eq!(
        kept(&env, "--config ready.unknown_blocks=true"),
        ["bd-a needed", "bd-b needed", "bd-c needed", "bd-d needed"]
    );
    let strict = env.bd(["prune", "--dry-run", "--config", "ready.unknown_blocks=true"]).ok();
    assert!(
        strict.stdout.contains("bd-a  stays: without it another answer would be given about bd-u"),
        "{}",
        strict.snapshot()
    );
    assert_eq!(pruned_ids(&env, ""), ["bd-a", "bd-b"]);
    assert_eq!(answers(&env), before);
    let doctor = env.bd(["doctor"]).ok();
    assert!(!doctor.stdout.contains("bd-u depends"), "what was pruned is no riddle: {}", doctor.snapshot());
    env.put_ledger(env.ledger_text() + &waits("bd-x", "related", "bd-never"));
    let doctor = env.bd(["doctor"]).ok();
    assert!(doctor.stdout.contains("bd-x depends (related) on bd-never"), "{}", doctor.snapshot());
}

#[test]
fn dependencies_across_repos_count() {
    let Some(env) = versioned(closed("bd-a", "2025-03-01", "") + &closed("bd-b", "2025-03-01", "")) else { return };
    crate::support::repos::repo(&env, "home/plan", "plan");
    let plan = waits("plan-1", "conditional-blocks", "bd-a") + &waits("plan-2", "blocks", "bd-b");
    crate::support::harness::put_file(&ledger_path(&env, "home/plan"), plan.as_bytes());
    env.given("config --add-repo ~/plan --personal");
    let before = env.bd(["ready", "--json"]).ok().ids();
    assert_eq!(kept(&env, ""), ["bd-a needed"]);
    assert_eq!(pruned_ids(&env, ""), ["bd-b"]);
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), before);
    assert_eq!(ledger(&env, "home/plan"), plan);
    env.bd(["prune", "--repo", "~/plan"]).fails(9, &["~/plan is not under version control"]);
}

#[test]
fn a_copy_in_another_repo_is_not_uncovered() {
    let Some(env) = versioned(closed("bd-a", "2025-03-01", "")) else { return };
    crate::support::repos::repo(&env, "home/plan", "plan");
    put_issues(&env, "home/plan", &["bd-a"]);
    env.given("config --add-repo ~/plan --personal");
    assert_eq!(kept(&env, ""), ["bd-a copies"]);
}

#[test]
fn a_contributor_prunes_only_what_is_his() {
    let Some(env) = versioned(closed("bd-a", "2025-03-01", "")) else { return };
    env.given("init --contributor ~/.beads-planning -q");
    let before = env.ledger();
    for args in [&["prune"][..], &["prune", "--dry-run"]] {
        env.bd(args).fails(5, &["a ledger without its closed issues cannot be written to ."]);
    }
    assert_eq!(env.ledger(), before);
    env.given("add Plan --id plan-1\nclose plan-1");
    let json = env.bd(["prune", "--repo", "~/.beads-planning", "--closed-before", "now", "--json"]).ok().json();
    assert_eq!(json["pruned"][0]["id"], "plan-1");
    assert_eq!(
        sh(&env, "git -C home/.beads-planning log -1 --format=%s"),
        "prune plan-1\n",
        "committed as every write there"
    );
    assert_eq!(sh(&env, "git -C home/.beads-planning status --porcelain"), "");
}

#[test]
fn a_damaged_ledger_is_not_pruned() {
    let whole = closed("bd-a", "2025-03-01", "") + &line("bd-b", "open", "");
    let Some(env) = versioned(&whole) else { return };
    env.put_ledger(format!("{whole}{{\"id\":\"bd-c\",\"ti"));
    let torn = env.ledger();
    for args in [&["prune"][..], &["prune", "--dry-run"]] {
        env.bd(args).fails(8, &["the last line is cut off"]);
    }
    assert_eq!(env.ledger(), torn);
    env.put_ledger(format!("{whole}<<<<<<< x\n=======\n>>>>>>> y\n"));
    env.bd(["prune"]).fails(8, &["conflict markers; nothing can be pruned from it"]);
}

#[test]
fn it_is_one_write_that_can_be_taken_back() {
    let text =
        closed("bd-a", "2025-03-01", "") + &closed("bd-b", "2025-03-01", "\"x\":1e400") + &line("bd-c", "open", "");
    let Some(env) = versioned(&text) else { return };
    assert_eq!(pruned_ids(&env, ""), ["bd-a", "bd-b"]);
    env.given("undo --yes");
    assert_eq!(env.ledger_text(), text);
    let quiet = env.bd(["list"]).ok();
    assert_eq!(quiet.stderr, "", "nothing counts as removed by others");
}

#[test]
fn line_ends_and_a_mark_stay() {
    let crlf = |text: String| text.replace('\n', "\r\n");
    let (a, b) = (crlf(closed("bd-a", "2025-03-01", "\"zz\":{\"k\" : 1}")), crlf(line("bd-b", "open", "\"zz\":1")));
    let Some(env) = versioned(format!("\u{feff}{a}{b}")) else { return };
    assert_eq!(pruned_ids(&env, ""), ["bd-a"]);
    assert_eq!(env.ledger_text(), format!("\u{feff}{b}"));
}

#[test]
fn doctor_knows_the_budget() {
    let big = "x".repeat(9000);
    let text: String =
        ["bd-a", "bd-b", "bd-c"].iter().map(|id| closed(id, "2025-03-01", &format!("\"notes\":\"{big}\""))).collect();
    let Some(env) = versioned(text + &line("bd-d", "open", "")) else { return };
    let script = "doctor\nprune -q --closed-before 2025-03-01\n--config prune.budget=1M doctor\n--config prune.budget=zebra doctor\nprune -q\ndoctor";
    let shown = env.script(script);
    assert_data_eq!(
        shown,
        str![[r#"
$ bd doctor
warning: .beads/beads.jsonl: the ledger has 27 KB, more than its budget of 25 KB (prune.budget); pruning 3 issues closed for 30 days would save 26.9 KB
    run `bd prune --dry-run` to see which; version control keeps them
$ bd prune -q --closed-before 2025-03-01
$ bd --config prune.budget=1M doctor
everything is in order
$ bd --config prune.budget=zebra doctor
damaged: --config: prune.budget must be a size such as 25k or 1M, not "zebra"
    repair the file; until then its settings are ignored and nothing can be written
warning: .beads/beads.jsonl: the ledger has 27 KB, more than its budget of 25 KB (prune.budget); cannot tell what pruning would save: --config: prune.budget must be a size such as 25k or 1M, not "zebra"
    run `bd prune --dry-run` for details
[exit 8]
$ bd prune -q
bd-a  closed 2025-03-01  BD-A
bd-b  closed 2025-03-01  BD-B
bd-c  closed 2025-03-01  BD-C
$ bd doctor
everything is in order

"#]]
        .raw()
    );
}

#[test]
fn doctor_without_version_control_says_what_it_takes() {
    let env = Env::with_ledger(closed("bd-a", "2025-03-01", &format!("\"notes\":\"{}\"", "x".repeat(26_000))));
    let run = env.bd(["doctor"]).ok();
    assert!(run.stdout.contains("closed issues can leave once it is under version control"), "{}", run.snapshot());
}

/// Two clones with the same committed ledger.
fn clones(bytes: &str) -> Option<Env> {
    let env = versioned(bytes)?;
    sh(
        &env,
        "git clone -q --bare web upstream; cd web; git remote add origin ../upstream; git fetch -q; git branch -q -u origin/main
         cd ..; git clone -q upstream other; cd other; git config user.name t; git config user.email t@example.org",
    );
    Some(env)
}

#[test]
fn other_clones_follow_and_a_reopened_issue_comes_back() {
    let text = closed("bd-a", "2025-03-01", "") + &closed("bd-b", "2025-03-01", "") + &line("bd-c", "open", "");
    let Some(env) = clones(&text) else { return };
    assert_eq!(pruned_ids(&env, ""), ["bd-a", "bd-b"]);
    env.given("label add bd-c ours\nsync -q");
    for line in ["reopen bd-b", "label add bd-c theirs", "sync -q"] {
        bd_in(&env, "other", line.split(' ')).ok();
    }
    env.given("sync -q");
    assert_eq!(ledger(&env, "web"), ledger(&env, "other"));
    let left = ledger(&env, "web");
    let ids: Vec<&str> = left.lines().map(|line| &line[7..11]).collect();
    assert_eq!(ids, ["bd-b", "bd-c"], "pruned and untouched there: gone; pruned and edited there: back");
    assert!(left.contains("theirs") && left.contains("ours"));
}

#[test]
fn by_itself_only_where_it_is_asked_for() {
    let text = closed("bd-a", "2025-03-01", "") + &closed("bd-b", "2026-01-04", "") + &line("bd-c", "open", "");
    let Some(env) = clones(&text) else { return };
    env.given("commit -q\nsync -q");
    assert_eq!(env.ledger_text(), text);
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n[prune]\nauto = \"30d\"\n");
    env.given("close bd-c");
    let script = env.script("commit --dry-run\ncommit\ncommit\nsync --dry-run\nsync");
    assert_data_eq!(
        script + &sh(&env, "git -C web log --format=%s"),
        str![[r#"
$ bd commit --dry-run
.: would be committed, would prune 1 closed issue
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
$ bd commit
.: committed, pruned 1 closed issue
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
$ bd commit
.: nothing to commit
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
$ bd sync --dry-run
. (git with origin/main): would push 2 commits to origin/main
  would push [..] update bd-c: BD-C
  would push [..] prune bd-a
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
$ bd sync
. (git with origin/main): pushed
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
prune bd-a
update bd-c: BD-C
state

"#]]
    );
    assert!(!env.ledger_text().contains("bd-a") && env.ledger_text().contains("bd-c"));
    assert_eq!(sh(&env, "git -C upstream show main:.beads/beads.jsonl"), env.ledger_text());
}

#[test]
fn a_sync_prunes_what_it_received_and_sends_that() {
    let Some(env) = clones(&(closed("bd-a", "2025-03-01", "") + &line("bd-b", "open", ""))) else { return };
    bd_in(&env, "other", ["update", "bd-b", "-p", "0"]).ok();
    bd_in(&env, "other", ["sync", "-q"]).ok();
    let json = env.bd(["sync", "--json", "--config", "prune.auto=1w"]).ok().json();
    assert_eq!((&json["repos"][0]["pruned"][0], &json["repos"][0]["pushed"]), (&"bd-a".into(), &true.into()));
    bd_in(&env, "other", ["sync", "-q"]).ok();
    assert_eq!(ledger(&env, "other"), env.ledger_text());
    assert!(!env.ledger_text().contains("bd-a") && env.ledger_text().contains("\"priority\":0"));
}

#[test]
fn a_projects_file_does_not_prune_a_planning_repo() {
    let Some(env) = versioned(line("bd-a", "open", "")) else { return };
    env.given("init --contributor ~/.beads-planning -q\nadd Plan --id plan-1\nclose plan-1");
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n[prune]\nauto = \"0d\"\n");
    env.given("commit -q --repo ~/.beads-planning");
    assert!(ledger(&env, "home/.beads-planning").contains("plan-1"));
    env.given("commit -q --repo ~/.beads-planning --config prune.auto=0d");
    assert!(!ledger(&env, "home/.beads-planning").contains("plan-1"));
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let Some(env) = versioned(line("bd-a", "open", "")) else { return };
    for (text, part) in
        [("auto = \"soon\"", "prune.auto must be a length of time"), ("budget = \"-1\"", "prune.budget must be a size")]
    {
        env.write(".beads/config.toml", format!("[prune]\n{text}\n"));
        env.bd(["prune"]).fails(1, &["config.toml:2:", part]);
        env.bd(["commit"]).fails(1, &["config.toml:2:", part]);
    }
    env.write(".beads/config.toml", "");
    env.bd(["config", "set", "prune.auto", "later"])
        .fails(2, &["prune.auto must be a length of time such as 30d, or off"]);
    env.given("config set prune.auto 2w\nconfig set prune.budget 1M\nconfig set prune.auto off");
}

#[test]
fn with_hg_and_jj_too() {
    let text = closed("bd-a", "2025-03-01", "") + &line("bd-b", "open", "");
    for (program, set_up) in [
        ("hg", "cd web; hg init; hg add -q .beads; hg commit -qm base"),
        ("jj", "cd web; jj --quiet git init .; jj --quiet commit -m base"),
    ] {
        if !have(&[program]) {
            continue;
        }
        let env = Env::with_ledger(&text);
        sh(&env, set_up);
        assert_eq!(pruned_ids(&env, ""), ["bd-a"], "{program}");
        assert_eq!(env.ledger_text(), line("bd-b", "open", ""), "{program}");
    }
}
