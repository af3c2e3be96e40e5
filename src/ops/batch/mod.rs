//! Many operations at once: lines of JSON, one operation each, written together.
//!
//! Each line takes the path of its command and sees the effects of earlier lines. Each ledger is locked, written and
//! synced once.

mod line;

pub use super::error::BatchError;

use super::{
    Filing, OpError, Result, Wish, add_dependency, check_type, comment, dependency_type, file_all, parse_dependency,
    remove_dependency, revise,
};
use crate::model::change::{Change, NewIssue};
use crate::model::dependency::DependencyType;
use crate::model::field::Field;
use crate::model::issue::Priority;
use crate::model::query::{is_me, is_none};
use crate::model::when::{Bare, When};
use crate::store::{Scope, Store, StoreError, Written};
use line::Line;

/// Larger batches are refused before anything is written.
pub(super) const MAX_BATCH_LINES: usize = 100_000;
pub const MAX_BATCH_BYTES: u64 = 64 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// How a batch is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchOptions {
    /// All or nothing.
    pub atomic: bool,
    /// Write nothing, only report the effects.
    pub dry_run: bool,
}

/// The result of a line.
#[derive(Debug)]
pub struct BatchLine {
    /// Its line number in the input, from 1.
    pub number: usize,
    /// Empty if the line could not be parsed.
    pub op: &'static str,
    pub result: Result<Written>,
    /// It files an issue whose id is not final before it is written.
    pub is_minted: bool,
}

/// Runs the operations of a batch. Every line is tried; the results are in the same order.
pub fn batch(store: &mut Store, bytes: &[u8], options: BatchOptions) -> Result<Vec<BatchLine>> {
    let lines = lines_of(bytes)?;
    // Repos that lines name join the project before the locks are taken.
    let named = lines.iter().filter_map(|(_, line)| line.as_ref().ok()?.text("repo").ok()?);
    for repo in named.collect::<std::collections::BTreeSet<String>>() {
        // If one cannot, its lines report that.
        let _ = store.route(Some(&repo), &[]);
    }
    let mut together = store.together(Scope::All)?;
    let (mut done, mut places, mut filed) = (Vec::new(), Vec::new(), Filed::default());
    for (number, line) in lines {
        together.host().entropy.begin_again();
        let first = together.planned();
        let (op, is_minted) =
            line.as_ref().map_or(("", false), |line| (line.op, line.op == "add" && line.raw("id").is_none()));
        let result = line.map_err(OpError::from).and_then(|line| act(&mut together, &line, &filed));
        if op == "add" {
            filed.lines.push((number, result.as_ref().ok().map(|written| written.id.clone())));
        }
        places.push(first..together.planned());
        done.push(BatchLine { number, op, result, is_minted });
    }
    if options.atomic {
        if let Some(failed) = done.iter().find(|line| line.result.is_err()).map(|line| line.number) {
            drop(together);
            return Ok(aborted(done, failed));
        }
        let repos = together.repos();
        if repos.len() > 1 {
            return Err(BatchError::SeveralRepos { repos }.into());
        }
    }
    let answers = if options.dry_run { together.rehearse()? } else { together.commit(options.atomic)? };
    for (line, place) in done.iter_mut().zip(places) {
        if let Some(error) = answers[place].iter().find_map(|answer| answer.as_ref().err()) {
            line.result = Err(OpError::Store(error.clone().into_store()));
        }
    }
    Ok(done)
}

/// One line failed, so no other is written either.
fn aborted(done: Vec<BatchLine>, line: usize) -> Vec<BatchLine> {
    let not_written =
        |one: BatchLine| BatchLine { result: one.result.and_then(|_| Err(BatchError::Aborted { line }.into())), ..one };
    done.into_iter().map(not_written).collect()
}

type Numbered<'t> = (usize, std::result::Result<Line<'t>, BatchError>);

