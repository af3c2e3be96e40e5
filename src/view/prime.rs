//! The state of a project as one text for an agent, within a budget, for every front end.
//!
//! Everything that people and agents wrote (ids, titles, checkpoints) is on lines that begin with `> `, escaped and
//! cut, so that it is read as data. Rows that do not fit are counted.

use super::agent_text::{DATA_LINE, quoted_line};
use super::answer::{answer, each};
use super::escape::{block, inline};
use super::value;
use crate::model::{budget, duration};
use crate::ops::{Errand, Prime, Resumption};
use crate::store::{Role, Row};

/// The maximum size of one text in bytes, after escaping.
const TITLE: usize = 120;
const SUMMARY: usize = 400;
const NAME: usize = 80;
const PATH: usize = 200;
/// The longest id that is shown; `bd ready` shows longer ones.
const ID: usize = 100;

/// The rules for an agent with a shell. Calm, and about version control only that it is the user's.
const RULES: &[&str] = &[
    "Take work: `bd ready --claim` gives you an issue that no other agent gets; `bd work ID` takes a certain one. Exit 4: another has it, take another. Exit 7: you lost it, stop.",
    "Read first: `bd context ID`. The first characters of an id are enough.",
    "Before you edit files that others may touch: `bd reserve 'src/x/**' --issue ID` (exit 11: taken).",
    "Findings: `bd note ID \"text\"`. Before you stop, or when your context grows long: `bd checkpoint add ID -m \"done so far, next step\"`.",
    "New work you find: `bd add \"Title\" -d \"why\" --deps discovered-from:ID`; if ID must wait for it: `bd dep add ID OTHER`.",
    "Finish: tests pass, then `bd close ID -r \"what was done\"`; `.beads` belongs in the same commit as the code.",
    "Stuck or unsure: `bd mail send human --type query --issue ID -m \"question\"`, a checkpoint, then `bd release ID -r \"why\"`.",
];
const CONTRIBUTING: &str =
    "Your new issues are private. `bd propose ID` proposes one to the maintainers; do that when the user wants it.";
/// A person's claim does not end by itself.
fn ends(lasts: i64) -> String {
    let lasts = duration::words(lasts);
    format!("A claim ends after {lasts} without a bd command of yours: run `bd agent heartbeat` during long builds.")
}

const LAST_RULE: &str = "Commit and push only when told. `bd help --all` lists the rest; `bd prime` prints this again.";

/// The same for an agent with tools.
const TOOL_RULES: &[&str] = &[
    "Take work: `claim` with action next gives you an issue that no other agent gets; with an id it takes a certain one. exit_code 4: another has it, take another. exit_code 7: you lost it, stop.",
    "Read first: `context`. The first characters of an id are enough.",
    "A claim is yours as long as this server runs.",
    "Findings: `update` with notes. Before you stop, or when your context grows long: `checkpoint` with action add.",
    "New work you find: `create` with deps discovered-from:ID; if an issue must wait for it: `update` with add_deps.",
    "Finish: tests pass, then `close` with a reason; `.beads` belongs in the same commit as the code.",
    "Stuck or unsure: `mail` with action send to human, a checkpoint, then `claim` with action release and a reason.",
];
/// The same for an agent that only reads.
const READ_RULES: &[&str] = &[
    "Look: `ready`, `list` with conditions, `show`, `context` for all that one issue needs. The first characters of an id are enough.",
    "This server changes nothing: tell the user what should be changed.",
];
const LAST_TOOL_RULE: &str = "Commit and push only when told. The resource bd://prime says this again.";

/// Ids, paths and times are expensive: real tokenizers take fewer bytes for a token than with prose.
const BYTES_PER_TOKEN: usize = 3;

/// A text within a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimeText {
    pub text: String,
    /// How many rows and texts did not fit or were not requested.
    pub left_out: usize,
}

impl PrimeText {
    pub fn tokens(&self) -> usize {
        self.text.len().div_ceil(BYTES_PER_TOKEN)
    }
}

/// A list that is shown as far as it fits.
struct Section {
    head: String,
    rows: Vec<String>,
    total: usize,
    /// The text about the rows left out.
    more: Box<dyn Fn(usize) -> String>,
}

impl Section {
    /// The maximum size of the section without any row.
    fn least(&self) -> usize {
        self.head.len() + (self.more)(self.total).len() + 1
    }

