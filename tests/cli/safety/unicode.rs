//! Texts in every script: what joins letters and emoji stays, what could deceive is shown.

use unicode_width::UnicodeWidthStr as _;

use crate::cli::shell::screens::screen;
use crate::support::harness::Env;
use crate::support::programs::have;

/// A programmer, Persian, Hindi, a keycap, a heart on fire.
const JOINED: [&str; 5] = ["👨\u{200d}💻", "می\u{200c}خواهم", "क्\u{200d}ष", "1\u{fe0f}\u{20e3}", "❤\u{fe0f}\u{200d}🔥"];

fn project() -> Env {
    let env = Env::new();
    for (n, title) in JOINED.iter().enumerate() {
        env.bd(["add", title, "--id", &format!("bd-{n}")]).ok();
    }
    env
}

#[test]
fn joined_letters_and_emoji_are_shown_as_they_are() {
    let env = project();
    env.given("dep add 0 1");
    for args in [&["list"][..], &["show", "0"], &["dep", "tree", "0"], &["list", "--tree"]] {
        let shown = env.bd(args).ok().stdout;
        assert!(shown.contains(JOINED[0]) && !shown.contains("\\u{"), "{shown}");
    }
    let listed = env.bd(["list", "--format", "{title}", "--sort", "id"]).ok().stdout;
    assert_eq!(listed.lines().collect::<Vec<_>>(), JOINED);
}

#[test]
fn what_could_deceive_is_shown() {
    let env = Env::new();
    let title = "ad\u{200d}min \u{202e}evil \u{200b}";
    env.bd(["add", title, "--id", "bd-a"]).ok();
    let shown = env.bd(["list"]).ok().stdout;
    assert!(shown.contains("ad\\u{200d}min \\u{202e}evil"), "{shown}");
    // A program gets the text as it is, on one line and without what acts on a terminal.
    env.bd(["update", "a", "-d", &format!("x{title}\u{1b}[1m\ny")]).ok();
    let given = env.bd(["list", "--format", "{description}"]).ok().stdout;
    assert_eq!(given, format!("x{title}\\u{{1b}}[1m\\ny\n"));
    let columns = env.bd(["list", "--columns", "id,description"]).ok().stdout;
    assert_eq!(columns, format!("bd-a  {given}"));
}

#[test]
fn escapes_are_not_parted_at_the_end_of_a_line() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::new();
    env.bd(["add", &format!("{}{}", "x".repeat(13), "\u{202e}".repeat(9)), "--id", "bd-a"]).ok();
    for columns in ["20", "33", "47", "60"] {
        let shown = screen(&env, "show a", &[("COLUMNS", columns)]).stdout;
        assert_eq!(shown.matches("\\u{202e}").count(), 9, "{shown}");
    }
}

#[test]
fn joined_emoji_are_as_wide_as_they_look() {
    if !have(&["script"]) {
        return;
    }
    let env = Env::new();
    let title = "👨\u{200d}💻".repeat(40);
    env.bd(["add", &title, "--id", "bd-a"]).ok();
    let shown = screen(&env, "list", &[("COLUMNS", "50")]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.iter().all(|line| line.width() <= 50), "{shown}");
    assert!(lines.iter().all(|line| line.matches('👨').count() == line.matches('💻').count()), "{shown}");
    assert!(lines[0].width() > 46, "the line is used: {shown}");
}
