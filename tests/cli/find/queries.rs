//! Finding issues: one language everywhere, orders, layouts, saved queries, aliases.

use crate::support::harness::{Env, words};

/// Three open issues and a closed one.
fn some() -> Env {
    let env = Env::new();
    env.given(
        "add Parser --id bd-a -t bug -p 1 -l ui --due 2026-01-10
         add Docs --id bd-b -p 3 -a ann --due 2026-02-10
         add Login --id bd-c -t bug -p 1 -l ui,slow
         add Done --id bd-d -t bug -p 0
         close bd-d",
    );
    env
}

fn lines(env: &Env, line: &str) -> Vec<String> {
    env.bd(words(line)).ok().stdout.lines().map(str::to_owned).collect()
}

#[test]
fn one_language_in_every_command() {
    let env = some();
    assert_eq!(lines(&env, "list --ids --where 'type=bug label=ui' --sort id"), ["bd-a", "bd-c"]);
    // A date of several words needs quotes.
    env.bd(["list", "--ids", "due<=in 2 weeks"]).fails(2, &["due: \"in\" is not a date"]);
    assert_eq!(lines(&env, "list --ids type=bug due<=eow"), ["bd-a"]);
    assert_eq!(lines(&env, "list --ids --where label=ui label=slow"), ["bd-c"], "both count");
    assert_eq!(lines(&env, "list --ids --where 'type=bug status=closed'"), ["bd-d"]);
    assert_eq!(lines(&env, "ready --ids --where 'assignee=@me'"), ["bd-b"]);
    assert_eq!(lines(&env, "count --where 'priority<=high'"), ["3"]);
    assert_eq!(lines(&env, "search Login --ids --where label=slow"), ["bd-c"]);
    assert_eq!(lines(&env, "search Parser --ids --where label=slow").len(), 0);
    assert_eq!(lines(&env, "export --where id=bd-b").len(), 1);
    assert_eq!(lines(&env, "query --ids 'due>=\"in 3 weeks\"'"), ["bd-b"]);
    for command in ["list", "ready", "count", "search x", "export", "update -p 1", "close", "delete"] {
        env.bd(words(&format!("{command} --where colour=red"))).fails(2, &["unknown field \"colour\""]);
    }
}

#[test]
fn a_word_means_the_same_wherever_a_condition_is_taken() {
    let env = some();
    for word in ["parser", "login", "nowhere"] {
        let expected = lines(&env, &format!("query --ids {word}"));
        for line in ["list --ids", "list --ids --where", "query --ids --where"] {
            assert_eq!(lines(&env, &format!("{line} {word}")), expected, "{line} {word}");
        }
    }
    assert_eq!(lines(&env, "query --ids login --where label=slow"), ["bd-c"]);
    for line in ["list nowhere", "query nowhere", "list --where nowhere"] {
        let run = env.bd(words(line)).ok();
        assert!(run.stderr.contains("no issues\nhint: run `bd search nowhere`"), "{}", run.snapshot());
    }
    assert!(!env.bd(["list", "title~nowhere"]).ok().stderr.contains("hint"));
    env.bd(["search", "--where", "type=bug or type=task"])
        .fails(2, &["search query is required", "run `bd list --where 'type=bug or type=task'`"]);
    env.bd(["query"]).fails(2, &["required"]);
}

#[test]
fn several_sort_keys_each_in_its_direction() {
    let env = some();
    assert_eq!(lines(&env, "list --ids --sort priority,title"), ["bd-c", "bd-a", "bd-b"]);
    assert_eq!(lines(&env, "list --ids --sort priority,-title"), ["bd-a", "bd-c", "bd-b"]);
    assert_eq!(lines(&env, "list --ids --sort -priority,+created"), ["bd-b", "bd-a", "bd-c"]);
    assert_eq!(lines(&env, "list --ids --sort updated"), ["bd-c", "bd-b", "bd-a"], "the latest first");
    assert_eq!(lines(&env, "list --ids --sort +updated"), ["bd-a", "bd-b", "bd-c"]);
    assert_eq!(lines(&env, "list --ids --sort -due"), ["bd-b", "bd-a", "bd-c"], "without a date last");
    assert_eq!(lines(&env, "ready --ids --sort due,id"), ["bd-a", "bd-b", "bd-c"]);
    assert_eq!(lines(&env, "ready --ids --sort -id -n 2"), ["bd-c", "bd-b"]);
    env.bd(["list", "--sort", "priority,colour"]).fails(2, &["one of priority created"]);
    env.bd(["ready", "--sort", "colour"]).fails(2, &["one of priority hybrid oldest, or one of"]);
    env.bd(["ready", "--claim", "--sort", "title"]).fails(2, &["with --claim"]);
}

