//! An issue on its way from a planning repo into the project, with the ledgers that each story leaves written out.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, Run};

/// A project with one canonical issue, in which we are contributors with a planning repo in the home directory.
pub struct Story {
    pub env: Env,
}

/// A maintainer's settings: only the project, and the right to decide.
const MAINTAINER: [(&str, &str); 3] = [("BD_MODE", "single"), ("BD_ROLE", "maintainer"), ("BD_ACTOR", "max")];

impl Story {
    pub fn new() -> Self {
        let env = Env::new();
        env.bd_with(["add", "Upstream", "--id", "bd-up", "-q"], None, &MAINTAINER).ok();
        env.bd(["init", "--contributor", "-q"]).ok();
        Story { env }
    }

    /// A planned issue.
    pub fn plan(&self, id: &str, title: &str, more: &[&str]) {
        let args = ["add", title, "--id", id, "-q"].into_iter().chain(more.iter().copied());
        self.env.bd(args).ok();
    }

    pub fn bd(&self, line: &str) -> Run {
        self.env.bd(line.split('|').map(str::trim))
    }

    pub fn max(&self, line: &str) -> Run {
        self.env.bd_with(line.split('|').map(str::trim), None, &MAINTAINER)
    }

    pub fn planning(&self) -> std::path::PathBuf {
        self.env.root().join("home/.beads-planning/.beads/beads.jsonl")
    }

    /// Both ledgers.
    pub fn ledgers(&self) -> String {
        let planning = std::fs::read_to_string(self.planning()).unwrap();
        format!("project:\n{}planning:\n{planning}", self.env.ledger_text())
    }
}

