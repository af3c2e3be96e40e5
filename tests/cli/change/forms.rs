//! Issues as forms in an editor: add, edit, and what becomes of a form that is refused.

use crate::support::harness::{BD, Env, Run, words};
use crate::support::programs::{have, put};

/// Makes an editor out of a shell script that gets the file as its first argument.
fn editor(env: &Env, script: &str) {
    put(&env.path("../editor.sh"), format!("#!/bin/sh\n{script}\n"));
    env.set("EDITOR", "../editor.sh");
}

const FILL: &str = r#"sed -i '2s/.*/Fix the login/; s/^type:.*/type: bug/; s/^priority:.*/priority: high/; s/^labels:.*/labels: ui, slow/; s/^due:.*/due: eom/; s/^parent:.*/parent: e/; s/^--- description ---$/&\nLong text\nof two lines/' "$1""#;

/// Where a refused form is kept.
fn kept(run: &Run) -> String {
    let place = run.stderr.split("your text is kept in ").nth(1).unwrap_or_else(|| panic!("{}", run.snapshot()));
    place.split(';').next().unwrap().to_owned()
}

/// How many forms are left behind.
fn left(env: &Env) -> usize {
    std::fs::read_dir(env.path("../tmp")).unwrap().count()
}

fn with_epic() -> Env {
    let env = Env::new();
    env.given("add Whole -t epic --id bd-e");
    env
}

#[test]
fn a_form_files_an_issue() {
    let env = with_epic();
    editor(&env, &format!("cp \"$1\" ../seen.md; {FILL}"));
    let filed = env.bd(["add", "--editor", "-a", "me", "--json"]).ok().json();
    assert_eq!(
        std::fs::read_to_string(env.path("../seen.md")).unwrap(),
        "--- title ---\n\n--- details ---\ntype: task\npriority: P2\nlabels:\ndue:\nparent:\n# Without a title nothing is filed.\n\
         --- description ---\n\n--- design ---\n\n--- acceptance criteria ---\n\n--- notes ---\n\n"
    );
    let id = filed["id"].as_str().unwrap();
    let row = env.bd(["show", id, "--json"]).ok().json()[0].clone();
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        (text("title"), text("issue_type"), text("assignee")),
        ("Fix the login".into(), "bug".into(), "ann".into())
    );
    assert_eq!((row["priority"].as_i64(), text("parent")), (Some(1), "bd-e".into()));
    assert_eq!(
        (text("due_at"), text("description")),
        ("2026-01-31T23:59:59.999Z".into(), "Long text\nof two lines".into())
    );
    assert_eq!(row["labels"], serde_json::json!(["slow", "ui"]));
    assert_eq!(left(&env), 0, "no form is left behind");
    editor(
        &env,
        "grep -q '^priority: P0' \"$1\" && grep -q '^Given$' \"$1\" && sed -i 's/^Given$/Given and changed/' \"$1\"",
    );
    env.bd(["add", "Given", "--editor", "-p", "0", "-d", "text"]).ok();
    assert_eq!(
        env.bd(["query", "--format", "{title}|{priority}|{description}", "title~Given"]).ok().stdout,
        "Given and changed|P0|text\n"
    );
}

#[test]
fn an_empty_form_files_nothing() {
    let env = with_epic();
    let before = env.ledger();
    for script in ["true", ": > \"$1\"", "echo > \"$1\""] {
        editor(&env, script);
        env.bd(["add", "--editor"]).fails(1, &["nothing was filed"]);
    }
    editor(&env, "exit 1");
    env.bd(["add", "--editor"]).fails(1, &["ended with exit status: 1"]);
    env.bd(["edit", "e"]).fails(1, &["ended with exit status: 1"]);
    editor(&env, ": > \"$1\"");
    env.bd(["edit", "e"]).fails(1, &["the form is empty; nothing was changed"]);
    assert_eq!((env.ledger(), left(&env)), (before, 0), "there was nothing to keep");
}

#[test]
fn a_refused_form_is_kept_and_taken_up_again() {
    let env = with_epic();
    let before = env.ledger();
    for (script, code, said) in [
        (format!("{FILL}; sed -i 's/^type: bug/type: bugg/' \"$1\""), 2, "invalid issue type \"bugg\""),
        (format!("{FILL}; sed -i 's/^due:.*/due: some day/' \"$1\""), 2, "invalid --due format \"some day\""),
        (format!("{FILL}; sed -i 's/^parent:.*/parent: nosuch/' \"$1\""), 3, "nosuch"),
        (format!("{FILL}; sed -i '2s/.*/   /' \"$1\""), 2, "title is required"),
        (format!("{FILL}; sed -i '/^priority/d' \"$1\""), 1, "the line \"priority:\" is missing"),
        (format!("{FILL}; exit 1"), 1, "ended with exit status: 1"),
        ("echo 'only words' > \"$1\"".to_owned(), 1, "the line \"--- title ---\" is missing"),
    ] {
        editor(&env, &script);
        let run = env.bd(["add", "--editor"]).fails(code, &[said, "to go on with it, run `bd add --form "]);
        let text = std::fs::read_to_string(kept(&run)).unwrap();
        assert!(text.contains("of two lines") || text == "only words\n", "{text}");
    }
    assert_eq!(env.ledger(), before);
    editor(&env, &format!("{FILL}; sed -i 's/^type: bug/type: bugg/' \"$1\""));
    let (known, run) = (left(&env), env.bd(["add", "--editor"]).fails(2, &["bugg"]));
    assert_eq!(left(&env), known + 1);
    editor(&env, "sed -i 's/^type: bugg/type: bug/' \"$1\"");
    let command = run.stderr.split('`').nth(1).unwrap().strip_prefix("bd ").unwrap().to_owned();
    env.bd(words(&command)).ok();
    assert_eq!(
        env.bd(["query", "--format", "{title}|{type}|{parent}", "type=bug"]).ok().stdout,
        "Fix the login|bug|bd-e\n"
    );
    assert_eq!(left(&env), known, "what was used is gone");
    env.bd(["add", "--form", "nosuch.md"]).fails(1, &["nosuch.md"]);
}

