//! The fields of an issue: one row for each key that `bd` knows, in the order in which lines have them.
//!
//! All code that treats fields differently reads their rows: decoding, merging, proposing, the leak guard, search,
//! queries, `bd show`, `bd edit`, the JSON schema. A key without a row is preserved, merged as one value, never
//! published, and shown only to programs. docs/architecture.md says what a new field takes.

use std::sync::LazyLock;

use super::when::Bare;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A long text by people.
    Text,
    /// An id, or a word from a set.
    Word,
    /// A person's name.
    Person,
    Number,
    Flag,
    /// A moment that `bd` records.
    Time,
    /// A date that people set. A day without a time of day means its end.
    Until,
    /// The same, but a day means its beginning. An unreadable value is later than every date.
    From,
    Labels,
    Edges,
    Comments,
    /// Anything else, preserved as it is.
    Other,
}

/// How two versions of a field merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// As one value: the later one wins.
    Plain,
    /// Line by line, if the changes do not overlap.
    Long,
    Labels,
    Edges,
    /// Key by key, if the changes do not overlap.
    Object,
    /// Together with another field.
    With(Field),
    /// By rules of its own, after all others.
    Apart,
}

/// How a proposal treats a field. The published line is built from this, so an unknown field is never published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Travel {
    /// Stays in the planning repo.
    Private,
    /// Only planning lines have it.
    Planning,
    /// Copied to the target; both copies share the value.
    Shared,
    /// Copied only on request.
    OnRequest,
    /// Copied if the target may know it; belongs to each copy afterwards.
    Copied,
    /// The target's line gets a value of its own.
    Made,
    /// Machinery that reveals nothing about people.
    Open,
}

/// The properties of a field.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub key: &'static str,
    pub kind: Kind,
    pub merge: Merge,
    pub travel: Travel,
    /// Its position among the lines at the top of `bd show`, and its name there.
    pub fact: Option<(u8, &'static str)>,
    /// The heading of its paragraph in `bd show`; `bd edit` opens it too.
    pub section: Option<&'static str>,
    /// The raw value that an absent key means.
    pub default: Option<&'static str>,
    /// Its column in the cache, with the text for an issue that has no value. Only columns are fast to filter by.
    pub column: Option<(&'static str, Option<&'static str>)>,
    /// Its position among the fields of `bd query`, its displayed name, and other names besides the key.
    pub queried: Option<(u8, &'static [&'static str])>,
    /// Its position among the searched fields, and the weight of a word in it.
    pub searched: Option<(u8, f64)>,
    /// `Change::Text` and `Change::Date` may set it.
    pub settable: bool,
    /// Every issue has a value: a query for `none` is refused.
    pub always: bool,
    /// It carries no information of its own, like the time of an edit: a losing value is not kept.
    pub silent: bool,
    /// A record of a merge or a proposal for the next one.
    pub note: bool,
    /// Ids in its text are rewritten when issues are renamed.
    pub renamed: bool,
    /// The JSON schema of an issue lists it.
    pub typed: bool,
    /// `view::issue` computes it, whatever the line holds.
    pub answered: bool,
    /// The planning copy's value is shown if the target has none: it belongs to the proposer.
    pub own: bool,
    /// It may be dropped with the planning copy of an accepted proposal.
    pub passing: bool,
}

macro_rules! setters {
    ($($name:ident($($given:ident: $type:ty),*) = $value:expr;)*) => {$(
        const fn $name(mut self, $($given: $type),*) -> Row {
            self.$name = $value;
            self
        }
    )*};
}

