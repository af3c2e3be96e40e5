//! Tools that file and change issues.

use std::collections::HashMap;

use super::{read, work};
use crate::mcp::answer::{self, Answer, changes};
use crate::mcp::arguments::Arguments;
use crate::mcp::context::Context;
use crate::model::change::{Change, NewIssue};
use crate::model::dependency::DependencyType;
use crate::model::field::Field;
use crate::model::issue::Priority;
use crate::model::json::Object;
use crate::model::query::is_none;
use crate::model::when::Bare;
use crate::ops::{self, Filing, OpError, Wish};
use crate::store::{AutoClaim, StoreError, Written};
use crate::view::{self, Failure};

pub(super) fn create(cx: &mut Context, arguments: &Arguments) -> Answer {
    let wanted = arguments.objects("issues");
    if wanted.is_empty() {
        return Err(Failure::usage("issues: name at least one").into());
    }
    let (mut minted, mut repos, mut ids) = (Vec::new(), HashMap::new(), Vec::new());
    for (n, one) in wanted.iter().enumerate() {
        let one = filing(cx, one, &ids).and_then(|filing| Ok(ops::mint(&mut cx.store, filing, &repos)?));
        let one = one.map_err(|failure| in_row(n, failure))?;
        repos.insert(one.id.to_string(), one.repo.clone());
        ids.push(one.id.to_string());
        minted.push(one);
    }
    let written = ops::file_minted(&mut cx.store, minted, |_| ())?;
    let created = |one: &Written| {
        let object = Object::new().text("id", &one.id).text("title", &one.issue().title);
        if one.source_repo == "." { object } else { object.text("repo", &one.source_repo) }
    };
    Ok(Object::new().raw("created", &answer::list(&written, created)))
}

/// Which of several issues something is wrong with; nothing has been filed.
fn in_row(n: usize, failure: Failure) -> Failure {
    Failure { message: format!("issues[{n}]: {}; nothing was filed", failure.message), ..failure }
}

fn filing(cx: &Context, arguments: &Arguments, earlier: &[String]) -> Result<Filing, Failure> {
    let text = |name: &str| arguments.text(name).unwrap_or_default().to_owned();
    let mut issue = NewIssue::titled(text("title"));
    issue.validate().map_err(StoreError::from)?;
    issue.description = text("description");
    issue.design = text("design");
    issue.acceptance_criteria = text("acceptance");
    issue.labels = arguments.texts("labels");
    issue.assignee = cx.person(&text("assignee"));
    if let Some(number) = arguments.number("priority") {
        issue.priority = Priority::typed(&number.to_string()).map_err(OpError::from)?;
    }
    if let Some(word) = arguments.text("type") {
        issue.issue_type = ops::check_type(&cx.store, word)?;
    }
    let parent = arguments.text("parent").map(|typed| meant(typed, earlier)).transpose()?;
    let mut dependencies = Vec::new();
    for typed in arguments.texts("deps") {
        let (kind, target) = ops::parse_dependency(&typed)?;
        dependencies.push((kind, meant(&target, earlier)?));
    }
    Ok(Filing { parent, dependencies, ..Filing::of(issue) })
}

/// The id that is meant: `$1` is the first issue of the call.
fn meant(typed: &str, earlier: &[String]) -> Result<String, Failure> {
    let Some(place) = typed.strip_prefix('$') else { return Ok(typed.to_owned()) };
    let found = place.parse::<usize>().ok().and_then(|n| earlier.get(n.checked_sub(1)?));
    found.cloned().ok_or_else(|| Failure::not_found(format!("{typed} is not an earlier issue of this call: not found")))
}

pub(super) fn update(cx: &mut Context, arguments: &Arguments) -> Answer {
    let wishes = wishes(cx, arguments)?;
    let id = arguments.needed("id", "update")?;
    let written = ops::revise_known(&mut cx.store, id, &wishes, arguments.text("if_updated_at"))?;
    Ok(change_object(&written))
}

