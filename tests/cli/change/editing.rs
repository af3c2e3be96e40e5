//! An issue in an editor: edit.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::change::notes::two;
use crate::support::harness::{BD, Env};
use crate::support::programs::put;

/// Makes an editor out of a shell script that gets the file as its first argument.
fn editor(env: &Env, script: &str) {
    put(&env.path("../editor.sh"), format!("#!/bin/sh\n{script}\n"));
    env.set("EDITOR", "../editor.sh");
}

#[test]
fn edit_applies_what_the_editor_changed() {
    let env = two();
    editor(
        &env,
        "cp \"$1\" ../sheet.txt; sed -i 's/^Fix the parser$/New title/; s/^Write the docs$/New title/; s/It stops/It stumbles/' \"$1\"",
    );
    assert_data_eq!(
        env.script("edit fix\nedit fix\nshow fix"),
        str![[r#"
$ bd edit fix
Updated issue: bd-fix
$ bd edit fix
Nothing to change: bd-fix
$ bd show fix
bd-fix  New title
P2  open  task
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Stored in   .beads/beads.jsonl:2

Description
  It stumbles.

"#]]
        .raw()
    );
    let sheet = std::fs::read_to_string(env.path("../sheet.txt")).unwrap();
    assert_data_eq!(
        sheet,
        str![[r#"
--- title ---
New title
--- details ---
id: bd-fix
type: task
priority: P2
labels:
due:
parent:
# An empty form changes nothing.
--- description ---
It stumbles.
--- design ---

--- acceptance criteria ---

--- notes ---


"#]]
        .raw()
    );
    assert_eq!(env.bd(["edit", "docs", "--json"]).json()[0]["title"], "New title");
    assert_eq!(std::fs::read_dir(env.path("../tmp")).unwrap().count(), 0, "no sheet is left behind");
}

#[test]
fn edit_refusals_keep_the_text() {
    let env = two();
    let before = env.ledger();
    assert_data_eq!(
        env.script("edit fix\nedit nosuch\nedit"),
        str![[r#"
$ bd edit fix
! error: no editor: set VISUAL, EDITOR or git's core.editor
[exit 1]
$ bd edit nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd edit
! error: the following required arguments were not provided:
!   <ID>
! 
! Usage: bd edit <ID>
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    editor(&env, "exit 3");
    assert_data_eq!(
        env.script("edit fix"),
        str![[r#"
$ bd edit fix
! error: the editor "../editor.sh" ended with exit status: 3
[exit 1]

"#]]
        .raw()
    );
    editor(&env, "echo 'no title' > \"$1\"");
    let run = env.bd(["edit", "fix"]).fails(1, &["the line \"--- title ---\" is missing", "your text is kept in"]);
    let kept = run.stderr.split("your text is kept in ").nth(1).unwrap().split(';').next().unwrap();
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "no title\n");
    assert_eq!(env.ledger(), before);
}

#[test]
fn edit_overwrites_nobody() {
    let env = two();
    editor(&env, &format!("'{BD}' update fix -d 'Changed meanwhile' >/dev/null; sed -i 's/It stops/Mine/' \"$1\""));
    env.bd(["edit", "fix"]).fails(5, &["description of bd-fix was changed by someone else", "your text is kept in"]);
    assert_eq!(env.bd(["show", "fix", "--json"]).json()[0]["description"], "Changed meanwhile");
}

#[test]
fn edit_leaves_untouched_fields_alone() {
    let env = two();
    env.bd(["update", "fix", "-d", "text\n--- design ---\nmore", "--title", " outer blanks "]).ok();
    let before = env.ledger();
    editor(&env, "true");
    let run = env.bd(["edit", "fix"]);
    assert_eq!(env.ledger(), before, "{}", run.snapshot());
}