#[test]
fn a_listing_is_laid_out_as_it_was_asked_for() {
    let env = some();
    assert_eq!(
        lines(&env, "list --columns id,due,title --sort id"),
        ["bd-a  2026-01-10  Parser", "bd-b  2026-02-10  Docs", "bd-c              Login"]
    );
    assert_eq!(
        lines(&env, "list --format '{id}\\t{priority} {{{labels}}} {assignee}' --sort id"),
        ["bd-a\tP1 {ui} ", "bd-b\tP3 {} ann", "bd-c\tP1 {slow,ui} "]
    );
    env.bd(["update", "bd-a", "-d", "one\ntwo\x1b[31m"]).ok();
    assert_eq!(lines(&env, "list --format {description} --id bd-a").len(), 1, "a line for each issue");
    assert!(!env.bd(["list", "--format", "{description}"]).ok().stdout.contains('\x1b'));
    env.bd(["list", "--format", "{id} {colour}"]).fails(2, &["unknown field \"colour\"; known: id title status"]);
    env.bd(["list", "--format", "{id"]).fails(2, &["a brace is not closed"]);
    env.bd(["list", "--columns", "id,colour"]).fails(2, &["unknown field \"colour\""]);
    env.bd(["list", "--ids", "--json"]).fails(2, &["print text"]);
    env.bd(["list", "--ids", "--columns", "id"]).fails(2, &["cannot be used with"]);
    let many: String = (0..60).map(|n| format!("{{\"op\":\"add\",\"title\":\"T{n}\"}}\n")).collect();
    env.bd_with(["batch"], Some(&many), &[]).ok();
    assert_eq!(lines(&env, "list --ids").len(), 63, "a pipe gets all of them");
    assert_eq!(lines(&env, "list --ids -n 5").len(), 5);
}

#[test]
fn a_saved_query_is_the_users_own() {
    let env = some();
    env.given("config set query.soon due<=eow\nconfig set query.hot '@soon priority<=high'");
    let own = std::fs::read_to_string(env.root().join("home/config/beads/config.toml")).unwrap();
    assert!(own.contains("soon = \"due<=eow\""), "{own}");
    assert_eq!(lines(&env, "list --ids @soon"), ["bd-a"]);
    assert_eq!(lines(&env, "count --where 'not @hot'"), ["3"]);
    env.given("update --where @hot --add-label now");
    assert_eq!(lines(&env, "query --ids label=now"), ["bd-a"]);
    env.bd(["list", "@nosuch"]).fails(2, &["no query is saved as @nosuch; known: @soon @hot"]);
    env.bd(["config", "set", "query.bad", "colour=red"]).fails(2, &["unknown field \"colour\""]);
    env.bd(["config", "set", "query.mine", "type=bug", "--shared"]).fails(2, &["only in your own settings"]);
    // A clone brings one along, and a circle of the user's own.
    env.write(".beads/config.toml", "[query]\nall = \"status=all\"\nsoon = \"status=all\"\n");
    env.bd(["list", "@all"]).fails(2, &["no query is saved as @all"]);
    assert_eq!(lines(&env, "list --ids @soon"), ["bd-a"], "what a repository says does not count");
    let path = env.root().join("home/config/beads/config.toml");
    std::fs::write(path, "[query]\na = \"@b\"\nb = \"x or @a\"\n").unwrap();
    env.bd(["list", "@a"]).fails(2, &["the saved query @a leads back to itself: @a -> @b -> @a"]);
}