fn wishes(cx: &Context, arguments: &Arguments) -> Result<Vec<Wish>, Failure> {
    let owned = |name: &str| arguments.text(name).map(str::to_owned);
    let mut wishes: Vec<Wish> = owned("title").map(|text| Wish::Change(Change::Title(text))).into_iter().collect();
    let texts = [
        (Field::Description, owned("description")),
        (Field::Design, owned("design")),
        (Field::AcceptanceCriteria, owned("acceptance")),
        (Field::Assignee, arguments.text("assignee").map(|name| cx.person(name))),
    ];
    wishes.extend(texts.into_iter().filter_map(|(field, text)| Some(Wish::Change(Change::Text(field, text?)))));
    wishes.extend(owned("notes").map(|text| Wish::Change(Change::AppendNotes(text))));
    wishes.extend(owned("comment").map(Wish::Comment));
    wishes.extend(owned("status").map(Wish::Status));
    wishes.extend(owned("type").map(Wish::Type));
    wishes.extend(arguments.number("priority").map(Wish::Priority));
    for (field, name, bare) in [(Field::Due, "due", Bare::Future), (Field::Defer, "defer", Bare::Future)] {
        let at = match arguments.text(name) {
            None => continue,
            Some(text) if is_none(text) => None,
            Some(text) if field == Field::Due => Some(cx.date(name, text, bare)?.end()),
            Some(text) => Some(cx.date(name, text, bare)?.start()),
        };
        wishes.push(Wish::Change(Change::Date(field, at)));
    }
    let labels = |name: &str, change: fn(String) -> Change| {
        arguments.texts(name).into_iter().map(move |label| Wish::Change(change(label)))
    };
    wishes.extend(labels("add_labels", Change::AddLabel));
    wishes.extend(labels("remove_labels", Change::RemoveLabel));
    wishes.extend(owned("parent").map(|id| Wish::Parent(Some(id).filter(|id| !id.is_empty()))));
    for typed in arguments.texts("add_deps") {
        let (kind, target) = ops::parse_dependency(&typed)?;
        wishes.push(Wish::DependsOn(kind.to_string(), target));
    }
    wishes.extend(arguments.texts("remove_deps").into_iter().map(Wish::Independent));
    Ok(wishes)
}

/// What a write made of an issue.
fn change_object(written: &Written) -> Object {
    let issue = written.issue();
    let object = Object::new().text("id", &written.id).texts("changed", changes(written));
    let object = object.optional("updated_at", issue.updated_at.as_ref().map(|time| time.text.as_str()));
    if written.is_beside() { object.flag("only_you_see_it", true) } else { object }
}

pub(super) fn close(cx: &mut Context, arguments: &Arguments) -> Answer {
    let ids = read::named(arguments)?;
    let reason = arguments.text("reason").map(str::to_owned);
    let batch = ops::change_each(&mut cx.store, &ids, |_| vec![Change::Close { reason: reason.clone() }])?;
    let closed: Vec<String> = batch.written().map(|written| written.id.clone()).collect();
    let mut more = Object::new();
    // The issues are closed even if the rest fails.
    match ops::unblocked_by(&cx.store, &closed) {
        Ok(rows) if rows.is_empty() => {}
        Ok(rows) => more = more.raw("unblocked", &answer::list(&rows, |row| read::row(row, &[]))),
        Err(error) => more = more.raw("unblocked_failed", &answer::described(&error.into()).finish()),
    }
    if arguments.flag("claim_next") && !closed.is_empty() {
        let wanted = AutoClaim { wish: ops::wish_of_process(), ..AutoClaim::default() };
        more = match ops::claim_ready(&mut cx.store, &wanted) {
            Ok(Some(next)) => more.raw("next", &work::claimed(&next).finish()),
            Ok(None) => more.raw("next", "null"),
            Err(error) => more.raw("next_failed", &answer::described(&error.into()).finish()),
        };
    }
    let results = batch
        .results
        .into_iter()
        .map(|(typed, result)| (typed, result.map(|one| change_object(&one)).map_err(Failure::from)));
    answer::each("closed", results.collect(), more)
}

pub(super) fn dep(cx: &mut Context, arguments: &Arguments) -> Answer {
    const DEPTH: usize = 50;
    let store = &mut cx.store;
    let typed = arguments.text("type").map(ops::dependency_type).transpose()?;
    match arguments.text("action").unwrap_or_default() {
        "cycles" => {
            let cycles = ops::cycles(store)?;
            let all = cycles.iter().map(|(ids, _)| String::from(view::texts(ids)));
            Ok(Object::new().raw("cycles", &crate::model::json::array(all)))
        }
        "tree" => {
            let nodes = ops::tree(store, arguments.needed("id", "tree")?, arguments.flag("reverse"), DEPTH)?;
            let node = |node: &ops::TreeNode| {
                let object = Object::new().text("id", &node.id).number("depth", answer::number(node.depth));
                let object = if node.kind.is_empty() { object } else { object.text("type", &node.kind) };
                let object = if node.truncated { object.flag("truncated", true) } else { object };
                match &node.row {
                    Some(row) => object.text("status", row.issue.status.as_str()).text("title", &row.issue.title),
                    None => object.text("status", "unknown"),
                }
            };
            Ok(Object::new().raw("tree", &answer::list(&nodes, node)))
        }
        action => {
            let (id, on) = (arguments.needed("id", action)?, arguments.needed("on", action)?);
            let (written, target) = match action {
                "remove" => ops::remove_dependency(store, id, on, typed)?,
                _ => ops::add_dependency(store, id, on, typed.unwrap_or_else(DependencyType::blocks))?,
            };
            Ok(change_object(&written).text("on", &target))
        }
    }
}
