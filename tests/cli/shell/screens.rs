//! Output on a terminal: lists, issues, trees and help fitted to its width, colours, and the pager.

use std::path::PathBuf;

use snapbox::{Data, IntoData as _, assert_data_eq, str};
use unicode_width::UnicodeWidthStr as _;

use crate::support::harness::{BD, Env, Run};
use crate::support::programs::{have, put};
use crate::support::project::Project;

/// Runs `bd` on a terminal without colours.
pub fn screen(env: &Env, line: &str, vars: &[(&str, &str)]) -> Run {
    let mut command = env.bd_command("script");
    command.args(["-qec", &format!("'{BD}' {line}"), "/dev/null"]).env("SHELL", "/bin/sh");
    command.envs([("NO_COLOR", "1"), ("LANG", "C.UTF-8"), ("TERM", "xterm"), ("COLUMNS", "80"), ("LINES", "200")]);
    command.envs(vars.iter().copied());
    let mut run = env.run(command, format!("bd {line}"), Some(""));
    run.stdout = run.stdout.replace("\r\n", "\n");
    run
}

/// Issues with everything that a list can say of them.
fn project() -> Env {
    let env = Env::new();
    env.given(
        "add 'Rework the settings page' -t epic -p 1 --id bd-epic -l ui
         add 'Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview' --id bd-form --parent epic -a bob --due 2026-01-02
         add 'Validate on save' --id bd-save --parent epic --deps form -l ui,backend --due 2026-01-08
         add 'Login fails on Safari' -t bug -p 0 --id bd-login --due 2026-01-05
         add '設定画面の文字が切れる' -t bug --id bd-wide --due 2026-04-01
         add 'Write the docs' -t chore -p 3 --id bd-docs
         work login
         close docs -r 'done in 4f2e'",
    );
    env.bd(["update", "save", "-d", MARKDOWN]).ok();
    env.given("comment save 'looks right to me; the check of the address can wait until the form has been moved'");
    env
}

const MARKDOWN: &str = "# Why\n\nThe form is checked **too late**, see `validate()` and [the report](https://example.org/r/1).\n\n- on *blur*\n- on save, with a message that says which field is wrong and what would be right there\n\n```\nlet x = 1;\n```\n> quoted\n\u{1b}[31mred";

/// Compares with a file; `SNAPSHOTS=overwrite` writes it.
fn compare(name: &str, seen: &str) {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/shell/screens")).join(name);
    assert_data_eq!(seen.to_owned(), Data::read_from(&path, None).raw());
}

#[test]
fn screens_of_80_and_120_columns() {
    if !have(&["script"]) {
        return;
    }
    let env = project();
    for width in ["80", "120"] {
        for (name, line) in [
            ("list", "list"),
            ("tree", "list --tree --all"),
            ("ready", "ready"),
            ("show", "show save"),
            ("epic", "show epic"),
            ("dep-tree", "dep tree save"),
            ("graph", "graph epic"),
            ("blocked", "blocked"),
        ] {
            let seen = screen(&env, line, &[("COLUMNS", width), ("BD_PAGER", "cat")]);
            assert_eq!(seen.code, 0, "{}", seen.snapshot());
            compare(&format!("{name}-{width}.txt"), &seen.snapshot());
        }
    }
}

#[test]
fn screens_of_proposals_and_the_log() {
    if !have(&["script", "git"]) {
        return;
    }
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.given("add 'Cache what the server answers for as long as it says itself' --id bd-cache\npropose bd-cache");
    for width in ["80", "120"] {
        for (name, line) in [("proposals", "proposals"), ("log", "log bd-cache")] {
            let seen = screen(env, line, &[("COLUMNS", width)]);
            assert_eq!(seen.code, 0, "{}", seen.snapshot());
            compare(&format!("{name}-{width}.txt"), &timeless(&seen.snapshot()));
        }
    }
}

/// Commits have other names and times in each run.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.split_once("  ") {
        Some((name, rest)) if name.len() == 10 && name.chars().all(|c| c.is_ascii_hexdigit()) => {
            format!("0123456789  2026-01-05 09:00{}\n", &rest["2026-01-05 09:00".len()..])
        }
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    match text.split_once("\"prop_") {
        Some((before, after)) => {
            let parts: Vec<&str> = after.splitn(2, '"').collect();
            format!("{before}\"prop_…\"{}", parts[1])
        }
        None => text,
    }
}

