//! Flags that filter issues, shared by every command that lists them.

use clap::Args;

use super::context::Context;
use super::layout::Layout;
use crate::cache::{Sort, SortBy, SortKey};
use crate::model::issue::{IssueType, Priority, Status};
use crate::model::query::{Expr, Field, Op, VISIBILITIES, Value, is_all};
use crate::ops::{self, Checkouts, OpError, not_deleted, not_done};
use crate::store::Place;
use crate::view::{Failure, RowShape, shell_word};

/// Flags that look beyond the checkout in use.
#[derive(Debug, Args, Default)]
pub(super) struct WorktreeArgs {
    /// Include all checkouts of the repository
    #[arg(long, conflicts_with = "at")]
    pub all_worktrees: bool,
    /// Read another checkout, by id, name or path
    #[arg(long, value_name = "CHECKOUT", conflicts_with_all = ["all_worktrees", "at"])]
    pub worktree: Option<String>,
}

impl WorktreeArgs {
    /// Which checkouts are asked; the other one, if the store reads one.
    pub(super) fn requested(&self, place: Option<Place>) -> Checkouts {
        if self.all_worktrees { Checkouts::All } else { Checkouts::One(place) }
    }
}

#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Filters")]
pub(super) struct FilterArgs {
    /// Only what meets a condition, in the language of `bd help query` (`@NAME`: a saved query)
    #[arg(long = "where", value_name = "EXPR", alias = "query")]
    pub condition: Option<String>,
    /// Only these statuses (comma-separated; `all` for every one)
    #[arg(short, long, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<String>,
    /// Only these types
    #[arg(short = 't', long = "type", value_name = "TYPE", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Only these priorities: 0 to 4, or critical, high, medium, low, backlog
    #[arg(short, long, value_name = "N", value_delimiter = ',')]
    pub priority: Vec<String>,
    /// Priority at least this number
    #[arg(long, value_name = "N")]
    pub priority_min: Option<String>,
    /// Priority at most this number
    #[arg(long, value_name = "N")]
    pub priority_max: Option<String>,
    /// Assigned to one of these, in any case (`me` or `@me`: you; `none`: nobody)
    #[arg(short, long, value_name = "NAME")]
    pub assignee: Option<String>,
    /// Assigned to nobody
    #[arg(short = 'u', long, visible_alias = "unassigned")]
    pub no_assignee: bool,
    /// Filed by one of these, in any case (`me` or `@me`: you)
    #[arg(long, value_name = "NAME", alias = "created-by")]
    pub author: Option<String>,
    /// Only issues with all of these labels (`none`: without labels)
    #[arg(short, long = "label", value_name = "LABEL", value_delimiter = ',', alias = "labels")]
    pub labels: Vec<String>,
    /// Only issues with one of these labels (`none`: or without labels)
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    pub label_any: Vec<String>,
    /// Only issues with none of these labels
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    pub exclude_label: Vec<String>,
    /// Exclude these types
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub exclude_type: Vec<String>,
    /// Children of an issue (`none`: issues without a parent)
    #[arg(long, value_name = "ID")]
    pub parent: Option<String>,
    /// Issues without a parent
    #[arg(long)]
    pub no_parent: bool,
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Only these ids
    #[arg(long = "id", value_name = "ID", value_delimiter = ',')]
    pub ids: Vec<String>,
    /// Only issues whose title contains this
    #[arg(long, value_name = "TEXT", alias = "title-contains")]
    pub title: Option<String>,
    /// Only issues whose description contains this
    #[arg(long, value_name = "TEXT")]
    pub desc_contains: Option<String>,
    /// Only issues whose notes contain this
    #[arg(long, value_name = "TEXT")]
    pub notes_contains: Option<String>,
    /// Created on this date or later
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub created_after: Option<String>,
    /// Created before this date
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub created_before: Option<String>,
    /// Changed on this date or later
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub updated_after: Option<String>,
    /// Changed before this date
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub updated_before: Option<String>,
    /// Closed on this date or later
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub closed_after: Option<String>,
    /// Closed before this date
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub closed_before: Option<String>,
    /// Due on this date or later
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub due_after: Option<String>,
    /// Due before this date
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub due_before: Option<String>,
    /// Deferred to this date or a later one
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub defer_after: Option<String>,
    /// Deferred to a date before this one
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, hide_short_help = true)]
    pub defer_before: Option<String>,
    /// Only overdue issues
    #[arg(long)]
    pub overdue: bool,
    /// Only issues deferred to a later date
    #[arg(long)]
    pub deferred: bool,
}