#[test]
fn edit_uses_the_same_form() {
    let env = with_epic();
    env.given("add Login --id bd-a -l ui --due 2026-02-01\nadd Part --id bd-b --parent bd-a");
    editor(
        &env,
        "sed -i 's/^type:.*/type: bug/; s/^priority:.*/priority: 0/; s/^labels:.*/labels:/; s/^due:.*/due:/; s/^parent:.*/parent: e/' \"$1\"",
    );
    env.bd(["edit", "a"]).ok();
    assert_eq!(
        env.bd(["list", "--format", "{type}|{priority}|{labels}|{due}|{parent}", "id=bd-a"]).ok().stdout,
        "bug|P0|||bd-e\n"
    );
    let before = env.ledger();
    for (script, code, said) in [
        ("s/^id: bd-a/id: bd-x/", 1, "its id became \"bd-x\"; an id cannot be edited"),
        ("s/^parent:.*/parent: bd-b/", 5, "cycle"),
        ("s/^priority:.*/priority: 9/", 2, "invalid priority \"9\""),
        ("2s/.*/ /", 2, "title is required"),
    ] {
        editor(&env, &format!("sed -i '{script}' \"$1\""));
        let run = env.bd(["edit", "a"]).fails(code, &[said, "run `bd edit bd-a --form "]);
        assert!(std::fs::read_to_string(kept(&run)).unwrap().starts_with("--- title ---\n"));
    }
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_form_that_was_overtaken_goes_on_from_the_newest() {
    let env = with_epic();
    env.given("add Login --id bd-a -d 'First words'\nadd Other --id bd-b");
    editor(
        &env,
        &format!(
            "'{BD}' update a -d Theirs --title Renamed >/dev/null; sed -i 's/First words/Mine/; s/^priority:.*/priority: 0/' \"$1\""
        ),
    );
    let form = kept(&env.bd(["edit", "a"]).fails(5, &["description of bd-a was changed by someone else"]));
    editor(&env, "cp \"$1\" ../seen.md");
    env.bd(["edit", "b", "--form", &form]).fails(2, &["is the form of another issue"]);
    env.bd(["edit", "a", "--form", &form]).ok();
    let row = env.bd(["show", "a", "--json"]).ok().json()[0].clone();
    assert_eq!((row["title"].as_str(), row["description"].as_str()), (Some("Renamed"), Some("Mine")));
    assert_eq!(row["priority"], 0);
    assert!(!std::path::Path::new(&form).exists());
}

#[test]
fn a_clone_does_not_choose_the_editor() {
    if !have(&["git"]) {
        return;
    }
    let env = with_epic();
    let git = |args: &[&str]| assert!(env.command("git").args(args).status().unwrap().success());
    git(&["init", "-q"]);
    put(&env.path("../theirs.sh"), "#!/bin/sh\ntouch ../run\n");
    put(&env.path("../mine.sh"), "#!/bin/sh\nsed -i '2s/.*/From git/' \"$1\"\n");
    git(&["config", "core.editor", "../theirs.sh"]);
    env.bd(["add", "--editor"]).fails(1, &["no editor: set VISUAL, EDITOR or git's core.editor"]);
    std::fs::write(env.path("../gitconfig"), "[core]\n\teditor = ../mine.sh\n").unwrap();
    env.set("GIT_CONFIG_GLOBAL", env.path("../gitconfig"));
    env.bd(["add", "--editor"]).ok();
    env.bd(["search", "From", "git"]).ok();
    assert!(env.ledger_text().contains("\"From git\""));
    assert!(!env.path("../run").exists(), "a program of the clone was run");
}

#[test]
fn on_a_terminal_no_title_opens_the_form() {
    let env = with_epic();
    editor(&env, FILL);
    for line in ["add", "add --json", "add -t bug", "add ' '", "add '\u{200b}'", "add --title '\u{2060} \u{feff}'"] {
        let run = env.bd(words(line)).fails(2, &["title is required"]);
        assert!(run.stdout.is_empty(), "{}", run.snapshot());
    }
    if !have(&["script"]) {
        return;
    }
    let on_terminal = |line: &str| {
        let mut command = env.bd_command("script");
        command.args(["-qec", &format!("'{BD}' {line}"), "/dev/null"]).env("NO_COLOR", "1").env("SHELL", "/bin/sh");
        env.run(command, line.to_owned(), Some(""))
    };
    let run = on_terminal("add -t chore");
    assert!(run.code == 0 && run.stdout.contains("Created issue: "), "{}", run.snapshot());
    assert_eq!(env.bd(["count", "--where", "title~login type=bug"]).ok().stdout, "1\n");
    let run = on_terminal("add '  '");
    assert!(run.code == 2 && run.stdout.contains("title is required"), "{}", run.snapshot());
}