#[test]
fn screens_of_the_help_pages() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::new();
    for width in ["80", "120"] {
        for (name, line) in [
            ("help", "help"),
            ("help-all", "help --all"),
            ("help-add", "help add"),
            ("help-list", "help list"),
            ("help-show", "help show"),
            ("help-claim", "help claim"),
        ] {
            let seen = screen(&env, line, &[("COLUMNS", width), ("BD_PAGER", "cat")]);
            assert_eq!(seen.code, 0, "{}", seen.snapshot());
            compare(&format!("{name}-{width}.txt"), &seen.snapshot());
        }
    }
}

#[test]
fn twenty_columns_are_enough() {
    if !have(&["script"]) {
        return;
    }
    let env = project();
    for line in ["list", "list --tree", "ready", "show save", "show epic", "dep tree save", "blocked", "search form"] {
        let seen = screen(&env, line, &[("COLUMNS", "20")]);
        assert_eq!(seen.code, 0, "{}", seen.snapshot());
        let wide: Vec<&str> = seen.stdout.lines().filter(|line| line.width() > 20).collect();
        assert_eq!(wide, Vec::<&str>::new(), "{}", seen.snapshot());
    }
    let seen = screen(&env, "list", &[("COLUMNS", "20")]).stdout;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&seen).contains("Move the form out of the dialog, so that it can be opened by a link"), "{seen}");
    assert!(words(&seen).contains("[overdue by 3 days]"), "{seen}");
}

