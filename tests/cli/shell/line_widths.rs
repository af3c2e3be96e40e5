//! Pages and tables in the width of the terminal: no line is left for the terminal to break.

use unicode_width::UnicodeWidthStr as _;

use crate::cli::shell::screens::screen;
use crate::docs::texts;
use crate::support::harness::Env;
use crate::support::programs::have;

const TOPICS: [&str; 6] = ["dates", "query", "ids", "roles", "environment", "way-back"];

/// The lines that are wider than that, each with where it is.
fn wide(name: &str, text: &str, columns: usize) -> Vec<String> {
    text.lines().filter(|line| line.width() > columns).map(|line| format!("{name}: {line}")).collect()
}

#[test]
fn help_fits_80_columns() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::bare();
    let mut found = Vec::new();
    let topics = TOPICS.map(|topic| format!("help {topic}"));
    for line in topics.iter().map(String::as_str).chain(["help --all", "quickstart", "help"]) {
        for columns in ["80", "40"] {
            let run = screen(&env, line, &[("COLUMNS", columns), ("BD_PAGER", "cat")]);
            assert_eq!(run.code, 0, "{}", run.snapshot());
            // The parser itself gives up on narrow terminals.
            if columns == "80" || !["help", "help query"].contains(&line) {
                found.extend(wide(line, &run.stdout, columns.parse().unwrap()));
            }
        }
    }
    for words in texts::commands() {
        let run = env.bd_with(words.iter().chain([&"--help".to_owned()]), None, &[("COLUMNS", "80")]).ok();
        found.extend(wide(&words.join(" "), &run.stdout, 80));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn topics_keep_their_words_and_tables() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::bare();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for topic in TOPICS {
        let whole = env.bd(["help", topic]).ok().stdout;
        let narrow = screen(&env, &format!("help {topic}"), &[("COLUMNS", "44"), ("BD_PAGER", "cat")]).stdout;
        if topic != "query" {
            assert_eq!(words(&narrow), words(&whole), "{topic}");
        }
    }
    let dates = screen(&env, "help dates", &[("COLUMNS", "80"), ("BD_PAGER", "cat")]).stdout;
    assert!(
        dates.contains(
            "  friday, next friday, last friday             due and defer look ahead,\n                                               everything else looks back\n"
        ),
        "{dates}"
    );
}

#[test]
fn columns_fit_the_terminal_and_are_whole_in_a_pipe() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::new();
    let title = "A title of many words that goes on for longer than a terminal of sixty columns is wide";
    let label = "a-very-long-label-name-that-is-one-word";
    env.bd(["add", title, "--id", "bd-a", "-l", label]).ok();
    env.bd(["add", "Short", "--id", "bd-b"]).ok();
    for fields in ["id,title", "title,id", "id,labels", "title,labels,id", "labels,title"] {
        let line = format!("list --columns {fields}");
        for columns in ["60", "24"] {
            let shown = screen(&env, &line, &[("COLUMNS", columns)]).stdout;
            assert_eq!(wide(&line, &shown, columns.parse().unwrap()), Vec::<String>::new(), "{shown}");
            let told: String = shown.split_whitespace().collect();
            let whole = if fields.contains("title") { title.replace(' ', "") } else { label.to_owned() };
            assert!(told.contains(&whole), "nothing is cut off: {shown}");
        }
    }
    let shown = screen(&env, "list --columns id,title --sort id", &[("COLUMNS", "60")]).stdout;
    let indented = shown.lines().skip(2).take_while(|line| !line.starts_with("bd-b"));
    assert!(indented.clone().count() > 0 && indented.clone().all(|line| line.starts_with("      ")), "{shown}");
    let piped = env.bd(["list", "--columns", "id,labels,title", "--sort", "ID"]).ok().stdout;
    assert_eq!(piped.lines().next().unwrap(), format!("bd-a  {label}  {title}"));
}

#[test]
fn footers_end_between_words() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::new();
    env.given("add One --id bd-a\nadd Two --id bd-b");
    let shown = screen(&env, "list -n 1", &[("COLUMNS", "20")]).stdout;
    assert!(shown.ends_with("1 of 2 issues shown;\n--limit 0 shows all\n"), "{shown}");
}