    fn text(&self, room: &mut usize, left_out: &mut usize) -> String {
        if self.total == 0 {
            return String::new();
        }
        let mut text = self.head.clone();
        let mut shown = 0;
        for row in self.rows.iter().take_while(|row| {
            let fits = row.len() <= *room;
            *room -= if fits { row.len() } else { 0 };
            fits
        }) {
            text += row;
            shown += 1;
        }
        if shown < self.total {
            *left_out += self.total - shown;
            text += &format!("{}\n", (self.more)(self.total - shown));
        }
        text
    }
}

const TITLE_LINE: &str = "# bd: the issues of this project\n";

/// The text for an agent.
pub fn prime_text(prime: &Prime) -> PrimeText {
    let (head, rules, around) = (head(prime), rules(prime), around(prime));
    let (work, lost, ready) = (work(prime), lost(prime), ready(prime));
    let resumed = if prime.wish.resumes { "Your context was shortened. This is where you were.\n" } else { "" };
    let opening = [TITLE_LINE, resumed, DATA_LINE].concat();
    let sections = work.least() + ready.least() + lost.len();
    let least = opening.len() + head.len() + rules.len() + around.len() + sections + NOTE;
    let mut room = (prime.wish.tokens * BYTES_PER_TOKEN).saturating_sub(least);
    let mut left_out = 0;
    // Ready issues must not be pushed out by the actor's own work.
    let kept = ready.rows.iter().map(String::len).sum::<usize>().min(room / 2);
    room -= kept;
    let work = work.text(&mut room, &mut left_out) + &lost;
    room += kept;
    let ready = ready.text(&mut room, &mut left_out);
    let own = project_text(prime, room, &mut left_out);
    let text = match prime.wish.resumes {
        true => [opening, work, head, around, ready, own, rules].concat(),
        false => [opening, head, work, around, ready, own, rules].concat(),
    };
    PrimeText { text, left_out }
}

fn head(prime: &Prime) -> String {
    let branch = prime.branch.as_ref().map(|name| format!(", branch {}", clip(name, NAME))).unwrap_or_default();
    let mut text = quoted_line(&format!("project {}{branch}", clip(&prime.root.display().to_string(), PATH)));
    let kind = if prime.agent.is_some() { "the agent" } else { "the user" };
    let session = prime.session.as_ref().map(|name| format!(", in the session {}", clip(name, NAME)));
    let actor = clip(&prime.actor, NAME);
    text += &quoted_line(&format!("you act as {kind} {actor}{}", session.unwrap_or_default()));
    if let Some((id, errand)) = &prime.started_for {
        text += &quote("you were started for ", id, ID);
        text += match errand {
            Errand::Open => "Do only that one: work on this branch, close it, end.\n",
            Errand::Closed => "It is closed: nothing is left to do for you. Take no other one, end.\n",
            Errand::Taken => "Another holds it: say so. Take no other one, end.\n",
            Errand::Unknown => "No ledger here has it: say so. Take no other one, end.\n",
        };
    }
    if let Some(name) = prime.agent.as_ref().filter(|_| prime.wish.names_itself) {
        let flag = clip(name, NAME);
        text += &format!("Add `--agent {flag}` to every bd command: it tells you from other sessions of this user.\n");
    }
    text += &match (&prime.role, &prime.route) {
        (Some(Role::Contributor), Ok(_)) => {
            "You are a contributor: new issues go to your planning repo and stay private.\n".to_owned()
        }
        (Some(Role::Maintainer), Ok(repo)) if repo != "." => {
            "You are a maintainer. New issues go to:\n".to_owned() + &quote("", repo, PATH)
        }
        (_, Ok(_)) => String::new(),
        (_, Err(why)) => "New issues go nowhere (`bd info`):\n".to_owned() + &quote("", why, PATH),
    };
    text
}

fn rules(prime: &Prime) -> String {
    let contributing = (prime.role == Some(Role::Contributor)).then_some(CONTRIBUTING);
    let (rules, last) = match (prime.wish.only_looks, prime.wish.has_tools) {
        (true, _) => (READ_RULES, LAST_TOOL_RULE),
        (false, true) => (TOOL_RULES, LAST_TOOL_RULE),
        (false, false) => (RULES, LAST_RULE),
    };
    let has_end = prime.agent.is_some() && !prime.wish.has_tools;
    let ends = prime.claims_last.filter(|_| has_end).map(ends);
    let contributing = contributing.into_iter().chain(ends.as_deref());
    let lines = rules.iter().copied().chain(contributing.filter(|_| !prime.wish.has_tools)).chain([last]);
    format!("## How to work\n{}", lines.map(|line| format!("- {line}\n")).collect::<String>())
}