impl FilterArgs {
    /// The condition that the flags describe; of closed and deleted issues it says nothing.
    pub(super) fn expr(&self, cx: &mut Context) -> Result<Expr, Failure> {
        let mut all = Vec::new();
        if !self.status.is_empty() && !self.status.iter().any(|word| is_all(word)) {
            all.push(Expr::any_of(Field::Status, self.status.iter().map(|word| Status::typed(word).to_string())));
        }
        let types = |words: &[String]| Expr::any_of(Field::Type, words.iter().map(|w| IssueType::typed(w).to_string()));
        if !self.types.is_empty() {
            all.push(types(&self.types));
        }
        if !self.exclude_type.is_empty() {
            all.push(types(&self.exclude_type).negate());
        }
        let priority = |text: &String| Priority::typed(text).map(|p| Value::Number(p.number())).map_err(OpError::from);
        if !self.priority.is_empty() {
            let each = self.priority.iter().map(|text| Ok(Expr::Is(Field::Priority, Op::Eq, priority(text)?)));
            all.push(Expr::Or(each.collect::<Result<_, OpError>>()?));
        }
        for (bound, op) in [(&self.priority_min, Op::MoreEq), (&self.priority_max, Op::LessEq)] {
            if let Some(text) = bound {
                all.push(Expr::Is(Field::Priority, op, priority(text)?));
            }
        }
        for (field, name) in [(Field::Assignee, &self.assignee), (Field::Author, &self.author)] {
            if let Some(text) = name {
                all.push(people(field, text, cx)?);
            }
        }
        if self.no_assignee {
            all.push(Expr::value(Field::Assignee, "none"));
        }
        let label = |label: &String| Expr::value(Field::Label, label.trim());
        all.extend(self.labels.iter().map(label));
        if !self.label_any.is_empty() {
            all.push(Expr::Or(self.label_any.iter().map(label).collect()));
        }
        all.extend(self.exclude_label.iter().map(|one| label(one).negate()));
        all.extend(self.parent.iter().map(|parent| Expr::value(Field::Parent, parent)));
        if self.no_parent {
            all.push(Expr::value(Field::Parent, "none"));
        }
        if !self.ids.is_empty() {
            all.push(Expr::any_of(Field::Id, self.ids.iter().cloned()));
        }
        all.extend(self.scope.conditions());
        all.extend(self.title.iter().map(|text| Expr::contains(Field::Title, text)));
        all.extend(self.desc_contains.iter().map(|text| Expr::contains(Field::Description, text)));
        all.extend(self.notes_contains.iter().map(|text| Expr::contains(Field::Notes, text)));
        all.extend(self.dates(cx)?);
        all.extend(self.condition(cx)?);
        Ok(ops::with_known_words(cx.store()?, Expr::And(all))?)
    }

    /// The condition that was typed in the language of queries.
    fn condition(&self, cx: &mut Context) -> Result<Option<Expr>, Failure> {
        self.condition.as_ref().map(|text| Ok(ops::parse_query(cx.store()?, text)?)).transpose()
    }

    /// Types are asked for, so that none is left out.
    pub(super) fn names_types(&self, cx: &mut Context) -> Result<bool, Failure> {
        Ok(!self.types.is_empty() || self.condition(cx)?.is_some_and(|expr| expr.mentions(Field::Type)))
    }

    fn dates(&self, cx: &Context) -> Result<Vec<Expr>, Failure> {
        let bounds = [
            ("created-after", Field::Created, Op::MoreEq, &self.created_after),
            ("created-before", Field::Created, Op::Less, &self.created_before),
            ("updated-after", Field::Updated, Op::MoreEq, &self.updated_after),
            ("updated-before", Field::Updated, Op::Less, &self.updated_before),
            ("closed-after", Field::Closed, Op::MoreEq, &self.closed_after),
            ("closed-before", Field::Closed, Op::Less, &self.closed_before),
            ("due-after", Field::Due, Op::MoreEq, &self.due_after),
            ("due-before", Field::Due, Op::Less, &self.due_before),
            ("defer-after", Field::Defer, Op::MoreEq, &self.defer_after),
            ("defer-before", Field::Defer, Op::Less, &self.defer_before),
        ];
        let mut found = Vec::new();
        for (flag, field, op, value) in bounds {
            if let Some(text) = value {
                found.push(Expr::time(field, op, cx.date(flag, text, field.bare())?));
            }
        }
        let now = Value::Time(cx.host().clock.now());
        if self.overdue {
            found.push(Expr::Is(Field::Due, Op::Less, now.clone()));
            found.push(not_done());
        }
        if self.deferred {
            let later = Expr::Is(Field::Defer, Op::More, now);
            found.push(Expr::Or(vec![Expr::text(Field::Status, "deferred"), later]));
        }
        Ok(found)
    }

