//! Closing what waits for open issues is refused in the original's words; taking it is only warned of.

use crate::cli::change::updating::two;
use crate::cli::plan::workflows::{bd, id, planned};
use crate::support::checkouts::Family;
use crate::support::harness::Env;

#[test]
fn a_blocked_issue_is_not_closed_by_mistake() {
    let env = two();
    env.given("add More --id bd-more\ndep add docs more");
    let before = env.ledger();
    let words = "error: cannot close bd-docs: blocked by open issues [bd-fix bd-more] (use --force to override)";
    for line in ["close docs", "done docs -r 'all right'", "update docs --status closed", "status docs closed"] {
        let run = env.bd(crate::support::harness::words(line)).fails(5, &[words]);
        assert!(run.stdout.is_empty(), "{}", run.snapshot());
    }
    let error = env.bd(["close", "docs", "--json"]).error();
    assert_eq!((&error["code"], &error["blockers"]), (&"illegal".into(), &serde_json::json!(["bd-fix", "bd-more"])));
    assert_eq!(env.ledger(), before);
    // Other fields can be changed, and what is closed already stays so.
    env.given("update docs --priority 1 --status in_progress\nclose fix more\nclose docs\nreopen fix\nclose docs");
}

#[test]
fn what_is_closed_with_it_does_not_block() {
    let env = two();
    let run = env.bd(["close", "docs", "fix"]).fails(5, &["cannot close bd-docs"]);
    assert_eq!(run.stdout, "Closed bd-fix\n", "each is tried, in their order");
    env.given("reopen fix\nclose fix docs");
    assert_eq!(env.bd(["list", "--status", "open", "--json"]).ok().ids().len(), 0);
}

#[test]
fn an_epic_with_open_children_is_not_closed_by_mistake() {
    let env = Env::new();
    env.given(
        "add Epic -t epic --id bd-e\nadd One --id bd-1 --parent e\nadd Two --id bd-2 --parent e
         add Task --id bd-t\nadd Part --id bd-p --parent t",
    );
    let words = "error: cannot close epic bd-e: 2 open child issue(s); close children first or use --force to override";
    env.bd(["close", "e"]).fails(5, &[words]);
    env.bd(["update", "e", "--status", "closed"]).fails(5, &["cannot close epic bd-e"]);
    assert_eq!(env.bd(["close", "e", "--json"]).error()["children"], serde_json::json!(["bd-1", "bd-2"]));
    env.given("close 1\ndelete 2 --yes\nclose e\nclose t");
    env.given("reopen e 1\nclose 1 e");
}

#[test]
fn force_closes_whatever_is_open() {
    for line in
        ["close docs --force", "close docs -f", "update docs --status closed --force", "status docs closed --force"]
    {
        let env = two();
        env.given(line);
        assert_eq!(env.bd(["show", "docs", "--json"]).ok().json()[0]["status"], "closed", "{line}");
    }
    let env = Env::new();
    env.given("add Epic -t epic --id bd-e\nadd One --id bd-1 --parent e\nclose e --force");
}

/// Another issue takes the place of one that is a duplicate or superseded; the children of an epic stay behind.
#[test]
fn what_is_replaced_waits_for_nothing() {
    for line in ["duplicate docs --of new", "supersede docs --with new"] {
        let env = two();
        env.given("add New --id bd-new\nadd Child --parent docs");
        env.bd(["close", "docs"]).fails(5, &["blocked by open issues"]);
        env.given(line);
        env.given("reopen docs\nupdate docs --type epic");
        env.bd(crate::support::harness::words(line)).fails(5, &["cannot close epic bd-docs"]);
    }
}

#[test]
fn only_what_is_open_blocks() {
    let env = two();
    env.given(
        "add Related --id bd-r --deps related:fix\nclose r
         add Plan-B --id bd-b --deps conditional-blocks:fix\nclose b
         add Pruned --id bd-p",
    );
    let gone = r#""dependencies":[{"issue_id":"bd-p","depends_on_id":"bd-nowhere","type":"blocks"}]}"#;
    let text: Vec<String> = env.ledger_text().lines().map(str::to_owned).collect();
    let text = text.iter().map(|line| match line.contains("\"id\":\"bd-p\"") {
        true => format!("{},{gone}\n", line.strip_suffix('}').unwrap()),
        false => format!("{line}\n"),
    });
    env.put_ledger(text.collect::<String>());
    env.given("close p\nupdate fix --status pinned\nclose docs");
}

#[test]
fn what_another_checkout_has_closed_does_not_block() {
    let Some(family) = Family::new() else { return };
    family.bd(&family.web(), "add Next --id bd-next --deps bd-base").ok();
    family.commit(&family.web());
    let one = family.worktree("one");
    family.bd(&family.web(), "close bd-next").fails(5, &["blocked by open issues [bd-base]"]);
    family.bd(&one, "close bd-base").ok();
    family.bd(&family.web(), "close bd-next").ok();
}

#[test]
fn taking_a_blocked_issue_warns_and_goes_on() {
    let warning = "warning: bd-docs is blocked by open issues: bd-fix\n";
    for line in ["work docs", "claim docs", "update docs --claim"] {
        let env = two();
        let run = env.bd(line.split(' ')).ok();
        assert_eq!(run.stderr, warning, "{}", run.snapshot());
        assert_eq!(env.bd(["show", "docs", "--json"]).ok().json()[0]["status"], "in_progress", "{line}");
        let again = env.bd(line.split(' ')).ok();
        assert!(again.stderr.contains(warning), "{}", again.snapshot());
        assert!(!env.bd(["work", "fix"]).ok().stderr.contains("blocked"));
    }
    let env = two();
    env.given("add Part --id bd-part --parent docs");
    let json = env.bd(["work", "part", "--json"]).ok();
    assert_eq!(json.talk(), "bd-part is blocked by open issues: bd-fix\n", "{}", json.snapshot());
}

#[test]
fn a_workflow_skips_tasks_that_wait() {
    let plan = "name = \"W\"\n[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\ndepends_on = [\"a\"]\n";
    for line in ["workflow abandon bd-w -r enough", "workflow complete bd-w --skip-open"] {
        let env = planned(plan);
        bd(&env, "workflow start bd-w").ok();
        bd(&env, &format!("close {}", id(&env, "b"))).fails(5, &["blocked by open issues ["]);
        bd(&env, line).ok();
        let open = bd(&env, "list --status open --json").ok().stdout;
        assert_eq!(open, "[]\n", "{line}");
    }
}

#[test]
fn a_program_that_was_run_on_an_issue_closes_it() {
    let env = two();
    let bd = crate::support::harness::BD;
    let close = format!("{bd} close $BD_ISSUE");
    env.bd(["run", "fix", "--", "sh", "-c", &close]).ok();
    env.bd(["run", "--", "sh", "-c", &close]).ok();
    assert_eq!(env.bd(["list", "--status", "closed", "--json"]).ok().ids().len(), 2);
}
