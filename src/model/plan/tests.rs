use super::*;

fn problems(text: &str, format: Format) -> Vec<String> {
    read(text, format).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn both_formats_say_the_same() {
    let toml = r#"
name = "Ship it"
max_parallel = 2
auto_workspace = true

[[tasks]]
name = "build"
title = "Build the thing"
priority = "P1"
type = "chore"
labels = ["ci", "fast"]

[[tasks]]
name = "ship"
depends_on = ["build"]
context_from = ["build"]
parallel_group = 3
estimate = 30
"#;
    let plan = read(toml, Format::of(Some("a.toml"), toml)).unwrap();
    assert_eq!(plan.tasks[0].title(), "Build the thing");
    assert_eq!(plan.tasks[0].priority.map(Priority::number), Some(1));
    assert_eq!(plan.tasks[1].title(), "ship");
    assert_eq!(plan.tasks[1].parallel_group.as_deref(), Some("3"));
    let json = serde_json::to_string_pretty(&toml::from_str::<toml::Value>(&plan.to_toml()).unwrap()).unwrap();
    assert_eq!(Format::of(None, &json), Format::Json);
    assert_eq!(read(&json, Format::Json).unwrap(), plan);
    assert_eq!(read(&plan.to_toml(), Format::Toml).unwrap(), plan);
}

#[test]
fn all_problems_at_once_with_their_places() {
    let toml = r#"max_paralel = 3
auto_workspace = "yes"
[[tasks]]
name = "build"
depends_on = ["build", "biuld", "tset"]
[[tasks]]
name = "test"
depend_on = ["build"]
depends_on = ["deploy"]
[[tasks]]
name = "deploy"
depends_on = ["test"]
priority = 9
[[tasks]]
name = "test"
labels = "x"
[[tasks]]
title = "no name"
context_from = ["docs"]
"#;
    assert_eq!(
        problems(toml, Format::Toml),
        [
            r#"line 1: unknown key "max_paralel"; did you mean "max_parallel"?"#,
            "line 2: auto_workspace must be true or false, not a text",
            r#"line 4: task "build": depends_on names the task itself"#,
            r#"line 4: task "build": depends_on names "biuld", which is not a task of this plan; did you mean "build"?"#,
            r#"line 4: task "build": depends_on names "tset", which is not a task of this plan; did you mean "test"?"#,
            r#"line 8: task "test": unknown key "depend_on"; did you mean "depends_on"?"#,
            "line 11: a circle of dependencies: deploy → test → deploy",
            r#"line 13: task "deploy": priority must be 0 to 4, or P0 to P4, not 9"#,
            r#"line 15: task "test": a second task of this name; the first is in line 7"#,
            r#"line 16: task "test": labels must be a list of texts, not a text"#,
            "line 18: a task needs a name",
        ]
    );
}

#[test]
fn json_knows_its_lines_too() {
    let json = "{\n \"tasks\": [\n  {\"name\": \"a\",\n   \"depends_on\": [\"b\"]},\n  {\"name\": \"b\", \"sequence\": 1.5},\n  7\n ]\n}";
    assert_eq!(
        problems(json, Format::Json),
        [
            r#"line 5: task "b": sequence must be a number from 0 on, not a number with a fraction, or too large"#,
            "line 6: a task must be a table, not a number",
        ]
    );
    assert_eq!(problems("{\n\"tasks\": [,]}", Format::Json), ["line 2: unexpected character"]);
    assert_eq!(problems("{\"a\":1,\"a\":2}", Format::Json), ["line 1: duplicate key \"a\""]);
    assert_eq!(problems("7", Format::Json), ["line 1: not a JSON object"]);
    assert_eq!(problems("[]", Format::Json), ["line 1: a plan must be a table, not a list"]);
    let null = read(r#"{"name":null,"tasks":[{"name":"a","plan":null}]}"#, Format::Json).unwrap();
    assert_eq!(null.tasks, [PlannedTask::named("a")]);
}

#[test]
fn what_is_no_plan() {
    assert_eq!(problems("", Format::Toml), ["a plan needs at least one task: [[tasks]] with a name"]);
    assert_eq!(problems("tasks = []", Format::Toml), ["line 1: a plan needs at least one task: [[tasks]] with a name"]);
    assert_eq!(problems("tasks = 1", Format::Toml), ["line 1: tasks must be a list of tables, not a number"]);
    assert!(problems("name = \n", Format::Toml)[0].starts_with("line 1: "));
    let many: String = (0..=MAX_TASKS).map(|n| format!("[[tasks]]\nname = \"t{n}\"\n")).collect();
    assert!(problems(&many, Format::Toml)[0].contains("1001 tasks"));
    let long = format!("[[tasks]]\nname = \"a\"\nplan = \"{}\"\n", "x".repeat(MAX_TEXT + 1));
    assert_eq!(problems(&long, Format::Toml), ["line 3: task \"a\": plan is longer than 262144 bytes"]);
    for (name, text) in [("two lines", "a\\nb"), ("a space", " a"), ("a control character", "a\\u0007")] {
        let found = problems(&format!("[[tasks]]\nname = \"{text}\""), Format::Toml);
        assert!(found[0].contains("name must be one line"), "{name}: {found:?}");
    }
    assert!(problems("[[tasks]]\nname='a'\ntype='workflow'", Format::Toml)[0].contains("not handed out"));
    assert_eq!(
        problems("[[tasks]]\nname='a'\ntype='bug'\nissue_type='bug'", Format::Toml),
        ["line 4: task \"a\": type and issue_type are the same; one of them is enough"]
    );
}

#[test]
fn informs_may_go_in_circles_and_dependencies_may_not() {
    let plan = "[[tasks]]\nname='a'\ninforms=['b']\n[[tasks]]\nname='b'\ninforms=['a']\ndepends_on=['a']\n";
    assert!(read(plan, Format::Toml).is_ok());
    let circle = "[[tasks]]\nname='a'\ndepends_on=['b']\n[[tasks]]\nname='b'\ndepends_on=['a']\n";
    assert_eq!(problems(circle, Format::Toml), ["line 2: a circle of dependencies: a → b → a"]);
}

#[test]
fn depth_breaks_nothing() {
    for (format, open) in [(Format::Toml, "a = ["), (Format::Json, "{\"a\":[")] {
        let deep = format!("{open}{}", "[".repeat(200_000));
        assert_eq!(problems(&deep, format).len(), 1);
        let closed =
            format!("{open}{}{}", "[".repeat(40), "]".repeat(41)) + if format == Format::Json { "}" } else { "" };
        assert!(problems(&closed, format).iter().any(|one| one.contains("unknown key \"a\"")), "{format:?}");
    }
}