#[test]
fn an_alias_is_words_of_bd() {
    let env = some();
    env.given("config set alias.mine 'list --assignee @me'\nconfig set alias.top 'mine -n 1 --ids'");
    assert_eq!(lines(&env, "top"), ["bd-b"]);
    assert_eq!(lines(&env, "mine --ids --sort id"), ["bd-b"]);
    assert_eq!(
        env.bd(["--actor", "mine", "mine", "--json"]).ok().ids().len(),
        0,
        "the value of a flag is not a command"
    );
    env.bd(["config", "set", "alias.list", "ready"]).fails(2, &["list is a command; an alias cannot replace it"]);
    env.bd(["config", "set", "alias.rm", "ready"]).fails(2, &["rm is a command"]);
    env.bd(["config", "set", "alias.me", "me --json"]).fails(2, &["alias me leads back to itself: me -> me"]);
    env.bd(["config", "set", "alias.sh", "!rm -rf"]).fails(2, &["\"!rm\" is not a command"]);
    env.bd(["config", "set", "alias.x", "ready", "--personal"]).fails(2, &["only in your own settings"]);
    // As if typed into the file, and brought along by a clone.
    let path = env.root().join("home/config/beads/config.toml");
    std::fs::write(path, "[alias]\nlist = \"ready\"\na = \"b\"\nb = \"a -n 1\"\nq2 = \"list 'x\"\nj = \"--json j\"\n")
        .unwrap();
    env.write(".beads/config.toml", "[alias]\nmine = \"list --all\"\n");
    assert_eq!(lines(&env, "list --ids --all").len(), 4, "a command stays what it is");
    env.bd(["a"]).fails(2, &["alias a leads back to itself: a -> b -> a"]);
    assert_eq!(env.bd(["a", "--json"]).fails(2, &[]).error()["code"], "usage");
    env.bd(["q2"]).fails(2, &["a quote is not closed"]);
    env.bd(["j"]).fails(2, &["does not begin with a command"]);
    // It is said where such an alias is, and why it is not followed.
    let said = ["mine is not a command", ".beads/config.toml:2", "only your own settings count"];
    env.bd(["mine", "--all"]).fails(2, &said);
    env.write("sub/file", "");
    env.bd(["-C", "sub", "mine"]).fails(2, &said);
    env.bd(["config", "get", "alias.mine"]).fails(3, &["alias.mine = list --all is not in effect"]);
    assert!(!env.bd(["config", "list"]).ok().stdout.contains("alias.mine"));
    let listed = env.bd(["config", "list", "--origin"]).ok().stdout;
    let line = listed.lines().find(|line| line.starts_with("alias.mine")).unwrap();
    assert!(line.contains("not in effect: aliases and queries count only in your own settings"), "{line}");
    // The user's own one counts, and both are shown.
    env.given("config set alias.mine 'list --ids'");
    assert_eq!(env.bd(["config", "get", "alias.mine"]).ok().stdout, "list --ids\n");
    let listed = env.bd(["config", "list", "--origin", "--json"]).ok().json();
    let mine: Vec<_> = listed.as_array().unwrap().iter().filter(|one| one["key"] == "alias.mine").collect();
    assert_eq!(mine.len(), 2);
    assert_eq!(mine[0]["origin"], "user");
    assert!(mine[0].get("held").is_none());
    assert!(mine[1]["held"].as_str().unwrap().starts_with("not in effect"));
}

#[test]
fn short_names_and_words_without_quotes() {
    let env = some();
    assert_eq!(lines(&env, "ls --ids -p high --sort id"), ["bd-a", "bd-c"]);
    env.given("start bd-a\nrm bd-c --yes\nadd Fix the login --id bd-e -p high\nadd --id bd-f -p low Say what");
    let row = env.bd(["show", "bd-e", "--json"]).ok().json();
    assert_eq!((row[0]["title"].as_str(), row[0]["priority"].as_i64()), (Some("Fix the login"), Some(1)));
    assert_eq!(env.bd(["show", "bd-f", "--json"]).json()[0]["title"], "Say what");
    assert_eq!(env.bd(["show", "bd-a", "--json"]).json()[0]["status"], "in_progress");
    let id = lines(&env, "q Part two --parent bd-e --deps bd-b,discovered-from:bd-a").remove(0);
    let row = &env.bd(["show", &id, "--json"]).ok().json()[0];
    assert_eq!(row["parent"], "bd-e");
    assert_eq!(row["dependencies"].as_array().map(Vec::len), Some(3));
    env.bd(["q", "Part", "--parent", "nosuch"]).fails(3, &["nosuch"]);
    env.bd(["add", "x", "-p", "highest"])
        .fails(2, &["invalid priority \"highest\"", "critical high medium low backlog"]);
    env.bd(["add", " ", "\t"]).fails(2, &["title is required"]);
}

#[test]
fn dates_in_words_everywhere() {
    let env = some();
    env.given("update bd-c --due eom\ndefer bd-b --until 'in 2 weeks'");
    let due = |id: &str, key: &str| env.bd(["show", id, "--json"]).ok().json()[0][key].as_str().unwrap().to_owned();
    assert_eq!(due("bd-c", "due_at"), "2026-01-31T23:59:59.999Z");
    assert!(due("bd-b", "defer_until").starts_with("2026-01-19T09:00"));
    assert_eq!(
        lines(&env, "list --ids --created-after '7 days ago' --due-before 'next month' --sort id"),
        ["bd-a", "bd-c"]
    );
    assert_eq!(lines(&env, "list --ids 'due=eom'"), ["bd-c"]);
    env.bd(["add", "x", "--due", "in two moons"]).fails(2, &["invalid --due format"]);
    env.bd(["list", "due<='in 2 weeks ago'"]).fails(2, &["is not a date"]);
}