#[test]
fn lists_mark_what_is_due_blocked_or_claimed_in_words() {
    let env = project();
    assert_data_eq!(
        env.script("list\nsearch login\nready"),
        str![[r#"
$ bd list
bd-login  P0  in_progress  bug   Login fails on Safari [due today] [claimed] @ann
bd-epic   P1  open         epic  Rework the settings page #ui
bd-wide   P2  open         bug   設定画面の文字が切れる [due 2026-04-01]
bd-save   P2  open         task  Validate on save [blocked] [due in 3 days] #backend #ui
bd-form   P2  open         task  Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview [overdue by 3 days] @bob
$ bd search login
bd-login  P0  in_progress  bug  Login fails on Safari [due today] [claimed] @ann
$ bd ready
bd-form  P2  open  task  Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview [overdue by 3 days] @bob
bd-wide  P2  open  bug   設定画面の文字が切れる [due 2026-04-01]

"#]]
        .raw()
    );
    // An expired claim looks different; JSON has no marks.
    env.bd_with(["claim", "wide", "--ttl", "60s"], None, &[("BD_AGENT", "builder")]).ok();
    let at = |now: &str| env.bd_with(["list", "--id", "wide"], None, &[("BD_TEST_NOW", now)]).ok().stdout;
    let (soon, later) = (at("2026-01-05T09:00:20Z"), at("2026-01-05T09:30:00Z"));
    assert!(soon.contains(" [claimed] @builder") && later.contains(" [claim expired] @builder"), "{soon}{later}");
    assert!(!env.bd(["list", "--json"]).ok().stdout.contains("overdue"));
}

#[test]
fn trees_are_drawn_in_ascii_where_that_is_all_there_is() {
    let env = project();
    env.given("add Deep --id bd-deep --parent form\ndep add form wide");
    let tree = |lang: &str, line: &str| env.bd_with(line.split(' '), None, &[("LANG", lang)]).ok().snapshot();
    let lines = ["list --tree", "dep tree deep", "dep tree epic --reverse", "graph epic"];
    assert_data_eq!(
        lines.map(|line| tree("en_US.UTF-8", line)).concat(),
        str![[r#"
$ bd list --tree
bd-login       P0  in_progress  bug   Login fails on Safari [due today] [claimed] @ann
bd-epic        P1  open         epic  Rework the settings page #ui
├─ bd-save     P2  open         task  Validate on save [blocked] [due in 3 days] #backend #ui
└─ bd-form     P2  open         task  Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview [blocked] [overdue by 3 days] @bob
   └─ bd-deep  P2  open         task  Deep [blocked]
bd-wide        P2  open         bug   設定画面の文字が切れる [due 2026-04-01]
$ bd dep tree deep
bd-epic  P1 open  Rework the settings page
└─ bd-form  P2 open  Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview
   ├─ bd-deep  P2 open  Deep
   └─ waits for bd-wide  P2 open  設定画面の文字が切れる
$ bd dep tree epic --reverse
bd-epic  P1 open  Rework the settings page
├─ bd-form  P2 open  Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview
│  ├─ bd-deep  P2 open  Deep
│  └─ blocks bd-save  P2 open  Validate on save
└─ bd-save (see above)
$ bd graph epic
bd-epic  P1 open  Rework the settings page  (step 1)
├─ bd-form  P2 open  Move the form out of the dialog, so that it can be opened by a link and kept open beside the preview  (step 1)
│  └─ bd-deep  P2 open  Deep  (step 1)
└─ bd-save  P2 open  Validate on save  (step 2, waits for bd-form)

"#]]
        .raw()
    );
    for line in ["list --tree", "dep tree deep", "dep tree epic --reverse", "graph deep"] {
        let plain = tree("C", line);
        assert!(plain.contains("`- ") && !plain.contains('└') && !plain.contains('├'), "{plain}");
    }
    // LC_ALL goes before LANG.
    let seen = env.bd_with(["list", "--tree"], None, &[("LANG", "C"), ("LC_ALL", "C.UTF-8")]).ok().stdout;
    assert!(seen.contains('└'), "{seen}");
}

#[test]
fn markdown_is_rendered_on_a_terminal_alone_and_escapes_stay_defused() {
    if !have(&["script"]) {
        return;
    }
    let env = project();
    let colours = [("NO_COLOR", ""), ("COLUMNS", "60")];
    let seen = screen(&env, "show save", &colours).stdout;
    for part in ["\x1b[1mWhy\x1b[0m", "\x1b[1mtoo late\x1b[0m", "\x1b[36mvalidate()\x1b[0m", "\x1b[3mblur\x1b[0m"] {
        assert!(seen.contains(part), "{part:?}\n{seen:?}");
    }
    assert!(seen.contains("• on save, with") && seen.contains("(https://example.org/r/1)"), "{seen}");
    assert!(!seen.contains("**") && !seen.contains("\x1b[31mred") && seen.contains("\\u{1b}[31mred"), "{seen:?}");
    let piped = env.bd(["show", "save"]).ok().stdout;
    for line in MARKDOWN.lines().filter(|line| !line.contains('\u{1b}') && !line.is_empty()) {
        assert!(piped.contains(&format!("  {line}\n")), "{line}\n{piped}");
    }
}

#[test]
fn colours_are_used_as_asked() {
    let env = project();
    let has = |args: &[&str], vars: &[(&str, &str)]| env.bd_with(args, None, vars).ok().stdout.contains("\x1b[");
    assert!(!has(&["list"], &[]), "a pipe has none");
    assert!(has(&["list", "--color", "always"], &[]));
    assert!(has(&["list", "--color=always"], &[("NO_COLOR", "1")]), "a flag goes before a variable");
    assert!(has(&["list"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!has(&["list"], &[("CLICOLOR_FORCE", "0")]));
    assert!(!has(&["list"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!has(&["list", "--json", "--color", "always"], &[]));
    env.bd(["list", "--color", "pink"]).fails(2, &["auto", "always", "never"]);
    if have(&["script"]) {
        let seen = |line: &str, vars: &[(&str, &str)]| screen(&env, line, vars).stdout.contains("\x1b[");
        assert!(seen("list", &[("NO_COLOR", "")]));
        assert!(!seen("list --color never", &[("NO_COLOR", "")]));
        assert!(!seen("list", &[("NO_COLOR", ""), ("TERM", "dumb")]));
        assert!(!seen("list", &[("NO_COLOR", ""), ("CLICOLOR", "0")]));
    }
}

#[test]
fn long_output_on_a_terminal_is_paged() {
    if !have(&["script", "sed"]) {
        return;
    }
    let env = Env::new();
    let lines: String = (10..72).map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"T{n}\"}}\n")).collect();
    env.put_ledger(lines);
    let small = ("LINES", "10");
    let paged = |line: &str, vars: &[(&str, &str)]| {
        let run = screen(&env, line, vars);
        assert_eq!(run.code, 0, "{}", run.snapshot());
        let all = run.stdout.lines().filter(|line| line.contains("bd-")).count();
        (all, run.stdout.lines().filter(|line| line.starts_with("P:")).count(), run.stdout)
    };
    let (all, through, text) = paged("list", &[small, ("PAGER", "sed s/^/P:/")]);
    assert_eq!((all, through), (50, 51), "the remark that it is cut, too\n{text}");
    let own = [small, ("PAGER", "sed s/^/P:/"), ("BD_PAGER", "cat")];
    assert_eq!(paged("list", &own).1, 0, "BD_PAGER goes first");
    for line in ["list --no-pager", "list --json", "list -n 3", "--no-pager list"] {
        let (all, through, text) = paged(line, &[small, ("PAGER", "sed s/^/P:/")]);
        assert!(all >= 3 && through == 0, "{line}\n{text}");
    }
    assert_eq!(paged("list", &[small, ("PAGER", "")]), paged("list", &[small, ("PAGER", "cat")]));
    assert!(!env.bd_with(["list"], None, &[small, ("PAGER", "sed s/^/P:/")]).ok().stdout.contains("P:"), "a pipe");
    // A command that changes something is never stopped by a reader.
    env.bd(["add", "x"]).ok();
    assert_eq!(paged("close 10 11 12 13 14 15 16 17 18 19 20 21 --yes", &[small, ("PAGER", "sed s/^/P:/")]).1, 0);
}

#[test]
fn a_pager_that_is_missing_or_ends_at_once_is_no_failure() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::new();
    let line = |n| format!("{{\"id\":\"bd-{n}\",\"title\":\"{}\"}}\n", "long ".repeat(60));
    let lines: String = (10..500).map(line).collect();
    env.put_ledger(lines);
    for pager in ["no-such-pager -x", "MORE=1 no-such-pager"] {
        let run = screen(&env, "list -n 0", &[("LINES", "10"), ("PAGER", pager)]);
        let told = run.stdout.matches("cannot start the pager").count();
        let all = run.stdout.lines().filter(|line| line.starts_with("bd-")).count();
        assert_eq!((run.code, told, all), (0, 1, 490), "{pager}");
    }
    let run = screen(&env, "list -n 0", &[("LINES", "10"), ("PAGER", "true")]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "no noise");
    let shown = |lines: &str, pager: &str| {
        let run = screen(&env, &format!("list -n {lines}"), &[("LINES", "10"), ("PAGER", pager)]);
        assert_eq!(run.code, 0, "{pager}");
        let told = run.stdout.matches("printing without it").count();
        (told, run.stdout.lines().filter(|line| line.starts_with("bd-")).count())
    };
    // More than a pipe holds, and less.
    for (number, all) in [("0", 490), ("20", 20)] {
        for pager in ["false", "true; exit 3", "kill -9 $$", "sleep 0.2; exit 1"] {
            assert_eq!(shown(number, pager), (1, all), "{pager}");
        }
        for pager in
            ["head -c 1 >/dev/null; exit 1", "head -c 1 >/dev/null; kill -9 $$", "kill -PIPE $$", "true; exit 141"]
        {
            assert_eq!(shown(number, pager), (0, 0), "{pager}");
        }
    }
    // The settings of a repository choose no program.
    env.write(".beads/config.toml", "pager = \"touch ran\"\n[core]\npager = \"touch ran\"\n");
    put(&env.path("bin/less"), "#!/bin/sh\nsed s/^/L:/\n");
    let path = format!("{}:{}", env.path("bin").display(), std::env::var("PATH").unwrap());
    let run = screen(&env, "list -n 0", &[("LINES", "10"), ("PATH", &path)]);
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("L:bd-")).count(), 490, "{}", run.snapshot());
    assert!(!env.path("ran").exists());
}

#[test]
fn paths_are_short_and_times_are_local() {
    let env = project();
    let shown = env.bd_with(["show", "save"], None, &[("TZ", "Asia/Tokyo")]).ok().stdout;
    assert!(shown.contains("Stored in   .beads/beads.jsonl:"), "{shown}");
    assert!(shown.contains("Created     2026-01-05 18:00 by ann"), "{shown}");
    assert!(shown.contains("Due         2026-01-09 08:59 (in 4 days)"), "{shown}");
    let root = env.root();
    env.set("HOME", &root);
    let shown = env.bd(["-C", root.join("web").to_str().unwrap(), "show", "save"]).ok().stdout;
    assert!(shown.contains("Stored in   .beads/beads.jsonl:"), "{shown}");
    let mut command = env.bd_command(BD);
    command.current_dir(root.join("tmp")).args(["-C", "../web", "show", "save"]);
    let shown = env.run(command, "bd -C ../web show save".into(), None).ok().stdout;
    assert!(shown.contains("Stored in   ~/web/.beads/beads.jsonl:"), "{shown}");
}

#[test]
fn an_empty_ledger_says_how_to_begin() {
    assert_data_eq!(
        Env::new().script("ready\nlist\nwork\nclaim"),
        str![[r#"
$ bd ready
! no issues yet; add one with `bd add "Title"`
$ bd list
! no issues yet; add one with `bd add "Title"`
$ bd work
! error: which issue? `bd ready` lists candidates; `bd ready --claim` takes the first
[exit 2]
$ bd claim
! error: which issue? `bd ready` lists candidates; `bd ready --claim` takes the first
[exit 2]

"#]]
        .raw()
    );
}