/// The non-blank lines, with their numbers.
fn lines_of(bytes: &[u8]) -> Result<Vec<Numbered<'_>>> {
    if bytes.len() as u64 > MAX_BATCH_BYTES {
        return Err(BatchError::TooLarge { limit: MAX_BATCH_BYTES >> 20, unit: "MB" }.into());
    }
    let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
    let lines: Vec<(usize, &[u8])> = lines.filter(|(_, line)| !line.is_empty()).collect();
    if lines.len() > MAX_BATCH_LINES {
        return Err(BatchError::TooLarge { limit: MAX_BATCH_LINES as u64, unit: "lines" }.into());
    }
    Ok(lines.into_iter().map(|(n, line)| (n + 1, Line::read(line))).collect())
}

/// The issues that earlier lines filed; `None` if one failed.
#[derive(Debug, Default)]
struct Filed {
    lines: Vec<(usize, Option<String>)>,
}

impl Filed {
    /// Resolves `$N` to an id.
    fn id(&self, text: String) -> Result<String> {
        let Some(number) = text.strip_prefix('$') else { return Ok(text) };
        let line = number.parse::<usize>().ok();
        let line = line.and_then(|line| self.lines.binary_search_by_key(&line, |(known, _)| *known).ok());
        match line.map(|at| &self.lines[at]) {
            Some((_, Some(id))) => Ok(id.clone()),
            Some((line, None)) => Err(BatchError::NotFiled { text, line: *line }.into()),
            None => Err(BatchError::NoSuchLine { text }.into()),
        }
    }

    /// The same with an optional type before it.
    fn dependency(&self, text: &str) -> Result<(DependencyType, String)> {
        let (kind, target) = parse_dependency(text)?;
        Ok((kind, self.id(target)?))
    }
}

fn act(store: &mut Store, line: &Line<'_>, filed: &Filed) -> Result<Written> {
    let issue = || filed.id(line.word("id")?.unwrap_or_default());
    let changed = |store: &mut Store, changes: Vec<Change>| {
        revise(store, &issue()?, &changes.into_iter().map(Wish::Change).collect::<Vec<_>>())
    };
    match line.op {
        "add" => {
            let filing = filing(store, line, filed)?;
            Ok(file_all(store, vec![filing])?.remove(0))
        }
        "update" => {
            let wishes = wishes(store, line, filed)?;
            revise(store, &issue()?, &wishes)
        }
        "close" => {
            let forced = line.flag("force")?.then_some(Change::Force);
            changed(store, [Change::Close { reason: line.text("reason")? }].into_iter().chain(forced).collect())
        }
        "reopen" => {
            let comment = line.word("reason")?.map(|text| comment(store, text, None));
            changed(store, vec![Change::Reopen { comment }])
        }
        "defer" => {
            let until = line.word("until")?.map_or(Ok(None), |text| date(store, "until", &text))?.map(When::start);
            changed(store, vec![Change::Defer { until }])
        }
        "undefer" => changed(store, vec![Change::Undefer]),
        "delete" => changed(store, vec![Change::Delete { reason: line.text("reason")? }]),
        "note" => changed(store, line.word("text")?.map(Change::AppendNotes).into_iter().collect()),
        "comment" => {
            let (text, author) = (line.word("text")?.unwrap_or_default(), line.word("author")?);
            let comment = comment(store, text, author);
            changed(store, vec![Change::AddComment(comment)])
        }
        "label add" | "label remove" => {
            let change = if line.op == "label add" { Change::AddLabel } else { Change::RemoveLabel };
            changed(store, line.texts("labels")?.unwrap_or_default().into_iter().map(change).collect())
        }
        "dep add" => {
            let (kind, target) = edge(line, filed)?;
            Ok(add_dependency(store, &issue()?, &target, kind.unwrap_or_else(DependencyType::blocks))?.0)
        }
        _ => {
            let (kind, target) = edge(line, filed)?;
            Ok(remove_dependency(store, &issue()?, &target, kind)?.0)
        }
    }
}

/// The target of a dependency to add or remove.
fn edge(line: &Line<'_>, filed: &Filed) -> Result<(Option<DependencyType>, String)> {
    let kind = line.word("type")?.map(|word| dependency_type(&word)).transpose()?;
    Ok((kind, filed.id(line.word("depends_on")?.unwrap_or_default())?))
}