    /// The flags name statuses or issues themselves, so closed issues are not hidden.
    pub(super) fn names_status(&self, cx: &mut Context) -> Result<bool, Failure> {
        let by_flag =
            !self.status.is_empty() || self.closed_after.is_some() || self.closed_before.is_some() || self.names_ids();
        Ok(by_flag || self.condition(cx)?.is_some_and(|expr| names_status(&expr)))
    }

    /// The flags name issues: those are shown, whatever they are.
    pub(super) fn names_ids(&self) -> bool {
        !self.ids.is_empty()
    }
}

/// The conditions that were typed without a flag and with one, together.
pub(super) fn conditions(words: &[String], flag: Option<&String>) -> Option<String> {
    let typed = words.join(" ");
    match flag {
        _ if words.is_empty() => flag.cloned(),
        None => Some(typed),
        Some(flag) => Some(format!("({flag}) ({typed})")),
    }
}

/// Where else words may be found that no listed issue holds; `None` if more than words was asked for.
pub(super) fn search_hint(condition: Option<&String>) -> Option<String> {
    let text = condition.filter(|text| !text.contains(['=', '<', '>', '~', ':', '@', '(', '"']))?;
    let words: Vec<String> = text.split_whitespace().map(shell_word).collect();
    Some(format!("run `bd search {}` to search closed issues too; a condition is `status=open`", words.join(" ")))
}

/// A condition is about statuses itself, so that closed issues are not hidden.
pub(super) fn names_status(expr: &Expr) -> bool {
    expr.mentions(Field::Status) || expr.mentions(Field::Closed)
}

/// One of the people that a flag names, parted by commas. A name may have a comma of its own, so the whole text counts too.
fn people(field: Field, text: &str, cx: &mut Context) -> Result<Expr, Failure> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != text);
    let each = parts.chain([text]).map(|name| Ok(Expr::value(field, &cx.person(name)?)));
    Ok(Expr::Or(each.collect::<Result<_, Failure>>()?))
}

/// Which part of a project: for commands that have no other filters, too.
#[derive(Debug, Args, Default, Clone)]
pub(super) struct ScopeArgs {
    /// Only issues of this repo (`.` is the project's own)
    #[arg(long, value_name = "REPO")]
    pub repo: Vec<String>,
    /// Only planning issues filed for this project, by its prefix (`.` is this one)
    #[arg(long, value_name = "PROJECT")]
    pub project: Vec<String>,
    /// Only local, proposed or canonical issues
    #[arg(long, value_name = "WORD", value_delimiter = ',', value_parser = VISIBILITIES)]
    pub visibility: Vec<String>,
}

impl ScopeArgs {
    fn conditions(&self) -> impl Iterator<Item = Expr> {
        let any = |field, words: &[String]| (!words.is_empty()).then(|| Expr::any_of(field, words.iter().cloned()));
        let parts = [
            any(Field::Visibility, &self.visibility),
            any(Field::Repo, &self.repo),
            any(Field::Project, &self.project),
        ];
        parts.into_iter().flatten()
    }

    pub(super) fn expr(&self) -> Expr {
        Expr::And(self.conditions().collect())
    }
}

/// Which issues a listing shows besides the open ones.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "More")]
pub(super) struct DoneArgs {
    /// Include closed issues
    #[arg(long)]
    pub all: bool,
    /// Include deleted issues
    #[arg(long)]
    pub deleted: bool,
}

impl DoneArgs {
    /// Excludes closed issues, unless the condition itself is about statuses, and deleted ones, unless it names them.
    pub(super) fn limited(&self, expr: Expr, names_status: bool) -> Expr {
        let mut parts = Vec::new();
        if !self.deleted && !expr.names(Field::Status, "tombstone") {
            parts.push(not_deleted());
        }
        if !self.all && !names_status {
            parts.push(Expr::text(Field::Status, "closed").negate());
        }
        parts.insert(0, expr);
        Expr::And(parts)
    }
}

