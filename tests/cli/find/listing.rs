//! Listing issues: list.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

/// Six issues: an epic with two children, a bug, a closed and a deleted one.
pub fn project() -> Env {
    let env = Env::new();
    env.given(
        "add 'Rework the settings page' -t epic -p 1 --id bd-epic -l ui
         add 'Move the form' --id bd-form --parent epic -a bob
         add 'Validate on save' --id bd-save --parent epic --deps form -l ui,backend
         add 'Login fails on Safari' -t bug -p 0 --id bd-login -d 'Cookies are lost.'
         add 'Write the docs' -t chore -p 3 --id bd-docs
         add 'Filed twice' --id bd-twice
         close docs -r 'done in 4f2e'
         delete twice --yes",
    );
    env
}

#[test]
fn list_hides_what_is_done() {
    let env = project();
    assert_data_eq!(
        env.script(
            "list
             list --all
             list --tree
             list --status closed
             list -p 4
             list --parent epic -l ui
             list --limit 2"
        ),
        str![[r#"
$ bd list
bd-login  P0  open  bug   Login fails on Safari
bd-epic   P1  open  epic  Rework the settings page #ui
bd-save   P2  open  task  Validate on save [blocked] #backend #ui
bd-form   P2  open  task  Move the form @bob
$ bd list --all
bd-login  P0  open    bug    Login fails on Safari
bd-epic   P1  open    epic   Rework the settings page #ui
bd-save   P2  open    task   Validate on save [blocked] #backend #ui
bd-form   P2  open    task   Move the form @bob
bd-docs   P3  closed  chore  Write the docs
$ bd list --tree
bd-login    P0  open  bug   Login fails on Safari
bd-epic     P1  open  epic  Rework the settings page #ui
|- bd-save  P2  open  task  Validate on save [blocked] #backend #ui
`- bd-form  P2  open  task  Move the form @bob
$ bd list --status closed
bd-docs  P3  closed  chore  Write the docs
$ bd list -p 4
! no issues
$ bd list --parent epic -l ui
bd-save  P2  open  task  Validate on save [blocked] #backend #ui
$ bd list --limit 2
bd-login  P0  open  bug   Login fails on Safari
bd-epic   P1  open  epic  Rework the settings page #ui
! 2 of 4 issues shown; --limit 0 shows all

"#]]
        .raw()
    );
}

#[test]
fn list_json() {
    let env = project();
    assert_data_eq!(env.bd(["list", "--json"]).compact(), str![[r#"
$ bd list --json
[
{"id":"bd-login","title":"Login fails on Safari","description":"Cookies are lost.","created_by":"ann","status":"open","priority":0,"issue_type":"bug","created_at":"2026-01-05T09:00:03.000Z","updated_at":"2026-01-05T09:00:03.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":0,"comment_count":0},
{"id":"bd-epic","title":"Rework the settings page","created_by":"ann","status":"open","priority":1,"issue_type":"epic","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T09:00:00.000Z","labels":["ui"],"visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":2,"comment_count":0},
{"id":"bd-save","title":"Validate on save","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","updated_at":"2026-01-05T09:00:02.000Z","labels":["backend","ui"],"parent":"bd-epic","visibility":"canonical","source_repo":".","dependency_count":2,"dependent_count":0,"comment_count":0},
{"id":"bd-form","title":"Move the form","assignee":"bob","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","updated_at":"2026-01-05T09:00:01.000Z","parent":"bd-epic","visibility":"canonical","source_repo":".","dependency_count":1,"dependent_count":1,"comment_count":0}
]

"#]].raw());
    assert_data_eq!(
        env.bd(["list", "--type", "spike", "--json"]).snapshot(),
        str![[r#"
$ bd list --type spike --json
[]

"#]]
        .raw()
    );
}

#[test]
fn list_filters() {
    let env = project();
    env.given(
        "update login --due 2026-01-05T09:00:01Z --notes 'seen by zoe'
         update form --status in_progress
         defer save --until 2026-02-01",
    );
    let ids = |filter: &str| env.bd(["list", "--json", "--sort", "id"].into_iter().chain(filter.split(' '))).ids();
    for (filter, expected) in [
        ("--status open", "bd-epic bd-login"),
        ("--status open,in-progress", "bd-epic bd-form bd-login"),
        ("-s closed", "bd-docs"),
        ("--type bug,chore --all", "bd-docs bd-login"),
        ("--exclude-type epic,bug", "bd-form bd-save"),
        ("--priority 0,P1", "bd-epic bd-login"),
        ("--priority-min 2", "bd-form bd-save"),
        ("--priority-max 1", "bd-epic bd-login"),
        ("--assignee bob", "bd-form"),
        ("--no-assignee", "bd-epic bd-login bd-save"),
        ("--author me", "bd-epic bd-form bd-login bd-save"),
        ("--author bob", ""),
        ("--label ui,backend", "bd-save"),
        ("--label-any ui,backend", "bd-epic bd-save"),
        ("--exclude-label backend --label ui", "bd-epic"),
        ("--parent epic", "bd-form bd-save"),
        ("--no-parent", "bd-epic bd-login"),
        ("--id docs,login", "bd-docs bd-login"),
        ("--title SAFARI", "bd-login"),
        ("--desc-contains cookies", "bd-login"),
        ("--notes-contains zoe", "bd-login"),
        ("--created-after 2026-01-05T09:00:02Z", "bd-login bd-save"),
        ("--created-before 2026-01-05T09:00:01Z", "bd-epic"),
        ("--updated-after 2026-01-05T09:00:08.500Z", "bd-form bd-save"),
        ("--closed-after 1d", "bd-docs"),
        ("--overdue", "bd-login"),
        ("--due-before 1d", "bd-login"),
        ("--deferred", "bd-save"),
        ("--defer-after 1w", "bd-save"),
        ("--ready", "bd-login"),
    ] {
        assert_eq!(ids(filter).join(" "), expected, "{filter}");
    }
}

#[test]
fn list_order() {
    let env = project();
    let ids = |order: &str| {
        env.bd(["list", "--all", "--deleted", "--json"].into_iter().chain(order.split(' '))).ids().join(" ")
    };
    assert_eq!(ids("--sort id"), "bd-docs bd-epic bd-form bd-login bd-save bd-twice");
    assert_eq!(ids("--sort id --reverse"), "bd-twice bd-save bd-login bd-form bd-epic bd-docs");
    assert_eq!(ids("--sort title -n 2"), "bd-twice bd-login");
    assert_eq!(ids("--sort updated -n 3"), "bd-twice bd-docs bd-login");
    assert_eq!(ids("--sort priority -n 1"), "bd-login");
}

#[test]
fn list_refusals() {
    let env = project();
    assert_data_eq!(
        env.script(
            "list --priority 7
             list --sort colour
             list --parent nosuch
             list --id o
             list --created-after someday
             list --limit -1 --json"
        ),
        str![[r#"
$ bd list --priority 7
! error: invalid priority "7": 0 to 4, P0 to P4, or critical high medium low backlog
[exit 2]
$ bd list --sort colour
! error: invalid value 'colour' for '--sort <FIELD>': one of priority created updated closed due id title status type assignee
! 
! For more information, try '--help'.
[exit 2]
$ bd list --parent nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd list --id o
! error: no issue found matching "o": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd list --created-after someday
! error: invalid --created-after format "someday": not a date
! hint: write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339; run `bd help dates` for every form
[exit 2]
$ bd list --limit -1 --json
! {"error":{"code":"usage","message":"unexpected argument '-1' found","hint":"a number below zero has no meaning here","recoverable":false,"exit_code":2}}
[exit 2]

"#]].raw()
    );
}

#[test]
fn a_word_that_is_no_status_or_type_is_refused() {
    let env = project();
    env.bd(["list", "--status", "opne"]).fails(2, &["invalid status"]);
    env.bd(["list", "--type", "bgu"]).fails(2, &["invalid issue type"]);
}

#[test]
fn list_says_when_it_is_cut() {
    let env = Env::new();
    let lines: String = (10..62).map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"T{n}\"}}\n")).collect();
    env.put_ledger(lines);
    let run = env.bd(["list"]).ok();
    assert_eq!(run.stdout.lines().count(), 50);
    assert_eq!(run.stderr, "50 of 52 issues shown; --limit 0 shows all\n");
    assert_eq!(env.bd(["list", "--limit", "0"]).stdout.lines().count(), 52);
    assert_eq!(env.bd(["list", "--json"]).ids().len(), 52);
    let cut = env.bd(["list", "--json", "-n", "2"]);
    assert_eq!((cut.ids().len(), cut.talk().as_str()), (2, "2 of 52 issues shown; --limit 0 shows all\n"));
}

#[test]
fn what_has_no_date_is_last_in_either_direction() {
    let env = Env::new();
    env.given("add Open --id bd-o\nadd One --id bd-1\nadd Two --id bd-2 --due 2026-01-06\nclose 1\nclose 2");
    let sorted = |flags: &[&str]| {
        let args = ["list", "--all", "--json", "--sort"];
        env.bd(args.iter().chain(flags)).ok().ids().join(" ")
    };
    assert_eq!(sorted(&["closed"]), "bd-2 bd-1 bd-o");
    assert_eq!(sorted(&["closed", "--reverse"]), "bd-1 bd-2 bd-o");
    assert_eq!(sorted(&["due", "--reverse"]), "bd-2 bd-1 bd-o");
}