impl Row {
    setters! {
        merge(how: Merge) = how;
        travel(how: Travel) = how;
        fact(place: u8, name: &'static str) = Some((place, name));
        section(name: &'static str) = Some(name);
        default(raw: &'static str) = Some(raw);
        column(name: &'static str, absent: Option<&'static str>) = Some((name, absent));
        queried(place: u8, names: &'static [&'static str]) = Some((place, names));
        searched(place: u8, weight: f64) = Some((place, weight));
        settable() = true;
        always() = true;
        silent() = true;
        note() = true;
        renamed() = true;
        typed() = true;
        answered() = true;
        own() = true;
        passing() = true;
    }
}

const fn row(kind: Kind) -> Row {
    Row {
        key: "",
        kind,
        merge: Merge::Plain,
        travel: Travel::Private,
        fact: None,
        section: None,
        default: None,
        column: None,
        queried: None,
        searched: None,
        settable: false,
        always: false,
        silent: false,
        note: false,
        renamed: false,
        typed: false,
        answered: false,
        own: false,
        passing: false,
    }
}

macro_rules! fields {
    (keys { $($name:ident $key:literal: $row:expr;)* } others { $($other:ident $word:literal: $queried:expr;)* }) => {
        /// A field of an issue.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Field {
            $(#[doc = concat!("`", $key, "`")] $name,)*
            $(#[doc = concat!("`", $word, "` of a query; no key of a line")] $other,)*
        }

        /// Every field that is a key of a line, in order.
        pub const ALL: &[Field] = &[$(Field::$name),*];

        /// Further fields of queries, without a key.
        const OTHERS: &[Field] = &[$(Field::$other),*];

        static ROWS: &[Row] = &[$(Row { key: $key, ..$row },)* $(Row { key: $word, ..$queried },)*];
    };
}

use Kind::*;
use Merge::{Apart, Long, Object, With};
use Travel::{Copied, Made, OnRequest, Open, Planning, Shared};

fields! { keys {
    RecordType "_type": row(Word).travel(Open).answered();
    Id "id": row(Word).travel(Made).answered().column("id", Some("")).queried(0, &["id"]).always();
    ContentHash "content_hash": row(Word).travel(Open).silent().passing();
    Title "title": row(Text).travel(Shared).renamed().answered().column("title", Some("")).queried(1, &["title"])
        .searched(0, 10.0);
    Description "description": row(Text).merge(Long).travel(Shared).renamed().settable().typed()
        .section("Description").queried(2, &["description", "desc"]).searched(1, 4.0);
    Design "design": row(Text).merge(Long).travel(Shared).renamed().settable().typed().section("Design")
        .searched(2, 2.0);
    AcceptanceCriteria "acceptance_criteria": row(Text).merge(Long).travel(Shared).renamed().settable().typed()
        .section("Acceptance criteria").searched(3, 2.0);
    Notes "notes": row(Text).merge(Long).travel(OnRequest).renamed().settable().typed().section("Notes")
        .queried(3, &["notes"]).searched(4, 2.0);
    SpecId "spec_id": row(Word);
    Status "status": row(Word).travel(Made).answered().passing().default("\"open\"").column("status", Some("open"))
        .queried(5, &["status"]).always();
    Priority "priority": row(Number).travel(Shared).answered().default("0").column("priority", None)
        .queried(7, &["priority"]).always();
    Type "issue_type": row(Word).travel(Shared).answered().default("\"task\"").column("type", Some("task"))
        .queried(6, &["type"]).always();
    Assignee "assignee": row(Person).settable().passing().typed().column("assignee", None).queried(9, &["assignee"]);
    Owner "owner": row(Person).settable().passing().typed().fact(11, "Owner").column("owner", None)
        .queried(11, &["owner"]);
    Estimate "estimated_minutes": row(Number).own().typed().fact(9, "Estimate");
    Created "created_at": row(Time).travel(Copied).silent().answered().fact(0, "Created").column("created", None)
        .queried(17, &["created"]);
    Author "created_by": row(Person).travel(Copied).typed().column("author", None).queried(10, &["author"]);
    Updated "updated_at": row(Time).travel(Made).silent().answered().passing().fact(1, "Updated")
        .column("updated", None).queried(18, &["updated"]);
    Started "started_at": row(Time).merge(With(Field::Assignee)).silent().passing().typed().fact(2, "Started")
        .column("started", None).queried(19, &["started"]);
    Closed "closed_at": row(Time).merge(With(Field::Status)).travel(Copied).silent().passing().typed()
        .fact(3, "Closed").column("closed", None).queried(20, &["closed"]);
    CloseReason "close_reason": row(Text).merge(With(Field::Status)).renamed().typed().fact(4, "Reason")
        .searched(7, 2.0);
    ClosedBySession "closed_by_session": row(Word).merge(With(Field::Status));
    Due "due_at": row(Until).settable().own().typed().fact(7, "Due").column("due", None).queried(21, &["due"]);
    Defer "defer_until": row(From).settable().own().typed().fact(8, "Deferred to").column("defer", None)
        .queried(22, &["defer"]);
    ExternalRef "external_ref": row(Word).settable().typed().fact(10, "Reference").column("external_ref", None)
        .queried(13, &["external_ref"]);
    SourceSystem "source_system": row(Word);
    SourceRepo "source_repo": row(Word).travel(Open).silent().answered();
    SourceRepoPath "source_repo_path": row(Word).silent().answered();
    Metadata "metadata": row(Other);
    Pinned "pinned": row(Flag);
    Ephemeral "ephemeral": row(Flag);
    IsTemplate "is_template": row(Flag);
    Label "labels": row(Labels).merge(Merge::Labels).travel(Shared).answered().queried(8, &["label"]).searched(6, 5.0);
    Dependencies "dependencies": row(Edges).merge(Merge::Edges).travel(Made).answered();
    Comments "comments": row(Kind::Comments).merge(Apart).travel(OnRequest).answered().searched(5, 2.0);
    Visibility "visibility": row(Word).travel(Made).answered().passing().column("visibility", Some("canonical"))
        .queried(14, &["visibility"]).always();
    Proposal "proposal": row(Other).merge(With(Field::Visibility)).travel(Made).passing();
    Agreed "agreed": row(Other).merge(With(Field::Visibility)).travel(Planning).silent().note().answered().passing();
    Project "project": row(Other).travel(Planning).passing().queried(16, &["project"]).always();
    FormerId "former_id": row(Word).travel(Planning).passing();
    Companion "companion": row(Flag).travel(Planning);
    Workflow "workflow": row(Other).merge(Object);
    Task "task": row(Other).merge(Object);
    Times "field_times": row(Other).merge(Apart).note();
    Deleted "deleted_at": row(Time).merge(With(Field::Status)).silent().fact(5, "Deleted");
    DeletedBy "deleted_by": row(Person).merge(With(Field::Status));
    DeleteReason "delete_reason": row(Text).merge(With(Field::Status)).fact(6, "Because");
    OriginalType "original_type": row(Word).merge(With(Field::Status));
    CompactionLevel "compaction_level": row(Other).travel(Open);
    CompactedAt "compacted_at": row(Other).silent();
    CompactedAtCommit "compacted_at_commit": row(Other);
    OriginalSize "original_size": row(Other).travel(Open);
    DependencyCount "dependency_count": row(Other).travel(Open).silent().answered();
    DependentCount "dependent_count": row(Other).travel(Open).silent().answered();
    CommentCount "comment_count": row(Other).travel(Open).silent().answered();
    Parent "parent": row(Word).travel(Open).answered().queried(12, &["parent"]);
} others {
    Text "text": row(Other).queried(4, &["text"]);
    Repo "repo": row(Other).queried(15, &["repo"]).always();
} }

/// The fields by a hash of their keys: every value of every line looks up its key.
const SLOTS: [u8; SLOT_COUNT] = {
    let mut slots = [EMPTY; SLOT_COUNT];
    let mut n = 0;
    while n < ALL.len() {
        let mut at = slot(ROWS[n].key.as_bytes());
        while slots[at] != EMPTY {
            at = (at + 1) % SLOT_COUNT;
        }
        slots[at] = n as u8;
        n += 1;
    }
    slots
};
const SLOT_COUNT: usize = 256;
const EMPTY: u8 = u8::MAX;

/// The fields with a column in the cache.
pub const COLUMNS: [Field; COLUMN_COUNT] = {
    let mut columns = [Field::Id; COLUMN_COUNT];
    let (mut n, mut found) = (0, 0);
    while n < ALL.len() {
        if ROWS[n].column.is_some() {
            columns[found] = ALL[n];
            found += 1;
        }
        n += 1;
    }
    columns
};
pub const COLUMN_COUNT: usize = {
    let (mut n, mut found) = (0, 0);
    while n < ALL.len() {
        found += ROWS[n].column.is_some() as usize;
        n += 1;
    }
    found
};

/// For each field, the position of its column.
const COLUMN_PLACES: [u8; ALL.len()] = {
    let mut places = [EMPTY; ALL.len()];
    let mut n = 0;
    while n < COLUMN_COUNT {
        places[COLUMNS[n] as usize] = n as u8;
        n += 1;
    }
    places
};

static SEARCHED: LazyLock<Vec<Field>> = LazyLock::new(|| placed(|row| row.searched.map(|(place, _)| place)));

const fn slot(key: &[u8]) -> usize {
    match key {
        [] => 0,
        [first, .., last] => {
            (key.len() * 37 + *first as usize * 7 + *last as usize * 19 + key[key.len() / 2] as usize) % SLOT_COUNT
        }
        [only] => *only as usize,
    }
}

impl Field {
    /// The field with this key.
    pub fn of(key: &str) -> Option<Field> {
        let mut at = slot(key.as_bytes());
        while SLOTS[at] != EMPTY {
            let n = SLOTS[at] as usize;
            if ROWS[n].key == key {
                return Some(ALL[n]);
            }
            at = (at + 1) % SLOT_COUNT;
        }
        None
    }

    pub const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    pub const fn key(self) -> &'static str {
        self.row().key
    }

    /// The field that a query names: by its displayed name, its key, or a short name.
    pub fn queried_as(name: &str) -> Option<Field> {
        let is_meant =
            |field: &&Field| field.row().queried.is_some_and(|(_, names)| field.key() == name || names.contains(&name));
        ALL.iter().chain(OTHERS).find(is_meant).copied()
    }

    /// Whether its value is a moment.
    pub fn is_time(self) -> bool {
        matches!(self.row().kind, Time | Until | From)
    }

    /// Whether it is a date that people set, which may be a day.
    pub fn is_date(self) -> bool {
        matches!(self.row().kind, Until | From)
    }

    /// Whether a bare duration points to the past or the future.
    pub fn bare(self) -> Bare {
        if self.is_date() { Bare::Future } else { Bare::Past }
    }

    /// The position of its column among [`COLUMNS`].
    pub fn column(self) -> Option<usize> {
        COLUMN_PLACES.get(self as usize).filter(|place| **place != EMPTY).map(|place| usize::from(*place))
    }

    /// The field and those that merge together with it.
    pub fn group(self) -> impl Iterator<Item = Field> {
        ALL.iter().copied().filter(move |field| *field == self || field.row().merge == With(self))
    }

    /// Whether both copies of a proposed issue share it.
    pub fn is_shared(self) -> bool {
        self.row().travel == Shared
    }

    /// Whether an export copies or sets it, or it is machinery.
    pub fn is_public(self) -> bool {
        matches!(self.row().travel, Shared | Copied | Made | Open)
    }
}

/// The position of a key in a line; unknown keys come last.
pub fn place_of(key: &str) -> usize {
    Field::of(key).map_or(usize::MAX, |field| field as usize)
}

/// Whether the row of a key has a flag; unknown keys have none.
pub fn is(key: &str, flag: impl Fn(&Row) -> bool) -> bool {
    Field::of(key).is_some_and(|field| flag(field.row()))
}

/// The fields whose rows match, in the order of their keys.
pub fn with(such: impl Fn(&Row) -> bool) -> impl Iterator<Item = Field> {
    ALL.iter().copied().filter(move |field| such(field.row()))
}

/// The fields that have a position in some list, in that order.
fn placed(place: impl Fn(&Row) -> Option<u8>) -> Vec<Field> {
    let mut found: Vec<Field> =
        ALL.iter().chain(OTHERS).copied().filter(|field| place(field.row()).is_some()).collect();
    found.sort_by_key(|field| place(field.row()));
    found
}

/// The searched fields.
pub fn searched() -> &'static [Field] {
    &SEARCHED
}

/// The displayed names of the fields that queries accept.
pub fn query_names() -> Vec<&'static str> {
    let queried = placed(|row| row.queried.map(|(place, _)| place)).into_iter();
    queried.filter_map(|field| field.row().queried?.1.first().copied()).collect()
}

/// The fields that `bd show` prints on one line each.
pub fn facts() -> impl Iterator<Item = (Field, &'static str)> {
    let facts = placed(|row| row.fact.map(|(place, _)| place)).into_iter();
    facts.filter_map(|field| Some((field, field.row().fact?.1)))
}

/// The names of long texts for help, such as `description, design and notes`; `last` joins the last two.
pub fn text_names(such: impl Fn(Field) -> bool, last: &str) -> String {
    let names = sections().filter(|(field, _)| such(*field)).map(|(_, name)| name.to_lowercase());
    let list = names.collect::<Vec<_>>().join(", ");
    list.rsplit_once(", ").map_or(list.clone(), |(names, name)| format!("{names}{last}{name}"))
}

/// The fields that `bd show` prints as paragraphs and `bd edit` opens.
pub fn sections() -> impl Iterator<Item = (Field, &'static str)> {
    ALL.iter().filter_map(|field| Some((*field, field.row().section?)))
}

#[cfg(test)]
mod tests;