/// How much of each issue is printed.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "JSON")]
pub(super) struct ShapeArgs {
    /// Print JSON with only these keys of each issue (comma-separated)
    #[arg(long, value_name = "KEY", value_delimiter = ',', conflicts_with = "compact")]
    pub fields: Vec<String>,
    /// Print short JSON: id, title, status, priority, type, and blocked_by if it waits
    #[arg(long)]
    pub compact: bool,
}

impl ShapeArgs {
    /// From here on the command answers in this shape.
    pub(super) fn apply(&self, cx: &mut Context) {
        cx.shape = RowShape::of(&self.fields, self.compact);
        if cx.shape != RowShape::Full {
            cx.ui.answer_in_json();
        }
    }
}

/// How issues are laid out as text.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Layout")]
pub(super) struct LayoutArgs {
    /// Print only ids, one a line, without a limit: for `bd update -` and its like
    #[arg(long = "ids", conflicts_with_all = ["columns", "format", "fields", "compact"])]
    ids_only: bool,
    /// Print these fields in columns (comma-separated), such as id,due,title
    #[arg(long, value_name = "FIELD", value_delimiter = ',', conflicts_with_all = ["format", "fields", "compact"])]
    columns: Vec<String>,
    /// Print a line for each issue, such as '{id} {title}', without a limit; \t and \n work, {{ is a brace
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["fields", "compact"])]
    format: Option<String>,
}

impl LayoutArgs {
    /// From here on the command prints issues like this.
    pub(super) fn apply(&self, cx: &mut Context) -> Result<(), Failure> {
        cx.layout = match (&self.format, self.columns.is_empty()) {
            (Some(text), _) => Layout::template(text)?,
            (None, false) => Layout::columns(&self.columns)?,
            (None, true) if self.ids_only => Layout::Ids,
            (None, true) => return Ok(()),
        };
        match cx.ui.wants_json() {
            true => Err(Failure::usage("--ids, --columns and --format print text; with --json, use --fields")),
            false => Ok(()),
        }
    }

    /// Another program reads the answer, and wants all of it.
    pub(super) fn is_for_programs(&self) -> bool {
        self.ids_only || self.format.is_some()
    }
}

/// How a listing is ordered and cut.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Order")]
pub(super) struct PageArgs {
    /// Order by priority, created, updated, closed, due, id, title, status, type or assignee; several with commas, `-` before one
    /// for descending, `+` for ascending
    #[arg(long, value_name = "FIELD", value_parser = sort_key, value_delimiter = ',', allow_hyphen_values = true)]
    pub sort: Vec<SortKey>,
    /// Reverse the order
    #[arg(short, long)]
    pub reverse: bool,
    /// Show at most N issues, 0 for all (default: 50 for people, all with --json)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// The fields to sort by.
pub(super) const SORTED_BY: [&str; 10] =
    ["priority", "created", "updated", "closed", "due", "id", "title", "status", "type", "assignee"];

/// Parses a typed sort key.
pub(super) fn sort_key(text: &str) -> Result<SortKey, String> {
    let (field, descending) = match text.as_bytes().first() {
        Some(b'-') => (&text[1..], Some(true)),
        Some(b'+') => (&text[1..], Some(false)),
        _ => (text, None),
    };
    let by = match field.to_lowercase().as_str() {
        "priority" => SortBy::Priority,
        "created" | "newest" => SortBy::Created,
        "updated" => SortBy::Updated,
        "closed" => SortBy::Closed,
        "due" => SortBy::Due,
        "id" => SortBy::Id,
        "title" => SortBy::Title,
        "status" => SortBy::Status,
        "type" => SortBy::Type,
        "assignee" => SortBy::Assignee,
        _ => return Err(format!("one of {}", SORTED_BY.join(" "))),
    };
    Ok(SortKey { by, descending })
}

impl PageArgs {
    pub(super) fn sort(&self) -> Sort {
        let usual = Sort::default();
        let keys = if self.sort.is_empty() { usual.keys } else { self.sort.clone() };
        Sort { keys, reverse: self.reverse }
    }

    /// Some order was asked for.
    pub(super) fn is_sorted(&self) -> bool {
        !self.sort.is_empty() || self.reverse
    }

    pub(super) fn limit(&self, json: bool) -> Option<usize> {
        limit(self.limit, json)
    }
}

/// Applies the default limit: 0 means none; without a limit, programs get everything and people a screenful.
pub(super) fn limit(given: Option<usize>, json: bool) -> Option<usize> {
    match given {
        Some(0) => None,
        Some(n) => Some(n),
        None if json => None,
        None => Some(50),
    }
}
