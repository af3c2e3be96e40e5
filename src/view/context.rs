//! An issue's context as one text for an agent, within a budget.
//!
//! It is quoted and escaped ([`AgentText`]) before it is measured.

use super::agent_text::{AgentText, DATA_LINE};
use super::answer::{answer, each};
use super::checkpoints::claim_text;
use crate::model::budget::{self, Fitted};
use crate::ops::{CheckpointRow, IssueContext, Needed};
use crate::store::Row;

/// The parts and their shares in percent.
const SHARES: [(&str, usize); 4] = [("issue", 15), ("work", 55), ("checkpoints", 20), ("neighbours", 10)];

/// A text within a budget, and what was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextText {
    pub text: String,
    pub max_tokens: usize,
    pub parts: Vec<(&'static str, Fitted)>,
}

impl ContextText {
    pub fn tokens(&self) -> usize {
        budget::tokens(self.text.len())
    }

    pub fn left_out(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.left_out).sum()
    }
}

pub fn context_text(context: &IssueContext, max_tokens: usize) -> ContextText {
    let texts = [issue(context), work(context), checkpoints(context), neighbours(context)];
    let shared: Vec<(usize, String)> = SHARES.iter().map(|(_, share)| *share).zip(texts).collect();
    let fitted = budget::fit(&shared, max_tokens);
    let text = fitted.iter().map(|part| part.text.as_str()).collect();
    let parts = SHARES.iter().map(|(name, _)| *name).zip(fitted).collect();
    ContextText { text, max_tokens, parts }
}

answer! {
    fn part(name: &str, part: &Fitted) {
        part: name, bytes: part.text.len(), left_out_bytes: part.left_out,
    }

    pub fn fitted_context(id: &str, context: &ContextText) {
        id: id, max_tokens: context.max_tokens, estimated_tokens: context.tokens(), estimate: "bytes / 4, rounded up",
        complete: context.left_out() == 0, parts: each(&context.parts, |(name, one)| part(name, one)), text: &context.text,
    }
}

fn issue(context: &IssueContext) -> String {
    let issue = &context.row.issue;
    let mut text = AgentText::default();
    text.say("# One issue\n").say(DATA_LINE).quote(&format!("{}: {}", issue.id, issue.title));
    let mut facts = format!("{}, {}, {}", issue.status, issue.priority, issue.issue_type);
    for (name, value) in [("assignee", &issue.assignee), ("filed by", &issue.created_by)] {
        if let Some(value) = value {
            facts += &format!(", {name} {value}");
        }
    }
    if !issue.labels.is_empty() {
        facts += &format!(", labels {}", issue.labels.join(" "));
    }
    text.quote(&facts);
    if let Some(claim) = context.lease.as_ref().and_then(|row| claim_text(row, |at| at.to_string())) {
        text.quote(&claim);
    }
    for parent in &context.parents {
        text.say("part of:\n").quote(&line(parent)).quote_under("", parent.issue.description.as_deref());
    }
    text.finish()
}

fn work(context: &IssueContext) -> String {
    let issue = &context.row.issue;
    let mut text = AgentText::default();
    text.quote_under("## Description\n", issue.description.as_deref());
    text.quote_under("## Acceptance criteria\n", issue.acceptance_criteria.as_deref());
    if let Some(plan) = &context.plan {
        text.say("## Plan (checkpoint ").count(plan.checkpoint.number).say(")\n");
        tell(&mut text, plan);
    }
    text.quote_under("## Design\n", issue.design.as_deref());
    if !context.dependencies.is_empty() {
        text.say("## Depends on\n");
    }
    for one in &context.dependencies {
        needed(&mut text, one);
    }
    text.quote_under("## Notes\n", issue.notes.as_deref());
    if !issue.comments.is_empty() {
        text.say("## Comments, the latest first\n");
    }
    for comment in issue.comments.iter().rev() {
        let at = comment.created_at.as_ref().map(|at| at.text.as_str()).unwrap_or_default();
        text.say("comment:\n").quote(&format!("{} {at}", comment.author)).quote_lines(&comment.text);
    }
    text.finish()
}

fn needed(text: &mut AgentText, one: &Needed) {
    let Some(row) = &one.row else {
        text.say("no ledger holds it:\n").quote(&format!("{} {}", one.kind, one.id));
        return;
    };
    text.say("issue:\n").quote(&format!("{} {}", one.kind, line(row)));
    text.quote_under("outcome:\n", row.issue.close_reason.as_deref());
    text.quote_under("notes:\n", row.issue.notes.as_deref());
    if let Some(last) = &one.last {
        text.say("last checkpoint:\n").quote(last.checkpoint.kind.as_str()).quote_lines(&last.checkpoint.summary);
    }
}

fn checkpoints(context: &IssueContext) -> String {
    let mut text = AgentText::default();
    if context.checkpoints.is_empty() {
        return text.finish();
    }
    let (shown, all) = (context.checkpoints.len() as i64, context.all_checkpoints as i64);
    text.say("## Checkpoints, the latest first (").count(shown).say(" of ").count(all).say(")\n");
    for row in &context.checkpoints {
        let one = &row.checkpoint;
        let gone = if row.is_gone { " (gone)" } else { "" };
        text.say("checkpoint ").count(one.number);
        text.say(if one.kind.is_error() { ", an error: do not go on from it\n" } else { ":\n" });
        text.quote(&format!("{} {} by {} in {}{gone}", one.kind.as_str(), one.created_at, one.actor, row.worktree));
        tell(&mut text, row);
    }
    text.finish()
}

/// Adds the content of a checkpoint.
fn tell(text: &mut AgentText, row: &CheckpointRow) {
    let one = &row.checkpoint;
    text.quote_lines(&one.summary);
    if let Some(detail) = &one.detail {
        text.quote_lines(&format!("detail: {}", detail.0));
    }
    if !one.files.is_empty() {
        text.quote(&format!("files: {}", one.files.join(" ")));
    }
}

fn neighbours(context: &IssueContext) -> String {
    let mut text = AgentText::default();
    if !context.neighbours.is_empty() {
        text.say("## Around it\n");
    }
    for (kind, row) in &context.neighbours {
        text.quote(&format!("{kind}: {}", line(row)));
    }
    text.finish()
}

fn line(row: &Row) -> String {
    format!("{} ({}): {}", row.issue.id, row.issue.status, row.issue.title)
}