/// So many reservations of others are shown.
const RESERVED: usize = 3;

/// The others: their claims, their reservations, and what they say.
fn around(prime: &Prime) -> String {
    let tell = |shell: &'static str, tool: &'static str| if prime.wish.has_tools { tool } else { shell };
    let mut text = String::new();
    if let (issues @ 1.., others) = prime.held {
        let who = super::plural(others, "other");
        let leases = tell("bd leases", "leases");
        text += &format!(
            "{} {} held by {who}: `{leases}`\n",
            super::plural(issues, "issue"),
            if issues == 1 { "is" } else { "are" }
        );
    }
    if prime.elsewhere > 0 {
        let leases = tell("bd leases", "leases");
        text += &format!("+{} held by other sessions of this user: `{leases}`\n", prime.elsewhere);
    }
    for one in prime.reserved.iter().take(RESERVED) {
        let until = one.expires.map(|at| format!(" until {}", prime.calendar.short(at))).unwrap_or_default();
        text +=
            &quoted_line(&format!("reserved: {} by {}{until}", clip(&one.glob, NAME), clip(&one.holder.name, NAME)));
    }
    if prime.reserved.len() > RESERVED {
        let list = tell("bd reserve list", "reserve");
        text += &format!("+{} reserved: `{list}`\n", prime.reserved.len() - RESERVED);
    }
    let urgent = if prime.urgent > 0 { format!(", {} of them urgent", prime.urgent) } else { String::new() };
    if prime.unread > 0 {
        let inbox = tell("bd mail inbox --unread", "mail");
        text += &format!("{} unread{urgent}: `{inbox}`\n", super::plural(prime.unread, "message"));
    }
    if text.is_empty() { text } else { format!("## Around you\n{text}") }
}

fn work(prime: &Prime) -> Section {
    let rows = prime.work.iter().filter(|one| one.lost.is_none()).map(|one| resumption(one, prime)).collect();
    let resume = if prime.wish.has_tools { "checkpoint" } else { "bd resume" };
    let more = Box::new(move |count| format!("+{count} more in progress: `{resume}`"));
    let lost = prime.work.iter().filter(|one| one.lost.is_some()).count();
    Section { head: "## Your work in progress\n".to_owned(), rows, total: prime.work_total - lost, more }
}

/// The issues that somebody else has now.
fn lost(prime: &Prime) -> String {
    let mut text = String::new();
    for one in prime.work.iter() {
        let Some(why) = &one.lost else { continue };
        text += &quoted_line(&format!("{}: {}", clip(&one.row.issue.id, ID), clip(why, PATH)));
    }
    if text.is_empty() { text } else { format!("## Lost: stop, do not write to it\n{text}") }
}

fn resumption(one: &Resumption, prime: &Prime) -> String {
    let mut text = row(&one.row, true);
    let holder = one.lease.as_ref().and_then(|row| row.lease.holder.as_ref());
    if let Some(until) = holder.and_then(|holder| holder.expires) {
        text += &match prime.wish.has_tools {
            true => "  yours as long as this server runs\n".to_owned(),
            false => {
                format!("  the claim ends at {}; every bd command of yours renews it\n", prime.calendar.short(until))
            }
        };
    }
    if let Some(from) = &one.from {
        let from = &from.checkpoint;
        let time = prime.calendar.local_text(&from.created_at);
        let head = format!("go on from checkpoint {} ({}, {time}, by {})", from.number, from.kind.as_str(), from.actor);
        text += &quoted_line(&format!("{}: {}", clip(&head, PATH), clip(&from.summary, SUMMARY)));
        if !from.files.is_empty() {
            text += &quote("files: ", &from.files.join(" "), PATH);
        }
    }
    if let Some(error) = one.errors.last() {
        text += &quote("failed after that: ", &error.checkpoint.summary, PATH);
    }
    if let Some(branch) = one.worktree.as_ref().filter(|place| place.root != prime.root).map(|place| &place.root) {
        text += &quote("the work is in ", &branch.display().to_string(), PATH);
    }
    text
}

