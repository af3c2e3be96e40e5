//! Finding and counting: search, query, count.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::find::listing::project;
use crate::support::harness::{Env, words};

#[test]
fn search_looks_everywhere() {
    let env = project();
    env.given(
        "comment form 'the tabindex is wrong'
         note save 'needs a schema'
         update epic --design 'two columns' --acceptance 'all tabs work'",
    );
    assert_data_eq!(
        env.script(
            "search cookies
             search tab
             search DOCS
             search fails nosuchword
             search twice
             search docs --status open
             search"
        ),
        str![[r#"
$ bd search cookies
bd-login  P0  open  bug  Login fails on Safari
$ bd search tab
bd-form  P2  open  task  Move the form @bob
bd-epic  P1  open  epic  Rework the settings page #ui
$ bd search DOCS
bd-docs  P3  closed  chore  Write the docs
$ bd search fails nosuchword
! nothing found
$ bd search twice
! nothing found
$ bd search docs --status open
! nothing found
$ bd search
! error: search query is required
! hint: name the words to search for; to find issues by a condition alone, run `bd list --where EXPR`
[exit 2]

"#]]
        .raw()
    );
    assert_data_eq!(env.bd(["search", "cookies", "--json"]).compact(), str![[r#"
$ bd search cookies --json
[
{"id":"bd-login","title":"Login fails on Safari","description":"Cookies are lost.","created_by":"ann","status":"open","priority":0,"issue_type":"bug","created_at":"2026-01-05T09:00:03.000Z","updated_at":"2026-01-05T09:00:03.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":0,"comment_count":0,"matched_fields":["description"]}
]

"#]].raw());
    assert_data_eq!(
        env.bd(["search", "nothing at all", "--json"]).snapshot(),
        str![[r#"
$ bd search 'nothing at all' --json
[]

"#]]
        .raw()
    );
    for (word, fields) in [("tabindex", "comments"), ("schema", "notes"), ("columns", "design"), ("login", "id title")]
    {
        let found = env.bd(["search", word, "--json"]).json();
        let named: Vec<&str> =
            found[0]["matched_fields"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
        assert_eq!(named.join(" "), fields, "{word}");
    }
}

#[test]
fn search_is_ordered_and_cut_as_asked() {
    let env = project();
    let ids = |args: &[&str]| env.bd(["search", "the", "--json"].iter().chain(args)).ids().join(" ");
    assert_eq!(ids(&["--sort", "id"]), "bd-docs bd-epic bd-form");
    assert_eq!(ids(&["--sort", "id", "--reverse"]), "bd-form bd-epic bd-docs");
    let cut = env.bd(["search", "the", "-n", "1"]).ok();
    assert_eq!(cut.stdout.lines().count(), 1);
    assert_eq!(cut.stderr, "1 of 3 issues shown; --limit 0 shows all\n");
}

#[test]
fn search_reverse_needs_no_sort() {
    let env = project();
    let best_first = env.bd(["search", "the", "--json"]).ids();
    let mut last_first = env.bd(["search", "the", "--json", "--reverse"]).ids();
    last_first.reverse();
    assert_eq!(best_first, last_first);
}

#[test]
fn query_by_conditions() {
    let env = project();
    env.given("update login --status in_progress -a ann");
    let ids = |text: &str| env.bd(["query", text, "--json", "--sort", "id"]).ids().join(" ");
    for (text, expected) in [
        ("status=open", "bd-epic bd-form bd-save"),
        ("status=open,closed", "bd-docs bd-epic bd-form bd-save"),
        ("priority<=1", "bd-epic bd-login"),
        ("type=bug or label=backend", "bd-login bd-save"),
        ("not (type=bug or label=backend)", "bd-epic bd-form"),
        ("assignee=me", "bd-login"),
        ("assignee=none", "bd-epic bd-save"),
        ("assignee!=none and parent=bd-epic", "bd-form"),
        ("title~safari", "bd-login"),
        ("description~cookies", "bd-login"),
        ("updated>7d status=closed", "bd-docs"),
        ("created<2026-01-05T09:00:01Z", "bd-epic"),
        ("author=me label=ui", "bd-epic bd-save"),
        ("title=\"Move the form\"", "bd-form"),
        ("status=tombstone", "bd-twice"),
    ] {
        assert_eq!(ids(text), expected, "{text}");
    }
    assert_eq!(
        env.bd(["query", "priority=2", "--json", "--all", "--deleted", "--sort", "id"]).ids(),
        ["bd-form", "bd-save", "bd-twice"]
    );
}

#[test]
fn every_filter_ignores_the_case_of_every_letter() {
    let env = Env::new();
    env.given(
        "add 'ÜBER alles' --id bd-title
         add 'Vis-à-vis: GEGENÜBER' --id bd-inner
         add Plain --id bd-text -d 'Der Ärger mit 100%_ÖL' --notes ПРИВЕТ -l GRÖSSE
         add Uber --id bd-ascii",
    );
    let found = || {
        for (line, expected) in [
            ("list --title über", "bd-inner bd-title"),
            ("list --title 'Über A'", "bd-title"),
            ("list --title uber", "bd-ascii"),
            ("query title~über", "bd-inner bd-title"),
            ("query 'title~ber and not title~über'", "bd-ascii"),
            ("query 'title~genÜ or title~uber'", "bd-ascii bd-inner"),
            ("query ÄRGER", "bd-text"),
            ("query text~100%_öl", "bd-text"),
            ("query text~1%_öl", ""),
            ("query label~grö", "bd-text"),
            ("list --desc-contains ÄRGER", "bd-text"),
            ("list --notes-contains привет", "bd-text"),
            ("search genüb", "bd-inner"),
        ] {
            let args = words(line).into_iter().chain(["--sort", "id", "--json"].map(str::to_owned));
            assert_eq!(env.bd(args).ok().ids().join(" "), expected, "{line}");
        }
    };
    found();
    let more: String = (1000..1400).map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"T\"}}\n")).collect();
    env.put_ledger(more + &env.ledger_text());
    // The first of these makes an image, which the others ask.
    found();
}

#[test]
fn query_text_and_refusals() {
    let env = project();
    assert_data_eq!(
        env.script(
            "query 'type=bug'
             query 'type=spike'
             query 'type=spike' --json
             query 'colour=red'
             query 'priority=highest'
             query 'created<someday'
             query '(status=open'
             query 'title=\"open'
             query 'title<x'
             query ''
             query"
        ),
        str![[r#"
$ bd query type=bug
bd-login  P0  open  bug  Login fails on Safari
$ bd query type=spike
! no issues
$ bd query type=spike --json
[]
$ bd query colour=red
! error: unknown field "colour"; known: id title description notes text status type priority label assignee author owner parent external_ref visibility repo project created updated started closed due defer
! hint: run `bd help query` for the language
[exit 2]
$ bd query priority=highest
! error: invalid priority "highest": 0 to 4, P0 to P4, or critical high medium low backlog
! hint: run `bd help query` for the language
[exit 2]
$ bd query 'created<someday'
! error: created: "someday" is not a date
! hint: run `bd help dates` for every form
[exit 2]
$ bd query '(status=open'
! error: a bracket is not closed
! hint: run `bd help query` for the language
[exit 2]
$ bd query 'title="open'
! error: a quote is not closed
! hint: run `bd help query` for the language
[exit 2]
$ bd query 'title<x'
! error: title cannot be compared with "<"
! hint: run `bd help query` for the language
[exit 2]
$ bd query ''
! error: the query is empty
! hint: run `bd help query` for the language
[exit 2]
$ bd query
! error: the following required arguments were not provided:
!   <EXPRESSION>...
! 
! Usage: bd query <EXPRESSION>...
! 
! For more information, try '--help'.
[exit 2]

"#]].raw()
    );
}

#[test]
fn count_issues() {
    let env = project();
    assert_data_eq!(
        env.script(
            "count
             count --status open
             count --json
             count --by status
             count --by priority
             count --by assignee --json
             count --by-type --status closed --json
             count --by colour
             count -p 9"
        ),
        str![[r#"
$ bd count
5
$ bd count --status open
4
$ bd count --json
{
  "count": 5
}
$ bd count --by status
     1  closed
     4  open
$ bd count --by priority
     1  P0
     1  P1
     2  P2
     1  P3
$ bd count --by assignee --json
{
  "total": 5,
  "groups": [
    {
      "group": "(unassigned)",
      "count": 4
    },
    {
      "group": "bob",
      "count": 1
    }
  ]
}
$ bd count --by-type --status closed --json
{
  "total": 1,
  "groups": [
    {
      "group": "chore",
      "count": 1
    }
  ]
}
$ bd count --by colour
! error: invalid value 'colour' for '--by <FIELD>': one of status priority type assignee label
! 
! For more information, try '--help'.
[exit 2]
$ bd count -p 9
! error: invalid priority "9": 0 to 4, P0 to P4, or critical high medium low backlog
[exit 2]

"#]]
        .raw()
    );
}

#[test]
fn count_by_label_counts_each_issue_once_in_the_total() {
    let env = project();
    let by_label = env.bd(["count", "--by", "label", "--json"]).json();
    assert_eq!(by_label["total"], 5, "{by_label}");
    assert_data_eq!(
        env.script("count --by label"),
        str![[r#"
$ bd count --by label
     3  (no labels)
     1  backend
     2  ui

"#]]
        .raw()
    );
}

#[test]
fn the_reason_for_closing_is_searched() {
    let env = project();
    env.given("close login -r 'Obsolete: Safari fixed its cookies'");
    let found = env.bd(["search", "obsolete", "--json"]).ok();
    assert_eq!(found.ids(), ["bd-login"]);
    assert_eq!(found.json()[0]["matched_fields"], serde_json::json!(["close_reason"]));
    assert_eq!(env.bd(["search", "4f2e", "--json"]).ok().ids(), ["bd-docs"]);
    assert_eq!(env.bd(["query", "obsolete", "--all", "--json"]).ok().ids(), ["bd-login"]);
    env.given("reopen login");
    assert_eq!(env.bd(["search", "obsolete", "--json"]).ok().ids(), [""; 0], "reopened, the reason is gone");
}
