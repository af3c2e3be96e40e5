//! Manual pages.

use crate::support::harness::Env;

#[test]
fn manual_pages_are_printed_and_installed() {
    let env = Env::bare();
    let page = env.bd(["man", "list"]).ok().stdout;
    assert!(page.contains(".TH BD-LIST 1") && page.contains("bd list"), "{page}");
    env.bd(["man", "nosuch"]).fails(2, &["no command \"nosuch\"; run `bd help --all`"]);
    env.bd(["man", "dep", "nosuch"]).fails(2, &["no command \"dep nosuch\""]);
    env.bd(["man", "--install"]).ok();
    let installed = env.root().join("home/data/man/man1");
    assert_eq!(std::fs::read_to_string(installed.join("bd-list.1")).unwrap(), page);
    assert!(std::fs::read_to_string(installed.join("bd.1")).unwrap().contains(".TH BD 1"));
    let add = env.bd(["man", "dep", "add"]).ok().stdout;
    assert!(add.contains(".TH BD-DEP-ADD 1"), "{add}");
    assert_eq!(std::fs::read_to_string(installed.join("bd-dep-add.1")).unwrap(), add);
    let count = std::fs::read_dir(installed).unwrap().count();
    env.bd(["man", "--install", "--dir", "pages"]).ok();
    assert_eq!(std::fs::read_dir(env.path("pages")).unwrap().count(), count);
    // A file that is in the way is named.
    std::fs::write(env.path("file"), "").unwrap();
    env.bd(["man", "--install", "--dir", "file"]).fails(1, &["file"]);
}

#[test]
fn a_page_keeps_the_lines_of_examples_and_the_values_of_flags() {
    let env = Env::bare();
    let page = env.bd(["man", "dep"]).ok().stdout;
    let examples = page.split(".SH EXAMPLES\n.nf\n").nth(1).and_then(|rest| rest.split(".fi\n").next()).unwrap();
    assert_eq!(examples.lines().count(), 6, "{examples}");
    assert!(examples.starts_with("bd dep add bd\\-a3f8 bd\\-k9z2   "), "{examples}");
    assert!(!page.contains("EXTRA"), "{page}");
    let page = env.bd(["man", "list"]).ok().stdout.replace('\\', "");
    assert!(page.contains("[-n|--limit N]") && page.contains("[QUERY]..."), "{page}");
    let page = env.bd(["man", "help"]).ok().stdout;
    assert!(page.contains(".SH NOTES\nTopics: quickstart, query, dates"), "{page}");
}

#[test]
fn installing_says_if_man_does_not_look_there() {
    let env = Env::bare();
    let root = env.root().join("home/data/man").display().to_string();
    let said = env.bd_with(["man", "--install"], None, &[("PATH", "/usr/bin")]).ok().stderr;
    let wanted = "hint: man does not look there; add `export MANPATH=\"$HOME/data/man:$MANPATH\"`";
    assert!(said.lines().nth(1).is_some_and(|line| line.starts_with(wanted)), "{said}");
    let said = env.bd_with(["man", "--install"], None, &[("MANPATH", &root)]).ok().stderr;
    assert_eq!(said.lines().count(), 1, "{said}");
}