fn ready(prime: &Prime) -> Section {
    let rows: Vec<String> = prime.ready.iter().map(|one| row(one, false)).collect();
    let head = match prime.ready_total {
        0 => String::new(),
        total => format!("## Ready ({total})\n"),
    };
    let list = if prime.wish.has_tools { "ready" } else { "bd ready" };
    let more = Box::new(move |count| format!("+{count} ready: `{list}`"));
    Section { head, rows, total: prime.ready_total, more }
}

/// One issue on one line, with its repo if that is not the project's own.
fn row(row: &Row, with_status: bool) -> String {
    let issue = &row.issue;
    let id = inline(&issue.id);
    let id =
        if id.len() > ID { format!("{}… (the whole id: `bd list --json`)", &clip(&id, ID)) } else { id.into_owned() };
    let status = if with_status { format!(" {}", clip(issue.status.as_str(), 20)) } else { String::new() };
    let proposed = if issue.visibility.as_deref() == Some("proposed") { " [proposed]" } else { "" };
    let from = if row.source_repo == "." { String::new() } else { format!(" (from {})", clip(&row.source_repo, NAME)) };
    let kind = clip(issue.issue_type.as_str(), 20);
    quoted_line(&format!("{id}{status} {} {kind}{proposed}: {}{from}", issue.priority, clip(&issue.title, TITLE)))
}

/// Room for the note about the project's own text.
const NOTE: usize = 120;

/// The project's text for agents, if the user has agreed to it.
fn project_text(prime: &Prime, room: usize, left_out: &mut usize) -> String {
    let Some(own) = &prime.text else { return String::new() };
    if !own.known {
        *left_out += 1;
        return "`.beads/PRIME.md` is not shown: the user has not agreed to it.\n".to_owned();
    }
    let text = block(own.text.trim_end()).into_owned() + "\n";
    let head = "## From this project's `.beads/PRIME.md`\n";
    let fitted = budget::fit(&[(100, text)], room.saturating_sub(head.len()) / 4).remove(0);
    *left_out += usize::from(fitted.left_out > 0);
    match fitted.text.is_empty() {
        true => format!("`.beads/PRIME.md` did not fit; read the file ({} bytes left out)\n", fitted.left_out),
        false => head.to_owned() + &fitted.text,
    }
}

/// A value on a quoted line, limited in bytes.
fn quote(words: &'static str, value: &str, most: usize) -> String {
    quoted_line(&format!("{words}{}", clip(value, most)))
}

/// An escaped text on one line, limited in bytes.
fn clip(text: &str, most: usize) -> String {
    // A very long text need not be escaped as a whole.
    let text = value::cut(text, most);
    let text = inline(&text);
    if text.len() <= most {
        return text.into_owned();
    }
    let end = (0..=most - '…'.len_utf8()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", text[..end].trim_end())
}

answer! {
    fn short_row(row: &Row) {
        id: &row.issue.id, title: clip(&row.issue.title, TITLE), status: row.issue.status.as_str(),
        priority: row.issue.priority.number(), issue_type: row.issue.issue_type.as_str(), source_repo: &row.source_repo,
    }

    fn short_work(one: &Resumption) {
        ..short_row(&one.row), lost: &one.lost,
        resume_from: one.from.as_ref().map(|row| clip(&row.checkpoint.summary, SUMMARY)),
    }

    /// The text and the facts in it.
    pub fn primed(prime: &Prime, text: &PrimeText) {
        text: &text.text, estimated_tokens: text.tokens(), max_tokens: prime.wish.tokens,
        estimate: "bytes / 3, rounded up", complete: text.left_out == 0, left_out: text.left_out,
        project: &prime.root, branch: &prime.branch, started_for: prime.started_for.as_ref().map(|(id, _)| id),
        errand: prime.started_for.as_ref().map(|(_, errand)| errand.word()), actor: &prime.actor, agent: &prime.agent, session: &prime.session,
        role: prime.role.map(|role| role.to_string()),
        new_issues: prime.route.as_ref().ok(), held_by_others: prime.held.0, reserved: prime.reserved.len(), unread: prime.unread, urgent: prime.urgent,
        work: each(&prime.work, short_work), work_total: prime.work_total,
        ready: each(&prime.ready, short_row), ready_total: prime.ready_total,
    }
}