fn filing(store: &Store, line: &Line<'_>, filed: &Filed) -> Result<Filing> {
    let text = |field| Ok::<String, OpError>(line.text(field)?.unwrap_or_default());
    let mut issue = NewIssue::titled(text("title")?);
    issue.validate().map_err(StoreError::from)?;
    issue.description = text("description")?;
    issue.design = text("design")?;
    issue.acceptance_criteria = text("acceptance")?;
    issue.notes = text("notes")?;
    issue.external_ref = text("external_ref")?;
    issue.spec_id = text("spec_id")?;
    issue.estimated_minutes = line.number("estimate")?.flatten();
    issue.labels = line.texts("labels")?.unwrap_or_default();
    issue.ephemeral = line.flag("ephemeral")?;
    issue.metadata = line.raw("metadata").filter(|raw| *raw != "null").map(str::to_owned);
    if let Some(text) = line.priority()? {
        issue.priority = Priority::typed(&text)?;
    }
    if let Some(word) = line.word("type")? {
        issue.issue_type = check_type(store, &word)?;
    }
    issue.assignee = person(store, text("assignee")?);
    let date = |name| line.word(name)?.map_or(Ok(None), |text| date(store, name, &text));
    issue.due_at = date("due")?.map(When::end);
    issue.defer_until = date("defer")?.map(When::start);
    let mut dependencies =
        line.dependencies()?.iter().map(|text| filed.dependency(text)).collect::<Result<Vec<_>>>()?;
    if let Some(target) = line.word("waits_for")? {
        dependencies.push((DependencyType::new("waits-for"), filed.id(target)?));
    }
    let parent = line.word("parent")?.map(|parent| filed.id(parent)).transpose()?;
    Ok(Filing { issue, id: line.word("id")?, parent, dependencies, repo: line.word("repo")? })
}

fn wishes(store: &Store, line: &Line<'_>, filed: &Filed) -> Result<Vec<Wish>> {
    let mut wishes: Vec<Wish> = Vec::new();
    let mut change = |change: Option<Change>| wishes.extend(change.map(Wish::Change));
    change(line.text("title")?.map(Change::Title));
    let texts = [
        (Field::Description, line.text("description")?),
        (Field::Design, line.text("design")?),
        (Field::AcceptanceCriteria, line.text("acceptance")?),
        (Field::Notes, line.text("notes")?),
        (Field::Assignee, line.text("assignee")?.map(|name| person(store, name))),
        (Field::ExternalRef, line.text("external_ref")?),
    ];
    texts.into_iter().for_each(|(field, text)| change(text.map(|text| Change::Text(field, text))));
    change(line.word("append_notes")?.map(Change::AppendNotes));
    change(line.priority()?.map(|text| Priority::typed(&text)).transpose()?.map(Change::Priority));
    change(line.number("estimate")?.map(Change::Estimate));
    for (field, name) in [(Field::Due, "due"), (Field::Defer, "defer")] {
        if let Some(text) = line.text(name)? {
            let moment = |when: When| if name == "due" { when.end() } else { when.start() };
            change(Some(Change::Date(field, date(store, name, &text)?.map(moment))));
        }
    }
    change(line.texts("labels")?.map(Change::SetLabels));
    line.texts("add_labels")?.into_iter().flatten().for_each(|label| change(Some(Change::AddLabel(label))));
    line.texts("remove_labels")?.into_iter().flatten().for_each(|label| change(Some(Change::RemoveLabel(label))));
    let is_forced = line.flag("force")?;
    wishes.extend(line.word("status")?.map(Wish::Status));
    wishes.extend(line.word("type")?.map(Wish::Type));
    if let Some(parent) = line.text("parent")? {
        let parent = if parent.is_empty() { None } else { Some(filed.id(parent)?) };
        wishes.push(Wish::Parent(parent));
    }
    if is_forced && !wishes.is_empty() {
        wishes.push(Wish::Change(Change::Force));
    }
    Ok(wishes)
}

fn person(store: &Store, name: String) -> String {
    if is_me(&name) { store.actor().to_owned() } else { name }
}

/// `None` for no date.
fn date(store: &Store, flag: &'static str, value: &str) -> Result<Option<When>> {
    if is_none(value) {
        return Ok(None);
    }
    let found = store.host().clock.calendar().parse(value, Bare::Future);
    found.map(Some).ok_or_else(|| OpError::Date { flag, value: value.to_owned() })
}