#[test]
fn what_goes_and_what_stays() {
    let story = Story::new();
    story.plan("pl-block", "Private blocker", &[]);
    story.plan("pl-1", "Dark mode", &["-l", "ui", "-d", "Why", "--deps", "pl-block,bd-up", "--notes", "secret"]);
    story.bd("comment|pl-1|a secret remark").ok();
    story.bd("work|pl-1|-q").ok();
    assert_data_eq!(story.bd("propose|pl-1|--dry-run").ok().snapshot(), str![[r#"
$ bd propose pl-1 --dry-run
Would write to .:
{"id":"pl-1","title":"Dark mode","description":"Why","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","labels":["ui"],"dependencies":[{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"visibility":"proposed","proposal":{"id":"prop_azoyh8e7qni0","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:06.000Z"}}
  held back: dependency (blocks) on pl-block (the target cannot see that issue)
  held back: notes (private)
  held back: assignee (private)
  held back: started_at (private)
  held back: comments (private)

"#]].raw());
    story.bd("propose|pl-1|-q").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Dark mode","description":"Why","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:07.000Z","labels":["ui"],"dependencies":[{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"visibility":"proposed","proposal":{"id":"prop_qipzclpezff8","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:07.000Z"}}
planning:
{"id":"pl-1","title":"Dark mode","description":"Why","notes":"secret","status":"in_progress","priority":2,"issue_type":"task","assignee":"ann","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:07.000Z","started_at":"2026-01-05T09:00:05.000Z","labels":["ui"],"dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-block","type":"blocks","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"},{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"comments":[{"id":6080338727737722,"issue_id":"pl-1","author":"ann","text":"a secret remark","created_at":"2026-01-05T09:00:04.000Z"}],"visibility":"proposed","proposal":{"id":"prop_qipzclpezff8","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:07.000Z","synced":"2026-01-05T09:00:07.000Z"},"agreed":{"dependencies":[{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"description":"Why","issue_type":"task","labels":["ui"],"priority":2,"status":"open","title":"Dark mode"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}
{"id":"pl-block","title":"Private blocker","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:02.000Z","visibility":"local","project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    let again = story.ledgers();
    story.bd("propose|pl-1").ok();
    assert_eq!(story.ledgers(), again, "proposing again changes nothing");
}

#[test]
fn edits_of_a_proposed_issue_reach_both_copies_and_private_ones_only_one() {
    let story = Story::new();
    story.plan("pl-block", "Private blocker", &[]);
    story.plan("pl-1", "Dark mode", &[]);
    story.bd("propose|pl-1|-q").ok();
    story.bd("update|pl-1|--title|Darker mode|-p|1|--add-label|ui").ok();
    story.bd("note|pl-1|secret").ok();
    story.bd("comment|pl-1|secret too").ok();
    story.bd("update|pl-1|--assignee|me|--due|tomorrow|--external-ref|gh-1").ok();
    story.bd("dep|add|pl-1|pl-block").ok();
    story.bd("dep|add|pl-1|bd-up").ok();
    story.bd("work|pl-1").ok();
    story.bd("close|pl-1|--force|-r|a private reason").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Darker mode","status":"closed","priority":1,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:12.000Z","closed_at":"2026-01-05T09:00:12.000Z","labels":["ui"],"dependencies":[{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:10.000Z","created_by":"ann"}],"visibility":"proposed","proposal":{"id":"prop_pdk8ortwzx4n","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:04.000Z"}}
planning:
{"id":"pl-1","title":"Darker mode","notes":"secret","status":"closed","priority":1,"issue_type":"task","assignee":"ann","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:12.000Z","started_at":"2026-01-05T09:00:11.000Z","closed_at":"2026-01-05T09:00:12.000Z","close_reason":"a private reason","due_at":"2026-01-06T23:59:59.999Z","external_ref":"gh-1","labels":["ui"],"dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-block","type":"blocks","created_at":"2026-01-05T09:00:09.000Z","created_by":"ann"},{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:10.000Z","created_by":"ann"}],"comments":[{"id":8799407155208370,"issue_id":"pl-1","author":"ann","text":"secret too","created_at":"2026-01-05T09:00:07.000Z"}],"visibility":"proposed","proposal":{"id":"prop_pdk8ortwzx4n","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:04.000Z","synced":"2026-01-05T09:00:12.000Z"},"agreed":{"closed_at":"2026-01-05T09:00:12.000Z","dependencies":[{"issue_id":"pl-1","depends_on_id":"bd-up","type":"blocks","created_at":"2026-01-05T09:00:10.000Z","created_by":"ann"}],"issue_type":"task","labels":["ui"],"priority":1,"status":"closed","title":"Darker mode"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}
{"id":"pl-block","title":"Private blocker","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:02.000Z","visibility":"local","project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    assert_data_eq!(
        story.bd("proposals|reconcile").ok().snapshot(),
        str![[r#"
$ bd proposals reconcile
everything is in step

"#]]
        .raw()
    );
    story.bd("delete|pl-1|--yes").fails(5, &["withdraw it before"]);
    story.bd("migrate|--move-to|.|--filter|id=pl-1").fails(5, &[]);
}

#[test]
fn a_private_blocker_holds_a_proposed_issue_back_in_your_own_view() {
    let story = Story::new();
    story.plan("pl-block", "Private blocker", &[]);
    story.plan("pl-1", "Dark mode", &["--deps", "pl-block"]);
    story.bd("propose|pl-1|-q").ok();
    assert_eq!(story.bd("ready|--json").ok().ids(), ["bd-up", "pl-block"]);
    assert_eq!(story.max("ready|--json").ok().ids(), ["bd-up", "pl-1"]);
    story.bd("close|pl-block").ok();
    assert_eq!(story.bd("ready|--json").ok().ids(), ["bd-up", "pl-1"]);
}

#[test]
fn accepted_with_edits_upstream() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &["-d", "Why"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("update|pl-1|--title|Dark theme|--add-label|ui").ok();
    story.max("accept|pl-1").ok();
    assert_data_eq!(
        story.bd("proposals|reconcile").ok().snapshot(),
        str![[r#"
$ bd proposals reconcile
pl-1: accepted: the planning copy is retired

"#]]
        .raw()
    );
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Dark theme","description":"Why","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:05.000Z","labels":["ui"],"proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"accepted","by":"max","at":"2026-01-05T09:00:05.000Z"}}
planning:


"#]].raw());
    story.bd("update|pl-1|-p|0").fails(5, &["contributor"]);
    story.bd("propose|pl-1").fails(5, &["pl-1 is accepted and cannot be proposed; legal now: nothing"]);
}

#[test]
fn accepted_but_the_plan_holds_something_private() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &["--notes", "secret"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("accept|pl-1").ok();
    story.bd("proposals|reconcile").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Dark mode","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:04.000Z","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"accepted","by":"max","at":"2026-01-05T09:00:04.000Z"}}
planning:
{"id":"pl-1","title":"Dark mode","notes":"secret","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:05.000Z","visibility":"canonical","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"accepted","by":"max","at":"2026-01-05T09:00:04.000Z","synced":"2026-01-05T09:00:04.000Z"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    assert_data_eq!(story.bd("show|pl-1").ok().snapshot(), str![[r#"
$ bd show pl-1
pl-1  Dark mode
P2  open  task
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Stored in   . (.beads/beads.jsonl:2), read-only: you are a contributor here: routing.role in the personal settings says so
Copies in   ~/.beads-planning

Yours alone, in ~/.beads-planning
  secret

"#]].raw());
    let settled = story.ledgers();
    story.bd("proposals|reconcile").ok();
    assert_eq!(story.ledgers(), settled);
}

#[test]
fn rejected_with_a_reason() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &["--notes", "secret"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("reject|pl-1|--reason|out of scope").ok();
    story.bd("proposals|reconcile").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Dark mode","status":"closed","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:04.000Z","closed_at":"2026-01-05T09:00:04.000Z","close_reason":"rejected: out of scope","visibility":"proposed","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"rejected","by":"max","at":"2026-01-05T09:00:04.000Z","reason":"out of scope"}}
planning:
{"id":"pl-1","title":"Dark mode","notes":"secret","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:05.000Z","comments":[{"id":4231694355118669,"issue_id":"pl-1","author":"max","text":"Rejected: out of scope","created_at":"2026-01-05T09:00:05.000Z"}],"visibility":"local","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"rejected","by":"max","at":"2026-01-05T09:00:04.000Z","reason":"out of scope"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    // The plan is private again, and the one that counts.
    assert_data_eq!(
        story.bd("list").ok().snapshot(),
        str![[r#"
$ bd list
pl-1   P2  open  task  Dark mode [local] (~/.beads-planning, for bd)
bd-up  P2  open  task  Upstream

"#]]
        .raw()
    );
    story.bd("update|pl-1|--title|Another try").ok();
    story.bd("propose|pl-1|-q").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Another try","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:08.000Z","visibility":"proposed","proposal":{"id":"prop_r5pcn3ol29eh","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:08.000Z"}}
planning:
{"id":"pl-1","title":"Another try","notes":"secret","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:08.000Z","comments":[{"id":4231694355118669,"issue_id":"pl-1","author":"max","text":"Rejected: out of scope","created_at":"2026-01-05T09:00:05.000Z"}],"visibility":"proposed","proposal":{"id":"prop_r5pcn3ol29eh","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:08.000Z","synced":"2026-01-05T09:00:08.000Z"},"agreed":{"issue_type":"task","priority":2,"status":"open","title":"Another try"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
}

#[test]
fn withdrawn_after_edits_in_review() {
    let story = Story::new();
    story.plan("pl-block", "Private blocker", &[]);
    story.plan("pl-1", "Dark mode", &["--deps", "pl-block", "-d", "Mine"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("update|pl-1|-d|Reworded in review|--title|Dark theme").ok();
    story.bd("withdraw|pl-1").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
planning:
{"id":"pl-1","title":"Dark theme","description":"Reworded in review","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-block","type":"blocks","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"visibility":"local","proposal":{"id":"prop_pdk8ortwzx4n","author":"ann","target":"bd","state":"withdrawn","by":"ann","at":"2026-01-05T09:00:06.000Z"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}
{"id":"pl-block","title":"Private blocker","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:02.000Z","visibility":"local","project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    let settled = story.ledgers();
    assert_data_eq!(
        story.bd("withdraw|pl-1").ok().snapshot(),
        str![[r#"
$ bd withdraw pl-1
Already withdrawn: pl-1

"#]]
        .raw()
    );
    assert_eq!(story.ledgers(), settled);
}

#[test]
fn a_branch_that_is_never_merged() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &[]);
    let without = story.env.ledger();
    story.bd("propose|pl-1|-q").ok();
    let carrying = story.env.ledger();
    // On the main branch the proposal is not in the file: the plan is shown, and edits go to it. Commits of a branch
    // are not in the log.
    story.env.put_ledger(&without);
    std::fs::remove_file(story.env.path(".beads/run/writes.jsonl")).unwrap();
    assert_data_eq!(
        story.bd("list").ok().snapshot(),
        str![[r#"
$ bd list
pl-1   P2  open  task  Dark mode [proposed] (~/.beads-planning, for bd)
bd-up  P2  open  task  Upstream

"#]]
        .raw()
    );
    story.bd("withdraw|pl-1").ok();
    assert_eq!(story.env.ledger(), without);
    // Back on the branch, what it still carries is taken out.
    story.env.put_ledger(&carrying);
    assert_data_eq!(
        story.bd("proposals|reconcile").ok().snapshot(),
        str![[r#"
$ bd proposals reconcile
pl-1: withdrawn: the line leaves the target

"#]]
        .raw()
    );
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
planning:
{"id":"pl-1","title":"Dark mode","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:05.000Z","visibility":"local","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"withdrawn","by":"ann","at":"2026-01-05T09:00:05.000Z"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
}

#[test]
fn edited_on_both_sides() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &["-d", "Mine"]);
    let without = story.env.ledger();
    story.bd("propose|pl-1|-q").ok();
    let carrying = story.env.ledger();
    story.env.put_ledger(&without);
    story.bd("update|pl-1|--title|My title|-d|My text").ok();
    story.env.put_ledger(&carrying);
    story.max("update|pl-1|--title|Their title").ok();
    story.bd("proposals|reconcile").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Their title","description":"My text","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","visibility":"proposed","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:03.000Z"}}
planning:
{"id":"pl-1","title":"Their title","description":"My text","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","comments":[{"id":4113995498866751,"issue_id":"pl-1","author":"bd merge","text":"title of the other version: My title","created_at":"2026-01-05T09:00:04.000Z"}],"visibility":"proposed","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:03.000Z","synced":"2026-01-05T09:00:06.000Z"},"agreed":{"description":"My text","issue_type":"task","priority":2,"status":"open","title":"Their title"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    // Edited here alone, while another branch was checked out: it goes to the target.
    let carrying = story.env.ledger();
    story.env.put_ledger(&without);
    story.bd("update|pl-1|-p|0").ok();
    story.env.put_ledger(&carrying);
    story.bd("proposals|reconcile").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Their title","description":"My text","status":"open","priority":0,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:08.000Z","visibility":"proposed","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:03.000Z"}}
planning:
{"id":"pl-1","title":"Their title","description":"My text","status":"open","priority":0,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:08.000Z","comments":[{"id":4113995498866751,"issue_id":"pl-1","author":"bd merge","text":"title of the other version: My title","created_at":"2026-01-05T09:00:04.000Z"}],"visibility":"proposed","proposal":{"id":"prop_3zx2nugasey5","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:03.000Z","synced":"2026-01-05T09:00:08.000Z"},"agreed":{"description":"My text","issue_type":"task","priority":0,"status":"open","title":"Their title"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
}

#[test]
fn an_issue_whose_parent_is_private() {
    let story = Story::new();
    story.plan("pl-epic", "Private epic", &["-t", "epic", "--notes", "secret"]);
    story.plan("pl-1", "Part", &["--parent", "pl-epic"]);
    story.bd("propose|pl-1|-q").ok();
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Part","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:04.000Z","visibility":"proposed","proposal":{"id":"prop_pdk8ortwzx4n","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:04.000Z"}}
planning:
{"id":"pl-1","title":"Part","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:04.000Z","dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-epic","type":"parent-child","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"visibility":"proposed","proposal":{"id":"prop_pdk8ortwzx4n","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:04.000Z","synced":"2026-01-05T09:00:04.000Z"},"agreed":{"issue_type":"task","priority":2,"status":"open","title":"Part"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}
{"id":"pl-epic","title":"Private epic","notes":"secret","status":"open","priority":2,"issue_type":"epic","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:02.000Z","visibility":"local","project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
    story.bd("withdraw|pl-1|-q").ok();
    assert_data_eq!(
        story.bd("propose|pl-1|--with-deps|--include|notes").ok().snapshot(),
        str![[r#"
$ bd propose pl-1 --with-deps --include notes
Proposed to .: pl-epic
Proposed to .: pl-1
! hint: commit the ledger on a branch and open a pull request; to take it back, run `bd withdraw`

"#]]
        .raw()
    );
    assert_data_eq!(story.ledgers(), str![[r#"
project:
{"id":"bd-up","title":"Upstream","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"max","updated_at":"2026-01-05T09:00:00.000Z"}
{"id":"pl-1","title":"Part","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-epic","type":"parent-child","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"visibility":"proposed","proposal":{"id":"prop_gx7tn7bc38ew","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:06.000Z","include":["notes"]}}
{"id":"pl-epic","title":"Private epic","notes":"secret","status":"open","priority":2,"issue_type":"epic","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","visibility":"proposed","proposal":{"id":"prop_8zw87fhrus78","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:06.000Z","include":["notes"]}}
planning:
{"id":"pl-1","title":"Part","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-epic","type":"parent-child","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"visibility":"proposed","proposal":{"id":"prop_gx7tn7bc38ew","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:06.000Z","include":["notes"],"synced":"2026-01-05T09:00:06.000Z"},"agreed":{"dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-epic","type":"parent-child","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}],"issue_type":"task","priority":2,"status":"open","title":"Part"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}
{"id":"pl-epic","title":"Private epic","notes":"secret","status":"open","priority":2,"issue_type":"epic","created_at":"2026-01-05T09:00:02.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:06.000Z","visibility":"proposed","proposal":{"id":"prop_8zw87fhrus78","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-05T09:00:06.000Z","include":["notes"],"synced":"2026-01-05T09:00:06.000Z"},"agreed":{"issue_type":"epic","notes":"secret","priority":2,"status":"open","title":"Private epic"},"project":{"id":"rp_otskb06z3rzs","name":"bd"}}

"#]].raw());
}

#[test]
fn guidance_differs_by_who_asks() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &[]);
    assert_data_eq!(story.bd("accept|pl-1").snapshot(), str![[r#"
$ bd accept pl-1
! error: only maintainers decide about proposals: you are a contributor here: routing.role in the personal settings says so
! hint: run `bd proposals --mine` to see yours; if you maintain this project, run `bd config set routing.role maintainer`
[exit 5]

"#]].raw());
    assert_data_eq!(story.bd("reject|bd-up|--reason|no").snapshot(), str![[r#"
$ bd reject bd-up --reason no
! error: only maintainers decide about proposals: you are a contributor here: routing.role in the personal settings says so
! hint: run `bd proposals --mine` to see yours; if you maintain this project, run `bd config set routing.role maintainer`
[exit 5]

"#]].raw());
    assert_data_eq!(
        story.bd("propose|bd-up").snapshot(),
        str![[r#"
$ bd propose bd-up
! error: bd-up is canonical and cannot be proposed; legal now: nothing
! hint: it belongs to this repo already; if you plan here for a project, run the same command in the project (set it up with `bd init --contributor`)
[exit 5]

"#]]
        .raw()
    );
    assert_data_eq!(
        story.bd("withdraw|pl-1").snapshot(),
        str![[r#"
$ bd withdraw pl-1
! error: pl-1 is local and cannot be withdrawn; legal now: propose
! hint: run `bd proposals --all` to see the state of each
[exit 5]

"#]]
        .raw()
    );
    assert_data_eq!(
        story.max("propose|bd-up").snapshot(),
        str![[r#"
$ bd propose bd-up
! error: bd-up is canonical and cannot be proposed; legal now: nothing
! hint: it belongs to this repo already; if you plan here for a project, run the same command in the project (set it up with `bd init --contributor`)
[exit 5]

"#]]
        .raw()
    );
    assert_data_eq!(
        story.max("accept|bd-up").snapshot(),
        str![[r#"
$ bd accept bd-up
! error: bd-up is canonical and cannot be accepted; legal now: nothing
! hint: it belongs to this repo already; if you plan here for a project, run the same command in the project (set it up with `bd init --contributor`)
[exit 5]

"#]]
        .raw()
    );
    assert_data_eq!(
        story.max("withdraw|bd-up").snapshot(),
        str![[r#"
$ bd withdraw bd-up
! error: bd-up is canonical and cannot be withdrawn; legal now: nothing
! hint: it belongs to this repo already; if you plan here for a project, run the same command in the project (set it up with `bd init --contributor`)
[exit 5]

"#]]
        .raw()
    );
    story.bd("propose|pl-1|-q").ok();
    assert_data_eq!(
        story.max("proposals|--incoming").snapshot(),
        str![[r#"
$ bd proposals --incoming
pl-1  proposed  ann  2026-01-05 09:00  on no branch  Dark mode

"#]]
        .raw()
    );
    assert_data_eq!(
        story.max("withdraw|pl-1").snapshot(),
        str![[r#"
$ bd withdraw pl-1
! error: pl-1 is in no planning repo of this project, so it cannot be withdrawn
! hint: only the person who planned the issue can do that; maintainers use `bd accept` or `bd reject`
[exit 5]

"#]]
        .raw()
    );
    assert_data_eq!(
        story.max("accept|pl-1").snapshot(),
        str![[r#"
$ bd accept pl-1
Accepted: pl-1

"#]]
        .raw()
    );
    assert_data_eq!(
        story.max("accept|pl-1").snapshot(),
        str![[r#"
$ bd accept pl-1
Already accepted: pl-1

"#]]
        .raw()
    );
}

/// A contributor's private blockers remain after the decision, and can still be changed.
#[test]
fn an_accepted_issue_waits_in_private() {
    let story = Story::new();
    story.plan("pl-block", "Private blocker", &[]);
    story.plan("pl-more", "Another", &[]);
    story.plan("pl-1", "Dark mode", &["--deps", "pl-block,bd-up"]);
    story.bd("propose|pl-1|-q").ok();
    let stands = |expected: &[&str], when: &str| {
        let shown = story.bd("blocked|--json").ok().json();
        let one = shown.as_array().unwrap().iter().find(|one| one["id"] == "pl-1").cloned().unwrap_or_default();
        let mut by: Vec<&str> =
            one["blocked_by"].as_array().into_iter().flatten().filter_map(|id| id.as_str()).collect();
        by.sort_unstable();
        assert_eq!(by, expected, "{when}");
        assert_eq!(story.bd("ready|--json").ok().ids().contains(&"pl-1".to_owned()), expected.is_empty(), "{when}");
        let list = story.bd("dep|list|pl-1").ok().stdout;
        assert!(expected.iter().all(|id| list.contains(id)), "{when}: {list}");
        let why = story.bd("why|pl-1").ok().stdout;
        assert!(expected.iter().all(|id| why.contains(id)), "{when}: {why}");
    };
    stands(&["bd-up", "pl-block"], "proposed");
    story.max("accept|pl-1|-q").ok();
    stands(&["bd-up", "pl-block"], "accepted");
    story.bd("proposals|reconcile").ok();
    stands(&["bd-up", "pl-block"], "reconciled");
    // The project's own edges are not the contributor's to change.
    story.max("dep|remove|pl-1|bd-up").ok();
    stands(&["pl-block"], "after the maintainers took theirs away");
    let project = story.env.ledger_text();
    story.bd("dep|add|pl-1|pl-more").ok();
    stands(&["pl-block", "pl-more"], "added");
    story.bd("dep|remove|pl-1|pl-more").ok();
    story.bd("close|pl-block|-q").ok();
    stands(&[], "closed");
    assert_eq!(story.env.ledger_text(), project, "the project learns nothing of it");
    story.bd("dep|add|pl-1|bd-up").fails(5, &[]);
}

#[test]
fn every_listing_can_be_narrowed_by_visibility() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &[]);
    story.plan("pl-2", "Proposed", &["--deps", "pl-1"]);
    story.bd("propose|pl-2|-q").ok();
    for (word, ids) in [("local", "pl-1"), ("proposed", "pl-2"), ("canonical", "bd-up")] {
        for command in ["list", "show", "ready", "search|p", "stale|--days|0", "query|id!=none", "blocked"] {
            let found = story.bd(&format!("{command}|--visibility|{word}|--json"));
            if command.starts_with("query") {
                found.fails(2, &[]);
                let found = story.bd(&format!("query|visibility={word}|--json")).ok();
                assert_eq!(found.ids(), [ids], "query {word}");
                continue;
            }
            let waits = command == "blocked";
            let expected: Vec<&str> = match (waits, word) {
                (true, "proposed") | (false, "local" | "canonical") => vec![ids],
                (false, "proposed") if command != "ready" => vec![ids],
                _ => Vec::new(),
            };
            assert_eq!(found.ok().ids(), expected, "{command} {word}");
        }
        assert_eq!(story.bd(&format!("count|--visibility|{word}")).ok().stdout, "1\n");
        let numbers = story.bd(&format!("stats|--visibility|{word}|--json")).ok().json();
        assert_eq!(numbers["total_issues"], 1, "{word}");
    }
    story.bd("list|--visibility|secret").fails(2, &["local, proposed, canonical"]);
}

#[test]
fn many_at_once_need_a_word() {
    let story = Story::new();
    let ids: Vec<String> = (0..26).map(|n| format!("pl-{n:02}")).collect();
    for id in &ids {
        story.plan(id, "Plan", &[]);
    }
    let all = ids.join("|");
    let before = story.ledgers();
    story.bd(&format!("propose|{all}")).fails(8, &["would add 26 issues to . at once", "--count 26"]);
    assert_eq!(story.ledgers(), before);
    story.bd(&format!("propose|{all}|--count|25")).fails(8, &[]);
    assert_eq!(story.ledgers(), before);
    story.bd(&format!("propose|{all}|--count|26|-q")).ok();
    assert_eq!(story.env.ledger_text().lines().count(), 27);
}

#[test]
fn private_issues_do_not_come_in_by_other_doors() {
    let story = Story::new();
    story.plan("pl-1", "Private", &[]);
    let before = story.env.ledger();
    story.bd("migrate|--move-to|.|--filter|id=pl-1").fails(5, &["contributor"]);
    story.bd("add|Other|--repo|.").fails(5, &["contributor"]);
    let lines = story.env.write("../lines.jsonl", "{\"id\":\"x-1\",\"title\":\"Local\",\"visibility\":\"local\"}\n");
    let lines = lines.to_str().unwrap();
    story.bd(&format!("import|{lines}|--repo|.")).fails(5, &["contributor"]);
    // Not even where routing does not ask for a role.
    let single = [("BD_MODE", "single"), ("BD_ROLE", "contributor")];
    story.env.bd_with(["import", lines], None, &single).fails(5, &["x-1 is private"]);
    let routed = [("BD_ROUTING_MODE", "single"), ("BD_ROLE", "contributor")];
    story
        .env
        .bd_with(["migrate", "--move-to", ".", "--filter", "id=pl-1"], None, &routed)
        .fails(5, &["pl-1 is private"]);
    assert_eq!(story.env.ledger(), before);
    // A maintainer may; it is private no more.
    let routed = [("BD_ROUTING_MODE", "single"), ("BD_ROLE", "maintainer")];
    story.env.bd_with(["migrate", "--move-to", ".", "--filter", "id=pl-1"], None, &routed).ok();
    assert!(!story.env.ledger_text().contains("local"), "{}", story.env.ledger_text());
}
